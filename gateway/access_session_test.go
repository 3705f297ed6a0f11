package gateway

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// The access log says what became of a request's session.
func TestAccessLogTellsOfSessions(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b")
	hs.say(atCookie)
	hs[0].settings = ", capacity: 1"
	log := new(lockedBuffer)
	o := hs.options()
	o.Stderr = log
	text := hs.boundText("", byCookie+", on_full: rebalance", "")
	addr, g := start(t, causeListener+strings.TrimPrefix(text, plainListener), o)
	cookie := enterAt(t, addr, "a")

	visit(t, addr, "/", "")
	visit(t, addr, "/", "SID=stranger")
	visit(t, addr, "/", cookie)
	held := hs[0].hold(t, addr, cookie)
	visit(t, addr, "/", cookie) // a is full
	hs[0].letGo <- struct{}{}
	wantAnswerOf(t, "the held request", held, "a")
	g.Close()
	want := []string{"none", "unknown", "bound", "elsewhere", "bound"}
	if got := sessionsOf(t, log.String()); !slices.Equal(got[len(got)-len(want):], want) {
		t.Errorf("the log says %q, want %q in the end", got, want)
	}
}

func sessionsOf(t *testing.T, text string) (all []string) {
	t.Helper()
	for line := range strings.Lines(text) {
		var l struct{ Session string }
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		all = append(all, l.Session)
	}
	return all
}
