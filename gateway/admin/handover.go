package admin

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

func (o Options) inherited(network, address string) net.Listener {
	if o.Inherited == nil {
		return nil
	}
	return o.Inherited(network, address)
}

// Sockets duplicates the sockets that the server listens on, by the address or
// path of its options, so that another process can accept on them too. The
// caller closes the files. A file's Fd must not be called: it would make both
// processes' sockets block.
func (s *Server) Sockets() (map[string]*os.File, error) {
	files := make(map[string]*os.File)
	for _, p := range s.parts {
		f, err := p.door.Listener.(interface{ File() (*os.File, error) }).File()
		if err != nil {
			return nil, errors.Join(fmt.Errorf("admin: duplicate the socket of %s: %w", p.address, err), closeFiles(files))
		}
		files[p.address] = f
	}
	return files, nil
}

func closeFiles(files map[string]*os.File) error {
	var errs []error
	for _, f := range files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// Leave ends the server, as Close does, when another process serves on the same
// sockets: first nobody is accepted any more, then who was is answered, until ctx
// is done. The unix socket's file stays in its place. (A server of net/http
// that is told to shut down drops the first request of who has just connected.)
func (s *Server) Leave(ctx context.Context) error {
	for _, p := range s.parts {
		p.door.leave()
		p.server.SetKeepAlivesEnabled(false)
	}
	for _, p := range s.parts {
		p.door.awaitEmpty(ctx)
	}
	return s.Close(ctx)
}

// door is a listener that can stop accepting while its server goes on.
type door struct {
	net.Listener
	left   atomic.Bool
	empty  chan struct{} // closed: it has left, and nobody is about to come in
	closed chan struct{}
	once   sync.Once
	inside atomic.Int64 // connections that are open
}

func newDoor(l net.Listener) *door {
	return &door{Listener: l, empty: make(chan struct{}), closed: make(chan struct{})}
}

// Accept waits for the end once the door has left.
func (d *door) Accept() (net.Conn, error) {
	c, err := d.Listener.Accept()
	if err == nil {
		d.inside.Add(1)
		return &guest{Conn: c, door: d}, nil
	}
	if d.left.Load() {
		close(d.empty)
		<-d.closed
	}
	return nil, err
}

func (d *door) Close() error {
	d.once.Do(func() { close(d.closed) })
	if d.left.Load() {
		return nil
	}
	return d.Listener.Close()
}

// leave closes our descriptor of the socket.
func (d *door) leave() {
	d.left.Store(true)
	if s, ok := d.Listener.(*socket); ok {
		s.left.Store(true)
	}
	d.Listener.Close()
}

// awaitEmpty waits until nobody is inside.
func (d *door) awaitEmpty(ctx context.Context) {
	select {
	case <-d.empty:
	case <-ctx.Done():
	}
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for d.inside.Load() > 0 && ctx.Err() == nil {
		select {
		case <-look.C:
		case <-ctx.Done():
		}
	}
}

// guest is a connection that is counted.
type guest struct {
	net.Conn
	door *door
	once sync.Once
}

func (g *guest) Close() error {
	g.once.Do(func() { g.door.inside.Add(-1) })
	return g.Conn.Close()
}
