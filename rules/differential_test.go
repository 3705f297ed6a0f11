package rules

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// leafSources are comparisons of every kind; %s is a constant.
var leafSources = []string{
	`method == %s`, `%s != host`, `path startsWith %s`, `raw_path endsWith %s`, `query_string contains %s`, `url >= %s`,
	`header("X-Kind") == %s`, `cookie("beta") in [%s, "1"]`, `query("q") < %s`, `has_header("X-Level")`, `has_cookie("a")`, `has_query("tz")`,
	`lower(header("X-Kind")) == %s`, `upper(query("tz")) != %s`, `trim(query("q")) contains %s`, `after(path, %s) == ""`, `before(host, %s) != ""`,
	`len(header("X-Kind")) > 3`, `int(header("X-Level"), 5) <= 12`, `port in [80, 8443]`, `client.port != 0`, `request.size == -1`,
	`client.ip == ip("10.1.2.3")`, `peer.ip in [ip("192.0.2.7"), ip("::1")]`, `client.ip != peer.ip`, `cidr(client.ip, "10.0.0.0/8", "::/0")`,
	`in_list(client.ip, "office")`, `in_list(host, "hosts")`, `in_list(header("X-Kind"), "words")`,
	`glob(path, "/shop/**")`, `like(url, "%%7%%")`, `ilike(header("User-Agent"), "%%MOBILE%%")`, `host matches "^shop"`,
	`tls.sni == host`, `tls.version == %s`, `client.cert.subject != %s`, `session.id == %s`, `session.primary == %s`, `session.new`,
	`now.hour < 14`, `now.weekday == 7`, `tz("Europe/Berlin").hour == 14`, `cluster("shop").up > 0`, `bucket("x") < 50`, `percent(50)`,
	`site == %s`, `cell == "main"`, `node.name == %s`, `http.version == "1.1"`, `scheme == %s`, `request.id == %s`,
	`status in [502, 503]`, `status >= 500`, `attempts < 2`, `content_type == %s`, `content_type startsWith "text/"`, `response_header("X-Cache") == %s`,
	`lower(response_header("X-Cache")) contains %s`, `int(response_header("X-Age"), 7) != status`, `response_header("X-Cache") != header("X-Kind")`,
}

// slowSources are comparisons that the expression's machine makes, at least in part.
var slowSources = []string{
	`"Beta" in headers("X-Kind")`, `len(client.cert.san) > 0`, `lower(session.new ? host : method) == %s`, `(cookie("beta") ?? "x") == %s`,
	`tz("Europe/Berlin").hour == (session.new ? 1 : 14)`, `glob(session.new ? path : url, "/shop/**")`, `like(before(path, host), "%%c_rt")`,
	`ilike(session.new ? host : session.id, "X%%")`, `cidr(session.new ? peer.ip : client.ip, "10.0.0.0/8")`, `in_list(session.new ? "Beta" : host, "words")`,
	`header(lower(method)) == %s`, `query(method) == %s`, `has_cookie(host)`, `int(header("X-Level"), port) > 11`, `now == tz("UTC")`,
	`cluster("shop").up == (session.new ? 0 : 1)`, `method in ["GET", 1]`, `1 < port and port <= 8443`, `1 <= port < 8443`, `ip("10.1.2.3") in [client.ip]`,
	`has_header("X-Kind") == session.new`, `(session.new ?: has_query("q"))`, `request == request`, `port == 80.0`,
	`response_header(lower("X-CACHE")) == %s`, `(session.new ? content_type : host) != %s`, `1 <= attempts <= 2`, `(session.new ? status : attempts) > 1`,
}

var constantsOfTests = []string{"", "GET", "shop.example.com", "/shop", "beta", "Beta", "1", "tz=EST", "1.3", "x!17!18", "17", "r-1", "https", "é"}

// drawExpression draws an expression of some depth.
func drawExpression(t *rapid.T, depth int) string {
	if depth == 0 || rapid.IntRange(0, 2).Draw(t, "leaf") == 0 {
		sources := leafSources
		if rapid.IntRange(0, 3).Draw(t, "slow") == 0 {
			sources = slowSources
		}
		source := rapid.SampledFrom(sources).Draw(t, "leaf")
		if strings.Contains(source, "%s") || strings.Contains(source, "%%") {
			constant := fmt.Sprintf("%q", rapid.SampledFrom(constantsOfTests).Draw(t, "constant"))
			source = strings.ReplaceAll(strings.ReplaceAll(source, "%s", constant), "%%", "%")
		}
		return source
	}
	a, b := drawExpression(t, depth-1), drawExpression(t, depth-1)
	switch rapid.IntRange(0, 3).Draw(t, "join") {
	case 0:
		return "(" + a + ") and (" + b + ")"
	case 1:
		return "(" + a + ") or (" + b + ")"
	case 2:
		return "not (" + a + ")"
	}
	return "(" + a + ") ? (" + b + ") : (" + drawExpression(t, depth-1) + ")"
}

// drawRequest draws a request that has some of what leaves ask for.
func drawRequest(t *rapid.T) *Request {
	r := request()
	if rapid.Bool().Draw(t, "bare") {
		r = &Request{Now: r.Now}
	}
	pick := func(name string) []byte { return []byte(rapid.SampledFrom(constantsOfTests).Draw(t, name)) }
	r.Method, r.Host, r.Path = pick("method"), pick("host"), pick("path")
	r.Query = []byte(rapid.SampledFrom([]string{"", "q=a+b%20c", "tz=EST&tz=CET", "q", "=x", "%71=1&debug=%zz"}).Draw(t, "query"))
	r.Fields = append(r.Fields, fields("X-Kind", string(pick("kind")), "Cookie", "beta="+string(pick("beta"))+"; a")...)
	r.Session.ID, r.ID = pick("session"), pick("id")
	r.Response.Status, r.Response.Attempts = rapid.SampledFrom([]int{0, 200, 502, 503}).Draw(t, "status"), rapid.IntRange(1, 3).Draw(t, "attempts")
	r.Response.Fields = append(r.Response.Fields, fields("content-type", string(pick("content type"))+" ; q=1", "X-Cache", string(pick("cache")))...)
	return r
}

// What is patched says what the expression's own machine says.
func TestPatchesChangeNothing(t *testing.T) {
	t.Parallel()
	patched, plain := languageOf(t, widest), languageOf(t, widest)
	plain.unpatched = true
	rapid.Check(t, func(t *rapid.T) {
		source, r := drawExpression(t, 3), drawRequest(t)
		a, errs := patched.Compile("rule", source)
		if errs != nil {
			if errs[0].Code == codeCost || errs[0].Code == codeLarge {
				return // over a limit: never evaluated
			}
			t.Fatalf("%s: %v", source, errs[0])
		}
		b, errs := plain.Compile("rule", source)
		if errs != nil {
			t.Fatalf("%s, unpatched: %v", source, errs[0])
		}
		got, err := a.Match(r)
		want, plainErr := b.Match(r)
		if got != want || err != nil || plainErr != nil {
			t.Errorf("%s is %v (%v), unpatched %v (%v)", source, got, err, want, plainErr)
		}
	})
}

// An index may leave out no rule that matches.
func TestRequirementsHold(t *testing.T) {
	t.Parallel()
	l := languageOf(t, widest)
	rapid.Check(t, func(t *rapid.T) {
		source, r := drawExpression(t, 3), drawRequest(t)
		p, errs := l.Compile("rule", source)
		if errs != nil && errs[0].Code != codeCost && errs[0].Code != codeLarge {
			t.Fatalf("%s: %v", source, errs[0])
		}
		if errs != nil {
			return // over a limit: never evaluated
		}
		q := p.Requires()
		in := func(all []string, b []byte) bool {
			for _, s := range all {
				if s == string(b) {
					return true
				}
			}
			return all == nil
		}
		holds := in(q.Methods, r.Method) && in(q.Hosts, r.Host) && strings.HasPrefix(string(r.Path), q.Path) && (!q.PathIs || string(r.Path) == q.Path)
		if ok, _ := p.Match(r); ok && !holds {
			t.Errorf("%s matches %s %s%s, and requires %+v", source, r.Method, r.Host, r.Path, q)
		}
	})
}

// All that is not patched is called slow, as it was written.
func TestSlow(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ source, want string }{
		{`method == "GET" and header("X") startsWith "a"`, ``},
		{`"GET" == method and not (path in ["/a"])`, ``},
		{`header("X") == header("Y") and len(cookie("a")) > 3`, ``},
		{`headers("X")[0] == "a"`, `headers("X")`},
		{`len(client.cert.san) > 0 and port == 80`, `len(client.cert.san)`},
		{`lower(has_header("X") ? method : "b") == "a"`, `lower(has_header("X") ? method : "b")`},
		{`(session.new ? host : session.id) == "a" or "a" in headers("X")`, `host, session.id, headers("X")`},
		{`header(host) == "" and header(host) != "a"`, `header(host)`},
	} {
		if got := strings.Join(compile(t, language(t), tt.source).Slow(), ", "); got != tt.want {
			t.Errorf("%s: slow is %s, want %s", tt.source, got, tt.want)
		}
	}
}

// What a program reads and requires is read off its source.
func TestReadsAndRequires(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		source   string
		reads    Reads
		requires Requires
	}{
		{`true`, Reads{}, Requires{}},
		{`method == "GET" and "a.example" == host and path startsWith "/a"`, Reads{}, Requires{Methods: []string{"GET"}, Hosts: []string{"a.example"}, Path: "/a"}},
		{`method in ["GET", "HEAD"] and path == "/a"`, Reads{}, Requires{Methods: []string{"GET", "HEAD"}, Path: "/a", PathIs: true}},
		{`path startsWith "/a" and path startsWith "/a/b"`, Reads{}, Requires{Path: "/a/b"}},
		{`path in ["/ab", "/ac"] or path == "/ad"`, Reads{}, Requires{Path: "/a"}},
		{`method == "GET" or host == "a"`, Reads{}, Requires{}},
		{`not (method == "GET")`, Reads{}, Requires{}},
		{`glob(path, "/shop/*") and path matches "^/shop/cart[0-9]"`, Reads{}, Requires{Path: "/shop/cart"}},
		{`path matches "^/a|/b" or path matches "(?i)^/a"`, Reads{}, Requires{}},
		{`header("B") == "" or has_header("a") and "x" in headers("b")`, Reads{Headers: []string{"a", "b"}}, Requires{}},
		{`cookie("b") == "" or has_cookie("A")`, Reads{Cookies: []string{"A", "b"}}, Requires{}},
		{`query("q") == "" or has_query(method)`, Reads{Queries: []string{"q"}, All: true}, Requires{}},
		{`bucket("a") < 5`, Reads{Session: true}, Requires{}},
		{`session.new`, Reads{Session: true}, Requires{}},
		{`client.cert.subject == ""`, Reads{Cert: true}, Requires{}},
		{`cluster("shop").up > 0`, Reads{Clusters: true}, Requires{}},
	} {
		p := compile(t, language(t), tt.source)
		if got := p.Reads(); !reflect.DeepEqual(got, tt.reads) {
			t.Errorf("%s reads %+v, want %+v", tt.source, got, tt.reads)
		}
		if got := p.Requires(); !reflect.DeepEqual(got, tt.requires) {
			t.Errorf("%s requires %+v, want %+v", tt.source, got, tt.requires)
		}
	}
}

// Programs are for many at once, and each evaluation sees its own request.
func TestHammerMatch(t *testing.T) {
	t.Parallel()
	p := compile(t, language(t), `path == "/0" and query("q") == "a b" and "x0" in headers("X") or path == "/1" and header("X") == "x1"`)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			r := &Request{Path: fmt.Appendf(nil, "/%d", i), Query: []byte("q=a%20b"), Fields: fields("X", fmt.Sprintf("x%d", i))}
			for range 5000 {
				if ok, err := p.Match(r); ok != (i < 2) || err != nil {
					t.Errorf("of %s it is %v, %v", r.Path, ok, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// An error of one evaluation leaves nothing behind for the next.
func TestErrorsStayApart(t *testing.T) {
	t.Parallel()
	p := compile(t, language(t), `headers("X")[1] == "b"`)
	for range 3 {
		if ok, err := p.Match(&Request{Fields: fields("X", "hash:a", "x", "b"), Seal: seal{}}); ok || err == nil {
			t.Errorf("with a sealed field it is %v, %v", ok, err)
		}
		if ok, err := p.Match(&Request{Fields: fields("X", "a", "x", "b")}); !ok || err != nil {
			t.Errorf("with two open fields it is %v, %v", ok, err)
		}
	}
}

// What a client leaves out is "": an error is no match, and would let it walk past
// the reject of whoever does not show the right field.
func TestNothingAbsentFails(t *testing.T) {
	t.Parallel()
	sources := []string{
		`not (headers("X")[0] == "ok")`, `headers("X")[7] == ""`, `headers("X")[-1] == ""`, `headers("X")[-9] != "ok"`, `headers("X")[port] != "ok"`,
		`headers("X")[9223372036854775807] != "ok"`, `headers("X")[-9223372036854775807] != "ok"`, `headers("X")[int(header("N"), -7)] == ""`,
		`client.cert.san[0] != "ok"`, `client.cert["san"][1] == ""`, `(session.new ? headers("X") : client.cert.san)[2] == ""`,
		`header(headers("X")[3]) == ""`, `headers(headers("X")[0])[0] == ""`, `not (headers("X")[0] matches "^ok$")`, `not in_list(headers("X")[0], "words")`,
	}
	for _, source := range sources {
		for _, unpatched := range []bool{false, true} {
			l := language(t)
			l.unpatched = unpatched
			for _, r := range []*Request{{}, {Session: Session{New: true}}} {
				if ok, err := compile(t, l, source).Match(r); !ok || err != nil {
					t.Errorf("%s is %v, %v of a request without anything (unpatched: %v)", source, ok, err, unpatched)
				}
			}
		}
	}
	if !matches(t, `headers("X")[0] == "a" and headers("X")[-1] == "b"`, &Request{Fields: fields("X", "a", "X", "b")}) {
		t.Error("entries that are there are not found")
	}
}

// FuzzCompile: any source is refused with a place and a short message, or compiled
// and evaluated, both in bounded time.
func FuzzCompile(f *testing.F) {
	for _, leaf := range leafSources {
		f.Add(strings.ReplaceAll(strings.ReplaceAll(leaf, "%s", `"GET"`), "%%", "%"))
	}
	for _, s := range []string{"", "(", strings.Repeat("(", 1000), strings.Repeat("not ", 1000) + "true", "all(1..9, #)", "a ?? b ?? c", "\x00", "'\\", "path matches '(a*)*$'", "-9223372036854775808 == port",
		`path matches "` + strings.Repeat("x{999}", 2700) + `"`, `glob(path,"` + strings.Repeat("{a,", 5000) + `")`, strings.Repeat("x", 16000)} {
		f.Add(s)
	}
	for _, h := range hinted {
		f.Add(h.source)
	}
	request, r := language(f), request()
	all := languageOf(f, widest)
	f.Fuzz(func(t *testing.T, source string) {
		p, errs := all.Compile("fuzz", source)
		if (p == nil) == (errs == nil) {
			t.Fatalf("%q: program %v, errors %v", source, p, errs)
		}
		for _, e := range errs {
			if e.Line < 1 || e.Column < 1 || e.Length < 1 || e.Message == "" || len(e.Message) > 5*maxMessage {
				t.Errorf("%q: %+v has no place, or says too much", source, e)
			}
		}
		if p != nil {
			p.Match(r)
		}
		all.Eval(source, r)
		if rule, _ := request.Compile("fuzz", source); rule != nil && p == nil {
			t.Errorf("%q is a rule, and nothing where more can be named: %v", source, errs[0])
		}
	})
}

// draws of one request and rule are the same; over many they are fair.
func TestDraws(t *testing.T) {
	t.Parallel()
	l := language(t)
	for _, share := range []string{"0", "0.5", "5", "50", "100"} {
		a, errs := l.Compile("one", "percent("+share+")")
		if errs != nil {
			t.Fatal(errs[0])
		}
		b, _ := l.Compile("two", "percent("+share+")")
		const n = 100_000
		hits, apart := 0, 0
		r := request()
		for i := range n {
			r.ID = fmt.Appendf(nil, "%016x%016x", 77, i)
			x, _ := a.Match(r)
			again, _ := a.Match(r)
			y, _ := b.Match(r)
			if x != again {
				t.Fatalf("request %s is drawn in two ways", r.ID)
			}
			if x {
				hits++
			}
			if x != y {
				apart++
			}
		}
		var want float64
		fmt.Sscan(share, &want)
		if got := 100 * float64(hits) / n; got < want-0.6 || got > want+0.6 {
			t.Errorf("percent(%s) is true for %.2f %%", share, got)
		}
		if want == 50 && (apart < n*4/10 || apart > n*6/10) {
			t.Errorf("two rules draw together: %d of %d apart", apart, n)
		}
	}
}

// A value of which only a hash is known can be compared, and nothing else.
func TestSealedValues(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		source string
		want   bool
		err    error
	}{
		{`cookie("beta") == "1"`, true, nil},
		{`cookie("beta") != "1"`, false, nil},
		{`cookie("beta") in ["0", "1"]`, true, nil},
		{`has_cookie("beta")`, true, nil},
		{`cookie("beta") startsWith "1"`, false, ErrSealed},
		{`cookie("beta") == header("X")`, false, ErrSealed},
		{`len(cookie("beta")) == 1`, false, ErrSealed},
		{`cookie("beta") == "1" or cookie("beta") contains "x"`, true, nil},
		{`cookie("beta") != "2" and "1" == cookie("beta")`, true, nil},
		{`cookie("beta") < "2"`, false, ErrSealed},
		{`lower(cookie("beta")) == "1"`, false, ErrSealed},
		{`header(lower("X-Token")) == "1"`, false, ErrSealed},
		{`"1" in headers("X-Token")`, false, ErrSealed},
		{`in_list(header("X-Token"), "words")`, false, ErrSealed},
		{`session.id == "7"`, true, nil},
		{`session.id != ""`, true, nil},
		{`not session.new`, true, nil},
		{`session.primary == ""`, false, ErrSealed},
		{`(session.new ? "" : session.id) == "7"`, false, ErrSealed},
		{`bucket("a") >= 0`, false, ErrSealed},
	} {
		r := &Request{Fields: fields("Cookie", "beta=hash:1", "X-Token", "hash:1"), Session: Session{ID: []byte("hash:7")}, Seal: seal{}}
		got, err := compile(t, language(t), tt.source).Match(r)
		if got != tt.want || err != tt.err {
			t.Errorf("%s: %v, %v; want %v, %v", tt.source, got, err, tt.want, tt.err)
		}
	}
}

// seal is a hash that anybody can make.
type seal struct{}

func (seal) Sealed(value []byte) bool              { return strings.HasPrefix(string(value), "hash:") }
func (seal) Equal(sealed []byte, text string) bool { return string(sealed) == "hash:"+text }
