//go:build !race

package rules

// Under the race detector pools drop what is put into them now and then, so that
// allocations cannot be counted.

import (
	"strings"
	"testing"
)

// Budget: what a rule usually compares makes nothing.
func TestMatchAllocs(t *testing.T) {
	l, r := languageOf(t, widest), request()
	for _, leaf := range leafSources {
		source := strings.ReplaceAll(strings.ReplaceAll(leaf, "%s", `"GET"`), "%%", "%")
		p := compile(t, l, source)
		if p.Slow() != nil {
			t.Errorf("%s is slow: %v", source, p.Slow())
		}
		p.Match(r)
		if n := testing.AllocsPerRun(200, func() { p.Match(r) }); n > 0 {
			t.Errorf("%s allocates %v times", source, n)
		}
	}
}
