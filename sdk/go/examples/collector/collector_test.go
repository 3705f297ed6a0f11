package main

import (
	"testing"

	gw1 "weirkeep/sdk/go"
	"weirkeep/sdk/go/gw1test"
	"weirkeep/sdk/go/gw1test/gw1wasm"
)

// guests are the plugin in the forms that are tested.
func guests(t *testing.T) map[string]*gw1test.Guest {
	return map[string]*gw1test.Guest{
		"native": gw1test.Native(t, gw1test.Exports{Configure: gwConfigure, OnCluster: gwOnCluster, Collect: gwCollect}),
		"wasm":   gw1wasm.BuildGo(t, "."),
	}
}

func busy(percent float64) gw1test.Sample {
	return gw1test.Sample{Position: 2, Sources: []gw1test.Source{{Name: "header:x-busy", Value: percent}}}
}

// Samplings of one instance, in order: it keeps history.
func TestMetricIsSmoothed(t *testing.T) {
	answers := func(answers, failed uint64, p95 int64) gw1test.Sample {
		return gw1test.Sample{Position: 1, Answers: answers, Failed: failed, P95: p95 * 1e6}
	}
	for form, g := range guests(t) {
		if message, ok := g.Configure(`{"source":"header:x-busy","target_ms":20}`); !ok {
			t.Fatalf("%s: params are refused: %s", form, message)
		}
		g.Cluster(gw1test.Members("server1", "server2", "server3"))
		for i, tt := range []struct {
			sample gw1test.Sample
			want   int32
		}{
			{answers(0, 0, 0), gw1.NoOpinion},
			{answers(10, 0, 20), 100}, // as fast as it should be
			{answers(10, 0, 40), 75},  // half of 100 and 50
			{answers(10, 10, 1), 38},  // half of 75 and 0
			{answers(0, 0, 0), gw1.NoOpinion},
			{answers(10, 5, 1), 44}, // half of 38 and 50
			{busy(30), 70},          // another origin, without history
			{busy(1e300), 35},
			{busy(-1e300), 68},
			{gw1test.Sample{Position: 3, Answers: 1}, gw1.Limit}, // not in the table
		} {
			if got := g.Collect(tt.sample); got != tt.want {
				t.Errorf("%s: sampling %d: metric %d, want %d", form, i, got, tt.want)
			}
		}
		g.Cluster(gw1test.Members("server1", "server2", "server3"))
		if got := g.Collect(busy(0)); got != 100 {
			t.Errorf("%s: after a new table: metric %d, want 100", form, got)
		}
	}
}

func TestTargetsThatMakeNoSenseAreRefused(t *testing.T) {
	for form, g := range guests(t) {
		for _, tt := range []struct {
			params string
			ok     bool
		}{
			{"", true},
			{`{"source":["a","b"]}`, true},
			{`{"target_ms":60000}`, true},
			{`{"target_ms":0}`, false},
			{`{"target_ms":-1}`, false},
			{`{"target_ms":"20"}`, false},
			{`{"target_ms":1.5}`, false},
			{`{"target_ms":60001}`, false},
			{`{"target_ms":99999999999999999999}`, false},
		} {
			want := ""
			if !tt.ok {
				want = "target_ms must be a whole number from 1 to 60000"
			}
			if got, ok := g.Configure(tt.params); ok != tt.ok || got != want {
				t.Errorf("%s: params %s: %v, %q; want %v, %q", form, tt.params, ok, got, tt.ok, want)
			}
		}
	}
}
