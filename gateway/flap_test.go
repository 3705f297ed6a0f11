package gateway

import (
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"
)

// An origin that goes and comes every 100 ms costs no client its answer, nobody
// waits for ever, and the log can still be read.
func TestFlappingOrigin(t *testing.T) {
	const (
		minutes = 3
		clients = 6
		takes   = 50 * time.Millisecond
	)
	log := &wellLog{lines: make(map[int]int)}
	o := Options{Logger: slog.New(slog.NewTextHandler(log, nil))}
	const settings = ", health: { path: /check, interval: 100ms, down_after: 1, up_after: 1 }, queue: { size: 100, timeout: 5s }"
	inWellBubble(t, 1, settings, o, func(t *testing.T, b *bubble, s1, s2 *wellness) {
		log.begun = b.begun
		s1.with(func() { s1.takes = takes })
		s2.with(func() { s2.takes = takes })
		var running sync.WaitGroup
		running.Go(func() {
			for bad := false; b.took() < minutes*time.Minute; time.Sleep(100 * time.Millisecond) {
				bad = !bad
				s1.with(func() { s1.checked, s1.refuses = map[bool]int{true: 503, false: 200}[bad], bad })
			}
		})
		for range clients {
			running.Go(func() {
				served := 0
				for ; b.took() < minutes*time.Minute; served++ {
					began := time.Now()
					if status := b.get(bubbleGET); status != "200" {
						t.Errorf("answered %s after %v", status, b.took())
						return
					}
					// At worst all others are served first, by s2 alone.
					if took := time.Since(began); took > 3*clients*takes {
						t.Errorf("a request waited %v", took)
					}
				}
				if fair := int(minutes*time.Minute/takes) / clients; served < fair/2 {
					t.Errorf("a client was served %d times, fair were %d", served, fair)
				}
			})
		}
		running.Wait()
		if n := len(statusOf(t, b.g, "s1").Transitions); n != 20 {
			t.Errorf("%d changes are kept, want 20", n)
		}
	})
	for minute := range minutes {
		if n := log.lines[minute]; n < 2 || n > 8 {
			t.Errorf("in minute %d, %d lines were logged", minute, n)
		}
	}
	if minutes > 1 && !strings.Contains(log.last, "s1.example:80") {
		t.Errorf("the last line is %q", log.last)
	}
}
