package store

import (
	"testing"
	"time"
)

// What was put off is due when its time has come, and when a clock that was set back would have
// it wait for longer than anybody has said.
func TestWhatIsPutOffComesDue(t *testing.T) {
	e, now := put(t, newCache(1<<20, 1<<20), key("/a"), answer(1), []byte("a")), time.Unix(1e9, 0)
	if !e.Due(now) {
		t.Error("it is not due, and was not put off")
	}
	e.Later(now.Add(5 * time.Second))
	for after, due := range map[time.Duration]bool{
		0: false, 4999 * time.Millisecond: false, 5 * time.Second: true, time.Hour: true,
		-54 * time.Second: false, -56 * time.Second: true, -time.Hour: true, -10 * 365 * 24 * time.Hour: true,
	} {
		if e.Due(now.Add(after)) != due {
			t.Errorf("after %v: due is %v, want %v", after, !due, due)
		}
	}
}
