package promises

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

// A Go guest that leaves 10 KiB of garbage in each of 1,000 calls a second lives on:
// its instances are replaced in time, and memory is flat. In the short form it leaves
// 60 KiB, so that as many are replaced in a sixth of the time.
func TestGoGuestMemoryIsFlat(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		o := startOrigin(t, ok("hello"))
		c := startGuests(t, engine, configure(o.addr, "    router: wasteful",
			fmt.Sprintf("plugins: { wasteful: { kind: router, module: %q, on_error: reject, limits: { wait: 1s%s } } }", builtGuest(t), either(", instances: 1", ""))))
		long := either(4*time.Second, 10*time.Minute)
		peaks, failed := c.waste(long)
		g := c.guests().Plugins["wasteful"]
		t.Logf("%s: %d calls in %v, %d failed, %d instances replaced; peaks of RSS in MiB: %v", engine, g.Calls, long, failed, g.Retired, peaks)
		if failed > 0 || len(g.Faults) > 0 {
			t.Errorf("%d failed, faults %v; the last: %s", failed, g.Faults, g.Last)
		}
		if late, early := max(peaks[6], peaks[7]), max(peaks[3], peaks[4], peaks[5]); late > early+early/10+8 && !raced {
			t.Errorf("memory grows: %d MiB, and then %d", early, late)
		}
		if g.Calls > either[uint64](2500, 20_000) && g.Retired == 0 {
			t.Error("no instance was replaced")
		}
		if *soak && g.Calls < uint64(500*long.Seconds()) { // a busy machine may not have time for more
			t.Errorf("%d calls, want nearly 1,000 a second", g.Calls)
		}
		c.expectOnlyAttached(1)
	})
}

// waste makes the guest leave garbage 1,000 times a second. It returns the most memory
// that the process had in each eighth of the time, in MiB, and how many requests
// failed.
func (c *child) waste(long time.Duration) (peaks [8]int64, failed int) {
	stop := make(chan struct{})
	var all sync.WaitGroup
	var askers [4]*asker
	for i := range askers {
		k := &asker{addr: c.addr, host: "a.example", paths: []string{either("/waste-60", "/waste")}, pace: 4 * time.Millisecond, got: make(map[string]int)}
		askers[i] = k
		all.Go(func() { k.ask(stop) })
	}
	for i := range peaks {
		c.forgetPeak()
		time.Sleep(long / time.Duration(len(peaks)))
		peaks[i] = c.peak() / mib
	}
	close(stop)
	all.Wait()
	for _, k := range askers {
		failed += k.asked - k.got[served]
	}
	return peaks, failed
}
