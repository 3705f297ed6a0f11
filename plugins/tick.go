package plugins

import (
	"context"
	"time"

	"weirkeep/abi"
)

// startTicker lets gw_tick be called every period, and the answers to http calls be
// delivered, on an instance of its own, which is that of the collector for one.
func (a *Attachment) startTicker() {
	ticks := a.plugin.config.Tick > 0 && a.plugin.has(tickExport)
	collects := a.plugin.config.Kind == Collector && a.callsOut()
	if !ticks && !collects {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	a.stop, a.ended = stop, make(chan struct{})
	go func() {
		defer close(a.ended)
		t := ticker{a: a, ticks: ticks, period: a.plugin.config.Tick}
		t.run(ctx)
	}()
}

// ticker calls gw_tick.
type ticker struct {
	a      *Attachment
	ticks  bool // else it delivers only
	period time.Duration
	number uint64
	own    *instance // nil: none is there now
	pace   pace      // of making it
}

func (t *ticker) run(ctx context.Context) {
	var due <-chan time.Time
	if t.ticks {
		ticks := time.NewTicker(t.period)
		defer ticks.Stop()
		due = ticks.C
	}
	defer t.drop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-due:
			t.tick()
		case <-t.a.arrived:
			t.deliver()
		}
	}
}

// drop closes the ticker's own instance, if there is one.
func (t *ticker) drop() {
	closeAll(t.own)
	t.own = nil
}

// tick calls gw_tick once, unless the breaker is open. A collector's turn is that of
// its one instance.
func (t *ticker) tick() {
	v := abi.TickView{Now: uint64(time.Now().UnixNano()), Number: t.number, Period: uint32(t.period / time.Millisecond)}
	t.number++
	if t.a.plugin.config.Kind == Collector {
		t.a.tickCollector(&v)
		return
	}
	if t.a.breaker.shut.Load() || !t.ready() {
		return
	}
	n, err := t.own.tick(&v)
	t.after(callTick, n, err)
}

// tick makes the call.
func (i *instance) tick(v *abi.TickView) (int32, error) {
	size, err := v.Put(i.buffer())
	if err != nil {
		return 0, nil // the smallest buffer has room for it
	}
	return i.call(ask{export: callTick, phase: ticking, ample: true, now: v.Now, size: size})
}

// ready sees to an instance that has the current table. False: there is none now.
func (t *ticker) ready() bool {
	table := t.a.current()
	if t.own != nil && t.own.table != table {
		t.renew(table)
	}
	if t.own != nil {
		return true
	}
	now := time.Now()
	if t.pace.wait(now, false) > 0 {
		return false
	}
	t.pace.made++
	i, err := t.a.make(table)
	t.pace.ended(err)
	if err != nil {
		t.report(initFault(err))
		return false
	}
	t.own = i
	return true
}

// renew gives the instance another table, or drops it.
func (t *ticker) renew(table *table) {
	if table.bytes() > t.own.size {
		t.drop()
		return
	}
	if err := t.own.deliver(table); err != nil {
		f := initFault(t.own.told(err))
		f.Export = clusterExport
		t.drop()
		t.a.report(f)
	}
}

// report files that no instance could be made.
func (t *ticker) report(f *Fault) {
	f.Export = tickExport
	t.a.report(f)
}

// after looks at what a call returned: after a fault, and when its memory has grown
// large, the instance is replaced with the next tick.
func (t *ticker) after(export call, n int32, err error) {
	if f := t.own.unit(n, err); f != nil {
		t.own.note(f, export, 0)
		t.drop()
		t.a.report(f)
		return
	}
	t.own.weigh()
	if t.own.large() && !t.own.env.caller.busy() {
		t.drop()
		t.a.plugin.counters.Retired.Inc()
	}
}

// deliver delivers the answers that have come.
func (t *ticker) deliver() {
	if t.a.plugin.config.Kind == Collector {
		t.a.answerCollector()
		return
	}
	for t.own != nil {
		a, ok := t.own.env.caller.next()
		if !ok {
			return
		}
		n, err := t.own.deliverAnswer(a)
		t.after(callAnswer, n, err)
	}
}

// unit is the fault of a call that must return 0; a negative answer is none, and is
// counted.
func (i *instance) unit(n int32, err error) *Fault {
	switch {
	case err != nil:
		return faultOf(err)
	case n > 0:
		return invalid("it returned %d, must be 0 or negative", n)
	case n < 0:
		i.a.plugin.countNegative(n)
	}
	return nil
}

// deliverAnswer calls gw_on_http_response.
func (i *instance) deliverAnswer(a answered) (int32, error) {
	p := i.a.plugin
	v := abi.HTTPResponse{Now: uint64(time.Now().UnixNano()), Token: a.token, Error: a.error(), Status: uint16(a.Status), Headers: a.Headers, Body: a.Body}
	if len(a.Body) > 0 {
		v.Flags |= abi.FlagBody
	}
	if a.Whole {
		v.Flags |= abi.FlagWhole
	}
	v.Fit(abi.ResultArea(p.limits.View), abi.ResultArea(p.needs.body(p.limits)))
	size, err := v.Put(i.buffer())
	if err != nil { // a field of over 64 KiB, which no head has
		v.Headers, v.Flags = nil, v.Flags|abi.FlagFieldsLeft
		if size, err = v.Put(i.buffer()); err != nil {
			return 0, nil // Fit has made it fit
		}
	}
	return i.call(ask{export: callAnswer, phase: answering, ample: true, now: v.Now, size: size})
}
