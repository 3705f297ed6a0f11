package rollout

import (
	"time"

	"weirkeep/gateway/unit"
)

// Step moves the roll-out on and says what the origins should be from now on.
func (r *Rollout) Step(now time.Time, v View) Overlay {
	if r.Running() && !r.advance(now, v) {
		r.next(now, v)
	}
	return r.Overlay()
}

// advance moves each origin that can one stage on, and reports whether one did.
func (r *Rollout) advance(now time.Time, v View) (moved bool) {
	for i := range r.s.Members {
		m := &r.s.Members[i]
		if to := r.stage(m, now, v); to != m.Stage {
			r.enter(m, to, now)
			moved = true
		}
	}
	return moved
}

// stage is where an origin stands now. What waits for the rest of its half must
// stay ready.
func (r *Rollout) stage(m *Member, now time.Time, v View) Stage {
	switch {
	case m.Stage == Draining && r.drained(m, now, v):
		return Waiting
	case m.Stage != Waiting && m.Stage != Ready:
		return m.Stage
	case !r.renewed(m, v):
		return Waiting
	case r.s.Strategy == Atomic && !r.s.Switched:
		return Ready
	}
	return Done
}

// drained reports whether an origin need not be waited for any more. A request in
// flight may begin a session when it ends, so requests are looked at first.
func (r *Rollout) drained(m *Member, now time.Time, v View) bool {
	if now.Sub(m.Since) >= time.Duration(r.s.Drain) {
		return true
	}
	return v.InFlight(m.Name) == 0 && v.Sessions(m.Name) == 0
}

// renewed reports whether an origin runs the new edition and answers. A
// confirmation says what health answers do not; it does not outdo one that tells
// the old label.
func (r *Rollout) renewed(m *Member, v View) bool {
	label, known := v.Edition(m.Name)
	switch {
	case !v.Up(m.Name), known && label == r.s.From:
		return false
	}
	return m.Confirmed || known && label == r.s.To
}

// enter brings an origin to a stage.
func (r *Rollout) enter(m *Member, to Stage, now time.Time) {
	m.Stage, m.Since = to, now
	switch to {
	case Done:
		m.Label = r.s.To
	case Pending, Draining:
		m.Confirmed = false
	}
}

// next begins the next batch if the last one is through, or ends the roll-out.
func (r *Rollout) next(now time.Time, v View) {
	if r.in(Draining, Waiting) > 0 {
		return
	}
	batch := r.batch()
	switch {
	case len(batch) > 0:
		r.begin(batch, now, v)
	case r.s.Strategy == Atomic && !r.s.Switched:
		r.swap(now, v)
	case r.in(Pending) == 0:
		r.through(now)
		r.s.Phase, r.s.Ended = Finished, now
	}
}

// begin drains the origins of a batch, unless nobody else would serve.
func (r *Rollout) begin(batch []*Member, now time.Time, v View) {
	r.through(now)
	if r.last(batch, v) {
		return
	}
	for _, m := range batch {
		r.enter(m, Draining, now)
	}
	r.s.Batch = now
}

// swap opens the first half with the new edition and drains the second. That it has
// become ready is known; that one of those is up that were new from the begin, not.
func (r *Rollout) swap(now time.Time, v View) {
	if r.count(func(m *Member) bool { return m.First && v.Up(m.Name) }) == 0 {
		return
	}
	r.s.Switched = true
	r.through(now)
	for i := range r.s.Members {
		switch m := &r.s.Members[i]; {
		case m.Stage == Ready:
			r.enter(m, Done, now)
		case m.Stage == Pending:
			r.enter(m, Draining, now)
		}
	}
	r.s.Batch = now
}

// through notes that a batch has ended, if one has, and what it took.
func (r *Rollout) through(now time.Time) {
	if !r.s.Batch.IsZero() {
		r.s.Batches++
		r.s.Took += unit.Duration(max(0, now.Sub(r.s.Batch)))
		r.s.Batch = time.Time{}
	}
}

// batch are the origins that change next.
func (r *Rollout) batch() (batch []*Member) {
	if r.s.Strategy == Atomic {
		return r.half()
	}
	room := make(map[string]int)
	for _, cluster := range r.clusters() {
		room[cluster] = max(1, r.count(func(m *Member) bool { return m.Cluster == cluster })-1)
	}
	for i := range r.s.Members {
		m := &r.s.Members[i]
		if m.Stage == Pending && len(batch) < r.groupSize() && room[m.Cluster] > 0 {
			room[m.Cluster]--
			batch = append(batch, m)
		}
	}
	return batch
}

// groupSize is how many change at a time: never all.
func (r *Rollout) groupSize() int { return min(max(1, r.s.GroupSize), len(r.s.Members)-1) }

// half are those of the half whose turn it is that have not begun.
func (r *Rollout) half() (batch []*Member) {
	for i := range r.s.Members {
		if m := &r.s.Members[i]; m.Stage == Pending && m.First == !r.s.Switched {
			batch = append(batch, m)
		}
	}
	return batch
}

// last reports whether the batch has the last origins that serve. To close what is
// down anyway costs nothing.
func (r *Rollout) last(batch []*Member, v View) bool {
	in := make(map[*Member]bool)
	loses := false
	for _, m := range batch {
		in[m] = true
		loses = loses || v.Up(m.Name) && r.serves(m)
	}
	others := r.count(func(m *Member) bool { return !in[m] && v.Up(m.Name) && r.serves(m) })
	return loses && others == 0
}
