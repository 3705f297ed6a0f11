package conformance

import (
	"strings"
	"testing"
	"time"
)

// A row that says that a cache answers is not what happens without one: what the rows show is
// the cache's.
func TestRowsFailWithoutACache(t *testing.T) {
	w := newWorld(t, "enabled: false")
	w.patience = 300 * time.Millisecond // a row may fail because of it: it must fail anyhow
	for _, s := range sections {
		for _, r := range s.rows {
			if strings.Contains(r.steps, "-> hit") && w.play(r) == nil {
				t.Errorf("%s: is what happens without a cache", r)
			}
		}
	}
}

// Without a cache every request is one to the origin, and gets its answer.
func TestHarness(t *testing.T) {
	w := newWorld(t, "enabled: false")
	for _, tt := range []struct {
		row
		want string // part of what is wrong; "": nothing is
	}{
		{row{name: "each is asked for", steps: `
			O: Cache-Control: max-age=60 / X-Test: yes
			C: X-A: 1 => GET / @ / X-A: 1 / no X-B -> miss / 200 / X-Test: yes / no Age / body answer 1
			C: POST @/a?b / body x => POST / @/a?b / body x -> miss 2`}, ""},
		{row{name: "no hit", steps: "C: -> miss\nC: -> hit"}, "no hit"},
		{row{name: "asked too often", steps: "C: => nothing"}, "the origin was asked 1 times, want 0"},
		{row{name: "another field", steps: "O: X-A: 1\nC: -> X-A: 2"}, `X-A is ["1"]`},
		{row{name: "a line too many", steps: "O: X-A: 1 / X-A: 2\nC: -> X-A: 1"}, `X-A is ["1" "2"]`},
		{row{name: "another status", steps: "O: 404\nC: -> 200"}, "the status is 404, want 200"},
		{row{name: "another body", steps: "O: body a\nC: -> body b"}, `the body is "a", want "b"`},
		{row{name: "cut", steps: "O: Content-Length: 9 / body abc\nC: -> cut / body abc"}, ""},
		{row{name: "not to be cut", steps: "O: Content-Length: 9 / body abc\nC: -> 200"}, "the answer is cut"},
		{row{name: "interim", steps: "O: 103 / Link: <a> / hold / 200\nC1: => GET\ngo\nC1 -> 103 / Link: <a> / 200 / no Link"}, ""},
		{row{name: "interim that is not expected", steps: "O: 103 / 200\nC: -> 200"}, "1 further interim"},
		{row{name: "no interim", steps: "C: -> 103 / 200"}, "no 103 came"},
		{row{name: "pieces", steps: "O: body a / hold / body b\nC1: => GET\ngo\nC1 -> body ab"}, ""},
		{row{name: "so far", steps: `
			O: 103 / Link: <a> / hold / 200 / X-A: 1 / body ab / hold / body cd
			C1: => GET
			C1 -> 103 / Link: <a> / so far
			go
			C1 -> 103 / 200 / X-A: 1 / body ab / so far
			go
			C1 -> 103 / 200 / body abcd`}, ""},
		{row{name: "one after the other", steps: `
			O: 404 / then / 403 / body x / then / 405
			C: -> miss 1 / 404
			C: -> miss 2 / 403 / body x
			C: -> miss 3 / 405
			C: -> miss 4 / 405`}, ""},
		{row{name: "no origin", steps: "O: refuse\nC: => nothing -> 502"}, ""},
		{row{name: "an origin that drops", steps: "O: drop\nC: => GET -> 502"}, ""},
		{row{name: "an origin that resets", steps: "O: reset\nC: => GET -> 502"}, ""},
		{row{name: "a request that no step looks at", steps: "O: hold\nC1: => GET\nC2: => GET\ngo\nC1 -> miss"}, "C1"},
		{row{name: "a client that has gone", steps: "O: hold\nC1: => GET\ngone C1\ngo"}, ""},
		{row{name: "not said by anybody", steps: "X-A: 1"}, "nobody says"},
		{row{name: "not said", steps: "C: -> sunny"}, "says nothing that can be compared"},
	} {
		err := w.play(tt.row)
		if got := sentence(err); (tt.want == "") != (err == nil) || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// A request that must come, and does not, is not waited for without end.
func TestHarnessGivesUp(t *testing.T) {
	w := newWorld(t, "enabled: false")
	w.patience = time.Millisecond
	if err := w.play(row{steps: "=> GET"}); !strings.Contains(sentence(err), "the origin was asked 0 times, want 1") {
		t.Errorf("%v", err)
	}
}

func sentence(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
