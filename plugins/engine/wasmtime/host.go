//go:build wasmtime

package wasmtime

/*
#include "shim.h"
*/
import "C"

import (
	"errors"
	"runtime/cgo"
	"strings"
	"unsafe"

	"weirkeep/plugins/engine"
)

// wkServe runs a host function for C, and reports whether it returned. Nothing
// that it does lets a panic pass, which would unwind through wasmtime.
//
//export wkServe
func wkServe(owner, number C.uintptr_t, values *C.wk_raw, n C.size_t) C.int {
	i := cgo.Handle(owner).Value().(*instance)
	f, raw := i.host[number], unsafe.Slice(values, n)
	for p, t := range f.Params {
		i.stack[p] = uint64(raw[p].low)
		if t == engine.I32 || t == engine.F32 {
			i.stack[p] &= 1<<32 - 1
		}
	}
	if !i.call.Serve(f, i.stack) {
		return 0
	}
	if len(f.Results) > 0 {
		raw[0].low = C.uint64_t(i.stack[0])
	}
	return 1
}

// trapNames are wasmtime's codes of traps in the words of our faults, which
// are wazero's.
var trapNames = map[C.int]string{
	overflow: "stack overflow",
	1:        "out of bounds memory access",
	3:        "invalid table access", // out of the table
	4:        "invalid table access", // a null entry
	5:        "indirect call type mismatch",
	6:        "integer overflow",
	7:        "integer divide by zero",
	8:        "invalid conversion to integer",
	9:        "unreachable",
}

// overflow is wasmtime's code of a native stack that was used up.
const overflow = 0

// fault says what the call that failed was, and frees what wasmtime said.
func (f *function) fault() *engine.Fault {
	trapped := f.c.trap != nil
	var code C.int
	raw := C.wk_text(f.c, &code)
	text := string(unsafe.Slice((*byte)(unsafe.Pointer(raw.data)), raw.size))
	C.wk_text_delete(&raw)
	message, stack := split(text)
	if name := trapNames[code]; name != "" {
		message = name
	}
	return f.instance.call.Fault(engine.Ending{
		Err:      errors.New(message),
		Trapped:  trapped,
		Overflow: trapped && code == overflow,
		Message:  message,
		Stack:    stack,
	})
}

// split parts what wasmtime says into what happened and where. After an empty
// line it says what happened once more, at length.
func split(text string) (message, stack string) {
	before, after, found := strings.Cut(text, "wasm backtrace:\n")
	if !found {
		return text, ""
	}
	after, _, _ = strings.Cut(after, "\n\n")
	var lines []string
	for line := range strings.Lines(after) {
		lines = append(lines, strings.TrimSpace(line))
	}
	return before, strings.Join(lines, "\n")
}
