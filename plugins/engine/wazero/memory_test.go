package wazero

import (
	"testing"

	"github.com/tetratelabs/wazero/experimental"

	"weirkeep/plugins/engine/enginetest"
)

// What a memory does at its ends; that it grows in place and is given back is
// the suite's.
func TestMemoryEndsWhereItWasReserved(t *testing.T) {
	var r reserved
	m := r.reserve(0, 4*pageSize)
	defer m.Free()
	first := m.Reallocate(pageSize)
	if len(first) != pageSize || cap(first) != pageSize {
		t.Fatalf("one page has %d bytes and room for %d", len(first), cap(first))
	}
	first[pageSize-1] = 1
	all := m.Reallocate(4 * pageSize)
	if len(all) != 4*pageSize || all[pageSize-1] != 1 || &all[0] != &first[0] {
		t.Errorf("four pages have %d bytes, begin with what was there: %v", len(all), all[pageSize-1] == 1)
	}
	all[4*pageSize-1] = 1
	if got := m.Reallocate(5 * pageSize); got != nil {
		t.Errorf("a fifth page of four is there: %d bytes", len(got))
	}
}

func TestMemoryIsFreedOnce(t *testing.T) {
	var r reserved
	m := r.reserve(0, pageSize)
	m.Reallocate(pageSize)
	m.Free()
	m.Free()
	if r.all != nil || r.used != 0 || m.Reallocate(pageSize) != nil {
		t.Error("there is memory after Free")
	}
}

// Where the system has no room, the memory cannot have a page, and a module
// that needs one gets an error instead of a panic.
func TestNoRoomIsAnError(t *testing.T) {
	var r reserved
	if none := r.reserve(0, 1<<62); none.Reallocate(0) != nil || none.Reallocate(pageSize) != nil {
		t.Fatal("there is room for 2^62 bytes")
	}
	e := open(t, Options{})
	defer e.Close()
	m, err := e.Compile(t.Context(), enginetest.Small(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	none := func(_, _ uint64) experimental.LinearMemory { return new(reserved) }
	if _, err := instantiate(m.(*module).runtime, m.(*module).code, none); err == nil {
		t.Error("an instance was made without memory")
	}
}
