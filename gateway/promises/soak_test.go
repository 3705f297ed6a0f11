package promises

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// G22: half an hour of everything at once: bodies of all kinds, tunnels, clients
// that leave, sessions, reloads, an origin that flaps, surges that fill the
// queue. No byte goes to the wrong place, the process does not grow, and in the
// end nothing is left of it.
func TestSoak(t *testing.T) {
	t.Parallel()
	s := &soaking{load: newLoad(1<<40, either(3*time.Second, 30*time.Minute))}
	s.least = 400
	var origins, homes []string
	for range 3 {
		origins = append(origins, startOrigin(t, serveErrands(s.report)).addr)
	}
	for _, name := range []string{"x", "y", "z"} {
		homes = append(homes, startOrigin(t, bindTo(name)).addr)
	}
	f := newFlapper(t, serveErrands(s.report))
	f.up()
	text := soakText(append(origins, f.addr), homes, startOrigin(t, switchAndEcho).addr)
	s.c = startChild(t, text(0))
	s.addr = s.c.addr
	if _, err := get(s.addr, "/ping"); err != nil { // then all that runs at rest has begun
		t.Fatal(err)
	}
	goroutines, _ := s.c.ours()
	files := s.c.files()
	stop := f.flap(300 * time.Millisecond)
	s.begin()
	var samples []sample
	began := time.Now()
	for turn := 1; s.more(0) || len(samples) < 6; turn++ {
		s.c.mustReload(text(turn))
		s.surge(60)
		time.Sleep(either(100*time.Millisecond, 5*time.Second)) // between two samples
		samples = append(samples, s.c.sample(began))
	}
	s.all.Wait()
	stop()
	s.judge(t)
	expectFlat(t, samples)
	s.c.mustReload(text(0)) // each origin has one check again
	s.c.expectAtRest(goroutines, files)
}

// soakText are configurations that take turns: they differ in what origins can
// take and in how these are looked after.
func soakText(origins, homes []string, tunnels string) func(turn int) string {
	list := func(names string, addresses []string, capacity int) string {
		var b strings.Builder
		for i, addr := range addresses {
			fmt.Fprintf(&b, "      - { name: %c, address: %q, capacity: %d }\n", names[i], addr, capacity)
		}
		return b.String()
	}
	return func(turn int) string {
		return everything + "clusters:\n  app:\n    origins:\n" + list("abcd", origins, 6+turn%3) +
			"    keep_alive: 1s\n    queue: { size: 20, timeout: 2s }\n" + [...]string{pinged, checked}[turn/4%2] +
			"  home:\n    keep_alive: 1s\n    session: JSESSIONID\n    origins:\n" + list("xyz", homes, 10+turn%2) +
			fmt.Sprintf("  ws: { origins: [{ name: ws, address: %q }] }\n", tunnels) +
			"sessions: { JSESSIONID: { cookie: JSESSIONID, entries: 500 } }\n" + // full soon, so that bindings are no growth
			"mappings: [{ site: all, prefix: /ws, cluster: ws }, { site: all, prefix: /home, cluster: home }, { site: all, cluster: app }]\n"
	}
}

// soaking is the load of a soak: errands, and what is not one.
type soaking struct {
	*load
	c   *child
	all sync.WaitGroup

	echoes, sessions atomic.Int64
}

// begin sets clients to work that keep some 70 % of all slots busy.
func (s *soaking) begin() {
	for i, goOn := range []func(*caller){
		(*caller).alone, (*caller).alone, (*caller).alone, (*caller).alone, (*caller).alone, (*caller).alone, (*caller).alone, (*caller).alone,
		(*caller).pipelined, (*caller).pipelined, (*caller).pipelined,
		(*caller).unlucky, (*caller).unlucky, (*caller).unlucky, (*caller).fickle, (*caller).fickle,
	} {
		s.all.Go(func() {
			k := s.caller(uint64(i))
			defer k.hangUp()
			goOn(k)
		})
	}
	for range 2 {
		s.all.Go(func() { s.repeat(s.tunnel) })
		s.all.Go(func() { s.repeat(s.session) })
	}
}

// repeat does it again and again, each time on a connection of its own.
func (s *soaking) repeat(do func(u *tunnelled) error) {
	for s.more(0) {
		c, err := dialed(s.addr)
		if err == nil {
			err = do(newTunnelled(c))
			c.Close()
		}
		if err != nil {
			s.report(err)
			return
		}
	}
}

// tunnel has a conversation.
func (s *soaking) tunnel(u *tunnelled) error {
	err := u.open("/ws")
	for range 20 {
		if err == nil {
			err = u.echo()
			s.echoes.Add(1)
			time.Sleep(time.Millisecond) // tunnels have time
		}
	}
	return err
}

// session begins one and comes back: it must always get to where it began.
func (s *soaking) session(u *tunnelled) error {
	s.sessions.Add(1)
	id := fmt.Sprintf("s%d", nonces.Add(1))
	home := ""
	for range 20 {
		path := "/home"
		if home == "" {
			path = "/home/bind"
		}
		r, err := ask(u.c, "GET "+path+" HTTP/1.1\r\nHost: a.example\r\nCookie: JSESSIONID="+id+"\r\n\r\n")
		if err != nil || r.StatusCode != 200 {
			return fmt.Errorf("session %s was answered %v, %v", id, r, err)
		}
		at := r.Header.Get("X-Origin")
		if home != "" && at != home {
			return fmt.Errorf("session %s of %s went to %s", id, home, at)
		}
		home = at
	}
	return nil
}

// surge sends n errands at once and waits for their answers.
func (s *soaking) surge(n int) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			k := s.caller(uint64(1000 + i))
			defer k.hangUp()
			if k.more(1) {
				k.run([]errand{randomErrand(k.rand, []string{"length", "slow", "chunked"})})
			}
		})
	}
	all.Wait()
}

// judge says what became of it.
func (s *soaking) judge(t *testing.T) {
	t.Helper()
	t.Logf("%d requests: %d right, %d refused, %d broken off, %d given up; %d echoes, %d sessions; %d wrong",
		s.asked.Load(), s.right.Load(), s.refused.Load(), s.broken.Load(), s.gone.Load(), s.echoes.Load(), s.sessions.Load(), len(s.wrong))
	for _, err := range s.wrong[:min(len(s.wrong), 10)] {
		t.Error(err)
	}
	if s.right.Load() < 200 || s.right.Load() < s.refused.Load() || s.echoes.Load() == 0 || s.sessions.Load() == 0 {
		t.Error("little was answered")
	}
}

// A sample is what a child's process takes at some time.
type sample struct {
	at                time.Duration
	rss               int64
	goroutines, files int
}

// sample looks after a collection: what the moment needs is not growth.
func (c *child) sample(began time.Time) sample {
	c.tell("gc")
	return sample{time.Since(began), c.rss(), c.count().goroutines, c.files()}
}

// expectFlat fails the test if, after a third of the samples, memory still grows,
// or goroutines or descriptors do.
func expectFlat(t *testing.T, samples []sample) {
	t.Helper()
	n := len(samples)
	early, late := largest(samples[n/3:2*n/3]), largest(samples[2*n/3:])
	t.Logf("%d samples, the most of the second and last third: RSS %.1f and %.1f MiB, %d and %d goroutines, %d and %d descriptors; %.2f MiB in 10 minutes",
		n, float64(early.rss)/mib, float64(late.rss)/mib, early.goroutines, late.goroutines, early.files, late.files, slope(samples[n/3:])/mib)
	if late.rss > early.rss+8*mib && !raced {
		t.Errorf("memory has grown from %d bytes to %d", early.rss, late.rss)
	}
	if *soak && slope(samples[n/3:]) > mib && !raced {
		t.Errorf("memory grows by %.1f MiB in 10 minutes", slope(samples[n/3:])/mib)
	}
	if late.goroutines > 2*early.goroutines+50 || late.files > 2*early.files+50 {
		t.Errorf("from %+v to %+v", early, late)
	}
}

// largest is the most of each figure.
func largest(samples []sample) (most sample) {
	for _, s := range samples {
		most.rss = max(most.rss, s.rss)
		most.goroutines, most.files = max(most.goroutines, s.goroutines), max(most.files, s.files)
	}
	return most
}

// slope is by how many bytes memory grows in 10 minutes: that of the line which
// is nearest to all samples.
func slope(samples []sample) float64 {
	var n, x, y, xx, xy float64
	for _, s := range samples {
		at := float64(s.at) / float64(10*time.Minute)
		n, x, y, xx, xy = n+1, x+at, y+float64(s.rss), xx+at*at, xy+at*float64(s.rss)
	}
	return (n*xy - x*y) / (n*xx - x*x)
}
