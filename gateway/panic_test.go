package gateway

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// LB-08: when too few origins are up, those that are out get requests, too; that is
// logged when it begins and when it ends, and status and explain show it.
func TestPanicThreshold(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c", "d")
	sickness := make(map[string]*atomic.Bool)
	for _, h := range hs {
		sickness[h.name] = h.health()
	}
	log := new(panicLog)
	text := func(threshold string) string {
		return plainListener + "clusters:\n" + clusterLine("shop", hs,
			fmt.Sprintf(", panic_threshold: %s, health: { path: /up, interval: 100ms, down_after: 1, up_after: 1 }", threshold))
	}
	addr, g := start(t, text("60%"), Options{Logger: slog.New(slog.NewTextHandler(log, nil))})
	sick := func(names string) {
		for name, sick := range sickness {
			sick.Store(strings.Contains(names, name))
		}
		until(t, "the origins are as they should be", func() bool {
			down := 0
			for _, o := range g.Status().Origins {
				if !o.Up {
					down++
				}
			}
			return down == len(names)
		})
	}
	for _, step := range []struct {
		sick    string
		answers int // of how many different origins
		panics  bool
	}{
		{"", 4, false}, {"a", 3, false}, {"ab", 4, true}, {"abc", 4, true}, {"", 4, false},
	} {
		sick(step.sick)
		if got := len(different(answerers(t, addr, "/", 12))); got != step.answers {
			t.Errorf("with %q sick %d different origins answer, want %d", step.sick, got, step.answers)
		}
		if got := g.Status().Clusters[0].Panicking; got != step.panics {
			t.Errorf("with %q sick panicking is %v", step.sick, got)
		}
		e, err := g.Explain(Question{Raw: []byte("GET / HTTP/1.1\r\nHost: h\r\n\r\n")})
		if err != nil || strings.HasPrefix(e.Pick.Why, "panic: fewer than 60% of the origins are up") != step.panics {
			t.Errorf("with %q sick explain says %+v, %v", step.sick, e.Pick, err)
		}
	}
	until(t, "both are logged", func() bool {
		return log.count("too few origins") == 1 && log.count("is over") == 1
	})
	apply(t, g, text("0%"))
	sick("abc")
	if got := different(answerers(t, addr, "/", 12)); got != "d" {
		t.Errorf("without a threshold %q answer, want d", got)
	}
}

// Panic ends by itself where nobody checks, too: requests that go to an origin that is
// out anyway do not show that it is back, but one in 10 s is a trial, which does.
func TestPanicEndsWhereNobodyChecks(t *testing.T) {
	inWellBubble(t, 50, ", panic_threshold: 100%", Options{}, func(t *testing.T, b *bubble, s1, s2 *wellness) {
		s1.with(func() { s1.refuses = true })
		b.get(bubbleGET)
		if s := statusOf(t, b.g, "s1"); s.Health != "ejected" || !b.g.Status().Clusters[0].Panicking {
			t.Fatalf("s1 is %s", s.Health)
		}
		s1.with(func() { s1.refuses = false })
		if bad := b.getFor(12*time.Second, 100*time.Millisecond); bad != 0 {
			t.Errorf("%d requests failed", bad)
		}
		if s := statusOf(t, b.g, "s1"); !s.Up || b.g.Status().Clusters[0].Panicking {
			t.Errorf("after 12 s s1 is %s, panic: %v", s.Health, b.g.Status().Clusters[0].Panicking)
		}
	})
}

// health lets an origin be made sick: then it answers everything with 503. It is called
// before anybody asks it.
func (h *home) health() (sick *atomic.Bool) {
	sick = new(atomic.Bool)
	h.status = func() string {
		if sick.Load() {
			return "503 Service Unavailable"
		}
		return "200 OK"
	}
	return sick
}

// different are the letters of a word, once each, in order.
func different(word string) string {
	letters := []rune(word)
	slices.Sort(letters)
	return string(slices.Compact(letters))
}

// panicLog keeps what is logged.
type panicLog struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *panicLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *panicLog) count(what string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), what)
}
