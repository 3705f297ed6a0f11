package gateway

import (
	"slices"
	"strings"
	"testing"

	"weirkeep/gateway/esi"
)

// Every problem and every failure there is can be counted, under a name of its own.
func TestMetricsKnowProblemsAndFailures(t *testing.T) {
	n := esiNames()
	if len(n.Problems) != len(esi.Kinds()) || len(n.Failures) != esi.FailureCount {
		t.Fatalf("there is room for %d and %d, and there are %d and %d", len(n.Problems), len(n.Failures), len(esi.Kinds()), esi.FailureCount)
	}
	for _, names := range [][]string{n.Problems[:], n.Failures[1:]} {
		slices.Sort(names)
		if names[0] == "" || len(slices.Compact(names)) != len(names) {
			t.Errorf("names are missing or the same: %q", names)
		}
	}
	if n.Failures[esi.None] != "" {
		t.Error("None is counted as a failure")
	}
}

// What is told of a page, where it is told: Cache-Status, the access log, and metrics.
func TestPagesAreTold(t *testing.T) {
	t.Parallel()
	log := new(lockedBuffer)
	long := strings.Repeat("x", 100<<10)
	k := newKioskOf(t, "", map[string]served{
		"/page":   {asTemplate, `<esi:include src="/one"/><esi:include src="/two"/><esi:include src="/one"/>`, ""},
		"/mended": {asTemplate, `<esi:include src="/gone" alt="/one"/><esi:include src="/gone" onerror="continue"/><esi:nonsense/>`, ""},
		"/early":  {asTemplate, `<esi:include src="/gone"/>`, ""},
		"/late":   {asTemplate, long + `<esi:include src="/gone"/>`, ""},
		"/plain":  {stored60, "plain", ""},
		"/one":    {stored60, "ONE", ""},
		"/two":    {"Cache-Control: no-store\r\n", "TWO", ""},
	}, Options{Stderr: log})
	said := 0
	for _, tt := range []struct{ line, status, log string }{
		{"GET /page", "; fragments=2; fragments-hit=0", `,"fragments":3,"fragments_recovered":0,"fragments_failed":0}`},
		{"GET /page", "; fragments=2; fragments-hit=1", `,"fragments":3,"fragments_recovered":0,"fragments_failed":0}`},
		{"HEAD /page", "; hit; ttl=60", `,"fragments":0,"fragments_recovered":0,"fragments_failed":0}`},
		{"GET /mended", "; fragments=2; fragments-hit=1", `,"fragments":3,"fragments_recovered":2,"fragments_failed":0}`},
		{"GET /early", "", `,"fragments":1,"fragments_recovered":0,"fragments_failed":1,"cause":"include failed: client-status"}`},
		{"GET /late", "; fragments=1; fragments-hit=0", `,"fragments":1,"fragments_recovered":0,"fragments_failed":1,"cause":"include failed: client-status"}`},
		{"GET /plain", "; stored", `"cache_detail":"M max-age=60+0;age=0"}`},
	} {
		got := send(t, k.addr, tt.line+" HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n")
		status := ""
		for line := range strings.Lines(got) {
			if strings.HasPrefix(line, "Cache-Status: ") {
				status = strings.TrimSpace(line)
			}
		}
		if !strings.HasSuffix(status, tt.status) || (status == "") != (tt.status == "") {
			t.Errorf("%s: %s, want %s", tt.line, status, tt.status)
		}
		said++
		until(t, "the exchange is recorded", func() bool { return strings.Count(log.String(), "\n") == said })
		all := strings.Split(strings.TrimSpace(log.String()), "\n")
		if last := all[len(all)-1]; !strings.HasSuffix(last, tt.log) {
			t.Errorf("%s: %s, want %s", tt.line, last, tt.log)
		}
	}
	m := k.g.current.Load().sites[0].esi.metrics
	for what, n := range map[string][2]uint64{
		"pages": {m.Pages.Load(), 3}, "broken": {m.Broken.Load(), 2}, "left": {m.Left.Load(), 0}, "templates": {m.Templates.Load(), 4},
		"unknown elements": {m.Problems[esi.Unknown].Load(), 1}, "fragments": {m.Fragments.Load(), 11}, "ready": {m.Ready.Load(), 5},
		"failures": {m.Failures[esi.ClientStatus].Load(), 4}, "recovered": {m.Recovered.Load(), 2}, "lost": {m.Lost.Load(), 2},
	} {
		if n[0] != n[1] {
			t.Errorf("%s: %d, want %d", what, n[0], n[1])
		}
	}
}
