package gateway

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"weirkeep/gateway/metrics"
)

// What the cache did for an exchange stands in its line of the access log and is counted.
func TestCacheOutcomesAreSeen(t *testing.T) {
	t.Parallel()
	log := new(lockedBuffer)
	s := newShopOf(t, ", stale: { if_error: 1h }", Options{Stderr: log})
	s.answer = func(string) (string, string) { return "Cache-Control: max-age=60\r\nETag: \"v1\"\r\n", "page" }
	var want []string
	visitShop := func(method, outcome string) {
		send(t, s.addr, method+" /x HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n")
		want = append(want, outcome)
		until(t, "the exchange is recorded", func() bool { return strings.Count(log.String(), "\n") == len(want) })
	}
	visitShop("GET", "miss")
	visitShop("GET", "hit")
	visitShop("OPTIONS", "pass")
	s.clock.Store(100)
	s.home.status = func() string { return "304 Not Modified" }
	visitShop("GET", "revalidated")
	s.clock.Store(200)
	s.home.status = func() string { return "503 Service Unavailable" }
	visitShop("GET", "stale")
	var got []string
	for _, l := range lines(t, log.String()) {
		got = append(got, l.Cache)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the log says %v, want %v", got, want)
	}
	for name, c := range s.g.Metrics().Current().Caches() {
		for o := range c.Outcomes {
			n, wants := c.Outcomes[o].Load(), slices.Contains(want, metrics.CacheOutcome(o).String())
			if (n == 1) != wants || n > 1 {
				t.Errorf("site %s counts %d of %v", name, n, metrics.CacheOutcome(o))
			}
		}
	}
	s.g.Metrics().Gauge()
	if m := &s.g.Metrics().Store; m.Objects.Load() != 1 || m.Bytes.Load() == 0 || m.Limit.Load() != 256<<20 || m.Flights.Load() != 0 {
		t.Errorf("%d objects of %d bytes of %d, %d flights", m.Objects.Load(), m.Bytes.Load(), m.Limit.Load(), m.Flights.Load())
	}
}

// A site without a cache says nothing of one.
func TestNoCacheNoOutcome(t *testing.T) {
	t.Parallel()
	o := newTeller(t, "up")
	got := loggedLines(t, fmt.Sprintf("listeners: [{ address: \"127.0.0.1:0\" }]\nclusters: { a: { origins: [{ address: %q }] } }\n", o.addr),
		"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
	if got[0].Cache != "" {
		t.Errorf("cache is %q", got[0].Cache)
	}
}

// When no origin can be reached and what has expired is sent, Cache-Status says both: that
// the request was forwarded since that is stale, and why there is nothing better.
func TestStaleWhenNoOriginIsReached(t *testing.T) {
	t.Parallel()
	a := newAbsent(t, "")
	a.answer = func(string) (string, string) { return "Cache-Control: max-age=10\r\nETag: \"v\"\r\n", "page" }
	got := make(chan string)
	ask := func() { got <- a.says(t, "GET /hold") }
	go ask()
	a.home.letGo <- struct{}{}
	if first := <-got; first != "200 fwd=uri-miss; fwd-status=200; ttl=10; stored" {
		t.Fatal(first)
	}
	a.clock.Store(30)
	go ask()
	until(t, "the origin has the request", func() bool { return a.home.held.Load() == 1 })
	a.home.kill()
	for _, reason := range []string{"origin_reset", "connect_refused"} {
		if status := <-got; status != "200 fwd=stale; ttl=-20; detail="+reason {
			t.Errorf("%s: %q", reason, status)
		}
		go ask()
	}
	<-got
}
