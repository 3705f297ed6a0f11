package esi

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// A template of one thing over and over takes about as long for a byte if it is 16 times as
// long: nothing that is looked for is looked for again and again in all the rest. The floor
// is what a busy machine makes of very little.
func TestLongTemplatesAreLinear(t *testing.T) {
	const short, long, floor = 64 << 10, 1 << 20, 4 * time.Millisecond
	attribute := func(form, unit string) string { return fmt.Sprintf(form, strings.Repeat(unit, 4000/len(unit))) }
	for _, unit := range []string{
		"$(HTTP_HOST)", "$(HTTP_HOST|'", "-", "-->", "<!--esi --", "<p>", "<es", "<esi:a b='", "</esi:vars>", "<esi:vars>", "<esi:include src='/a'>",
		attribute(`<esi:include src="%s"/>`, "$("), attribute(`<esi:include src="%s"/>`, "$(HTTP_COOKIE{"),
		attribute(`<esi:choose><esi:when test="%s"></esi:when></esi:choose>`, "'a' matches 'a{9}'|"),
	} {
		const before = "<!--esi <esi:vars>"
		least := func(size int) time.Duration {
			return max(leastTime(t, before+strings.Repeat(unit, size/len(unit))), floor)
		}
		if a, b := least(short), least(long); b > long/short*4*a {
			t.Errorf("%.40q: %v for %d bytes, and %v for %d", unit, a, short, b, long)
		}
	}
}

// leastTime is what a template takes of the processor to be parsed, the least of a few
// times: a machine that has other things to do as well does not count.
func leastTime(t *testing.T, template string) time.Duration {
	t.Helper()
	least := time.Hour
	for range 3 {
		began := cpuTime(t)
		if _, _, err := Parse([]byte(template), Limits{}); err != nil {
			t.Fatal(err)
		}
		least = min(least, cpuTime(t)-began)
	}
	return least
}
