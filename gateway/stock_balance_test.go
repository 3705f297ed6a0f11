package gateway

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// wentTo counts where n requests have gone, by the number of requests of each origin.
func wentTo(b *bubble, n int, origins ...*speaker) (counts []int) {
	before := make([]int, len(origins))
	for i, o := range origins {
		o.set(func() { before[i] = o.requests })
	}
	for range n {
		b.get(bubbleGET)
	}
	synctest.Wait()
	for i, o := range origins {
		o.set(func() { counts = append(counts, o.requests-before[i]) })
	}
	return counts
}

func byMetric(metric string) string {
	return strings.Replace(stockText(metric, "s1", "s2"), "balancer: round-robin", "balancer: metric", 1)
}

// M-MET-09: after a push of 0 and 100 the very next request obeys.
func TestPushedMetricsSteerTheNextRequest(t *testing.T) {
	inStockBubble(t, byMetric("collector: value, source: push"), func(t *testing.T, b *bubble, _ *metricLog, s1, s2 *speaker) {
		push := func(origin string, n float64) {
			if _, err := b.g.ReportMetric(MetricReport{Cluster: "app", Origin: origin, Value: n}); err != nil {
				t.Error(err)
			}
		}
		for _, tt := range []struct {
			s1, s2 float64
			n      int
			want   string
		}{
			{0, 100, 1, "[0 1]"},
			{100, 0, 1, "[1 0]"},
			{0, 100, 10, "[0 10]"},
			{20, 60, 40, "[10 30]"},
			{0, 0, 40, "[20 20]"}, // M-MET-11
			{-3, 130, 10, "[0 10]"},
		} {
			push("s1", tt.s1)
			push("s2", tt.s2)
			if got := fmt.Sprint(wentTo(b, tt.n, s1, s2)); got != tt.want {
				t.Errorf("with %v and %v the requests went to %s, want %s", tt.s1, tt.s2, got, tt.want)
			}
		}
	})
}

// The same of a field of an answer; an origin that says 0 gets requests again once that
// is stale.
func TestMetricsOfFieldsSteerTheNextRequest(t *testing.T) {
	inStockBubble(t, byMetric(`collector: value, source: "header:X-Load"`), func(t *testing.T, b *bubble, _ *metricLog, s1, s2 *speaker) {
		s1.set(func() { s1.field = "0" })
		s2.set(func() { s2.field = "100" })
		wentTo(b, 2, s1, s2)
		if got := fmt.Sprint(wentTo(b, 20, s1, s2)); got != "[0 20]" {
			t.Errorf("once both have spoken, the requests went to %s", got)
		}
		for range 5 {
			pass(19 * time.Second)
			wentTo(b, 1, s1, s2)
		}
		pass(time.Second)
		if got := wentTo(b, 3, s1, s2); got[0] == 0 {
			t.Errorf("after three intervals of silence the requests went to %v", got)
		}
	})
}

// A metric that is pulled steers from then on; a reload forgets what nobody finds out
// any more, and what was found stays where it is found still.
func TestMetricsSteerUnderReloads(t *testing.T) {
	text := byMetric("collector: value, pull: { path: /page }")
	inStockBubbleAt(t, text, "30", func(t *testing.T, b *bubble, _ *metricLog, s1, s2 *speaker) {
		went := func(when, want string) {
			t.Helper()
			if got := fmt.Sprint(wentTo(b, 40, s1, s2)); got != want {
				t.Errorf("%s the requests went to %s, want %s", when, got, want)
			}
		}
		pass(2 * time.Second)
		s1.set(func() { s1.page = "10" })
		pass(31 * time.Second)
		went("with 10 and 30", "[10 30]")
		b.g.Apply(load(t, strings.Replace(text, "path: /page }", "path: /page }, default: 20", 1)))
		went("after a reload", "[10 30]")
		b.g.Apply(load(t, strings.Replace(text, "metric: { collector: value, pull: { path: /page } }", "router: \"\"", 1)))
		went("without a metric", "[20 20]")
	})
}

// Whichever way a cluster's metric changes, balancers go by the one in force, and by 50
// once nobody finds one out.
func TestBalancersGoByTheMetricInForce(t *testing.T) {
	hs := newHomes(t, "a")
	guest := func(metric string) string {
		return strings.Replace(collectorText(hs, "good/count", "", metric), "clusters:\n", "clusters:\n# guest\n", 1)
	}
	stock := func(metric string) string {
		return plainListener + "clusters:\n" + clusterLine("app", hs, metric) + "\n"
	}
	texts := map[string]string{
		"push":   stock(", metric: { collector: value, source: push, initial: 20, interval: 1h }"),
		"field":  stock(`, metric: { collector: value, source: "header:X-Load", initial: 30, interval: 1h }`),
		"plugin": guest(", interval: 1h, initial: 40"),
		"none":   stock(""),
	}
	const ways = "push none field plugin field push plugin none plugin push field none push"
	_, g := start(t, texts["none"], hs.options())
	for _, way := range strings.Fields(ways) {
		apply(t, g, texts[way])
		m := g.current.Load().clusters[0].members[0]
		want := 50
		if m.tally != nil {
			want = int(m.metric())
		}
		if got := m.balanced.Live.Metric(); got != want {
			t.Errorf("with %s balancers go by %d, in force is %d", way, got, want)
		}
	}
}
