//go:build !race

package abi

import "testing"

// Under the race detector allocations cannot be counted.

// Budget: no codec allocates.
func TestCodecAllocs(t *testing.T) {
	b := make([]byte, 65536)
	view := typicalView(t)
	table, err := DecodeClusterTable(vectorOf(t, "cluster-table").bytes(t))
	if err != nil {
		t.Fatal(err)
	}
	collector, err := DecodeCollectorView(vectorOf(t, "collector-view").bytes(t))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := DecodeHTTPResponse(vectorOf(t, "http-response-view").bytes(t))
	if err != nil {
		t.Fatal(err)
	}
	edit := vectorOf(t, "ops-edit").bytes(t)
	target := vectorOf(t, "ops-target").bytes(t)
	ops, positions := make([]Op, 0, MaxOps), make([]uint16, 0, MaxRoute)
	names, seen := vectorOf(t, "route-names").bytes(t), 0
	count := func([]byte) { seen++ }
	params := any([]Param{{"share", 0.5}, {"list", []any{"a", int64(7), true}}})
	random := NewRandom(1)
	for name, f := range map[string]func() error{
		"view":      func() error { _, err := view.Put(b); return err },
		"table":     func() error { _, err := table.Put(b); return err },
		"collector": func() error { _, err := collector.Put(b); return err },
		"tick":      func() error { _, err := (&TickView{Number: 7}).Put(b); return err },
		"answer":    func() error { answer.Fit(49152, 0); _, err := answer.Put(b); return err },
		"route":     func() error { _, err := ReadRoute(b, 8, positions); return err },
		"names":     func() error { return ReadNames(names, 2, count) },
		"params":    func() error { _, err := AppendParams(b[:0], params); return err },
		"random":    func() error { random.Fill(b[:100]); return nil },
		"ops": func() error {
			ops, err := ReadOps(edit, int32(len(edit)), ops)
			if err != nil {
				return err
			}
			return CheckOps(ops, Where{Call: OnRequest})
		},
		"edit of the target": func() error {
			ops, err := ReadOps(target, int32(len(target)), ops)
			if err != nil {
				return err
			}
			return CheckOps(ops, Where{Call: OnRequest})
		},
	} {
		if err := f(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if n := testing.AllocsPerRun(200, func() { f() }); n != 0 {
			t.Errorf("%s allocates %v times, want 0", name, n)
		}
	}
}
