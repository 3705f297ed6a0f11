package gateway

import (
	"fmt"
	"maps"
	"testing"

	"weirkeep/gateway/metrics"
)

// pluginCounts are the counters of the plugin chooser; nil: nobody sees any.
func pluginCounts(g *Gateway) *metrics.Plugin {
	return maps.Collect(g.Metrics().Current().Plugins())["chooser"]
}

// What a plugin does is counted under its name; how it is, at each place.
func TestPluginsAreCounted(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b")
	addr, g := start(t, routerText(hs, moody, "", ""), hs.options())
	for _, kind := range []string{"1", "n", "t", "a"} {
		visit(t, addr, at(kind), "")
	}
	c := pluginCounts(g)
	if c.Calls.Load() != 4 || c.Fuel.Load() == 0 || c.Duration.Load().Count != 4 || c.Negative.Load() != 1 || c.Faults[6].Load() != 1 || c.Generation.Load() != 1 {
		t.Errorf("calls %d, fuel %d, timed %d, errors %d, traps %d, generation %d", c.Calls.Load(), c.Fuel.Load(), c.Duration.Load().Count, c.Negative.Load(), c.Faults[6].Load(), c.Generation.Load())
	}
	until(t, "the instance is there again", func() bool { return g.Plugins()[0].Standings[0].Idle == 1 })
	g.Metrics().Gauge()
	places := maps.Collect(g.Metrics().Current().Places())
	p := places[metrics.PlaceLabels{Plugin: "chooser", Place: "cluster main/app"}]
	if len(places) != 1 || p == nil {
		t.Fatalf("places %v", places)
	}
	if p.Instances.Load() != 1 || p.Idle.Load() != 1 || p.Most.Load() < 1 || p.Memory.Load() < 64<<10 || p.Table.Load() != 1 || p.Breaker[0].Load() != 1 || p.Breaker[1].Load() != 0 {
		t.Errorf("instances %d, idle %d of %d, memory %d, table %d, closed %d", p.Instances.Load(), p.Idle.Load(), p.Most.Load(), p.Memory.Load(), p.Table.Load(), p.Breaker[0].Load())
	}
}

// Counters outlive reloads by the plugin's name, also one that loads it anew; what is
// gone is not shown, and what comes back counts from 0, also while requests that began
// before it went keep the old one alive.
func TestPluginCountersAndReloads(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b")
	text := routerText(hs, moody, "", "")
	addr, g := start(t, text, hs.options())
	visit(t, addr, at("1"), "")
	apply(t, g, text)
	if c := pluginCounts(g); c.Calls.Load() != 1 || c.Generation.Load() != 1 {
		t.Errorf("after a reload of the same: %d calls, generation %d", c.Calls.Load(), c.Generation.Load())
	}
	apply(t, g, routerText(hs, moody, ", limits: { instances: 2 }", ""))
	visit(t, addr, at("1"), "")
	if c := pluginCounts(g); c.Calls.Load() != 2 || c.Generation.Load() != 2 {
		t.Errorf("after one with other limits: %d calls, generation %d", c.Calls.Load(), c.Generation.Load())
	}
	apply(t, g, text)
	answer := visitLater(t, addr, "/hold", "")
	until(t, "a request is held", func() bool { return hs[0].held.Load()+hs[1].held.Load() == 1 })
	apply(t, g, plainListener+"clusters:\n"+clusterLine("app", hs, "")+"\n")
	if c := pluginCounts(g); c != nil {
		t.Error("a plugin that is gone is shown")
	}
	apply(t, g, text)
	visit(t, addr, at("1"), "")
	if n := pluginCounts(g).Calls.Load(); n != 1 {
		t.Errorf("a plugin that came back has made %d calls, want 1", n)
	}
	for _, h := range hs {
		if h.held.Load() == 1 {
			h.letGo <- struct{}{}
		}
	}
	if a, err := await(answer); err != nil || a.status != 200 {
		t.Errorf("the request that was held: %d, %v", a.status, err)
	}
}

// abi.md, section 9: metrics that guests define are shown, with the plugin's name.
func TestGuestMetricsAreShown(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a")
	addr, g := start(t, routerText(hs, "good/metrics", "", ""), hs.options())
	for range 3 {
		visit(t, addr, "/", "")
	}
	var got []string
	for _, m := range g.Metrics().Guests() {
		got = append(got, fmt.Sprintf("%s %s %v %v", m.Plugin, m.Name, m.Counter, m.Value > 200 || m.Value == 3))
	}
	if text := fmt.Sprint(got); text != "[chooser calls true true chooser size false true]" {
		t.Error(text)
	}
	apply(t, g, plainListener+"clusters:\n"+clusterLine("app", hs, "")+"\n")
	if left := g.Metrics().Guests(); len(left) != 0 {
		t.Errorf("%d metrics of a plugin that is gone", len(left))
	}
}
