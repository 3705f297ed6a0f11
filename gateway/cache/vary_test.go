package cache

import (
	"fmt"
	"strings"
	"testing"
)

func TestVariants(t *testing.T) {
	const tier = "Cache-Control: max-age=60 / Vary: Tier"
	check(t, policies()[""], []row{
		{id: "V2", was: "Tier: gold", answer: tier, next: "Tier: gold", want: "fresh"},
		{id: "V2", was: "Tier: gold", answer: tier, next: "tier: gold", want: "fresh"},
		{id: "V2", was: "Tier: gold", answer: tier, next: "Tier: iron", want: "miss"},
		{id: "V2", was: "Tier: gold", answer: tier, next: "Tier: GOLD", want: "miss"},
		{id: "V2", was: "Tier: gold", answer: tier, want: "miss"},
		{id: "V2", answer: tier, next: "Tier: gold", want: "miss"},
		{id: "V2", answer: tier, next: "Tier:", want: "miss"},
		{id: "V2", was: "Tier:", answer: tier, want: "miss"},
		{id: "V2", answer: tier, want: "fresh"},
		{id: "V3", was: "Tier: gold / B: 1", answer: tier, next: "Tier: gold / B: 2", want: "fresh"},
		{id: "V3", was: "Tier: gold / B: 1", answer: tier + ", B", next: "B: 1 / Tier: gold", want: "fresh"},
		{id: "V3", was: "Tier: gold / B: 1", answer: tier + " / Vary: b", next: "Tier: gold / B: 2", want: "miss"},
		{id: "V3", was: "Tier: gold / B: 1", answer: "Vary: b / " + tier, next: "Tier: iron / B: 1", want: "miss"},
		{id: "V3", was: "Tier: gold", answer: tier + ", tier,, TIER", next: "Tier: gold", want: "fresh"},
		{id: "V4", answer: "Cache-Control: max-age=60 / Vary: *", want: "refused: vary *"},
		{id: "V4", answer: "Cache-Control: max-age=60 / Vary: *, *", want: "refused: vary *"},
		{id: "V4", answer: "Cache-Control: max-age=60 / Vary: * / Vary: *", want: "refused: vary *"},
		{id: "V4", answer: "Cache-Control: max-age=60 / Vary: , *", want: "refused: vary *"},
		{id: "V4", answer: "Cache-Control: max-age=60 / Vary: / Vary: *", want: "refused: vary *"},
		{id: "V4", answer: tier + ", *", want: "refused: vary *"},
		{id: "V4", answer: "Cache-Control: max-age=60 / Vary: *, Tier", want: "refused: vary *"},
		{id: "V4", answer: "Cache-Control: max-age=60 / Vary:", want: "fresh"},
		{id: "V5", was: "Tier: 1,2", answer: tier, next: "Tier:  1, 2 ", want: "fresh"},
		{id: "V5", was: "Tier: 1 ,2", answer: tier, next: "Tier: 1 / Tier: 2", want: "fresh"},
		{id: "V5", was: "Tier: 1 / Tier: 2", answer: tier, next: "Tier: 1,2", want: "fresh"},
		{id: "V5", was: "Tier: 1 / Tier: 2", answer: tier, next: "Tier: 2 / Tier: 1", want: "miss"},
		{id: "V5", was: "Tier: 1 / Tier: 2", answer: tier, next: "Tier: 2", want: "miss"},
		{id: "V5", was: "Tier: \"1,2\"", answer: tier, next: "Tier: \"1, 2\"", want: "miss"},
		{id: "V5", was: "Tier: 1 2", answer: tier, next: "Tier: 12", want: "miss"},
		{id: "V5", was: "Tier: 1 / B: 2, 3", answer: tier + ", B", next: "Tier: / B: 2, 3", want: "miss"},
		{id: "V5", was: "Tier: 1 / B: 2, 3", answer: tier + ", B", next: "Tier: 1 / B: 2, 3", want: "fresh"},
		{id: "V5", was: "Tier: 1  2", answer: tier, next: "Tier: 1 2", want: "miss"},
	})
}

func TestLanguages(t *testing.T) {
	const vary = "Cache-Control: max-age=60 / Vary: Accept-Language"
	rows := []row{
		{id: "V5 case", was: "Accept-Language: de-AT, en;q=0.5", answer: vary, next: "Accept-Language: DE-at, en;Q=0.5", want: "fresh"},
		{id: "V5 order", was: "Accept-Language: en, de", answer: vary, next: "Accept-Language: de, en", want: "fresh"},
		{id: "V5 order", was: "Accept-Language: en;q=0.5, de", answer: vary, next: "Accept-Language: de, en;q=0.500", want: "fresh"},
		{id: "V5 order", was: "Accept-Language: en;q=0.9, de", answer: vary, next: "Accept-Language: de;q=0.9, en", want: "miss"},
		{id: "V5 weight", was: "Accept-Language: en;q=0.9, de", answer: vary, next: "Accept-Language: en;q=0.8, de", want: "miss"},
		{id: "V6", was: "Accept-Language: it, en", answer: vary + " / Content-Language: it", next: "Accept-Language: fr;q=0.2, it", want: "fresh"},
		{id: "V6", was: "Accept-Language: it, en", answer: vary + " / Content-Language: IT", next: "Accept-Language: it", want: "fresh"},
		{id: "V6", was: "Accept-Language: de", answer: vary + " / Content-Language: it", next: "Accept-Language: fr;q=0.2, it", want: "fresh"},
		{id: "V6 two are liked best", was: "Accept-Language: it", answer: vary + " / Content-Language: it", next: "Accept-Language: it, fr", want: "miss"},
		{id: "V6 no language", was: "Accept-Language: it", answer: vary, next: "Accept-Language: it, fr;q=0.2", want: "miss"},
		{id: "V6 two languages", was: "Accept-Language: de", answer: vary + " / Content-Language: it, de", next: "Accept-Language: it", want: "miss"},
		{id: "V6 unwanted", was: "Accept-Language: de", answer: vary + " / Content-Language: it", next: "Accept-Language: it;q=0", want: "miss"},
		{id: "V6 malformed", was: "Accept-Language: de", answer: vary + " / Content-Language: it", next: "Accept-Language: it, fr;q=9", want: "miss"},
		{id: "V6 other field", was: "Accept-Language: it / Tier: 1", answer: vary + ", Tier / Content-Language: it", next: "Accept-Language: fr;q=0.2, it / Tier: 2", want: "miss"},
		{id: "malformed", was: "Accept-Language: de;q=2, en", answer: vary, next: "Accept-Language: de;q=2,en", want: "fresh"},
		{id: "malformed", was: "Accept-Language: de;q=2, en", answer: vary, next: "Accept-Language: en, de;q=2", want: "miss"},
	}
	check(t, policies()["conformance"], rows)
	// The switch is off by default: only blanks do not count.
	for i := range rows {
		rows[i].want = "miss"
	}
	rows[len(rows)-2].want = "fresh"
	check(t, policies()[""], rows)
}

func TestEncodings(t *testing.T) {
	const vary = "Cache-Control: max-age=60 / Vary: Accept-Encoding"
	rows := []row{
		{id: "V7 order", was: "Accept-Encoding: gzip, br", answer: vary, next: "Accept-Encoding: br,gzip", want: "fresh"},
		{id: "V7 case", was: "Accept-Encoding: gzip", answer: vary, next: "Accept-Encoding: GZIP", want: "fresh"},
		{id: "V7 x-gzip", was: "Accept-Encoding: gzip", answer: vary, next: "Accept-Encoding: x-gzip", want: "fresh"},
		{id: "V7 weights", was: "Accept-Encoding: gzip, br", answer: vary, next: "Accept-Encoding: br;q=0.9, gzip;q=1.0", want: "fresh"},
		{id: "V7 identity", was: "Accept-Encoding: gzip", answer: vary, next: "Accept-Encoding: gzip, identity", want: "fresh"},
		{id: "V7 identity", was: "Accept-Encoding: identity", answer: vary, next: "", want: "fresh"},
		{id: "V7 refused", was: "Accept-Encoding: gzip", answer: vary, next: "Accept-Encoding: gzip, br;q=0", want: "fresh"},
	}
	check(t, policies()[""], rows)
	p := Default()
	p.Encodings = false
	for i := range rows {
		rows[i].want = "miss"
	}
	check(t, &p, rows)
	check(t, policies()[""], []row{
		{id: "V7", was: "Accept-Encoding: gzip, br", answer: vary, next: "Accept-Encoding: gzip", want: "miss"},
		{id: "V7", was: "Accept-Encoding: gzip", answer: vary, next: "", want: "miss"},
		{id: "V7", was: "Accept-Encoding: gzip", answer: vary, next: "Accept-Encoding: gzip;q=0", want: "miss"},
		{id: "V7", was: "Accept-Encoding: gzip", answer: vary, next: "Accept-Encoding: gzip, identity;q=0", want: "miss"},
		{id: "V7", was: "Accept-Encoding: gzip", answer: vary, next: "Accept-Encoding: *", want: "miss"},
		{id: "V7", was: "Accept-Encoding: *", answer: vary, next: "Accept-Encoding: *, br;q=0", want: "miss"},
		{id: "V7 any coding", was: "", answer: vary + " / Content-Encoding: gzip", next: "Accept-Encoding: identity", want: "miss"},
	})
}

// TestVaryIsBounded: an answer is not kept that varies by very much.
func TestVaryIsBounded(t *testing.T) {
	names := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "f%d,", i)
		}
		return b.String()
	}
	long := "Tier: " + strings.Repeat("x", maxVaryBytes+1)
	check(t, policies()[""], []row{
		{id: "32 fields", answer: "Cache-Control: max-age=60 / Vary: " + names(32), want: "fresh"},
		{id: "33 fields", answer: "Cache-Control: max-age=60 / Vary: " + names(33), want: "refused: vary too long"},
		{id: "16 KiB", was: long[:len(long)-1], answer: "Cache-Control: max-age=60 / Vary: tier", want: "miss"},
		{id: "more", was: long, answer: "Cache-Control: max-age=60 / Vary: tier", want: "refused: vary too long"},
	})
}

// TestTheNewestIsChosen is V8.
func TestTheNewestIsChosen(t *testing.T) {
	p := policies()[""]
	old := stored(t, p, request(t, ""), answer(t, "Cache-Control: max-age=60"))
	newer := stored(t, p, request(t, ""), answer(t, "Cache-Control: max-age=60 / Date: D(1)"))
	again := stored(t, p, request(t, ""), answer(t, "Cache-Control: max-age=60").later(0.5))
	for _, tt := range []struct {
		a, b *Stored
		want bool
	}{{newer, old, true}, {old, newer, false}, {again, old, true}, {old, again, false}, {newer, again, true}, {old, old, false}} {
		if got := tt.a.Newer(tt.b); got != tt.want {
			t.Errorf("%v of %v is newer than %v of %v: %v", tt.a.Date, tt.a.Fresh.Received, tt.b.Date, tt.b.Fresh.Received, got)
		}
	}
}

func TestSameVariant(t *testing.T) {
	p := policies()[""]
	store := func(was, vary string) *Stored {
		return stored(t, p, request(t, was), answer(t, "Cache-Control: max-age=60 / Vary: "+vary))
	}
	gold := store("Tier: gold, x", "Tier")
	for _, tt := range []struct {
		was, vary string
		want      bool
	}{
		{"Tier: gold,x", "tier", true},
		{"Tier: iron", "Tier", false},
		{"", "Tier", false},
		{"Tier: gold,x", "Tier, B", false},
	} {
		if got := gold.SameVariant(store(tt.was, tt.vary)); got != tt.want {
			t.Errorf("%q by %q is the same variant: %v", tt.was, tt.vary, got)
		}
	}
	if gold.SameVariant(&Stored{Vary: Vary{Names: []string{"tier"}, Values: [][]byte{nil}}}) {
		t.Error("absent is the same as gold")
	}
}

// TestRulesVary: fields of a caching rule count like those of Vary.
func TestRulesVary(t *testing.T) {
	p := policies()[""]
	s, why := p.Store(request(t, "Tier: gold"), answer(t, "Cache-Control: max-age=60"), Override{Vary: []string{"tier"}})
	if s == nil {
		t.Fatal(why)
	}
	if s.Fits(request(t, "Tier: iron"), p) || !s.Fits(request(t, "Tier: gold"), p) {
		t.Error("the rule's field does not count")
	}
}
