package gateway

import (
	"fmt"
	"testing"
	"time"
)

// An attempt that takes too long is ended for another one only where that is safe and
// there is somebody who could be asked; the last one may take its time.
func TestPerTryTimeout(t *testing.T) {
	const (
		post  = "POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 0\r\n\r\n"
		keyed = "POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 0\r\nIdempotency-Key: k\r\n\r\n"
		slow  = 10 * time.Second
		never = time.Hour
	)
	for _, tt := range []struct {
		name, retry, request string
		second               string // further keys of the second origin
		takes                [2]time.Duration
		spent                bool // the budget
		status               string
		took                 time.Duration
		seen                 [2]int
	}{
		{"GET", "per_try_timeout: 1s", bubbleGET, "", [2]time.Duration{slow, 0}, false, "200", time.Second, [2]int{1, 1}},
		{"GET, in time", "per_try_timeout: 11s", bubbleGET, "", [2]time.Duration{slow, 0}, false, "200", slow, [2]int{1, 0}},
		{"GET, both slow", "per_try_timeout: 1s", bubbleGET, "", [2]time.Duration{slow, slow}, false, "200", time.Second + slow, [2]int{1, 1}},
		{"GET, nobody answers", "per_try_timeout: 1s", bubbleGET, "", [2]time.Duration{never, never}, false, "504", 21 * time.Second, [2]int{1, 1}},
		{"GET, more retries than origins", "retries: 5, per_try_timeout: 1s", bubbleGET, "", [2]time.Duration{never, never}, false, "504", 21 * time.Second, [2]int{1, 1}},
		{"GET, no retries", "retries: 0, per_try_timeout: 1s", bubbleGET, "", [2]time.Duration{slow, 0}, false, "200", slow, [2]int{1, 0}},
		{"GET, nobody else", "per_try_timeout: 1s", bubbleGET, ", state: disabled", [2]time.Duration{slow, 0}, false, "200", slow, [2]int{1, 0}},
		{"GET, the budget is spent", "budget: 0%, per_try_timeout: 1s", bubbleGET, "", [2]time.Duration{slow, 0}, true, "200", slow, [2]int{1, 0}},
		{"HF-13: GET, unless it is written", "retries: 3", bubbleGET, "", [2]time.Duration{never, 0}, false, "504", 20 * time.Second, [2]int{1, 0}},
		{"HF-11: POST", "retries: 3, per_try_timeout: 1s", post, "", [2]time.Duration{never, 0}, false, "504", 20 * time.Second, [2]int{1, 0}},
		{"POST that takes its time", "per_try_timeout: 1s", post, "", [2]time.Duration{slow, 0}, false, "200", slow, [2]int{1, 0}},
		{"POST with a key that nobody goes by", "per_try_timeout: 1s", keyed, "", [2]time.Duration{slow, 0}, false, "200", slow, [2]int{1, 0}},
		{"POST with a key", "per_try_timeout: 1s, idempotency_key: true", keyed, "", [2]time.Duration{slow, 0}, false, "200", time.Second, [2]int{1, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := fmt.Sprintf(`
listeners: [{ address: "127.0.0.1:0" }]
clusters: { app: { balancer: round-robin, origins: [{ name: s1, address: "s1.example:80" }, { name: s2, address: "s2.example:80"%s }], first_byte_timeout: 20s, retry: { %s } } }
access_log: { format: off }
`, tt.second, tt.retry)
			inWellBubbleOf(t, text, Options{}, func(t *testing.T, b *bubble, s1, s2 *wellness) {
				s1.with(func() { s1.takes = tt.takes[0] })
				s2.with(func() { s2.takes = tt.takes[1] })
				if tt.spent {
					b.g.current.Load().clusters[0].budget.saved.Store(0)
				}
				if status := b.get(tt.request); status != tt.status {
					t.Errorf("answered %q, want %q", status, tt.status)
				}
				onTime(t, "the answer", b.took(), tt.took)
				_, _, one := s1.counts()
				if _, _, other := s2.counts(); [2]int{one, other} != tt.seen {
					t.Errorf("the origins saw %d and %d requests, want %v", one, other, tt.seen)
				}
			})
		})
	}
}

// An attempt that was too slow counts as a time-out against its origin.
func TestPerTryTimeoutsAreFailures(t *testing.T) {
	inWellBubble(t, 10, ", failover: { threshold: 3, ping: { path: /check, interval: 1h } }, retry: { per_try_timeout: 1s }", Options{}, func(t *testing.T, b *bubble, s1, s2 *wellness) {
		s1.with(func() { s1.takes = time.Hour })
		for range 10 {
			if status := b.get(bubbleGET); status != "200" {
				t.Errorf("answered %q", status)
			}
		}
		if _, _, n := s1.counts(); n != 3 {
			t.Errorf("the slow origin got %d requests, want the three that eject it", n)
		}
	})
}
