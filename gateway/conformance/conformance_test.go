package conformance

import (
	"slices"
	"testing"
)

// A section is rows of one kind, which share a gateway.
type section struct {
	name string
	with string // what the configuration says of the cache beside its profile
	rows []row
}

// sections are all rows there are.
var sections = []section{
	{"freshness", "", freshness},
	{"parsing", "", parsing},
	{"age", "", age},
	{"dates", "", dates},
	{"heuristics", "", heuristics},
	{"statuses", "", statuses},
	{"storing", "", storing},
	{"cookies stripped", "set_cookie: strip", cookiesStripped},
	{"cookies bypass", "set_cookie: bypass", cookiesBypass},
	{"varying", "", varying},
	{"validation", "", validation},
	{"updates", "", updates},
	{"ranges", "", ranges},
	{"methods", "", methods},
	{"fields", "", fields},
	{"interim", "", interim},
	{"targeted", "", targeted},
	{"stale", "", staleness},
	{"requests", "", requests},
	{"ignored requests", "client_directives: ignore", ignoredRequests},
	{"collapsing", "", collapsing},
	{"told", "", told},
	{"honoured", "client_directives: honour", honoured},
	{"untold", "status_header: false", untold},
	{"negative", `ttl: { default: 0s, "404": 10s, "503": 5s }`, negative},
	{"large", "max_object: 1KiB", large},
	{"purges", "", purges},
	{"keys", "", keys},
	{"configured keys", "key: { ignore_params: [utm_source], sort_params: true, headers: [X-Tier], cookies: [tier] }", configuredKeys},
}

// Every row is what happens in the profile that is made for conformance.
func TestConformanceProfile(t *testing.T) {
	for _, s := range sections {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, caching("conformance", s.with))
			for _, r := range s.rows {
				if err := w.play(r); err != nil {
					t.Errorf("%s\n\t%v", r, err)
				}
			}
		})
	}
}

// In the default profile, too, but for those that are listed, with the reason.
func TestDefaultProfile(t *testing.T) {
	for _, s := range sections {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, caching("default", s.with))
			for _, r := range s.rows {
				err, why := w.play(r), differs(r)
				switch {
				case err != nil && why == "":
					t.Errorf("%s\n\t%v", r, err)
				case err == nil && why != "":
					t.Errorf("%s: is what happens, but is said to differ: %s", r, why)
				}
			}
		})
	}
}

// differs is why a row is not what happens in the default profile; "": it is.
func differs(r row) string {
	for _, d := range differences {
		if slices.Contains(d.rows, r.String()) {
			return d.why
		}
	}
	return ""
}

// Rows are told apart by id and name, and those that are listed exist.
func TestRowsAreKnown(t *testing.T) {
	known := make(map[string]bool)
	for _, s := range sections {
		for _, r := range s.rows {
			if known[r.String()] {
				t.Errorf("%s: there are two", r)
			}
			known[r.String()] = true
		}
	}
	for _, d := range differences {
		for _, r := range d.rows {
			if !known[r] {
				t.Errorf("%s: is listed, but does not exist", r)
			}
		}
	}
}
