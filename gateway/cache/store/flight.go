package store

import (
	"slices"
	"time"

	"weirkeep/gateway/cache"
)

// Flight is one fetch of an answer that many may want. It has one leader at a time, who
// must end it: with Store, Update, Pass, Fail or Leave. All who join it must Wait.
//
// A purge that comes while it is under way counts for its answer too: that was asked
// for before.
type Flight struct {
	cache *Cache
	home  *resource
	like  *cache.Stored // fits the requests that may join; nil: none may

	// Under the shard's lock.
	joined  int     // who waits, or is going to
	line    []*turn // of those who wait, the oldest first
	vacant  bool    // its leader has left, and nobody leads it yet
	purges  []purge // that have come meanwhile
	ended   bool
	entry   *Entry
	outcome Outcome
	done    chan struct{} // closed at the end; nil: nobody has joined
}

// turn is one who waits.
type turn struct{ lead chan struct{} }

// Outcome is what became of a wait.
type Outcome uint8

// The outcomes.
const (
	// Answered means that there is an entry, which may still be filled. It is for the
	// waiter to see whether it fits its request.
	Answered Outcome = iota

	// Passed means that the answer is for one client alone, or too long to be kept.
	Passed

	// Failed means that there is no answer. All waiters hear of it at once: an origin
	// that does not answer is not worth waiting for once more each, one after the other.
	Failed

	// Leads means that the leader has left without having asked: the waiter is the leader
	// now, and must end the flight.
	Leads

	// TooLate means that the wait has lasted its limit.
	TooLate

	// Gone means that the waiter's client has gone.
	Gone
)

func (o Outcome) String() string { return outcomes[o] }

var outcomes = [...]string{
	Answered: "answered",
	Passed:   "passed",
	Failed:   "failed",
	Leads:    "leads",
	TooLate:  "too late",
	Gone:     "gone",
}

// Fetch joins the flight for what the request misses, or begins it: then the caller
// leads. Requests that differ in a field by which a known entry of the key was chosen do
// not share a flight; nor does anybody while the key is marked by [Flight.Pass], or with a
// flight that a purge may concern.
func (c *Cache) Fetch(k *Key, r *cache.Request, p *cache.Policy) (f *Flight, leads bool) {
	return c.fetch(k, r, p, true)
}

// Lead is Fetch for who has no use for waiting: it returns nil if a flight is under way.
func (c *Cache) Lead(k *Key, r *cache.Request, p *cache.Policy) *Flight {
	f, _ := c.fetch(k, r, p, false)
	return f
}

// Alone begins a flight that nobody joins, for who has waited for another one in vain.
func (c *Cache) Alone(k *Key) *Flight {
	target, sum := c.sums(k)
	s := c.shard(target)
	s.mu.Lock()
	defer s.mu.Unlock()
	return c.begin(s, s.open(target, sum, k), nil)
}

func (c *Cache) fetch(k *Key, r *cache.Request, p *cache.Policy, join bool) (f *Flight, leads bool) {
	target, sum := c.sums(k)
	s := c.shard(target)
	s.mu.Lock()
	defer s.mu.Unlock()
	res := s.open(target, sum, k)
	f = res.flightFor(r, p)
	switch marked := res.mark != nil && !res.said.Failed && c.now().Before(res.said.Until); {
	case marked && !join && len(res.flights) > 0:
		return nil, false
	case marked:
		return c.begin(s, res, nil), true
	case f == nil:
		like := &cache.Stored{Vary: p.VaryBy(res.variedBy(), r)}
		return c.begin(s, res, like), true
	case !join:
		return nil, false
	}
	f.join()
	return f, false
}

// join counts one who will wait. Flights that nobody joins have nothing to close.
func (f *Flight) join() {
	if f.done == nil {
		f.done = make(chan struct{})
	}
	f.joined++
}

func (c *Cache) begin(s *shard, res *resource, like *cache.Stored) *Flight {
	f := &Flight{cache: c, home: res, like: like}
	res.flights = append(res.flights, f)
	s.flying[f] = struct{}{}
	c.flights.Add(1)
	return f
}

// flightFor is the flight that a request may join.
func (r *resource) flightFor(req *cache.Request, p *cache.Policy) *Flight {
	for _, f := range r.flights {
		if f.like != nil && len(f.purges) == 0 && f.like.Fits(req, p) {
			return f
		}
	}
	return nil
}

// variedBy is the names of all fields that entries of the resource were chosen by.
func (r *resource) variedBy() []string {
	var names []string
	for _, e := range r.entries {
		names = append(names, e.stored.Vary.Names...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (f *Flight) shard() *shard { return f.cache.shard(f.home.target) }

// Waited reports whether somebody else waits for the flight.
func (f *Flight) Waited() bool {
	s := f.shard()
	s.mu.RLock()
	defer s.mu.RUnlock()
	return f.joined > 0
}

// Pass ends the flight with an answer that is not for all. Who waits goes on at once,
// and for so long, or up to a half less, whoever comes waits for nobody, and may know why.
// 0: no longer than now.
func (f *Flight) Pass(d time.Duration, why uint8) {
	if now := f.cache.now(); d > 0 && !f.marked(now, d, why) {
		f.cache.mark(f.home, Mark{Until: now.Add(d), Why: why})
	}
	f.end(nil, Passed)
}

// marked reports whether the key has a mark that says the same, and for at least half as
// long: what is never kept is not marked anew each time.
func (f *Flight) marked(now time.Time, d time.Duration, why uint8) bool {
	s := f.shard()
	s.mu.RLock()
	defer s.mu.RUnlock()
	r := f.home
	left := r.said.Until.Sub(now)
	return r.mark != nil && !r.said.Failed && r.said.Why == why && d/2 <= left && left <= d
}

// Fail ends the flight without an answer. Who waits hears of it at once.
func (f *Flight) Fail() { f.end(nil, Failed) }

// FailFor is Fail, and for so long whoever comes may know why.
func (f *Flight) FailFor(d time.Duration, why uint8) {
	f.cache.mark(f.home, Mark{Until: f.cache.now().Add(d), Failed: true, Why: why})
	f.Fail()
}

func (f *Flight) end(e *Entry, o Outcome) {
	s := f.shard()
	s.mu.Lock()
	defer s.mu.Unlock()
	f.endLocked(s, e, o)
}

func (f *Flight) endLocked(s *shard, e *Entry, o Outcome) {
	if f.ended {
		return
	}
	f.ended, f.entry, f.outcome = true, e, o
	if f.done != nil {
		close(f.done)
	}
	i := slices.Index(f.home.flights, f)
	f.home.flights = slices.Delete(f.home.flights, i, i+1)
	delete(s.flying, f)
	f.cache.flights.Add(-1)
	s.closeIdle(f.home)
}

// Leave hands the flight to who has waited longest, for a leader that goes before it has
// asked, or whose asking was cut short by itself. If nobody waits it ends.
func (f *Flight) Leave() {
	s := f.shard()
	s.mu.Lock()
	defer s.mu.Unlock()
	f.leaveLocked(s)
}

func (f *Flight) leaveLocked(s *shard) {
	switch {
	case f.ended:
	case len(f.line) > 0:
		close(f.line[0].lead)
		f.line = slices.Delete(f.line, 0, 1)
		f.joined--
	case f.joined > 0:
		f.vacant = true // who has joined takes over when it comes to wait
	default:
		f.endLocked(s, nil, Failed)
	}
}
