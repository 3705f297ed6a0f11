package origin

import "time"

// Condemn makes the origin down for as long as by, who may be anybody, does not acquit
// it, whatever requests and checks find meanwhile. No trial is made. why is for people.
func (o *Origin) Condemn(by any, why string) {
	o.tell(o.condemn(by, why))
}

func (o *Origin) condemn(by any, why string) *Transition {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.judges == nil {
		o.judges = make(map[any]struct{})
	}
	o.judges[by] = struct{}{}
	t := o.show(Transition{To: Down, At: time.Now(), By: Collector, Why: why})
	o.openToTrials(time.Now())
	return t
}

// Acquit takes back what by has said. The origin is then what requests and checks have
// found, unless another still condemns it.
func (o *Origin) Acquit(by any, why string) {
	o.tell(o.acquit(by, why))
}

func (o *Origin) acquit(by any, why string) *Transition {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, said := o.judges[by]; !said {
		return nil
	}
	delete(o.judges, by)
	if len(o.judges) > 0 {
		return nil
	}
	t := o.show(Transition{To: o.found, At: time.Now(), By: Collector, Why: why})
	o.openToTrials(time.Now())
	return t
}

// show makes t true for who asks for the health, and returns it; nil: nothing has
// changed for them. The lock is held.
func (o *Origin) show(t Transition) *Transition {
	t.From = o.Health()
	if t.From == t.To {
		return nil
	}
	o.history.add(t)
	o.health.Store(uint32(t.To))
	return &t
}
