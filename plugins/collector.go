package plugins

import (
	"time"

	"weirkeep/abi"
)

// patience is how long ticks and answers wait for a collector's one instance: nobody
// waits for them.
const patience = time.Second

// Collect asks a collector for the metric of an origin. It is not known where the
// guest has no opinion. Calls of one attachment come one after the other, on one
// instance.
func (a *Attachment) Collect(v *abi.CollectorView) (metric int, known bool, failure *Failure) {
	t, failure := a.enterCollector(v.Generation, a.plugin.limits.Wait)
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
	n, err := t.call(ask{export: callCollect, phase: collecting, now: v.Now, size: size})
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

// enterCollector gets the instance, and delivers the answers to http calls first. If
// one of them ends in a fault, that is nobody's who asks now: another instance is.
func (a *Attachment) enterCollector(generation uint32, wait time.Duration) (turn, *Failure) {
	for {
		t, failure := a.enter(generation, wait)
		if failure != nil || t.deliverAnswers() {
			return t, failure
		}
		wait = patience // for the new one
	}
}

// deliverAnswers delivers the answers that have come. False: one ended in a fault,
// and the instance is gone.
func (t turn) deliverAnswers() bool {
	for t.env.caller != nil {
		answer, ok := t.env.caller.next()
		if !ok {
			break
		}
		if f := t.unit(t.deliverAnswer(answer)); f != nil {
			t.fail(f, callAnswer, 0)
			return false
		}
	}
	return true
}

// enabled asks the guest whether it wants to be asked. If not, the instance is given
// back.
func (t turn) enabled(v *abi.CollectorView) (bool, *Failure) {
	if t.functions[callEnabled] == nil {
		return true, nil
	}
	n, err := t.call(ask{export: callEnabled, phase: serving, now: v.Now})
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
	t, failure := a.enterCollector(0, patience)
	if failure != nil {
		return // it is filed
	}
	if f := t.unit(t.tick(v)); f != nil {
		t.fail(f, callTick, 0)
		return
	}
	t.leave()
}

// answerCollector delivers answers as they come.
func (a *Attachment) answerCollector() {
	if a.breaker.shut.Load() {
		return // they are delivered with the next call
	}
	if t, failure := a.enterCollector(0, patience); failure == nil {
		t.unused()
	}
}
