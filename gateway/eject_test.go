package gateway

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"weirkeep/gateway/origin"
)

// U-16, LB-08: an origin that fails every second request is taken out, with what was
// seen, and no more of them than max_ejected lets.
func TestErrorRateInTheGateway(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		failing string
		most    string
		out     int
	}{
		{"one of four", "a", "100%", 1},
		{"three of four, of which half may be out", "abc", "50%", 2},
		{"one of four, of which none may be out", "a", "0%", 0},
		{"all", "abcd", "100%", 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			hs := newHomes(t, "a", "b", "c", "d")
			for _, h := range hs {
				if strings.Contains(tt.failing, h.name) {
					h.failEverySecond()
				}
			}
			const failover = ", failover: { threshold: 1000, max_ejected: %s, error_rate: { share: 40%%, attempts: 10, window: 10m } }, retry: { retries: 0 }"
			text := plainListener + "clusters:\n" + clusterLine("shop", hs, fmt.Sprintf(failover, tt.most))
			addr, g := start(t, text, Options{})
			for range 200 {
				visit(t, addr, "/", "")
			}
			if got := outOf(g); len(got) != tt.out {
				t.Fatalf("out are %v, want %d", got, tt.out)
			}
			for _, o := range outOf(g) {
				if why := o.Transitions[0].Why; !strings.Contains(why, "attempts failed within 10m0s") {
					t.Errorf("%s is out because %q", o.Name, why)
				}
			}
			apply(t, g, strings.Replace(text, "retry:", "keep_alive: 3s, retry:", 1))
			if got := outOf(g); len(got) != tt.out {
				t.Errorf("after a reload out are %v, want %d", got, tt.out)
			}
		})
	}
}

// failEverySecond makes an origin answer every second request with 503.
func (h *home) failEverySecond() {
	var n atomic.Int64
	h.status = func() string {
		if n.Add(1)%2 == 0 {
			return "200 OK"
		}
		return "503 Service Unavailable"
	}
}

func outOf(g *Gateway) (out []OriginStatus) {
	for _, o := range g.Status().Origins {
		if o.Health == origin.Ejected.String() {
			out = append(out, o)
		}
	}
	return out
}
