package route

import (
	"fmt"
	"testing"
)

// fifty makes 50 mappings; the last one is that of the returned request.
func fifty(hostOf, prefixOf func(i int) string) Options {
	o := Options{DefaultSite: -1}
	for i := range 50 {
		addLine(&o, hostOf(i)+" "+prefixOf(i), "")
	}
	return o
}

func same(text string) func(int) string { return func(int) string { return text } }

func numbered(format string) func(int) string {
	return func(i int) string { return fmt.Sprintf(format, i) }
}

// oneSite gives all mappings to the first site.
func oneSite(o Options) Options {
	for i := range o.Mappings {
		o.Mappings[i].Site = 0
	}
	o.Sites = o.Sites[:1]
	return o
}

// worst is the tables with 50 mappings of which the last one fits.
func worst() []struct {
	name string
	o    Options
	url  string
} {
	return []struct {
		name string
		o    Options
		url  string
	}{
		{"hosts", fifty(numbered("s%d.example"), same("/")), "http://s49.example/a/b"},
		{"prefixes", oneSite(fifty(same("h.example"), numbered("/app%d"))), "http://h.example/app49/x"},
		{"queries", oneSite(fifty(same("h.example"), numbered("/app?page=%d"))), "http://h.example/app?page=49&x=1"},
		{"wildcards", fifty(numbered("*.s%d.example"), same("/")), "http://www.s49.example/a"},
		{"open wildcards", fifty(numbered("www.*.s%d.*"), same("/")), "http://www.x.s49.example/a"},
	}
}

func TestDecideAllocatesNothing(t *testing.T) {
	for _, tt := range worst() {
		table, r := mustNew(t, tt.o), request(t, tt.url)
		if d := Decide(table, r, nil, noon, nil); d.Mapping != 49 {
			t.Fatalf("%s: mapping %d, want 49", tt.name, d.Mapping)
		}
		if n := testing.AllocsPerRun(200, func() { Decide(table, r, nil, noon, nil) }); n != 0 {
			t.Errorf("%s: Decide allocates %v times, want 0", tt.name, n)
		}
	}
}

// BenchmarkDecide has a budget of 1 µs/op and 0 allocs/op with 50 mappings of
// which the last one fits; 1.5 µs if each is a wildcard that ends in another, so
// that a look at the last labels does not tell them apart.
func BenchmarkDecide(b *testing.B) {
	for _, tt := range worst() {
		b.Run(tt.name, func(b *testing.B) {
			table, r := mustNew(b, tt.o), request(b, tt.url)
			b.ReportAllocs()
			for b.Loop() {
				Decide(table, r, nil, noon, nil)
			}
		})
	}
}
