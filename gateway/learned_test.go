package gateway

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"weirkeep/gateway/admission"
	"weirkeep/gateway/capacity"
)

// learning is a gateway before one cluster, whose origin at the address has the
// capacity.
func learning(address, capacity, settings string) string {
	return plainListener + fmt.Sprintf("clusters: { app: { origins: [{ name: a, address: %q, capacity: %s }], %s } }\n", address, capacity, settings)
}

// stateOf is the state of the origin at an address.
func stateOf(g *Gateway, address string) *originState {
	g.registry.mu.Lock()
	defer g.registry.mu.Unlock()
	return g.registry.states["http://"+address].thing
}

// atEase tells who learns the capacity of the origin, which has n exchanges, of a
// window of answers that begin at once.
func (s *originState) atEase(n int64) {
	for range max(20, 2*n) {
		s.learner.Load().Answered(0, n)
	}
}

// A limit that grows lets in who waits, also if nobody leaves: here an origin holds
// all that it has.
func TestGrownLimitLetsWaitersIn(t *testing.T) {
	t.Parallel()
	h := newHolding(t, "a")
	addr, g := start(t, learning(h.origins[0].addr, "auto", ""), Options{})
	clients, held := h.hold(addr, capacity.Start)
	clients = append(clients, goGET(t, addr, "/one"), goGET(t, addr, "/more"))
	untilWaiting(t, g, 2)
	h.none("the limit is " + fmt.Sprint(capacity.Start))
	if o := statusOf(t, g, "a"); o.Load != capacity.Start || o.Capacity != capacity.Start || !o.Learned {
		t.Errorf("%d of %d, learned: %v", o.Load, o.Capacity, o.Learned)
	}
	stateOf(g, h.origins[0].addr).atEase(capacity.Start)
	held = append(held, h.next(), h.next())
	if o := statusOf(t, g, "a"); o.Load != capacity.Start+2 || o.Capacity != 2*capacity.Start {
		t.Errorf("%d of %d, want two more and twice the limit", o.Load, o.Capacity)
	}
	release(clients, held)
}

// What was learned belongs to the address: it outlives reloads, within the bounds that
// they bring, and is lost where the capacity is written.
func TestLearnedCapacityOutlivesReloads(t *testing.T) {
	t.Parallel()
	const address = "127.0.0.1:1"
	_, g := start(t, learning(address, "auto", ""), Options{})
	for _, step := range []struct {
		capacity string
		windows  int // at ease, before
		want     int64
		learned  bool
	}{
		{"auto", 0, 10, true},
		{"auto", 4, 160, true},
		{"4-100", 0, 100, true},
		{"auto", 0, 100, true},
		{"7", 0, 7, false},
		{"10-30", 0, 10, true},
		{"10-30", 2, 30, true},
		{"50-50", 0, 50, false},
	} {
		for range step.windows {
			stateOf(g, address).atEase(1000)
		}
		apply(t, g, learning(address, step.capacity, "keep_alive: 5s"))
		if o := statusOf(t, g, "a"); o.Capacity != step.want || o.Learned != step.learned {
			t.Errorf("%s: capacity %d, learned %v; want %d, %v", step.capacity, o.Capacity, o.Learned, step.want, step.learned)
		}
	}
}

// A capacity that begins to be learned begins with twice what is in use: nobody has to
// wait because of a reload.
func TestCapacityIsLearnedFromWhatIsInUse(t *testing.T) {
	t.Parallel()
	h := newHolding(t, "a")
	addr, g := start(t, learning(h.origins[0].addr, "100", ""), Options{})
	clients, held := h.hold(addr, 30)
	apply(t, g, learning(h.origins[0].addr, "auto", ""))
	if o := statusOf(t, g, "a"); o.Load != 30 || o.Capacity != 60 {
		t.Errorf("%d of %d, want 30 of 60", o.Load, o.Capacity)
	}
	release(clients, held)
}

// Balancers go by what was learned: with limits of 40 and 10, each origin has its part
// of 25, whichever of them looks at the room that there is.
func TestBalancersGoByTheLearnedCapacity(t *testing.T) {
	t.Parallel()
	for balancer, want := range map[string][]int{"capacity": {20, 5}, "least-load": {15, 10}} {
		t.Run(balancer, func(t *testing.T) {
			h := newHolding(t, "a", "b")
			text := plainListener + fmt.Sprintf("clusters: { app: { origins: [{ name: a, address: %q, capacity: auto }, { name: b, address: %q, capacity: auto }], balancer: %s } }\n",
				h.origins[0].addr, h.origins[1].addr, balancer)
			addr, g := start(t, text, Options{})
			for range 3 {
				stateOf(g, h.origins[0].addr).atEase(40)
			}
			apply(t, g, strings.Replace(text, "capacity: auto", "capacity: 4-40", 1))
			clients, held := h.hold(addr, 25)
			if got := countOf(originsOf(held), "a", "b"); !slices.Equal(got, want) {
				t.Errorf("%v, want %v", got, want)
			}
			release(clients, held)
		})
	}
}

// Answers that begin and go on hold all slots, and the limit grows for those who wait,
// while there are any.
func TestStreamsDoNotKeepOthersOut(t *testing.T) {
	t.Parallel()
	h := newHolding(t, "a")
	addr, g := start(t, learning(h.origins[0].addr, "2-1000", "queue: { timeout: 30s }"), Options{})
	var streams []*holdClient
	for range 3 * capacity.Start {
		c := goGET(t, addr, "/events")
		h.next().answer <- "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n"
		if head, err := readRawHead(c.r); err != nil || !strings.HasPrefix(head, "HTTP/1.1 200") {
			t.Fatalf("%q, %v", head, err)
		}
		streams = append(streams, c)
	}
	if o := statusOf(t, g, "a"); o.Capacity < 3*capacity.Start {
		t.Errorf("%d streams, and a capacity of %d", len(streams), o.Capacity)
	}
}

// Time-outs and statuses that say that it is too much lower the limit, those that say
// that the request is wrong do not.
func TestOverloadLowersTheLimit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		status string
		falls  bool
	}{
		{"503 Busy", true}, {"504 Late", true}, {"500 Oops", false}, {"404 No", false}, {"200 OK", false},
	} {
		t.Run(tt.status, func(t *testing.T) {
			limit := func() int64 {
				hs := newHomes(t, "a")
				hs[0].status = func() string { return tt.status }
				addr, g := start(t, learning(hs[0].addr, "2-1000", "failover: { threshold: 1000 }, retry: { retries: 0 }"), Options{})
				askAll(t, addr, 200)
				return int64(statusOf(t, g, "a").Capacity)
			}
			got := limit()
			for n := 0; !tt.falls && got < capacity.Start && n < 20; n++ {
				got = limit() // it also falls when the machine is slower than it was
			}
			if (got < capacity.Start) != tt.falls {
				t.Errorf("after 200 times %s the limit is %d", tt.status, got)
			}
		})
	}
}

// askAll sends n requests one after the other on one connection, and counts the answers.
func askAll(t *testing.T, addr string, n int) (answers int) {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	r := bufio.NewReader(c)
	for range n {
		io.WriteString(c, "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")
		answer, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, answer.Body)
		answers++
	}
	return answers
}

// An origin that does not answer in time has too much to do.
func TestTimeoutsLowerTheLimit(t *testing.T) {
	settings := "first_byte_timeout: 1s, failover: { threshold: 1000 }, retry: { retries: 0 }"
	inBubbleOf(t, learning("s1.example:80", "2-1000", settings), Options{}, everywhere(func(r *bufio.Reader, _ net.Conn) { io.Copy(io.Discard, r) }), func(t *testing.T, b *bubble) {
		for range 25 {
			if status := b.get("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"); status != "504" {
				t.Fatalf("status %s", status)
			}
		}
		if o := statusOf(t, b.g, "a"); o.Capacity != 8 {
			t.Errorf("after 25 time-outs the limit is %d, want 8: a fifth less, once", o.Capacity)
		}
	})
}

// The log is told of what has at least doubled or halved, once a minute at most.
func TestLogIsToldOfLargeChangesOfCapacity(t *testing.T) {
	t.Parallel()
	var said bytes.Buffer
	const address = "127.0.0.1:1"
	_, g := start(t, learning(address, "auto", ""), Options{Logger: slog.New(slog.NewTextHandler(&said, nil))})
	s := stateOf(g, address)
	for i, want := range []string{"", "was=10 is=40", "", "was=40 is=160"} {
		said.Reset()
		if want != "" {
			s.capacityTold = s.capacityTold.Add(-capacityEvery)
		}
		s.atEase(1000)
		if got := said.String(); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("window %d: said %q, want %q", i, got, want)
		}
	}
	if !strings.Contains(said.String(), "origin=a address="+address) {
		t.Errorf("said %q", said.String())
	}
}

// A metric that is the load goes by what the origin can take now.
func TestMetricOfLoadGoesByTheLearnedCapacity(t *testing.T) {
	t.Parallel()
	h := newHolding(t, "a")
	addr, g := start(t, learning(h.origins[0].addr, "auto", "metric: { collector: value, source: in-flight, interval: 1s }"), Options{})
	clients, held := h.hold(addr, capacity.Start/2)
	until(t, "it is half busy", func() bool { o := statusOf(t, g, "a"); return o.Metric != nil && *o.Metric == 50 })
	release(clients, held)
}

// Budget: an exchange whose origin's capacity is learned costs no allocation either.
func TestLearnedExchangeAllocs(t *testing.T) {
	o := &echoOrigin{answer: answer1K}
	g := New(Options{Dial: func(context.Context, string, string) (net.Conn, error) { return o, nil }})
	t.Cleanup(func() { g.Close() })
	apply(t, g, learning("s1.example:80", "auto", "keep_alive: 1h"))
	client := &replay{request: []byte(browserGET)}
	run := func(n int) {
		client.left, client.at = n+1, len(client.request)
		if err := g.ServeConn(client); err != nil {
			t.Fatal(err)
		}
	}
	run(10)
	one := testing.AllocsPerRun(20, func() { run(1) })
	many := testing.AllocsPerRun(20, func() { run(1001) })
	if per := (many - one) / 1000; per >= 0.01 && !raceDetector {
		t.Errorf("an exchange allocates %.3f times, want 0", per)
	}
}

// While exchanges come and go, and configurations write a capacity and have it learned,
// no origin ever has more than the largest, and in the end nobody waits.
func TestHammerLearnedCapacity(t *testing.T) {
	var lobby admission.Lobby
	s := &originState{slots: lobby.NewSlots(5)}
	s.tellCapacity = func(int, int) bool { return true }
	const most = 40
	stop := time.Now().Add(100 * time.Millisecond)
	var wg sync.WaitGroup
	for range 2 * runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for time.Now().Before(stop) {
				if !s.slots.Take() {
					runtime.Gosched()
					continue
				}
				if l := s.learner.Load(); l != nil {
					l.Answered(time.Millisecond, s.slots.Load())
				}
				if n := s.slots.Load(); n > most {
					t.Errorf("it has %d", n)
				}
				s.slots.Leave()
			}
		})
	}
	for i := 0; time.Now().Before(stop); i++ {
		for _, b := range []capacity.Bounds{{Least: 4, Most: most}, {Least: 10 + i%5, Most: 30}, {Least: 3, Most: 3}} {
			s.allow(b)
			if n := int(s.slots.Capacity()); b.Fixed() && n != b.Most || n < b.Least || n > b.Most {
				t.Fatalf("%v: the capacity is %d", b, n)
			}
		}
	}
	wg.Wait()
	if n := s.slots.Load(); n != 0 {
		t.Errorf("%d are left", n)
	}
}

// A real origin that works at 20 and lets others wait, and ten times as many clients:
// the limit comes down to where few wait in the origin, nobody fails, and the origin is
// never idle.
func TestLearnedCapacityOfARealOrigin(t *testing.T) {
	t.Parallel()
	const can, clients = 20, 200
	o := newWorkshop(t, can, 30*time.Millisecond)
	addr, g := start(t, learning(o.addr, "2-1000", "queue: { timeout: 60s }"), Options{})
	stop := make(chan struct{})
	var crew sync.WaitGroup
	var failed atomic.Int64
	for range clients {
		crew.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if c, err := net.Dial("tcp", addr); err != nil || !askOn(c) {
					failed.Add(1)
				}
			}
		})
	}
	until(t, "the limit settles", func() bool { return o.done.Load() > 800 })
	o.most.Store(0)
	var limits []int64
	until(t, "it has done as much again", func() bool {
		limits = append(limits, statusOf(t, g, "a").Capacity)
		return o.done.Load() > 1600
	})
	close(stop)
	crew.Wait()
	if n := failed.Load(); n > 0 {
		t.Errorf("%d failed", n)
	}
	slices.Sort(limits)
	limit, most := limits[len(limits)/2], o.most.Load()
	t.Logf("the limit was %d..%d, half of the time below %d; the origin had up to %d", limits[0], limits[len(limits)-1], limit, most)
	if limit < can || limit > 4*can || most > clients*3/4 {
		t.Errorf("half of the time the limit was below %d, and the origin had up to %d at once, of %d that it can do and %d that there are", limit, most, can, clients)
	}
}

// askOn sends a request and reports whether it was answered well.
func askOn(c net.Conn) bool {
	defer c.Close()
	io.WriteString(c, "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n")
	answer, err := io.ReadAll(c)
	return err == nil && bytes.HasPrefix(answer, []byte("HTTP/1.1 200 "))
}

// workshop is an origin that works at some requests at once, so long at each.
type workshop struct {
	addr      string
	in, most  atomic.Int64 // that it has, and the most that it had
	done      atomic.Int64
	semaphore chan struct{}
	takes     time.Duration
}

func newWorkshop(t *testing.T, can int, takes time.Duration) *workshop {
	o := &workshop{semaphore: make(chan struct{}, can), takes: takes}
	o.addr = rawOrigin(t, o.serve).Addr().String()
	return o
}

func (o *workshop) serve(c net.Conn) {
	r := bufio.NewReader(c)
	for {
		if _, err := readRawHead(r); err != nil {
			return
		}
		n := o.in.Add(1)
		for most := o.most.Load(); n > most && !o.most.CompareAndSwap(most, n); most = o.most.Load() {
		}
		o.semaphore <- struct{}{}
		<-time.After(o.takes)
		<-o.semaphore
		o.in.Add(-1)
		o.done.Add(1)
		if _, err := io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"); err != nil {
			return
		}
	}
}
