package discover

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// When looks are made: by the answer's TTL within bounds, and ever later after looks
// that fail.
func TestWatch(t *testing.T) {
	const fails = -1
	for _, tt := range []struct {
		name  string
		pace  Pace
		first time.Duration   // TTL of the answer that there is
		ttls  []time.Duration // of each look's answer
		want  string          // when the looks were made
	}{
		{"by the TTL", Pace{time.Second, time.Minute}, 5 * time.Second, []time.Duration{10 * time.Second, 20 * time.Second}, "5s 15s 35s"},
		{"not more often", Pace{2 * time.Second, time.Minute}, 0, []time.Duration{0, 0}, "2s 4s 6s"},
		{"not more seldom", Pace{time.Second, time.Minute}, time.Hour, []time.Duration{24 * time.Hour, 0}, "1m0s 2m0s 2m1s"},
		{"after failures", Pace{time.Second, time.Minute}, 0, []time.Duration{fails, fails, fails, fails, fails, fails, fails, 9 * time.Second},
			"1s 2s 4s 8s 16s 32s 1m2s 1m32s 1m41s"},
		{"after a failure, anew", Pace{time.Second, time.Minute}, 0, []time.Duration{fails, 5 * time.Second, fails}, "1s 2s 7s 8s"},
		{"a short floor", Pace{100 * time.Millisecond, time.Minute}, 0, []time.Duration{fails, 0}, "100ms 1.1s 1.2s"},
		{"a low ceiling, after failures", Pace{time.Second, 3 * time.Second}, 0, []time.Duration{fails, fails, fails, fails}, "1s 2s 4s 7s 10s"},
		{"a ceiling below a second", Pace{100 * time.Millisecond, 200 * time.Millisecond}, 0, []time.Duration{fails, fails}, "100ms 1.1s 2.1s"},
		{"a long floor", Pace{5 * time.Minute, time.Hour}, 0, []time.Duration{fails, fails}, "5m0s 10m0s 15m0s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				began, looks := time.Now(), 0
				var at []string
				Watch(ctx, tt.pace, tt.first, func(context.Context) (Answer, error) {
					at = append(at, fmt.Sprint(time.Since(began)))
					if looks++; looks > len(tt.ttls) {
						cancel()
						return Answer{}, nil
					}
					if ttl := tt.ttls[looks-1]; ttl != fails {
						return Answer{TTL: ttl}, nil
					}
					return Answer{}, errors.New("no")
				}, func(Answer, error) {
					if looks > len(tt.ttls) {
						t.Error("what came after the end was told")
					}
				})
				if got := strings.Join(at, " "); got != tt.want {
					t.Errorf("looked at %s\nwant %s", got, tt.want)
				}
			})
		})
	}
}
