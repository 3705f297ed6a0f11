package enginetest

import (
	"errors"
	"math"
	"strings"
	"testing"

	"weirkeep/plugins/engine"
)

// faults: each is of the same kind, and in the same words, in every engine,
// and the stack begins with the function that failed.
func faults(t *testing.T, e engine.Engine) {
	m := compiled(t, e, "guest")
	for _, tt := range []struct {
		name, function string
		arg            uint64
		kind           engine.Kind
		message        string
		running        string // the innermost function, when it is not the one called
	}{
		{name: "unreachable", function: "gives_up", kind: engine.KindTrap, message: "unreachable"},
		{name: "deep inside", function: "outer", kind: engine.KindTrap, message: "unreachable", running: "gives_up"},
		{name: "read outside", function: "reads_outside", arg: 1<<16 - 18, kind: engine.KindTrap, message: "out of bounds memory access"},
		{name: "read far outside", function: "reads_outside", arg: math.MaxUint32, kind: engine.KindTrap, message: "out of bounds memory access"},
		{name: "write outside", function: "writes_outside", arg: 1<<16 - 7, kind: engine.KindTrap, message: "out of bounds memory access"},
		{name: "fill outside", function: "fills_outside", arg: 1<<16 + 1, kind: engine.KindTrap, message: "out of bounds memory access"},
		{name: "division by zero", function: "divides", kind: engine.KindTrap, message: "integer divide by zero"},
		{name: "division that overflows", function: "overflows", arg: math.MaxUint32, kind: engine.KindTrap, message: "integer overflow"},
		{name: "NaN to integer", function: "converts", arg: math.Float64bits(math.NaN()), kind: engine.KindTrap, message: "invalid conversion to integer"},
		{name: "infinity to integer", function: "converts", arg: math.Float64bits(math.Inf(1)), kind: engine.KindTrap, message: "integer overflow"},
		{name: "call of another type", function: "calls_entry", arg: 0, kind: engine.KindTrap, message: "indirect call type mismatch"},
		{name: "call of nothing", function: "calls_entry", arg: 2, kind: engine.KindTrap, message: "invalid table access"},
		{name: "call outside the table", function: "calls_entry", arg: 4, kind: engine.KindTrap, message: "invalid table access"},
		{name: "loop", function: "loops", kind: engine.KindExhausted, message: "fuel used up"},
		{name: "recursion", function: "recurses", kind: engine.KindExhausted, message: "depth of calls used up"},
		{name: "host calls", function: "count", arg: 4, kind: engine.KindExhausted, message: "host calls used up"},
		{name: "no memory, then a trap", function: "without_memory", kind: engine.KindMemory, message: "unreachable, after memory.grow was refused"},
		{name: "no memory, then exit", function: "exit_without_memory", arg: 2, kind: engine.KindMemory, message: "the guest called proc_exit with 2, after memory.grow was refused"},
		{name: "exit", function: "exit", arg: 3, kind: engine.KindExit, message: "the guest called proc_exit with 3"},
		{name: "panic", function: "panic", kind: engine.KindHostError, message: "a host function panicked: nobody expected this"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			i := instance(t, m, &visit{limit: 3})
			f := fault(t, i, tt.function, tt.arg)
			if f.Kind != tt.kind || f.Message != tt.message {
				t.Errorf("fault is %v, want %s: %s", f, tt.kind, tt.message)
			}
			wantStack(t, f, tt.function, tt.running)
		})
	}
}

// wantStack wants the guest's functions in the stack, innermost first. Before
// them may be the host function that ended the call.
func wantStack(t *testing.T, f *engine.Fault, called, running string) {
	t.Helper()
	if running == "" {
		running = called
	}
	byHost := f.Kind == engine.KindHostError || errors.Is(f, engine.Exit) || errors.Is(f, engine.OutOfCalls)
	first, _, _ := strings.Cut(f.Stack, "\n")
	if !byHost && !strings.Contains(first, running) {
		t.Errorf("the stack does not begin with %s:\n%s", running, f.Stack)
	}
	if !strings.Contains(f.Stack, called) {
		t.Errorf("the stack does not name %s:\n%s", called, f.Stack)
	}
	if f.Cause == nil {
		t.Error("the fault has no cause")
	}
}

// panics: a host function's panic is ours, with the Go stack and the value it
// panicked with; the engine goes on.
func panics(t *testing.T, e engine.Engine) {
	m := compiled(t, e, "guest")
	f := fault(t, instance(t, m, nil), "panic", 0)
	if !strings.Contains(f.Stack, "enginetest.host") {
		t.Errorf("the stack does not show where it panicked:\n%s", f.Stack)
	}
	if f = fault(t, instance(t, m, nil), "exit", 3); !errors.Is(f, engine.Exit) || strings.Contains(f.Stack, "goroutine") {
		t.Errorf("exit is %v with stack\n%s", f, f.Stack)
	}
	// A nil environment makes count panic with an error of the Go runtime.
	if f = fault(t, instance(t, m, nil), "count", 1); f.Kind != engine.KindHostError {
		t.Errorf("a wrong type assertion is %v, want %s", f, engine.KindHostError)
	}
	if got := call(t, instance(t, m, nil), "answer", 0); got != 42 {
		t.Errorf("the next call gives %d, want 42", got)
	}
}

// What blocks of the guest cost, by the rules of metering: the weights of their
// instructions, 1 more for the first of a function, 1 more for one after loop.
const (
	answerCost  = 1 + 1
	routeBegin  = 1 + 2
	routeLoop   = 1 + 15
	routeEnd    = 6
	route100    = routeBegin + 100*routeLoop + routeEnd
	loopsBegin  = 1
	downBegin   = 1 + 3
	downBottom  = 2
	downCall    = 6
	recurseCost = 1 + 6
	growCost    = 1 + 1 + 1000
)

// meters: what is left after a call is the same in every engine, to the unit.
func meters(t *testing.T, e engine.Engine) {
	m := compiled(t, e, "guest")
	for _, tt := range []struct {
		name, function string
		arg            uint64
		fuel           int64
		depth          int32
		fuelLeft       int64
		depthLeft      int32
		mark           bool
		faults         bool
	}{
		{name: "one block", function: "answer", fuel: 10, depth: 5, fuelLeft: 10 - answerCost, depthLeft: 5},
		{name: "a loop of 100", function: "route", arg: 100, fuel: 2000, depth: 5, fuelLeft: 2000 - route100, depthLeft: 5},
		{name: "all the fuel there is", function: "route", arg: 100, fuel: route100, depth: 5, fuelLeft: 0, depthLeft: 5},
		{name: "one too few at the end, where nobody looks", function: "route", arg: 100, fuel: route100 - 1, depth: 5, fuelLeft: -1, depthLeft: 5},
		{name: "one too few in the last round", function: "route", arg: 100, fuel: route100 - routeEnd - 1, depth: 5, fuelLeft: -1, depthLeft: 5, faults: true},
		{name: "a loop without end", function: "loops", fuel: loopsBegin + 2*100, depth: 5, fuelLeft: -2, depthLeft: 5, faults: true},
		{name: "no fuel at all", function: "answer", fuel: 0, depth: 5, fuelLeft: -answerCost, depthLeft: 5, faults: true},
		{name: "all the depth there is", function: "down", arg: 900, fuel: 10_000, depth: 900, fuelLeft: 10_000 - 900*(downBegin+downCall) - downBegin - downBottom, depthLeft: 900},
		{name: "one too deep", function: "down", arg: 901, fuel: 10_000, depth: 900, fuelLeft: 10_000 - 901*(downBegin+downCall), depthLeft: -1, faults: true},
		{name: "no depth at all", function: "down", arg: 1, fuel: 10_000, depth: 0, fuelLeft: 10_000 - downBegin - downCall, depthLeft: -1, faults: true},
		{name: "depth is never below zero", function: "down", arg: 1, fuel: 10_000, depth: -5, fuelLeft: 10_000 - downBegin - downCall, depthLeft: -1, faults: true},
		{name: "recursion without end", function: "recurses", fuel: 100_000, depth: 1000, fuelLeft: 100_000 - 1001*recurseCost, depthLeft: -1, faults: true},
		{name: "memory refused", function: "grow", arg: 60_000, fuel: growCost, depth: 5, depthLeft: 5, mark: true},
		{name: "memory given", function: "grow", arg: 1, fuel: growCost, depth: 5, depthLeft: 5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			i := instance(t, m, nil)
			i.SetFuel(tt.fuel, tt.depth)
			if i.Fuel() != tt.fuel || i.Depth() != max(tt.depth, 0) || i.Mark() != 0 {
				t.Errorf("before the call: fuel %d, depth %d, mark %d", i.Fuel(), i.Depth(), i.Mark())
			}
			if _, err := i.Function(tt.function).Call(tt.arg); (err != nil) != tt.faults {
				t.Errorf("%s: %v", tt.function, err)
			}
			if i.Fuel() != tt.fuelLeft || i.Depth() != tt.depthLeft || (i.Mark() != 0) != tt.mark {
				t.Errorf("fuel %d, depth %d, mark %d are left, want %d, %d, %v", i.Fuel(), i.Depth(), i.Mark(), tt.fuelLeft, tt.depthLeft, tt.mark)
			}
			if i.SetFuel(7, 3); i.Fuel() != 7 || i.Depth() != 3 || i.Mark() != 0 {
				t.Errorf("set again: fuel %d, depth %d, mark %d", i.Fuel(), i.Depth(), i.Mark())
			}
		})
	}
}

// nativeStack: should the native stack end before the depth does, the kind is
// the same; and a depth of 1,000 is no matter for it.
func nativeStack(t *testing.T, e engine.Engine) {
	m := compiled(t, e, "guest")
	i := instance(t, m, nil)
	i.SetFuel(math.MaxInt64, 4000)
	if got := call(t, i, "down", 4000); got != 4000 {
		t.Errorf("4000 calls deep gives %d", got)
	}
	i.SetFuel(math.MaxInt64, math.MaxInt32)
	f := fault(t, i, "recurses", 0)
	if f.Kind != engine.KindExhausted || f.Message != "native stack used up" {
		t.Errorf("fault is %v, want %s: native stack used up", f, engine.KindExhausted)
	}
	if got := call(t, instance(t, m, nil), "answer", 0); got != 42 {
		t.Errorf("the next call gives %d, want 42", got)
	}
}
