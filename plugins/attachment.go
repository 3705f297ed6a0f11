package plugins

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"weirkeep/abi"
)

// slowCall is how long a call may take before it counts as slow.
const slowCall = 10 * time.Millisecond

// Attachment is a plugin where it is used, with instances of its own. It is safe for
// use by many goroutines.
type Attachment struct {
	plugin  *Plugin
	place   Place
	table   atomic.Pointer[table]
	pool    pool
	breaker breaker
	fetch   Fetch
	calling atomic.Int32       // http calls that are under way
	stop    context.CancelFunc // of ticks
	ended   chan struct{}      // they have ended; nil: there are none
}

// AttachOptions say where a plugin is used.
type AttachOptions struct {
	Place Place

	// Table are the origins, of routers and collectors; nil: none.
	Table *abi.ClusterTable

	// Fetch makes the guests' http calls. Nil: they are refused.
	Fetch Fetch
}

// Attach makes an attachment with one instance. The error is of its making.
func (p *Plugin) Attach(o AttachOptions) (*Attachment, error) {
	a := &Attachment{plugin: p, place: o.Place, fetch: o.Fetch}
	if o.Table != nil {
		a.table.Store(newTable(o.Table))
	}
	most := p.limits.Instances
	if p.config.Kind == Collector {
		most = 1
	}
	a.pool.init(a, most)
	i, err := a.make(a.newCaller())
	if err != nil {
		return nil, err
	}
	a.pool.add(i)
	a.startTicks()
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
	Memory    int64 // bytes of idle instances
}

// Standing tells how the attachment is.
func (a *Attachment) Standing() Standing {
	s := a.pool.standing()
	s.Place, s.Breaker = a.place.String(), a.breaker.state()
	return s
}

// turn is an instance for one call, and how it was got.
type turn struct {
	*instance
	trial bool // the breaker tries
}

// enter gets an instance.
func (a *Attachment) enter() (turn, *Failure) {
	now := time.Now()
	may, trial := a.breaker.allow(now)
	if !may {
		return turn{}, a.refuse(BreakerOpen)
	}
	i, fault := a.pool.get(trial)
	if fault != nil {
		if trial {
			a.breaker.note(time.Now(), true, true)
		}
		return turn{}, a.report(fault)
	}
	if i.table != a.table.Load() {
		if fault := a.redeliver(&i); fault != nil {
			a.breaker.note(time.Now(), true, trial)
			return turn{}, a.report(fault)
		}
	}
	return turn{i, trial}, nil
}

// redeliver gives an instance the table that is current, or takes another instance
// in its place.
func (a *Attachment) redeliver(i **instance) *Fault {
	old := *i
	var err error
	if t := a.table.Load(); t.size <= old.size {
		if err = old.deliver(); err == nil {
			return nil
		}
	}
	a.pool.drop(old)
	if err != nil {
		return &Fault{Kind: InitFault, Export: clusterExport, Message: err.Error(), Stderr: string(old.env.stderr.b)}
	}
	fresh, fault := a.pool.get(true)
	*i = fresh
	return fault
}

// refuse is the failure of a call that is not made.
func (a *Attachment) refuse(why NotCalled) *Failure {
	a.plugin.counters.notCalled(why)
	return &Failure{NotCalled: why}
}

// report files a fault.
func (a *Attachment) report(f *Fault) *Failure {
	f.At, f.Attachment = time.Now(), a.place.String()
	a.plugin.counters.fault(f.Kind)
	a.plugin.store.faults.add(f)
	a.plugin.house.log.Warn("plugin fault", "plugin", a.plugin.config.Name, "at", f.Attachment, "kind", string(f.Kind), "because", f.Error(), "request", fmt.Sprintf("%016x", f.RequestID))
	return &Failure{Fault: f}
}

// call makes a call of the kind. The caller reads the result, and gives the instance
// back with leave.
func (t turn) call(c call, p phase, now uint64, size int) (int32, error) {
	begun := time.Now()
	n, err := t.run(c, p, now, size)
	took := time.Since(begun)
	counters := t.a.plugin.counters
	counters.Calls.Inc()
	counters.Duration.Observe(took)
	if took > slowCall {
		counters.Slow.Inc()
	}
	return n, err
}

// leave gives the instance back after a call that went well.
func (t turn) leave() {
	t.a.breaker.note(time.Now(), false, t.trial)
	t.a.pool.put(t.instance)
}

// fail drops the instance after a fault, and files it.
func (t turn) fail(f *Fault, export call, request uint64) *Failure {
	f.Export, f.RequestID, f.Stderr = callExports[export], request, string(t.env.stderr.b)
	t.a.breaker.note(time.Now(), true, t.trial)
	t.a.pool.drop(t.instance)
	return t.a.report(f)
}

// negative gives the instance back after an answer that is an error code.
func (t turn) negative(n int32) *Failure {
	t.a.plugin.counters.Negative.Inc()
	t.leave()
	return &Failure{Code: abi.CodeOf(n)}
}

// tooLarge gives the instance back: the view does not fit.
func (t turn) tooLarge() *Failure {
	if t.trial {
		t.a.breaker.note(time.Now(), true, true)
	}
	t.a.pool.put(t.instance)
	return t.a.refuse(ViewTooLarge)
}

// Invalid files that a result breaks the contract in a way that only the caller could
// see, and is the failure of the call.
func (a *Attachment) Invalid(export string, request uint64, why error) *Failure {
	f := invalid("%v", why)
	f.Export, f.RequestID = export, request
	a.breaker.note(time.Now(), true, false)
	return a.report(f)
}

func invalid(format string, args ...any) *Fault {
	return &Fault{Kind: InvalidResult, Message: fmt.Sprintf(format, args...)}
}
