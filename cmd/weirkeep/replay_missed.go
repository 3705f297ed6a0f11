package main

import (
	"errors"
	"slices"
	"strings"
)

// missed is what a replay has found out about why it could not decide requests.
type missed struct {
	inputs     []string // that were missed, in order
	unrecorded bool     // by records that hold no inputs at all
	ambiguous  bool     // what the record means, the configuration that wrote it knows
}

// note takes in why a request is undecided.
func (m *missed) note(why error) {
	if _, ok := errors.AsType[outage](why); ok {
		m.ambiguous = true
	}
	l, ok := errors.AsType[*lacking](why)
	if !ok {
		return
	}
	m.ambiguous = m.ambiguous || l.recorded
	m.unrecorded = m.unrecorded || !l.recorded
	for _, name := range l.inputs {
		if i, there := slices.BinarySearch(m.inputs, name); !there {
			m.inputs = slices.Insert(m.inputs, i, name)
		}
	}
}

// hints say what to do. Whether the configuration that wrote the log is known
// decides what helps.
func (m *missed) hints(current bool) (all []string) {
	if m.ambiguous && !current {
		all = append(all, "-c FILE, the configuration that wrote the log, tells which inputs the log records (what of them is not there, the request had not) and what an outage did")
	}
	if len(m.inputs) > 0 && (m.unrecorded || current) {
		all = append(all, "access_log: { inputs: ["+strings.Join(quotedInputs(m.inputs), ", ")+"] } in the configuration that writes the log has them recorded from now on")
	}
	return all
}

// quotedInputs are inputs as YAML has them between brackets.
func quotedInputs(names []string) (all []string) {
	for _, name := range names {
		all = append(all, `"`+name+`"`)
	}
	return all
}
