package plugins

import (
	"time"

	"weirkeep/abi"
)

// Collect asks a collector for the metric of an origin. It is not known where the
// guest has no opinion. Calls of one attachment come one after the other, on one
// instance.
func (a *Attachment) Collect(v *abi.CollectorView) (metric int, known bool, failure *Failure) {
	t, failure := a.enterCollector()
	if failure != nil {
		return 0, false, failure
	}
	if enabled, failure := t.enabled(v); failure != nil || !enabled {
		return 0, false, failure
	}
	size, err := v.Put(t.buffer())
	if err != nil {
		return 0, false, t.tooLarge()
	}
	n, err := t.call(callCollect, collecting, v.Now, size)
	switch {
	case err != nil:
		return 0, false, t.fail(faultOf(err), callCollect, 0)
	case n == abi.NoOpinion:
		t.leave()
		return 0, false, nil
	case n < 0:
		return 0, false, t.negative(n)
	case n > abi.MetricIdle:
		a.plugin.counters.Clamped.Inc()
		n = abi.MetricIdle
	}
	t.leave()
	return int(n), true, nil
}

// enterCollector gets the instance, and delivers the answers to http calls first.
func (a *Attachment) enterCollector() (turn, *Failure) {
	t, failure := a.enter()
	for failure == nil && t.env.caller != nil {
		answer, ok := t.env.caller.next()
		if !ok {
			break
		}
		if f := unitFault(t.deliverAnswer(answer)); f != nil {
			return t, t.fail(f, callAnswer, 0)
		}
	}
	return t, failure
}

// enabled asks the guest whether it wants to be asked. If not, the instance is given
// back.
func (t turn) enabled(v *abi.CollectorView) (bool, *Failure) {
	if t.functions[callEnabled] == nil {
		return true, nil
	}
	n, err := t.call(callEnabled, serving, v.Now, 0)
	if err != nil {
		return false, t.fail(faultOf(err), callEnabled, 0)
	}
	if n == 0 {
		t.leave()
		return false, nil
	}
	return true, nil
}

// tickCollector calls gw_tick on the collector's instance.
func (a *Attachment) tickCollector(v *abi.TickView) {
	t, failure := a.enterCollector()
	if failure != nil {
		return // it is filed
	}
	size, err := v.Put(t.buffer())
	if err != nil {
		t.tooLarge()
		return
	}
	if f := unitFault(t.call(callTick, ticking, uint64(time.Now().UnixNano()), size)); f != nil {
		t.fail(f, callTick, 0)
		return
	}
	t.leave()
}
