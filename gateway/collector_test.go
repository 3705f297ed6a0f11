package gateway

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"weirkeep/abi"
	"weirkeep/gateway/origin"
	"weirkeep/gateway/wire"
)

// collectorText is a cluster whose origins a guest of testplugins samples. Plugin and
// metric are further keys.
func collectorText(hs homes, guest, plugin, metric string) string {
	return fmt.Sprintf(`
listeners: [{ address: "127.0.0.1:0" }]
access_log: { format: off }
plugins: { sampler: { kind: collector, module: %q%s } }
clusters:
%s
`, guestFile(guest), plugin, clusterLine("app", hs, ", metric: { collector: sampler"+metric+" }"))
}

const (
	reads = "good/reads" // see testplugins
	often = ", interval: 100ms"
)

// offset is the parameter that makes the guest read its view there.
func offset(at int, more string) string { return fmt.Sprintf(", params: { at: %d%s }", at, more) }

// metricOf is what the status says of an origin; -1: it has no metric.
func metricOf(g *Gateway, name string) int {
	for _, o := range g.Status().Origins {
		if o.Name == name && o.Metric != nil {
			return *o.Metric
		}
	}
	return -1
}

func awaitMetric(t *testing.T, g *Gateway, name string, want int) {
	t.Helper()
	until(t, fmt.Sprintf("the metric of %s is %d", name, want), func() bool { return metricOf(g, name) == want })
}

// reporting are origins that say number in a field of their answers; empty: they do not.
func reporting(t *testing.T, number *atomic.Pointer[string], names ...string) homes {
	hs := newHomes(t, names...)
	hs.say(func(head string) (string, string) {
		if n := number.Load(); n != nil && *n != "" {
			return "X-Load: " + *n + "\r\n", head
		}
		return "", head
	})
	return hs
}

// fromField makes the guest's metric what the origin says in X-Load.
var fromField = offset(136, `, source: "header:X-Load"`)

// M-COL-09, M-COL-14: a collector says the metric, and before it does it is the initial one.
func TestCollectorSamples(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b")
	_, g := start(t, collectorText(hs, "good/count", "", ", interval: 1s, initial: 80"), hs.options())
	if a, b := metricOf(g, "a"), metricOf(g, "b"); a != 80 || b != 80 {
		t.Errorf("before the first sample: %d and %d, want 80", a, b)
	}
	awaitMetric(t, g, "a", 1)
	if b := metricOf(g, "b"); b != 80 {
		t.Errorf("the other one, whose turn comes half a second later: %d", b)
	}
	awaitMetric(t, g, "b", 2)
	_, plain := start(t, plainListener+"clusters:\n"+clusterLine("app", hs, "")+"\n", hs.options())
	if n := metricOf(plain, "a"); n != -1 {
		t.Errorf("without a collector the metric is %d", n)
	}
	if problems := g.Apply(load(t, collectorText(hs, "good/abstain", "", ""))); problems.Errors() == 0 || !strings.Contains(fmt.Sprint(problems), "gw_collect") {
		t.Errorf("a module that is no collector: %v", problems)
	}
}

// M-COL-10, M-COL-11: configure and enable are called once each, in this order, also
// without params.
func TestCollectorsLife(t *testing.T) {
	t.Parallel()
	for _, params := range []string{"", offset(0, "")} {
		hs := newHomes(t, "a")
		_, g := start(t, collectorText(hs, reads, params, often), hs.options())
		awaitMetric(t, g, "a", 12)
	}
}

// M-COL-12: what is above 100 is 100.
func TestMetricsAreClamped(t *testing.T) {
	t.Parallel()
	number := new(atomic.Pointer[string])
	number.Store(new("130"))
	hs := reporting(t, number, "a")
	addr, g := start(t, collectorText(hs, reads, fromField, often), hs.options())
	visit(t, addr, "/", "")
	awaitMetric(t, g, "a", 100)
	if n := g.Plugins()[0].Counters.Clamped.Load(); n == 0 {
		t.Error("nothing was counted")
	}
}

// M-COL-13: who says it is not collecting is not sampled.
func TestDisabledCollectorIsNotSampled(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a")
	_, g := start(t, collectorText(hs, "good/enabled", "", often+", initial: 7"), hs.options())
	calls := func() uint64 { return g.Plugins()[0].Counters.Calls.Load() }
	until(t, "it was asked whether it is enabled", func() bool { return calls() >= 1 })
	if n := metricOf(g, "a"); n != 7 && calls() == 1 {
		t.Errorf("disabled, the metric is %d", n)
	}
	awaitMetric(t, g, "a", 42)
}

// The view says what has come in the window.
func TestCollectorsView(t *testing.T) {
	t.Parallel()
	status := new(atomic.Pointer[string])
	status.Store(new("200 OK"))
	hs := newHomes(t, "a")
	hs[0].status = func() string { return *status.Load() }
	hs[0].settings = ", capacity: 33"
	for _, tt := range []struct {
		what   string
		at     int
		status string
		kill   bool
		want   int
	}{
		{"answers", 24, "200 OK", false, 5},
		{"answers that are failures count too", 24, "503 Busy", false, 5},
		{"no failures", 32, "500 Oops", false, 0},
		{"failures", 32, "503 Busy", false, 5},
		{"failed connects", 80, "200 OK", true, 5},
		{"capacity", 120, "200 OK", false, 33},
		{"generation", 112, "200 OK", false, 1},
		{"metric in force", 116, "200 OK", false, 9},
		{"health", 124, "200 OK", false, abi.HealthUp},
	} {
		plugin := offset(tt.at, "")
		text := strings.Replace(collectorText(hs, reads, plugin, ", interval: 1s, initial: 9"), "metric:", "failover: { threshold: 100, connect_failures: same }, retry: { retries: 0 }, metric:", 1)
		addr, g := start(t, text, hs.options())
		status.Store(new(tt.status))
		hs[0].down.Store(tt.kill)
		for range 5 {
			visit(t, addr, "/", "")
		}
		until(t, tt.what, func() bool { return metricOf(g, "a") == tt.want })
		hs[0].down.Store(false)
		g.Close()
	}
}

// An answer's field is a source of the metric: its latest value, if it is a number.
func TestReportedNumbers(t *testing.T) {
	t.Parallel()
	number := new(atomic.Pointer[string])
	hs := reporting(t, number, "a", "b")
	addr, g := start(t, collectorText(hs, reads, fromField, often+", initial: 77, default: 66, stale_after: 3"), hs.options())
	say := func(n string) {
		number.Store(&n)
		visit(t, addr, "/", "")
		visit(t, addr, "/", "")
	}
	say("42.7e0")
	awaitMetric(t, g, "a", 42)
	awaitMetric(t, g, "b", 42)
	say("0")
	awaitMetric(t, g, "a", 0)
	say("")
	number.Store(new("12"))
	visit(t, addr, "/", "")
	until(t, "one of them, and one alone, says something else", func() bool { return metricOf(g, "a")+metricOf(g, "b") == 12 })
	say("very busy")
	awaitMetric(t, g, "a", 66) // X-17, M-MET-12
}

// what a collector that fails does to its origin.
func TestCollectorFails(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		onError string
		metric  int
		health  string
	}{
		{"", 50, "up"},
		{", on_error: default", 50, "up"},
		{", on_error: keep", 90, "up"},
		{", on_error: down", 90, "down"},
	} {
		for _, failure := range []string{"-2", "-3"} { // an error, a trap
			t.Run(tt.onError+failure, func(t *testing.T) {
				t.Parallel()
				number := new(atomic.Pointer[string])
				number.Store(new("90"))
				hs := reporting(t, number, "a")
				addr, g := start(t, collectorText(hs, reads, fromField+tt.onError, ", interval: 300ms, stale_after: 1000"), hs.options())
				visit(t, addr, "/", "")
				awaitMetric(t, g, "a", 90)
				number.Store(&failure)
				visit(t, addr, "/", "")
				c := g.Plugins()[0].Counters
				until(t, "it has failed", func() bool {
					return c.Negative.Load() > 0 || len(g.Plugins()[0].Faults) > 0
				})
				awaitMetric(t, g, "a", tt.metric)
				until(t, "the origin is "+tt.health, func() bool { return g.Status().Origins[0].Health == tt.health })
				if got := visit(t, addr, "/", "").status; (got == 503) != (tt.health == "down") {
					t.Errorf("a request is answered %d", got)
				}
			})
		}
	}
}

// an origin that its collector has put down comes back with the next good sample,
// and when nobody samples it any more.
func TestDownUntilTheNextGoodSample(t *testing.T) {
	t.Parallel()
	number := new(atomic.Pointer[string])
	number.Store(new("-2"))
	hs := reporting(t, number, "a", "b")
	text := collectorText(hs, reads, fromField+", on_error: down", often+", stale_after: 1000")
	addr, g := start(t, text, hs.options())
	health := func(i int) string { return g.Status().Origins[i].Health }
	both := func(want string) {
		t.Helper()
		until(t, "both are "+want, func() bool { return health(0) == want && health(1) == want })
	}
	visit(t, addr, "/", "")
	visit(t, addr, "/", "")
	both("down")
	if last := g.Status().Origins[0].Transitions; len(last) != 1 || last[0].By != origin.Collector || !strings.Contains(last[0].Why, "-1, failed") {
		t.Errorf("the changes of its health: %+v", last)
	}
	apply(t, g, text)
	both("down") // after a reload that changes nothing
	say := func(n string) {
		for _, m := range g.current.Load().clusters[0].members {
			m.tally.answered(time.Millisecond, []wire.Field{{Name: []byte("X-Load"), Value: []byte(n)}}, time.Now())
		}
	}
	say("-1") // no opinion is no good sample
	calls := g.Plugins()[0].Counters.Calls.Load()
	until(t, "it was asked again", func() bool { return g.Plugins()[0].Counters.Calls.Load() > calls+4 })
	both("down")
	say("70")
	both("up")
	say("-2")
	both("down")
	apply(t, g, plainListener+"clusters:\n"+clusterLine("app", hs, "")+"\n")
	both("up")
}

// A reload that changes nothing keeps what is known; one that changes the origins keeps
// what is known of those that stay.
func TestCollectorUnderReloads(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b")
	text := func(hs homes, more string) string {
		return collectorText(hs, "good/count", "", ", interval: 1h, initial: 20"+more)
	}
	_, g := start(t, text(hs, ""), hs.options())
	running := func() (s *sampler) {
		for _, s = range g.registry.samplers {
		}
		return s
	}
	first := running()
	first.sample(0, time.Now())
	if n := metricOf(g, "a"); n != 1 {
		t.Fatalf("the first sample says %d", n)
	}
	apply(t, g, text(hs, ""))
	if running() != first || metricOf(g, "a") != 1 {
		t.Errorf("after a reload that changes nothing the metric is %d", metricOf(g, "a"))
	}
	apply(t, g, text(hs, ", default: 30"))
	if running() == first || metricOf(g, "a") != 1 || metricOf(g, "b") != 20 {
		t.Errorf("after one that changes a key it is %d and %d", metricOf(g, "a"), metricOf(g, "b"))
	}
	apply(t, g, strings.Replace(text(hs, ""), "initial: 20", "initial: 25", 1))
	if metricOf(g, "a") != 1 || metricOf(g, "b") != 25 {
		t.Errorf("after one that changes the initial metric it is %d and %d", metricOf(g, "a"), metricOf(g, "b"))
	}
	apply(t, g, text(hs.except("b"), ""))
	first.sample(0, time.Now())
	if metricOf(g, "a") != 1 {
		t.Errorf("a sampler that was stopped has changed the metric to %d", metricOf(g, "a"))
	}
	g.Close()
	if n := len(g.registry.samplers); n != 0 {
		t.Errorf("%d samplers run on after Close", n)
	}
}

// M-COL-16: a collector that never ends does not hold up the end of the gateway, and
// leaves nothing behind.
func TestCollectorInALoopEnds(t *testing.T) {
	hs := newHomes(t, "a")
	_, g := start(t, collectorText(hs, "evil/call/collect-loop", "", often), hs.options())
	until(t, "it was called", func() bool { return len(g.Plugins()[0].Faults) > 0 })
	began := time.Now()
	g.Close()
	if took := time.Since(began); took > 500*time.Millisecond {
		t.Errorf("Close took %v", took)
	}
	until(t, "no sampler is left", func() bool {
		stacks := make([]byte, 1<<20)
		return !strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), "(*sampler).run")
	})
}

// The metric is shown as a gauge, and to routers.
func TestMetricIsShown(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a")
	text := strings.Replace(collectorText(hs, "good/count", "", ", interval: 1h, initial: 23"), "metric:", "router: chooser, metric:", 1)
	text = strings.Replace(text, "plugins: {", fmt.Sprintf("plugins: { chooser: { kind: router, module: %q },", guestFile("good/abstain")), 1)
	_, g := start(t, text, hs.options())
	g.Metrics().Gauge()
	for _, o := range g.Metrics().Current().Origins() {
		if o.Sampled.Load() != 1 || o.Metric.Load() != 23 {
			t.Errorf("the gauge says %d, %d", o.Sampled.Load(), o.Metric.Load())
		}
	}
	snap := g.current.Load()
	x := &Exchange{group: snap.groups[0]}
	if shown := x.work().showOrigins(snap.clusters[0].router, nil); len(shown) != 1 || shown[0].Metric != 23 {
		t.Errorf("a router is shown %+v", shown)
	}
	apply(t, g, plainListener+"clusters:\n"+clusterLine("app", hs, "")+"\n")
	g.Metrics().Gauge()
	for _, o := range g.Metrics().Current().Origins() {
		if o.Sampled.Load() != 0 {
			t.Error("without a collector the gauge is shown on")
		}
	}
}

// Budget: an exchange of a cluster with a collector that reads a field of its answers
// costs no allocation either.
func TestCollectedExchangeAllocs(t *testing.T) {
	o := &echoOrigin{answer: bytes.Replace(answer1K, []byte("ETag:"), []byte("X-Load: 17.25\r\nETag:"), 1)}
	g := New(Options{Dial: func(context.Context, string, string) (net.Conn, error) { return o, nil }})
	t.Cleanup(func() { g.Close() })
	metric := fmt.Sprintf("plugins: { sampler: { kind: collector, module: %q%s } }\n", guestFile(reads), fromField)
	apply(t, g, metric+strings.Replace(replayConfig, "keep_alive: 1h", "keep_alive: 1h, metric: { collector: sampler, interval: 1h }", 1))
	client := &replay{request: []byte(browserGET)}
	run := func(n int) {
		client.left, client.at = n+1, len(client.request)
		if err := g.ServeConn(client); err != nil {
			t.Fatal(err)
		}
	}
	run(10)
	one := testing.AllocsPerRun(20, func() { run(1) })
	many := testing.AllocsPerRun(20, func() { run(1001) })
	if per := (many - one) / 1000; per >= 0.01 && !raceDetector {
		t.Errorf("an exchange allocates %.3f times, want 0", per)
	}
	s := g.registry.samplers
	for _, s := range s {
		s.sample(0, time.Now())
	}
	if n := *g.Status().Origins[0].Metric; n != 17 || len(s) != 1 {
		t.Errorf("the metric is %d by %d samplers", n, len(s))
	}
}
