package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"weirkeep/gateway/session"
)

// listen opens the socket of a listener. It is our own if nobody gave it to us.
func (g *Gateway) listen(address string) (l net.Listener, own bool, err error) {
	if g.opts.Listen != nil {
		if l, err := g.opts.Listen(address); l != nil || err != nil {
			return l, false, err
		}
	}
	var plain net.ListenConfig
	plain.SetMultipathTCP(false) // its sockets take no filter: see letNobodyIn
	l, err = plain.Listen(context.Background(), "tcp", address)
	return l, true, err
}

// Sockets duplicates the sockets that the gateway listens on, by their
// addresses as configured, so that another process can accept on them too. The
// caller closes the files. A file's Fd must not be called: it would make both
// processes' sockets block; SyscallConn shows the descriptor without that.
func (g *Gateway) Sockets() (map[string]*os.File, error) {
	g.applying.Lock()
	defer g.applying.Unlock()
	if g.closing.Load() {
		return nil, errNotServing
	}
	files := make(map[string]*os.File)
	for address, l := range g.listeners {
		f, err := duplicate(l.socket)
		if err != nil {
			closeFiles(files)
			return nil, fmt.Errorf("duplicate the socket of %s: %w", address, err)
		}
		files[address] = f
		l.own = false
	}
	return files, nil
}

func duplicate(l net.Listener) (*os.File, error) {
	s, ok := l.(interface{ File() (*os.File, error) })
	if !ok {
		return nil, errors.New("it has no descriptor")
	}
	return s.File()
}

func closeFiles(files map[string]*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// HandOver ends a gateway in whose place another process accepts, on the same
// sockets: see [Gateway.Sockets]. It is as [Gateway.Drain], but stops accepting
// first: clients that have not been accepted are the other process's. For
// drain.delay it goes on answering on connections that it has, and asks their
// clients to connect anew; then it closes idle ones and lets exchanges end for
// up to drain.timeout. It returns nil if all ended; otherwise those that are
// left are cut. When ctx ends, so does the patience.
func (g *Gateway) HandOver(ctx context.Context) error {
	a := g.beginEnding()
	if a == nil {
		return g.Close()
	}
	accepting := g.yieldListeners()
	wait(ctx, time.Duration(a.config.Drain.Delay))
	return g.endExchanges(ctx, a, accepting)
}

// yieldListeners closes our descriptors of the sockets. Nobody in the kernel's
// queue is lost by that: the other process has the sockets as well.
func (g *Gateway) yieldListeners() (ended []chan struct{}) {
	g.applying.Lock()
	defer g.applying.Unlock()
	for _, l := range g.listeners {
		l.close()
		ended = append(ended, l.ended)
	}
	clear(g.listeners)
	return ended
}

// WriteBindings writes where sessions are at home, for [Options.Bindings] of the
// gateway that is to take this one's place: 256 MiB at most. What is learned
// after that only this gateway knows.
func (g *Gateway) WriteBindings(w io.Writer) error {
	var all []session.Bindings
	if s := g.current.Load(); s != nil {
		all = s.allBindings(g.now(time.Now()))
	}
	left, err := session.WriteBindings(w, all)
	if left > 0 {
		g.log.Warn("there are too many session bindings to hand all of them over", "left", left)
	}
	return err
}

// allBindings are those of every session, in the order of their names.
func (s *snapshot) allBindings(now time.Time) (all []session.Bindings) {
	for _, p := range s.sessions {
		all = append(all, session.Bindings{Session: p.definition.Name, Entries: p.bindings.Entries(now)})
	}
	slices.SortFunc(all, func(a, b session.Bindings) int { return strings.Compare(a.Session, b.Session) })
	return all
}

// takeOver binds sessions as the gateway did whose place this one takes. It is
// called before the first configuration is current, so that no request finds
// none of them.
func (p *preparation) takeOver() {
	from := p.g.opts.Bindings
	if from == nil || p.g.applied != nil {
		return
	}
	all, err := session.ReadBindings(from)
	if err != nil {
		p.g.log.Warn("the session bindings of the gateway before are lost", "because", err)
		return
	}
	p.g.knowsSessions = true
	now, there, bound := p.g.now(time.Now()), 0, 0
	for _, b := range all {
		there += len(b.Entries)
		bound += p.snap.restore(b, now)
	}
	p.g.log.Info("session bindings taken over", "bindings", bound, "dropped", there-bound)
}

// restore binds the sessions of one definition that is still there to those of
// their origins that are, and returns how many are bound.
func (s *snapshot) restore(b session.Bindings, now time.Time) int {
	for d, p := range s.sessions {
		if d.Name == b.Session {
			p.bindings.Restore(slices.DeleteFunc(b.Entries, func(e session.Entry) bool { return !p.homes[e.Origin] }), now)
			return p.bindings.Len()
		}
	}
	return 0
}

// ReopenLogs goes on in a new file of the access log's name, after the old one
// was moved away. When it has returned, the old file is complete. On an error
// the old file stays in use.
func (g *Gateway) ReopenLogs() error {
	l := g.access.Load()
	if l == nil {
		return nil // nothing is written yet
	}
	return l.reopen()
}
