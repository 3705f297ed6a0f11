package capacity

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// learner makes one, with what it has set last.
func learner(b Bounds, start int) (l *Learner, limit *int) {
	limit = new(int)
	return New(Options{Bounds: b, Start: start, Set: func(n int) { *limit = n }}), limit
}

// feed lets windows pass in which the origin has a load and answers in so long.
func feed(l *Learner, windows int, load int64, took time.Duration) {
	for range windows {
		for range max(fewest, 2*load) {
			l.Answered(took, load)
		}
	}
}

func TestLimitBeginsWithinItsBounds(t *testing.T) {
	for _, tt := range []struct {
		bounds      Bounds
		start, want int
	}{
		{Bounds{4, 1000}, Start, 10},
		{Bounds{50, 1000}, Start, 50},
		{Bounds{1, 8}, Start, 8},
		{Bounds{7, 7}, Start, 7},
	} {
		if _, limit := learner(tt.bounds, tt.start); *limit != tt.want {
			t.Errorf("%v: begins with %d, want %d", tt.bounds, *limit, tt.want)
		}
	}
}

// What moves the limit, from 100: each row lets windows pass in which answers take as
// long as they do at ease, and one more.
func TestWhatMovesTheLimit(t *testing.T) {
	for _, tt := range []struct {
		name string
		load int64
		took time.Duration
		over int
		want int
	}{
		{"in use, at ease", 100, 20 * ms, 0, 110},
		{"half in use, at ease", 50, 20 * ms, 0, 110},
		{"hardly in use", 49, 20 * ms, 0, 100},
		{"a little slower", 100, 29 * ms, 0, 110},
		{"twice as slow, then a probe", 100, 41 * ms, 0, 42},
		{"ten times as slow, then a probe", 100, 200 * ms, 0, 30},
		{"slow, and hardly in use", 30, 200 * ms, 0, 50},
		{"slow, and not in use", 5, 200 * ms, 0, 50},
		{"slow, where a lot is in use yet", 49, 200 * ms, 0, 73},
		{"one of a thousand is too much", 100, 20 * ms, 0, 110},
		{"one of twenty is too much", 100, 20 * ms, 10, 95},
		{"all is too much", 100, 20 * ms, 1000, 80},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, limit := learner(Bounds{4, 1000}, 100)
			l.guess.fast = false
			l.guess.ease = float64(octaves(20*ms)) / (1 << fractionBits)
			for range tt.over {
				l.window.over.Add(1)
			}
			if tt.over == 1000 {
				l.Overloaded(tt.load)
			} else {
				for l.guess.since == probeEvery {
					l.Answered(tt.took, tt.load)
				}
			}
			if *limit != tt.want {
				t.Errorf("the limit is %d, want %d", *limit, tt.want)
			}
		})
	}
}

// A probe halves the limit for two windows, and believes the second.
func TestProbeFindsTheTimeAtEase(t *testing.T) {
	l, limit := learner(Bounds{4, 1000}, 100)
	l.guess.fast = false
	feed(l, 1, 100, 20*ms)
	for i, step := range []struct {
		took time.Duration
		want int
	}{
		{50 * ms, 38}, // slow: the limit falls to 76, and is halved
		{50 * ms, 38}, // of those of before
		{50 * ms, 76}, // no better: the time at ease is longer than was believed
	} {
		if feed(l, 1, 100, step.took); *limit < step.want-2 || *limit > step.want+2 {
			t.Fatalf("step %d: the limit is %d, want about %d", i, *limit, step.want)
		}
	}
	if d := time.Duration(math.Exp2(l.guess.ease)) - unfelt; d < 28*ms || d > 35*ms {
		t.Errorf("at ease answers take %v, want half of the way from 20 ms to 50 ms in powers of two", d)
	}
}

// The bounds may change at any time, and what was learned stays as far as they allow.
func TestBoundsChange(t *testing.T) {
	l, limit := learner(Bounds{4, 1000}, 100)
	for _, step := range []struct {
		bounds Bounds
		want   int
	}{
		{Bounds{10, 500}, 100}, {Bounds{200, 500}, 200}, {Bounds{4, 50}, 50}, {Bounds{4, 1000}, 50}, {Bounds{9, 9}, 9},
	} {
		if l.SetBounds(step.bounds); *limit != step.want {
			t.Errorf("%v: the limit is %d, want %d", step.bounds, *limit, step.want)
		}
	}
	if feed(l, 5, 9, ms); *limit != 9 {
		t.Errorf("a capacity that is written became %d", *limit)
	}
}

// Slots that answers hold which have begun and go on are no reason to let nobody in:
// while somebody waits and no window ends, the limit grows, once a second.
func TestLimitGrowsWhereAnswersGoOn(t *testing.T) {
	l, limit := learner(Bounds{4, 1000}, 20)
	now := time.Now()
	for range 19 {
		l.Answered(5*ms, 20)
	}
	for _, step := range []struct {
		at   time.Duration
		want int
	}{
		{0, 20}, {900 * ms, 20}, {1100 * ms, 40}, {2000 * ms, 40}, {2200 * ms, 80}, {3300 * ms, 160},
	} {
		if l.Awaited(now.Add(step.at)); *limit != step.want {
			t.Fatalf("after %v the limit is %d, want %d", step.at, *limit, step.want)
		}
	}
}

// Who has said that it is too much gets no more because somebody waits; nor does one
// whose answers take so long that they may be on their way.
func TestLimitDoesNotGrowWhereAnswersAreLate(t *testing.T) {
	now := time.Now()
	for name, told := range map[string]func(l *Learner){
		"too much": func(l *Learner) { l.Overloaded(20) },
		"slow":     func(l *Learner) { l.guess.ease = math.Log2(float64(10 * time.Second)) },
	} {
		l, limit := learner(Bounds{4, 1000}, 20)
		told(l)
		for i := range 100 {
			l.Awaited(now.Add(time.Duration(i) * time.Second))
		}
		if *limit != 20 {
			t.Errorf("%s: the limit is %d, want 20", name, *limit)
		}
	}
}

// People are told of large changes alone, and of what they were not told of later.
func TestLargeChangesAreTold(t *testing.T) {
	var news [][2]int
	hears := false
	l := New(Options{Bounds: Bounds{4, 1000}, Start: 100, Set: func(int) {}, Tell: func(was, is int) bool {
		if hears {
			news = append(news, [2]int{was, is})
		}
		return hears
	}})
	l.guess.fast = false
	feed(l, 20, 1000, 20*ms)
	if hears = true; len(news) != 0 {
		t.Fatalf("told %v", news)
	}
	feed(l, 1, 1000, 20*ms)
	if len(news) != 1 || news[0][0] != 100 || news[0][1] < 300 {
		t.Fatalf("told %v, want once, from 100", news)
	}
	feed(l, 1, 1000, 20*ms)
	feed(l, 3, 1000, 50*ms) // a fall of a third, and a probe
	if len(news) != 1 {
		t.Errorf("told %v, want once", news)
	}
}

// Whatever a learner is told, in any order, the limit is within its bounds.
func TestLimitIsAlwaysWithinItsBounds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		bounds := func() Bounds {
			least := rapid.IntRange(1, 2000).Draw(rt, "least")
			return Bounds{least, rapid.IntRange(least, 1_000_000).Draw(rt, "most")}
		}
		b := bounds()
		l, limit := learner(b, rapid.IntRange(0, 1000).Draw(rt, "start"))
		now := time.Now()
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			load := rapid.Int64Range(0, 50).Draw(rt, "load")
			switch rapid.IntRange(0, 4).Draw(rt, "what") {
			case 0:
				b = bounds()
				l.SetBounds(b)
			case 1:
				for range rapid.IntRange(1, 100).Draw(rt, "complaints") {
					l.Overloaded(load)
				}
			case 2:
				now = now.Add(time.Duration(rapid.Int64Range(-1e9, 1e10).Draw(rt, "later")))
				l.Awaited(now)
			default:
				feed(l, rapid.IntRange(1, 3).Draw(rt, "windows"), load, time.Duration(rapid.Int64Range(math.MinInt64, math.MaxInt64).Draw(rt, "took")))
			}
			if *limit < b.Least || *limit > b.Most {
				rt.Fatalf("the limit is %d, not within %v", *limit, b)
			}
		}
	})
}

// Octaves grow with durations, and are the logarithm but for a tenth.
func TestOctavesAreTheLogarithm(t *testing.T) {
	last := uint64(0)
	for d := time.Duration(0); d >= 0 && d < math.MaxInt64/2; d += d/16 + 1000 {
		got := octaves(d)
		if want := math.Log2(float64(d + unfelt)); math.Abs(float64(got)/(1<<fractionBits)-want) > 0.1 || got < last {
			t.Fatalf("%v: %v, want %v", d, float64(got)/(1<<fractionBits), want)
		}
		last = got
	}
}

// Many tell at the same time: the limit is in its bounds at every moment, one call of
// Set at a time, and no answer is lost or counted with the time of another.
func TestHammerLearner(t *testing.T) {
	var setting, limit atomic.Int64
	l := New(Options{Bounds: Bounds{4, 1000}, Start: Start, Set: func(n int) {
		if setting.Add(1) != 1 {
			t.Error("two calls of Set at a time")
		}
		limit.Store(int64(n))
		setting.Add(-1)
	}})
	workers := 2 * runtime.GOMAXPROCS(0)
	stop := time.Now().Add(100 * ms)
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			for n := 0; time.Now().Before(stop); n++ {
				switch {
				case n%100 == i:
					l.Awaited(time.Now())
				case n%1000 == i:
					l.SetBounds(Bounds{4, 100 + n%900})
				default:
					l.Answered(20*ms, int64(n%100))
				}
				if n := limit.Load(); n < 4 || n > 1000 {
					t.Errorf("the limit is %d", n)
				}
			}
		})
	}
	wg.Wait()
	if want := math.Log2(float64(20*ms + unfelt)); math.Abs(l.guess.ease-want) > 0.1 {
		t.Errorf("all answers took 20 ms, and those at ease are said to take 2^%v ns, want 2^%v", l.guess.ease, want)
	}
}

// Budget: who tells of an answer allocates nothing, whether or not a window ends.
func TestAnsweredAllocs(t *testing.T) {
	l := New(Options{Bounds: Bounds{4, 1000}, Start: Start, Set: func(int) {}})
	if n := testing.AllocsPerRun(1000, func() { l.Answered(20*ms, 30); l.Overloaded(3) }); n != 0 {
		t.Errorf("Answered and Overloaded allocate %v times, want 0", n)
	}
}

// BenchmarkAnswered has a budget of 50 ns/op and 0 allocs/op, uncontended.
func BenchmarkAnswered(b *testing.B) {
	l := New(Options{Bounds: Bounds{4, 1000}, Start: Start, Set: func(int) {}})
	b.ReportAllocs()
	for b.Loop() {
		l.Answered(20*ms, 30)
	}
}
