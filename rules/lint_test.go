package rules

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weirkeep/gateway/wire"
)

// linted are rules of all sites, which compile, and what Lint finds in them:
// "index code: message".
func linted(t *testing.T, sources ...string) (found []string) {
	t.Helper()
	var all []Linted
	for i, source := range sources {
		r := Linted{Name: fmt.Sprintf("r%d", i), When: source}
		if source != "" {
			r.Cost = compile(t, language(t), source).Cost()
		}
		all = append(all, r)
	}
	for _, f := range Lint(all, language(t)) {
		found = append(found, fmt.Sprintf("%d %s: %s", f.Rule, f.Code, f.Message))
	}
	return found
}

// One condition by itself.
func TestLintOfOne(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ source, want string }{
		{`host == "Shop.example.com"`, `W352: it is never true: host is in lower case, and "Shop.example.com" is not`},
		{`host in ["Shop.example.com", "b"]`, ``},
		{`path startsWith "shop/"`, `W352: it is never true: a path begins with a slash, and "shop/" does not`},
		{`not (path == "shop")`, `W353: it is always true: a path begins with a slash, and "shop" does not`},
		{`path == "shop" or method == "GET"`, `W354: a path begins with a slash, and "shop" does not`},
		{`path startsWith "/a%2" or path startsWith "/k%C3%A4se;v=1" or path endsWith "2F~"`, ``},
		{`glob(path, "/a%2fb/**")`, `W352: it is never true: "%2f" is written "%2F" in a path`},
		{`path endsWith "<b>"`, `W352: it is never true: "<" is written "%3C" in a path`},
		{`path in ["/käse", "/k"] or raw_path == "/käse"`, ``},
		{`path contains ""`, `W353: it is always true: every text begins with, ends with and contains the empty one`},
		{`host in []`, `W352: it is never true: nothing is in an empty list`},
		{`path == "/ä"`, `W352: it is never true: "ä" is written "%C3%A4" in a path`},
		{`path == "/%C3%A4"`, ``},
		{`path == "/a b"`, `W352: it is never true: " " is written "%20" in a path`},
		{`path == "/%c3%a4"`, `W352: it is never true: "%c3" is written "%C3" in a path`},
		{`path == "/%7Euser"`, `W352: it is never true: "%7E" is written "~" in a path`},
		{`path == "/100%"`, `W352: it is never true: "%" is written "%25" in a path`},
		{`path startsWith "/a%"`, ``},
		{`path startsWith "/a%c"`, `W352: it is never true: "%c" is written "%C" in a path`},
		{`path contains "%2f"`, `W352: it is never true: "%2f" is written "%2F" in a path`},
		{`path contains "%2F"`, ``},
		{`path contains "?"`, `W352: it is never true: a path ends before the "?": query_string and url have what follows`},
		{`raw_path == "/%7euser"`, ``},
		{`url contains "?"`, ``},
		{`path startsWith "/shop/../x"`, `W352: it is never true: a request with "/.." in its path is refused`},
		{`path endsWith "/."`, `W352: it is never true: a request with "/." in its path is refused`},
		{`path startsWith "/.well-known/"`, ``},
		{`path startsWith "/a/.."`, ``},
		{`path contains "//"`, ``},
		{`path contains ";"`, ``},
		{`glob(path, "/ä/**")`, `W352: it is never true: "ä" is written "%C3%A4" in a path`},
		{`path in ["/a b", "/ä"]`, `W352: it is never true: "ä" is written "%C3%A4" in a path`},
		{`path in ["/a b", "/a"]`, ``},
		{`lower(path) == "/X"`, `W352: it is never true: what lower() makes is in lower case, and "/X" is not`},
		{`lower(path) == "/%c3%a4"`, ``},
		{`upper(header("X")) startsWith "a"`, `W352: it is never true: what upper() makes is in upper case, and "a" is not`},
		{`in_list(path, "office")`, `W352: it is never true: nothing in the list "office" can be a path`},
		{`in_list(path, "hosts")`, ``},
		{`in_list(host, "office")`, ``},
		{`in_list(client.ip, "words")`, `W352: it is never true: there is no address in the list "words"`},
		{`path matches ".*"`, `W353: it is always true: the pattern fits every text`},
		{`path matches "^.*$"`, `W353: it is always true: the pattern fits every text`},
		{`path matches "^(.*)"`, `W353: it is always true: the pattern fits every text`},
		{`path matches "x?"`, `W353: it is always true: the pattern fits every text`},
		{`path matches "^(.*)$"`, `W353: it is always true: the pattern fits every text`},
		{`path matches "^(?:)$"`, ``},
		{`query("q") matches "^.*$"`, ``}, // %0A is a line's end
		{`path matches "^/?$"`, ``},
		{`percent(0)`, `W352: it is never true: percent(0) is true for no request`},
		{`percent(100)`, `W353: it is always true: percent(100) is true for every request`},
		{`percent(5)`, ``},
		{`bucket("a") < 100`, `W353: it is always true: it is from 0 to 99`},
		{`bucket("a") < 0`, `W352: it is never true: it is from 0 to 99`},
		{`100 <= bucket("a")`, `W352: it is never true: it is from 0 to 99`},
		{`bucket("a") < 99`, ``},
		{`now.weekday == 0`, `W352: it is never true: it is from 1 to 7`},
		{`tz("Europe/Berlin").hour in [24, 25]`, `W352: it is never true: it is from 0 to 23`},
		{`request.size >= -1`, `W353: it is always true: it is never below -1`},
		{`true`, `W353: it is always true`},
		{`method == "GET" and method == "PUT"`, `W352: it is never true`},
		{`method != "GET" or method != "PUT"`, `W353: it is always true`},
		{`method != "GET" and method != "PUT"`, ``},
		{`has_header("X") or header("x") == ""`, `W353: it is always true`},
		{`not has_cookie("a") and cookie("a") == "1"`, `W352: it is never true`},
		{`path startsWith "/a" and path startsWith "/b"`, `W352: it is never true`},
		{`path startsWith "/a" and path startsWith "/ab"`, ``},
		{`path endsWith ".js" and path endsWith ".css"`, `W352: it is never true`},
		{`port < 80 and port > 90`, `W352: it is never true`},
		{`cidr(client.ip, "10.0.0.0/8") and client.ip == ip("192.0.2.1")`, `W352: it is never true`},
		{`method == "GET" ? percent(0) : percent(0)`, `W352: it is never true: percent(0) is true for no request`},
		{`headers("x")[0] == "a" or true`, `W353: it is always true`}, // where there is none it is ""
		{`method == "get"`, `W360: "get" is another method than "GET": case matters`},
		{`client.ip in ["10.0.0.1", ip("10.0.0.2")]`, `W359: client.ip is an address, and never the text "10.0.0.1"`},
		{`path matches "^/shop/"`, `W355: matches costs 20, and something cheaper does the same`},
		{`host matches "example\\.com$"`, `W356: the pattern fits every host that ends so: others' hosts, too`},
		{`host matches "^shop\\.example\\.com"`, `W356: the pattern fits every host that goes on after it: others' hosts, too`},
		{`host matches "^[a-z]+.example\\.com$"`, `W357: the dot in the pattern stands for any character`},
		{`header("Host") matches "(a|b)$"`, ``},
		{`host matches "(^|\\.)example\\.com$"`, ``},
		{`host matches "\\.example\\.com$"`, `W355: matches costs 20, and something cheaper does the same`},
		{`host matches "^(www|shop)[0-9]+\\.example\\.(com|org)$"`, ``},
	} {
		want := []string(nil)
		if tt.want != "" {
			want = []string{"0 " + tt.want}
		}
		if got := linted(t, tt.source); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", tt.source, got, want)
		}
	}
}

// What is cheaper than an expression, and does the same.
func TestLintOfRegex(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ pattern, want string }{
		{`^/shop$`, `path == "/shop"`},
		{`^/shop`, `path startsWith "/shop"`},
		{`^/shop.*`, `path startsWith "/shop"`},
		{`^/shop/.*$`, `path startsWith "/shop/"`},
		{`\.js$`, `path endsWith ".js"`},
		{`.*\.js$`, `path endsWith ".js"`},
		{`cart`, `path contains "cart"`},
		{`^/(a|b|cd)$`, `path in ["/a", "/b", "/cd"]`},
		{`^/shop/[^/]*/cart$`, `glob(path, "/shop/*/cart")`},
		{`^/shop/.*\.js$`, `glob(path, "/shop/**.js")`},
		{`^/shop/[^/]*/`, `glob(path, "/shop/*/**")`},
		{`(?i)^/shop`, ``},
		{`^/shop/\d+$`, ``},
		{`^/shop/[^/]+/cart$`, ``},
		{`^/[a-z]x`, ``},
		{`^/a*/.*/b$`, ``},
	} {
		source := fmt.Sprintf("path matches `%s`", tt.pattern)
		hint := ""
		for _, f := range Lint([]Linted{{When: source}}, New(Options{})) {
			hint += strings.TrimPrefix(f.Hint, "write ")
			if f.Line != 1 || f.Column != len("path matches ")+1 {
				t.Errorf("%s: found at %d:%d", source, f.Line, f.Column)
			}
		}
		if hint != tt.want {
			t.Errorf("%s: %q, want %q", source, hint, tt.want)
		}
		if tt.want != "" {
			checkSame(t, source, tt.want)
		}
	}
}

// checkSame compares two conditions on paths.
func checkSame(t *testing.T, one, other string) {
	t.Helper()
	for _, path := range []string{"/shop", "/shop/", "/shop/7/cart", "/shop/7/8/cart", "/shop/a/b.js", "/a", "/b", "/cd", "/x.js", "/shop/.js", "/x/shop", "/shopping", ""} {
		r := &Request{Path: []byte(path)}
		if matches(t, one, r) != matches(t, other, r) {
			t.Errorf("%s and %s differ for %q", one, other, path)
		}
	}
}

// Which conditions are known to be true only where an earlier one is.
func TestLintOfTwo(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		first, second string
		want          string // code of the finding about the second
	}{
		{``, `method == "GET"`, "W350"},
		{``, ``, "W351"},
		{`method == "GET"`, ``, ""},
		{`method == "GET"`, `"GET" == method`, "W351"},
		{`header("X") == "a"`, `header("x")=='a'`, "W351"},
		{`cookie("X") == "a"`, `cookie("x") == "a"`, ""},
		{`percent(5)`, `percent(5)`, ""}, // each is drawn for itself
		{`percent(5) or method == "GET"`, `method == "GET"`, "W350"},
		{`bucket("a") < 5`, `bucket("a") < 5`, "W351"},
		{`bucket("a") < 5`, `bucket("a") < 4`, "W350"},
		{`bucket("a") < 5`, `bucket("b") < 4`, ""},
		{`path startsWith "/shop/"`, `path startsWith "/shop/cart"`, "W350"},
		{`path startsWith "/shop/"`, `path == "/shop/cart"`, "W350"},
		{`path startsWith "/shop/"`, `path startsWith "/shop"`, ""},
		{`path startsWith "/shop/"`, `raw_path startsWith "/shop/"`, ""},
		{`path startsWith "/shop/"`, `glob(path, "/shop/*/cart")`, "W350"},
		{`glob(path, "/shop/**")`, `path startsWith "/shop/a" and method == "PUT"`, "W350"},
		{`glob(path, "/shop/*")`, `path startsWith "/shop/a"`, ""},
		{`like(path, "/shop/%")`, `path matches "^/shop/\\d+$"`, "W350"},
		{`like(path, "/shop/%")`, `path matches "/shop/\\d+$"`, ""},
		{`ilike(path, "/shop/%")`, `path startsWith "/shop/"`, ""},
		{`ilike(path, "/SHOP/%")`, `path in ["/shop/a", "/Shop/b"]`, "W350"},
		{`host in ["a", "b"]`, `host == "a"`, "W350"},
		{`host in ["a", "b"]`, `host in ["a", "c"]`, ""},
		{`host endsWith ".example"`, `host == "a.example"`, "W350"},
		{`host contains "shop"`, `host startsWith "myshop."`, "W350"},
		{`method != "POST"`, `method == "GET"`, "W350"},
		{`method not in ["POST", "PUT"]`, `method != "POST"`, ""},
		{`method != "POST"`, `method not in ["POST", "PUT"]`, "W350"},
		{`has_header("X")`, `header("X") == "a"`, "W350"},
		{`has_header("X")`, `header("X") != "a"`, ""},
		{`has_query("a")`, `query("a") startsWith "b"`, "W350"},
		{`header("X") != "a"`, `not has_header("X")`, "W350"},
		{`port > 1000`, `port in [8080, 8443]`, "W350"},
		{`port > 1000`, `port >= 1001`, "W351"},
		{`port >= 1000`, `not (port < 2000)`, ""},
		{`cidr(client.ip, "10.0.0.0/8", "192.0.2.0/24")`, `cidr(client.ip, "10.1.0.0/16", "192.0.2.7")`, "W350"},
		{`cidr(client.ip, "10.0.0.0/8")`, `client.ip in [ip("10.0.0.1"), ip("10.0.0.2")]`, "W350"},
		{`cidr(client.ip, "10.0.0.0/8")`, `cidr(peer.ip, "10.0.0.0/8")`, ""},
		{`cidr(client.ip, "10.0.0.0/8")`, `cidr(client.ip, "10.0.0.0/8", "192.0.2.7")`, ""},
		{`in_list(client.ip, "office")`, `in_list(client.ip, "office") and method == "GET"`, "W350"},
		{`session.new`, `session.new and method == "GET"`, "W350"},
		{`method == "GET" or method == "HEAD"`, `method in ["GET"] and host == "a"`, "W350"},
		{`method == "GET" and host == "a"`, `host == "a" and path == "/" and method == "GET"`, "W350"},
		{`method == "GET" and host == "a"`, `host == "a"`, ""},
		{`method == "GET" or host == "a"`, `not (method != "GET" and host != "a")`, "W351"},
		{`method == "GET" ? host == "a" : host == "b"`, `method == "GET" and host == "a"`, "W350"},
		{`headers("x")[0] == "a" or method == "GET"`, `method == "GET"`, "W350"},
	} {
		code := ""
		for _, f := range linted(t, tt.first, tt.second) {
			if got, isSecond := strings.CutPrefix(f, "1 "); isSecond {
				code += got[:4]
			}
		}
		code = strings.ReplaceAll(code, CodeRegex, "")
		if code != tt.want {
			t.Errorf("%s, then %s: %q, want %q", tt.first, tt.second, code, tt.want)
		}
	}
}

// Rules of a site hide those of the same site, and those of all sites hide each.
func TestLintKeepsSitesApart(t *testing.T) {
	t.Parallel()
	found := Lint([]Linted{
		{Name: "all", When: `path == "/a"`},
		{Name: "one", Site: "shop", When: `path == "/b"`},
		{Name: "two", Site: "news", When: `path == "/b"`},
		{Site: "shop", When: `path == "/a"`},
		{Site: "shop", When: `path == "/b" and method == "GET"`},
	}, New(Options{}))
	want := []Finding{
		{3, Error{Code: CodeDuplicate, Message: `it can never match: rule "all" has the same condition and comes first`, Hint: "delete one of the two"}},
		{4, Error{Code: CodeUnreachable, Message: `it can never match: rule "one" comes first and takes every request that it would`, Hint: "put it before that rule, or delete it"}},
	}
	if !slices.Equal(found, want) {
		t.Errorf("found %+v, want %+v", found, want)
	}
}

func TestLintOfCost(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		cost, limit int
		found       bool
	}{{400, 0, false}, {401, 0, true}, {401, 1000, false}, {81, 100, true}} {
		found := Lint([]Linted{{When: "session.new", Cost: tt.cost}}, New(Options{CostLimit: tt.limit}))
		if got := len(found) == 1 && found[0].Code == CodeNearLimit; got != tt.found {
			t.Errorf("cost %d of %d: found %v", tt.cost, tt.limit, found)
		}
	}
}

// Thousands of rules are looked at in bounded time.
func TestLintOfMany(t *testing.T) {
	t.Parallel()
	var all []Linted
	for i := range 5000 {
		all = append(all, Linted{When: fmt.Sprintf(`path startsWith "/%d/" and (method == "GET" or host in ["a", "b"])`, i)})
	}
	start := time.Now()
	if found := Lint(all, New(Options{})); len(found) > 0 {
		t.Errorf("found %v", found[0])
	}
	if took := time.Since(start); took > time.Minute {
		t.Errorf("it took %v", took)
	}
}

// No false positives: where Lint says that a rule can never match, or is never or
// always true, no request shows otherwise.
func TestLintIsRight(t *testing.T) {
	t.Parallel()
	l := language(t)
	rapid.Check(t, func(t *rapid.T) {
		first, second := conditionOf(t, 3), conditionOf(t, 3)
		found := Lint([]Linted{{When: first}, {When: second}}, New(Options{}))
		if len(found) == 0 {
			return
		}
		one, errs := l.Compile("one", first)
		two, more := l.Compile("two", second)
		if errs != nil || more != nil {
			t.Fatalf("%s, %s: %v %v", first, second, errs, more)
		}
		for range 40 {
			r := requestOf(t)
			a, _ := one.Match(r)
			b, _ := two.Match(r)
			for _, f := range found {
				checkFinding(t, f, []bool{a, b})
			}
		}
	})
}

// No part of a path that the gateway has read is called impossible.
func TestCanonicalPathsArePossible(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		raw := "/" + rapid.StringOfN(rapid.RuneFrom([]rune(`/.;%257EeCc3a4Aä~*+"{|`)), 0, 12, -1).Draw(t, "raw")
		var target wire.Target
		if target.Parse([]byte(raw)) != nil {
			return
		}
		path := string(target.Path)
		from := rapid.IntRange(0, len(path)).Draw(t, "from")
		to := rapid.IntRange(from, len(path)).Draw(t, "to")
		for at, part := range map[place]string{entire: path, start: path[:to], middle: path[from:to], end: path[from:]} {
			if why := notCanonical(part, at); why != "" {
				t.Errorf("%q of %q: %s", part, path, why)
			}
		}
	})
}

func checkFinding(t *rapid.T, f Finding, values []bool) {
	switch {
	case f.Code == CodeNever && values[f.Rule], f.Code == CodeAlways && !values[f.Rule]:
		t.Fatalf("%v, and it is %v", f, values[f.Rule])
	case (f.Code == CodeUnreachable || f.Code == CodeDuplicate) && values[1] && !values[0]:
		t.Fatalf("%v, and the second alone is true", f)
	}
}

// conditionOf draws a condition on a few values, so that many are related.
func conditionOf(t *rapid.T, depth int) string {
	if depth == 0 || rapid.IntRange(0, 3).Draw(t, "leaf") == 0 {
		return rapid.SampledFrom([]string{
			`path == "/a"`, `path startsWith "/a"`, `path startsWith "/a/b"`, `path endsWith "b"`, `path contains "a/"`, `path in ["/a", "/a/b"]`,
			`glob(path, "/a/*")`, `glob(path, "/a/**")`, `like(path, "/a%")`, `ilike(path, "/A%")`, `path matches "^/a/"`, `path matches "b$"`, `path != "/"`,
			`has_header("X")`, `header("X") == ""`, `header("x") == "a"`, `header("X") startsWith "a"`, `header("X") in ["a", "b"]`, `header("X") != "b"`,
			`port < 80`, `port <= 80`, `port > 79`, `port == 80`, `port in [79, 81]`, `port != 81`, `80 < port`,
			`cidr(client.ip, "10.0.0.0/8")`, `cidr(client.ip, "10.0.0.0/31")`, `client.ip == ip("10.0.0.1")`, `client.ip in [ip("10.0.0.0"), ip("10.0.0.1")]`,
			`path matches ".*"`, `path matches "^.*$"`, `lower(path) == "/A"`, `path contains "%7e"`,
			`percent(0)`, `percent(100)`, `true`, `host == "A"`, `headers("X")[0] == "a"`, `now.hour > 23`,
		}).Draw(t, "condition")
	}
	switch rapid.IntRange(0, 4).Draw(t, "join") {
	case 0:
		return "not (" + conditionOf(t, depth-1) + ")"
	case 1:
		return "(" + conditionOf(t, depth-1) + " ? " + conditionOf(t, depth-1) + " : " + conditionOf(t, depth-1) + ")"
	case 2:
		return "(" + conditionOf(t, depth-1) + " or " + conditionOf(t, depth-1) + ")"
	}
	return "(" + conditionOf(t, depth-1) + " and " + conditionOf(t, depth-1) + ")"
}

func requestOf(t *rapid.T) *Request {
	r := request()
	r.Path = []byte(rapid.SampledFrom([]string{"/", "/a", "/a/", "/a/b", "/a/b/c", "/A/b", "/b", "/ab"}).Draw(t, "path"))
	r.Port = rapid.IntRange(78, 82).Draw(t, "port")
	r.Client = netip.MustParseAddrPort(rapid.SampledFrom([]string{"10.0.0.0:1", "10.0.0.1:1", "10.0.0.2:1", "11.0.0.1:1", "[::1]:1"}).Draw(t, "client"))
	r.Fields = nil
	if value := rapid.SampledFrom([]string{"-", "", "a", "ab", "b"}).Draw(t, "X"); value != "-" {
		r.Fields = fields("X", value)
	}
	return r
}
