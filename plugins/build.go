package plugins

import (
	"slices"
	"time"
)

const (
	buildsPerSecond = 10                     // replacements of one attachment
	buildPause      = 100 * time.Millisecond // after one that failed, doubling
	longestPause    = 10 * time.Second
)

// pace is how often something may be made: ten times a second, and after failures
// not at once.
type pace struct {
	second int64
	made   int // in that second
	pause  time.Duration
	next   time.Time // when one may be made after a failure
}

// wait is how long it is until one may be made. Free ones are not counted.
func (p *pace) wait(now time.Time, free bool) time.Duration {
	wait := p.next.Sub(now)
	if s := now.Unix(); s != p.second {
		p.second, p.made = s, 0
	}
	if !free && p.made >= buildsPerSecond {
		wait = max(wait, time.Unix(p.second+1, 0).Sub(now))
	}
	return wait
}

// ended notes how a making ended.
func (p *pace) ended(err error) {
	if err == nil {
		p.pause = 0
		return
	}
	p.pause = min(max(2*p.pause, buildPause), longestPause)
	p.next = time.Now().Add(p.pause)
}

// grow has an instance made in the background, if there may be one more. The lock is
// held.
func (p *pool) grow() {
	if p.closed || p.made >= p.most {
		return
	}
	p.made++
	p.wanted++
	if p.made > p.peak {
		p.peak = p.made
		p.growth++
	}
	if !p.building {
		p.building = true
		go p.build()
	}
}

// build makes the instances that are wanted, one after the other.
func (p *pool) build() {
	for p.mayBuild() {
		i, err := p.a.make(p.a.current())
		p.mu.Lock()
		p.rebuilds.ended(err)
		switch {
		case err != nil:
			p.lose()
		case p.closed:
			p.made--
		default:
			p.hand(i)
			i = nil
		}
		p.mu.Unlock()
		closeAll(i)
		if err != nil {
			p.a.unmade(err)
		}
	}
}

// mayBuild waits until an instance may be made. False: none is wanted any more, and
// the builder has ended.
func (p *pool) mayBuild() bool {
	for {
		p.mu.Lock()
		if p.closed {
			p.made -= p.wanted
			p.wanted = 0
		}
		if p.wanted == 0 {
			p.building = false
			p.mu.Unlock()
			return false
		}
		free := p.growth > 0
		wait := p.rebuilds.wait(time.Now(), free)
		if wait <= 0 {
			p.wanted--
			if free {
				p.growth--
			} else {
				p.rebuilds.made++
			}
			p.mu.Unlock()
			return true
		}
		p.mu.Unlock()
		p.rest(wait)
	}
}

// rest waits, or until the pool is closed.
func (p *pool) rest(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-p.done:
	}
}

// fresh makes a new instance for who asks, in the place of another one if there are
// as many as there may be.
func (p *pool) fresh() (*instance, *Fault) {
	if fault := p.room(); fault != nil {
		return nil, fault
	}
	i, err := p.a.make(p.a.current())
	if err != nil {
		return nil, p.unfilled(err)
	}
	return i, nil
}

// room takes a place for an instance: one of those that are free or wanted, else that
// of an instance, which is closed.
func (p *pool) room() *Fault {
	p.mu.Lock()
	n := len(p.idle)
	switch {
	case p.closed:
		p.mu.Unlock()
		return takenAway()
	case n == 0 && p.wanted > 0:
		p.wanted--
		p.growth = min(p.growth, p.wanted)
		p.mu.Unlock()
		return nil
	case n == 0 && p.made < p.most:
		p.made++
		p.peak = max(p.peak, p.made)
		p.mu.Unlock()
		return nil
	}
	p.mu.Unlock()
	i, fault := p.get(p.a.plugin.limits.Wait)
	if fault == nil {
		p.retract(i)
	}
	return fault
}

// retract closes an instance that is in use; its place stays taken.
func (p *pool) retract(i *instance) {
	p.mu.Lock()
	next := i.successor
	i.successor, i.gone = nil, true
	p.mu.Unlock()
	closeAll(i, next)
}

// swap makes an instance in the place of one that is in use and cannot take the table.
func (p *pool) swap(old *instance, t *table) (*instance, *Fault) {
	i, err := p.a.make(t)
	p.retract(old)
	if err != nil {
		return nil, p.unfilled(err)
	}
	return i, nil
}

// unfilled gives a place up for which no instance could be made.
func (p *pool) unfilled(err error) *Fault {
	p.mu.Lock()
	p.rebuilds.ended(err)
	p.lose()
	p.mu.Unlock()
	return initFault(err)
}

// replace makes an instance for the place of one whose memory has grown large. That
// one serves on until the new one is ready, and is closed when it comes back.
func (p *pool) replace(old *instance) {
	p.mu.Lock()
	wait := p.retirements.wait(time.Now(), false)
	p.retirements.made++
	p.mu.Unlock()
	if wait > 0 {
		p.rest(wait)
	}
	i, err := p.a.make(p.a.current())
	p.mu.Lock()
	p.retiring = false
	p.retirements.ended(err)
	closing := i
	if err == nil && !p.closed {
		closing = p.succeed(old, i)
		p.a.plugin.counters.Retired.Inc()
	}
	p.mu.Unlock()
	closeAll(closing)
	if err != nil {
		p.a.unmade(err)
	}
}

// succeed puts an instance in the place of another one, and returns which of them is
// to be closed now, if any. The lock is held.
func (p *pool) succeed(old, i *instance) *instance {
	at := slices.Index(p.idle, old)
	switch {
	case at >= 0:
		p.idle = slices.Delete(p.idle, at, at+1)
		p.hand(i)
		return old
	case !old.gone:
		old.successor = i
		return nil
	case p.made < p.most:
		p.made++
		p.peak = max(p.peak, p.made)
		p.hand(i)
		return nil
	}
	return i
}
