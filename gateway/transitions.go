package gateway

import (
	"context"
	"log/slog"
	"time"

	"weirkeep/gateway/origin"
)

// changed is told that an origin went out or came back, by whatever found it.
func (r *registry) changed(s *originState, t origin.Transition) {
	s.changes.Add(1)
	if t.To == origin.Up {
		s.warmth.Begin(time.Now())
	}
	s.slots.Set(s.access)
	if s.origin.Health() != origin.Up {
		r.closeIdle(s.origin)
	}
	r.heard(s.origin) // what is believed is what those tell that are up
	say, left := s.origin.Announce(t)
	if !say {
		return
	}
	level, what := slog.LevelInfo, "origin up"
	if t.To != origin.Up {
		level, what = slog.LevelWarn, "origin "+t.To.String()
	}
	r.log.LogAttrs(context.Background(), level, what, append(transitionAttrs(s, t), leftOut(left)...)...)
}

func transitionAttrs(s *originState, t origin.Transition) []slog.Attr {
	attrs := []slog.Attr{
		slog.String("origin", *s.name.Load()), slog.String("address", s.origin.Address),
		slog.String("was", t.From.String()), slog.String("by", t.By.String()), slog.String("because", t.Why),
	}
	if t.Cluster != "" {
		attrs = append(attrs, slog.String("cluster", t.Cluster))
	}
	if t.Failures > 0 {
		attrs = append(attrs, slog.Int("failures", t.Failures))
	}
	return attrs
}

// leftOut says how many changes of a flapping origin were not logged.
func leftOut(n int) []slog.Attr {
	if n == 0 {
		return nil
	}
	return []slog.Attr{slog.Int("changes_not_logged", n)}
}

// closeIdle closes the connections that wait in the origin's pools.
func (r *registry) closeIdle(o *origin.Origin) {
	r.mu.Lock()
	var pools []*origin.Pool
	for _, p := range r.pools {
		if p.thing.Origin() == o {
			pools = append(pools, p.thing)
		}
	}
	r.mu.Unlock()
	for _, p := range pools {
		p.CloseIdle()
	}
}
