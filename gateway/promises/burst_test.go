package promises

import (
	"bufio"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"weirkeep/gateway"
)

// SQ-04: a burst of many times what origins can take never gives one of them more
// than its capacity, whatever else goes on: failed attempts that are repeated
// elsewhere, pings and health checks, reloads. Everybody is served.
func TestBurstNeverExceedsCapacity(t *testing.T) {
	watchLeaks(t)
	origins, capacity, clients := either(4, 8), either(20, 170), either(1000, 5000)
	report := func(err error) { t.Error(err) }
	var workers []*worker
	var addresses []string
	var once sync.Map // errands that met a reset
	for i := range origins {
		w := newWorker(string(rune('a'+i)), 20*time.Millisecond, report)
		w.arrived = func(e errand) bool {
			if e.nonce%10 != 0 || e.method != "GET" {
				return true
			}
			_, again := once.LoadOrStore(e.nonce, true)
			return again
		}
		workers, addresses = append(workers, w), append(addresses, startOrigin(t, w.serve).addr)
	}
	text := func(turn int) string {
		looks := []string{
			"    failover: { threshold: 1000, connect_failures: 1000, ping: { path: /ping, interval: 100ms, timeout: 5s } }\n",
			"    failover: { threshold: 1000, connect_failures: 1000 }\n    health: { path: /ping, interval: 100ms, timeout: 5s }\n    keep_alive: 1s\n",
		}
		return spread(addresses, capacity, looks[turn%2]+fmt.Sprintf("    queue: { size: %d, timeout: 1m }\n    retry: { retries: 5, budget: 100%% }", clients+turn), "limits: { connections: 20000 }")
	}
	addr, g := start(t, text(0), gateway.Options{})
	got := burst(t, addr, clients)
	turns := 0
	for reloaded := time.Now(); ; turns++ {
		if _, err := apply(g, text(turns)); err != nil {
			t.Fatal(err)
		}
		if done := got.done.Load(); done == int64(clients) || time.Since(reloaded) > time.Minute {
			break
		}
		time.Sleep(10 * time.Millisecond) // the pace of reloads
	}
	got.all.Wait()

	t.Logf("%d requests were sent within %v, the last was answered after %v; %d reloads, %d attempts met a reset", clients,
		got.sent.Round(time.Millisecond), got.took.Round(time.Millisecond), turns, lengthOfMap(&once))
	for _, w := range workers {
		t.Logf("%s: %d errands, at most %d at once of %d", w.name, w.all.Load(), w.most.Load(), capacity)
		if n := w.most.Load(); n > int64(capacity) {
			t.Errorf("origin %s had %d at once, want at most %d", w.name, n, capacity)
		}
	}
	if n := got.right.Load(); n != int64(clients) {
		t.Errorf("%d of %d requests were answered", n, clients)
	}
	if lengthOfMap(&once) == 0 || turns == 0 {
		t.Error("nothing was repeated, or nothing reloaded")
	}
	expectAtRest(t, g)
}

func lengthOfMap(m *sync.Map) (n int) {
	m.Range(func(any, any) bool { n++; return true })
	return n
}

// A volley is many requests sent at once.
type volley struct {
	all         sync.WaitGroup
	done, right atomic.Int64
	sent, took  time.Duration // of all; took is known when all are done
	began       time.Time
	mu          sync.Mutex
}

// burst opens n connections, then sends a request on each at the same time.
func burst(t *testing.T, addr string, n int) *volley {
	t.Helper()
	v := new(volley)
	errands, raw, hands := make([]errand, n), make([][]byte, n), make([]*hand, n)
	for i := range n {
		e := errand{method: "GET", nonce: nonces.Add(1), way: "length", size: 100}
		if e.nonce%3 == 0 {
			e.method, e.body = "POST", 100
		}
		errands[i], raw[i] = e, e.appendTo(nil)
		hands[i] = &hand{c: dial(t, addr), in: bufio.NewReaderSize(nil, kib)}
		hands[i].in.Reset(hands[i].c)
	}
	v.began = time.Now()
	for i, k := range hands {
		k.c.Write(raw[i])
	}
	v.sent = time.Since(v.began)
	for i, k := range hands {
		v.all.Go(func() { v.await(t, k, errands[i]) })
	}
	return v
}

// await reads the answer to e.
func (v *volley) await(t *testing.T, k *hand, e errand) {
	defer k.hangUp()
	defer v.done.Add(1)
	r, err := http.ReadResponse(k.in, &http.Request{Method: e.method})
	if err != nil {
		t.Errorf("%s %016x: %v", e.method, e.nonce, err)
		return
	}
	switch verdict, err := e.judge(r, &k.buf); {
	case err != nil:
		t.Error(err)
	case verdict == right:
		v.right.Add(1)
	default:
		t.Errorf("%s %016x: %d %s", e.method, e.nonce, r.StatusCode, reasonIn(k.buf))
	}
	v.mu.Lock()
	v.took = max(v.took, time.Since(v.began))
	v.mu.Unlock()
}
