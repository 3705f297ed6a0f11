package balance

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// seeded makes the chances of a balancer the same in every run.
func seeded(t testing.TB, b Balancer) Balancer {
	t.Helper()
	draw := chance(rand.New(rand.NewPCG(1, 2)).IntN)
	switch b := b.(type) {
	case *random:
		b.draw = draw
	case *weightedRandom:
		b.draw = draw
	case *p2c:
		b.draw = draw
	case *peakEWMA:
		b.draw = draw
	default:
		t.Fatalf("%T knows no chance", b)
	}
	return b
}

// drawn holds n picks against the parts that each origin is to get: within four
// standard deviations.
func drawn(t *testing.T, b Balancer, cs []Candidate, n int, want ...float64) {
	t.Helper()
	counts := make([]int, len(cs))
	for range n {
		counts[b.Pick(cs, 0)]++
	}
	for i, part := range want {
		mean, off := part*float64(n), 4*math.Sqrt(float64(n)*part*(1-part))
		if d := math.Abs(float64(counts[i]) - mean); d > off {
			t.Errorf("origin %d: %d of %d picks, want %.0f ± %.0f", i, counts[i], n, mean, off)
		}
	}
}

// M-POL-01, M-POL-06, M-ALG-08: 10,000 draws each.
func TestSharesOfChance(t *testing.T) {
	hosts := []Member{on("A1", "a", 3), on("A2", "a", 3), on("A3", "a", 3), on("B", "b", 1)}
	for _, tt := range []struct {
		name, balancer string
		members        []Member
		usable         string
		want           []float64
	}{
		{"four", "random", equals(4), "uuuu", []float64{.25, .25, .25, .25}},
		{"three of five", "random", equals(5), "u-u-u", []float64{1. / 3, 0, 1. / 3, 0, 1. / 3}},
		{"two of nine", "random", equals(9), "-------uu", []float64{0, 0, 0, 0, 0, 0, 0, .5, .5}},
		{"hosts of 3 and 1", "weighted-random", hosts, "uuuu", []float64{.25, .25, .25, .25}},
		{"one of a host is out", "weighted-random", hosts, "u-uu", []float64{.375, 0, .375, .25}},
		{"one of a host is left", "weighted-random", hosts, "--uu", []float64{0, 0, .75, .25}},
		{"the heavy host is out", "weighted-random", hosts, "---u", []float64{0, 0, 0, 1}},
		{"alias", "random:weighted", hosts, "uuuu", []float64{.25, .25, .25, .25}},
		{"p2c, all idle", "p2c", equals(4), "uuuu", []float64{.25, .25, .25, .25}},
		{"p2c, three of many", "p2c", equals(12), "u----u----u-", []float64{1. / 3, 0, 0, 0, 0, 1. / 3, 0, 0, 0, 0, 1. / 3, 0}},
		{"peak-ewma, nothing known", "peak-ewma", equals(3), "uuu", []float64{1. / 3, 1. / 3, 1. / 3}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			drawn(t, seeded(t, newOf(t, tt.balancer, tt.members)), group(tt.usable), 10_000, tt.want...)
		})
	}
}

// Of three origins, the fullest is never taken unless it is drawn twice, which it is
// not; the emptiest is taken whenever it is drawn: two pairs of three have it.
func TestP2CTakesTheFreerOfTwo(t *testing.T) {
	cs := []Candidate{{true, 9, 10}, {true, 50, 100}, {true, 0, 10}}
	drawn(t, seeded(t, mustNew(t, "p2c", 3)), cs, 9_000, 0, 1./3, 2./3)
}

// Each row is two origins at one moment, as (load+1) × time says.
func TestPeakEWMATakesWhoAnswersFirst(t *testing.T) {
	now := time.Unix(1e9, 0)
	for _, tt := range []struct {
		name           string
		tookA, tookB   time.Duration // 0: never observed
		sinceA, sinceB time.Duration // between observing and now
		loadA, loadB   int64
		want           int // -1: either
	}{
		{"the faster", 2 * time.Millisecond, time.Millisecond, 0, 0, 0, 0, 1},
		{"half as fast with less than half in hand", 2 * time.Millisecond, time.Millisecond, 0, 0, 1, 4, 0},
		{"as much", 2 * time.Millisecond, time.Millisecond, 0, 0, 0, 1, -1},
		{"never tried", time.Millisecond, 0, 0, 0, 0, 0, 1},
		{"never tried, and one is under way", time.Millisecond, 0, 0, 0, 0, 1, 0},
		{"never tried, and the other has more in hand", time.Millisecond, 0, 0, 0, 3, 1, 1},
		{"both never tried", 0, 0, 0, 0, 2, 1, 1},
		{"slow, long ago", 100 * time.Millisecond, time.Millisecond, time.Minute, 0, 0, 0, 0},
		{"slow, not long ago", 100 * time.Millisecond, time.Millisecond, 10 * time.Second, 0, 0, 0, 1},
		{"both long ago", 100 * time.Millisecond, time.Millisecond, time.Hour, time.Hour, 0, 0, 1},
	} {
		members := []Member{{Live: new(Live)}, {Live: new(Live)}}
		for i, took := range []time.Duration{tt.tookA, tt.tookB} {
			if took > 0 {
				members[i].Live.Observe(took, now.Add(-[]time.Duration{tt.sinceA, tt.sinceB}[i]))
			}
		}
		b := seeded(t, newOf(t, "peak-ewma", members))
		cs := []Candidate{{true, tt.loadA, 10}, {true, tt.loadB, 10}}
		seen := [2]int{}
		for range 100 {
			seen[b.Pick(cs, 0)]++
		}
		if tt.want < 0 && (seen[0] == 0 || seen[1] == 0) || tt.want >= 0 && seen[tt.want] != 100 {
			t.Errorf("%s: picks %v, want all %d", tt.name, seen, tt.want)
		}
	}
}

// A slow answer counts at once, fast ones by the time that passes; what is told late
// changes nothing that is newer.
func TestObserveFollowsPeaks(t *testing.T) {
	var l Live
	now := time.Unix(1e9, 0)
	for _, tt := range []struct {
		after, took time.Duration
		want        float32 // milliseconds
	}{
		{0, 10 * time.Millisecond, 10},
		{time.Millisecond, 100 * time.Millisecond, 100},
		{0, 10 * time.Millisecond, 100},
		{10 * time.Second, 10 * time.Millisecond, 43.1},
		{-5 * time.Second, 10 * time.Millisecond, 43.1},
		{15 * time.Second, 10 * time.Millisecond, 22.18},
		{time.Hour, 20 * time.Millisecond, 20},
		{time.Hour, 0, 0.001},
	} {
		now = now.Add(tt.after)
		l.Observe(tt.took, now)
		if got := l.reading().micros() / 1000; got < tt.want*0.99 || got > tt.want*1.01 {
			t.Errorf("%v after %v more: %v ms, want %v", tt.took, tt.after, got, tt.want)
		}
	}
}

// Among origins of which one is ten times as slow, nearly all goes to the others, and
// when it has become fast again, its part comes back.
func TestPeakEWMAAvoidsWhoStumbles(t *testing.T) {
	members := equals(3)
	for i := range members {
		members[i].Live = new(Live)
	}
	b, cs, now := seeded(t, newOf(t, "peak-ewma", members)), idle(3), time.Unix(1e9, 0)
	serve := func(slow time.Duration) (counts [3]int) {
		for range 3000 {
			i := b.Pick(cs, 0)
			counts[i]++
			took := 5 * time.Millisecond
			if i == 0 {
				took = slow
			}
			now = now.Add(10 * time.Millisecond)
			members[i].Live.Observe(took, now)
		}
		return counts
	}
	if counts := serve(50 * time.Millisecond); counts[0] == 0 || counts[0] > 100 {
		t.Errorf("the slow one got %d of 3000, want some and few", counts[0])
	}
	for range 10 { // 300 s, without a load that would make up for a small difference
		serve(5 * time.Millisecond)
	}
	if counts := serve(5 * time.Millisecond); counts[0] < 300 {
		t.Errorf("when it was fast again it got %d of 3000, want its part", counts[0])
	}
}
