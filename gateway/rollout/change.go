package rollout

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Confirm says that origins run the new edition, for those whose health answers
// do not tell. No names means all that are waited for. The next step opens those
// that are up. If one of them cannot be confirmed, none is.
func (r *Rollout) Confirm(v View, origins ...string) error {
	if !r.Running() {
		return r.over()
	}
	if len(origins) == 0 {
		origins = r.names(func(m *Member) bool { return m.Stage == Waiting })
	}
	if len(origins) == 0 {
		return fmt.Errorf("no origin of %s waits for a confirmation", r.s.Application)
	}
	for _, name := range origins {
		if err := r.confirmable(name, v); err != nil {
			return err
		}
	}
	for _, name := range origins {
		r.find(name).Confirmed = true
	}
	return nil
}

// find is the member of that name, nil if there is none.
func (r *Rollout) find(name string) *Member {
	for i := range r.s.Members {
		if r.s.Members[i].Name == name {
			return &r.s.Members[i]
		}
	}
	return nil
}

func (r *Rollout) confirmable(name string, v View) error {
	m := r.find(name)
	if m == nil {
		return fmt.Errorf("the roll-out of %s has no origin %q: it has %s", r.s.Application, name, strings.Join(r.names(nil), ", "))
	}
	label, known := v.Edition(name)
	switch {
	case m.Stage == Done:
		return fmt.Errorf("origin %s is done already", m.Name)
	case m.Stage != Waiting && m.Stage != Ready:
		return fmt.Errorf("origin %s is %s: renew it when it is %s, then confirm it", m.Name, m.Stage, Waiting)
	case known && label == r.s.From:
		return fmt.Errorf("origin %s still says that it runs %q: renew it first", m.Name, label)
	}
	return nil
}

func (r *Rollout) over() error {
	return fmt.Errorf("the roll-out of %s from %s to %s is %s", r.s.Application, r.s.From, r.s.To, r.s.Phase)
}

// Left is what a cancelled roll-out leaves behind.
type Left struct {
	Old    []string `json:"old"`    // origins that run the old edition
	New    []string `json:"new"`    // that run the new one
	Unsure []string `json:"unsure"` // of Old, that were being renewed and do not say what they run
}

// Cancel ends the roll-out where it is. What was drained or closed is opened again;
// what has the new label, or is known to run that edition, keeps it. Cancelled
// before the switch an atomic roll-out leaves the old edition active, after it the new one.
func (r *Rollout) Cancel(now time.Time, v View) (Left, error) {
	if !r.Running() {
		return Left{}, r.over()
	}
	for i := range r.s.Members {
		r.release(&r.s.Members[i], now, v)
	}
	r.s.Phase, r.s.Ended, r.s.Batch = Cancelled, now, time.Time{}
	return r.left(), nil
}

// release opens an origin that is on its way, with the edition that it runs.
func (r *Rollout) release(m *Member, now time.Time, v View) {
	label, known := v.Edition(m.Name)
	switch {
	case m.Stage == Draining:
		r.enter(m, Pending, now)
	case m.Stage != Waiting && m.Stage != Ready:
	case known && label == r.s.To, m.Confirmed && !(known && label == r.s.From):
		r.enter(m, Done, now)
	default:
		m.Unsure = !known || label != r.s.From
		r.enter(m, Pending, now)
	}
}

func (r *Rollout) left() Left {
	return Left{
		Old:    r.names(func(m *Member) bool { return m.Label == r.s.From }),
		New:    r.names(func(m *Member) bool { return m.Label == r.s.To }),
		Unsure: r.names(func(m *Member) bool { return m.Unsure }),
	}
}

// names are those of the members that are so; nil: of all.
func (r *Rollout) names(are func(*Member) bool) []string {
	names := []string{}
	for i := range r.s.Members {
		if m := &r.s.Members[i]; are == nil || are(m) {
			names = append(names, m.Name)
		}
	}
	return names
}

// Settle brings the roll-out up to date with the origins of a new configuration.
// Those that are gone are forgotten. Those that are new and have the old label
// change with the rest, whatever has a third label is no part of it; what the
// configuration says of the label of the others does not count. If nobody else
// would be left to serve, what is being drained is opened again.
func (r *Rollout) Settle(origins []Origin, now time.Time) {
	if !r.Running() {
		return
	}
	r.s.Members = slices.DeleteFunc(r.s.Members, func(m Member) bool {
		return !slices.ContainsFunc(origins, func(o Origin) bool { return o.Name == m.Name })
	})
	for _, o := range origins {
		ours := o.Label == r.s.From || o.Label == r.s.To
		if ours && r.find(o.Name) == nil {
			r.s.Members = append(r.s.Members, r.member(o, now))
		}
	}
	r.mend(now)
}

// mend puts right what a new configuration has put out of joint.
func (r *Rollout) mend(now time.Time) {
	if !r.s.Switched && r.count(r.serves) == 0 {
		for i := range r.s.Members {
			if m := &r.s.Members[i]; m.Stage == Draining {
				m.First = false
				r.enter(m, Pending, now)
			}
		}
	}
	if !r.s.Switched && r.count(inFirst) == 0 {
		r.halve()
	}
	if r.in(Draining, Waiting, Ready) == 0 {
		r.s.Batch = time.Time{}
	}
}
