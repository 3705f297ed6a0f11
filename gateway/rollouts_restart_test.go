package gateway

import (
	"fmt"
	"strings"
	"testing"

	"weirkeep/gateway/rollout"
)

// A gateway that has just been started takes every origin to be up. One that is being
// renewed, and confirmed, is opened no earlier for that.
func TestRolloutGuessesNothingAfterARestart(t *testing.T) {
	t.Parallel()
	r := &rollingTest{homes: newHomes(t, "a", "b"), t: t, state: t.TempDir()}
	checked := func(path string) string {
		text := r.text(fmt.Sprintf(nextEdition, "grouped"), r.homes.text())
		return strings.Replace(text, "session: s,", "session: s, health: { path: "+path+", interval: 100ms, timeout: 1m, down_after: 1, up_after: 1 },", 1)
	}
	r.addr, r.g = start(t, checked("/up"), r.options(true))
	r.begin("")
	r.awaitStage("a", rollout.Waiting)
	r.homes[0].kill()
	until(t, "a is down", func() bool { return !statusOf(t, r.g, "a").Up })
	r.confirm("a")
	r.g.Close()

	r.homes[0].down.Store(false)
	r.addr, r.g = start(t, checked("/hold"), r.options(false)) // its checks are not answered
	until(t, "a is asked", func() bool { return r.homes[0].held.Load() > 0 })
	for range 5 {
		r.g.step()
	}
	if s := r.status().Origins[0]; s.Stage != rollout.Waiting || s.Up {
		t.Errorf("nobody knows whether a is up, and it is %+v", s)
	}
	r.homes[0].letGo <- struct{}{}
	r.awaitStage("a", rollout.Done)
}
