package metrics

import (
	"math"
	"runtime"
	"sync"
	"testing"
	"time"
)

func TestHistogramCountsByBound(t *testing.T) {
	for _, tt := range []struct {
		name   string
		d      time.Duration
		bucket int // index of the first of Bounds that includes it; len(Bounds): none
		sum    time.Duration
	}{
		{"zero", 0, 0, 0},
		{"clock set back", -time.Second, 0, 0},
		{"on the first bound", time.Millisecond, 0, time.Millisecond},
		{"just above it", time.Millisecond + 1, 1, time.Millisecond + 1},
		{"on the last bound", 30 * time.Second, len(Bounds) - 1, 30 * time.Second},
		{"beyond the last", time.Hour, len(Bounds), time.Hour},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var h Histogram
			h.Observe(tt.d)
			r := h.Load()
			if r.Count != 1 || r.Sum != tt.sum {
				t.Errorf("count %d, sum %v; want 1, %v", r.Count, r.Sum, tt.sum)
			}
			for i, n := range r.Buckets {
				if want := uint64(boolInt(i >= tt.bucket)); n != want {
					t.Errorf("up to %v: %d, want %d", Bounds[i], n, want)
				}
			}
		})
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestExchangesCountByStatusClass(t *testing.T) {
	for _, tt := range []struct{ status, class int }{
		{0, 0}, {-1, 0}, {math.MaxInt, 0}, {99, 0}, {101, 1}, {204, 2}, {304, 3}, {404, 4}, {499, 4}, {503, 5}, {600, 0},
	} {
		var m Mapping
		m.Exchange(tt.status)
		for class := range m.Exchanges {
			if got, want := m.Exchanges[class].Load(), uint64(boolInt(class == tt.class)); got != want {
				t.Errorf("status %d, class %d: %d, want %d", tt.status, class, got, want)
			}
		}
	}
}

func TestPhasesHaveLabels(t *testing.T) {
	want := []string{"connect", "send", "wait", "read"}
	for p := range phases {
		if p.String() != want[p] {
			t.Errorf("phase %d is %q, want %q", p, p.String(), want[p])
		}
	}
}

// Budget: counting is free of allocations, so that it is never a reason not to count.
func TestCountingAllocs(t *testing.T) {
	var m Mapping
	var o Origin
	n := testing.AllocsPerRun(1000, func() {
		m.Exchange(200)
		m.Duration.Observe(3 * time.Millisecond)
		m.RequestBytes.Add(10)
		o.Load.Inc()
		o.Failures[Wait].Inc()
		o.Load.Dec()
	})
	if n != 0 {
		t.Errorf("counting allocates %v times, want 0", n)
	}
}

// hammer runs f on p goroutines, n times each, with half of the processors.
func hammer(p, n int, f func()) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(p/2, 1)))
	var wg sync.WaitGroup
	for range p {
		wg.Go(func() {
			for range n {
				f()
			}
		})
	}
	wg.Wait()
}

func TestHammerHistogram(t *testing.T) {
	const p, n = 8, 5000
	var h Histogram
	var g Gauge
	hammer(p, n, func() {
		g.Inc()
		before := h.Load().Count
		h.Observe(20 * time.Millisecond)
		if after := h.Load().Count; after <= before {
			t.Errorf("count went from %d to %d", before, after)
		}
		g.Dec()
	})
	r := h.Load()
	if r.Count != p*n || r.Sum != p*n*20*time.Millisecond || g.Load() != 0 {
		t.Errorf("count %d, sum %v, gauge %d; want %d, %v, 0", r.Count, r.Sum, g.Load(), p*n, p*n*20*time.Millisecond)
	}
}

// BenchmarkExchange has a budget of 40 ns/op and 0 allocs/op per core, uncontended.
func BenchmarkExchange(b *testing.B) {
	var m Mapping
	b.ReportAllocs()
	for b.Loop() {
		m.Exchange(200)
		m.Duration.Observe(3 * time.Millisecond)
		m.ResponseBytes.Add(1024)
	}
}
