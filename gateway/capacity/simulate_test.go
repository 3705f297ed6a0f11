package capacity

import (
	"container/heap"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// A world is a gateway before one origin, with a time of its own.
type world struct {
	rand    *rand.Rand
	learner *Learner
	limit   int

	origin  model
	service service // how long the origin takes when it is at ease
	clients int     // that ask again when they are answered; 0: see rate
	rate    float64 // of requests that come a second, whoever is answered
	line    int     // how many of those may wait

	now      time.Duration
	events   events
	load     int // in the origin
	waiting  int // in the gateway
	refused  int // as the line was full
	answered int // well
	windows  int // that the learner has learned from
}

// A model is how an origin takes what it gets.
type model interface {
	// take is when the answer to a request begins that comes now, and whether it says
	// that there is too much to do.
	take(w *world, service time.Duration) (done time.Duration, over bool)
}

// shared is an origin that works at all it has at the same time: up to n it takes as
// long as it takes, with more each takes as much longer.
type shared struct{ n int }

func (s *shared) take(w *world, service time.Duration) (time.Duration, bool) {
	return w.now + time.Duration(float64(service)*max(1, float64(w.load)/float64(s.n))), false
}

// workers is an origin that works at n, and lets others wait in turn.
type workers struct {
	n    int
	free []time.Duration
}

func (s *workers) take(w *world, service time.Duration) (time.Duration, bool) {
	if s.free == nil {
		s.free = make([]time.Duration, s.n)
	}
	first := 0
	for i := range s.free {
		if s.free[i] < s.free[first] {
			first = i
		}
	}
	s.free[first] = max(s.free[first], w.now) + service
	return s.free[first], false
}

// shedder is an origin that works at n, and refuses what is more at once.
type shedder struct{ n int }

func (s *shedder) take(w *world, service time.Duration) (time.Duration, bool) {
	if w.load > s.n {
		return w.now + time.Millisecond, true
	}
	return w.now + service, false
}

type event struct {
	at, began time.Duration
	arrival   bool
	over      bool
}

type events []event

func (e events) Len() int           { return len(e) }
func (e events) Less(i, j int) bool { return e[i].at < e[j].at }
func (e events) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)        { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := len(*e) - 1
	x := (*e)[last]
	*e = (*e)[:last]
	return x
}

// begin lets the clients of a world in.
func (w *world) begin(seed uint64, b Bounds) *world {
	w.rand = rand.New(rand.NewPCG(seed, 7))
	w.learner = New(Options{Bounds: b, Start: Start, Set: func(limit int) { w.limit = limit }})
	w.arriveLater()
	w.waiting = w.clients
	w.admit()
	return w
}

func (w *world) arriveLater() {
	if w.rate > 0 {
		heap.Push(&w.events, event{at: w.now + time.Duration(w.rand.ExpFloat64()/w.rate*1e9), arrival: true})
	}
}

func (w *world) admit() {
	for w.waiting > 0 && w.load < w.limit {
		w.waiting--
		w.load++
		done, over := w.origin.take(w, w.service(w.rand))
		heap.Push(&w.events, event{at: done, began: w.now, over: over})
	}
}

// step lets the next thing happen.
func (w *world) step() {
	e := heap.Pop(&w.events).(event)
	w.now = e.at
	if e.arrival {
		w.arrive()
	} else {
		w.answer(e)
	}
	w.admit()
}

func (w *world) arrive() {
	w.arriveLater()
	if w.waiting >= w.line && w.load >= w.limit {
		w.refused++
		return
	}
	w.waiting++
}

func (w *world) answer(e event) {
	before := w.learner.guess
	if e.over {
		w.learner.Overloaded(int64(w.load))
	} else {
		w.learner.Answered(e.at-e.began, int64(w.load))
		w.answered++
	}
	if w.learner.guess != before {
		w.windows++
	}
	w.load--
	if w.clients > 0 {
		w.waiting++
	}
}

// seen is what happened in a part of a world's time.
type seen struct {
	low, high int     // limit
	mean      float64 // limit, over time
	answers   float64 // a second
	refused   int
}

// run lets so many windows pass.
func (w *world) run(windows int) seen {
	s := seen{low: math.MaxInt}
	began, answered, refused, end := w.now, w.answered, w.refused, w.windows+windows
	for w.windows < end {
		limit, before := w.limit, w.now
		w.step()
		s.mean += float64(limit) * float64(w.now-before)
		s.low, s.high = min(s.low, w.limit), max(s.high, w.limit)
	}
	took := float64(w.now - began)
	s.mean /= took
	s.answers = float64(w.answered-answered) / took * 1e9
	s.refused = w.refused - refused
	return s
}

func (s seen) String() string {
	return fmt.Sprintf("limit %d..%d, mean %.1f; %.0f answers/s, %d refused", s.low, s.high, s.mean, s.answers, s.refused)
}

// A service is how long an origin takes that is at ease.
type service func(*rand.Rand) time.Duration

func constant(d time.Duration) service { return func(*rand.Rand) time.Duration { return d } }

func exponential(d time.Duration) service {
	return func(r *rand.Rand) time.Duration { return time.Duration(r.ExpFloat64() * float64(d)) }
}

// spread is log-normal: two thirds of all are between d/e and d*e.
func spread(d time.Duration) service {
	return func(r *rand.Rand) time.Duration { return time.Duration(math.Exp(r.NormFloat64()) * float64(d)) }
}

// reports are one in fifty, and take so long.
func reports(d, long time.Duration) service {
	return func(r *rand.Rand) time.Duration {
		if r.IntN(50) == 0 {
			return long
		}
		return time.Duration((0.5 + r.Float64()) * float64(d))
	}
}

const (
	ms     = time.Millisecond
	settle = 300 // windows in which a limit has settled
)

var wide = Bounds{Least: 4, Most: 1000}

// An origin that can do n at once, before which there is always more to do: whatever
// its kind, and however its answers differ, the limit settles at n to 2n and a bit, and
// the origin does at least nine tenths of what it could.
func TestSimulatedLimitSettlesAroundWhatTheOriginCanDo(t *testing.T) {
	for _, service := range []struct {
		name string
		time service
		mean time.Duration
	}{
		{"each takes as long", constant(20 * ms), 20 * ms},
		{"exponential", exponential(20 * ms), 20 * ms},
	} {
		for _, n := range []int{8, 50, 200} {
			for name, origin := range map[string]model{"shared": &shared{n}, "workers": &workers{n: n}} {
				t.Run(fmt.Sprintf("%s, %d %s", service.name, n, name), func(t *testing.T) {
					w := (&world{origin: origin, service: service.time, clients: max(5*n, 200)}).begin(1, wide)
					w.run(settle)
					got, could := w.run(settle), float64(n)/service.mean.Seconds()
					t.Logf("%v of %.0f", got, could)
					if low, high := 0.9*float64(n), 2.5*float64(n)+10; got.mean < low || got.mean > high {
						t.Errorf("the mean is not within %.0f..%.0f", low, high)
					}
					if got.answers < 0.9*could {
						t.Errorf("the origin did less than it could")
					}
				})
			}
		}
	}
}

// What an origin can do at once changes to a quarter, and back: the limit follows.
func TestSimulatedLimitFollowsAStep(t *testing.T) {
	for name, time := range map[string]service{"each takes as long": constant(20 * ms), "exponential": exponential(20 * ms)} {
		t.Run(name, func(t *testing.T) {
			origin := &shared{100}
			w := (&world{origin: origin, service: time, clients: 500}).begin(1, wide)
			for _, n := range []int{100, 25, 100} {
				origin.n = n
				w.run(settle)
				got := w.run(settle)
				t.Logf("%d: %v", n, got)
				if low, high := 0.9*float64(n), 2.5*float64(n)+10; got.mean < low || got.mean > high {
					t.Errorf("of an origin that can do %d the mean is %.0f, not within %.0f..%.0f", n, got.mean, low, high)
				}
			}
		})
	}
}

// Answers become five times as long, and that is nobody's fault: the limit comes back
// to where it lets all clients in.
func TestSimulatedLimitComesBackWhenWorkGrows(t *testing.T) {
	w := (&world{origin: &shared{10_000}, service: constant(20 * ms), clients: 200}).begin(1, wide)
	w.run(settle)
	w.service = constant(100 * ms)
	w.run(settle)
	if got := w.run(settle); got.low < 200 {
		t.Errorf("%v for 200 clients", got)
	}
}

// The answers of an origin that has no trouble differ much: nobody is refused, and the
// limit never comes near the least.
func TestSimulatedJitterIsNoCongestion(t *testing.T) {
	for _, service := range []struct {
		name string
		time service
		mean time.Duration
	}{
		{"exponential", exponential(50 * ms), 50 * ms},
		{"spread", spread(30 * ms), 50 * ms},
		{"reports", reports(20*ms, 1500*ms), 50 * ms},
	} {
		for _, inFlight := range []int{10, 100} {
			t.Run(fmt.Sprintf("%s, %d", service.name, inFlight), func(t *testing.T) {
				for seed := range uint64(5) {
					w := (&world{origin: &shared{10_000}, service: service.time, rate: float64(inFlight) / service.mean.Seconds(), line: 50}).begin(seed, wide)
					w.run(settle / 10)
					if got := w.run(2 * settle); got.refused > 0 || got.low < 3*wide.Least || got.mean < float64(inFlight) {
						t.Errorf("%v", got)
					}
				}
			})
		}
	}
}

// An origin that refuses what is more than it can do is left with a little more.
func TestSimulatedLimitStaysNearWhereOriginsRefuse(t *testing.T) {
	for _, n := range []int{8, 50, 200} {
		w := (&world{origin: &shedder{n}, service: constant(20 * ms), clients: 5 * n}).begin(1, wide)
		w.run(settle)
		got := w.run(settle)
		t.Logf("%d: %v", n, got)
		if got.mean < 0.8*float64(n) || got.mean > 1.5*float64(n)+4 {
			t.Errorf("%v, want about %d", got, n)
		}
	}
}
