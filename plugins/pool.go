package plugins

import (
	"slices"
	"sync"
	"time"
)

// pool are the instances of an attachment. The one that came back last is used first,
// so that few are used where few are needed. New ones are made in the background, see
// build.go. There are never more than most that could be called.
type pool struct {
	a    *Attachment
	most int
	done chan struct{} // closed with it

	mu       sync.Mutex
	closed   bool
	idle     []*instance
	waiting  []chan *instance
	made     int  // that there are, are being made, or are wanted
	peak     int  // the most that there ever were: what is made below it is a rebuild
	wanted   int  // of made, those that the builder has still to make
	growth   int  // of wanted, those that are no rebuilds
	building bool // the builder runs
	rebuilds pace

	retiring    bool // an instance is being replaced for its memory
	retirements pace
}

func (p *pool) init(a *Attachment, most int) { p.a, p.most, p.done = a, most, make(chan struct{}) }

// add puts in the first instance, which was made elsewhere.
func (p *pool) add(i *instance) {
	p.mu.Lock()
	p.made++
	p.peak++
	p.hand(i)
	p.mu.Unlock()
}

// get takes an instance out, waiting for one for a little while.
func (p *pool) get(wait time.Duration) (*instance, *Fault) {
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		i := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return i, nil
	}
	if p.closed {
		p.mu.Unlock()
		return nil, takenAway()
	}
	mine := make(chan *instance, 1)
	p.waiting = append(p.waiting, mine)
	p.grow()
	p.mu.Unlock()
	return p.wait(mine, wait)
}

// wait waits for an instance that comes back, or is made now.
func (p *pool) wait(mine chan *instance, longest time.Duration) (*instance, *Fault) {
	p.a.plugin.counters.Waits.Inc()
	timer := time.NewTimer(longest)
	defer timer.Stop()
	select {
	case i := <-mine:
		return orTakenAway(i)
	case <-timer.C:
	}
	p.mu.Lock()
	at := slices.Index(p.waiting, mine)
	if at < 0 { // it came in the last moment
		p.mu.Unlock()
		return orTakenAway(<-mine)
	}
	p.waiting = slices.Delete(p.waiting, at, at+1)
	p.mu.Unlock()
	return nil, &Fault{Kind: TimeoutWaiting, Message: "no instance was free for " + longest.String()}
}

// orTakenAway is an instance that was waited for; nil: the pool was closed.
func orTakenAway(i *instance) (*instance, *Fault) {
	if i == nil {
		return nil, takenAway()
	}
	return i, nil
}

func takenAway() *Fault {
	return &Fault{Kind: TimeoutWaiting, Message: "the plugin was taken away"}
}

// put gives an instance back: to who waits, or to the pool. One that has been
// replaced, or whose pool is closed, is closed.
func (p *pool) put(i *instance) {
	i.weigh()
	large := i.large()
	p.mu.Lock()
	next := i.successor
	i.successor = nil
	switch {
	case p.closed:
		p.made--
		p.mu.Unlock()
		closeAll(i, next)
	case next != nil:
		p.hand(next)
		p.mu.Unlock()
		i.close()
	default:
		if large && !p.retiring {
			p.retiring = true
			go p.replace(i)
		}
		p.hand(i)
		p.mu.Unlock()
	}
}

// closeAll closes instances; nil is none.
func closeAll(all ...*instance) {
	for _, i := range all {
		if i != nil {
			i.close()
		}
	}
}

// hand gives an instance to who waits longest, else it is idle. The lock is held.
func (p *pool) hand(i *instance) {
	if len(p.waiting) > 0 {
		p.waiting[0] <- i // it has room for one
		p.waiting = slices.Delete(p.waiting, 0, 1)
		return
	}
	p.idle = append(p.idle, i)
}

// drop closes an instance that may not be called any more, and has another made in
// its place.
func (p *pool) drop(i *instance) {
	i.close()
	p.mu.Lock()
	next := i.successor
	i.successor, i.gone = nil, true
	if next != nil && !p.closed {
		p.hand(next)
		p.mu.Unlock()
		return
	}
	p.lose()
	p.mu.Unlock()
	closeAll(next)
}

// lose takes an instance from the count. Another one is made if somebody waits, or
// if there is none. The lock is held.
func (p *pool) lose() {
	p.made--
	if len(p.waiting) > 0 || p.made == 0 {
		p.grow()
	}
}

// close closes what is idle; what is in use is closed when it comes back.
func (p *pool) close() {
	p.mu.Lock()
	idle := p.idle
	if !p.closed {
		close(p.done)
	}
	p.idle, p.closed = nil, true
	p.made -= len(idle)
	for _, w := range p.waiting {
		close(w)
	}
	p.waiting = nil
	p.mu.Unlock()
	closeAll(idle...)
}

// standing tells what there is.
func (p *pool) standing() (s Standing) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.Instances, s.Idle, s.Most = p.made-p.wanted, len(p.idle), p.most
	return s
}
