package gateway

import (
	"cmp"
	"fmt"
	"io"
	"net"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/pires/go-proxyproto"

	"weirkeep/gateway/wire"
)

// tunnel passes on the 101 and then bytes both ways until both halves have
// ended. The exchange keeps its connection and, unless the cluster says that
// tunnels do not count, its slot; its snapshot may be retired.
func (g *Gateway) tunnel(x *Exchange) Reason {
	fields := append(x.answerFields(), wire.Field{Name: upgradeName, Value: x.trip.Answer.Upgrade})
	x.w.Head(101, reasonPhrase(x.trip.Status), fields, wire.NoLength)
	up, early := x.trip.Hijack()
	client := x.w.Tunnel()
	x.release()
	x.conclude(Served)
	if !x.member.cluster.countTunnels {
		x.leave()
	}
	g.metrics.Process.Tunnels.Inc()
	defer g.metrics.Process.Tunnels.Dec()
	x.member.state.tunnels.Add(1)
	defer x.member.state.tunnels.Add(-1)

	t := &tunnel{client: client, up: up, patience: x.trip.Timeouts.BodyIdle}
	done := make(chan any, 1)
	go func() { done <- t.guard(t.sendUp) }()
	var err error
	fault := t.guard(func() { err = t.sendDown(early) })
	if err != nil || fault != nil {
		x.w.Abort() // also ends who still waits for the client
	}
	if fault = cmp.Or(fault, <-done); fault != nil {
		panic(fault)
	}
	up.Close()
	x.trip.End(false)
	if (err != nil || t.broken) && g.cut.Load() {
		return CutByDrain
	}
	return Served
}

var upgradeName = []byte("Upgrade")

// tunnel copies bytes both ways. While both halves are open neither side has to
// say anything, ever. Once one has ended, the other is held to an idle limit:
// who has said goodbye may be gone, and its silence would look the same.
type tunnel struct {
	client   Tunnel
	up       net.Conn
	patience time.Duration
	half     atomic.Bool // one of the two ways has ended
	broken   bool        // the way up has, with an error; read once that way has ended
}

// guard runs one way and returns its panic, if there is one: in a goroutine of
// its own that would end the process, and before the other way has ended the
// exchange must not.
func (t *tunnel) guard(way func()) (fault any) {
	defer func() {
		if fault = recover(); fault != nil {
			fault = fmt.Sprintf("%v\n%s", fault, debug.Stack())
			t.up.SetDeadline(time.Unix(1, 0))
		}
	}()
	way()
	return nil
}

// sendUp copies what the client says; its end is passed on as an end. If it
// breaks, so does the other way.
func (t *tunnel) sendUp() {
	err := t.copyUp()
	closeWrite(t.up) // its end may come back before the error does
	if err != nil {
		t.broken = true
		t.up.SetDeadline(time.Unix(1, 0)) // nothing may set it later again
		return
	}
	t.half.Store(true)
	t.up.SetReadDeadline(time.Now().Add(t.patience))
}

// copyUp copies until the client ends its half.
func (t *tunnel) copyUp() error {
	for {
		if p := t.client.Window(); len(p) > 0 {
			if _, err := t.up.Write(p); err != nil {
				return err
			}
			t.client.Advance(len(p))
		}
		switch err := t.client.Fill(); err {
		case nil:
		case io.EOF:
			return nil
		default:
			return err
		}
	}
}

// sendDown copies what the origin says: first what came with its 101. An error
// means that one of the two broke; then nothing more goes up either.
func (t *tunnel) sendDown(early []byte) error {
	_, err := t.client.Write(early)
	if err == nil {
		err = t.copyDown()
	}
	if err != nil {
		t.up.SetDeadline(time.Unix(1, 0))
		return err
	}
	t.client.CloseWrite()
	t.client.Patience(t.patience)
	return nil
}

func (t *tunnel) copyDown() error {
	buf := make([]byte, 16<<10)
	for {
		n, err := t.up.Read(buf)
		if n > 0 {
			if _, werr := t.client.Write(buf[:n]); werr != nil {
				return werr
			}
			if t.half.Load() {
				t.up.SetReadDeadline(time.Now().Add(t.patience))
			}
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}

// closeWrite ends our half of c, or all of it where halves cannot be ended.
func closeWrite(c net.Conn) error {
	if proxied, ok := c.(*proxyproto.Conn); ok {
		c = proxied.Raw()
	}
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return c.Close()
}
