package enginetest

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"weirkeep/plugins/engine"
)

const (
	deepFrames = 1_000 // the default of a call's depth
	deepValues = 400   // that engines promise to have room for in each frame
)

// deepStack: a guest may be 1,000 calls deep with 400 values alive in each of
// them, and gets them all back.
func deepStack(t *testing.T, e engine.Engine) {
	m, err := e.Compile(t.Context(), rewritten(t, deep()), nil)
	noError(t, err)
	t.Cleanup(func() { noError(t, m.Close()) })
	i := instance(t, m, nil)
	want := uint64(1)
	for n := range uint64(deepValues) {
		binary.LittleEndian.PutUint64(i.Memory()[8*n:], n)
		want += n * deepFrames
	}
	i.SetFuel(math.MaxInt64, deepFrames)
	if got := call(t, i, "deep", deepFrames); got != want {
		t.Errorf("deep(%d) = %d, want %d", deepFrames, got, want)
	}
}

// deep is a module with the function deep(n i32) i64: it reads the numbers in
// the first 3,200 bytes of memory, adds deep(n - 1) to all of them, and gives
// 1 at zero. What it has read may have changed by the time it adds, so it has
// to be kept.
func deep() []byte {
	body := []byte{
		0,                                              // no locals
		0x20, 0, 0x45, 0x04, 0x40, 0x42, 1, 0x0f, 0x0b, // if n == 0 return 1
	}
	for n := range uint64(deepValues) {
		body = append(body, 0x41, 0, 0x29, 3) // i64.load offset=8n (i32.const 0)
		body = binary.AppendUvarint(body, 8*n)
	}
	body = append(body, 0x20, 0, 0x41, 1, 0x6b, 0x10, 0) // deep(n - 1)
	for range deepValues {
		body = append(body, 0x7c) // i64.add
	}
	body = append(body, 0x0b)
	return module(
		section(1, 1, 0x60, 1, 0x7f, 1, 0x7e), // (i32) -> i64
		section(3, 1, 0),                      // one function of it
		section(5, 1, 0, 1),                   // a memory of one page
		section(7, []byte("\x02\x04deep\x00\x00\x06memory\x02\x00")...), // both exported
		section(10, append(binary.AppendUvarint([]byte{1}, uint64(len(body))), body...)...),
	)
}

// module puts sections behind the header that modules begin with.
func module(sections ...[]byte) []byte {
	return append([]byte("\x00asm\x01\x00\x00\x00"), slices.Concat(sections...)...)
}

// section is one section of a module.
func section(id byte, body ...byte) []byte {
	return append(binary.AppendUvarint([]byte{id}, uint64(len(body))), body...)
}
