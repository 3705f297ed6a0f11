package gateway

import (
	"fmt"
	"strings"
	"testing"
)

// A request that has been here is refused, whatever else its Via holds; one that
// only looks like it goes on.
func TestViaTellsLoops(t *testing.T) {
	t.Parallel()
	addr, _ := start(t, plainListener+"node: { name: edge }\nclusters: { app: { origins: "+inline(newTeller(t, "o"))+" } }\n", Options{})
	for via, want := range map[string]int{
		"1.1 edge": 508, "1.0 edge": 508, "1.1 other, 1.1 edge": 508, "1.1 edge , 1.0 other (a, b)": 508, "1.1 other\r\nVia: 1.1 edge": 508,
		"1.1 other": 200, "1.1 edge2": 200, "1.1 the edge": 200, "2 edge": 200, "": 200, ",": 200, "edge": 200, "1.1 other (1.1 edge)": 200,
	} {
		got := ask(t, addr, "GET / HTTP/1.1\r\nHost: a\r\nVia: "+via)
		if got.status != want || want == 508 && !strings.Contains(got.body, "reason: loop") {
			t.Errorf("Via: %q is answered %d %q, want %d", via, got.status, got.body, want)
		}
	}
}

// A gateway whose origin is itself goes round once.
func TestGatewayAsItsOwnOrigin(t *testing.T) {
	t.Parallel()
	log := new(lockedBuffer)
	own := freeAddress(t)
	_, g := start(t, fmt.Sprintf("node: { name: edge }\nlisteners: [{ address: %q }]\nclusters: { app: { origins: [{ address: %q }] } }\n", own, own), Options{Stderr: log})
	if got := ask(t, own, "GET / HTTP/1.1\r\nHost: a"); got.status != 508 {
		t.Errorf("answered %d, want 508", got.status)
	}
	g.Close()
	all := causeLines(t, log.String())
	causes := make(map[string]string)
	for _, l := range all {
		causes[l.Reason] = l.Cause
	}
	const want = `the request comes back: Via names "edge"; in a chain each gateway needs a node.name of its own`
	if len(all) != 2 || causes["loop"] != want || causes[""] != "" {
		t.Errorf("recorded %+v, want loop, and the answer passed on", all)
	}
}
