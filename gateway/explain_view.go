package gateway

import (
	"cmp"
	"fmt"
	"time"

	"weirkeep/gateway/admission"
	"weirkeep/gateway/origin"
	"weirkeep/gateway/session"
)

// assumed is what a question assumes of the present: the snapshot's, with some
// origins in other states and some sessions bound elsewhere.
type assumed struct {
	snap   *snapshot
	states []admission.State // of origins, by identity
	words  []string          // what each is, in words
	health []origin.Health   // of each
	admin  []adminState      // of each
	bound  map[string]string // BindName of the origin by session id
}

// assume makes the view of a question.
func assume(snap *snapshot, q Question) (*assumed, error) {
	v := &assumed{snap: snap, bound: make(map[string]string, len(q.Bound))}
	for id, name := range q.Bound {
		v.bound[id] = snap.bindName(name)
	}
	for _, o := range snap.origins {
		v.states = append(v.states, o.slots.State())
		v.words = append(v.words, o.words())
		v.health, v.admin = append(v.health, o.origin.Health()), append(v.admin, o.state())
	}
	for _, cl := range snap.clusters {
		for _, m := range cl.members {
			if m.stateBy != "" {
				v.words[m.identity] = m.state.words() + " by " + m.stateBy
			}
		}
	}
	for _, name := range q.Down {
		if err := v.set(name, "down"); err != nil {
			return nil, err
		}
	}
	for _, name := range sortedKeys(q.States) {
		if err := v.set(name, q.States[name]); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// words are the admin state of the origin and its health.
func (s *originState) words() string {
	return s.origin.Health().String() + ", " + s.state().String()
}

// set assumes a state of an origin, or of all of a cluster.
func (v *assumed) set(name, state string) error {
	found := false
	for _, cl := range v.snap.clusters {
		for _, m := range cl.members {
			if m.answersTo(name) {
				found = true
				if err := v.assume(m.identity, state); err != nil {
					return err
				}
			}
		}
	}
	if !found {
		return fmt.Errorf("there is no origin or cluster %q: write an origin's name, cluster/origin, cell/cluster/origin, a cluster, or an address", name)
	}
	return nil
}

// answersTo reports whether a name, in any of the forms people use, is that of
// the origin or of its cluster.
func (m *member) answersTo(name string) bool {
	cell, cluster := m.cluster.cell, m.cluster.short
	return name == cluster || name == cell+"/"+cluster || m.isCalled(name)
}

// isCalled reports whether a name, in any of the forms people use, is the origin's.
func (m *member) isCalled(name string) bool {
	switch name {
	case m.name, m.state.origin.Address, m.cluster.short + "/" + m.name, m.path():
		return true
	}
	return false
}

// bindName is the name by which sessions are bound to the origin that people call
// so. A name of none, or of several, stays as it is: nobody is bound by it.
func (s *snapshot) bindName(name string) string {
	bound := ""
	for _, cl := range s.clusters {
		for _, m := range cl.members {
			switch {
			case m.bound == name:
				return name
			case !m.isCalled(name) || m.bound == bound:
			case bound != "":
				return name
			default:
				bound = m.bound
			}
		}
	}
	return cmp.Or(bound, name)
}

// assume sets what an origin is taken for.
func (v *assumed) assume(identity int, state string) error {
	s := &v.states[identity]
	v.take(identity, state)
	switch state {
	case "up", "serving":
		s.Access, v.words[identity] = admission.Open, "up, serving"
	case "down":
		s.Access, v.words[identity] = admission.Unwell, "down"
	case "draining":
		s.Access, v.words[identity] = admission.BoundOnly, "up, draining"
	case "maintenance":
		s.Access, v.words[identity] = admission.Testers, "up, maintenance"
	case "disabled":
		s.Access, v.words[identity] = admission.Shut, "up, disabled"
	case "full":
		s.Load = s.Capacity
	default:
		return fmt.Errorf("an origin can be up, down, serving, draining, maintenance, disabled or full, not %q", state)
	}
	return nil
}

// take notes the health and the admin state that an assumption is.
func (v *assumed) take(identity int, state string) {
	switch state {
	case "full":
	case "down":
		v.health[identity] = origin.Down
	default:
		v.health[identity], v.admin[identity] = origin.Up, adminStateOf(state)
	}
}

// Bound implements route.View. Nothing is counted as use of the session.
func (v *assumed) Bound(d *session.Definition, id []byte, now time.Time) string {
	if name, ok := v.bound[string(id)]; ok {
		return name
	}
	name, _ := v.snap.sessions[d].bindings.Peek(id, now)
	return name
}

// Usable implements route.View.
func (v *assumed) Usable(identity int) bool {
	return v.states[identity].Access <= admission.BoundOnly
}

// RuleFailed implements route.View: the trace has it.
func (v *assumed) RuleFailed(int, error) {}

// ClusterState implements rules.Clusters.
func (v *assumed) ClusterState(i int) (up, inflight, capacityLeft int) {
	for _, m := range v.snap.clusters[i].members {
		s := v.states[m.identity]
		inflight += int(s.Load)
		if s.Access == admission.Open {
			up++
			capacityLeft += int(max(0, s.Capacity-s.Load))
		}
	}
	return up, inflight, capacityLeft
}
