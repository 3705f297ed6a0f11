package gateway

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// reportBusy is an origin that knows how many requests it had at once.
type reportBusy struct {
	*reportOrigin
	name         string
	now, most    atomic.Int32
	all, checked atomic.Int32
}

// newReportBusy runs an origin whose answer to request n is made by answer;
// empty: it closes. Checks are answered and not counted.
func newReportBusy(tb testing.TB, name string, answer func(n int32) string) *reportBusy {
	o := &reportBusy{name: name}
	o.reportOrigin = newReportOrigin(tb, func(c *reportConn) {
		for {
			head, _ := c.request()
			switch {
			case head == "":
				return
			case strings.HasPrefix(head, "GET /check "):
				o.checked.Add(1)
				c.say(reportOK)
				return
			}
			if text := o.count(answer); text == "" || c.say(text) != nil {
				return
			}
		}
	})
	return o
}

func (o *reportBusy) count(answer func(n int32) string) string {
	now := o.now.Add(1)
	defer o.now.Add(-1)
	for most := o.most.Load(); now > most && !o.most.CompareAndSwap(most, now); most = o.most.Load() {
	}
	return answer(o.all.Add(1))
}

// reportStorm sends n requests by each of some clients at once, on connections
// that are kept, and returns how often each status came; 0: none did.
func reportStorm(tb testing.TB, g *reportGateway, clients, n int) map[int]int {
	var mu sync.Mutex
	counts := make(map[int]int)
	var storm sync.WaitGroup
	for range clients {
		storm.Go(func() {
			c := g.client(tb)
			defer c.Close()
			for range n {
				c.say("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")
				a := c.answer("GET")
				mu.Lock()
				counts[a.code]++
				mu.Unlock()
				if a.code == 503 && !strings.Contains(strings.ToLower(a.head), "\r\nretry-after: ") && !strings.Contains(a.body, "planned") {
					tb.Errorf("a refusal without Retry-After: %q", a.head)
				}
				if a.code == 0 {
					return
				}
			}
		})
	}
	storm.Wait()
	return counts
}

// reportCluster is the configuration of a cluster of such origins.
func reportCluster(os []*reportBusy, capacity int, settings string) string {
	var list []string
	for _, o := range os {
		list = append(list, fmt.Sprintf("{ name: %s, address: %q, capacity: %d }", o.name, o.addr, capacity))
	}
	return "listeners: [{ address: \"127.0.0.1:0\" }]\naccess_log: { path: stderr }\nclusters: { app: { origins: [" + strings.Join(list, ", ") + "]" + settings + " } }\n"
}

const reportFails = "HTTP/1.1 500 No\r\nContent-Length: 7\r\n\r\nplanned"

// Origins that fail do not take the others with them.
func TestReportsOfEjection(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		well     int // of ten
		answer   func(n int32) string
		mayFail  bool // all of the answers, and not only those of the sick
		capacity int
	}{
		{"LB-08: eight of ten fail at every other request", 2, func(n int32) string { return []string{reportOK, reportFails}[n%2] }, false, 4},
		{"LB-08: eight of ten fail always", 2, func(int32) string { return reportFails }, false, 4},
		{"LB-08: ten of ten fail always", 0, func(int32) string { return reportFails }, true, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var all []*reportBusy
			for i := range 10 {
				answer := tt.answer
				if i < tt.well {
					answer = func(int32) string { return reportOK }
				}
				all = append(all, newReportBusy(t, fmt.Sprintf("s%d", i), answer))
			}
			g := startReportYAML(t, reportCluster(all, tt.capacity, ", queue: { size: 1000, timeout: 30s }, failover: { count: [all-5xx] }"))
			counts := reportStorm(t, g, 40, 20)
			if counts[200]+counts[500] != 40*20 || tt.mayFail != (counts[200] == 0) {
				t.Errorf("answered %v", counts)
			}
			up, ejected := 0, 0
			for i, o := range g.Status().Origins {
				if o.Up {
					up++
				} else if o.Health != "ejected" || o.LastError != "answered 500" || len(o.Transitions) == 0 {
					t.Errorf("status tells %+v", o)
				} else {
					ejected++
				}
				if most := all[i].most.Load(); most > int32(tt.capacity) {
					t.Errorf("%s had %d requests at once", o.Name, most)
				}
				if !o.Up && i < tt.well {
					t.Errorf("%s was well, and is %s", o.Name, o.Health)
				}
			}
			if want := max(1, tt.well); up < want {
				t.Errorf("%d are up and %d ejected, want at least %d up", up, ejected, want)
			}
		})
	}
}

// Whatever comes at once, no origin gets more than it can take.
func TestReportsOfLimits(t *testing.T) {
	t.Parallel()
	t.Run("SQ-04: a burst with failures, checks and reloads", func(t *testing.T) {
		t.Parallel()
		const capacity, clients, each = 17, 200, 6
		var all []*reportBusy
		for i := range 8 {
			all = append(all, newReportBusy(t, fmt.Sprintf("s%d", i), func(n int32) string {
				if n%11 == 0 {
					return "" // the connection breaks, and the request is repeated
				}
				return reportOK
			}))
		}
		text := reportCluster(all, capacity, ", queue: { size: 1000, timeout: 30s }, retry: { retries: 3, budget: 100% }, failover: { threshold: 1000 }, health: { path: /check, interval: 100ms }")
		g := startReportYAML(t, text)
		done := make(chan map[int]int)
		go func() { done <- reportStorm(t, g, clients, each) }()
		var counts map[int]int
		for i := 0; counts == nil; i++ {
			select {
			case counts = <-done:
			default:
				apply(t, g.Gateway, text+fmt.Sprintf("limits: { body_bytes: %dMiB }\n", 1+i%3))
			}
		}
		if counts[200] < clients*each*99/100 || counts[0]+counts[503] > 0 {
			t.Errorf("answered %v", counts)
		}
		for _, o := range all {
			if most := o.most.Load(); most > capacity || o.all.Load() == 0 {
				t.Errorf("%s had %d of %d requests at once, want at most %d", o.name, most, o.all.Load(), capacity)
			}
		}
		untilIdle(t, g.Gateway)
	})
	t.Run("SQ-05: ten times too many, a short queue, and origins that come and go", func(t *testing.T) {
		t.Parallel()
		const capacity = 2
		held := make(chan bool)
		answer := func(n int32) string {
			if n <= 2*capacity {
				<-held // until some were refused
			}
			if n%13 == 0 {
				return ""
			}
			return reportOK
		}
		all := []*reportBusy{newReportBusy(t, "s1", answer), newReportBusy(t, "s2", answer)}
		text := reportCluster(all, capacity, ", queue: { size: 1, timeout: 20s }, failover: { threshold: 1000 }")
		g := startReportYAML(t, text)
		done := make(chan map[int]int)
		go func() { done <- reportStorm(t, g, 10*2*capacity, 20) }()
		until(t, "some are refused", func() bool { return g.metrics.Refusals[QueueFull].Routed.Load() > 20 })
		close(held)
		var counts map[int]int
		for i := 0; counts == nil; i++ {
			select {
			case counts = <-done:
			default:
				state := []string{"serving", "maintenance"}[i%2]
				apply(t, g.Gateway, strings.Replace(text, "name: s2,", "name: s2, state: "+state+",", 1))
			}
		}
		if counts[200] == 0 || counts[503] == 0 || counts[0] > 0 {
			t.Errorf("answered %v", counts)
		}
		for _, o := range all {
			if most := o.most.Load(); most > capacity {
				t.Errorf("%s had %d requests at once", o.name, most)
			}
		}
		apply(t, g.Gateway, text)
		untilIdle(t, g.Gateway)
		if after := reportStorm(t, g, 1, 20); after[200] < 19 {
			t.Errorf("afterwards, answered %v", after)
		}
	})
}

// Who closes has gone, for every cluster alike; who ends its half waits.
func TestReportsOfClientsThatLeave(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		leave   func(c *reportConn)
		reaches bool // the answer
	}{
		{"SQ-02: closes", func(c *reportConn) { c.Close() }, false},
		{"SQ-03: resets", func(c *reportConn) { rst(c.TCPConn) }, false},
		{"SQ-03: ends its half", func(c *reportConn) { c.CloseWrite() }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			came, answer, ended := make(chan bool), make(chan bool), make(chan bool, 2)
			work := func(c *reportConn) {
				c.request()
				came <- true
				if tt.reaches {
					<-answer
					c.say(reportOK)
				}
				io.Copy(io.Discard, c.in)
				ended <- true
			}
			one, other := newReportOrigin(t, work), newReportOrigin(t, work)
			g := startReportYAML(t, fmt.Sprintf(`
listeners: [{ address: "127.0.0.1:0" }]
access_log: { path: stderr }
clusters: { one: { origins: [{ address: %q }], keep_alive: 0s }, other: { origins: [{ address: %q }], keep_alive: 0s } }
sites: { all: { hosts: [a.example] } }
mappings: [{ site: all, prefix: /one, cluster: one }, { site: all, cluster: other }]
`, one.addr, other.addr))
			for _, target := range []string{"/one", "/other"} {
				c := g.client(t)
				c.say("GET " + target + " HTTP/1.1\r\nHost: a.example\r\n\r\n")
				<-came
				tt.leave(c)
				if tt.reaches {
					if a := c.answer("GET"); !strings.HasPrefix(a.head, "HTTP/1.1 102 ") {
						t.Errorf("%s: got %q, want 102 first", target, a.head)
					}
					answer <- true
					if a := c.answer("GET"); a.code != 200 || a.body != "ok" {
						t.Errorf("%s: got %q %q", target, a.head, a.body)
					}
				}
				<-ended // the origin's connection
			}
			awaitReport(t, "the end of all connections", func() bool { return g.Status().Connections == 0 })
			untilIdle(t, g.Gateway)
		})
	}
}
