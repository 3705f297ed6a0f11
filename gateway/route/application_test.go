package route

import (
	"strings"
	"testing"
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

func TestApplicationsThatAreNone(t *testing.T) {
	for _, tt := range []struct {
		a    Application
		want string
	}{
		{Application{Name: "x", ContextRoot: "shop"}, `applications.x.context_root: "shop": must begin with "/"`},
		{Application{Name: "x", ContextRoot: "/s?a=1"}, `without a query`},
		{Application{Name: "x", Hosts: []string{"a*.b"}}, `applications.x.hosts[0]`},
		{Application{Name: "x", Patterns: []string{"*.", "x/*", "/a/*/b"}}, `applications.x.patterns[2]`},
	} {
		_, err := compileApplication(tt.a)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %s in it", tt.a, err, tt.want)
		}
	}
}
