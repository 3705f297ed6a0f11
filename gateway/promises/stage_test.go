package promises

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A stage is a gateway with steady clients of a cluster whose router behaves well,
// where one pair of evil guests after the other has its turn.
type stage struct {
	c      *child
	engine string
	good   string // file of the guest that behaves well
	others *crew
	app    string // address of the steady clients' origin
	struck string // and of the evil guests'
	dir    string // for files of guests
	turn   int
	sizes  []size
}

// size is the process's address space when a pair has gone. Engines reserve some for
// each instance, which may be gigabytes, so it is compared where there are as many.
type size struct{ instances, bytes int64 }

// newStage has so many steady clients.
func newStage(t *testing.T, engine string, clients int) *stage {
	s := &stage{engine: engine, good: wasmFile(t, "good/abstain"), dir: t.TempDir()}
	s.app = startOrigin(t, serveErrands(func(err error) { t.Error(err) })).addr
	s.struck = startOrigin(t, ok("hello")).addr
	s.c = startGuests(t, engine, s.without())
	s.others = startCrew(t, clients, to(s.c.addr), steadily)
	s.others.await(t, 300, 0)
	return s
}

// steadily is an errand every few milliseconds.
func steadily(*rand.Rand) errand {
	time.Sleep(2 * time.Millisecond)
	return errand{method: "GET", nonce: nonces.Add(1), way: "length", size: 100}
}

// How plugins of a kind are attached, # standing for the name. Strict and lenient
// guests differ in their policies.
var (
	policies = map[string]map[string]string{
		"router":    {"strict": "reject", "lenient": "default-balancer"},
		"filter":    {"strict": "reject", "lenient": "skip"},
		"matcher":   {"strict": "match", "lenient": "no-match"},
		"collector": {"strict": "default", "lenient": "keep"},
	}
	toClusters = map[string]string{"router": "router: #", "collector": "metric: { collector: #, interval: 100ms }"}
	toSites    = map[string]string{"filter": "{ plugin: # }"}
	toRules    = map[string]string{"matcher": "  - { name: #, when: 'host == \"#.example\" and plugin(\"#\")', reject: {} }\n"}
	pair       = [...]string{"strict", "lenient"}
)

// without is the configuration without evil guests.
func (s *stage) without() string { return s.text(misdeed{}, "") }

// with is the configuration with a new pair of evil guests.
func (s *stage) with(m misdeed, file string) string {
	s.turn++
	return s.text(m, file)
}

func (s *stage) text(m misdeed, file string) string {
	var plugins, clusters, sites, mappings, rules string
	for _, who := range pair {
		if file == "" {
			break
		}
		kind, keys, _ := strings.Cut(m.as, ", ")
		name := s.name(who)
		fill := func(patterns map[string]string) string { return strings.ReplaceAll(patterns[kind], "#", name) }
		plugins += fmt.Sprintf("  %s: { kind: %s, module: %q, on_error: %s, limits: { %s }, %s }\n", name, kind, file, policies[kind][who], m.limits, keys)
		clusters += fmt.Sprintf("  %s: { origins: [{ name: struck, address: %q }], %s }\n", name, s.struck, fill(toClusters))
		sites += fmt.Sprintf("  %s: { hosts: [%s.example], filters: [%s] }\n", name, name, fill(toSites))
		mappings += fmt.Sprintf("  - { site: %s, cluster: %s }\n", name, name)
		rules += fill(toRules)
	}
	return fmt.Sprintf(`listeners: [{ address: "127.0.0.1:0" }]
access_log: { format: off }
plugins:
  good: { kind: router, module: %q }
%sclusters:
  app: { origins: [{ name: app, address: %q }], router: good }
%ssites:
%s  all: { hosts: ["**"] }
mappings:
%s  - { site: all, cluster: app }
rules:
  - { name: nobody, when: 'host == "nobody.example"', reject: {} }
%s`, s.good, plugins, s.app, clusters, sites, mappings, rules)
}

// name is what a guest of the pair is called in this turn, and its cluster and site.
func (s *stage) name(who string) string { return fmt.Sprintf("%s%d", who, s.turn) }

// try gives a pair of guests its turn, and another one if somebody was slow.
func (s *stage) try(t *testing.T, m misdeed, guest string) {
	s.c.t = t
	file := evilFile(t, guest)
	modules, files := s.c.guests().Modules, s.c.files()
	goroutines, _ := s.c.ours()
	all := new(tries)
	for all.n == 0 || all.n < mostTries && !all.good() && !raced {
		all.add(s.act(t, m, file))
	}
	t.Logf("%s, %s", s.engine, all)
	if !all.good() && !raced {
		t.Errorf("who asked the guest waited for over %v, or others were slower by over %v times", all.bound(), slowdown)
	}
	s.c.mustReload(s.without())
	s.c.expectOnlyAttached(modules)
	s.expectAsBefore(t, goroutines, files)
	s.measure()
}

// measure takes the size.
func (s *stage) measure() {
	s.sizes = append(s.sizes, size{s.c.guests().Instances, s.c.status("VmSize") << 10})
}

// expectAsBefore fails the test unless there are no more goroutines and descriptors
// than before, but for the connections of clients and to origins.
func (s *stage) expectAsBefore(t *testing.T, goroutines, files int) {
	t.Helper()
	n, stacks := 0, ""
	if !within(30*time.Second, func() bool { n, stacks = s.c.ours(); return n <= goroutines && s.c.files() <= files }) {
		t.Errorf("%d goroutines and %d descriptors, %d and %d before:\n\n%s", n, s.c.files(), goroutines, files, stacks)
	}
}

// An act is the turn of one pair of guests.
type act struct {
	quiet, loud time.Duration     // 99th percentile of the others: just before, and while the guests are asked
	price       time.Duration     // of the fresh memory that a call takes, on this machine now
	asked       int               // exchanges that they were asked in
	slowest     time.Duration     // of these
	got         map[string]string // what these got, of the strict one and the lenient one
	faults      map[string]uint64 // of the strict one
}

// tries are the turns of one kind of misdeed. A busy machine makes everybody slow at
// times, so the best turn counts: the guest is to blame for what happens in each.
type tries struct {
	act                         // the last one
	n             int           // of them
	slowest, loud time.Duration // the least
	quiet         time.Duration // the most
	price         time.Duration // the most
}

func (a *tries) add(one act) {
	if a.n == 0 {
		a.slowest, a.loud = one.slowest, one.loud
	}
	a.n++
	a.act = one
	a.slowest, a.loud = min(a.slowest, one.slowest), min(a.loud, one.loud)
	a.quiet, a.price = max(a.quiet, one.quiet), max(a.price, one.price)
}

// bound is how long who asks the guest may wait: fresh memory may cost twice what it
// does when nobody else does anything.
func (a *tries) bound() time.Duration { return promptly + 2*a.price }

// ratio is by how much the others were slower than they are without the guest, but for
// the grain.
func (a *tries) ratio() float64 { return float64(max(0, a.loud-grain())) / float64(a.quiet+2*a.price) }

// good reports whether everybody was served in time.
func (a *tries) good() bool {
	return a.slowest <= a.bound() && a.ratio() <= slowdown
}

func (a *tries) String() string {
	return fmt.Sprintf("%d tries, %d asked in the last, %q and %q, faults %v; the slowest after %.1f ms; others p99 %.2f ms, without %.2f: ratio %.2f; fresh memory %.1f ms",
		a.n, a.asked, a.got["strict"], a.got["lenient"], a.faults, 1e3*a.slowest.Seconds(), 1e3*a.loud.Seconds(), 1e3*a.quiet.Seconds(), a.ratio(), 1e3*a.price.Seconds())
}

// act attaches a pair of guests, and asks for what they do.
func (s *stage) act(t *testing.T, m misdeed, file string) (a act) {
	t.Helper()
	s.c.mustReload(s.with(m, file))
	a.quiet = s.during(t, either(0, 2*time.Second))
	if m.fault == "host-error" {
		s.c.tell("buggy yes")
		defer s.c.tell("buggy no")
	}
	stop := make(chan struct{})
	var both sync.WaitGroup
	asking := make(map[string]*asker)
	for _, who := range pair {
		k := &asker{addr: s.c.addr, host: s.name(who) + ".example", paths: strings.Fields(cmp.Or(m.paths, "/")), pace: 5 * time.Millisecond, got: make(map[string]int)}
		asking[who] = k
		both.Go(func() { k.ask(stop) })
	}
	a.loud = s.during(t, either(120*time.Millisecond, 2*time.Second))
	close(stop)
	both.Wait()
	a.got = make(map[string]string)
	for who, k := range asking {
		a.asked, a.slowest, a.got[who] = a.asked+k.asked, max(a.slowest, k.slowest), k.text()
	}
	a.faults, a.price = s.faults(t, m), priceOf(t, m.fresh)
	s.expectAnswers(t, m, asking)
	return a
}

// during is the 99th percentile of the others' errands of some time, and of 80 at least.
func (s *stage) during(t *testing.T, window time.Duration) time.Duration {
	t.Helper()
	before := s.others.count()
	s.others.await(t, 80, window)
	s.others.mu.Lock()
	defer s.others.mu.Unlock()
	return ninetyNinthOf(s.others.filed[before:])
}

// faults are those of the strict guest by kind: what it should end in and nothing
// else, but that nobody was free while another instance was made.
func (s *stage) faults(t *testing.T, m misdeed) (counted map[string]uint64) {
	t.Helper()
	var last string
	all := strings.Fields(m.fault)
	within(30*time.Second, func() bool {
		g := s.c.guests().Plugins[s.name("strict")]
		counted, last = g.Faults, g.Last
		for _, kind := range all {
			if counted[kind] == 0 {
				return false
			}
		}
		return true
	})
	for kind := range counted {
		if kind != "timeout-waiting-for-instance" && !strings.Contains(m.fault, kind) {
			t.Errorf("%d faults %s, want %q alone; the last: %s", counted[kind], kind, m.fault, last)
		}
	}
	for _, kind := range all {
		if counted[kind] == 0 {
			t.Errorf("no fault %s, but %v; the last: %s", kind, counted, last)
		}
	}
	return counted
}

// expectAnswers fails the test unless all got what the policies say; those that ask
// for no harm are served.
func (s *stage) expectAnswers(t *testing.T, m misdeed, asking map[string]*asker) {
	t.Helper()
	for who, want := range map[string]string{"strict": m.strict, "lenient": m.lenient} {
		k := asking[who]
		for got, n := range k.got {
			if got != want && (m.paths == "" || got != served) {
				t.Errorf("%s: %d of %d got %q, want %q", who, n, k.asked, got, want)
			}
		}
		if k.got[want] == 0 {
			t.Errorf("%s: nobody got %q, but %v", who, want, k.got)
		}
	}
}

// end expects that the others were served all the time, and that the process is not
// larger than it was after the first pairs.
func (s *stage) end(t *testing.T) {
	t.Helper()
	s.c.t = t
	all := s.others.end()
	show(t, selected(all, isNotRight))
	s.others.expectNothingWrong(t)
	last := s.sizes[len(s.sizes)-1]
	later := s.sizes[min(4, len(s.sizes)-1):] // what is made once is there
	first := later[slices.IndexFunc(later, func(z size) bool { return z.instances == last.instances })]
	t.Logf("%d errands of others; address space %d MiB after the first pairs, %d after the last of %d, with %d instances", len(all), first.bytes/mib, last.bytes/mib, len(s.sizes), last.instances)
	if last.bytes > first.bytes+256*mib && !raced {
		t.Errorf("address space has grown from %d bytes to %d", first.bytes, last.bytes)
	}
	if n := s.c.count().panics; n != 0 {
		t.Errorf("%d panics", n)
	}
}

// priceOf is how long it takes two at once to touch so many MiB each of memory that is
// new, as two guests do.
func priceOf(t *testing.T, fresh int) time.Duration {
	t.Helper()
	if fresh == 0 {
		return 0
	}
	began := time.Now()
	var both sync.WaitGroup
	for range pair {
		both.Go(func() {
			if err := touch(fresh * mib); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	return time.Since(began)
}

// touch takes new memory and writes to each page of it.
func touch(size int) error {
	all, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return err
	}
	for at := 0; at < len(all); at += 4 * kib {
		all[at] = 1
	}
	return syscall.Munmap(all)
}
