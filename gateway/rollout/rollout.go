// Package rollout brings a new edition of an application to its origins, some at
// a time, without cutting a session off.
//
// The origins change in batches. Each origin of a batch is drained: it takes no
// new sessions, and those that are bound to it go on until none is left and
// nothing is in flight, or for as long as [Options.Drain] says. Then it is closed,
// and somebody renews it: not this package. When it is ready, that is when a
// health answer tells the new label or somebody confirms it, it gets the new label
// and is opened. Grouped, both editions serve meanwhile; atomic, the second half of
// the origins serves the old one until the first half is ready, and from that
// moment on whoever is new gets the new one.
//
// [Rollout.Step] is called with the time and a [View] of the origins, again and
// again, and says what they should be: an [Overlay] over what the configuration
// says of them. It moves an origin one stage at most, so that what it said last has
// taken hold before the next stage is judged. A batch is not begun when nobody
// else would serve; one that has begun goes on or is cancelled, nothing is taken
// back by itself.
//
// The package has no clock, no goroutine and no file. All that a roll-out is, is
// its [Saved], which outlives the process. Rollouts are not safe for concurrent
// use.
package rollout

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"weirkeep/gateway/unit"
)

// Strategy says which origins change together.
type Strategy string

// The strategies.
const (
	Grouped Strategy = "grouped" // so many at a time; both editions serve meanwhile
	Atomic  Strategy = "atomic"  // one half, then the other; never do both editions serve
)

// Options say what is rolled out, and how.
type Options struct {
	// Application is whose edition changes.
	Application string `json:"application"`

	// From and To are the labels of the edition that serves and of the one that
	// comes. To roll back is to roll out the other way round.
	From string `json:"from"`
	To   string `json:"to"`

	// Strategy is [Grouped] if it is empty.
	Strategy Strategy `json:"strategy"`

	// GroupSize is how many origins change at a time if grouped. Zero means one;
	// as many as there are, or more, means all but one.
	GroupSize int `json:"group_size,omitempty"`

	// Drain is the longest wait for the sessions of an origin.
	// Zero means that none is waited for.
	Drain unit.Duration `json:"drain"`
}

// Validate reports every field that is out of range.
func (o Options) Validate() error {
	var errs []error
	if o.Application == "" {
		errs = append(errs, errors.New("application: say which one"))
	}
	if o.From == "" || o.To == "" || o.From == o.To {
		errs = append(errs, fmt.Errorf("the editions are %q and %q, must be two", o.From, o.To))
	}
	if o.Strategy != "" && o.Strategy != Grouped && o.Strategy != Atomic {
		errs = append(errs, fmt.Errorf("strategy: %q is neither grouped nor atomic", o.Strategy))
	}
	if o.GroupSize < 0 {
		errs = append(errs, fmt.Errorf("group_size: %d is negative", o.GroupSize))
	}
	if o.Drain < 0 {
		errs = append(errs, fmt.Errorf("drain: %v is negative", time.Duration(o.Drain)))
	}
	return errors.Join(errs...)
}

// Origin is one of those that run the application's old or new edition.
type Origin struct {
	Name    string `json:"name"`              // as the view knows it
	Cluster string `json:"cluster,omitempty"` // that it is of, so that no cluster changes as a whole
	Label   string `json:"label"`             // of the edition that it runs
}

// View is what the caller knows of the origins at the moment of a step.
type View interface {
	// Sessions is how many sessions are bound to the origin. Negative means that
	// nobody can tell, and then they are waited for as long as allowed: where the
	// bindings are kept by the clients, or after a restart that has lost them.
	Sessions(origin string) int

	// InFlight is how many requests and upgraded connections it has.
	InFlight(origin string) int

	// Edition is the label that its last good health answer told, if any did.
	Edition(origin string) (label string, known bool)

	// Up reports whether it answers its health checks.
	Up(origin string) bool
}

// Rollout is one roll-out. What it says of its origins holds when it is over, too:
// it is kept until the configuration itself says what is true, or another one of
// the same application begins.
type Rollout struct{ s Saved }

// New makes the roll-out of an application to its origins, in the order in which
// they are to change. Those that have the new label already need not. It begins
// with the first step.
func New(o Options, origins []Origin, now time.Time) (*Rollout, error) {
	if o.Strategy == "" {
		o.Strategy = Grouped
	}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if err := o.check(origins); err != nil {
		return nil, err
	}
	r := &Rollout{Saved{Schema: schema, Options: o, Phase: Running, Began: now}}
	for _, origin := range origins {
		r.s.Members = append(r.s.Members, r.member(origin, now))
	}
	r.halve()
	return r, nil
}

// check looks for what cannot be rolled out.
func (o Options) check(origins []Origin) error {
	old, seen := 0, make(map[string]bool)
	for _, origin := range origins {
		switch {
		case seen[origin.Name]:
			return fmt.Errorf("origin %s is named twice", origin.Name)
		case origin.Label == o.From:
			old++
		case origin.Label != o.To:
			return fmt.Errorf("origin %s runs %q, which is neither %q nor %q", origin.Name, origin.Label, o.From, o.To)
		}
		seen[origin.Name] = true
	}
	switch {
	case old == 0:
		return fmt.Errorf("no origin runs %s %s, so there is nothing to change", o.Application, o.From)
	case len(origins) == 1:
		return fmt.Errorf("%s has one origin, and nobody would serve while that is renewed: add another one first", o.Application)
	}
	return nil
}

func (r *Rollout) member(o Origin, now time.Time) Member {
	m := Member{Origin: o, Stage: Pending, Since: now}
	if o.Label == r.s.To {
		m.Stage = Done
	}
	return m
}

// halve says which origins are of the first half. Those that are new already, or on
// their way, are; then the first of each cluster until half of it is, and no more
// than half of all. Of an odd number it is the larger part, in every other odd
// cluster the smaller.
func (r *Rollout) halve() {
	for i := range r.s.Members {
		m := &r.s.Members[i]
		m.First = m.First || m.Stage != Pending
	}
	larger, left := 1, (len(r.s.Members)+1)/2-r.count(inFirst)
	for _, cluster := range r.clusters() {
		size := r.count(func(m *Member) bool { return m.Cluster == cluster })
		first := r.count(func(m *Member) bool { return m.Cluster == cluster && m.First })
		left -= r.fill(cluster, min(left, (size+larger)/2-first))
		larger = (larger + size) % 2
	}
}

func inFirst(m *Member) bool { return m.First }

// fill takes n more of a cluster into the first half, if it has them, and returns
// how many it took.
func (r *Rollout) fill(cluster string, n int) (took int) {
	for i := range r.s.Members {
		if m := &r.s.Members[i]; took < n && m.Cluster == cluster && !m.First {
			m.First = true
			took++
		}
	}
	return took
}

// clusters are the names of the members' clusters, in order.
func (r *Rollout) clusters() (names []string) {
	for _, m := range r.s.Members {
		if !slices.Contains(names, m.Cluster) {
			names = append(names, m.Cluster)
		}
	}
	return names
}

// Running reports whether the roll-out is neither finished nor cancelled.
func (r *Rollout) Running() bool { return r.s.Phase == Running }

// Options are what the roll-out was made with.
func (r *Rollout) Options() Options { return r.s.Options }

// count is how many members are so.
func (r *Rollout) count(is func(*Member) bool) (n int) {
	for i := range r.s.Members {
		if is(&r.s.Members[i]) {
			n++
		}
	}
	return n
}

// in is how many members are at one of the stages.
func (r *Rollout) in(stages ...Stage) int {
	return r.count(func(m *Member) bool { return slices.Contains(stages, m.Stage) })
}
