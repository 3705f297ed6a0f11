package gateway

import (
	"testing"
	"testing/synctest"
	"time"
)

// A body is held to its least rate over ten seconds of waiting for it.
func TestPaceLimit(t *testing.T) {
	steady := func(bytes int, every time.Duration) func(int) (int, time.Duration) {
		return func(int) (int, time.Duration) { return bytes, every }
	}
	for _, tt := range []struct {
		name  string
		rate  int64
		piece func(i int) (bytes int, after time.Duration)
		slow  time.Duration // waited when it was too slow; 0: it never was, in 100 s
	}{
		{"fast", 240, steady(300, time.Second), 0},
		{"just fast enough", 240, steady(240, time.Second), 0},
		{"slow", 240, steady(239, time.Second), 10 * time.Second},
		{"a byte a second", 240, steady(1, time.Second), 10 * time.Second},
		{"in bursts", 240, steady(2400, 10*time.Second), 0},
		{"in small bursts", 240, steady(2000, 10*time.Second), 10 * time.Second},
		{"fast, then slow", 240, func(i int) (int, time.Duration) {
			if i < 10 {
				return 1000, time.Second
			}
			return 1, time.Second
		}, 20 * time.Second},
		{"no least rate", 0, steady(1, 20*time.Second), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var l paceLimit
				l.reset(tt.rate)
				begun, slow := time.Now(), time.Duration(0)
				for i := 0; slow == 0 && time.Since(begun) < 100*time.Second; i++ {
					n, after := tt.piece(i)
					now := time.Now()
					time.Sleep(after)
					if l.account(n, now, nil) != nil {
						slow = time.Since(begun)
					}
				}
				if slow != tt.slow {
					t.Errorf("too slow after %v, want %v", slow, tt.slow)
				}
			})
		})
	}
}

// A read waits for the next byte for as long as the body may be idle, or to the
// end of the window where that is sooner.
func TestPaceLimitOfARead(t *testing.T) {
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name string
		l    paceLimit
		idle time.Duration
		want time.Duration // 0: for ever
	}{
		{"idle limit", paceLimit{}, 30 * time.Second, 30 * time.Second},
		{"idle limit, partly used", paceLimit{quiet: 20 * time.Second}, 30 * time.Second, 10 * time.Second},
		{"the window is sooner", paceLimit{rate: 240, waited: 4 * time.Second}, 30 * time.Second, 6 * time.Second},
		{"the idle limit is sooner", paceLimit{rate: 240}, 3 * time.Second, 3 * time.Second},
		{"used up", paceLimit{quiet: time.Minute}, 30 * time.Second, time.Millisecond},
		{"a tunnel", paceLimit{}, 0, 0},
	} {
		got := tt.l.limit(now, tt.idle)
		if tt.want == 0 != got.IsZero() || tt.want != 0 && got.Sub(now) != tt.want {
			t.Errorf("%s: a read waits until %v, want %v later", tt.name, got, tt.want)
		}
	}
}
