package origin

import "time"

const (
	// trialPause is how long an origin that nobody checks is left alone after
	// its ejection, and after each trial.
	trialPause = 10 * time.Second

	// alonePause is the same where no other origin could take the request: then
	// a trial costs nobody anything.
	alonePause = 500 * time.Millisecond
)

// trials is when requests may try an origin that is out.
type trials struct {
	last  time.Time     // the ejection, or the last trial since
	pause time.Duration // after that
	till  time.Time     // checks decide: one request that can go nowhere else may, before this; zero: nobody checks
}

// Due reports whether the origin is out, nobody checks it, and one request may
// try it. alone says that no other origin could take the request.
func (o *Origin) Due(now time.Time, alone bool) bool {
	return o.trials.Load().due(now, alone)
}

// Claim takes the trial that is due: of all who try at the same time one gets
// it, and the next is due a pause later, whatever becomes of it. Who has it
// tells the outcome as that of a trial, to [Origin.Succeeded] or
// [Origin.Failed]; of an attempt that says nothing of the origin, to neither.
func (o *Origin) Claim(now time.Time, alone bool) bool {
	t := o.trials.Load()
	return t.due(now, alone) && o.trials.CompareAndSwap(t, &trials{now, t.pause, t.till})
}

func (t *trials) due(now time.Time, alone bool) bool {
	switch {
	case t == nil:
		return false
	case alone:
		return now.Sub(t.last) >= alonePause && (t.till.IsZero() || now.Before(t.till))
	}
	return now.Sub(t.last) >= t.pause && t.till.IsZero()
}

// openToTrials makes the origin one that trials bring back, beginning a pause
// from now, or one that they do not: because it is up, checked, or condemned.
func (o *Origin) openToTrials(now time.Time) {
	if o.found == Up || len(o.judges) > 0 || !o.open(now) {
		o.trials.Store(nil)
		return
	}
	t := trials{last: now, pause: max(trialPause, o.heldTill.Sub(now))}
	if len(o.checks) > 0 {
		t.till = o.heldTill
	}
	o.trials.Store(&t)
}

// open reports whether a trial may bring the origin back: nobody checks it, or who does
// has to wait.
func (o *Origin) open(now time.Time) bool { return len(o.checks) == 0 || o.held(now) }

// held reports whether the origin has to stay out for now, whatever checks find: they
// have found nothing wrong with it before.
func (o *Origin) held(now time.Time) bool { return o.found == Ejected && now.Before(o.heldTill) }
