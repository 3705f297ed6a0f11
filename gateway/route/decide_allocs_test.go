//go:build !race

package route

// Under the race detector pools drop what is put into them now and then, so that
// allocations cannot be counted.

import "testing"

func TestDecideWithRulesAllocsNothing(t *testing.T) {
	table, r := fiftyRules(t, 50)
	v := &present{bound: "web2"}
	if d := Decide(table, r, v, noon, nil); d.Rule != 49 || d.Home != 1 {
		t.Fatalf("decided %+v", d)
	}
	if n := testing.AllocsPerRun(200, func() { Decide(table, r, v, noon, nil) }); n != 0 {
		t.Errorf("Decide allocates %v times", n)
	}
}
