package rules

import (
	"fmt"
	"strings"
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
}

var constantsOfTests = []string{"", "GET", "shop.example.com", "/shop", "beta", "Beta", "1", "tz=EST", "1.3", "x!17!18", "17", "r-1", "https", "é"}

// drawExpression draws an expression of some depth.
func drawExpression(t *rapid.T, depth int) string {
	if depth == 0 || rapid.IntRange(0, 2).Draw(t, "leaf") == 0 {
		source := rapid.SampledFrom(leafSources).Draw(t, "leaf")
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
	return r
}

// What is patched says what the expression's own machine says.
func TestPatchesChangeNothing(t *testing.T) {
	t.Parallel()
	patched, plain := language(t), language(t)
	plain.unpatched = true
	rapid.Check(t, func(t *rapid.T) {
		source, r := drawExpression(t, 3), drawRequest(t)
		a, errs := patched.Compile("rule", source)
		if errs != nil {
			if errs[0].Code == codeCost || errs[0].Code == codeLarge {
				t.Skip()
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
	l := language(t)
	rapid.Check(t, func(t *rapid.T) {
		source, r := drawExpression(t, 3), drawRequest(t)
		p, errs := l.Compile("rule", source)
		if errs != nil {
			t.Skip()
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

// What a rule usually compares makes nothing.
func TestMatchAllocsNothing(t *testing.T) {
	l, r := language(t), request()
	for _, leaf := range leafSources {
		source := strings.ReplaceAll(strings.ReplaceAll(leaf, "%s", `"GET"`), "%%", "%")
		p := compile(t, l, source)
		if p.Slow() != nil {
			t.Errorf("%s is slow: %v", source, p.Slow())
		}
		p.Match(r)
		if n := testing.AllocsPerRun(200, func() { p.Match(r) }); n > 0 {
			t.Errorf("%s allocates %v times", source, n)
		}
	}
}

// Hostile expressions are refused or compiled, in bounded time.
func FuzzCompile(f *testing.F) {
	for _, leaf := range leafSources {
		f.Add(strings.ReplaceAll(strings.ReplaceAll(leaf, "%s", `"GET"`), "%%", "%"))
	}
	for _, s := range []string{"", "(", strings.Repeat("(", 1000), strings.Repeat("not ", 1000) + "true", "all(1..9, #)", "a ?? b ?? c", "\x00", "'\\", "path matches '(a*)*$'", "-9223372036854775808 == port"} {
		f.Add(s)
	}
	l, r := language(f), request()
	f.Fuzz(func(t *testing.T, source string) {
		p, errs := l.Compile("fuzz", source)
		if (p == nil) == (errs == nil) {
			t.Fatalf("%q: program %v, errors %v", source, p, errs)
		}
		for _, e := range errs {
			if e.Line < 1 || e.Column < 1 || e.Length < 1 || e.Message == "" {
				t.Errorf("%q: %+v has no place", source, e)
			}
		}
		if p != nil {
			p.Match(r)
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
	} {
		r := &Request{Fields: fields("Cookie", "beta=hash:1"), Seal: seal{}}
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
