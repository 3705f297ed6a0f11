package origin

import "time"

// Health is whether an origin is fit for requests.
type Health uint8

const (
	Up      Health = iota // nothing is known against it
	Down                  // a health check or a collector said so
	Ejected               // its failures said so
)

// String is the word for it in configuration, status and logs.
func (h Health) String() string { return [...]string{"up", "down", "ejected"}[h] }

// Answers reports whether the origin is up and that is no guess: where it has health
// checks, one of them has been answered well.
func (o *Origin) Answers() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.Health() == Up && (!o.watched() || len(o.told) > 0)
}

// Succeeded is told of each attempt that was no failure: it breaks the row of
// those. trial says that [Origin.Claim] let it through: only then does it bring
// back an origin that is out, since any other attempt may have begun before.
//
// It is called for every request and costs two atomic loads where none failed.
func (o *Origin) Succeeded(trial bool) {
	if o.rate.counting.Load() {
		o.rate.good.Add(1)
	}
	if !trial && o.row.Load() == 0 {
		return
	}
	o.tell(o.succeed(trial))
}

func (o *Origin) succeed(trial bool) *Transition {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.found == Up {
		o.forget()
		return nil
	}
	if !trial || !o.open(time.Now()) {
		return nil
	}
	return o.change(Transition{To: Up, At: time.Now(), By: Trial, Why: "answered"})
}

// Failed is told of each attempt at which something was wrong, and whether by
// the policy it ejects the origin. spared says that too few other origins of its group
// are usable: then only failed connects eject it, since one that answers badly
// beats none. A trial that fails keeps the origin out; one that fails in a way that
// does not count brings it back, as that would not have put it out either.
func (o *Origin) Failed(f Failure, p *Policy, spared bool) (ejected bool) {
	o.failure.Store(&f)
	t := o.fail(&f, p, spared)
	o.tell(t)
	return t != nil && t.To == Ejected
}

func (o *Origin) fail(f *Failure, p *Policy, spared bool) *Transition {
	counts := p.Count.Has(f.Fault) && !f.Beyond
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.found != Up:
		return o.failOutside(f, counts)
	case !counts || !f.Began.IsZero() && f.Began.Before(o.history.last().At):
		return nil
	}
	o.count(f.Fault)
	t := Transition{To: Ejected, At: f.At, Why: f.Why(), Failures: int(o.row.Load()), Cluster: f.Cluster}
	tooOften := p.Rate != nil && o.rate.failed(p.Rate, f.At) && !spared
	switch {
	case o.tooMany(p, spared):
	case tooOften:
		t.Why += "; " + o.rate.why(p.Rate)
		o.heldTill = f.At.Add(o.rate.stay(p.Rate, f.At))
	default:
		return nil
	}
	return o.change(t)
}

// failOutside judges a failure of an origin that is out: only a trial's matters.
func (o *Origin) failOutside(f *Failure, counts bool) *Transition {
	switch {
	case !f.Trial || !o.open(f.At):
	case counts:
		o.openToTrials(f.At)
	default:
		return o.change(Transition{To: Up, At: f.At, By: Trial, Why: "failed in a way that does not count: " + f.Why(), Cluster: f.Cluster})
	}
	return nil
}

func (o *Origin) count(f Fault) {
	o.row.Add(1)
	if f == FaultConnect {
		o.connects++
	}
}

// tooMany reports whether the failures that have counted eject the origin.
func (o *Origin) tooMany(p *Policy, spared bool) bool {
	if p.ConnectFailures > 0 && o.connects >= p.ConnectFailures {
		return true
	}
	n := int(o.row.Load())
	if spared {
		n = o.connects
	}
	return n > 0 && n >= p.Threshold
}

func (o *Origin) forget() {
	o.row.Store(0)
	o.connects = 0
}

// change makes t true and returns it, to be told once the lock is free. While
// somebody condemns the origin, nobody sees it: then it returns nil.
func (o *Origin) change(t Transition) (seen *Transition) {
	o.forget()
	o.rate.forget()
	o.found = t.To
	if t.To != Ejected && !o.heldTill.IsZero() {
		o.heldTill, o.rate.back = time.Time{}, t.At
	}
	if len(o.judges) == 0 {
		seen = o.show(t)
	}
	o.openToTrials(t.At)
	for _, c := range o.checks {
		c.changed(t.To)
	}
	return seen
}

// tell tells who wants to know of a change; nil: there was none.
func (o *Origin) tell(t *Transition) {
	if t != nil && o.OnChange != nil {
		o.OnChange(o, *t)
	}
}
