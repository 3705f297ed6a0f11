package corpus

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
)

// hostile are the verdicts of requests that must not go through as they are.
var hostile = []string{"reject", "reject-or-abort", "reject-or-normalise", "normalise"}

// A tally counts the cases of one class.
type tally struct {
	cases, passed                     int
	rejected, normalised, asIs, other int // of the hostile ones
	wrong                             int // with bytes not meant for who got them
}

// A summary counts by the first part of the class.
type summary struct {
	mu      sync.Mutex
	classes map[string]*tally
}

func newSummary() *summary { return &summary{classes: map[string]*tally{}} }

// add counts a case. It may be called from many goroutines.
func (m *summary) add(s *spec, r ruling) {
	m.mu.Lock()
	defer m.mu.Unlock()
	class, _, _ := strings.Cut(s.Class, ".")
	if m.classes[class] == nil {
		m.classes[class] = &tally{}
	}
	m.classes[class].add(s, r)
}

func (t *tally) add(s *spec, r ruling) {
	t.cases++
	if len(r.why) == 0 {
		t.passed++
	}
	if r.wrong {
		t.wrong++
	}
	if !slices.Contains(hostile, s.Expect) {
		return
	}
	switch r.outcome {
	case "rejected", "aborted", "no-answer":
		t.rejected++
	case "normalised":
		t.normalised++
	case "as-is":
		t.asIs++
	default:
		t.other++
	}
}

// merge adds the counts of another class.
func (t *tally) merge(o *tally) {
	t.cases += o.cases
	t.passed += o.passed
	t.rejected += o.rejected
	t.normalised += o.normalised
	t.asIs += o.asIs
	t.other += o.other
	t.wrong += o.wrong
}

func (t *tally) String() string {
	return fmt.Sprintf("%3d/%3d passed; hostile: %3d rejected, %2d normalised, %2d as is, %2d other; wrong answers: %d",
		t.passed, t.cases, t.rejected, t.normalised, t.asIs, t.other, t.wrong)
}

// log writes a line a class, and one for all.
func (m *summary) log(t testing.TB) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	all := &tally{}
	for _, class := range slices.Sorted(maps.Keys(m.classes)) {
		t.Logf("%-14s %s", class, m.classes[class])
		all.merge(m.classes[class])
	}
	t.Logf("%-14s %s", "all", all)
}
