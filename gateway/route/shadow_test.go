package route

import (
	"slices"
	"testing"
)

// M-MAP-03
func TestUnreachableFindsTheWrongOrder(t *testing.T) {
	if got := mustNew(t, workedExample(0, 1, 2)).Unreachable(); got != nil {
		t.Errorf("right order: %v, want none", got)
	}
	got := mustNew(t, workedExample(2, 0, 1)).Unreachable()
	if want := []Shadow{{Mapping: 1, By: 0}, {Mapping: 2, By: 0}}; !slices.Equal(got, want) {
		t.Errorf("bare host first: %v, want %v", got, want)
	}
}

// M-MAP-04: one alias of the first site is left when the wildcard comes first.
func TestUnreachableInFigure13(t *testing.T) {
	if got := mustNew(t, figure(false)).Unreachable(); got != nil {
		t.Errorf("wildcard last: %v, want none", got)
	}
	got := mustNew(t, figure(true)).Unreachable()
	if want := []Shadow{{Mapping: 2, By: 0}}; !slices.Equal(got, want) {
		t.Errorf("wildcard first: %v, want %v", got, want)
	}
}

// Each row is one mapping before another, of two sites.
func TestShadowOfTwoSites(t *testing.T) {
	for _, tt := range []struct {
		name          string
		before, after string // host, then the mapping's prefix
		shadowed      bool
	}{
		{name: "same host", before: "a.x /", after: "a.x /", shadowed: true},
		{name: "other host", before: "a.x /", after: "b.x /"},
		{name: "any port before one", before: "a.x /", after: "a.x:80 /", shadowed: true},
		{name: "one port before any", before: "a.x:80 /", after: "a.x /"},
		{name: "other port", before: "a.x:80 /", after: "a.x:81 /"},
		{name: "wildcard before a name", before: "*.x /", after: "a.x /", shadowed: true},
		{name: "name before a wildcard", before: "a.x /", after: "*.x /"},
		{name: "many labels before one", before: "**.x /", after: "*.x /", shadowed: true},
		{name: "one label before many", before: "*.x /", after: "**.x /"},
		{name: "everything before anything", before: "** /", after: "a.**.b.*:80 /p?q", shadowed: true},
		{name: "two labels of any before one of two", before: "*.**.x /", after: "a.*.x /", shadowed: true},
		{name: "prefix before a longer one", before: "a.x /p", after: "a.x /p/q", shadowed: true},
		{name: "longer prefix first", before: "a.x /p/q", after: "a.x /p"},
		{name: "not at a segment boundary", before: "a.x /p", after: "a.x /pq"},
		{name: "directory before its name", before: "a.x /p/", after: "a.x /p"},
		{name: "path before path and query", before: "a.x /p", after: "a.x /p?q", shadowed: true},
		{name: "query before its path", before: "a.x /p?q", after: "a.x /p"},
		{name: "query before a longer one", before: "a.x /p?q", after: "a.x /p?q&r", shadowed: true},
		{name: "query not at a boundary", before: "a.x /p?q", after: "a.x /p?qr"},
		{name: "same query, one escaped", before: "a.x /p?q_", after: "a.x /p?q%5F", shadowed: true},
		{name: "query at another path", before: "a.x /p?q", after: "a.x /p/r?q"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := Options{DefaultSite: -1}
			addLine(&o, tt.before, "")
			addLine(&o, tt.after, "")
			if got := len(mustNew(t, o).Unreachable()) == 1; got != tt.shadowed {
				t.Errorf("unreachable: %v, want %v", got, tt.shadowed)
			}
		})
	}
}

func TestShadowBySitePrefix(t *testing.T) {
	for _, tt := range []struct {
		name        string
		sites       [2]string // path prefixes of two sites of one host
		defaultSite int
		shadowed    bool
	}{
		{name: "wider site first", sites: [2]string{"/", "/shop"}, defaultSite: -1, shadowed: true},
		{name: "narrower site first", sites: [2]string{"/shop", "/"}, defaultSite: -1},
		{name: "the default site keeps requests without host", sites: [2]string{"/", "/shop"}, defaultSite: 1},
		{name: "the default site first, as it is written", sites: [2]string{"/shop", "/shop/x"}, defaultSite: 0, shadowed: true},
		{name: "the default site's own prefix yields", sites: [2]string{"/shop", "/"}, defaultSite: 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := Options{DefaultSite: tt.defaultSite}
			addLine(&o, "a.x /", tt.sites[0])
			addLine(&o, "a.x /", tt.sites[1])
			if got := len(mustNew(t, o).Unreachable()) == 1; got != tt.shadowed {
				t.Errorf("unreachable: %v, want %v", got, tt.shadowed)
			}
		})
	}
}

// A mapping leaves to those after it what none of its applications serves.
func TestShadowByApplications(t *testing.T) {
	for _, tt := range []struct {
		name          string
		before, after []int // applications of two mappings of one site
		shadowed      bool
	}{
		{name: "none named before some", after: []int{0}, shadowed: true},
		{name: "some before none named", before: []int{0}},
		{name: "the same", before: []int{0}, after: []int{0}, shadowed: true},
		{name: "more before fewer", before: []int{0, 1}, after: []int{1}, shadowed: true},
		{name: "fewer before more", before: []int{1}, after: []int{0, 1}},
		{name: "others", before: []int{0}, after: []int{1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := Options{DefaultSite: -1, Applications: []Application{{Name: "a", ContextRoot: "/a"}, {Name: "b", ContextRoot: "/b"}}}
			addLine(&o, "a.x /", "")
			o.Mappings[0].Applications = tt.before
			o.Mappings = append(o.Mappings, Mapping{Applications: tt.after})
			if got := len(mustNew(t, o).Unreachable()) == 1; got != tt.shadowed {
				t.Errorf("unreachable: %v, want %v", got, tt.shadowed)
			}
		})
	}
}
