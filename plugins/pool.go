package plugins

import (
	"slices"
	"sync"
	"time"
)

const (
	buildsPerSecond = 10                     // replacements of one attachment
	buildPause      = 100 * time.Millisecond // after one that failed, doubling
	longestPause    = 10 * time.Second
)

// pool are the instances of an attachment. The one that came back last is used first,
// so that few are used where few are needed. New ones are made in the background.
type pool struct {
	a    *Attachment
	most int

	mu       sync.Mutex
	idle     []*instance
	made     int // there are, or are being made
	waiting  []chan *instance
	closed   bool
	done     chan struct{} // closed with it
	failure  error         // of the last making; nil: it went well
	pause    time.Duration // until the next one
	next     time.Time     // when one may be made
	second   int64
	builds   int // in that second
	retiring bool
}

func (p *pool) init(a *Attachment, most int) { p.a, p.most, p.done = a, most, make(chan struct{}) }

// add puts in an instance that was made elsewhere.
func (p *pool) add(i *instance) {
	p.mu.Lock()
	p.made++
	p.mu.Unlock()
	p.put(i)
}

// get takes an instance out, waiting for one for a little while. A fresh one is newly
// made.
func (p *pool) get(fresh bool) (*instance, *Fault) {
	if !fresh {
		p.mu.Lock()
		if n := len(p.idle); n > 0 {
			i := p.idle[n-1]
			p.idle = p.idle[:n-1]
			p.mu.Unlock()
			return i, nil
		}
		p.mu.Unlock()
		return p.wait()
	}
	i, err := p.a.make(p.a.newCaller())
	if err != nil {
		return nil, &Fault{Kind: InitFault, Message: err.Error()}
	}
	p.mu.Lock()
	p.made++
	p.mu.Unlock()
	return i, nil
}

// wait waits for an instance that comes back, or is made now.
func (p *pool) wait() (*instance, *Fault) {
	mine := make(chan *instance, 1)
	p.mu.Lock()
	if n := len(p.idle); n > 0 { // it came back just now
		i := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return i, nil
	}
	p.waiting = append(p.waiting, mine)
	p.grow()
	p.mu.Unlock()
	p.a.plugin.counters.Waits.Inc()
	timer := time.NewTimer(p.a.plugin.limits.Wait)
	defer timer.Stop()
	select {
	case i := <-mine:
		return orClosed(i)
	case <-timer.C:
	}
	return p.giveUp(mine)
}

// orClosed is an instance that was waited for; nil: the pool was closed.
func orClosed(i *instance) (*instance, *Fault) {
	if i == nil {
		return nil, &Fault{Kind: TimeoutWaiting, Message: "the plugin was taken away"}
	}
	return i, nil
}

// giveUp ends a wait, unless an instance came in the last moment.
func (p *pool) giveUp(mine chan *instance) (*instance, *Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at := slices.Index(p.waiting, mine); at >= 0 {
		p.waiting = slices.Delete(p.waiting, at, at+1)
	} else {
		return orClosed(<-mine)
	}
	if p.failure != nil {
		return nil, &Fault{Kind: InitFault, Message: p.failure.Error()}
	}
	return nil, &Fault{Kind: TimeoutWaiting, Message: "every instance was in use for " + p.a.plugin.limits.Wait.String()}
}

// put gives an instance back: to who waits, or to the pool.
func (p *pool) put(i *instance) {
	p.mu.Lock()
	if p.closed || i.doomed {
		p.made--
		p.mu.Unlock()
		i.close()
		return
	}
	if i.large() && !i.retire && !p.retiring {
		i.retire, p.retiring = true, true
		go p.replace(i)
	}
	p.hand(i)
	p.mu.Unlock()
}

// hand gives an instance to who waits longest, else it is idle. The lock is held.
func (p *pool) hand(i *instance) {
	if len(p.waiting) > 0 {
		p.waiting[0] <- i
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
	defer p.mu.Unlock()
	p.made--
	if len(p.waiting) > 0 || p.made == 0 {
		p.grow()
	}
}

// grow has an instance made in the background, if there may be one more. The lock is
// held.
func (p *pool) grow() {
	if p.closed || p.made >= p.most {
		return
	}
	p.made++
	go p.build()
}

// build makes an instance, not before it may.
func (p *pool) build() {
	if !p.mayBuild() {
		return
	}
	i, err := p.a.make(p.a.newCaller())
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case err != nil:
		p.made--
		p.failed(err)
	case p.closed:
		p.made--
		i.close()
	default:
		p.failure, p.pause = nil, 0
		p.hand(i)
	}
}

// failed notes that an instance could not be made. The lock is held.
func (p *pool) failed(err error) {
	p.pause = min(max(2*p.pause, buildPause), longestPause)
	p.failure, p.next = err, time.Now().Add(p.pause)
	go p.a.report(&Fault{Kind: InitFault, Message: err.Error()})
}

// mayBuild waits until an instance may be made: ten a second, and after failures not
// at once. False: nobody needs it any more, and it is not counted.
func (p *pool) mayBuild() bool {
	for {
		p.mu.Lock()
		now := time.Now()
		if s := now.Unix(); s != p.second {
			p.second, p.builds = s, 0
		}
		wait := p.next.Sub(now)
		if p.builds >= buildsPerSecond {
			wait = max(wait, time.Unix(p.second+1, 0).Sub(now))
		}
		if p.closed {
			p.made--
			p.mu.Unlock()
			return false
		}
		if wait <= 0 {
			p.builds++
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

// replace makes an instance in the place of one whose memory has grown large, which
// is closed only then.
func (p *pool) replace(old *instance) {
	i, err := p.a.make(p.a.newCaller())
	p.mu.Lock()
	p.retiring = false
	if err != nil {
		old.retire = false // its next call tries again
		p.mu.Unlock()
		return
	}
	p.a.plugin.counters.Retired.Inc()
	p.made++
	old.doomed = true
	if at := slices.Index(p.idle, old); at >= 0 {
		p.idle = slices.Delete(p.idle, at, at+1)
		p.made--
		defer old.close()
	}
	p.mu.Unlock()
	p.put(i)
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
	for _, i := range idle {
		i.close()
	}
}

// standing tells what there is.
func (p *pool) standing() (s Standing) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.Instances, s.Idle, s.Most = p.made, len(p.idle), p.most
	for _, i := range p.idle {
		s.Memory += int64(len(i.vm.Memory()))
	}
	return s
}
