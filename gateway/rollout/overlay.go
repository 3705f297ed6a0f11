package rollout

import "slices"

// State is what an origin should be. The words are those of the operator's states;
// where both say something, the more closed of the two holds.
type State string

// The states, the most open first.
const (
	Serving  State = "serving"  // open
	Drains   State = "draining" // open to what is bound to it
	Disabled State = "disabled" // closed: it is being renewed
)

// Overlay is what should be true of an application's origins, whatever the
// configuration says. What it says of one moment must take hold together.
type Overlay struct {
	// Active are the labels of the editions that serve requests which no rule sends to
	// an edition; the old one first.
	Active []string

	// Origins has every origin of the roll-out, by its name.
	Origins map[string]Wanted
}

// Wanted is what should be true of one origin.
type Wanted struct {
	State State
	Label string // of the edition that it is taken to run
}

// Overlay is what the last step said.
func (r *Rollout) Overlay() Overlay {
	o := Overlay{Active: r.active(), Origins: make(map[string]Wanted, len(r.s.Members))}
	for i := range r.s.Members {
		m := &r.s.Members[i]
		o.Origins[m.Name] = Wanted{r.state(m), m.Label}
	}
	return o
}

// state is what an origin should be. The old half takes nothing new after the
// switch, whoever has joined it since.
func (r *Rollout) state(m *Member) State {
	switch {
	case m.Stage == Draining:
		return Drains
	case m.Stage == Waiting, m.Stage == Ready:
		return Disabled
	case m.Stage == Pending && r.Running() && r.s.Switched:
		return Drains
	}
	return Serving
}

// serves reports whether an origin takes who is new.
func (r *Rollout) serves(m *Member) bool {
	return r.state(m) == Serving && slices.Contains(r.active(), m.Label)
}

// active are the editions that serve: if atomic it is one, before and after the
// switch, whatever else is open.
func (r *Rollout) active() (labels []string) {
	switch {
	case r.s.Phase == Finished, r.s.Switched:
		return []string{r.s.To}
	case r.s.Strategy == Atomic:
		return []string{r.s.From}
	}
	for _, label := range [...]string{r.s.From, r.s.To} {
		if r.count(func(m *Member) bool { return m.Label == label }) > 0 {
			labels = append(labels, label)
		}
	}
	return labels
}
