package gateway

import (
	"sync/atomic"
	"time"
)

// h1Tunnel is a client's connection whose protocol was switched: writes go
// through, and reads wait as long as it takes, or as long as there is patience.
type h1Tunnel struct {
	*h1Conn
	patience atomic.Int64 // nanoseconds; zero: endless
}

// Write implements Tunnel.
func (t *h1Tunnel) Write(p []byte) (int, error) { return t.Conn.Write(p) }

// CloseWrite implements Tunnel.
func (t *h1Tunnel) CloseWrite() error { return closeWrite(t.Conn) }

// Patience implements Tunnel.
func (t *h1Tunnel) Patience(idle time.Duration) {
	t.patience.Store(int64(idle))
	t.Conn.SetReadDeadline(time.Now().Add(idle))
}

// Fill implements wire.Source.
func (t *h1Tunnel) Fill() error {
	t.makeRoom()
	if p := t.patience.Load(); p > 0 {
		t.Conn.SetReadDeadline(time.Now().Add(time.Duration(p)))
	}
	n, err := t.Conn.Read(t.side[len(t.side):cap(t.side)])
	t.side = t.side[:len(t.side)+n]
	if n > 0 {
		return nil
	}
	return err
}
