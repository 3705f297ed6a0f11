package promises

import (
	"bytes"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"weirkeep/gateway"
)

// G8: an origin that closes connections after a random idle time costs at most
// one POST in 10,000 (the gateway looks before it writes, and between the two
// the origin may close), and no POST ever reaches an origin twice.
func TestClosedIdleConnectionsLoseNoRequest(t *testing.T) {
	watchLeaks(t)
	var seen sync.Map // arrivals by nonce
	var twice atomic.Int64
	o := startOrigin(t, func(c *net.TCPConn) {
		r := rand.New(rand.NewPCG(nonces.Add(1), 11))
		idle := newIdleCloser(c, time.Duration(5_000+r.IntN(100_000))*time.Microsecond)
		defer idle.stop()
		requests(c, func(q *http.Request) bool {
			idle.busy()
			e, err := errandOf(q)
			if _, again := seen.LoadOrStore(e.nonce, true); again && err == nil {
				twice.Add(1)
			}
			body, err := readAll(q.Body, new([]byte))
			if err != nil || !bytes.Equal(body, content(nil, e.nonce, len(body))) || !answerLength(c, e) {
				return false
			}
			idle.rest()
			return true
		})
	})
	addr, _ := start(t, configure(o.addr, "", ""), gateway.Options{})
	kept := false
	for range 3 { // others on this machine may stretch the time between look and write
		before := o.accepted()
		l := newLoad(either[int64](10_000, 400_000), either(6*time.Second, 4*time.Minute))
		l.addr = addr
		posts(l, 16)
		for _, err := range l.wrong {
			t.Error(err)
		}
		asked, lost, opened := l.asked.Load(), l.lost.Load(), o.accepted()-before
		t.Logf("%d POSTs over %d connections to the origin: %d lost, %d arrived twice", asked, opened, lost, twice.Load())
		if opened < int(asked/500) {
			t.Errorf("the origin closed only %d connections: nothing was tried", opened)
		}
		if kept = lost <= 1+asked/10_000; kept {
			break
		}
	}
	if !kept && !raced {
		t.Error("more than 1 of 10,000 POSTs was lost, three times in a row")
	}
	if n := twice.Load(); n != 0 {
		t.Errorf("%d POSTs reached the origin twice", n)
	}
}

// An idleCloser closes a connection once it has rested for a while. It never
// closes one whose next request has arrived.
type idleCloser struct {
	mu    sync.Mutex
	idle  time.Duration
	timer *time.Timer
	rests bool
}

func newIdleCloser(c *net.TCPConn, idle time.Duration) *idleCloser {
	i := &idleCloser{idle: idle}
	i.timer = time.AfterFunc(time.Hour, func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		if i.rests && nothingToRead(c) {
			c.Close()
		}
	})
	return i
}

// nothingToRead reports whether the other side has sent nothing: a server that
// is busy sees a request that has arrived before it sees that time is up.
func nothingToRead(c *net.TCPConn) bool {
	raw, err := c.SyscallConn()
	if err != nil {
		return true
	}
	n := 0
	raw.Control(func(fd uintptr) {
		n, _, _ = syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	})
	return n <= 0
}

func (i *idleCloser) set(rests bool, wait time.Duration) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.rests = rests
	i.timer.Reset(wait)
}

func (i *idleCloser) busy() { i.set(false, time.Hour) }
func (i *idleCloser) rest() { i.set(true, i.idle) }
func (i *idleCloser) stop() { i.timer.Stop() }

// posts sends POSTs from n clients, who all pause now and then, so that every
// connection to the origin is idle for a while and about half of them close.
func posts(l *load, n int) {
	var working sync.RWMutex // locked: all pause
	var clients sync.WaitGroup
	for i := range n {
		clients.Go(func() {
			k := l.caller(uint64(i))
			defer k.hangUp()
			for k.more(1) {
				working.RLock()
				k.run([]errand{{method: "POST", nonce: nonces.Add(1), way: "length", size: 10, body: 10}})
				working.RUnlock()
			}
		})
	}
	done := make(chan struct{})
	go func() {
		clients.Wait()
		close(done)
	}()
	for r := rand.New(rand.NewPCG(1, 13)); ; {
		select {
		case <-done:
			return
		case <-time.After(50 * time.Millisecond):
		}
		working.Lock()
		time.Sleep(time.Duration(r.IntN(100)) * time.Millisecond)
		working.Unlock()
	}
}

// G8: an origin that takes a request and then closes, or resets, without a word
// gets a POST once; a GET may be tried again, once.
func TestUnansweredRequestsAreNotRepeated(t *testing.T) {
	watchLeaks(t)
	var arrived sync.Map // *atomic.Int64 by nonce
	o := startOrigin(t, func(c *net.TCPConn) {
		requests(c, func(q *http.Request) bool {
			e, _ := errandOf(q)
			n, _ := arrived.LoadOrStore(e.nonce, new(atomic.Int64))
			n.(*atomic.Int64).Add(1)
			return ways[e.way].answer(c, e)
		})
	})
	addr, _ := start(t, configure(o.addr, "    retry: { retries: 3 }", ""), gateway.Options{})
	l := newLoad(1<<30, time.Minute)
	l.addr = addr
	k := l.caller(1)
	defer k.hangUp()
	for i := range either(150, 20_000) {
		for _, tt := range []struct {
			method string
			most   int64
		}{{"POST", 1}, {"PATCH", 1}, {"GET", 4}, {"PUT", 4}} {
			for _, way := range []string{"silent", "reset", "length"} {
				e := errand{method: tt.method, nonce: nonces.Add(1), way: way, size: 10, body: 10 + i%3*20_000, chunks: i%2 == 0}
				k.run([]errand{e})
				n, ok := arrived.Load(e.nonce)
				if !ok {
					t.Fatalf("%s %s never arrived", tt.method, way)
				}
				if n := n.(*atomic.Int64).Load(); n > tt.most || way == "length" && n != 1 {
					t.Errorf("%s %s arrived %d times", tt.method, way, n)
				}
			}
		}
	}
	for _, err := range l.wrong {
		t.Error(err)
	}
	if n := l.lost.Load(); n != 0 {
		t.Errorf("%d requests to an origin that answers were lost", n)
	}
}
