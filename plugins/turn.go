package plugins

import (
	"fmt"
	"time"
)

// slowCall is how long a call may take before it counts as slow.
const slowCall = 10 * time.Millisecond

// turn is an instance for one call, and how it was got.
type turn struct {
	*instance
	trial bool // the breaker tries
}

// enter gets an instance that knows the cluster table of a generation.
func (a *Attachment) enter(generation uint32, wait time.Duration) (turn, *Failure) {
	trial := false
	if a.breaker.shut.Load() {
		var may bool
		if may, trial = a.breaker.allow(a.moment()); !may {
			return turn{}, a.refuse(BreakerOpen)
		}
	}
	i, fault := a.take(trial, wait)
	if t := a.tableOf(generation); fault == nil && i.table != t {
		i, fault = a.redeliver(i, t)
	}
	if fault != nil {
		return turn{}, a.notEntered(fault, trial)
	}
	return turn{i, trial}, nil
}

// take takes an instance out of the pool; for a trial a fresh one.
func (a *Attachment) take(trial bool, wait time.Duration) (*instance, *Fault) {
	if trial {
		return a.pool.fresh()
	}
	return a.pool.get(wait)
}

// notEntered files why there is no instance. That none was free says nothing of the
// guest, and the breaker does not hear of it.
func (a *Attachment) notEntered(f *Fault, trial bool) *Failure {
	switch {
	case f.Kind != TimeoutWaiting:
		a.judge(a.moment(), true, trial)
	case trial:
		a.breaker.untried()
	}
	return a.report(f)
}

// judge tells the breaker how a call ended.
func (a *Attachment) judge(ended time.Duration, fault, trial bool) {
	if trial {
		a.breaker.tried(ended, fault)
	} else {
		a.breaker.note(ended, fault)
	}
}

// redeliver gives an instance another table, or takes a new instance in its place.
func (a *Attachment) redeliver(i *instance, t *table) (*instance, *Fault) {
	if t.bytes() > i.size {
		return a.pool.swap(i, t)
	}
	if err := i.deliver(t); err != nil {
		fault := initFault(i.told(err))
		fault.Export = clusterExport
		a.pool.drop(i)
		return nil, fault
	}
	return i, nil
}

// refuse is the failure of a call that is not made.
func (a *Attachment) refuse(why NotCalled) *Failure {
	a.plugin.countNotCalled(why)
	return &Failure{NotCalled: why}
}

// report files a fault. Calls that found no instance are so many at a time that only
// one a second is more than counted.
func (a *Attachment) report(f *Fault) *Failure {
	f.At, f.Attachment = time.Now(), a.place.String()
	a.plugin.countFault(f.Kind)
	if f.Kind != TimeoutWaiting || a.timeouts.allow(f.At, 1) {
		a.plugin.store.faults.add(f)
		a.plugin.house.log.Warn("plugin fault", "plugin", a.plugin.config.Name, "at", f.Attachment, "kind", string(f.Kind), "because", f.Error(), "request", fmt.Sprintf("%016x", f.RequestID))
	}
	return &Failure{Fault: f}
}

// unmade files that an instance could not be made in the background. The breaker
// counts it like a call.
func (a *Attachment) unmade(err error) {
	if err == errTakenAway {
		return
	}
	a.breaker.note(a.moment(), true)
	a.report(initFault(err))
}

// call makes a call. The caller reads the result, and gives the instance back with
// leave, fail or negative.
func (i *instance) call(ask ask) (int32, error) {
	begun := i.a.moment()
	n, err := i.run(ask)
	i.ended = i.a.moment()
	took := i.ended - begun
	counters := i.a.plugin.counters
	counters.Calls.Inc()
	counters.Duration.Observe(took)
	if took > slowCall {
		counters.Slow.Inc()
	}
	return n, err
}

// leave gives the instance back after a call that went well.
func (t turn) leave() {
	t.a.judge(t.ended, false, t.trial)
	t.a.pool.put(t.instance)
}

// fail files a fault, then drops the instance: one of its successor is later.
func (t turn) fail(f *Fault, export call, request uint64) *Failure {
	t.note(f, export, request)
	t.a.judge(t.ended, true, t.trial)
	failure := t.a.report(f)
	t.a.pool.drop(t.instance)
	return failure
}

// note writes into a fault what is known of the call.
func (i *instance) note(f *Fault, export call, request uint64) {
	f.Export, f.RequestID, f.Stderr = callExports[export], request, string(i.env.stderr.b)
}

// negative gives the instance back after an answer that is an error code.
func (t turn) negative(n int32) *Failure {
	t.leave()
	return &Failure{Code: t.a.plugin.countNegative(n)}
}

// tooLarge gives the instance back: the view does not fit.
func (t turn) tooLarge() *Failure {
	t.unused()
	return t.a.refuse(ViewTooLarge)
}

// unused gives the instance back that was not called.
func (t turn) unused() {
	if t.trial {
		t.a.breaker.untried()
	}
	t.a.pool.put(t.instance)
}

// Invalid files that a result breaks the contract in a way that only the caller could
// see, and is the failure of the call.
func (a *Attachment) Invalid(export string, request uint64, why error) *Failure {
	f := invalid("%v", why)
	f.Export, f.RequestID = export, request
	a.breaker.note(a.moment(), true)
	return a.report(f)
}

func invalid(format string, args ...any) *Fault {
	return &Fault{Kind: InvalidResult, Message: fmt.Sprintf(format, args...)}
}
