package origin

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// The rows of this file run in bubbles: their time is not the machine's.

// inMemory is a pool whose connections are pipes to a scripted origin, and a
// function that closes it and waits for the origin: a bubble must be empty.
func inMemory(t *testing.T, script func(n int, p *peer), change ...func(*PoolOptions)) (*Pool, func()) {
	var mu sync.Mutex
	var running sync.WaitGroup
	n := 0
	dial := func(o *PoolOptions) {
		o.Dial = func(context.Context, string, string) (net.Conn, error) {
			mu.Lock()
			defer mu.Unlock()
			ours, theirs := net.Pipe()
			number := n
			running.Go(func() { defer theirs.Close(); script(number, newPeer(theirs)) })
			n++
			return ours, nil
		}
	}
	p := poolOf(t, "a.example:80", append([]func(*PoolOptions){dial}, change...)...)
	return p, func() { p.Close(); running.Wait() }
}

// near reports whether a wait took as long as it was to, within a tenth.
func near(took, want time.Duration) bool {
	return took >= want && took <= want+want/10
}

// An origin may be silent for so long and no longer.
func TestSilentOrigins(t *testing.T) {
	slowly := func(p *peer, s string, every time.Duration) {
		for i := range s {
			time.Sleep(every)
			if _, err := io.WriteString(p, s[i:i+1]); err != nil {
				return
			}
		}
	}
	const head = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
	for _, tt := range []struct {
		name   string
		script func(*peer)
		took   time.Duration
		want   error
	}{
		{"answers in time", func(p *peer) { time.Sleep(9 * time.Second); p.say(okAnswer) }, 9 * time.Second, nil},
		{"never answers", func(*peer) {}, 10 * time.Second, ErrTimeout},
		{"dribbles its head", func(p *peer) { slowly(p, head, time.Second) }, 10 * time.Second, ErrTimeout},
		{"hints, then is silent", func(p *peer) { time.Sleep(5 * time.Second); p.say("HTTP/1.1 103 Early Hints\r\n\r\n") }, 15 * time.Second, ErrTimeout},
		{"is silent in its body", func(p *peer) { p.say(head + "o") }, 3 * time.Second, ErrTimeout},
		{"is silent before its body", func(p *peer) { time.Sleep(9 * time.Second); p.say(head) }, 12 * time.Second, ErrTimeout},
		{"dribbles its body", func(p *peer) {
			p.say("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n")
			slowly(p, strings.Repeat("o", 20), 2*time.Second)
		}, 40 * time.Second, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, end := inMemory(t, func(_ int, p *peer) { p.head(); tt.script(p); p.head() })
				defer end()
				trip := newTrip(newClient())
				trip.Timeouts = Timeouts{FirstByte: 10 * time.Second, BodyIdle: 3 * time.Second}
				begun := time.Now()
				_, _, err := get(p, trip)
				if took := time.Since(begun); !near(took, tt.took) || !errors.Is(err, tt.want) {
					t.Errorf("after %v: %v; want %v after %v", took, err, tt.want, tt.took)
				}
				if e, ok := errors.AsType[*Error](err); ok && e.Retryable(true) {
					t.Error("an origin that may be at work is asked again")
				}
			})
		})
	}
}

// An attempt may have a limit of its own, which holds until an answer has begun.
func TestAttemptsThatOthersCouldTakeOver(t *testing.T) {
	for _, tt := range []struct {
		name   string
		script func(*peer)
		took   time.Duration
		want   error
		again  bool
	}{
		{"answers in time", func(p *peer) { time.Sleep(1900 * time.Millisecond); p.say(okAnswer) }, 1900 * time.Millisecond, nil, false},
		{"never answers", func(*peer) {}, 2 * time.Second, ErrTimeout, true},
		{"begins its head, goes on later", func(p *peer) {
			p.say("HTTP/1.1 200 O")
			time.Sleep(8 * time.Second)
			p.say(okAnswer[len("HTTP/1.1 200 O"):])
		}, 8 * time.Second, nil, false},
		{"begins its head, then is silent", func(p *peer) { p.say("HTTP/1.1 200 O") }, 10 * time.Second, ErrTimeout, false},
		{"hints, then answers late", func(p *peer) {
			time.Sleep(time.Second)
			p.say("HTTP/1.1 103 Early Hints\r\n\r\n")
			time.Sleep(9 * time.Second)
			p.say(okAnswer)
		}, 10 * time.Second, nil, false},
		{"hints, then is silent", func(p *peer) { time.Sleep(time.Second); p.say("HTTP/1.1 103 Early Hints\r\n\r\n") }, 11 * time.Second, ErrTimeout, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, end := inMemory(t, func(_ int, p *peer) { p.head(); tt.script(p); p.head() })
				defer end()
				trip := newTrip(newClient())
				trip.Timeouts = Timeouts{FirstByte: 10 * time.Second, BodyIdle: 3 * time.Second, Attempt: 2 * time.Second}
				begun := time.Now()
				_, _, err := get(p, trip)
				if took := time.Since(begun); !near(took, tt.took) || !errors.Is(err, tt.want) {
					t.Errorf("after %v: %v; want %v after %v", took, err, tt.want, tt.took)
				}
				e, _ := errors.AsType[*Error](err)
				if again := e != nil && e.Retryable(true); again != tt.again {
					t.Errorf("may be asked again: %v, want %v", again, tt.again)
				}
			})
		})
	}
}

// A limit of an attempt that is not the nearest one is none.
func TestAttemptsLongerThanPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, end := inMemory(t, func(_ int, p *peer) { p.head(); p.head() })
		defer end()
		trip := newTrip(newClient())
		trip.Timeouts = Timeouts{FirstByte: 2 * time.Second, BodyIdle: 3 * time.Second, Attempt: 5 * time.Second}
		begun := time.Now()
		_, _, err := get(p, trip)
		e, ok := errors.AsType[*Error](err)
		if !near(time.Since(begun), 2*time.Second) || !ok || e.Retryable(true) {
			t.Errorf("after %v: %v, want the origin's own time-out after 2s", time.Since(begun), err)
		}
	})
}

// stoppedConn is that of a process which was stopped while it waited: the first
// wait ends long after its time, and says that nothing came.
type stoppedConn struct {
	net.Conn
	once sync.Once
}

func (c *stoppedConn) Read(p []byte) (n int, err error) {
	c.once.Do(func() {
		time.Sleep(time.Minute)
		err = os.ErrDeadlineExceeded
	})
	if err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

// What has come while the process was stopped, beyond all limits, is an answer;
// that nothing has come is told a moment later.
func TestStoppedProcessReadsWhatHasCome(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer string
		want   error
	}{
		{"answered meanwhile", okAnswer, nil},
		{"silent", "", ErrTimeout},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, end := inMemory(t, func(_ int, p *peer) { p.head(); p.say(tt.answer); p.head() }, func(o *PoolOptions) {
					dial := o.Dial
					o.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
						c, err := dial(ctx, network, address)
						return &stoppedConn{Conn: c}, err
					}
				})
				defer end()
				trip := newTrip(newClient())
				trip.Timeouts = Timeouts{FirstByte: 2 * time.Second, BodyIdle: 2 * time.Second}
				begun := time.Now()
				_, _, err := get(p, trip)
				if took := time.Since(begun); !errors.Is(err, tt.want) || !near(took, time.Minute) {
					t.Errorf("%v after %v, want %v after a minute", err, took, tt.want)
				}
			})
		})
	}
}

// A short limit is kept as exactly as a long one.
func TestShortLimits(t *testing.T) {
	for _, limit := range []time.Duration{50 * time.Millisecond, 120 * time.Millisecond, 500 * time.Millisecond, time.Second} {
		synctest.Test(t, func(t *testing.T) {
			p, end := inMemory(t, func(_ int, p *peer) { p.head(); p.head() })
			defer end()
			trip := newTrip(newClient())
			trip.Timeouts.FirstByte = limit
			begun := time.Now()
			_, _, err := get(p, trip)
			if took := time.Since(begun); !near(took, limit) || !errors.Is(err, ErrTimeout) {
				t.Errorf("limit %v: %v after %v", limit, err, took)
			}
		})
	}
}

// While the body is under way the origin need not answer: its time begins with
// the end of the request. Nor need it say more once its head is there.
func TestSlowUploads(t *testing.T) {
	for _, tt := range []struct {
		name   string
		before string // said at once
		took   time.Duration
	}{
		{"answered after the body", "", 100 * time.Second},
		{"head before the body", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", 100 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, end := inMemory(t, func(_ int, p *peer) {
					p.head()
					p.say(tt.before)
					p.body(100)
					p.say(strings.TrimPrefix(okAnswer, tt.before))
					p.head()
				})
				defer end()
				trip, f := newUpload(newClient(), 100)
				trip.Timeouts = Timeouts{FirstByte: 10 * time.Second, BodyIdle: 3 * time.Second}
				go func() {
					for range 100 {
						time.Sleep(time.Second)
						f.pieces <- "b"
					}
				}()
				begun := time.Now()
				mustGet(t, p, trip)
				if took := time.Since(begun); !near(took, tt.took) {
					t.Errorf("it took %v, want %v", took, tt.took)
				}
			})
		})
	}
}

// An origin that says nothing to an expectation gets the body after a second
// (RFC 9110 10.1.1).
func TestExpectationIgnored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		var came time.Duration
		p, end := inMemory(t, func(_ int, p *peer) {
			p.head()
			p.body(4)
			came = time.Since(begun)
			p.say(okAnswer)
			p.head()
		})
		defer end()
		c := newClient()
		trip, f := newUpload(c, 4)
		trip.Expect = true
		go func() { f.pieces <- "body" }()
		mustGet(t, p, trip)
		if came < time.Second || came > 1500*time.Millisecond || c.continued.Load() != 1 {
			t.Errorf("the body came after %v, the client was told %d times; want a second and once", came, c.continued.Load())
		}
	})
}

// An answer that ends first is early only if the body is not at its end 50 ms
// later.
func TestGraceAfterTheAnswer(t *testing.T) {
	for _, tt := range []struct {
		name  string
		after time.Duration // the answer's end, the last byte of the body
		took  time.Duration
		early bool
	}{
		{"with the answer", 0, 0, false},
		{"40 ms later", 40 * time.Millisecond, 40 * time.Millisecond, false},
		{"60 ms later", 60 * time.Millisecond, 50 * time.Millisecond, true},
		{"never", time.Hour, 50 * time.Millisecond, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, end := inMemory(t, func(_ int, p *peer) {
					p.head()
					p.say(okAnswer)
					p.body(4)
					p.head()
				})
				defer end()
				c := newClient()
				trip, f := newUpload(c, 4)
				go func() {
					select {
					case <-time.After(tt.after):
						f.Feed("body")
					case <-c.interrupted:
					}
				}()
				if err := p.Begin(trip, time.Now()); err != nil {
					t.Fatal(err)
				}
				begun := time.Now()
				content, early, err := rest(trip)
				if content != "ok" || err != nil || early != tt.early || time.Since(begun) != tt.took {
					t.Errorf("%q, %v, early %v after %v; want %v after %v", content, err, early, time.Since(begun), tt.early, tt.took)
				}
				if kept := p.Idle() == 1; kept == tt.early {
					t.Errorf("the connection is kept: %v", kept)
				}
			})
		})
	}
}

// Feed gives a piece unless nobody wants it any more.
func (f *feed) Feed(piece string) {
	select {
	case f.pieces <- piece:
	case <-f.c.interrupted:
	}
}

// Connections that have been idle for keep_alive are closed, by the sweeper or
// by who finds them.
func TestIdleConnectionsAreSwept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make([]time.Duration, 3)
		begun := time.Now()
		p, end := inMemory(t, func(n int, p *peer) {
			always(okAnswer)(n, p)
			ended[n] = time.Since(begun)
		}, func(o *PoolOptions) { o.KeepAlive = 4 * time.Second })
		defer end()
		var open []*Trip
		for range 3 {
			trip := newTrip(newClient())
			if err := p.Begin(trip, time.Now()); err != nil {
				t.Fatal(err)
			}
			open = append(open, trip)
		}
		for _, trip := range open { // idle since 0, 1 and 2 s
			if _, _, err := rest(trip); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		for _, want := range []int{3, 2, 1, 0} {
			if n := p.Idle(); n != want {
				t.Errorf("after %v: %d are idle, want %d", time.Since(begun), n, want)
			}
			time.Sleep(time.Second + time.Millisecond)
		}
		synctest.Wait()
		for n, at := range ended {
			if want := time.Duration(4+n) * time.Second; at < want || at > want+10*time.Millisecond {
				t.Errorf("connection %d was closed after %v, want %v", n, at, want)
			}
		}
	})
}

// A connection in constant use is not swept, however old it is.
func TestBusyConnectionsAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, end := inMemory(t, always(okAnswer), func(o *PoolOptions) { o.KeepAlive = 4 * time.Second })
		defer end()
		trip := newTrip(newClient())
		for range 20 {
			mustGet(t, p, trip)
			time.Sleep(3 * time.Second)
		}
		if n := trip.Metrics.Opened.Load(); n != 1 {
			t.Errorf("%d connections were opened, want 1", n)
		}
		time.Sleep(2 * time.Second)
		if n := p.Idle(); n != 0 {
			t.Errorf("%d are idle after 5 s, want none", n)
		}
	})
}

// What an origin is said to have taken begins when it can be sent the request: neither
// the connect counts, nor what is asked for on a connection that was there. Of a body
// that is sent piece by piece nothing is said.
func TestWaitedIsTheOriginsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, end := inMemory(t, func(_ int, p *peer) {
			for p.head() != "" {
				time.Sleep(2 * time.Second)
				p.say(okAnswer)
			}
		}, func(o *PoolOptions) {
			dial := o.Dial
			o.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
				time.Sleep(3 * time.Second)
				return dial(ctx, network, addr)
			}
		})
		defer end()
		for _, what := range []string{"a new connection", "one that was there"} {
			trip := newTrip(newClient())
			if err := p.Begin(trip, time.Now()); err != nil {
				t.Fatal(err)
			}
			if d, known := trip.Waited(time.Now()); d != 2*time.Second || !known {
				t.Errorf("%s: the origin took %v, known %v; want 2s", what, d, known)
			}
			rest(trip)
		}
		trip, f := newUpload(newClient(), 5)
		go func() { f.pieces <- "piece"; close(f.pieces) }()
		if err := p.Begin(trip, time.Now()); err != nil {
			t.Fatal(err)
		}
		if d, known := trip.Waited(time.Now()); known {
			t.Errorf("with a body that was sent piece by piece it is known to have taken %v", d)
		}
		rest(trip)
	})
}
