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

// TestCacheDetails is D-WC-30: a letter for what the cache did, and the times of the answer.
func TestCacheDetails(t *testing.T) {
	t.Parallel()
	log := new(lockedBuffer)
	s := newShopOf(t, ", rules: [{ name: no, when: 'path == \"/no\"', pass: true }]", Options{Stderr: log})
	said := 0
	for _, tt := range []struct {
		name   string
		at     int64
		target string
		status string
		fields string
		want   string
	}{
		{"a miss that is stored", 0, "/x", "200 OK", "max-age=60, stale-while-revalidate=30, stale-if-error=20", "M max-age=60+30;age=0"},
		{"a hit", 10, "/x", "", "", "H max-age=60+30;age=10"},
		{"a stale hit", 70, "/x", "", "", "S max-age=60+30;age=70"},
		{"a miss that is not stored", 70, "/private", "200 OK", "private", "N"},
		{"what a rule passes", 70, "/no", "200 OK", "max-age=60", "N"},
		{"a miss that can be updated", 70, "/y", "200 OK", "max-age=10", "M max-age=10+0;age=0"},
		{"an update by another answer", 85, "/y", "200 OK", "max-age=10", "U max-age=10+0;age=0"},
		{"an update by 304", 100, "/y", "304 Not Modified", "max-age=10", "U max-age=10+0;age=0"},
		{"an update of what was purged softly", 101, "/y", "304 Not Modified", "max-age=10", "G max-age=10+0;age=0"},
	} {
		s.clock.Store(tt.at)
		if tt.want[0] == 'S' { // what is asked for anew meanwhile is not found before the next one
			s.g.refreshes.Add(mostRefreshes)
		}
		if tt.want[0] == 'G' {
			if _, err := s.g.PurgeStored(StoredPurge{StoredSelection: StoredSelection{Match: "path:/y"}, Soft: true}); err != nil {
				t.Fatal(err)
			}
		}
		s.home.status = func() string { return tt.status }
		s.answer = func(string) (string, string) {
			return "Cache-Control: " + tt.fields + "\r\nETag: \"v\"\r\n", map[bool]string{true: "page"}[tt.status == "200 OK"]
		}
		s.ask(t, tt.target)
		said++
		until(t, "the exchange is recorded", func() bool { return strings.Count(log.String(), "\n") == said })
		all := strings.Split(strings.TrimSpace(log.String()), "\n")
		if last := all[len(all)-1]; !strings.Contains(last, `,"cache_detail":"`+tt.want+`"}`) {
			t.Errorf("%s: %s", tt.name, last)
		}
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
