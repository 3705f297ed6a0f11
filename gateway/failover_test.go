package gateway

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// planned is an origin that does to each request what the next word of its plan
// says, and serves what comes when the plan is at its end. Some words are about
// the connection: those never reach the socket.
type planned struct {
	name, addr string

	mu       sync.Mutex
	plan     []string
	seen     int // words of the plan that were carried out
	accepted int // connections
}

func newPlanned(tb testing.TB, name, plan string) *planned {
	o := &planned{name: name, plan: strings.Fields(plan)}
	socket := rawOrigin(tb, func(c net.Conn) {
		o.mu.Lock()
		o.accepted++
		o.mu.Unlock()
		o.serve(c)
	})
	o.addr = socket.Addr().String()
	return o
}

// next is the next word; ok when there is none.
func (o *planned) next() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.seen == len(o.plan) {
		return "ok"
	}
	o.seen++
	return o.plan[o.seen-1]
}

// progress is how many words were carried out, and how many connections came.
func (o *planned) progress() (seen, accepted int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.seen, o.accepted
}

func (o *planned) serve(c net.Conn) {
	r := bufio.NewReader(c)
	for {
		head, err := readRawHead(r)
		if err != nil {
			return
		}
		readRawBody(r, head)
		if !o.do(c, r, o.next()) {
			return
		}
	}
}

// do carries a word out and reports whether the connection goes on.
func (o *planned) do(c net.Conn, r *bufio.Reader, word string) bool {
	switch word {
	case "ok":
		word = "200"
	case "reset":
		c.(*net.TCPConn).SetLinger(0)
		return false
	case "close":
		return false
	case "silent":
		r.ReadByte()
		return false
	case "nonsense":
		io.WriteString(c, "nonsense\r\n\r\n")
		return false
	case "large":
		io.WriteString(c, "HTTP/1.1 200 OK\r\nX: "+strings.Repeat("x", 200<<10)+"\r\n\r\n")
		return false
	}
	code, cut := strings.CutSuffix(word, "-cut")
	code, stalls := strings.CutSuffix(code, "-stall")
	length := 2
	if cut || stalls {
		length = 3
	}
	_, err := fmt.Fprintf(c, "HTTP/1.1 %s Planned\r\nX-Origin: %s\r\nContent-Length: %d\r\n\r\nok", code, o.name, length)
	if stalls {
		r.ReadByte()
	}
	return err == nil && !cut
}

// plannedErrors are the words that are about the connection.
var plannedErrors = map[string]error{
	"refused":     syscall.ECONNREFUSED,
	"unreachable": syscall.EHOSTUNREACH,
	"no-such-host": &net.DNSError{
		Err: "no such host", Name: "s1.example", IsNotFound: true,
	},
	"dns-is-down":    &net.DNSError{Err: "server misbehaving", Name: "s1.example", IsTemporary: true},
	"no-descriptors": &net.OpError{Op: "dial", Net: "tcp", Err: syscall.EMFILE},
	"no-ports":       &net.OpError{Op: "dial", Net: "tcp", Err: syscall.EADDRNOTAVAIL},
}

// dial is what a gateway connects with to an origin whose plan has such words.
func (o *planned) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	o.mu.Lock()
	if addr == o.addr && o.seen < len(o.plan) {
		if err := plannedErrors[o.plan[o.seen]]; err != nil {
			o.seen++
			o.mu.Unlock()
			return nil, err
		}
	}
	o.mu.Unlock()
	return dialTCP(ctx, network, addr)
}

// failoverText is a cluster of two origins whose connections serve once, so that
// each request connects.
const failoverText = plainListener + `clusters: { app: { origins: [{ name: %s, address: %q }, { name: %s, address: %q }], keep_alive: 0s%s } }
`

// Which failures eject an origin, and how many: s1 does what its plan says, one
// word for every other request, and s2 serves.
func TestEjection(t *testing.T) {
	t.Parallel()
	times := func(n int, word string) string { return strings.Repeat(word+" ", n) }
	for _, tt := range []struct {
		name     string
		settings string // of failover
		plan     string
		ejected  bool // with the last word, and not before
	}{
		{"M-FO-01: four, a success, four", "", times(4, "503") + "ok " + times(4, "503"), false},
		{"M-FO-01: five in a row", "", times(5, "503"), true},
		{"M-FO-01: five after a success", "", times(4, "503") + "ok " + times(5, "503"), true},
		{"M-FO-01: another threshold", "threshold: 2", times(2, "503"), true},
		{"X-27: five of all kinds", "", "502 reset 503 silent 504", true},
		{"X-27: resets", "", times(5, "reset"), true},
		{"X-27: closed without an answer", "", times(5, "close"), true},
		{"X-27: nonsense", "", times(5, "nonsense"), true},
		{"X-27: heads too large", "", times(5, "large"), true},
		{"X-27: time-outs", "", times(5, "silent"), true},
		{"X-27: answers that break off", "", times(5, "200-cut"), true},
		{"X-27: answers that stall", "count: [timeout]", times(5, "200-stall"), true},
		{"X-27: which are not broken off", "count: [reset]", times(5, "200-stall"), false},
		{"X-27: an answer that is a failure and breaks off is one failure", "threshold: 3", times(2, "503-cut"), false},
		{"X-27: and the third such ejects", "threshold: 3", times(3, "503-cut"), true},
		{"X-27: an answer that does not count and breaks off counts", "", times(5, "500-cut"), true},
		{"X-27: 500 does not count", "", times(9, "500"), false},
		{"X-27: what does not count resets nothing", "", times(4, "503") + "500 503", true},
		{"X-27: 4xx is a success", "", times(4, "503") + "404 " + times(4, "503"), false},
		{"D-WC-05: 500 with all-5xx", "count: [all-5xx]", times(5, "500"), true},
		{"D-WC-05: 599 with all-5xx", "count: [all-5xx]", times(5, "599"), true},
		{"D-WC-05: not 501 and 505", "count: [all-5xx]", times(4, "501 505"), false},
		{"D-WC-05: 501 is a success", "count: [all-5xx]", times(4, "500") + "501 " + times(4, "500"), false},
		{"X-27: only what is listed counts", "count: [reset]", times(7, "503") + times(4, "reset"), false},
		{"X-27: and resets nothing", "count: [reset]", times(4, "reset") + "503 reset", true},
		{"X-27: nothing counts", "count: []", times(6, "503") + times(6, "reset"), false},
		{"M-FO-01: one failed connect", "", "refused", true},
		{"M-FO-01: one failed connect after successes", "", "ok ok unreachable", true},
		{"M-FO-01: no such host", "", "no-such-host", true},
		{"M-FO-01: three failed connects", "connect_failures: 3", "refused refused refused", true},
		{"M-FO-01: two, a success, two", "connect_failures: 3", "refused refused ok refused refused", false},
		{"M-FO-01: connects as others, four", "connect_failures: same", times(4, "refused"), false},
		{"M-FO-01: connects as others, five", "connect_failures: same", times(5, "refused"), true},
		{"M-FO-01: connects and others together", "connect_failures: same", "refused 503 reset refused silent", true},
		{"X-27: our descriptors", "", times(9, "no-descriptors"), false},
		{"X-27: our ports", "", times(9, "no-ports"), false},
		{"X-27: our name server", "", times(9, "dns-is-down"), false},
		{"X-27: local errors reset nothing", "", times(4, "503") + "no-descriptors 503", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s1, s2 := newPlanned(t, "s1", tt.plan), newPlanned(t, "s2", "")
			settings := ", retry: { retries: 0 }, failover: { " + tt.settings + " }"
			if strings.Contains(tt.plan, "silent") {
				settings += ", first_byte_timeout: 400ms"
			}
			if strings.Contains(tt.plan, "stall") {
				settings += ", body_idle_timeout: 200ms"
			}
			addr, g := start(t, fmt.Sprintf(failoverText, s1.name, s1.addr, s2.name, s2.addr, settings), Options{Dial: s1.dial})
			words := len(strings.Fields(tt.plan))
			for i := range words {
				if seen, _ := s1.progress(); seen != i || !statusOf(t, g, "s1").Up {
					t.Fatalf("after %d words of %q, health is %s", seen, tt.plan, statusOf(t, g, "s1").Health)
				}
				everyOther(t, addr, g)
			}
			s := statusOf(t, g, "s1")
			if seen, _ := s1.progress(); s.Up == tt.ejected || seen != words {
				t.Errorf("after %d words of %q, health is %s", seen, tt.plan, s.Health)
			}
			if tt.ejected {
				stayAway(t, addr, s1)
				wantEjection(t, s)
			}
		})
	}
}

// everyOther sends two requests, one for each origin in turn, of which the
// second is served. It returns when the gateway has done with them.
func everyOther(t *testing.T, addr string, g *Gateway) {
	t.Helper()
	for _, target := range []string{"/planned", "/served"} {
		c := goGET(t, addr, target)
		a, err := readTold(c.r, "GET")
		c.c.Close()
		if target == "/served" && (err != nil || a.status != 200 || a.origin() != "s2") {
			t.Errorf("s2 was to answer, but %d by %q came (%v)", a.status, a.origin(), err)
		}
		until(t, "the exchange is over", func() bool { return g.Status().Exchanges == 0 })
	}
}

// stayAway checks that no request reaches an origin that is out, or tries to.
func stayAway(t *testing.T, addr string, out *planned) {
	t.Helper()
	_, before := out.progress()
	for range 10 {
		if a := askFor(t, addr, "a.example", "/"); a.status != 200 || a.origin() != "s2" {
			t.Errorf("M-FO-02: answered %d by %q, want s2", a.status, a.origin())
		}
	}
	if _, after := out.progress(); after != before {
		t.Errorf("M-FO-02: %d connections reached the origin that is out", after-before)
	}
}

// wantEjection checks the evidence of an ejection.
func wantEjection(t *testing.T, s OriginStatus) {
	t.Helper()
	if s.Health != "ejected" || s.Since.IsZero() || s.LastError == "" || s.LastErrorAt.IsZero() || len(s.Transitions) != 1 {
		t.Fatalf("status tells %+v", s)
	}
	if tr := s.Transitions[0]; tr.To.String() != "ejected" || tr.Why == "" || tr.Failures == 0 || tr.Cluster != "app" || !tr.At.Equal(s.Since) {
		t.Errorf("the change is told as %+v", tr)
	}
}

// The last origin that is usable is not ejected because of how it answers: that
// is better than nothing. One that cannot be reached is no use.
func TestLastUsableOrigin(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, plan, settings string
		up                   int // origins that stay in service
		status               int // of the last answer
	}{
		{"X-27: statuses", strings.Repeat("503 ", 100), "", 1, 503},
		{"X-27: statuses, all-5xx", strings.Repeat("500 ", 100), "count: [all-5xx]", 1, 500},
		{"X-27: failed connects", strings.Repeat("refused ", 100), "", 0, 503},
		{"X-27: resets", strings.Repeat("reset ", 100), "", 1, 502},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s1, s2 := newPlanned(t, "s1", tt.plan), newPlanned(t, "s2", tt.plan)
			text := fmt.Sprintf(failoverText, s1.name, s1.addr, s2.name, s2.addr, ", retry: { retries: 0 }, failover: { "+tt.settings+" }")
			addr, g := start(t, text, Options{Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
				if addr == s1.addr {
					return s1.dial(ctx, network, addr)
				}
				return s2.dial(ctx, network, addr)
			}})
			var last told
			for range 20 {
				last = askFor(t, addr, "a.example", "/")
			}
			up := 0
			for _, o := range g.Status().Origins {
				if o.Up {
					up++
				}
			}
			if up != tt.up || last.status != tt.status {
				t.Errorf("%d are up, the last answer was %d %q; want %d and %d", up, last.status, last.body, tt.up, tt.status)
			}
		})
	}
}

// What is at an origin when it dies ends in an error, unless it may be done
// twice; what comes then goes elsewhere.
func TestRequestsInFlightAtAFailure(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, head, settings string
		repeated             bool
	}{
		{"M-FO-04: POST", "POST /%d HTTP/1.1\r\nHost: a.example\r\nContent-Length: 0", "", false},
		{"M-FO-04: GET without retries", "GET /%d HTTP/1.1\r\nHost: a.example", ", retry: { retries: 0 }", false},
		{"X-28: GET", "GET /%d HTTP/1.1\r\nHost: a.example", "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newHolding(t, "s1", "s2")
			addr, g := start(t, plainListener+"clusters: { app: { origins: "+h.list(50, 50)+tt.settings+" } }\n", Options{})
			at := map[string][]*holdClient{}
			var held []*heldRequest
			for i := range 6 {
				c := goHold(t, addr, fmt.Sprintf(tt.head, i))
				one := h.next()
				at[one.origin] = append(at[one.origin], c)
				if one.origin == "s2" {
					held = append(held, one)
				}
			}
			h.named("s1").kill()
			if tt.repeated {
				for range at["s1"] {
					held = append(held, h.next())
				}
			} else {
				for _, c := range at["s1"] {
					if a := c.told(); a.status != 502 || !strings.Contains(a.body, "origin_reset") {
						t.Errorf("answered %d %q, want 502", a.status, a.body)
					}
				}
				h.none("of those that may not be repeated")
				at["s1"] = nil
			}
			fourth := goHold(t, addr, "POST /then HTTP/1.1\r\nHost: a.example\r\nContent-Length: 0")
			if tt.settings != "" { // that one may find out that nobody is there
				readTold(fourth.r, "POST")
				fourth = goHold(t, addr, "POST /then HTTP/1.1\r\nHost: a.example\r\nContent-Length: 0")
			}
			held = append(held, h.next())
			if got := originsOf(held); slices.Contains(got, "s1") {
				t.Errorf("they are at %v, want s2", got)
			}
			release(append(append(at["s2"], at["s1"]...), fourth), held)
			untilIdle(t, g)
		})
	}
}

// A further attempt goes to an origin that has not failed the request, also if it
// has to wait for it, and to the one that has only if there is no place to wait.
func TestFurtherAttemptGoesElsewhere(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		queue int
		want  string
	}{
		{"M-ALG-13: it waits", 1, "s2"},
		{"M-ALG-13: it cannot wait", 0, "s1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newHolding(t, "s1", "s2")
			addr, g := start(t, plainListener+fmt.Sprintf("clusters: { app: { origins: %s, queue: { size: %d } } }\n", h.list(1, 1), tt.queue), Options{})
			clients, held := h.hold(addr, 2)
			held[0].answer <- "nonsense\r\n\r\n" // an answer, and so not repeated
			if a := clients[0].told(); a.status != 502 {
				t.Fatalf("answered %d", a.status)
			}
			c := goGET(t, addr, "/further")
			first := h.next()
			h.named("s1").reset()
			if tt.queue > 0 {
				untilWaiting(t, g, 1)
				close(held[1].answer)
			}
			again := h.next()
			if first.origin != "s1" || again.origin != tt.want {
				t.Errorf("it went to %s, and then to %s; want s1 and %s", first.origin, again.origin, tt.want)
			}
			close(again.answer)
			if tt.queue == 0 {
				close(held[1].answer)
			}
			for _, c := range []*holdClient{clients[1], c} {
				if a := c.told(); a.status != 200 {
					t.Errorf("answered %d %q", a.status, a.body)
				}
			}
			untilIdle(t, g)
		})
	}
}
