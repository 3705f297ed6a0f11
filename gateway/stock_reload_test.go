package gateway

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"weirkeep/gateway/wire"
)

// A reload keeps what is known of an origin as long as its number is the same, and
// forgets it where it is another. What an exchange of before says then counts for
// nothing.
func TestStockCollectorsUnderReloads(t *testing.T) {
	t.Parallel()
	text := func(metric string) string { return stockText(metric, "s1") }
	const pushed = "collector: value, source: push, initial: 20"
	_, g := start(t, text(pushed), Options{})
	is := func(when string, want int, from string) {
		t.Helper()
		if o := g.Status().Origins[0]; *o.Metric != want || o.MetricFrom != from {
			t.Errorf("%s the metric is %d (%s), want %d (%s)", when, *o.Metric, o.MetricFrom, want, from)
		}
	}
	running := func() (s *stockSampler) {
		for _, s = range g.registry.stock {
		}
		return s
	}
	push := func(n float64) error {
		_, err := g.ReportMetric(MetricReport{Cluster: "app", Origin: "s1", Value: n})
		return err
	}
	is("at first", 20, "initial")
	apply(t, g, text(strings.Replace(pushed, "20", "30", 1)))
	is("with another initial one", 30, "initial")
	push(40)
	first := running()
	apply(t, g, text(strings.Replace(pushed, "20", "30", 1)))
	if is("after a reload that changes nothing", 40, "push"); running() != first {
		t.Error("it was sampled anew")
	}
	apply(t, g, text(pushed+", interval: 1h, default: 60"))
	if is("with another interval", 40, "push"); running() == first || len(g.registry.stock) != 1 {
		t.Errorf("%d samplers run, the first is %v", len(g.registry.stock), first)
	}
	push(41)
	is("after a push to it", 41, "push")
	old := g.current.Load().clusters[0].members[0].tally
	apply(t, g, text(`collector: value, source: "header:X-Load", initial: 25`))
	is("with another source", 25, "initial")
	if err := push(42); err == nil {
		t.Error("a push was taken")
	}
	old.account.field = "x-load"
	old.answered(0, []wire.Field{{Name: []byte("X-Load"), Value: []byte("99")}}, time.Now())
	is("after an answer of before", 25, "initial")
	apply(t, g, plainListener+"clusters: { app: { origins: [{ name: s1, address: \"s1.example:80\" }] } }\n")
	if g.Status().Origins[0].Metric != nil || len(g.registry.stock) != 0 {
		t.Error("without a metric there is one")
	}
}

// Close leaves no sampler behind, though a pull is under way; nor does a check of the
// configuration.
func TestStockSamplersEnd(t *testing.T) {
	asked := make(chan struct{}, 1)
	o := Options{Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer theirs.Close()
			theirs.Read(make([]byte, 1))
			asked <- struct{}{}
			<-ctx.Done()
		}()
		return ours, nil
	}}
	text := stockText("collector: value, pull: { path: /page, timeout: 30s }", "s1")
	_, g := start(t, text, o)
	<-asked
	if problems := Check(load(t, text)); len(problems) > 0 {
		t.Error(problems)
	}
	g.Close()
	until(t, "no sampler is left", func() bool {
		stacks := make([]byte, 1<<20)
		return !strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), "(*stockSampler)")
	})
}

// Budget: an exchange with a number in a field of its answer costs no allocation.
func TestFieldMetricAllocs(t *testing.T) {
	for _, collector := range []string{"value", "log-delta"} {
		o := &echoOrigin{answer: bytes.Replace(answer1K, []byte("ETag:"), []byte("X-Load: 17.25\r\nETag:"), 1)}
		g := New(Options{Dial: func(context.Context, string, string) (net.Conn, error) { return o, nil }})
		t.Cleanup(func() { g.Close() })
		apply(t, g, strings.Replace(replayConfig, "keep_alive: 1h", "keep_alive: 1h, metric: { collector: "+collector+", source: \"header:X-Load\", interval: 1h }", 1))
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
			t.Errorf("by %s an exchange allocates %.3f times, want 0", collector, per)
		}
		if want := map[string]int{"value": 17, "log-delta": 50}[collector]; *g.Status().Origins[0].Metric != want {
			t.Errorf("by %s the metric is %d, want %d", collector, *g.Status().Origins[0].Metric, want)
		}
	}
}

// Fields, pushes, samples and reloads at the same time: the metric is one that somebody
// has said, and the counters add up.
func TestHammerAccount(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	texts := []string{
		stockText("collector: value, source: push, interval: 100ms, stale_after: 1000", "s1"),
		stockText("collector: value, source: push, interval: 200ms, stale_after: 1000", "s1"),
	}
	_, g := start(t, texts[0], Options{Logger: slog.New(slog.DiscardHandler)})
	tally := g.current.Load().clusters[0].members[0].tally
	tally.account.field = "x-load"
	var all sync.WaitGroup
	for p := range 3 {
		all.Go(func() {
			for i := range 2000 {
				value := fmt.Sprint(10 + (i+p)%3*10)
				switch {
				case i%50 == 0:
					value = "130"
				case i%70 == 0:
					value = "busy"
				}
				tally.answered(time.Millisecond, []wire.Field{{Name: []byte("x-load"), Value: []byte(value)}}, time.Now())
			}
		})
	}
	all.Go(func() {
		for i := range 200 {
			if _, err := g.ReportMetric(MetricReport{"app", "s1", 40, fmt.Sprint(i % 2)}); err != nil {
				t.Error(err)
			}
		}
	})
	for i := range 20 {
		apply(t, g, texts[i%2])
	}
	all.Wait()
	m := tally.metric.Load()
	if m != 10 && m != 20 && m != 30 && m != 40 && m != 50 && m != 100 {
		t.Errorf("the metric is %d", m)
	}
	for _, o := range g.Metrics().Current().Origins() {
		if clamped, nonsense := o.Clamped.Load(), o.Nonsense.Load(); clamped != 120 || nonsense != 69 {
			t.Errorf("%d were clamped of 120, %d were nonsense of 69", clamped, nonsense)
		}
	}
}
