package gateway

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// What is wrong with an origin is found, kept and forgotten at the right time.
func TestReportsOfHealth(t *testing.T) {
	for _, tt := range []struct {
		name, settings string
		test           func(t *testing.T, b *bubble, s1, s2 *wellness, log *bytes.Buffer)
	}{
		{"HF-01: an origin that was down comes back", ", health: { path: /check, interval: 1s, down_after: 3, up_after: 2 }", reportComesBack},
		{"HF-14: back within two checks, and its sessions served meanwhile", ", session: JSESSIONID, health: { path: /check, interval: 1s, down_after: 1, up_after: 1 }", reportStickyOutage},
		{"HF-14: the same by pings", ", session: JSESSIONID, failover: { ping: { path: /check, interval: 1s } }", reportStickyOutage},
	} {
		t.Run(tt.name, func(t *testing.T) {
			log := new(bytes.Buffer)
			o := Options{Logger: slog.New(slog.NewTextHandler(log, nil))}
			inWellBubble(t, 50, tt.settings, o, func(t *testing.T, b *bubble, s1, s2 *wellness) { tt.test(t, b, s1, s2, log) })
		})
	}
}

func reportComesBack(t *testing.T, b *bubble, s1, s2 *wellness, log *bytes.Buffer) {
	s1.with(func() { s1.refuses = true })
	if bad := b.getFor(time.Minute, 100*time.Millisecond); bad != 0 {
		t.Errorf("%d requests failed", bad)
	}
	if s := statusOf(t, b.g, "s1"); s.Health != "down" {
		t.Errorf("health is %s", s.Health)
	}
	s1.with(func() { s1.refuses = false })
	_, _, before := s1.counts()
	b.getFor(3*time.Second, 100*time.Millisecond)
	if _, _, after := s1.counts(); after < before+5 || !statusOf(t, b.g, "s1").Up {
		t.Errorf("three intervals after it was back it had %d requests", after-before)
	}
	for _, want := range []string{`msg="origin down"`, `msg="origin up"`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log tells %s, want %s", log, want)
		}
	}
}

func reportStickyOutage(t *testing.T, b *bubble, s1, s2 *wellness, _ *bytes.Buffer) {
	s1.with(func() { s1.fields = "Set-Cookie: JSESSIONID=one; Path=/\r\n" })
	b.get(bubbleGET) // begins the session at s1
	const bound = "GET / HTTP/1.1\r\nHost: a.example\r\nCookie: JSESSIONID=one\r\n\r\n"
	get := func(d time.Duration) {
		for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
			if status := b.get(bound); status != "200" {
				t.Errorf("%v after the beginning, answered %s", b.took(), status)
			}
		}
	}
	get(time.Second)
	if _, _, n := s1.counts(); n != 21 {
		t.Errorf("%d requests reached s1, want 21", n)
	}
	s1.with(func() { s1.refuses = true })
	get(2 * time.Second)
	s1.with(func() { s1.refuses = false })
	get(2*time.Second + 10*time.Millisecond)
	if s := statusOf(t, b.g, "s1"); !s.Up {
		t.Errorf("two intervals after it was back, s1 is %s", s.Health)
	}
}

// reportNodes are the origins of a bubble by number, whose list changes.
type reportNodes [5]*wellness

func (ns *reportNodes) config(tb testing.TB, numbers ...int) string {
	var list []string
	for _, n := range numbers {
		list = append(list, fmt.Sprintf("{ name: n%d, address: \"n%[1]d.example:80\" }", n))
	}
	return plainListener + "clusters: { app: { origins: [" + strings.Join(list, ", ") + "], health: { path: /check, interval: 200ms, down_after: 2, up_after: 2 } } }\n"
}

func (ns *reportNodes) dial(addr string) script {
	var n int
	fmt.Sscanf(addr, "n%d.example:80", &n)
	return ns[n].dial()
}

// The list of origins changes: what is known of those that stay is kept, and
// whoever goes is left alone.
func TestReportsOfChangedLists(t *testing.T) {
	run := func(t *testing.T, lists [][]int, test func(t *testing.T, b *bubble, ns *reportNodes, apply func(i int))) {
		ns := new(reportNodes)
		for i := range ns {
			ns[i] = &wellness{checked: 200, served: "200"}
		}
		var texts []string
		for _, list := range lists {
			texts = append(texts, ns.config(t, list...))
		}
		inBubbleOf(t, texts[0], Options{}, ns.dial, func(t *testing.T, b *bubble) {
			test(t, b, ns, func(i int) { apply(t, b.g, texts[i]) })
		})
	}
	t.Run("HF-05: who is gone is not checked", func(t *testing.T) {
		run(t, [][]int{{1, 2}, {1}}, func(t *testing.T, b *bubble, ns *reportNodes, apply func(int)) {
			time.Sleep(5 * time.Second)
			_, before, _ := ns[2].counts()
			_, other, _ := ns[1].counts()
			apply(1)
			time.Sleep(5 * time.Second)
			if _, after, _ := ns[2].counts(); after > before || before < 20 {
				t.Errorf("%d checks before it went, %d after", before, after-before)
			}
			if _, after, _ := ns[1].counts(); after < other+20 {
				t.Errorf("%d checks of the other in 5 s", after-other)
			}
		})
	})
	t.Run("HF-03: dead ones stay out when one is added", func(t *testing.T) {
		run(t, [][]int{{0, 1, 2, 3}, {0, 1, 2, 3, 4}}, func(t *testing.T, b *bubble, ns *reportNodes, apply func(int)) {
			for _, n := range ns[:3] {
				n.with(func() { n.refuses = true; n.checked = 503 })
			}
			b.getFor(2*time.Second, 10*time.Millisecond)
			for _, n := range ns[:3] {
				n.with(func() { n.refuses = false; n.served = "" }) // whoever comes now is seen
			}
			apply(1)
			if bad := b.getFor(2*time.Second, 10*time.Millisecond); bad != 0 {
				t.Errorf("%d requests failed after the change", bad)
			}
			for i, n := range ns {
				if _, _, requests := n.counts(); (requests > 0) != (i >= 3) {
					t.Errorf("n%d had %d requests", i, requests)
				}
			}
		})
	})
	t.Run("HF-06: a bad one stays out while others come and go", func(t *testing.T) {
		run(t, [][]int{{1, 2, 3}, {1, 2}}, func(t *testing.T, b *bubble, ns *reportNodes, apply func(int)) {
			ns[1].with(func() { ns[1].checked, ns[1].served = 503, "503" })
			time.Sleep(2 * time.Second)
			for i := range 10 {
				apply((i + 1) % 2)
				before := [4]int{}
				for n := 1; n < 4; n++ {
					_, before[n], _ = ns[n].counts()
				}
				if bad := b.getFor(2*time.Second, 100*time.Millisecond); bad != 0 {
					t.Errorf("%d requests failed", bad)
				}
				for n := 1; n < 4; n++ {
					_, checks, _ := ns[n].counts()
					if checked, want := checks-before[n] >= 8, n < 3 || i%2 == 1; checked != want {
						t.Errorf("change %d: n%d was checked %d times", i, n, checks-before[n])
					}
				}
			}
			if _, _, requests := ns[1].counts(); requests != 0 {
				t.Errorf("the bad one had %d requests", requests)
			}
		})
	})
}

// A check reads a bounded part, gives up in time, and goes on, whatever comes.
func TestReportsOfChecks(t *testing.T) {
	t.Run("HF-16: a large answer, then silence, then all is well", func(t *testing.T) {
		var mode atomic.Pointer[string]
		set := func(m string) { mode.Store(&m) }
		set("large")
		var checks atomic.Int32
		script := func(r *bufio.Reader, w net.Conn) {
			readHead(r)
			checks.Add(1)
			switch *mode.Load() {
			case "large":
				io.WriteString(w, "HTTP/1.1 404 Not Found\r\nContent-Length: 1000000\r\n\r\n"+strings.Repeat("x", 300<<10))
				readHead(r) // never ends it
			case "silent":
				readHead(r)
			default:
				io.WriteString(w, bubbleOK)
			}
		}
		text := plainListener + `clusters: { app: { origins: [{ name: s1, address: "s1.example:80" }], health: { path: /check, interval: 1s, timeout: 500ms } } }` + "\n"
		inBubbleOf(t, text, Options{}, everywhere(script), func(t *testing.T, b *bubble) {
			for _, step := range []struct{ mode, health string }{
				{"large", "down"}, {"well", "up"}, {"silent", "down"}, {"large", "down"}, {"well", "up"},
			} {
				set(step.mode)
				before := checks.Load()
				time.Sleep(8 * time.Second)
				if n := checks.Load() - before; n < 7 || n > 10 {
					t.Errorf("%s: %d checks in 8 s", step.mode, n)
				}
				if got := statusOf(t, b.g, "s1").Health; got != step.health {
					t.Errorf("%s: health is %s, want %s", step.mode, got, step.health)
				}
			}
		})
	})
}

// Nothing that origins answer to a few keeps all of them out for ever.
func TestReportsOfAllDown(t *testing.T) {
	t.Parallel()
	t.Run("HF-04: failures of one mapping, and all down", func(t *testing.T) {
		t.Parallel()
		var refuses atomic.Bool
		missing := reportAnswering(func(head, _ string) string {
			if strings.HasPrefix(head, "GET /7/") {
				return "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno"
			}
			return reportOK
		})
		one, other := newReportOrigin(t, missing), newReportOrigin(t, missing)
		var mappings []string
		for i := range 200 {
			mappings = append(mappings, fmt.Sprintf("{ site: all, prefix: /%d/, cluster: app }", i))
		}
		text := plainListener + fmt.Sprintf("clusters: { app: { origins: [{ name: s1, address: %q }, { name: s2, address: %q }], keep_alive: 0s, retry: { retries: 0 } } }\nsites: { all: { hosts: [a.example] } }\nmappings: [%s]\n", one.addr, other.addr, strings.Join(mappings, ", "))
		addr, _ := start(t, text, Options{Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
			if refuses.Load() {
				return nil, syscall.ECONNREFUSED
			}
			return dialTCP(ctx, network, addr)
		}})
		for i := range 200 {
			askFor(t, addr, "a.example", fmt.Sprintf("/%d/", []int{i, 7}[i%2]))
		}
		refuses.Store(true)
		for i := range 4 {
			a := askFor(t, addr, "a.example", "/1/")
			if want := []int{502, 502, 503, 503}[i]; a.status != want || want == 503 && a.header.Get("Retry-After") == "" {
				t.Errorf("request %d while all refuse: %d, Retry-After %q; want %d", i, a.status, a.header.Get("Retry-After"), want)
			}
		}
		refuses.Store(false)
		until(t, "one is back, though nothing checks them", func() bool {
			return askFor(t, addr, "a.example", "/2/").status == 200
		})
	})
}

// What an origin may have begun is not begun again, and as many attempts are made
// as are allowed.
func TestReportsOfRetries(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, request string }{
		{"HF-11: POST that times out", "POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi"},
		{"HF-13: GET that times out", "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			slow := func(c *reportConn) {
				c.request()
				c.head() // works on, until the gateway has gone
			}
			one, other := newReportOrigin(t, slow), newReportOrigin(t, slow)
			text := fmt.Sprintf("clusters: { app: { origins: [{ address: %q }, { address: %q }], first_byte_timeout: 100ms, retry: { retries: 3, budget: 100%% } } }\n", one.addr, other.addr)
			addr, _ := start(t, plainListener+text, Options{})
			if got := send(t, addr, tt.request); !strings.HasPrefix(got, "HTTP/1.1 504 ") {
				t.Errorf("answered %q, want 504", got)
			}
			if n := len(one.seen()) + len(other.seen()); n != 1 {
				t.Errorf("the request was sent %d times", n)
			}
		})
	}
	for _, retries := range []int{0, 1, 3} {
		t.Run(fmt.Sprintf("HF-15: all refuse, %d retries", retries), func(t *testing.T) {
			t.Parallel()
			var connects atomic.Int32
			refuse := Options{Dial: func(context.Context, string, string) (net.Conn, error) {
				connects.Add(1)
				return nil, syscall.ECONNREFUSED
			}}
			text := fmt.Sprintf("clusters: { app: { origins: [{ address: \"one.example:80\" }, { address: \"two.example:80\" }, { address: \"three.example:80\" }], retry: { retries: %d }, failover: { connect_failures: same, threshold: 1000 } } }\n", retries)
			addr, _ := start(t, plainListener+text, refuse)
			began := time.Now()
			if a := askFor(t, addr, "a.example", "/"); a.status != 502 {
				t.Errorf("answered %d", a.status)
			}
			if took := time.Since(began); took > 2*time.Second || connects.Load() != int32(1+retries) {
				t.Errorf("%d connects and %v, want %d and no time", connects.Load(), took, 1+retries)
			}
		})
	}
}
