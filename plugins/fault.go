package plugins

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"weirkeep/abi"
	"weirkeep/plugins/engine"
)

// FaultKind is what ended a call that should have returned a result. The list is
// closed, and the same on every engine.
type FaultKind string

// The kinds of faults. If several fit, the first is meant.
const (
	TimeoutWaiting FaultKind = "timeout-waiting-for-instance"
	InitFault      FaultKind = "init"
	HostError                = FaultKind(engine.KindHostError)
	Exhausted                = FaultKind(engine.KindExhausted)
	MemoryFault              = FaultKind(engine.KindMemory)
	ExitFault                = FaultKind(engine.KindExit)
	TrapFault                = FaultKind(engine.KindTrap)
	InvalidResult  FaultKind = "invalid-result"
)

// FaultKinds are all kinds, in order.
var FaultKinds = []FaultKind{TimeoutWaiting, InitFault, HostError, Exhausted, MemoryFault, ExitFault, TrapFault, InvalidResult}

// Fault is one of them, with what is known of it.
type Fault struct {
	At         time.Time
	Kind       FaultKind
	Attachment string // where the plugin is used
	Export     string // that was called; empty: none
	RequestID  uint64 // of the exchange; 0: none
	Message    string
	Stack      string // of the guest, innermost first, one a line
	Stderr     string // the end of what the guest wrote there
}

// Error is what people read.
func (f *Fault) Error() string {
	in := ""
	if f.Export != "" {
		in = " in " + f.Export
	}
	return fmt.Sprintf("fault %s%s: %s", f.Kind, in, f.Message)
}

// NotCalled is why a plugin was not called.
type NotCalled string

// The reasons.
const (
	ViewTooLarge NotCalled = "view-too-large"
	BodyTooLarge NotCalled = "body-too-large"
	BreakerOpen  NotCalled = "breaker-open"
)

// Failure is why a plugin gave no result: a fault, a negative answer, or that it was
// not called. What happens then its policy decides.
type Failure struct {
	Fault     *Fault    // nil: none
	Code      abi.Code  // of a negative answer; 0: none
	NotCalled NotCalled // empty: it was called
}

// Error is what people read.
func (f *Failure) Error() string {
	switch {
	case f.Fault != nil:
		return f.Fault.Error()
	case f.NotCalled != "":
		return "not called: " + string(f.NotCalled)
	}
	return fmt.Sprintf("answered %d, %s", int32(f.Code), f.Code)
}

// keptFaults is how many faults a plugin remembers.
const keptFaults = 20

// faultLog are the last faults of a plugin.
type faultLog struct {
	mu   sync.Mutex
	all  [keptFaults]*Fault
	next int
}

func (l *faultLog) add(f *Fault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all[l.next%keptFaults] = f
	l.next++
}

// last are the faults, the newest first.
func (l *faultLog) last() (all []Fault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range min(l.next, keptFaults) {
		all = append(all, *l.all[(l.next-1-i)%keptFaults])
	}
	return all
}

// initFault is the fault of an instance that could not be made, or not be given its
// table.
func initFault(err error) *Fault {
	f := &Fault{Kind: InitFault, Message: err.Error()}
	if inner, ok := errors.AsType[*engine.Fault](err); ok {
		f.Stack = inner.Stack
	}
	if told, ok := errors.AsType[*toldError](err); ok {
		f.Stderr = told.stderr
	}
	return f
}

// faultOf is the fault that a call ended with.
func faultOf(err error) *Fault {
	f := &Fault{Kind: HostError, Message: err.Error()}
	if e, ok := errors.AsType[*engine.Fault](err); ok {
		f.Kind, f.Message, f.Stack = FaultKind(e.Kind), e.Message, e.Stack
	}
	return f
}
