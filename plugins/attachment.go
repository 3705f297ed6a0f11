package plugins

import (
	"context"
	"sync/atomic"
	"time"

	"weirkeep/abi"
)

// Attachment is a plugin where it is used, with instances of its own. It is safe for
// use by many goroutines.
type Attachment struct {
	plugin   *Plugin
	begun    time.Time
	still    bool
	place    Place
	tables   atomic.Pointer[tables]
	pool     pool
	breaker  breaker
	timeouts lineRate // of their reports
	fetch    Fetch
	memory   atomic.Int64       // bytes of all instances, as of the last call of each
	calling  atomic.Int32       // http calls whose answers have not been delivered
	arrived  chan struct{}      // there is an answer; of one place
	stop     context.CancelFunc // of the ticker
	ended    chan struct{}      // it has; nil: there is none
}

// AttachOptions say where a plugin is used.
type AttachOptions struct {
	Place Place

	// Table are the origins, of routers and collectors; nil: none.
	Table *abi.ClusterTable

	// Fetch makes the guests' http calls. Nil: they are refused.
	Fetch Fetch

	// Still means that gw_tick is not called: nothing happens but what is asked for.
	Still bool
}

// Attach makes an attachment with one instance. The error is of its making.
func (p *Plugin) Attach(o AttachOptions) (*Attachment, error) {
	a := &Attachment{plugin: p, begun: time.Now(), still: o.Still, place: o.Place, fetch: o.Fetch, arrived: make(chan struct{}, 1)}
	if o.Table != nil {
		a.SetTable(o.Table)
	}
	most := p.limits.Instances
	if p.config.Kind == Collector {
		most = 1
	}
	a.pool.init(a, most)
	i, err := a.make(a.current())
	if err != nil {
		return nil, err
	}
	a.pool.add(i)
	if !o.Still {
		a.startTicker()
	}
	return a, nil
}

// Close ends the attachment: instances that are in use are closed when they come
// back.
func (a *Attachment) Close() {
	if a.ended != nil {
		a.stop()
		<-a.ended
	}
	a.pool.close()
}

// moment is the time since the attachment was made: reading it costs half of what
// time.Now does.
func (a *Attachment) moment() time.Duration { return time.Since(a.begun) }

// Ticks reports whether gw_tick is called.
func (a *Attachment) Ticks() bool { return a.ended != nil }

// Still reports whether nothing happens but what is asked for.
func (a *Attachment) Still() bool { return a.still }

// Plugin is what is attached.
func (a *Attachment) Plugin() *Plugin { return a.plugin }

// Place is where.
func (a *Attachment) Place() Place { return a.place }

// Standing is how an attachment is, for people.
type Standing struct {
	Place     string
	Instances int // that there are
	Idle      int
	Most      int
	Breaker   BreakerState
	Memory    int64  // bytes of all instances, as of the last call of each
	Table     uint32 // generation of the cluster table; 0: none
}

// Standing tells how the attachment is.
func (a *Attachment) Standing() Standing {
	s := a.pool.standing()
	s.Place, s.Breaker, s.Memory = a.place.String(), a.breaker.state(), a.memory.Load()
	if t := a.current(); t != nil {
		s.Table = t.t.Generation
	}
	return s
}
