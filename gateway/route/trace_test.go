package route

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// addLine adds a site with one mapping: "host prefix".
func addLine(o *Options, line, sitePrefix string) {
	host, prefix, _ := strings.Cut(line, " ")
	name := fmt.Sprintf("s%d", len(o.Sites))
	o.Mappings = append(o.Mappings, Mapping{Site: len(o.Sites), Prefix: prefix})
	o.Sites = append(o.Sites, Site{Name: name, Hosts: []string{host}, PathPrefix: sitePrefix})
}

// traced is options with one mapping of every kind of misfit for a.x.
func traced() Options {
	o := Options{DefaultSite: 5}
	addLine(&o, "b.x /", "")
	addLine(&o, "a.x:81 /", "")
	addLine(&o, "a.x /", "/in")
	addLine(&o, "a.x /p", "")
	addLine(&o, "*.x /q?a=1", "")
	addLine(&o, "a.x /z", "/z")
	addLine(&o, "c.x /", "")
	o.Mappings = append(o.Mappings, Mapping{Site: 5})
	return o
}

func TestTraceSaysWhyEachMappingDidNotFit(t *testing.T) {
	table, tr := mustNew(t, traced()), &Trace{}
	misfits := []string{
		`0: site "s0" has no such host`,
		`1: site "s1" has the host at other ports`,
		`2: path prefix "/in" of the site does not match`,
		`3: prefix "/p" does not match`,
		`4: query of prefix "/q?a=1" does not match`,
		`5: path prefix "/z" of the site does not match`,
		`6: site "s6" has no such host`,
		`7: path prefix "/z" of the site does not match`,
		`5: prefix "/z" does not match, default site`,
		`7: prefix "/" matches, default site`,
	}
	for _, tt := range []struct {
		url  string
		want []string
	}{
		{"http://a.x/q", misfits},
		{"http://a.x/p/1", append(slices.Clone(misfits[:3]), `3: prefix "/p" matches`)},
		{"http:///q", misfits[8:]},
	} {
		Decide(table, request(t, tt.url), nil, noon, tr)
		if got := lines(tr); !slices.Equal(got, tt.want) {
			t.Errorf("%s:\n%s\nwant:\n%s", tt.url, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
		}
	}
}

func lines(tr *Trace) []string {
	var out []string
	for _, s := range tr.Steps {
		line := fmt.Sprintf("%d: %v", s.Mapping, s)
		if s.Unprefix {
			line += ", default site"
		}
		out = append(out, line)
	}
	return out
}

func TestHostOfIsTheHostAsConfigured(t *testing.T) {
	table := mustNew(t, one([]string{"a.example:81", "*.Example:80", "a.example"}, ""))
	for url, want := range map[string]string{
		"http://a.example:81/": "a.example:81",
		"http://a.example/":    "*.Example:80",
		"https://a.example/":   "a.example",
		"https://b.example/":   "",
	} {
		if got := table.HostOf(0, request(t, url)); got != want {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
}
