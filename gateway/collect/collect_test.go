package collect

import (
	"errors"
	"math"
	"testing"
)

// near compares with the digits that the tables give.
func near(got, want float64) bool { return math.Abs(got-want) < 0.00005 }

// M-COL-04, X-07: the golden values of the formula.
func TestMetricOfGrowth(t *testing.T) {
	for _, tt := range []struct{ delta, base, want float64 }{
		{0, 0, 100},
		{0.5, 0, 71.1508},
		{1, 0, 59.0616},
		{math.E - 1, 0, 50},
		{9, 0, 30.2793},
		{30, 0, 22.5531},
		{99, 0, 17.8407},
		{999, 0, 12.6458},
		{1e4, 0, 9.7939},
		{1e6, 0, 6.7497},
		{0, 10, 100},
		{9, 10, 50},
		{99, 10, 33.3333},
		{999, 10, 25},
	} {
		if got := logMetric(tt.delta, tt.base); !near(got, tt.want) {
			t.Errorf("of a growth of %v, by base %v, the metric is %.4f, want %.4f", tt.delta, tt.base, got, tt.want)
		}
	}
}

// M-COL-05..08, X-06: each smoothed value is the next one's history, and is not rounded
// in between.
func TestSmoothing(t *testing.T) {
	for _, tt := range []struct {
		history float64
		metrics []float64
		want    []float64
	}{
		{0.3, []float64{100, 100, 100, 20, 20}, []float64{85, 95.5, 98.65, 43.595, 27.0785}},
		{0.2, []float64{100}, []float64{90}},
		{0.3, []float64{100}, []float64{85}},
		{1. / 3, []float64{100}, []float64{83.3333}},
		{0, []float64{100, 20}, []float64{100, 20}},
		{1, []float64{100, 20}, []float64{50, 50}},
	} {
		before := 50.0
		for i, m := range tt.metrics {
			before = smooth(tt.history, m, before)
			if !near(before, tt.want[i]) {
				t.Errorf("h=%v, after %v: %v, want %v", tt.history, tt.metrics[:i+1], before, tt.want[i])
			}
		}
	}
}

// M-COL-03, M-COL-14: what a collector says of the numbers that it is given.
func TestLogDelta(t *testing.T) {
	for _, tt := range []struct {
		what             string
		base             int
		history, initial float64
		numbers, want    []float64
	}{
		{"the first says nothing", 0, 0, 50, []float64{1000}, []float64{50}},
		{"nor where another value is initial", 0, 0, 80, []float64{1000}, []float64{80}},
		{"1000 to 1099 is a growth of 99", 0, 0, 50, []float64{1000, 1099}, []float64{50, 17.8407}},
		{"the same by base 10", 10, 0, 50, []float64{1000, 1099}, []float64{50, 33.3333}},
		{"no growth is idle", 0, 0, 50, []float64{7, 7}, []float64{50, 100}},
		{"one that began anew has grown from 0", 0, 0, 50, []float64{1000, 9, 18}, []float64{50, 30.2793, 30.2793}},
		{"one that began anew at 0 has not grown", 0, 0, 50, []float64{1000, 0}, []float64{50, 100}},
		{"smoothed from the initial one", 0, 0.3, 50, []float64{1, 1, 1, 1}, []float64{50, 85, 95.5, 98.65}},
		{"never changing", 0, 1, 50, []float64{1, 1, 900}, []float64{50, 50, 50}},
		{"the largest number", 0, 0, 50, []float64{0, math.MaxFloat64}, []float64{50, 0.1407}},
	} {
		l := NewLogDelta(tt.base, tt.history, tt.initial)
		for i, n := range tt.numbers {
			if got, err := l.Sample(n); err != nil || !near(got, tt.want[i]) {
				t.Errorf("%s: after %v it is %v, %v; want %v", tt.what, tt.numbers[:i+1], got, err, tt.want[i])
			}
		}
	}
}

// A number below zero is none that grows, and leaves everything as it was.
func TestLogDeltaRefuses(t *testing.T) {
	l := NewLogDelta(0, 0, 50)
	l.Sample(100)
	if _, err := l.Sample(-1); !errors.Is(err, ErrNegative) {
		t.Errorf("-1: %v", err)
	}
	if got, _ := l.Sample(199); !near(got, 17.8407) {
		t.Errorf("then 199: %v", got)
	}
	l.Restart(60)
	if got, _ := l.Sample(500); got != 60 {
		t.Errorf("the first after a restart: %v", got)
	}
	if got, _ := l.Sample(509); !near(got, 30.2793) {
		t.Errorf("the second: %v", got)
	}
}

// M-MET-01: metrics are from 0 to 100.
func TestClamp(t *testing.T) {
	for _, tt := range []struct {
		n       float64
		metric  int
		clamped bool
	}{
		{-3, 0, true}, {130, 100, true}, {-0.2, 0, true}, {100.1, 100, true},
		{0, 0, false}, {100, 100, false}, {43.595, 44, false}, {27.0785, 27, false}, {98.65, 99, false}, {0.5, 1, false}, {99.6, 100, false},
		{math.Inf(1), 100, true}, {math.Inf(-1), 0, true}, {math.MaxFloat64, 100, true},
	} {
		if metric, clamped := Clamp(tt.n); metric != tt.metric || clamped != tt.clamped {
			t.Errorf("%v is %d, %v; want %d, %v", tt.n, metric, clamped, tt.metric, tt.clamped)
		}
	}
}

func TestScale(t *testing.T) {
	for _, tt := range []struct {
		scale   Scale
		n, want float64
	}{
		{Identity, 40, 40},
		{Identity, 130, 130},
		{Scale{Idle: 0, Busy: 1}, 0, 100},
		{Scale{Idle: 0, Busy: 1}, 0.25, 75},
		{Scale{Idle: 0, Busy: 1}, 1.5, -50},
		{Scale{Idle: 0, Busy: 500}, 125, 75},
		{Scale{Idle: 10, Busy: 20}, 12, 80},
		{Scale{Idle: 1, Busy: 0}, 0.4, 40},
	} {
		if got := tt.scale.Metric(tt.n); !near(got, tt.want) {
			t.Errorf("%v is %v on %+v, want %v", tt.n, got, tt.scale, tt.want)
		}
	}
}

func TestNumber(t *testing.T) {
	for text, want := range map[string]float64{"0": 0, "17": 17, "-3": -3, "1.5": 1.5, "2e3": 2000, "2e+3": 2000, "25e-1": 2.5, "-0.5e1": -5} {
		if n, ok := Number([]byte(text)); !ok || n != want {
			t.Errorf("%s is %v, %v", text, n, ok)
		}
	}
	for _, text := range []string{"", "-", "+1", ".5", "1.", "1e", "1e+", "0x10", "1 ", "1_0", "NaN", "inf", "1e999", "1,5", "1.5.2", "--1", "1E3"} {
		if n, ok := Number([]byte(text)); ok {
			t.Errorf("%q is %v", text, n)
		}
	}
}
