package rules

import (
	"errors"
	"fmt"
)

// Matchers answers plugin(): it asks the matcher Options.Matchers[i] about the
// request, for a rule. What is asked depends on nothing else.
type Matchers interface {
	Ask(i int, rule string, arguments []string) Answer
}

// Answer is what a matcher says.
type Answer uint8

// The answers.
const (
	No      Answer = iota
	Yes            // plugin() is true
	Unknown        // the rule does not match, whatever else it says
	Failed         // the rule does what its on_error says, whatever else it says
)

// maxArguments is how many arguments a matcher may be given.
const maxArguments = 8

// What ends an evaluation before its time.
var (
	errUnknown = errors.New("a matcher does not know")
	errFailed  = errors.New("a matcher has failed")
)

// Asks are the matchers that the expression asks, by their names, in order.
func (p *Program) Asks() []string { return p.reads.Matchers }

// FailsAs says what the expression is when a matcher that it asks fails. It is
// called before the program is used.
func (p *Program) FailsAs(match bool) { p.failsAs = match }

// concluded is the outcome of an evaluation that a matcher has ended; false: none has.
func (p *Program) concluded(err error) (matched, ok bool) {
	switch {
	case errors.Is(err, errUnknown):
		return false, true
	case errors.Is(err, errFailed):
		return p.failsAs, true
	}
	return false, false
}

// ask asks a matcher. It ends the evaluation where the matcher has no answer.
func (f *frame) ask(i int, arguments []string) bool {
	answer := Failed
	if m := f.request.Matchers; m != nil {
		answer = m.Ask(i, f.program.name, arguments)
	}
	switch answer {
	case Unknown:
		panic(errUnknown) // the machine returns it
	case Failed:
		panic(errFailed)
	}
	return answer == Yes
}

// askNamed is plugin().
func (f *frame) askNamed(name string, arguments ...string) bool {
	return f.ask(f.language.matchers[name], arguments)
}

func checkMatcher(l *Language, s string) error {
	if _, ok := l.matchers[s]; !ok {
		return &unknown{"matcher", s, l.options.Matchers, "the plugins of kind matcher"}
	}
	return nil
}

// checkArguments counts what a matcher is given.
func checkArguments(n int) error {
	if n > maxArguments {
		return fmt.Errorf("a matcher takes at most %d arguments, not %d", maxArguments, n)
	}
	return nil
}
