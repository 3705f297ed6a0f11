// Package engine is the seam between the plugins and whatever runs WebAssembly
// for them: it says what an engine is, and what a call that fails is called.
//
// An [Engine] compiles a module to native code, a [Module] makes instances, an
// [Instance] runs one call at a time. A call gets one number and gives one;
// everything else goes through the instance's memory, which the host writes
// before the call and reads after it. A call that succeeds allocates nothing.
//
// Engines run metered modules only: those whose start function was taken out
// and which count their fuel and depth in three exported globals, so that no
// guest can run for ever, in any engine, and both engines stop it at the same
// instruction. Compile refuses others (see [CheckMetered]): a loop without
// end in native code could be stopped by nobody.
//
// A call that fails returns a [*Fault]. What kind it is is decided in one
// place, for all engines; the guest's instance is to be closed then, since its
// state is anybody's guess. The package knows nothing of the ABI: not of
// exports, views or results.
package engine

import "context"

// ValueType is the type of a parameter or result, in the encoding of a module.
type ValueType byte

// The number types, as modules encode them.
const (
	I32 ValueType = 0x7f
	I64 ValueType = 0x7e
	F32 ValueType = 0x7d
	F64 ValueType = 0x7c
)

// String returns the name of the type in the text format.
func (v ValueType) String() string {
	switch v {
	case I32:
		return "i32"
	case I64:
		return "i64"
	case F32:
		return "f32"
	case F64:
		return "f64"
	}
	return "a type that is no number"
}

// HostFunction is a function that guests may import.
type HostFunction struct {
	Module, Name string
	// Params and Results are its type; at most one result.
	Params, Results []ValueType
	// Call does the work. The stack has the parameters, and takes the result at
	// its begin; of a 32-bit value only the low half counts. It is good until
	// Call returns. Call may be used by many instances at once, by each once at
	// a time.
	//
	// It may panic([Exit]) or panic([OutOfCalls]), or with an error that wraps
	// one of them, to end the guest's call. Any other panic ends it as a bug of
	// ours. It must not call the guest, nor close its instance.
	Call func(c *Call, stack []uint64)
}

// Engine compiles modules. Its methods may be used by many goroutines at once.
type Engine interface {
	// Name is the engine's name in the configuration: wazero or wasmtime.
	Name() string
	// Compile makes a metered module ready to be instantiated; of the host
	// functions it links those that the module imports. A compilation that has
	// begun cannot be stopped: ctx is looked at before. The caller bounds the
	// size of modules.
	Compile(ctx context.Context, metered []byte, host []HostFunction) (Module, error)
	// Close frees the engine, after all its modules have been closed.
	Close() error
}

// Module is compiled code. Instantiate may be used by many goroutines at once.
type Module interface {
	// Instantiate makes an instance with a memory of its own, and runs nothing
	// of it. Host functions find env in their Call.
	Instantiate(env any) (Instance, error)
	// Close frees the code, after all its instances have been closed.
	Close() error
}

// Instance is one memory with the functions that work on it. It belongs to one
// goroutine at a time. After a fault only its numbers, Memory and Close are of
// use.
type Instance interface {
	// Function returns the exported function of that name, the same one each
	// time, or nil if there is none that takes at most one value and gives at
	// most one.
	Function(name string) Function
	// Memory returns the linear memory as it is now, or nil if it is not
	// exported as memory. It may grow in a call, but never moves: a slice of it
	// stays good until Close, and touching it after Close ends the process.
	Memory() []byte
	// SetFuel sets what the next call may use, and clears the mark.
	SetFuel(fuel int64, depth int32)
	// Fuel returns what is left of the fuel; below zero if it was used up.
	Fuel() int64
	// Depth returns what is left of the depth: after a fault, where it stopped.
	Depth() int32
	// Mark returns what is not zero if memory.grow was refused since SetFuel.
	Mark() int32
	// Close frees the memory. Only the first time does something.
	Close() error
}

// Function is an exported function of one instance.
type Function interface {
	// Call calls it with one value, which is ignored if it takes none, and
	// returns its result, zero if it gives none. 32-bit values are in the low
	// half, the high half of a result is zero then. The error is a *Fault.
	Call(arg uint64) (uint64, error)
}
