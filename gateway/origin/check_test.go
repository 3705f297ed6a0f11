package origin

import (
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// refuse is an origin that is not there.
func refuse(context.Context, string, string) (net.Conn, error) { return nil, refusedErr }

// quick is a ping for real sockets.
var quick = CheckOptions{Path: "/up", Interval: time.Millisecond, Timeout: 5 * time.Second, WhileDown: true}

// eject puts the pool's origin out.
func eject(p *Pool) { p.Origin().Failed(refusal(time.Now()), &strict, false) }

// awaitUp starts a check of an origin that is out and waits until it is back.
func awaitUp(t *testing.T, p *Pool, o CheckOptions) {
	t.Helper()
	eject(p)
	c := p.Check(o)
	defer c.Stop()
	await(t, "the check readmits the origin", func() bool { return p.Origin().Health() == Up })
}

// What a check sends. A proxy is asked itself, not through a tunnel.
func TestWhatACheckSends(t *testing.T) {
	t.Parallel()
	const rest = "User-Agent: weirkeep-check\r\nAccept: */*\r\nConnection: close\r\n\r\n"
	for _, tt := range []struct {
		name, host, want string
		change           func(*PoolOptions)
		secure           bool
	}{
		{"plain", "shop.example", "GET /up HTTP/1.1\r\nHost: shop.example\r\n" + rest, func(*PoolOptions) {}, false},
		{"by TLS", "shop.example", "GET /up HTTP/1.1\r\nHost: shop.example\r\n" + rest, withTLS, true},
		{"no host", "", "GET /up HTTP/1.1\r\nHost: ADDRESS\r\n" + rest, func(*PoolOptions) {}, false},
		{"proxy", "shop.example", "GET /up HTTP/1.1\r\nHost: shop.example\r\n" + rest, viaProxy, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var heard atomic.Value
			script := func(_ int, p *peer) {
				heard.CompareAndSwap(nil, p.head())
				p.say(okAnswer)
			}
			if tt.secure {
				script = secure(nil, script)
			}
			p := newPool(t, listen(t, script), tt.change)
			o := quick
			o.Host = tt.host
			awaitUp(t, p, o)
			if want := strings.ReplaceAll(tt.want, "ADDRESS", p.Origin().Address); heard.Load() != want {
				t.Errorf("the origin heard %q, want %q", heard.Load(), want)
			}
		})
	}
}

// An origin whose certificate is not believed is not well, whatever it answers.
func TestCheckBelievesNoStranger(t *testing.T) {
	t.Parallel()
	p := newPool(t, listen(t, secure(nil, always(okAnswer))), withTLS, func(o *PoolOptions) {
		o.TLS = o.TLS.Clone()
		o.TLS.ServerName = "bank.example"
	})
	c := p.Check(CheckOptions{Path: "/", Interval: time.Millisecond, Timeout: 5 * time.Second, DownAfter: 2, UpAfter: 1})
	defer c.Stop()
	await(t, "the check says down", func() bool { return p.Origin().Health() == Down })
	if last := p.Origin().Transitions()[0]; last.Failures != 2 || !strings.HasPrefix(last.Why, "GET /: tls: ") {
		t.Errorf("got %+v", last)
	}
}

// A check neither takes a connection of the pool nor leaves one there.
func TestCheckHasItsOwnConnections(t *testing.T) {
	t.Parallel()
	p := newPool(t, listen(t, numbered))
	if _, content, err := get(p, newTrip(newClient())); content != "0" {
		t.Fatal(content, err)
	}
	awaitUp(t, p, quick)
	if n := p.Idle(); n != 1 {
		t.Errorf("%d connections are idle, want 1", n)
	}
	if _, content, err := get(p, newTrip(newClient())); content != "0" {
		t.Errorf("connection %q was used, %v; want 0", content, err)
	}
}

// An answer that is none is bad, and costs bounded room and time (HF-16).
func TestBadAnswersToChecks(t *testing.T) {
	for _, tt := range []struct{ name, answer, why string }{
		{"no HTTP", "SSH-2.0-OpenSSH_9.2\r\n\r\n", "malformed status line"},
		{"nothing", "", "connection closed"},
		{"half a head", "HTTP/1.1 200 OK\r\nX: 1\r\n", "connection closed"},
		{"an endless head", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 2*maxHeadBytes), ErrHeadLarge.Error()},
		{"endless hints", strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 2*maxInterims), ErrInterims.Error()},
		{"hints, then nothing", "HTTP/1.1 103 Early Hints\r\n\r\n", "connection closed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, end := inMemory(t, func(_ int, p *peer) { p.head(); p.say(tt.answer) })
				defer end()
				c := p.check(CheckOptions{Path: "/", Interval: time.Second, Timeout: time.Second}, func(time.Duration) time.Duration { return 0 })
				defer c.Stop()
				synctest.Wait()
				seen := p.Origin().Transitions()
				if len(seen) != 1 || seen[0].To != Down || !strings.Contains(seen[0].Why, tt.why) {
					t.Errorf("got %+v, want down: %s", seen, tt.why)
				}
			})
		})
	}
}

// Of an answer's content a check reads a little, so that a short one ends in
// peace, and no more.
func TestCheckReadsABoundedPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var passed, conns atomic.Int64
		p, end := inMemory(t, func(_ int, p *peer) {
			p.head()
			conns.Add(1)
			p.say("HTTP/1.1 200 OK\r\n\r\n")
			for n, err := p.Write(make([]byte, 1024)); err == nil; n, err = p.Write(make([]byte, 1024)) {
				passed.Add(int64(n))
			}
		})
		defer end()
		c := p.Check(CheckOptions{Path: "/", Interval: time.Hour, Timeout: time.Second})
		time.Sleep(time.Minute)
		c.Stop()
		synctest.Wait()
		if n := passed.Load(); conns.Load() != 1 || n == 0 || n > 2*leaveBytes {
			t.Errorf("%d bytes passed in %d checks, want some and at most %d in one", n, conns.Load(), 2*leaveBytes)
		}
	})
}

// Checks of many origins that begin together do not stay in step.
func TestChecksAreSpread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		var mu sync.Mutex
		at := make(map[time.Duration]int)
		p, end := inMemory(t, func(_ int, p *peer) {
			p.head()
			mu.Lock()
			at[time.Since(begun)]++
			mu.Unlock()
			p.say(okAnswer)
		})
		defer end()
		for range 10 {
			defer p.Check(CheckOptions{Path: "/", Interval: 10 * time.Second, Timeout: time.Second}).Stop()
		}
		time.Sleep(time.Minute)
		mu.Lock()
		defer mu.Unlock()
		first, all := 0, 0
		for when, n := range at {
			if all += n; when <= time.Second {
				first += n
			}
			if n > 3 {
				t.Errorf("after %v there were %d checks", when, n)
			}
		}
		if first != 10 || all < 10*6 || all > 10*7+10 {
			t.Errorf("%d checks began within a second, %d in a minute; want 10 and 60 to 80", first, all)
		}
	})
}

// A check may be stopped by who is told of the change it made, and twice.
func TestStopFromOnChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		made := make(chan *Check, 1)
		o := &Origin{Address: "a.example:80", OnChange: func(*Origin, Transition) {
			c := <-made
			c.Stop()
			c.Stop()
		}}
		p := poolOf(t, o.Address, func(po *PoolOptions) { po.Origin, po.Dial = o, refuse })
		made <- p.Check(CheckOptions{Path: "/", Interval: time.Second, Timeout: time.Second})
		time.Sleep(time.Hour)
		if n := len(o.Transitions()); n != 1 || o.Health() != Down || !o.Due(time.Now(), false) {
			t.Errorf("%v after %d changes, a trial is due: %v", o.Health(), n, o.Due(time.Now(), false))
		}
	})
}

// HF-05: a check that is stopped lets go of its connection at once.
func TestStopEndsTheCheckUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended time.Duration
		begun := time.Now()
		p, end := inMemory(t, func(_ int, p *peer) {
			p.head()
			io.Copy(io.Discard, p)
			ended = time.Since(begun)
		})
		c := p.check(CheckOptions{Path: "/", Interval: time.Hour, Timeout: time.Hour}, func(time.Duration) time.Duration { return 0 })
		time.Sleep(time.Minute)
		c.Stop()
		end()
		if ended != time.Minute || p.Origin().Health() != Up {
			t.Errorf("the connection was closed after %v, the origin is %v", ended, p.Origin().Health())
		}
	})
}

// CloseIdle closes what waits and keeps the pool: of a proxy in its tunnels too.
func TestCloseIdle(t *testing.T) {
	t.Parallel()
	x := &proxy{to: listen(t, secure(nil, always(okAnswer)))}
	p := newPool(t, listen(t, x.script), viaProxy)
	trip := secureTrip("example.com")
	for range 2 {
		mustGet(t, p, trip)
		if _, _, err := get(p, newTrip(newClient())); err != nil {
			t.Fatal(err)
		}
		if n := p.Idle() + p.tunnels.pool(p, trip.Authority).Idle(); n != 2 {
			t.Errorf("%d connections are idle, want 2", n)
		}
		p.CloseIdle()
		if n := p.Idle() + p.tunnels.pool(p, trip.Authority).Idle(); n != 0 {
			t.Errorf("%d connections are idle, want none", n)
		}
	}
}

// Who failed behind a proxy is not the proxy, whichever way it was asked.
func TestBeyondAProxy(t *testing.T) {
	t.Parallel()
	x := &proxy{to: listen(t, secure(nil, func(_ int, p *peer) { p.head() }))}
	p := newPool(t, listen(t, x.script), viaProxy)
	trip := secureTrip("example.com")
	_, _, err := get(p, trip)
	if e, ok := err.(*Error); !ok || !e.Beyond || !trip.Beyond() {
		t.Errorf("who breaks off behind the proxy: %v, beyond: %v", err, trip.Beyond())
	}
	for range 2 { // by a new connection, and by one that was kept
		plain := newTrip(newClient())
		if _, _, err := get(p, plain); err != nil || !plain.Beyond() {
			t.Errorf("by http: %v, beyond: %v", err, plain.Beyond())
		}
	}
	p.o.Dial = refuse
	trip = secureTrip("example.com:8443") // a tunnel that is not there yet
	_, _, err = get(p, trip)
	if e, ok := err.(*Error); !ok || e.Beyond || trip.Beyond() {
		t.Errorf("the proxy is not there: %v, beyond: %v", err, trip.Beyond())
	}
}
