package balance

import "testing"

// Origins of different size get the parts that their weights, or metrics, give them,
// at any load at which they are never full.
func TestSimulatedWeightsGiveTheirShares(t *testing.T) {
	for name, most := range map[string]float64{
		"metric": .001, "weight-based": .001, "weighted-round-robin": .001, "weighted-random": .02,
	} {
		for _, percent := range percents {
			if off := drive(t, scenarioOf("skewed"), name, percent).off(); off > most {
				t.Errorf("%s at %d%%: an origin is %.4f of all requests off its part, want %.4f at most", name, percent, off, most)
			}
		}
	}
}

// M-ALG-03: who does not look at load lets requests pile up behind a slow origin, up
// to its capacity; who looks at load or times goes round it.
func TestSimulatedConvoyBehindTheSlowOrigin(t *testing.T) {
	one := scenarioOf("one slow")
	full := int64(one.workers[0] * slotsPer)
	convoy := drive(t, one, "round-robin", 80)
	if convoy.most != full {
		t.Errorf("round-robin: the slow origin had %d at most, want all of its %d", convoy.most, full)
	}
	for _, name := range []string{"capacity", "least-load", "p2c", "peak-ewma"} {
		f := drive(t, one, name, 80)
		if f.most > full/2 {
			t.Errorf("%s: the slow origin had %d of %d, want half of that at most", name, f.most, full)
		}
		if slow, fast := convoy.percentile(99), f.percentile(99); slow < 5*fast {
			t.Errorf("p99 %v with round-robin and %v with %s, want at least five times as long", slow, fast, name)
		}
	}
}

// Who fails at once always has the least in hand. Of ten origins it gets more than a
// third of all requests from those who look for that, and its turn from who does not.
func TestSimulatedBlackHole(t *testing.T) {
	for name, want := range map[string]struct{ from, to float64 }{
		"capacity":    {.35, 1},
		"least-load":  {.35, 1},
		"p2c":         {.13, .21}, // it wins each of the pairs that it is in, two in ten
		"peak-ewma":   {.11, .21}, // a failure counts as a slow answer
		"random":      {.08, .12},
		"round-robin": {.099, .101},
	} {
		f := drive(t, scenarioOf("one failing at once"), name, 80)
		if got := f.part(0); got < want.from || got > want.to {
			t.Errorf("%s: the failing origin gets %.3f of all requests, want from %.3f to %.3f", name, got, want.from, want.to)
		}
	}
}
