package promises

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A misdeed is a way for guests to misbehave in a call. Two plugins do it, one strict
// and one lenient: what fails is refused by one and done without it by the other.
type misdeed struct {
	name            string
	as              string // the plugins' kind, and further keys
	limits          string // keys of their limits
	fresh           int    // MiB of memory that nobody has touched before, for each call; it has its price
	guests          string // of testplugins/evil/call; the short form takes the first
	fault           string // the kinds that are counted; empty: none is
	strict, lenient string // what they get who ask for it: status and reason
	paths           string // that are asked for, in turn; empty: /
}

const (
	failed    = "503 plugin_error"
	exhausted = "503 router_exhausted"
	served    = "200"
	rejected  = "403 rejected_by_rule"
	goGuest   = "go" // stands for the guest of testdata/goguest
)

// misdeeds are all guests that misbehave in a call, but for those below.
var misdeeds = []misdeed{
	{name: "trap", as: "router", fault: "trap", strict: failed, lenient: served,
		guests: "trap panic"},
	{name: "access out of bounds", as: "router", fault: "trap", strict: failed, lenient: served,
		guests: "load-outside load-end load-offset store-outside copy-outside fill-outside init-outside table-outside"},
	{name: "arithmetic", as: "router", fault: "trap", strict: failed, lenient: served,
		guests: "divide divide-overflow truncate"},
	{name: "indirect call", as: "router", fault: "trap", strict: failed, lenient: served,
		guests: "indirect-type indirect-null indirect-outside"},
	{name: "endless loop", as: "router", fault: "exhausted", strict: failed, lenient: served,
		guests: "loop loop-table tree late-trap"},
	{name: "endless bulk instructions", as: "router", fresh: 8, fault: "exhausted", strict: failed, lenient: served,
		guests: "fill-bomb copy-bomb init-bomb table-bomb"},
	{name: "a bulk instruction too large", as: "router", limits: "memory: 64MiB", fault: "exhausted", strict: failed, lenient: served,
		guests: "fill-once"},
	{name: "endless recursion", as: "router", fresh: 16, fault: "exhausted", strict: failed, lenient: served,
		guests: "recursion-wide recursion recursion-indirect recursion-exports deep-1001"},
	{name: "memory without end", as: "router", fault: "exhausted", strict: failed, lenient: served,
		guests: "grow-bomb"},
	{name: "no memory", as: "router", fault: "memory", strict: failed, lenient: served,
		guests: "grow-trap grow-exit"},
	{name: "no memory, and an answer", as: "router", fault: "invalid-result", strict: failed, lenient: served,
		guests: "grow-invalid"},
	{name: "a table without end", as: "router", fault: "exhausted", strict: failed, lenient: served,
		guests: "table-grow-bomb"},
	{name: "exit", as: "router", fault: "exit", strict: failed, lenient: served,
		guests: "exit exit-0"},
	{name: "host calls without end", as: "router", fault: "exhausted", strict: failed, lenient: served,
		guests: "host-flood host-1001 log-endless wasi-flood"},
	{name: "a host function that panics", as: "router", fault: "host-error", strict: failed, lenient: served,
		guests: "host-error"},
	{name: "wild addresses for host functions", as: "router", strict: served, lenient: served,
		guests: "host-wild log-wild"},
	{name: "a flood of lines", as: "router", strict: served, lenient: served,
		guests: "log-flood"},
	{name: "a count too large", as: "router", fault: "invalid-result", strict: failed, lenient: served,
		guests: "count-million count-257 count-max names-257 names-beyond"},
	{name: "origins that are not there", as: "router", strict: exhausted, lenient: exhausted,
		guests: "index-999 names-strange smash"},
	{name: "memory smashed", as: "router", strict: served, lenient: served,
		guests: "smash-area index-repeated"},
	{name: "negative answers", as: "router", strict: failed, lenient: served,
		guests: "negative-max negative-77"},
	{name: "a trap, and nothing is made again", as: "router, kv: 1MiB", fault: "trap init", strict: failed, lenient: served,
		guests: "init-rebuild"},
	{name: "ticks that trap", as: "router, tick: 100ms", fault: "trap", strict: served, lenient: served,
		guests: "tick-trap"},
	{name: "ticks that mean nothing", as: "router, tick: 100ms", fault: "invalid-result", strict: served, lenient: served,
		guests: "tick-positive"},
	{name: "a filter that traps on requests", as: "filter", fault: "trap", strict: failed, lenient: served,
		guests: "request-trap"},
	{name: "a filter that traps on answers", as: "filter", fault: "trap", strict: failed, lenient: served,
		guests: "response-trap"},
	{name: "operations that are none", as: "filter", fault: "invalid-result", strict: failed, lenient: served,
		guests: "ops-length ops-257 ops-beyond"},
	{name: "a matcher that traps", as: "matcher", fault: "trap", strict: rejected, lenient: served,
		guests: "match-trap"},
	{name: "a matcher that says nothing known", as: "matcher", fault: "invalid-result", strict: rejected, lenient: served,
		guests: "match-3"},
	{name: "a collector that traps", as: "collector", fault: "trap", strict: served, lenient: served,
		guests: "collect-trap"},
	{name: "a collector that never ends", as: "collector", fault: "exhausted", strict: served, lenient: served,
		guests: "collect-loop"},
}

// moods are misdeeds of guests that behave in two of three calls, so that no breaker
// opens and there is a fault all the time.
var moods = []misdeed{
	{name: "traps now and then", as: "router", guests: "moody", fault: "trap", strict: failed, lenient: served, paths: "/t /a /a"},
	{name: "loops now and then", as: "router", guests: "moody", fault: "exhausted", strict: failed, lenient: served, paths: "/l /a /a"},
	{name: "is out of memory now and then", as: "router", guests: "moody", fault: "memory", strict: failed, lenient: served, paths: "/m /a /a"},
	{name: "exits now and then", as: "router", guests: "moody", fault: "exit", strict: failed, lenient: served, paths: "/x /a /a"},
	{name: "a Go guest panics", as: "router", fresh: 8, guests: goGuest, fault: "trap", strict: failed, lenient: served, paths: "/panic /a /a"},
	{name: "a Go guest indexes too far", as: "router", fresh: 8, guests: goGuest, fault: "trap", strict: failed, lenient: served, paths: "/index /a /a"},
	{name: "a Go guest exits", as: "router", fresh: 8, guests: goGuest, fault: "exit", strict: failed, lenient: served, paths: "/exit /a /a"},
	{name: "a Go guest calls itself without end", as: "router", fresh: 8, guests: goGuest, fault: "exhausted", strict: failed, lenient: served, paths: "/deep /a /a"},
	{name: "a Go guest takes all memory", as: "router", fresh: 16, guests: goGuest, fault: "memory", strict: failed, lenient: served, paths: "/memory /a /a"},
}

// elsewhere are the guests of evil/call that are in no misdeed, and why.
var elsewhere = map[string]string{
	"init-cluster": "it takes no second cluster table: plugins tests what becomes of the instances",
	"moody":        "it is in moods",
}

// Every guest that misbehaves in a call is tried.
func TestEveryMisdeedIsTried(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "testplugins", "evil", "call", "*.wasm"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d guests, %v", len(files), err)
	}
	tried := make(map[string]bool)
	for _, m := range misdeeds {
		for _, name := range strings.Fields(m.guests) {
			tried[name] = true
		}
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".wasm")
		if tried[name] == (elsewhere[name] != "") {
			t.Errorf("%s: tried %v, elsewhere %q; want one of both", name, tried[name], elsewhere[name])
		}
	}
}

// What a misdeed may cost. That of fresh memory, which some take, is measured beside
// it and allowed for.
const (
	promptly  = 50 * time.Millisecond // until the answer of who is struck
	slowdown  = 1.5                   // the 99th percentile of all others, by that without the guest
	mostTries = 8
)

// grain is what the short form forgives: in its short windows every 20th of the others'
// requests meets a fault, and a turn of a busy machine's scheduler is some milliseconds.
func grain() time.Duration { return either(5*time.Millisecond, 0) }

// M-PBR-10: whatever a guest does, who asks for it gets what its policy says within
// 50 ms, others notice nothing, and when the guest has gone nothing is left of it.
func TestGuestsMisbehave(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		s := newStage(t, engine, 4)
		for _, m := range append(slices.Clone(misdeeds), moods...) {
			guests := strings.Fields(m.guests)
			for _, guest := range guests[:either(1, len(guests))] {
				t.Run(m.name+" "+guest, func(t *testing.T) { s.try(t, m, guest) })
			}
		}
		s.end(t)
	})
}
