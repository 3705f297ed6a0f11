package gateway

import (
	"log/slog"
	"time"

	"weirkeep/gateway/admission"
	"weirkeep/gateway/origin"
	"weirkeep/gateway/route"
	"weirkeep/gateway/session"
)

// The exchange is what its decision sees of the present: the state of its
// snapshot, less the origins that have let its session down.
var _ route.View = (*Exchange)(nil)

// Bound implements route.View.
func (x *Exchange) Bound(d *session.Definition, id []byte, now time.Time) string {
	return x.snap.boundTo(d, id, now)
}

// Usable implements route.View.
func (x *Exchange) Usable(identity int) bool {
	for _, lost := range x.lost[:x.losses] {
		if lost == identity {
			return false
		}
	}
	return x.snap.origins[identity].access() <= admission.BoundOnly
}

// RuleFailed implements route.View.
func (x *Exchange) RuleFailed(rule int, err error) { x.snap.ruleFailed(rule, err) }

// ClusterState implements rules.Clusters.
func (x *Exchange) ClusterState(i int) (up, inflight, capacityLeft int) {
	return x.snap.clusters[i].state()
}

// boundTo is the name of the origin where a session is at home.
func (s *snapshot) boundTo(d *session.Definition, id []byte, now time.Time) string {
	origin, _ := s.sessions[d].bindings.Bound(id, now)
	return origin
}

// ruleFailed counts a rule that could not be evaluated, and tells of the first
// time.
func (s *snapshot) ruleFailed(rule int, err error) {
	a := s.actions[rule]
	a.metrics.Errors.Inc()
	if !a.told.Swap(true) {
		s.log.Warn("a rule could not be evaluated, and did not match", slog.String("rule", a.name), slog.Any("error", err))
	}
}

// state is how many of the cluster's origins are up, what they have in hand, and
// how much more they can take.
func (c *cluster) state() (up, inflight, capacityLeft int) {
	for _, m := range c.members {
		load := m.state.slots.Load()
		inflight += int(load)
		if m.state.origin.Health() == origin.Up && m.state.state() == serving {
			up++
			capacityLeft += int(max(0, m.state.slots.Capacity()-load))
		}
	}
	return up, inflight, capacityLeft
}
