package origin

import (
	"testing"
	"time"
)

// Who condemns an origin stands over all that requests and checks find, and leaves it
// as these have found it.
func TestCondemned(t *testing.T) {
	policy := &Policy{Threshold: 1, Count: Faults(0).With(FaultReset)}
	fail := func(o *Origin) { o.Failed(Failure{Fault: FaultReset, At: time.Now()}, policy, false) }
	for _, tt := range []struct {
		name string
		do   func(o *Origin)
		want Health // after somebody else was acquitted
		told int    // changes
	}{
		{"condemned", func(o *Origin) { o.Condemn(1, "trap") }, Down, 1},
		{"condemned again", func(o *Origin) { o.Condemn(1, "trap"); o.Condemn(1, "trap") }, Down, 1},
		{"by two, acquitted by one", func(o *Origin) { o.Condemn(1, "trap"); o.Condemn(2, "trap"); o.Acquit(2, "well") }, Down, 1},
		{"acquitted", func(o *Origin) { o.Condemn(1, "trap"); o.Acquit(1, "well") }, Up, 2},
		{"acquitted by who never said so", func(o *Origin) { o.Acquit(1, "well") }, Up, 0},
		{"a success changes nothing", func(o *Origin) { o.Condemn(1, "trap"); o.Succeeded(true) }, Down, 1},
		{"failures are not seen", func(o *Origin) { o.Condemn(1, "trap"); fail(o) }, Down, 1},
		{"but they show afterwards", func(o *Origin) { o.Condemn(1, "trap"); fail(o); o.Acquit(1, "well") }, Ejected, 2},
		{"an ejection, then down", func(o *Origin) { fail(o); o.Condemn(1, "trap") }, Down, 2},
		{"back to the ejection", func(o *Origin) { fail(o); o.Condemn(1, "trap"); o.Acquit(1, "well") }, Ejected, 3},
		{"a trial in between brings it back", func(o *Origin) { fail(o); o.Condemn(1, "trap"); o.Succeeded(true); o.Acquit(1, "well") }, Up, 3},
	} {
		told := 0
		o := &Origin{OnChange: func(*Origin, Transition) { told++ }}
		tt.do(o)
		if o.Health() != tt.want || told != tt.told || len(o.Transitions()) != tt.told {
			t.Errorf("%s: %s after %d changes, %d remembered; want %s, %d", tt.name, o.Health(), told, len(o.Transitions()), tt.want, tt.told)
		}
	}
}

// No request tries out who is condemned; who is ejected besides is tried out afterwards.
func TestCondemnedIsNotTried(t *testing.T) {
	o := new(Origin)
	now := time.Now()
	due := func() bool { return o.Due(now.Add(time.Hour), false) }
	o.Failed(Failure{Fault: FaultReset, At: now}, &Policy{Threshold: 1, Count: Faults(0).With(FaultReset)}, false)
	if !due() {
		t.Fatal("an ejected origin is not tried out")
	}
	o.Condemn("collector", "trap")
	if due() {
		t.Error("a condemned origin is tried out")
	}
	o.Failed(Failure{Fault: FaultReset, At: now, Trial: true}, &Policy{Threshold: 1, Count: Faults(0).With(FaultReset)}, false)
	if due() {
		t.Error("after a trial that was under way it is")
	}
	o.Acquit("collector", "well")
	if !due() {
		t.Error("after it was acquitted it is not")
	}
}
