package origin

import (
	"errors"
	"slices"
	"time"
)

// begin adds a check that is about to run.
func (o *Origin) begin(c *Check) {
	o.mu.Lock()
	defer o.mu.Unlock()
	c.clear = o.found == Up
	o.checks = append(o.checks, c)
	o.openToTrials(time.Now())
}

// end takes a check away. What it has said still holds: a configuration that is
// changed must not bring back origins that are out.
func (o *Origin) end(c *Check) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if c.stopped {
		return
	}
	c.stopped = true
	o.checks = slices.DeleteFunc(o.checks, func(other *Check) bool { return other == c })
	o.unsay()
	if len(o.checks) == 0 {
		o.openToTrials(time.Now())
	}
}

// changed tells a check that the origin is in another state. An ejection makes
// it count anew: what it has seen before speaks of another time.
func (c *Check) changed(now Health) {
	switch now {
	case Ejected:
		c.clear, c.good = false, 0
		fallthrough
	case Down:
		select {
		case c.wake <- struct{}{}:
		default: // it has been woken
		}
	}
}

// judge takes what an answer says. One that was asked for before the origin's
// health changed last says nothing of now.
func (c *Check) judge(good bool, why string, began time.Time) *Transition {
	o := c.pool.origin
	o.mu.Lock()
	defer o.mu.Unlock()
	if c.stopped || began.Before(o.history.last().At) {
		return nil
	}
	c.count(good)
	if !good {
		o.failure.Store(&Failure{Err: errors.New(why), At: time.Now()})
	}
	switch t := (Transition{At: time.Now(), By: c.by(), Why: why, Failures: c.bad}); {
	case !good && c.saysDown() && o.found != Down:
		t.To = Down
		return o.change(t)
	case good && o.found != Up && o.cleared(c) && !o.held(time.Now()):
		t.To = Up
		return o.change(t)
	}
	return nil
}

func (c *Check) by() By {
	if c.o.WhileDown {
		return Ping
	}
	return HealthCheck
}

func (c *Check) count(good bool) {
	if !good {
		c.good, c.bad = 0, c.bad+1
		c.clear = c.clear && !c.saysDown()
		return
	}
	c.good, c.bad = c.good+1, 0
	c.clear = c.clear || c.good >= c.o.UpAfter
}

func (c *Check) saysDown() bool { return !c.o.WhileDown && c.bad >= c.o.DownAfter }

// cleared reports whether a good answer to c brings the origin back: all health
// checks say up, or there is none and c is a ping.
func (o *Origin) cleared(c *Check) bool {
	for _, other := range o.checks {
		if !other.o.WhileDown && !other.clear {
			return false
		}
	}
	return !c.o.WhileDown || !o.watched()
}

// watched reports whether the origin has a health check.
func (o *Origin) watched() bool {
	return slices.ContainsFunc(o.checks, func(c *Check) bool { return !c.o.WhileDown })
}
