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

// Due reports whether the origin is out, nobody checks it, and one request may
// try it. alone says that no other origin could take the request.
func (o *Origin) Due(now time.Time, alone bool) bool {
	return dueAfter(o.tried.Load(), now, alone)
}

// Claim takes the trial that is due: of all who try at the same time one gets
// it, and the next is due a pause later, whatever becomes of it. Who has it
// tells the outcome as that of a trial, to [Origin.Succeeded] or
// [Origin.Failed]; of an attempt that says nothing of the origin, to neither.
func (o *Origin) Claim(now time.Time, alone bool) bool {
	tried := o.tried.Load()
	return dueAfter(tried, now, alone) && o.tried.CompareAndSwap(tried, &now)
}

func dueAfter(tried *time.Time, now time.Time, alone bool) bool {
	if tried == nil {
		return false
	}
	pause := trialPause
	if alone {
		pause = alonePause
	}
	return now.Sub(*tried) >= pause
}

// openToTrials makes the origin one that trials bring back, beginning a pause
// from now, or one that they do not: because it is up, checked, or condemned.
func (o *Origin) openToTrials(now time.Time) {
	if o.found == Up || len(o.checks) > 0 || len(o.judges) > 0 {
		o.tried.Store(nil)
		return
	}
	o.tried.Store(&now)
}
