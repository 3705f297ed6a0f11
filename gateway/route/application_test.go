package route

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func compiled(tb testing.TB, all ...Application) (cs []application, list []int) {
	tb.Helper()
	for i, a := range all {
		c, err := compileApplication(a)
		if err != nil {
			tb.Fatal(err)
		}
		cs, list = append(cs, c), append(list, i)
	}
	return cs, list
}

// M-BEST-03: A on /A/*, AB on /A/B/*: the example of the manual.
func TestBestSetOfTheManual(t *testing.T) {
	cs, list := compiled(t, Application{Name: "A", ContextRoot: "/A"}, Application{Name: "AB", ContextRoot: "/A/B"})
	for path, want := range map[string]string{
		"/A/B/myservlet": "AB", "/A/B": "AB", "/A/B/": "AB", "/A/x": "A", "/A": "A", "/A/Bx": "A", "/AB": "", "/": "", "/a/b": "",
	} {
		got := ""
		if i, _ := bestApplication(cs, list, &Request{Path: []byte(path)}); i >= 0 {
			got = cs[i].name
		}
		if got != want {
			t.Errorf("%s is of %q, want %q", path, got, want)
		}
	}
}

// M-BEST-01: the virtual host first, then the context root, then the pattern:
// exact before path before extension before default.
func TestBestApplication(t *testing.T) {
	cs, list := compiled(t,
		Application{Name: "any", ContextRoot: "/s/deep"},
		Application{Name: "host", Hosts: []string{"a.example"}, ContextRoot: "/s"},
		Application{Name: "wild", Hosts: []string{"*.example"}, ContextRoot: "/s"},
		Application{Name: "port", Hosts: []string{"a.example:8443"}, ContextRoot: "/s/t"},
		Application{Name: "default", Hosts: []string{"p"}, Patterns: []string{"/"}},
		Application{Name: "extension", Hosts: []string{"p"}, Patterns: []string{"*.jsp"}},
		Application{Name: "path", Hosts: []string{"p"}, Patterns: []string{"/x/*"}},
		Application{Name: "longer", Hosts: []string{"p"}, Patterns: []string{"/x/y/*"}},
		Application{Name: "exact", Hosts: []string{"p"}, Patterns: []string{"/x/y/z.jsp"}},
	)
	for _, tt := range []struct {
		host string
		port int
		path string
		want string
	}{
		{"a.example", 0, "/s/deep/1", "host /*"},
		{"b.example", 0, "/s/deep/1", "wild /*"},
		{"c.other", 0, "/s/deep/1", "any /*"},
		{"a.example", 8443, "/s/t", "port /*"},
		{"p", 0, "/x/y/z.jsp", "exact /x/y/z.jsp"},
		{"p", 0, "/x/y/q.jsp", "longer /x/y/*"},
		{"p", 0, "/x/q.jsp", "path /x/*"},
		{"p", 0, "/x", "path /x/*"},
		{"p", 0, "/q.jsp", "extension *.jsp"},
		{"p", 0, "/.jsp", "extension *.jsp"},
		{"p", 0, "/q.html", "default /"},
		{"p", 0, "/xy", "default /"},
		{"c.other", 0, "/", ""},
	} {
		r := &Request{Host: []byte(tt.host), Port: tt.port, Path: []byte(tt.path)}
		got := ""
		if i, pattern := bestApplication(cs, list, r); i >= 0 {
			got = cs[i].name + " " + pattern
		}
		if got != tt.want {
			t.Errorf("%s:%d%s is of %q, want %q", tt.host, tt.port, tt.path, got, tt.want)
		}
		if n := testing.AllocsPerRun(20, func() { bestApplication(cs, list, r) }); n != 0 {
			t.Errorf("%s%s: %v allocations", tt.host, tt.path, n)
		}
	}
}

// M-BEST-01: the longest virtual host is the most specific one.
func TestBestVirtualHost(t *testing.T) {
	for _, tt := range []struct {
		host string
		port int
		want string // fits better
		than string // fits, too
	}{
		{"a.example", 0, "a.example", "*.example"},
		{"a.example", 0, "a.example", "**"},
		{"a.example", 0, "*.example", "**.example"},
		{"a.example", 0, "*.example", "a.*"},
		{"abc.b.c.d", 0, "abc.**", "*.*.*.*"},
		{"a.b.example", 0, "*.b.example", "**.example"},
		{"a.b.example", 0, "*.*.example", "**.example"},
		{"a.b.example", 0, "**.b.example", "*.*.example"},
		{"a.example", 0, "**", ""},
		{"a.example", 81, "a.example:81", "a.example"},
		{"a.example", 0, "a.example:80", "a.example"},
		{"a.example", 81, "*.example:81", "*.example"},
		{"a.example", 81, "a.example", "*.example:81"},
		{"a.example", 81, "*.example", "**.example:81"},
		{"a.example", 81, "**.example", "**:81"},
		{"::1", 0, "[::1]", "**"},
	} {
		hosts := func(text string) []string { return strings.Fields(text) }
		better, worse := Application{Name: "better", Hosts: hosts(tt.want)}, Application{Name: "worse", Hosts: hosts(tt.than), ContextRoot: "/longer"}
		r := &Request{Host: []byte(tt.host), Port: tt.port, Path: []byte("/longer/x")}
		for _, order := range [][]Application{{better, worse}, {worse, better}} {
			cs, list := compiled(t, order...)
			if i, _ := bestApplication(cs, list, r); i < 0 || cs[i].name != "better" {
				t.Errorf("%s:%d is not of %q rather than of %q", tt.host, tt.port, tt.want, tt.than)
			}
			if i, _ := bestApplication(cs, []int{slices.IndexFunc(order, func(a Application) bool { return a.Name == "worse" })}, r); i < 0 {
				t.Errorf("%s:%d does not fit %q at all", tt.host, tt.port, tt.than)
			}
		}
	}
}

// Patterns are held against what lies below the context root.
func TestPatternsFitBelowTheContextRoot(t *testing.T) {
	for _, tt := range []struct {
		root     string
		patterns []string
		path     string
		want     string // the pattern that fits; empty: none does
	}{
		{"/A/B", nil, "/A/B", "/*"},
		{"/A/B/", nil, "/A/B", "/*"},
		{"/A/B", []string{}, "/A/B/", "/*"},
		{"/A/B", nil, "/A/Bx", ""},
		{"/", nil, "/", "/*"},
		{"/A", []string{"/x"}, "/A/x", "/x"},
		{"/A", []string{"/x"}, "/A/x/", ""},
		{"/A", []string{"/x"}, "/x", ""},
		{"/A", []string{"/x/*"}, "/A/x", "/x/*"},
		{"/A", []string{"/x/*"}, "/A/xy", ""},
		{"/A", []string{"*.jsp"}, "/A/x/y.jsp", "*.jsp"},
		{"/A", []string{"*.jsp"}, "/A.jsp", ""},
		{"/A", []string{"*.jsp"}, "/A/x.jsp/y", ""},
		{"/A", []string{"*.jsp"}, "/A/x.JSP", ""},
		{"/A", []string{"*.gz", "*.tar.gz"}, "/A/x.tar.gz", "*.tar.gz"},
		{"/A", []string{"/"}, "/A", "/"},
		{"/A", []string{"/", "*.jsp", "/x/*", "/x/y.jsp"}, "/A/x/y.jsp", "/x/y.jsp"},
		{"/%41", []string{"/%78", "*.%6asp"}, "/A/x", "/%78"},
		{"/%41", []string{"/%78", "*.%6asp"}, "/A/y.jsp", "*.%6asp"},
	} {
		cs, list := compiled(t, Application{Name: "x", ContextRoot: tt.root, Patterns: tt.patterns})
		if _, pattern := bestApplication(cs, list, &Request{Path: []byte(tt.path)}); pattern != tt.want {
			t.Errorf("%s below %q fits %q of %q, want %q", tt.path, tt.root, pattern, tt.patterns, tt.want)
		}
	}
}

// What does not fit says why.
func TestWhyApplicationsDoNotFit(t *testing.T) {
	cs, _ := compiled(t, Application{Name: "x", Hosts: []string{"a.example:81"}, ContextRoot: "/A/", Patterns: []string{"*.jsp"}})
	for _, tt := range []struct {
		host string
		port int
		path string
		want string
	}{
		{"b.example", 81, "/A/x.jsp", "has no such host"},
		{"a.example", 82, "/A/x.jsp", "has no such host"},
		{"a.example", 81, "/AB/x.jsp", `context root "/A" does not match`},
		{"a.example", 81, "/A/x", "no pattern of it matches"},
		{"a.example", 81, "/A/x.jsp", "fits, but another fits better"},
	} {
		if why := cs[0].why(&Request{Host: []byte(tt.host), Port: tt.port, Path: []byte(tt.path)}); why != tt.want {
			t.Errorf("%s:%d%s: %q, want %q", tt.host, tt.port, tt.path, why, tt.want)
		}
	}
}

// naiveFit is how well an application's host and pattern fit a request, by the
// words of M-BEST-01: what fits better sorts higher.
func naiveFit(a Application, host, pattern string, r *Request) (fit []int, ok bool) {
	root := strings.TrimSuffix(a.ContextRoot, "/")
	path := string(r.Path)
	if host != "" && !naiveHosts(Site{Hosts: []string{host}}, r) || root != "" && !naiveBegins(path, root, "/") {
		return nil, false
	}
	fit = append(naiveHostFit(host), len(root))
	below := strings.TrimPrefix(path, root)
	switch {
	case pattern == "/":
		return append(fit, 0, 0), true
	case pattern[0] == '*':
		return append(fit, 1, len(pattern)), strings.HasSuffix(below, pattern[1:])
	case strings.HasSuffix(pattern, "/*"):
		begin := strings.TrimSuffix(pattern, "/*")
		return append(fit, 2, len(begin)), begin == "" || naiveBegins(below, begin, "/")
	}
	return append(fit, 3, len(pattern)), below == pattern
}

// naiveHostFit: any host, else one before several, then by letters, by kind of
// wildcard, by port.
func naiveHostFit(host string) []int {
	fact := func(holds bool) int {
		if holds {
			return 1
		}
		return 0
	}
	name, _, ported := strings.Cut(host, ":")
	return []int{
		fact(host != ""), fact(!strings.Contains(name, "*")), len(strings.ReplaceAll(name, "*", "")),
		fact(!strings.Contains(name, "**")), fact(ported),
	}
}

// naiveBest looks at every host and pattern of every application.
func naiveBest(all []Application, r *Request) (best int, pattern string) {
	best = -1
	var most []int
	for i, a := range all {
		hosts := a.Hosts
		if len(hosts) == 0 {
			hosts = []string{""}
		}
		for _, h := range hosts {
			for _, p := range a.Patterns {
				if fit, ok := naiveFit(a, h, p, r); ok && slices.Compare(fit, most) > 0 {
					best, most, pattern = i, fit, p
				}
			}
		}
	}
	return best, pattern
}

var genApplication = rapid.Custom(func(t *rapid.T) Application {
	return Application{
		Hosts:       rapid.SliceOfN(genHost, 0, 2).Draw(t, "hosts"),
		ContextRoot: rapid.SampledFrom([]string{"", "/", "/a", "/a/", "/a/b", "/aa"}).Draw(t, "root"),
		Patterns:    rapid.SliceOfN(rapid.SampledFrom([]string{"/", "/*", "/a", "/a/*", "/a/b", "/a/b/*", "*.a", "*.b.a", "/b.a"}), 1, 3).Draw(t, "patterns"),
	}
})

// M-BEST-01: the best application is the one that a naive reading finds; of those
// that fit alike, the first.
func TestBestApplicationIsTheNaiveOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(genApplication, 1, 5).Draw(t, "applications")
		var cs []application
		var list []int
		for i, a := range all {
			c, err := compileApplication(a)
			if err != nil {
				t.Fatal(err)
			}
			cs, list = append(cs, c), append(list, i)
		}
		for range 10 {
			r := genRequest.Draw(t, "request")
			r.Path = append(r.Path, rapid.SampledFrom([]string{"", ".a", "b.a", "/b.b.a"}).Draw(t, "file")...)
			if len(r.Host) == 0 {
				r.Host = []byte("a")
			}
			index, pattern := bestApplication(cs, list, r)
			if best, want := naiveBest(all, r); index != best || pattern != want {
				t.Fatalf("%s:%d%s is of %d by %q, want %d by %q", r.Host, r.Port, r.Path, index, pattern, best, want)
			}
		}
	})
}

func TestApplicationsThatAreNone(t *testing.T) {
	const forms = `: write "/path", "/path/*", "*.ext", or "/" for what no other pattern fits`
	for _, tt := range []struct {
		a    Application
		want string
	}{
		{Application{ContextRoot: "shop"}, `applications.x.context_root: "shop": must begin with "/"`},
		{Application{ContextRoot: "/s?a=1"}, `applications.x.context_root: "/s?a=1": must be a path, without a query`},
		{Application{Hosts: []string{"ok", "a*.b"}}, `applications.x.hosts[1]: "a*.b": "a*": a wildcard stands for whole labels (* for one, ** for one or more)`},
		{Application{Patterns: []string{"x/*"}}, `applications.x.patterns[0]: "x/*"` + forms},
		{Application{Patterns: []string{"/a/*/b"}}, `applications.x.patterns[0]: "/a/*/b"` + forms},
		{Application{Patterns: []string{"/a*"}}, `applications.x.patterns[0]: "/a*"` + forms},
		{Application{Patterns: []string{"*"}}, `applications.x.patterns[0]: "*"` + forms},
		{Application{Patterns: []string{"/a", "/a?b"}}, `applications.x.patterns[1]: "/a?b": must be a path, without a query`},
		{Application{Patterns: []string{"*."}}, `applications.x.patterns[0]: "*.": write an extension as "*.jsp"`},
		{Application{Patterns: []string{"*.a/b"}}, `applications.x.patterns[0]: "*.a/b": write an extension as "*.jsp"`},
		{Application{Patterns: []string{"*.*"}}, `applications.x.patterns[0]: "*.*": write an extension as "*.jsp"`},
		{Application{Patterns: []string{"*.a?b"}}, `applications.x.patterns[0]: "*.a?b": must be a path, without a query`},
		{
			Application{ContextRoot: "a", Hosts: []string{""}, Patterns: []string{"b"}},
			`applications.x.hosts[0]: "": a label is empty` + "\n" + `applications.x.context_root: "a": must begin with "/"` + "\n" + `applications.x.patterns[0]: "b"` + forms,
		},
	} {
		tt.a.Name = "x"
		if _, err := compileApplication(tt.a); err == nil || err.Error() != tt.want {
			t.Errorf("%+v: %v\nwant %s", tt.a, err, tt.want)
		}
	}
}

// BenchmarkBestApplication has a budget of 1.5 µs/op and 0 allocs/op for 20
// applications of which the last one fits best.
func BenchmarkBestApplication(b *testing.B) {
	var all []Application
	for i := range 20 {
		all = append(all, Application{
			Name: fmt.Sprint(i), Hosts: []string{"*.example", "shop.example:8443"},
			ContextRoot: "/" + strings.Repeat("a/", i), Patterns: []string{"/", "*.jsp", "/x/*"},
		})
	}
	cs, list := compiled(b, all...)
	r := &Request{Host: []byte("shop.example"), Path: []byte("/" + strings.Repeat("a/", 19) + "x/y")}
	if i, _ := bestApplication(cs, list, r); i != 19 {
		b.Fatalf("it is of %d", i)
	}
	b.ReportAllocs()
	for b.Loop() {
		bestApplication(cs, list, r)
	}
}
