package plugins

import (
	"context"
	"time"

	"weirkeep/abi"
)

// startTicks lets gw_tick be called every period, on an instance of its own, which is
// that of the collector for one.
func (a *Attachment) startTicks() {
	period := a.plugin.config.Tick
	if period <= 0 || !a.plugin.has(tickExport) {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	a.stop, a.ended = stop, make(chan struct{})
	go func() {
		defer close(a.ended)
		t := ticker{a: a, period: period}
		t.run(ctx)
	}()
}

// ticker calls gw_tick.
type ticker struct {
	a      *Attachment
	period time.Duration
	number uint64
	own    *instance // nil: none is there now
}

func (t *ticker) run(ctx context.Context) {
	ticks := time.NewTicker(t.period)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			if t.own != nil {
				t.own.close()
			}
			return
		case <-ticks.C:
			t.tick()
		case <-t.arrived():
			t.deliver()
		}
	}
}

// arrived is told of answers to http calls; nil: there can be none.
func (t *ticker) arrived() <-chan struct{} {
	if t.own == nil || t.own.env.caller == nil {
		return nil
	}
	return t.own.env.caller.arrived
}

// tick calls gw_tick once. A collector's turn is that of its one instance.
func (t *ticker) tick() {
	v := abi.TickView{Now: uint64(time.Now().UnixNano()), Number: t.number, Period: uint32(t.period / time.Millisecond)}
	t.number++
	if t.a.plugin.config.Kind == Collector {
		t.a.tickCollector(&v)
		return
	}
	i := t.instance()
	if i == nil {
		return
	}
	size, err := v.Put(i.buffer())
	if err != nil {
		return // the smallest buffer has room for it
	}
	t.after(turn{i, false}.call(callTick, ticking, v.Now, size))
}

// instance is the ticker's own, made if there is none.
func (t *ticker) instance() *instance {
	if i := t.own; i != nil && i.table == t.a.table.Load() {
		return i
	}
	if t.own != nil {
		t.own.close()
		t.own = nil
	}
	i, err := t.a.make(t.a.newCaller())
	if err != nil {
		t.a.report(&Fault{Kind: InitFault, Export: tickExport, Message: err.Error()})
		return nil
	}
	t.own = i
	return i
}

// after looks at what a call returned: after a fault the instance is replaced with
// the next tick.
func (t *ticker) after(n int32, err error) {
	if f := unitFault(n, err); f != nil {
		f.Export, f.Stderr = tickExport, string(t.own.env.stderr.b)
		t.own.close()
		t.own = nil
		t.a.report(f)
	}
}

// deliver delivers the answers that have come.
func (t *ticker) deliver() {
	for t.own != nil {
		a, ok := t.own.env.caller.next()
		if !ok {
			return
		}
		t.after(t.own.deliverAnswer(a))
	}
}

// unitFault is the fault of a call that must return 0; a negative answer is none.
func unitFault(n int32, err error) *Fault {
	switch {
	case err != nil:
		return faultOf(err)
	case n > 0:
		return invalid("it returned %d, must be 0 or negative", n)
	}
	return nil
}

// deliverAnswer calls gw_on_http_response.
func (i *instance) deliverAnswer(a answered) (int32, error) {
	l := &i.a.plugin.limits
	v := abi.HTTPResponse{
		Now: uint64(time.Now().UnixNano()), Token: a.token, Error: a.Code, Status: uint16(a.Status),
		Headers: a.Headers, Body: a.Body,
	}
	if len(a.Body) > 0 {
		v.Flags |= abi.FlagBody
	}
	if a.Whole {
		v.Flags |= abi.FlagWhole
	}
	v.Fit(l.View, l.Body)
	size, err := v.Put(i.buffer())
	if err != nil {
		return 0, nil // Fit has made it fit
	}
	return turn{i, false}.call(callAnswer, answering, v.Now, size)
}
