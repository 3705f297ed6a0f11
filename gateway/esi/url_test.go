package esi

import "testing"

// The rows are those of RFC 3986, 5.4, as far as they are http, and ours.
func TestReferencesAreResolved(t *testing.T) {
	base := URL{Authority: "a", Target: "/b/c/d;p?q"}
	for ref, want := range map[string]string{
		"g": "http://a/b/c/g", "./g": "http://a/b/c/g", "g/": "http://a/b/c/g/", "/g": "http://a/g", "//g": "http://g/",
		"?y": "http://a/b/c/d;p?y", "g?y": "http://a/b/c/g?y", "g#s": "http://a/b/c/g", "g?y#s": "http://a/b/c/g?y",
		"g;x": "http://a/b/c/g;x", ".": "http://a/b/c/", "./": "http://a/b/c/", "..": "http://a/b/", "../": "http://a/b/",
		"../g": "http://a/b/g", "../..": "http://a/", "../../g": "http://a/g", "../../../g": "http://a/g", "/./g": "http://a/g",
		"/../g": "http://a/g", "g.": "http://a/b/c/g.", "..g": "http://a/b/c/..g", "./../g": "http://a/b/g", "g/./h": "http://a/b/c/g/h",
		"g?y/../x": "http://a/b/c/g?y/../x", "https://h:443/x": "https://h/x", "http://H:80": "http://h/", "https://h:80/": "https://h:80/",
		"http://[::1]:8080/": "http://[::1]:8080/", "HTTP://h/": "http://h/",

		"": "", "#s": "", "g:h": "", "http:g": "", "http:/g": "", "http:///g": "", "ftp://h/": "", "http://u@h/": "", "http://h:0/": "",
		"http://h h/": "", "g h": "", "g\th": "", "g\nh": "", "g\x00h": "", "g\\h": "", "%2e%2e/g": "", "g/..;x": "", "g%zz": "", "a?b c": "",
		"http://": "", "https:": "", "javascript:x": "", "http://[::1": "", "http://h%2e/": "",
	} {
		u, ok := base.Resolve(ref)
		got := ""
		if ok {
			got = u.String()
		}
		if got != want {
			t.Errorf("%q is %q, want %q", ref, got, want)
		}
	}
}

func TestSameOrigin(t *testing.T) {
	page := URLOf(true, []byte("web.example"), 443, []byte("/"))
	for ref, want := range map[string]bool{
		"/x": true, "//web.example/": true, "https://WEB.example:443/": true, "http://web.example/": false,
		"https://web.example:444/": false, "https://other.example/": false,
	} {
		if u, ok := page.Resolve(ref); !ok || u.SameOrigin(page) != want {
			t.Errorf("%s is of the same origin: %v, want %v", ref, u.SameOrigin(page), want)
		}
	}
}

// Z2: values in URLs are words of path and query, and no more.
func TestValuesInURLs(t *testing.T) {
	for ref, want := range map[string]string{
		`/u/$(HTTP_REFERER)`:                         "/u/http%3A%2F%2Fr.example%2F%3Fa%3D1%26b%3D2",
		`/u/$(QUERY_STRING{c})?c=$(QUERY_STRING{e})`: "/u/Bergen?c=%3Cb%3E%20%26",
		`/k?$(QUERY_STRING_ENCODED{e})`:              "/k?%3Cb%3E%20%26",
		`/u/$(QUERY_STRING{d})x`:                     "/u/%2e%2ex",
		`/k/$(QUERY_STRING{none})`:                   "/k/",
		`http://h/$(QUERY_STRING{c})`:                "http://h/Bergen",
		`http://h?$(QUERY_STRING{c})`:                "http://h/?Bergen",
		`?$(QUERY_STRING{c})`:                        "/d/e/f?Bergen",
		`$(QUERY_STRING{c})/x`:                       "/d/e/Bergen/x",
		`/a?u=$(HTTP_REFERER)`:                       "/a?u=http%3A%2F%2Fr.example%2F%3Fa%3D1%26b%3D2",
		`/k?x=..&y=$(QUERY_STRING{d})`:               "/k?x=..&y=%2e%2e",

		`/u/$(HTTP_COOKIE{id})`:           "", // "..%2F..%2Fadmin%3Fx", which some read as "../../admin?x"
		`/u/$(QUERY_STRING{d})/x`:         "", // ".."
		`/u/$(QUERY_STRING{none}|'..')`:   "",
		`/u/.$(QUERY_STRING{none})./x`:    "",
		`/u/%2e$(QUERY_STRING{none}|.)/x`: "",
		`/u/$(QUERY_STRING{d});x`:         "",
		`/u/$(QUERY_STRING{n})`:           "", // NUL
		`/k?$(QUERY_STRING)`:              "",
		`http://$(HTTP_HOST)/x`:           "",
		`http://h$(QUERY_STRING{none})/x`: "",
		`http://h$(QUERY_STRING{none})`:   "",
		`http:$(QUERY_STRING{none})//h/x`: "",
		`$(QUERY_STRING{none})//h/x`:      "",
		`/$(QUERY_STRING{none})/h/x`:      "",
		`$(QUERY_STRING{none})http://h/x`: "",
		`ht$(QUERY_STRING{none})tp://h/x`: "",
		`//h:$(QUERY_STRING{x})/x`:        "",
		`$(QUERY_STRING{none})`:           "",
		`/a b$(QUERY_STRING{c})`:          "",
		`javascript:$(QUERY_STRING{c})`:   "",
	} {
		var b builder
		r := reader{client: visitor()}
		got := ""
		if text, ok := r.expand(b.mix(ref), b.program.variables); ok {
			if u, ok := pageURL.Resolve(text); ok {
				got = (&shelf{}).key(u)
			}
		}
		if got != want {
			t.Errorf("%q is %q, want %q", ref, got, want)
		}
	}
}

// A whole query is passed on as it came, as far as a query may have it.
func TestWholeQueriesArePassedOn(t *testing.T) {
	var b builder
	r := reader{client: &Client{Query: []byte(`a=1&b=%20x+y&c=%zz;d<'>&ö`)}}
	got, ok := r.expand(b.mix("/k?$(QUERY_STRING)"), b.program.variables)
	if want := `/k?a=1&b=%20x+y&c=%25zz;d%3C%27%3E&%C3%B6`; !ok || got != want {
		t.Errorf("the URL is %q, want %q", got, want)
	}
	got, ok = r.expand(b.mix("/p/$(QUERY_STRING)"), b.program.variables)
	if want := `/p/a%3D1%26b%3D%20x%20y%26c%3D%25zz%3Bd%3C%27%3E%26%C3%B6`; !ok || got != want {
		t.Errorf("in a path it is %q, want %q", got, want)
	}
}

func TestURLOf(t *testing.T) {
	for _, tt := range []struct {
		secure bool
		host   string
		port   int
		want   string
	}{
		{false, "a", 0, "http://a/x?y"}, {false, "a", 80, "http://a/x?y"}, {true, "a", 80, "https://a:80/x?y"}, {true, "a", 443, "https://a/x?y"},
		{false, "::1", 8080, "http://[::1]:8080/x?y"}, {true, "::1", 0, "https://[::1]/x?y"}, {false, "", 0, "http:///x?y"},
	} {
		if got := URLOf(tt.secure, []byte(tt.host), tt.port, []byte("/x?y")).String(); got != tt.want {
			t.Errorf("%v %q %d: %s, want %s", tt.secure, tt.host, tt.port, got, tt.want)
		}
	}
}
