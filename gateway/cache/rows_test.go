package cache

import (
	"testing"
	"time"
)

// row is a fact: what becomes of the request next, so many seconds after the answer came
// to the first request.
type row struct {
	id     string // of the conformance suite's row
	was    string // the request that was answered
	answer string
	next   string
	after  float64
	want   string // as outcome says it
}

// check runs rows under a policy.
func check(t *testing.T, p *Policy, rows []row) {
	t.Helper()
	for _, tt := range rows {
		got := outcome(p, request(t, tt.was), answer(t, tt.answer), request(t, tt.next), tt.after)
		if got != tt.want {
			t.Errorf("%s: %q, then %q after %v s: %s, want %s", tt.id, tt.answer, tt.next, tt.after, got, tt.want)
		}
	}
}

// within returns rows about answers to a plain GET that is repeated.
func within(seconds float64, want string, list ...[2]string) (rows []row) {
	for _, a := range list {
		rows = append(rows, row{id: a[0], answer: a[1], after: seconds, want: want})
	}
	return rows
}

func TestFreshness(t *testing.T) {
	p := policies()[""]
	check(t, p, within(3, "fresh", [][2]string{
		{"F1", "Cache-Control: max-age=900 / Expires: D(-3600)"},
		{"F1", "Cache-Control: max-age=900 / Expires: 0"},
		{"F1", "Expires: D(600)"},
		{"F2", "Expires: D(-9) / Cache-Control: max-age=0, s-maxage=900"},
		{"F2", "Cache-Control: s-maxage=900, max-age=1"},
		{"F2", "Cache-Control: max-age=1 / Cache-Control: s-maxage=900"},
		{"F2", "Cache-Control: s-maxage=900"},
		{"F3", "Cache-Control: max-age=4"},
		{"F4", "No-Date: yes / Expires: D(60)"},
		{"F4", "Date: zzz / Expires: D(60)"},
		{"F4", "Date: D(-100) / Expires: D(4)"},
		{"F5", "Cache-Control: max-age=500 / Age: 490"},
		{"F6", "Cache-Control: S-MaxAge=60"},
		{"F6", "Cache-Control: zork, max-age=60, blip=\"x,y\""},
		{"F6", "cache-CONTROL: MAX-age=60, zork=1"},
		{"F7", "Cache-Control: max-age=2147483647"},
		{"F7", "Cache-Control: max-age=2147483648"},
		{"F7", "Cache-Control: max-age=2147483649"},
		{"F7", "Cache-Control: max-age=4000000000"},
		{"F7", "Cache-Control: max-age=1152921504606846976"},
		{"F7", "Cache-Control: max-age=99999999999999999999999999999999"},
		{"P2", "Cache-Control: max-age=00060"},
		{"P4", "Cache-Control: max-age=\"60\""},
		{"P4", "Cache-Control: max-age=60, max-age=1"},
		{"P1", "Cache-Control: , ,max-age=60,,"},
		{"P1", "Cache-Control: note=\"max-age=1\", max-age=900"},
		{"P1", "Cache-Control: note=\"\\\"max-age=1\", max-age=900"},
		{"A2", "Cache-Control: max-age=600 / Age: abc"},
		{"A2", "Cache-Control: max-age=600 / Age: -5"},
		{"A2", "Cache-Control: max-age=600 / Age: 900.0"},
		{"A2", "Cache-Control: max-age=600 / Age: 900;a=b"},
		{"A2", "Cache-Control: max-age=600 / Age: \"900\""},
		{"A1", "Cache-Control: max-age=600 / Age: 0, 900"},
		{"A1", "Cache-Control: max-age=600 / Age: 0 / Age: 900"},
		{"R5", "Cache-Control: max-age=600, must-revalidate"},
		{"T1", "CDN-Cache-Control: max-age=600 / Cache-Control: no-store"},
	}...))
	check(t, p, within(3, "fresh", [2]string{"immutable is no news here", "Cache-Control: max-age=60, immutable"}))
	check(t, p, within(3, "while", [2]string{"F3", "Cache-Control: max-age=3, stale-while-revalidate=60"}))
}

func TestStaleness(t *testing.T) {
	p := policies()[""]
	check(t, p, within(3, "fetch", [][2]string{
		{"F2", "Cache-Control: s-maxage=2, max-age=900"},
		{"F2", "Cache-Control: max-age=900, s-maxage=2"},
		{"F2", "Cache-Control: s-maxage=2 / Cache-Control: max-age=900"},
		{"F2", "Cache-Control: s-maxage=2 / Expires: D(900)"},
		{"F3", "Cache-Control: max-age=2"},
		{"F3", "Cache-Control: max-age=3"},
		{"P1", "Cache-Control: note=\"max-age=900\", max-age=1"},
		{"P1", "Cache-Control: max-age=1, note=\"max-age=900\""},
		{"A1", "Cache-Control: max-age=602 / Age: 600, 0"},
	}...))
	// They are stale when they come, and there is nothing to ask the origin with.
	check(t, p, within(0, "refused: expired", [][2]string{
		{"F1", "Cache-Control: max-age=0 / Expires: D(3600)"},
		{"F2", "Cache-Control: s-maxage=0, max-age=900"},
		{"F2", "Cache-Control: s-maxage=x, max-age=900"},
		{"F3", "Expires: D(0)"},
		{"F4", "Date: D(400) / Expires: D(300)"},
		{"F5", "Date: D(30) / Expires: D(50) / Age: 40"},
		{"F5", "Date: D(-30) / Expires: D(-10) / Age: 40"},
		{"F5", "Cache-Control: max-age=500 / Age: 501"},
		{"F7", "Cache-Control: max-age=-60"},
		{"P3", "Cache-Control: max-age='900'"},
		{"P4", "Cache-Control: max-age=60.0"},
		{"P4", "Cache-Control: max-age=12x"},
		{"P4", "Cache-Control: max-age=x12"},
		{"P4", "Cache-Control: max-age= 60"},
		{"P4", "Cache-Control: max-age =60"},
		{"P4", "Cache-Control: max-age"},
		{"P4", "Cache-Control: max-age="},
		{"P4", "Cache-Control: max-age=\"60"},
		{"P4", "Cache-Control: max-age=\"6\" 0"},
		{"P4", "Cache-Control: max-age=x, max-age=60"},
		{"P4", "Cache-Control: max-age=60, note=\"never closed"},
		{"A1", "Cache-Control: max-age=600 / Age: 900, 0"},
		{"A1", "Cache-Control: max-age=600 / Age: 900 / Age: 0"},
		{"A1", "Cache-Control: max-age=600 / Age: 900, 900"},
		{"A3", "Cache-Control: max-age=600 / Age: 2147483647"},
		{"A3", "Cache-Control: max-age=600 / Age: 2147483648"},
		{"A3", "Cache-Control: max-age=600 / Age: 2147483649"},
		{"A3", "Cache-Control: max-age=600 / Age: 1152921504606846976"},
		{"A3", "Cache-Control: max-age=600 / Age: 99999999999999999999999999"},
		{"A3", "Cache-Control: max-age=99999999999999999999 / Age: 99999999999999999999999999"},
		{"A4", "Date: D(-7200) / Cache-Control: max-age=3600"},
	}...))
	check(t, p, within(0, "refused: no freshness", [][2]string{
		{"F8", "X: nothing"},
		{"F8", "Cache-Control: zork"},
	}...))
	check(t, p, within(0, "validate", [][2]string{
		{"F8", "ETag: \"v1\""},
		{"F8", "Last-Modified: D(-900)"},
	}...))
}

func TestDirectives(t *testing.T) {
	p := policies()[""]
	check(t, p, []row{
		{id: "P5", answer: "Cache-Control: max-age=60, no-store", want: "refused: no-store"},
		{id: "P5", answer: "Cache-Control: no-store, max-age=60", want: "refused: no-store"},
		{id: "P5", answer: "Cache-Control: max-age=60, no-cache / ETag: \"v1\"", want: "validate"},
		{id: "R1", answer: "Cache-Control: private, max-age=60", want: "refused: private"},
		{id: "R1", answer: "Cache-Control: PRIVATE / Expires: D(60)", want: "refused: private"},
		{id: "R1", answer: "Cache-Control: No-Store / Expires: D(60)", want: "refused: no-store"},
		{id: "R1", answer: "Cache-Control: no-store x, max-age=60", want: "refused: no-store"},
		{id: "R1", answer: "Cache-Control: no-store=1, max-age=60", want: "refused: no-store"},
		{id: "R1", answer: "Cache-Control: max-age=60, x=\"no-store\"", want: "fresh"},
		{id: "R1", answer: "Cache-Control: max-age=60, no-storeroom", want: "fresh"},
		{id: "R2", answer: "Cache-Control: no-cache / ETag: \"v1\"", want: "validate"},
		{id: "R2", answer: "Cache-Control: No-Cache, max-age=60 / Last-Modified: D(-9)", want: "validate"},
		{id: "R2", answer: "Cache-Control: no-cache / Expires: D(60) / ETag: \"v1\"", want: "validate"},
		{id: "R2", answer: "Cache-Control: no-cache, max-age=60", want: "refused: no-cache"},
		{id: "R3", answer: "Cache-Control: private=\"x\", max-age=60", want: "refused: private"},
		{id: "R3", answer: "Cache-Control: no-cache=\"x\", max-age=60 / ETag: \"v1\"", want: "validate"},
		{id: "R4", was: "Authorization: q", answer: "Cache-Control: max-age=60", want: "refused: authorization"},
		{id: "R4", was: "Authorization: q", answer: "Cache-Control: max-age=60, must-revalidate", want: "fresh"},
		{id: "R4", was: "Authorization: q", answer: "Cache-Control: max-age=60, public", want: "fresh"},
		{id: "R4", was: "Authorization: q", answer: "Cache-Control: s-maxage=60", want: "fresh"},
		{id: "R4", was: "Authorization: q", answer: "Cache-Control: max-age=60, public=1", want: "refused: authorization"},
		{id: "R4", answer: "Cache-Control: max-age=60", next: "Authorization: q", want: "fetch"},
		{id: "R4", answer: "Cache-Control: max-age=60, public", next: "Authorization: q", want: "fresh"},
		{id: "R5", answer: "Cache-Control: max-age=1, must-revalidate, stale-while-revalidate=60", after: 3, want: "fetch"},
		{id: "R6", was: "Cookie: a=1", answer: "Cache-Control: max-age=60", want: "fresh"},
		{id: "R6", was: "Cookie: a=1", answer: "Cache-Control: max-age=60 / Vary: Cookie", want: "miss"},
		{id: "R6", answer: "Cache-Control: max-age=60 / Set-Cookie: a=1", want: "refused: set-cookie"},
		{id: "§16", answer: "Cache-Control: max-age=60 / Pragma: no-cache", want: "fresh"},
	})
}

func TestSetCookie(t *testing.T) {
	for _, tt := range []struct {
		policy SetCookie
		want   string
	}{{StripCookies, "Date A"}, {StoreCookies, "Date Set-Cookie A Set-Cookie"}} {
		p := Default()
		p.SetCookie = tt.policy
		s := stored(t, &p, request(t, ""), answer(t, "Set-Cookie: a=1 / A: 1 / Set-Cookie: b=2 / Cache-Control: max-age=9"))
		if got := fieldNames(s.Fields[:len(s.Fields)-1]); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.policy, got, tt.want)
		}
	}
}

func TestStatuses(t *testing.T) {
	p := policies()[""]
	var rows []row
	for _, status := range []string{
		"200", "203", "204", "299", "301", "302", "303", "307", "308", "400", "404", "410", "499",
		"500", "502", "503", "504", "599",
	} {
		rows = append(rows, []row{
			{id: "S1", answer: status + " Cache-Control: max-age=60", after: 3, want: "fresh"},
			{id: "S2", answer: status + " Cache-Control: max-age=2", after: 3, want: "fetch"},
			{id: "S2", answer: status + " Cache-Control: max-age=2 / Last-Modified: D(-60)", after: 3, want: "validate"},
		}...)
	}
	check(t, p, append(rows, []row{
		{id: "S3", answer: "Cache-Control: max-age=60, no-store, must-understand", want: "fresh"},
		{id: "S3", answer: "599 Cache-Control: max-age=60, no-store, must-understand", want: "refused: no-store"},
		{id: "S3", answer: "599 Cache-Control: max-age=60, must-understand", want: "refused: no-store"},
		{id: "S3", answer: "Cache-Control: max-age=60, private, must-understand", want: "refused: private"},
		{id: "S4", answer: "304 Cache-Control: max-age=60", want: "refused: status"},
		{id: "S4", answer: "103 Cache-Control: max-age=60", want: "refused: status"},
		{id: "S4", answer: "206 Cache-Control: max-age=60 / Content-Range: bytes 0-9/20", want: "refused: part"},
		{id: "they are about the request", answer: "412 Cache-Control: max-age=60", want: "refused: status"},
		{id: "they are about the request", answer: "416 Cache-Control: max-age=60", want: "refused: status"},
		{id: "they are about the request", answer: "417 Cache-Control: max-age=60", want: "refused: status"},
	}...))
}

func TestHeuristics(t *testing.T) {
	p := Default()
	p.Heuristic = 0.1
	var rows []row
	for _, status := range []string{"200", "203", "204", "300", "301", "308", "404", "405", "410", "414", "501"} {
		rows = append(rows, row{id: "H1", answer: status + " Last-Modified: D(-86400)", after: 3, want: "fresh"})
	}
	for _, status := range []string{"201", "202", "302", "403", "502", "503", "504", "299", "599"} {
		rows = append(rows,
			row{id: "H2", answer: status + " Last-Modified: D(-86400)", want: "refused: no freshness"},
			row{id: "H3", answer: status + " Last-Modified: D(-86400) / Cache-Control: public", after: 3, want: "fresh"})
	}
	check(t, &p, append(rows, []row{
		{id: "H1", answer: "Last-Modified: D(-100)", after: 9, want: "fresh"},
		{id: "H1", answer: "Last-Modified: D(-100)", after: 10, want: "validate"},
		{id: "H1 cap", answer: "Last-Modified: D(-8640000)", after: 86399, want: "fresh"},
		{id: "H1 cap", answer: "Last-Modified: D(-8640000)", after: 86400, want: "validate"},
		{id: "H1", answer: "Last-Modified: D(100)", want: "validate"},
		{id: "H1", answer: "Last-Modified: Sat, 01 Jan 0000 00:00:00 GMT", after: 3, want: "fresh"},
		{id: "H4", answer: "Last-Modified: D(-86400) / Expires: D(-1)", want: "validate"},
		{id: "H4", answer: "Last-Modified: D(-86400) / Expires: 0", want: "validate"},
		{id: "H4", answer: "Last-Modified: D(-86400) / Cache-Control: max-age=x", want: "validate"},
		{id: "H4", answer: "Last-Modified: D(-86400) / Cache-Control: s-maxage=x", want: "validate"},
	}...))
	check(t, policies()[""], []row{{id: "H5", answer: "Last-Modified: D(-86400)", want: "validate"}})
}

func TestConfiguredTTL(t *testing.T) {
	p := Default()
	p.Heuristic = 0.1
	p.TTL = map[int]time.Duration{0: 60 * time.Second, 200: 5 * time.Second, 503: 2 * time.Second, 410: 0}
	check(t, &p, []row{
		{id: "by status", answer: "Last-Modified: D(-86400)", after: 4, want: "fresh"},
		{id: "by status", answer: "Last-Modified: D(-86400)", after: 5, want: "validate"},
		{id: "by status", answer: "503 X: 1", after: 1, want: "fresh"},
		{id: "by status", answer: "410 Last-Modified: D(-86400)", want: "validate"},
		{id: "guessed before the default", answer: "404 Last-Modified: D(-100)", after: 11, want: "validate"},
		{id: "default", answer: "404 X: 1", after: 59, want: "fresh"},
		{id: "default", answer: "404 X: 1", after: 60, want: "fetch"},
		{id: "default is not for all", answer: "403 X: 1", want: "refused: no freshness"},
		{id: "an old answer too", answer: "404 Date: D(-7200) / X: 1", after: 59, want: "fresh"},
		{id: "the answer outranks it", answer: "Cache-Control: max-age=9", after: 8, want: "fresh"},
		{id: "the answer outranks it", answer: "Expires: D(-1)", want: "refused: expired"},
		{id: "the answer outranks it", answer: "Cache-Control: no-store", want: "refused: no-store"},
		{id: "the answer outranks it", answer: "Cache-Control: no-cache", want: "refused: no-cache"},
	})
}

func TestTargetedFields(t *testing.T) {
	p := policies()[""]
	check(t, p, []row{
		{id: "T1", answer: "Cache-Control: no-store / CDN-Cache-Control: max-age=60", after: 3, want: "fresh"},
		{id: "T1", answer: "CDN-Cache-Control: max-age=1 / Cache-Control: max-age=900", after: 3, want: "fetch"},
		{id: "T1", answer: "CDN-Cache-Control: max-age=1 / Expires: D(900)", after: 3, want: "fetch"},
		{id: "T1", answer: "CDN-Cache-Control: private / Cache-Control: max-age=900", want: "refused: private"},
		{id: "T1", answer: "CDN-Cache-Control: no-store / Cache-Control: max-age=900", want: "refused: no-store"},
		{id: "T1", answer: "CDN-Cache-Control: no-cache / Cache-Control: max-age=900 / ETag: \"v1\"", want: "validate"},
		{id: "T1", answer: "CDN-Cache-Control: zork / Cache-Control: max-age=900", want: "refused: no freshness"},
		{id: "T1", answer: "CDN-Cache-Control: max-age=1 / Weirkeep-Cache-Control: max-age=60", after: 3, want: "fresh"},
		{id: "T1", answer: "Weirkeep-Cache-Control: && / CDN-Cache-Control: max-age=1 / Cache-Control: max-age=900", after: 3, want: "fetch"},
		{id: "T2", answer: "CDN-Cache-Control: max-age=60, && / Cache-Control: max-age=1", after: 3, want: "fetch"},
		{id: "T2", answer: "CDN-Cache-Control: / Cache-Control: max-age=60", after: 3, want: "fresh"},
		{id: "T2", answer: "CDN-Cache-Control: max-age=60, / Cache-Control: max-age=1", after: 3, want: "fetch"},
		{id: "T2", answer: "CDN-Cache-Control: MAX-AGE=60 / Cache-Control: max-age=1", after: 3, want: "fetch"},
		{id: "T2", answer: "CDN-Cache-Control: max-age=\"60\" / Cache-Control: max-age=900", want: "refused: no freshness"},
		{id: "T2", answer: "CDN-Cache-Control: max-age=60.5, max-age=\"x\" / Cache-Control: max-age=900", want: "refused: no freshness"},
		{id: "T2", answer: "CDN-Cache-Control: max-age=999999999999999", after: 3, want: "fresh"},
		{id: "T2", answer: "CDN-Cache-Control: max-age=9999999999999999 / Cache-Control: max-age=1", after: 3, want: "fetch"},
		{id: "T2", answer: "CDN-Cache-Control: max-age=-60 / Cache-Control: max-age=900", want: "refused: expired"},
		{id: "T2", answer: "CDN-Cache-Control: max-age=1, max-age=60", after: 3, want: "fresh"},
		{id: "T2", answer: "CDN-Cache-Control: max-age=1 / CDN-Cache-Control: max-age=60", after: 3, want: "fresh"},
		{id: "T2", answer: "CDN-Cache-Control: max-age=60;x=1;y, no-store=?0, z=(1 2);q", after: 3, want: "fresh"},
		{id: "T2", answer: "CDN-Cache-Control: max-age=60, no-store=?1", want: "refused: no-store"},
		{id: "T2", answer: "CDN-Cache-Control: max-age=60, private=\"set-cookie\"", want: "refused: private"},
		{id: "T3", answer: "CDN-Cache-Control: max-age=500 / Age: 501", want: "refused: expired"},
		{id: "T3", answer: "CDN-Cache-Control: max-age=60 / Expires: 0", after: 3, want: "fresh"},
		{id: "T1 stale", answer: "CDN-Cache-Control: max-age=1, stale-while-revalidate=60", after: 3, want: "while"},
	})
	s := stored(t, p, request(t, ""), answer(t, "CDN-Cache-Control: max-age=60"))
	if string(valueOf(s.Fields, "cdn-cache-control")) != "max-age=60" {
		t.Errorf("T4: the field is not replayed: %s", fieldNames(s.Fields))
	}
}
