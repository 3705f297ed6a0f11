package origin

import (
	"context"
	"errors"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"weirkeep/gateway/probe"
)

// numbered answers with the number of the connection.
func numbered(n int, p *peer) {
	for p.head() != "" {
		p.say("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n" + strconv.Itoa(n))
	}
}

// The connection that was used last is used next: the others may grow old.
func TestTheLastConnectionIsUsedFirst(t *testing.T) {
	t.Parallel()
	p := newPool(t, listen(t, numbered))
	var open []*Trip
	for range 3 {
		trip := newTrip(newClient())
		if err := p.Begin(trip, time.Now()); err != nil {
			t.Fatal(err)
		}
		open = append(open, trip)
	}
	for _, i := range []int{0, 2, 1} {
		if content, _, err := rest(open[i]); err != nil || content != strconv.Itoa(i) {
			t.Fatalf("connection %d answered %q, %v", i, content, err)
		}
	}
	if n := p.Idle(); n != 3 {
		t.Fatalf("%d connections are idle, want 3", n)
	}
	for range 2 { // 1 came back last, so it is used again and again
		if _, content, err := get(p, newTrip(newClient())); err != nil || content != "1" {
			t.Errorf("connection %q was used, %v; want 1", content, err)
		}
	}
}

// What an origin does to a connection after its answer decides whether it may
// be used again.
func TestIdleConnections(t *testing.T) {
	t.Parallel()
	poison := "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison"
	for _, tt := range []struct {
		name   string
		then   func(*peer)
		sight  probe.Sight // of the idle connection
		reused bool
	}{
		{"left alone", nil, probe.Silent, true},
		{"a byte", func(p *peer) { p.say("x") }, probe.Readable, false},
		{"an answer nobody asked for", func(p *peer) { p.say(poison) }, probe.Readable, false},
		{"ended", func(p *peer) { p.Conn.(*net.TCPConn).CloseWrite() }, probe.Finished, false},
		{"reset", func(p *peer) { p.Conn.(*net.TCPConn).SetLinger(0); p.Close() }, probe.Broken, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			answered := make(chan struct{})
			p := newPool(t, listen(t, func(n int, p *peer) {
				for p.head() != "" {
					p.say(okAnswer)
					if n == 0 && tt.then != nil {
						<-answered
						tt.then(p)
					}
				}
			}))
			trip := newTrip(newClient())
			mustGet(t, p, trip)
			idle := p.free[0]
			close(answered)
			await(t, "the idle connection shows what happened to it", func() bool { return idle.probe.Look() == tt.sight })
			mustGet(t, p, trip)
			if got := trip.Metrics.Reused.Load() == 1; got != tt.reused {
				t.Errorf("reused: %v, want %v", got, tt.reused)
			}
			if n := p.Idle(); n != 1 {
				t.Errorf("%d connections are idle, want 1: a stale one is closed", n)
			}
		})
	}
}

// An answer that cannot be followed by another ends its connection.
func TestAnswersThatEndTheConnection(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, answer string
		kept         bool
	}{
		{"length", okAnswer, true},
		{"chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", true},
		{"surplus bytes", okAnswer + "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison", false},
		{"surplus after the last chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\nx", false},
		{"Connection: close", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", false},
		{"HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", false},
		{"HTTP/1.0 that keeps alive", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok", false},
		{"length and chunked", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPool(t, listen(t, always(tt.answer)))
			mustGet(t, p, newTrip(newClient()))
			if got := p.Idle() == 1; got != tt.kept {
				t.Errorf("kept: %v, want %v", got, tt.kept)
			}
		})
	}
}

// Content that only the end of the connection ends cannot be followed by more.
func TestUntilCloseIsNotReused(t *testing.T) {
	t.Parallel()
	p := newPool(t, listen(t, func(_ int, p *peer) {
		p.head()
		p.say("HTTP/1.1 200 OK\r\n\r\nok")
	}))
	mustGet(t, p, newTrip(newClient()))
	if n := p.Idle(); n != 0 {
		t.Errorf("%d connections are idle, want none", n)
	}
}

// A trip that is given up closes its connection: the rest of its answer would
// be taken for the next one.
func TestHalfReadAnswersAreNotReused(t *testing.T) {
	t.Parallel()
	p := newPool(t, listen(t, always(okAnswer)))
	for _, whole := range []bool{false, true} { // true: the caller may be wrong
		trip := newTrip(newClient())
		if err := p.Begin(trip, time.Now()); err != nil {
			t.Fatal(err)
		}
		trip.End(whole)
		if n := p.Idle(); n != 0 {
			t.Errorf("End(%v) of an unread answer left %d idle connections", whole, n)
		}
	}
}

// A closed pool keeps nothing, and what was under way ends well.
func TestClosedPool(t *testing.T) {
	t.Parallel()
	p := newPool(t, listen(t, always(okAnswer)))
	mustGet(t, p, newTrip(newClient()))
	running := newTrip(newClient())
	if err := p.Begin(running, time.Now()); err != nil {
		t.Fatal(err)
	}
	mustGet(t, p, newTrip(newClient()))
	p.Close()
	if content, _, err := rest(running); err != nil || content != "ok" {
		t.Errorf("the running trip got %q, %v", content, err)
	}
	mustGet(t, p, newTrip(newClient())) // still works, by a connection of its own
	if n := p.Idle(); n != 0 {
		t.Errorf("a closed pool keeps %d connections", n)
	}
}

func TestNoKeepAliveKeepsNothing(t *testing.T) {
	t.Parallel()
	p := newPool(t, listen(t, always(okAnswer)), func(o *PoolOptions) { o.KeepAlive = 0 })
	mustGet(t, p, newTrip(newClient()))
	if n := p.Idle(); n != 0 {
		t.Errorf("%d connections are idle, want none", n)
	}
}

// Trips of many goroutines, with a pool that is closed meanwhile: every answer
// goes to who asked. Of interest under -race.
func TestHammerPool(t *testing.T) {
	t.Parallel()
	addr := listen(t, func(_ int, p *peer) {
		for h := p.head(); h != ""; h = p.head() {
			name := strings.Fields(h)[1]
			p.say("HTTP/1.1 200 OK\r\nContent-Length: " + strconv.Itoa(len(name)) + "\r\n\r\n" + name)
		}
	})
	p := newPool(t, addr)
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			trip := newTrip(newClient())
			for i := range 50 {
				want := "/" + strconv.Itoa(1000*g+i)
				trip.Head = []byte("GET " + want + " HTTP/1.1\r\nHost: a.example\r\n\r\n")
				if _, content, err := get(p, trip); err != nil || content != want {
					t.Errorf("asked for %s, got %q, %v", want, content, err)
					return
				}
				if g == 0 && i == 25 {
					p.Close()
				}
			}
		})
	}
	all.Wait()
}

// A dialer that fails is no connection, and tells whether the origin is to blame.
func TestDialFailures(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err    error
		counts bool
	}{
		{&net.OpError{Op: "dial", Err: refusedErr}, true},
		{&net.OpError{Op: "dial", Err: os.NewSyscallError("socket", syscall.EMFILE)}, false},
	} {
		p := poolOf(t, "a.example:80", func(o *PoolOptions) {
			o.Dial = func(context.Context, string, string) (net.Conn, error) { return nil, tt.err }
		})
		_, _, err := get(p, newTrip(newClient()))
		e, ok := errors.AsType[*Error](err)
		if !ok {
			t.Fatalf("%v: got %v", tt.err, err)
		}
		if f, counts := e.Fault(); f != FaultConnect || counts != tt.counts {
			t.Errorf("%v: %v, counts: %v, want %v", tt.err, f, counts, tt.counts)
		}
		if f := p.Origin().LastFailure(); f == nil || f.Err != err {
			t.Errorf("the last failure is %+v, want %v", f, err)
		}
	}
}
