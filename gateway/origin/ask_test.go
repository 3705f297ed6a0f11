package origin

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"weirkeep/gateway/metrics"
	"weirkeep/gateway/probe"
)

// rested is a pool with n connections, each of which has served one request, to an
// origin that then does with each as it likes.
func rested(t *testing.T, n int, then func(n int, p *peer)) *Pool {
	p := newPool(t, listen(t, func(n int, p *peer) {
		p.head()
		p.say(okAnswer)
		then(n, p)
	}))
	var open []*Trip
	for range n {
		trip := newTrip(newClient())
		if err := p.Begin(trip, time.Now()); err != nil {
			t.Fatal(err)
		}
		open = append(open, trip)
	}
	for _, trip := range open {
		if _, _, err := rest(trip); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// A request passes over all connections on which something came while they rested: none
// of it is taken for an answer, and no attempt is lost.
func TestStaleConnectionsArePassedOver(t *testing.T) {
	t.Parallel()
	const n = 4
	p := rested(t, n, func(n int, p *peer) {
		switch n {
		case 0:
			always(okAnswer)(n, p)
		case 1:
			p.say("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison")
		case 2:
			p.Conn.(*net.TCPConn).CloseWrite()
		case 3:
			p.Conn.(*net.TCPConn).SetLinger(0)
			return
		}
		p.head()
	})
	silent := func() (n int) {
		for _, c := range p.free {
			if c.probe.Look() == probe.Silent {
				n++
			}
		}
		return n
	}
	await(t, "what happened to the connections shows", func() bool { return silent() == 1 })
	trip := newTrip(newClient())
	mustGet(t, p, trip)
	if m := trip.Metrics; m.Attempts.Load() != 1 || m.Reused.Load()+m.Opened.Load() != 1 || m.Failures[metrics.Send].Load()+m.Failures[metrics.Wait].Load() != 0 {
		t.Errorf("attempts: %d, reused: %d, opened: %d, want one attempt over one connection", m.Attempts.Load(), m.Reused.Load(), m.Opened.Load())
	}
}

// A request that the socket does not take at once arrives whole, also where its answer
// is there before its end is.
func TestLongRequestsOverRestedConnections(t *testing.T) {
	t.Parallel()
	for _, early := range []bool{false, true} {
		head := "GET /" + strings.Repeat("0123456789abcdef", 1<<19) + " HTTP/1.1\r\n\r\n"
		got := make(chan string, 1)
		p := rested(t, 1, func(_ int, p *peer) {
			begin := p.body(1000)
			if early {
				p.say(okAnswer)
			}
			got <- begin + p.body(len(head)-len(begin))
			if !early {
				p.say(okAnswer)
			}
			p.head()
		})
		trip := newTrip(newClient())
		trip.Head, trip.Timeouts.FirstByte = []byte(head), 30*time.Second
		mustGet(t, p, trip)
		if got := <-got; got != head {
			t.Errorf("early answer: %v: %d bytes arrived, want the %d of the request", early, len(got), len(head))
		}
		if trip.Metrics.Reused.Load() != 1 || p.Idle() != 1 {
			t.Errorf("early answer: %v: the connection was used %d times and %d are idle, want 1 and 1", early, trip.Metrics.Reused.Load(), p.Idle())
		}
	}
}

// onlooker is a client that tells when it is looked at.
type onlooker struct {
	*client
	looks chan struct{}
}

func (o onlooker) Gone() bool {
	select {
	case o.looks <- struct{}{}:
	default:
	}
	return o.client.Gone()
}

// How the wait for an answer ends is the same over a connection that has rested.
func TestWaitsOverRestedConnections(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(*Trip)
		answer func(p *peer, looked <-chan struct{})
		want   error
	}{
		{name: "an answer in pieces", answer: func(p *peer, _ <-chan struct{}) {
			for _, b := range okAnswer {
				p.say(string(b))
			}
		}},
		{name: "an answer that takes longer than a look", answer: func(p *peer, looked <-chan struct{}) {
			<-looked
			<-looked
			p.say(okAnswer)
		}},
		{name: "no answer", change: func(t *Trip) { t.Timeouts.FirstByte = wake }, want: ErrTimeout},
		{name: "no answer while others could give one", change: func(t *Trip) { t.Timeouts.Attempt = wake }, want: ErrLate},
		{name: "the client has gone", change: func(t *Trip) { t.Caller.(onlooker).gone.Store(true) }, want: ErrGone},
		{name: "the end", answer: func(p *peer, _ <-chan struct{}) { p.Close() }, want: io.EOF},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			looks := make(chan struct{}, 1)
			p := rested(t, 1, func(_ int, p *peer) {
				p.head()
				if tt.answer != nil {
					tt.answer(p, looks)
				}
				p.head()
			})
			trip := newTrip(newClient())
			trip.Caller = onlooker{newClient(), looks}
			if tt.change != nil {
				tt.change(trip)
			}
			_, _, err := get(p, trip)
			if !errors.Is(err, tt.want) {
				t.Fatalf("Begin() = %v, want %v", err, tt.want)
			}
			if e, ok := errors.AsType[*Error](err); ok && (e.Phase != metrics.Wait || e.Written != int64(len(trip.Head)) || !e.Reused) {
				t.Errorf("the error says %s, %d written, reused: %v", e.Phase, e.Written, e.Reused)
			}
		})
	}
}
