package gateway

import (
	"io"
	"net"
	"time"

	"weirkeep/gateway/wire"
)

// tunnel passes on the 101 and then bytes both ways until both halves have
// ended. The exchange keeps its connection; its snapshot may be retired.
func (g *Gateway) tunnel(x *Exchange) Reason {
	fields := append(x.answerFields(), wire.Field{Name: upgradeName, Value: x.trip.Answer.Upgrade})
	x.w.Head(101, reasonPhrase(x.trip.Status), fields, wire.NoLength)
	up, early := x.trip.Hijack()
	client := x.w.Tunnel()
	x.release()
	g.metrics.Process.Tunnels.Inc()
	defer g.metrics.Process.Tunnels.Dec()

	done := make(chan struct{})
	go func() {
		defer close(done)
		sendUp(up, client)
	}()
	sendDown(client, up, early)
	<-done
	up.Close()
	x.trip.End(false)
	return Served
}

var upgradeName = []byte("Upgrade")

// sendUp copies what the client says; its end is passed on as an end.
func sendUp(up net.Conn, client Tunnel) {
	for {
		if p := client.Window(); len(p) > 0 {
			if _, err := up.Write(p); err != nil {
				break
			}
			client.Advance(len(p))
		}
		if client.Fill() != nil {
			break
		}
	}
	closeWrite(up)
}

// sendDown copies what the origin says: first what came with its 101.
func sendDown(client Tunnel, up net.Conn, early []byte) {
	if len(early) > 0 {
		if _, err := client.Write(early); err != nil {
			up.SetDeadline(time.Unix(1, 0))
			return
		}
	}
	if _, err := io.Copy(client, up); err != nil {
		up.SetDeadline(time.Unix(1, 0)) // also ends who still writes to it
	}
	client.CloseWrite()
}

// closeWrite ends our half of c, or all of it where halves cannot be ended.
func closeWrite(c net.Conn) error {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return c.Close()
}
