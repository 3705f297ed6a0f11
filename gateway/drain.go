package gateway

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// drainLook is how often a drain looks whether the last exchange has ended.
const drainLook = 10 * time.Millisecond

// Drain ends a gateway without cutting anybody off. For drain.delay it goes on
// accepting, but is not ready and asks clients to connect anew; then it stops
// accepting, closes idle connections, and lets exchanges end for up to
// drain.timeout. It returns nil if all ended; otherwise those that are left are
// cut. When ctx ends, so does the patience.
func (g *Gateway) Drain(ctx context.Context) error {
	a := g.beginEnding()
	if a == nil {
		return g.Close()
	}
	wait(ctx, time.Duration(a.config.Drain.Delay))
	g.finishAccepting(ctx)
	return g.endExchanges(ctx, a, nil)
}

// beginEnding lets answers say that their connections end, and returns the
// last configuration, nil if there was none.
func (g *Gateway) beginEnding() *applied {
	g.applying.Lock()
	defer g.applying.Unlock()
	g.closing.Store(true)
	g.leaveVolume()
	return g.applied
}

// endExchanges closes idle connections and everything else once exchanges have
// ended, or after drain.timeout. A listener may have a last connection in hand
// until its channel closes: it waits for a place among limits.connections.
func (g *Gateway) endExchanges(ctx context.Context, a *applied, accepting []chan struct{}) error {
	g.draining.Store(true)
	patience, cancel := context.WithTimeout(ctx, time.Duration(a.config.Drain.Timeout))
	defer cancel()
	err := g.awaitIdle(patience, accepting)
	return errors.Join(err, g.Close())
}

// awaitIdle waits until no connection is left and none is to come.
func (g *Gateway) awaitIdle(ctx context.Context, accepting []chan struct{}) error {
	for {
		g.wakeIdle()
		settled := allClosed(accepting) // before the look: who is let in shows there
		open, busy := g.openConns()
		if open == 0 && settled {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("drain: %d exchanges were still running and were cut", busy)
		}
		wait(ctx, drainLook)
	}
}

func allClosed(channels []chan struct{}) bool {
	for _, c := range channels {
		select {
		case <-c:
		default:
			return false
		}
	}
	return true
}

// cutPatience is how long exchanges that were cut have to end and be recorded.
const cutPatience = time.Second

// awaitCut waits until every connection has ended after its socket was closed.
func (g *Gateway) awaitCut() {
	ctx, cancel := context.WithTimeout(context.Background(), cutPatience)
	defer cancel()
	for ctx.Err() == nil {
		if open, _ := g.openConns(); open == 0 {
			return
		}
		g.cutAll() // one may have been accepted in between
		wait(ctx, drainLook)
	}
}

// awaitFills waits, no longer than that, until what is fetched for the store has ended,
// which nobody is told of: it looks up as often as a trip does.
func (g *Gateway) awaitFills() {
	ended := make(chan struct{})
	go func() { g.fills.Wait(); close(ended) }()
	ctx, cancel := context.WithTimeout(context.Background(), cutPatience)
	defer cancel()
	select {
	case <-ended:
	case <-ctx.Done():
	}
}

func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// finishAccepting lets every listener accept who is there already, and end.
func (g *Gateway) finishAccepting(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	for _, ended := range g.finishListeners() {
		select {
		case <-ended:
		case <-ctx.Done():
		}
	}
	g.stopAccepting()
}

func (g *Gateway) finishListeners() (ended []chan struct{}) {
	g.applying.Lock()
	defer g.applying.Unlock()
	for _, l := range g.listeners {
		l.lastCall()
		ended = append(ended, l.ended)
	}
	return ended
}

func (g *Gateway) stopAccepting() {
	g.applying.Lock()
	defer g.applying.Unlock()
	for _, l := range g.listeners {
		l.close()
	}
	clear(g.listeners)
	g.places.close()
	g.restSteps()
}

// Close ends everything now: listeners, connections, pools and the access log,
// which is written to its end.
func (g *Gateway) Close() error {
	g.closing.Store(true)
	g.draining.Store(true)
	g.stopAccepting()
	g.cutAll()
	g.awaitCut()
	g.awaitFills()
	g.loops.Wait()
	g.applying.Lock()
	defer g.applying.Unlock()
	g.watcher.close()
	g.discovery.close()
	g.providers.Close()
	g.registry.watch(nil)
	g.registry.sample(nil)
	g.registry.sampleStock(nil)
	if s := g.current.Load(); s != nil && g.applied != nil {
		g.applied = nil
		s.release()
	}
	err := g.closeVolume()
	if l := g.access.Load(); l != nil {
		return errors.Join(err, l.close())
	}
	return err
}
