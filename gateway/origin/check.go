package origin

import (
	"context"
	"math/rand/v2"
	"time"
)

// CheckOptions are how an origin is asked whether it is well.
type CheckOptions struct {
	// Path is asked for with GET. It begins with a slash and has, as Host has,
	// no blank and no control byte.
	Path string

	// Host is the Host field. Empty: the origin's address.
	Host string

	// Interval lies between the beginnings of two checks, less up to a tenth of
	// it at random, so that checks of many origins do not stay in step. It must
	// be positive.
	Interval time.Duration

	// Timeout bounds a check, with its connect. It must be positive.
	Timeout time.Duration

	// DownAfter bad answers in a row say that the origin is down, UpAfter good
	// ones that it is up. Zero means 1. A ping has no use for them.
	DownAfter, UpAfter int

	// Expect are the statuses of good answers, in ranges with both their ends.
	// Empty: all but 500, 502, 503 and 504.
	Expect [][2]int

	// Contains is a text that stands in the first 64 KiB of the content of good answers.
	// Empty: nobody looks.
	Contains string

	// WhileDown makes the check a ping: it runs only while the origin is out,
	// from an interval after it went, and the first good answer readmits,
	// unless the origin has a health check.
	WhileDown bool

	// ClusterInfo asks a WebLogic server which servers its cluster has (D-WL-10).
	ClusterInfo bool
}

// Check asks an origin again and again whether it is well, until stopped. It
// uses connections of its own and takes no slot.
type Check struct {
	pool    *Pool
	o       CheckOptions
	request []byte
	spread  func(time.Duration) time.Duration // up to that much, at random
	stop    context.CancelFunc
	wake    chan struct{} // the origin went out

	// Of the origin's lock:
	stopped   bool
	clear     bool // what it says of the origin is up
	good, bad int  // answers in a row
}

// Check starts a check that makes its connections as the pool does, but not of
// the pool's. Of a proxy the proxy itself is asked. A health check asks at once;
// an origin that is up stays so until it has said otherwise, and one that is out
// stays out.
func (p *Pool) Check(o CheckOptions) *Check {
	return p.check(o, func(d time.Duration) time.Duration { return rand.N(d + 1) })
}

func (p *Pool) check(o CheckOptions, spread func(time.Duration) time.Duration) *Check {
	ctx, stop := context.WithCancel(context.Background())
	c := &Check{pool: p, o: o, spread: spread, stop: stop, wake: make(chan struct{}, 1)}
	c.request = c.appendRequest(nil)
	p.origin.begin(c)
	if o.WhileDown {
		go c.ping(ctx)
	} else {
		go c.watch(ctx)
	}
	return c
}

// Try asks once, as a health check does. If the answer is not good, or none comes in
// time, the origin is down: a check brings it back.
func (p *Pool) Try(ctx context.Context, o CheckOptions) {
	o.DownAfter, o.WhileDown = 1, false
	c := &Check{pool: p, o: o, stop: func() {}}
	c.request = c.appendRequest(nil)
	c.once(ctx)
}

// Stop ends the check: it changes nothing any more, and one under way is given
// up. The origin keeps the health it has; if no check is left, trials may
// readmit it. Stop calls nobody and may be called twice.
func (c *Check) Stop() {
	c.pool.origin.end(c)
	c.stop()
}

// watch is a health check.
func (c *Check) watch(ctx context.Context) {
	for wait := c.spread(min(c.o.Interval/10, time.Second)); pause(ctx, wait); {
		began := time.Now()
		c.once(ctx)
		wait = c.rest(began)
	}
}

// ping sleeps while the origin is up.
func (c *Check) ping(ctx context.Context) {
	for began := time.Now(); ; {
		if c.pool.origin.Health() == Up {
			if !c.awaitOut(ctx) {
				return
			}
			began = time.Now()
		}
		if !pause(ctx, c.rest(began)) {
			return
		}
		if began = time.Now(); c.pool.origin.Health() != Up {
			c.once(ctx)
		}
	}
}

// rest is how long to wait after a check that began then.
func (c *Check) rest(began time.Time) time.Duration {
	return c.o.Interval - c.spread(c.o.Interval/10) - time.Since(began)
}

// awaitOut waits until the origin is out; false: the check was stopped.
func (c *Check) awaitOut(ctx context.Context) bool {
	for c.pool.origin.Health() == Up {
		select {
		case <-c.wake:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// pause waits; false: the check was stopped.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}
