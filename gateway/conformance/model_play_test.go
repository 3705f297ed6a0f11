package conformance

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weirkeep/gateway"
	"weirkeep/gateway/config"
)

var soak = flag.Bool("soak", false, "run the long forms: minutes")

// either is the short form's figure or, with -soak, the long one's.
func either[T any](short, long T) T {
	if *soak {
		return long
	}
	return short
}

// No answer is outside of what a naive model of RFC 9111 permits: whatever clients ask and
// want, whatever the origin says, and whatever is purged, over thousands of steps.
func TestModel(t *testing.T) {
	flag.Set("rapid.steps", "100")
	m, most := &modelled{seen: make(map[string]int)}, either(20_000, 1_000_000)
	if raced {
		most /= 5
	}
	for n := 0; n < most && !t.Failed(); n = m.steps {
		m.start(t)
		rapid.Check(t, m.check)
		m.end()
	}
	t.Logf("%d steps: %v", m.steps, m.seen)
	for _, what := range []string{"old", "old 206", "old 304", "validated", "new", "stale", "refused", "416", "joined"} {
		if m.seen[what]*2000 < m.steps {
			t.Errorf("%q was seen %d times in %d steps: they show little", what, m.seen[what], m.steps)
		}
	}
}

// A modelled is a gateway whose origin keeps the model.
type modelled struct {
	g      *gateway.Gateway
	clock  atomic.Int64
	origin atomic.Pointer[teller]
	client net.Conn // nil: a new one is needed
	in     *bufio.Reader
	runs   int
	steps  int
	seen   map[string]int
}

// start starts an empty one: an old one that is full is slow to say that it is at rest.
func (m *modelled) start(t *testing.T) {
	m.clock.Store(epoch.UnixNano())
	now := func() time.Time { return time.Unix(0, m.clock.Load()) }
	m.g = gateway.New(gateway.Options{Now: now, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		return m.origin.Load().dial(ctx, network, address)
	}})
	cfg, problems := config.Parse("model.yaml", []byte(fmt.Sprintf(oneListener, "127.0.0.1:9", caching("conformance", ""))))
	if problems.Errors() > 0 {
		t.Fatal(problems)
	}
	if problems := m.g.Apply(cfg); problems.Errors() > 0 {
		t.Fatal(problems)
	}
}

func (m *modelled) end() {
	if m.client != nil {
		m.hangUp()
	}
	m.g.Close()
}

// check is one run, with URLs of its own.
func (m *modelled) check(t *rapid.T) {
	m.runs++
	o := &teller{tick: func(d time.Duration) time.Time { return time.Unix(0, m.clock.Add(int64(d))) }}
	o.began = o.tick(0).Truncate(time.Second)
	o.told = []*telling{{}} // the first has number 1
	o.invalid, o.expired = make(map[string]int), make(map[string]int)
	m.origin.Store(o)
	t.Repeat(map[string]func(*rapid.T){
		"ask":       func(t *rapid.T) { m.ask(t, o) },
		"ask again": func(t *rapid.T) { m.ask(t, o) },
		"wait":      func(t *rapid.T) { o.tick(rapid.SampledFrom(waits).Draw(t, "wait")) },
		"join":      func(t *rapid.T) { m.join(t, o) },
		"purge":     func(t *rapid.T) { m.purge(t, o) },
	})
}

var waits = []time.Duration{time.Millisecond, 700 * time.Millisecond, time.Second, 3 * time.Second, 10 * time.Second, 2 * time.Minute}

// purge makes what is stored go, or stale; mostly it does nothing, so that something is stored.
func (m *modelled) purge(t *rapid.T, o *teller) {
	path := m.path(t)
	how := rapid.IntRange(0, 5).Draw(t, "how")
	if how > 1 {
		return
	}
	_, err := m.g.PurgeStored(gateway.StoredPurge{StoredSelection: gateway.StoredSelection{Match: "path:" + path}, Soft: how == 1})
	if err != nil {
		t.Fatal(err)
	}
	which := o.expired
	if how == 0 {
		which = o.invalid
	}
	which[path] = len(o.told) - 1
}

func (m *modelled) path(t *rapid.T) string {
	return fmt.Sprintf("/m%d/%s", m.runs, rapid.SampledFrom([]string{"a", "a", "a", "b"}).Draw(t, "path"))
}

// ask is one step with anything.
func (m *modelled) ask(t *rapid.T, o *teller) { m.step(t, o, m.question(t, o), drawPlan(t)) }

// step is a request, the answer, and all that the gateway does behind it.
func (m *modelled) step(t *rapid.T, o *teller, q *question, p plan) {
	m.steps++
	o.plan, o.before = p, len(o.told)
	r := m.exchange(t, q, o)
	m.quiet(t)
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.judge(q, o.told[o.before:], r); err != nil {
		t.Fatalf("%v\n%s", err, o.story(q, r))
	}
	m.count(o, r)
}

// count notes what has happened, so that it is known that everything does.
func (m *modelled) count(o *teller, r *reply) {
	gen, err := strconv.Atoi(r.header.Get("X-Gen"))
	switch {
	case r.status == 416:
		m.seen["416"]++
	case err != nil:
		m.seen["refused"]++
	case gen < o.before && len(o.told) > o.before:
		m.seen["stale"]++
	case gen < o.before:
		m.seen["old"]++
		m.seen[fmt.Sprint("old ", r.status)]++
	case o.told[gen].status == 304 && r.status != 304:
		m.seen["validated"]++
	case o.told[gen].status == 206 && r.status == 200 && o.told[gen].first > 0:
		m.seen["joined"]++
	default:
		m.seen["new"]++
	}
}

// join is two steps: the beginning of something is asked for, and then all of it.
func (m *modelled) join(t *rapid.T, o *teller) {
	first := plan{status: 200, ranges: true, control: "max-age=600", date: "0", size: 20}
	first.tag = rapid.SampledFrom([]string{`"`, `"`, `W/"`, ""}).Draw(t, "tag")
	q := &question{method: "GET", path: m.path(t), header: make(http.Header)}
	q.header.Set("Range", fmt.Sprintf("bytes=0-%d", rapid.IntRange(0, 18).Draw(t, "last")))
	m.step(t, o, q, first)
	rest := drawPlan(t)
	rest.ranges, rest.same = !one(t, 4, "refuses"), !one(t, 4, "other")
	m.step(t, o, &question{method: "GET", path: q.path, header: make(http.Header)}, rest)
}

// exchange sends q and reads the answer, on a connection that is kept.
func (m *modelled) exchange(t *rapid.T, q *question, o *teller) *reply {
	r := &reply{began: o.tick(0)}
	defer func() { r.ended = o.tick(0) }()
	if m.client == nil {
		theirs, ours := net.Pipe()
		ours.SetDeadline(time.Now().Add(time.Hour))
		go m.g.ServeConn(theirs)
		m.client, m.in = ours, bufio.NewReader(ours)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: shop.example\r\n", q.method, q.path)
	q.header.Write(&b)
	if q.method == "POST" || q.method == "PUT" {
		b.WriteString("Content-Length: 1\r\n\r\nx")
	} else {
		b.WriteString("\r\n")
	}
	io.WriteString(m.client, b.String())
	answer, err := http.ReadResponse(m.in, &http.Request{Method: q.method})
	if err != nil {
		r.err = err
		m.hangUp()
		return r
	}
	body, err := io.ReadAll(answer.Body)
	r.status, r.header, r.body, r.err = answer.StatusCode, answer.Header, string(body), err
	if err != nil || answer.Close {
		m.hangUp()
	}
	return r
}

func (m *modelled) hangUp() {
	m.client.Close()
	m.client = nil
}

// quiet waits until the gateway fetches nothing any more.
func (m *modelled) quiet(t *rapid.T) {
	for end := time.Now().Add(30 * time.Second); ; runtime.Gosched() {
		s, err := m.g.StoredStats()
		if err != nil || time.Now().After(end) {
			t.Fatalf("fetches do not end: %+v, %v", s, err)
		}
		if s.Fetches == 0 && s.Filling == 0 {
			return
		}
	}
}

// story tells what has happened to a URL.
func (o *teller) story(q *question, r *reply) string {
	var b strings.Builder
	for _, t := range o.told {
		if t.path == q.path {
			fmt.Fprintf(&b, "%v %s %v => %d %v cut %v\n", t.sent.Sub(o.began), t.method, t.asked, t.status, t.header, t.cut)
		}
	}
	fmt.Fprintf(&b, "invalid to %d, expired to %d, the last step from %d\n", o.invalid[q.path], o.expired[q.path], o.before)
	fmt.Fprintf(&b, "%v %s %v -> %d %v %q %v", r.began.Sub(o.began), q.method, q.header, r.status, r.header, r.body, r.err)
	return b.String()
}

// oneListener is a gateway in front of one origin, which is asked once, whatever happens.
const oneListener = `
listeners: [{ address: "127.0.0.1:0" }]
access_log: { format: off }
clusters:
  app:
    origins: [{ address: %q }]
    keep_alive: 0s
    retry: { retries: 0 }
    failover: { threshold: 1000, connect_failures: same }
sites: { shop: { hosts: [shop.example] } }
mappings: [{ site: shop, cluster: app }]
cache: { %s }
`
