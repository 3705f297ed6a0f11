package balance

import (
	"container/heap"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// What all simulations have in common.
const (
	meanService  = 100 * time.Millisecond // of an origin in good health; exponential
	requests     = 10_000                 // of one simulation
	lineSize     = 200                    // requests that may wait for a slot
	slotsPer     = 16                     // slots for each request that an origin works on at a time
	slowness     = 10                     // how many times longer a slow origin takes
	failsAfter   = time.Millisecond       // until an origin that fails has answered
	failureTime  = time.Second            // how long a failure counts for balancers that go by times, at least
	clients      = 2_000                  // who send requests, each about as often
	unit         = 5                      // weight and metric for each request that an origin works on
	troublesFrom = requests / 10          // request with which an origin's trouble begins
)

// A trouble is what an origin has for a while.
type trouble int

const (
	none    trouble = iota
	slow            // it takes longer
	failing         // it answers at once, with an error that takes nobody out
	out             // it is known to be out: what it has in hand it ends, and gets no more
)

// A scenario is a group of origins and what happens to the first of them.
type scenario struct {
	name    string
	about   string
	workers []int // requests that each origin works on at a time
	trouble trouble
	until   int // request with which the trouble ends
}

var scenarios = []scenario{
	{name: "uniform", workers: ten, about: "Ten equal origins."},
	{name: "skewed", workers: []int{16, 8, 4, 2, 2}, about: "Five origins, which can do 8, 4, 2, 1 and 1 parts of the work; capacities, weights and metrics fit that."},
	{name: "one slow", workers: ten, trouble: slow, until: requests * 9 / 10, about: "Ten equal origins, of which the first takes ten times as long, for most of the time. Its metric says so at once."},
	{name: "one failing at once", workers: ten, trouble: failing, until: requests * 9 / 10, about: "Ten equal origins, of which the first answers 500 after 1 ms, for most of the time, and nobody takes it out."},
	{name: "one out and back", workers: ten, trouble: out, until: requests / 2, about: "Ten equal origins, of which the first is out for 40 % of the time, and then back."},
}

var ten = slices.Repeat([]int{4}, 10)

// percents are how busy the origins are, in percent of what they can do in good
// health.
var percents = []int{50, 80, 95}

// scenarioOf is the one of that name.
func scenarioOf(name string) scenario {
	return scenarios[slices.IndexFunc(scenarios, func(s scenario) bool { return s.name == name })]
}

// all is what the group works on at a time.
func (s scenario) all() (n int) {
	for _, w := range s.workers {
		n += w
	}
	return n
}

// members are the origins, whose weights and metrics fit their size.
func (s scenario) members() []Member {
	members := equals(len(s.workers))
	for i, w := range s.workers {
		m := &members[i]
		m.HostWeight, m.Weight, m.Live = w, w*unit, new(Live)
		m.Live.SetMetric(w * unit)
	}
	return members
}

// A box is an origin: it works on some requests at a time, in the order in which
// they came.
type box struct {
	free    []time.Duration // when each of its workers has ended what it has
	trouble trouble
}

// take gives the box a request and returns when it is answered. What an origin does
// to a request is decided as that comes.
func (b *box) take(now, service time.Duration) time.Duration {
	switch b.trouble {
	case failing:
		return now + failsAfter
	case slow:
		service *= slowness
	}
	first := 0
	for i, at := range b.free {
		if at < b.free[first] {
			first = i
		}
	}
	b.free[first] = max(b.free[first], now) + service
	return b.free[first]
}

// A request came at a time, by a client, and needs some work.
type request struct {
	came    time.Duration
	service time.Duration
	key     uint64
}

// A slot is held by a request, until a time.
type slot struct {
	until  time.Duration
	taken  time.Duration
	origin int
	failed bool
	request
}

// slots are those in use; the first is the one that is free next.
type slots []*slot

func (s slots) Len() int           { return len(s) }
func (s slots) Less(i, j int) bool { return s[i].until < s[j].until }
func (s slots) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *slots) Push(x any)        { *s = append(*s, x.(*slot)) }
func (s *slots) Pop() any {
	last := len(*s) - 1
	x := (*s)[last]
	*s = (*s)[:last]
	return x
}

// A traffic is one simulation: a group under load, on a clock of its own. Nothing
// in it depends on the machine, so that it is the same in every run.
type traffic struct {
	scenario scenario
	balancer Balancer
	members  []Member
	cs       []Candidate
	boxes    []box
	now      time.Duration
	held     slots
	line     []request // waiting, first in, first out
	took     []time.Duration
	counts   []int // requests that each origin got
	most     int64 // load that the first origin had at most
	failed   int   // requests that an origin failed
	refused  int   // requests that found the line full
}

// drive sends requests at one load through a balancer, and waits for the last one.
// All balancers get the same requests at the same times.
func drive(t testing.TB, s scenario, balancer string, percent int) *traffic {
	t.Helper()
	f := newTraffic(t, s, balancer)
	random := rand.New(rand.NewPCG(uint64(percent), uint64(len(s.workers))))
	gap := float64(meanService) * 100 / float64(percent*s.all())
	for n := range requests {
		f.pass(f.now + time.Duration(random.ExpFloat64()*gap))
		f.change(n)
		service := time.Duration(random.ExpFloat64() * float64(meanService))
		f.arrive(request{f.now, service, uint64(1 + random.IntN(clients))})
	}
	for len(f.held) > 0 {
		f.end()
	}
	slices.Sort(f.took)
	f.audit(t)
	return f
}

// audit holds the simulation to what must be true of each: all requests have ended,
// and no origin got more than its capacity.
func (f *traffic) audit(t testing.TB) {
	t.Helper()
	if ended := len(f.took) + f.failed + f.refused; ended != requests || len(f.line) > 0 {
		t.Fatalf("%s: %d of %d requests have ended, and %d wait", f.scenario.name, ended, requests, len(f.line))
	}
	if f.most > f.cs[0].Capacity {
		t.Fatalf("%s: the first origin had %d, and has a capacity of %d", f.scenario.name, f.most, f.cs[0].Capacity)
	}
}

func newTraffic(t testing.TB, s scenario, balancer string) *traffic {
	members := s.members()
	f := &traffic{scenario: s, members: members, balancer: newNamed(t, balancer, members)}
	if slices.Contains(byChance, balancer) {
		seeded(t, f.balancer)
	}
	for _, w := range s.workers {
		f.boxes = append(f.boxes, box{free: make([]time.Duration, w)})
		f.cs = append(f.cs, Candidate{Usable: true, Capacity: int64(w * slotsPer)})
	}
	f.counts = make([]int, len(f.boxes))
	return f
}

// pass lets time pass: slots become free in between.
func (f *traffic) pass(until time.Duration) {
	for len(f.held) > 0 && f.held[0].until <= until {
		f.end()
	}
	f.now = until
}

// change begins or ends the trouble before the n-th request. The metric follows at
// once.
func (f *traffic) change(n int) {
	switch n {
	case troublesFrom:
		f.afflict(f.scenario.trouble)
	case f.scenario.until:
		f.afflict(none)
	}
}

func (f *traffic) afflict(of trouble) {
	f.boxes[0].trouble = of
	metric := f.scenario.workers[0] * unit
	if of == slow {
		metric /= slowness
	}
	f.members[0].Live.SetMetric(metric)
	f.mark(0)
	f.serve()
}

// mark says whether an origin can be used.
func (f *traffic) mark(i int) {
	f.cs[i].Usable = f.boxes[i].trouble != out && f.cs[i].Load < f.cs[i].Capacity
}

// arrive puts a request in line, and serves it if there is room.
func (f *traffic) arrive(r request) {
	if len(f.line) == lineSize {
		f.refused++
		return
	}
	f.line = append(f.line, r)
	f.serve()
}

// serve gives slots to those in line, as long as there are any.
func (f *traffic) serve() {
	for len(f.line) > 0 {
		i := f.balancer.Pick(f.cs, f.line[0].key)
		if i < 0 {
			return
		}
		f.begin(i, f.line[0])
		f.line = slices.Delete(f.line, 0, 1)
	}
}

// begin gives a request a slot of origin i.
func (f *traffic) begin(i int, r request) {
	box := &f.boxes[i]
	until := box.take(f.now, r.service)
	heap.Push(&f.held, &slot{until: until, taken: f.now, origin: i, failed: box.trouble == failing, request: r})
	f.counts[i]++
	f.cs[i].Load++
	f.most = max(f.most, f.cs[0].Load)
	f.mark(i)
}

// end frees the slot that is free next, and tells what came of its request.
func (f *traffic) end() {
	s := heap.Pop(&f.held).(*slot)
	f.now = s.until
	attempt := s.until - s.taken
	if s.failed {
		f.failed++
		attempt = max(attempt, failureTime)
	} else {
		f.took = append(f.took, s.until-s.came)
	}
	f.members[s.origin].Live.Observe(attempt, time.Unix(1e9, 0).Add(f.now))
	f.cs[s.origin].Load--
	f.mark(s.origin)
	f.serve()
}

// percentile is the time within which so many of a hundred were answered.
func (f *traffic) percentile(p int) time.Duration {
	return f.took[(len(f.took)-1)*p/100]
}

// errors is the part of all requests that failed or were refused.
func (f *traffic) errors() float64 { return float64(f.failed+f.refused) / requests }

// part is the part of the requests that origin i got.
func (f *traffic) part(i int) float64 { return float64(f.counts[i]) / float64(requests-f.refused) }

// off is how far the part of one origin is off its fair one, which is its part of all
// workers, at most.
func (f *traffic) off() (most float64) {
	for i, w := range f.scenario.workers {
		most = max(most, math.Abs(f.part(i)-float64(w)/float64(f.scenario.all())))
	}
	return most
}

// simulated are all balancers, and hash with a bound.
func simulated() []string {
	return slices.Insert(Names(), slices.Index(Names(), "hash")+1, "hash-bounded")
}
