package gateway

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func drainText(origin, delay, timeout string) string {
	return plainListener + fmt.Sprintf("clusters: { app: { origins: [{ address: %q }] } }\ndrain: { delay: %s, timeout: %s }\n", origin, delay, timeout)
}

// drain begins a drain and returns what it says in the end.
func drain(ctx context.Context, g *Gateway) <-chan error {
	done := make(chan error, 1)
	go func() { done <- g.Drain(ctx) }()
	return done
}

// During drain.delay the gateway is not ready, still accepts, and asks clients
// to connect anew; then it stops accepting and closes idle connections.
func TestDrainDelay(t *testing.T) {
	t.Parallel()
	addr, g := start(t, drainText(newTeller(t, "o").addr, "1s", "10s"), Options{})
	kept, idle := dialTo(t, addr), dialTo(t, addr)
	for _, c := range []net.Conn{kept, idle} {
		if got, err := getOn(c); err != nil || got.close {
			t.Fatalf("before the drain: %v, %v", got, err)
		}
	}
	begin := time.Now()
	done := drain(t.Context(), g)
	until(t, "the gateway is not ready", func() bool { s := g.Status(); return !s.Ready && s.Draining && s.NotReady == "draining" })
	got, err := getOn(kept)
	if err != nil || got.status != 200 || !got.close {
		t.Errorf("a kept connection during the delay: %v, %v; want an answer with Connection: close", got, err)
	}
	if n, err := kept.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("behind that answer came %d bytes, %v; want the end", n, err)
	}
	if got, err := getOn(dialTo(t, addr)); err != nil || got.status != 200 || !got.close {
		t.Errorf("a new connection during the delay: %v, %v", got, err)
	}
	if n, err := idle.Read(make([]byte, 1)); n != 0 || err != io.EOF || time.Since(begin) < time.Second {
		t.Errorf("the idle connection: %d bytes, %v after %v; want its end after the delay", n, err, time.Since(begin))
	}
	if err := <-done; err != nil {
		t.Errorf("Drain: %v", err)
	}
	if c, err := net.Dial("tcp", addr); err == nil {
		c.Close()
		t.Error("the gateway accepts after the drain")
	}
	if n := g.Status().Connections; n != 0 {
		t.Errorf("%d connections are left", n)
	}
}

// slowOrigin answers the first half at once and the second when released.
func slowOrigin(tb testing.TB) (addr string, arrived, release chan struct{}) {
	arrived, release = make(chan struct{}, 8), make(chan struct{})
	o := rawOrigin(tb, func(c net.Conn) {
		r := bufio.NewReader(c)
		for {
			if _, err := readRawHead(r); err != nil {
				return
			}
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf")
			arrived <- struct{}{}
			<-release
			io.WriteString(c, "half")
		}
	})
	return o.Addr().String(), arrived, release
}

// An answer that is under way ends whole.
func TestDrainLetsAnswersEnd(t *testing.T) {
	t.Parallel()
	origin, arrived, release := slowOrigin(t)
	addr, g := start(t, drainText(origin, "0s", "20s"), Options{})
	c := dialTo(t, addr)
	answer := make(chan told, 1)
	go func() {
		got, _ := getOn(c)
		answer <- got
	}()
	<-arrived
	done := drain(t.Context(), g)
	until(t, "nothing is accepted", func() bool {
		c, err := net.DialTimeout("tcp", addr, time.Second)
		if err == nil {
			c.Close()
		}
		return err != nil
	})
	select {
	case err := <-done:
		t.Fatalf("Drain ended (%v) while an answer is under way", err)
	default:
	}
	close(release)
	if got := <-answer; got.body != "halfhalf" {
		t.Errorf("the answer that was under way is %q", got.body)
	}
	if err := <-done; err != nil {
		t.Errorf("Drain: %v", err)
	}
}

// What lasts longer than drain.timeout, or than the caller's patience, is cut,
// and Drain says so.
func TestDrainCutsWhatLastsTooLong(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, delay, timeout string
		patience             time.Duration
	}{
		{"over drain.timeout", "0s", "200ms", time.Minute},
		{"over the caller's patience", "1m", "1m", 200 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			origin, arrived, release := slowOrigin(t)
			defer close(release)
			addr, g := start(t, drainText(origin, tt.delay, tt.timeout), Options{})
			c := dialTo(t, addr)
			answer := make(chan error, 1)
			go func() {
				_, err := getOn(c)
				answer <- err
			}()
			<-arrived
			ctx, cancel := context.WithTimeout(t.Context(), tt.patience)
			defer cancel()
			if err := g.Drain(ctx); err == nil || !strings.Contains(err.Error(), "1 exchange") {
				t.Errorf("Drain: %v, want it to tell of 1 exchange that was cut", err)
			}
			if err := <-answer; err == nil {
				t.Error("the client did not see its answer break off")
			}
			until(t, "no connection is left", func() bool { return g.Status().Connections == 0 })
		})
	}
}

// Clients that keep connections, and go elsewhere when told to, lose nothing.
func TestDrainUnderLoad(t *testing.T) {
	t.Parallel()
	drainUnder(t, 8, "300ms")
}

// drainUnder drains a gateway, with so much delay, that so many clients use; they
// go to a second one.
func drainUnder(t *testing.T, clients int, delay string) {
	text := drainText(newTeller(t, "o").addr, delay, "20s")
	first, leaving := start(t, text, Options{})
	second, _ := start(t, text, Options{})
	var failed, served atomic.Int64
	stop := make(chan struct{})
	var all sync.WaitGroup
	for range clients {
		all.Go(func() { politeClient([]string{first, second}, stop, &served, &failed) })
	}
	until(t, "the load is there", func() bool { return served.Load() > int64(10*clients) })
	if err := leaving.Drain(t.Context()); err != nil {
		t.Errorf("Drain: %v", err)
	}
	close(stop)
	all.Wait()
	if failed.Load() != 0 {
		t.Errorf("%d requests failed, %d were served", failed.Load(), served.Load())
	}
}

// politeClient asks the first address until an answer says that its connection
// ends, then the next.
func politeClient(addrs []string, stop chan struct{}, served, failed *atomic.Int64) {
	for _, addr := range addrs {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			failed.Add(1)
			return
		}
		defer c.Close()
		for again := true; again; {
			select {
			case <-stop:
				return
			default:
			}
			got, err := getOn(c)
			if err != nil || got.status != 200 {
				failed.Add(1)
				return
			}
			served.Add(1)
			again = !got.close
		}
	}
}

// A request that had arrived behind another one is answered when the drain has
// begun.
func TestDrainAnswersWhatHasArrived(t *testing.T) {
	t.Parallel()
	origin, arrived, release := slowOrigin(t)
	addr, g := start(t, drainText(origin, "0s", "20s"), Options{})
	c := dialTo(t, addr)
	io.WriteString(c, "GET /1 HTTP/1.1\r\nHost: a.example\r\n\r\nGET /2 HTTP/1.1\r\nHost: a.example\r\n\r\n")
	<-arrived
	c.SetReadDeadline(time.Now().Add(20 * time.Second))
	r := bufio.NewReader(c)
	if _, err := r.Peek(1); err != nil {
		t.Fatal(err)
	}
	done := drain(t.Context(), g)
	until(t, "the drain has begun", func() bool { return g.draining.Load() })
	close(release)
	if got, err := readTold(r, "GET"); err != nil || got.body != "halfhalf" || got.close {
		t.Errorf("the first answer, whose head was out before: %v, %v", got, err)
	}
	if got, err := readTold(r, "GET"); err != nil || got.body != "halfhalf" || !got.close {
		t.Errorf("the request that was there already: %v, %v; want its answer, with Connection: close", got, err)
	}
	if err := <-done; err != nil {
		t.Errorf("Drain: %v", err)
	}
}
