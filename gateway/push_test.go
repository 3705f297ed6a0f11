package gateway

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
)

// A push counts at once; what cannot be taken is refused with what to write.
func TestPushes(t *testing.T) {
	text := strings.Replace(stockText("collector: value, source: push", "s1", "s2"), "clusters: {",
		`clusters: { none: { origins: [s3] }, field: { origins: [s3], metric: { collector: value, source: "header:X-Load" } },`, 1) +
		"origins: { s3: { address: \"s3.example:80\" } }\nsites: { all: { hosts: [\"**\"] } }\nmappings: [{ site: all, prefix: /a, clusters: [none, field] }, { site: all, cluster: app }]\n"
	inStockBubble(t, text, func(t *testing.T, b *bubble, log *metricLog, _, _ *speaker) {
		push := func(cluster, origin string, n float64) string {
			o, err := b.g.ReportMetric(MetricReport{Cluster: cluster, Origin: origin, Value: n})
			if err != nil {
				return err.Error()
			}
			return fmt.Sprint(o.Name, *o.Metric, o.MetricFrom)
		}
		for _, tt := range []struct {
			cluster, origin string
			n               float64
			want            string
		}{
			{"app", "s1", 40, "s140push"},
			{"app", "s1", 0, "s10push"},
			{"app", "s2", 130, "s2100push"},
			{"app", "s2", -3, "s20push"},
			{"app", "s1", math.NaN(), "it says something that is no number"},
			{"app", "s1", math.Inf(1), "it says something that is no number"},
			{"apps", "s1", 40, `no cluster is called "apps". Known: app, field, none`},
			{"app", "s3", 40, `no origin of cluster app is called "s3". Known: s1, s2`},
			{"none", "s3", 40, "cluster none has no metric; clusters.none.metric: { collector: value, source: push } would take it"},
			{"field", "s3", 40, `nothing is pushed to cluster field: clusters.field.metric.source is "header:X-Load"; push would take it`},
		} {
			if got := push(tt.cluster, tt.origin, tt.n); got != tt.want {
				t.Errorf("%v for %s/%s: %s, want %s", tt.n, tt.cluster, tt.origin, got, tt.want)
			}
		}
		metricIs(t, b, "then", "s1", 50, "default")
		metricIs(t, b, "then", "s2", 0, "push")
		if got := fmt.Sprint(countedOf(b, "s1"), countedOf(b, "s2")); got != "[0 2 0 0] [2 0 0 0]" {
			t.Errorf("the counters are %s", got)
		}
	})
}

// M-MET-08: origins of a cluster whose metrics come from other collectors are told of
// once, until they agree, and counted.
func TestCollectorsThatDiffer(t *testing.T) {
	inStockBubble(t, stockText("collector: value, source: push", "s1", "s2"), func(t *testing.T, b *bubble, log *metricLog, _, _ *speaker) {
		push := func(origin, collector string) {
			if _, err := b.g.ReportMetric(MetricReport{"app", origin, 40, collector}); err != nil {
				t.Error(err)
			}
			synctest.Wait()
		}
		push("s1", "jvm h=0.3")
		push("s2", "jvm h=0.3")
		push("s2", "")
		if told := log.lines("another collector"); len(told) != 0 {
			t.Errorf("where they agree people are told %q", told)
		}
		push("s2", "jvm h=0.2")
		push("s2", "jvm h=0.2")
		told := log.lines("another collector")
		if len(told) != 1 || !strings.Contains(told[0], "origin=s2") || !strings.Contains(told[0], "jvm h=0.2") || !strings.Contains(told[0], "that of s1") {
			t.Errorf("people are told %q", told)
		}
		push("s2", "jvm h=0.3")
		push("s2", "jvm h=0.1")
		if told := log.lines("another collector"); len(told) != 2 {
			t.Errorf("when they differ again, it is told %q", told)
		}
		if got := fmt.Sprint(countedOf(b, "s1"), countedOf(b, "s2")); got != "[0 0 0 0] [0 0 0 3]" {
			t.Errorf("the counters are %s", got)
		}
		metricIs(t, b, "all the same", "s2", 40, "push")
	})
}
