package main

import (
	"math"
	"testing"

	gw1 "weirkeep/sdk/go"
	"weirkeep/sdk/go/gw1test"
	"weirkeep/sdk/go/gw1test/gw1wasm"
)

func native(t *testing.T) *gw1test.Guest {
	return gw1test.Native(t, gw1test.Exports{Configure: gwConfigure, OnCluster: gwOnCluster, Collect: gwCollect})
}

func told(ms float64) []gw1test.Source {
	return []gw1test.Source{{Name: "header:x-other", Value: 7}, {Name: "header:x-busy-time", Value: ms}}
}

func TestMetricIsWhatIsLeftOfTheWindow(t *testing.T) {
	for form, g := range map[string]*gw1test.Guest{"native": native(t), "wasm": gw1wasm.BuildGo(t, ".")} {
		g.Configure(`{"source":"header:X-Busy-Time"}`)
		g.Cluster(gw1test.Members("server1", "server2"))
		for _, tt := range []struct {
			name string
			s    gw1test.Sample
			want int32
		}{
			{"idle", gw1test.Sample{First: true, WindowMS: 10000, Sources: told(0)}, 100},
			{"half busy", gw1test.Sample{WindowMS: 10000, Sources: told(5000)}, 75}, // (50 + 100) / 2
			{"still half busy", gw1test.Sample{WindowMS: 10000, Sources: told(5000)}, 62},
			{"another one", gw1test.Sample{First: true, Position: 1, WindowMS: 10000, Sources: told(9000)}, 10},
			{"busier than can be", gw1test.Sample{Position: 1, WindowMS: 10000, Sources: told(1e300)}, 5},
			{"not a time", gw1test.Sample{WindowMS: 10000, Sources: told(-1)}, gw1.NoOpinion},
			{"not a number", gw1test.Sample{WindowMS: 10000, Sources: told(math.NaN())}, gw1.NoOpinion},
			{"no window", gw1test.Sample{Sources: told(1)}, gw1.NoOpinion},
			{"tells nothing", gw1test.Sample{WindowMS: 10000}, gw1.NoOpinion},
			{"not in the table", gw1test.Sample{Position: 2, WindowMS: 10000, Sources: told(9000)}, 10},
			{"back to the first", gw1test.Sample{WindowMS: 10000, Sources: told(0)}, 81},
		} {
			if got := g.Collect(tt.s); got != tt.want {
				t.Errorf("%s: %s: metric %d, want %d", form, tt.name, got, tt.want)
			}
		}
	}
}
