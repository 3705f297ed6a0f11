package gateway

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"weirkeep/abi"
	"weirkeep/gateway/esi"
	"weirkeep/gateway/metrics"
	"weirkeep/gateway/provider"
)

// pageMill assembles pages of http://a.example, whose fragments come from origins a, b and c: of the page's own
// site, of another one, and of a provider. The test winds the clock.
type pageMill struct {
	a, b, c *home
	g       *Gateway
	addr    string
	text    string
	clock   atomic.Int64 // seconds
	options esi.Options
}

func newPageMill(t testing.TB, more string) *pageMill {
	hs := newHomes(t, "a", "b", "c")
	p := &pageMill{a: hs[0], b: hs[1], c: hs[2], options: esi.Default()}
	for _, h := range hs {
		h.script = func(head string) (string, string) { return "", h.name + ":" + requestTarget(head) }
	}
	p.text = plainListener + fmt.Sprintf(`
node: { name: edge }
clusters:
  a: { origins: [{ address: %q }] }
  b: { origins: [{ address: %q }] }
  c: { origins: [{ address: %q }] }
sites:
  a: { hosts: [a.example] }
  b: { hosts: [b.example, "*.many.example"] }
  c: { kind: esi-provider, hosts: [c.example] }
mappings: [{ site: a, cluster: a }, { site: b, prefix: /, cluster: b }, { site: c, prefix: /only, cluster: c }]
cache: { enabled: true }
esi: { unmapped_providers: deny%s }
`, p.a.addr, p.b.addr, p.c.addr, more)
	began := time.Now()
	o := hs.options()
	o.Now = func() time.Time { return began.Add(time.Duration(p.clock.Load()) * time.Second) }
	p.addr, p.g = start(t, p.text, o)
	return p
}

// site is a site of the current configuration.
func (p *pageMill) site(name string) *site {
	s := p.g.current.Load()
	for i := range s.sites {
		if s.sites[i].name == name {
			return &s.sites[i]
		}
	}
	panic("no site " + name)
}

// assembled is what came of a page.
type outcome struct {
	text      string
	report    esi.Report
	err       error
	fragments []fragment
}

// cache is how its fragments were come by.
func (o *outcome) cache() string {
	var all []string
	for _, f := range o.fragments {
		all = append(all, f.cache)
	}
	return strings.Join(all, " ")
}

// bufferSink is a sink that keeps the page, and says that its client is there.
type bufferSink struct {
	bytes.Buffer
	slow func()
}

func (s *bufferSink) Write(p []byte) error {
	if s.slow != nil {
		s.slow()
	}
	s.Buffer.Write(p)
	return nil
}
func (*bufferSink) Flush() error { return nil }
func (*bufferSink) Gone() bool   { return false }

// page is the exchange of a request for a page, decided.
func (p *pageMill) page(t testing.TB, fields ...string) *Exchange {
	t.Helper()
	now := time.Now()
	x := p.g.newClientless(now, p.g.now(now))
	x.snap = p.g.acquire()
	x.reset()
	head := "GET /page HTTP/1.1\r\nHost: a.example\r\n" + strings.Join(append(fields, "\r\n"), "\r\n")
	if len(fields) == 0 {
		head = "GET /page HTTP/1.1\r\nHost: a.example\r\n\r\n"
	}
	if !x.readHead([]byte(head)) {
		t.Fatalf("%q is no head", head)
	}
	if reason := checkSized(p.g, x, len(head)); reason != Served {
		t.Fatalf("%q is refused: %v", head, reason)
	}
	if reason := p.g.decide(x); reason != Served {
		t.Fatalf("%q is decided: %v", head, reason)
	}
	return x
}

// assemble assembles a page of the template for a request with the fields.
func (p *pageMill) assemble(t testing.TB, template string, fields ...string) outcome {
	t.Helper()
	return p.assembleFor(t, t.Context(), &bufferSink{}, template, fields...)
}

func (p *pageMill) assembleFor(t testing.TB, ctx context.Context, sink *bufferSink, template string, fields ...string) (o outcome) {
	t.Helper()
	x := p.page(t, fields...)
	defer x.release()
	program, _, err := esi.Parse([]byte(template), esi.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	parts := p.g.fragmentsOf(x)
	o.report, o.err = esi.Assemble(ctx, &esi.Page{
		Template: program, URL: esi.URL{Secure: x.Secure, Authority: "a.example", Target: "/page"},
		Client: &esi.Client{Host: x.Authority.Raw, Fields: x.Head.Fields}, Options: &p.options,
	}, parts, sink)
	parts.end()
	o.text, o.fragments = sink.String(), slices.Clone(x.assembled.fragments)
	return o
}

func include(src string, more ...string) string {
	return `<esi:include src="` + src + `" ` + strings.Join(more, " ") + `/>`
}

// wantPage complains of a page that is another one.
func wantPage(t *testing.T, what string, got outcome, want string) {
	t.Helper()
	if got.err != nil || got.text != want {
		t.Errorf("%s: %q, %v; want %q", what, got.text, got.err, want)
	}
}

// TestFragmentsComeFromSites: from the page's own, another one, and a provider.
func TestFragmentsComeFromSites(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, "")
	got := p.assemble(t, "<"+include("/x?q")+"|"+include("http://b.example/y")+"|"+include("http://c.example/only/z")+"|"+include("//one.many.example/")+">")
	wantPage(t, "a page of four sites", got, "<a:/x?q|b:/y|c:/only/z|b:/>")
	if n := len(got.fragments); n != 4 || got.report.Fetches != 4 {
		t.Fatalf("%d fragments, %d fetches; want 4", n, got.report.Fetches)
	}
	if f := got.fragments[1]; f.url.String() != "http://b.example/y" || f.depth != 1 || f.status != 200 || f.failure != esi.None || f.cache != "miss" {
		t.Errorf("the second is told as %+v", f)
	}
}

// TestFragmentsOfSitesWithoutCache are fetched for each page.
func TestFragmentsOfSitesWithoutCache(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, "")
	apply(t, p.g, strings.Replace(p.text, "b: { hosts:", "b: { cache: { enabled: false }, hosts:", 1))
	n := 0
	p.b.script = func(string) (string, string) { n++; return stored60, strings.Repeat(fmt.Sprint(n), 100<<10) }
	for n := range 2 {
		got := p.assemble(t, include("http://b.example/x"))
		if want := strings.Repeat(fmt.Sprint(n+1), 100<<10); got.err != nil || got.text != want || got.cache() != "" {
			t.Errorf("time %d: %d bytes, %q, %v", n+1, len(got.text), got.cache(), got.err)
		}
	}
	untilIdle(t, p.g)
}

// TestFragmentsPassRequestFilters: they edit its request, or give it themselves.
func TestFragmentsPassRequestFilters(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, "")
	text := strings.Replace(p.text, "b: { hosts:", "b: { filters: [{ plugin: edit }], hosts:", 1)
	apply(t, p.g, text+fmt.Sprintf("plugins: { edit: { kind: filter, module: %q, needs: [query, headers, site], on_error: reject } }\n", guestFile(puppet)))
	p.b.script = func(head string) (string, string) { return stored60, "<" + fieldIn(head, "X-New") + ">" }
	for _, tt := range []struct {
		name string
		ops  []abi.Op
		want string
	}{
		{"edited", []abi.Op{op(abi.OpSetHeader, "X-New", "n")}, "<n>"},
		{"answered", []abi.Op{op(abi.OpRespond, "200", "of the filter")}, "of the filter"},
		{"refused", []abi.Op{op(abi.OpRespond, "403", "no")}, "failed"},
	} {
		for range 2 {
			got := p.assemble(t, `<esi:try><esi:attempt>`+include("http://b.example/a?"+say(tt.ops...))+`</esi:attempt><esi:except type="httpclienterror">failed</esi:except></esi:try>`)
			wantPage(t, tt.name, got, tt.want)
		}
	}
}

// TestFragmentsBindNobody: a session that begins with a fragment is of no client.
func TestFragmentsBindNobody(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, "")
	apply(t, p.g, strings.Replace(p.text, "  a: { origins:", "  a: { session: s, origins:", 1)+"sessions: { s: { cookie: SID } }\n")
	p.a.script = func(string) (string, string) { return "Set-Cookie: SID=abc; Path=/\r\n", "x" }
	wantPage(t, "a page", p.assemble(t, include("/x")), "x")
	counts := sessionCounts(p.g, "s")
	if counts.Learned.Load() != 0 || counts.None.Load() != 1 {
		t.Errorf("%d sessions were learned, %d requests counted; want none, and the page's", counts.Learned.Load(), counts.None.Load())
	}
	send(t, p.addr, "GET /x HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n")
	if counts.Learned.Load() != 1 {
		t.Error("a client's session is not learned")
	}
}

// TestFragmentsGoByRules that are the client's too: what it may not have, no page has (Z7).
func TestFragmentsGoByRules(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, "")
	apply(t, p.g, p.text+`
rules:
  - { name: admin, when: 'path startsWith "/admin"', reject: { status: 403 } }
  - { name: closed, when: 'path startsWith "/closed"', reject: { status: 503 } }
  - { name: moved, when: 'path startsWith "/moved"', redirect: { location: "/x" } }
  - { name: cookies, when: 'cookie("tier") == "gold" && path == "/own"', reject: { status: 403 } }
`)
	for _, tt := range []struct {
		src     string
		failure esi.Failure
	}{
		{"/admin/x", esi.ClientStatus},
		{"http://b.example/admin/x", esi.ClientStatus},
		{"/closed", esi.ServerStatus},
		{"/moved", esi.BadAnswer},
		{"/own", esi.ClientStatus},
		{"http://b.example/own", esi.None},
	} {
		got := p.assemble(t, include(tt.src, `onerror="continue"`), "Cookie: tier=gold")
		if got.err != nil || tt.failure != esi.None && (got.report.Failures[tt.failure] != 1 || got.report.Fetches != 0) || (got.text == "") != (tt.failure != esi.None) {
			t.Errorf("%s: %q, %v, %v; want %v", tt.src, got.text, got.err, got.report.Failures, tt.failure)
		}
	}
	if n := p.a.heads.Load(); n != 0 {
		t.Errorf("%d requests came to the page's origin", n)
	}
}

// TestPartsSayHowLongTheyAreFresh: the least of them, and nothing if some are for one client.
func TestPartsSayHowLongTheyAreFresh(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, says, template string
		want                 time.Duration // 0: not for all
	}{
		{"none", "", "text", math.MaxInt64},
		{"one", stored60, include("/x"), 60 * time.Second},
		{"the shorter", stored60, include("/x") + include("/y", `ttl="10s"`), 10 * time.Second},
		{"not stored", "", include("/x"), 0},
		{"one of them", stored60, include("/x") + include("http://unknown.example/", `onerror="continue"`), 0},
		{"of several encodings", stored60 + "Vary: Accept-Encoding\r\n", include("/x"), 60 * time.Second},
		{"for some clients", stored60 + "Vary: Cookie\r\n", include("/x"), 0},
		{"with variables", "Surrogate-Control: max-age=60, content=\"ESI/1.0\"\r\n", include("/vars"), 0},
	} {
		p := newPageMill(t, "")
		p.a.script = func(head string) (string, string) { return tt.says, "<esi:vars>$(HTTP_COOKIE{a})</esi:vars>" }
		for n := range 2 { // fetched, then in memory
			x := p.page(t)
			parts := p.g.fragmentsOf(x)
			program, _, _ := esi.Parse([]byte(tt.template), esi.Limits{})
			esi.Assemble(t.Context(), &esi.Page{
				Template: program, URL: esi.URL{Authority: "a.example", Target: "/page"}, Client: &esi.Client{}, Options: &p.options,
			}, parts, &bufferSink{})
			left, ok := parts.left()
			if ok != (tt.want > 0) || ok && (left > tt.want || left < tt.want-tt.want/20) {
				t.Errorf("%s, time %d: %v, %v; want %v", tt.name, n+1, left, ok, tt.want)
			}
			parts.end()
			x.release()
		}
	}
}

// TestFragmentsThatAreRefused: by the configuration, without asking anybody.
func TestFragmentsThatAreRefused(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, "")
	for _, tt := range []struct {
		src     string
		failure esi.Failure
	}{
		{"http://unknown.example/", esi.BadTarget},
		{"http://many.example/", esi.BadTarget},
		{"http://c.example/elsewhere", esi.ClientStatus},
		{"http://169.254.169.254/latest", esi.BadTarget},
		{"http://2130706433/", esi.BadTarget},
		{"http://127.0.0.1/", esi.BadTarget},
		{"http://[::1]/", esi.BadTarget},
		{"http://localhost/", esi.BadTarget},
	} {
		got := p.assemble(t, include(tt.src))
		failed, ok := errors.AsType[*esi.Error](got.err)
		if !ok || failed.Failure != tt.failure {
			t.Errorf("%s: %v, want %v", tt.src, got.err, tt.failure)
		}
		if got.report.Fetches != 0 {
			t.Errorf("%s: somebody was asked", tt.src)
		}
		if len(got.fragments) != 1 || got.fragments[0].failure != tt.failure || got.fragments[0].status != 0 {
			t.Errorf("%s is told as %+v, want %v", tt.src, got.fragments, tt.failure)
		}
	}
	if n := (homes{p.a, p.b, p.c}).count(); n != 0 {
		t.Errorf("%d requests came to origins", n)
	}
}

// TestSitesOfAllHostsHaveNone: that every host is a site's is no leave to name any in a template. What
// the client has asked for is.
func TestSitesOfAllHostsHaveNone(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, "")
	apply(t, p.g, strings.NewReplacer("[a.example]", `["**"]`, "[{ site: a, cluster: a }, ", "[", "cluster: c }]", "cluster: c }, { site: a, cluster: a }]").Replace(p.text))
	wantPage(t, "its own", p.assemble(t, include("/x")), "a:/x")
	wantPage(t, "the same host by https", p.assemble(t, include("https://a.example/x")), "a:/x")
	wantPage(t, "another site's", p.assemble(t, include("http://b.example/x")), "b:/x")
	for _, src := range []string{"http://169.254.169.254/latest", "http://other.example/", "http://2130706433/"} {
		if got := p.assemble(t, include(src, `onerror="continue"`)); got.err != nil || got.text != "" || got.report.Failures[esi.BadTarget] != 1 {
			t.Errorf("%s: %q, %v, %v", src, got.text, got.err, got.report.Failures)
		}
	}
}

// TestFragmentsOfStrangers: a host that no site has is asked by itself where the configuration lets it be, and
// is told of nobody.
func TestFragmentsOfStrangers(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, "")
	apply(t, p.g, strings.Replace(p.text, "deny", "dns", 1)+"trusted_proxies: [127.0.0.1]\n")
	stranger := newHomes(t, "s")[0]
	src := "http://" + stranger.addr
	if got := p.assemble(t, include(src, `onerror="continue"`)); got.err != nil || got.report.Failures[esi.BadTarget] != 1 {
		t.Errorf("an address that is not public: %q, %v, %v", got.text, got.err, got.report.Failures)
	}
	p.g.providers = provider.New(provider.Options{Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	got := p.assemble(t, include(src+"/x?y"), "Cookie: s=1", "Accept: text/html", "X-Forwarded-For: 9.9.9.9", "X-Request-Id: r7")
	for _, part := range []string{"GET /x?y HTTP/1.1\r\n", "Host: " + stranger.addr + "\r\n", "Accept: text/html\r\n", "Accept-Encoding: gzip, br, zstd\r\n", "Via: 1.1 edge\r\n"} {
		if !strings.Contains(got.text, part) {
			t.Errorf("%v, without %q:\n%s", got.err, part, got.text)
		}
	}
	for _, part := range []string{"Cookie", "X-Forwarded", "9.9.9.9", "X-Request-Id", "User-Agent"} {
		if strings.Contains(got.text, part) {
			t.Errorf("with %q:\n%s", part, got.text)
		}
	}
	stranger.script = func(head string) (string, string) {
		if _, to, moved := strings.Cut(requestTarget(head), "to="); moved {
			return ":status 302 Found\r\nLocation: " + to + "\r\n", ""
		}
		if requestTarget(head) == "/long" {
			return "", strings.Repeat("x", int(p.options.Fragment)+1)
		}
		return "Surrogate-Control: content=\"ESI/1.0\"\r\n", `<esi:vars>$(HTTP_HOST)</esi:vars>`
	}
	wantPage(t, "it is data", p.assemble(t, include(src)), "<esi:vars>$(HTTP_HOST)</esi:vars>")
	wantPage(t, "the include says that it is not", p.assemble(t, include(src, `dca="esi"`)), "a.example")
	wantPage(t, "a redirect", p.assemble(t, include(src+"/?to=/y", `redirect="yes"`)), "<esi:vars>$(HTTP_HOST)</esi:vars>")
	if got := p.assemble(t, include(src+"/long", `onerror="continue"`)); got.err != nil || got.text != "" || got.report.Failures[esi.BadBody] != 1 {
		t.Errorf("one that is too long: %d bytes, %v, %v", len(got.text), got.err, got.report.Failures)
	}
	stranger.kill()
	closed := "http://" + closedAddress(t)
	if got := p.assemble(t, include(closed, `onerror="continue"`)); got.report.Failures[esi.Unreachable] != 1 {
		t.Errorf("where nobody is: %v, %v", got.err, got.report.Failures)
	}
}

// TestFieldsOfFragments: what of the page's request goes to its own origin, and to others (Q2, Q3).
func TestFieldsOfFragments(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		field           string // of the page's request
		own, other      bool   // it is passed on
		trusted, others bool   // the same, from a trusted proxy, where that differs
	}{
		{field: "Cookie: s=1", own: true},
		{field: "Authorization: Basic x", own: true},
		{field: "User-Agent: me", own: true},
		{field: "Referer: http://r.example/", own: true},
		{field: "X-Custom: 1", own: true},
		{field: "Accept: text/html", own: true, other: true},
		{field: "Accept-Language: de", own: true, other: true},
		{field: "Traceparent: 00-1-2-00", own: true, other: true},
		{field: "Tracestate: a=b", own: true, other: true},
		{field: "B3: 1", own: true, other: true},
		{field: "X-B3-TraceId: 1", own: true, other: true},
		{field: "CDN-Loop: x", own: true, other: true},
		{field: "Accept-Charset: x", own: true},
		{field: "Range: bytes=0-1"},
		{field: "If-None-Match: \"v\""},
		{field: "If-Modified-Since: Sat, 28 Feb 2026 12:00:00 GMT"},
		{field: "If-Match: \"v\""},
		{field: "If-Range: \"v\""},
		{field: "If-Unmodified-Since: Sat, 28 Feb 2026 12:00:00 GMT"},
		{field: "Cache-Control: no-cache"},
		{field: "Pragma: no-cache"},
		{field: "Content-Type: text/plain"},
		{field: "Content-Language: de"},
		{field: "TE: trailers"},
		{field: "Trailer: x"},
		{field: "Upgrade: websocket"},
		{field: "Keep-Alive: 1"},
		{field: "A-IM: feed"},
		{field: "Surrogate-Capability: c=\"Surrogate/1.0\""},
		{field: "X-HTTP-Method-Override: DELETE"},
		{field: "X-Forwarded-Host: evil.example", trusted: true},
		{field: "X-Original-URL: /admin", trusted: true},
		{field: "X-Real-IP: 1.2.3.4", trusted: true},
		{field: "Date: Sat, 28 Feb 2026 12:00:00 GMT"},
	} {
		name, value, _ := strings.Cut(tt.field, ": ")
		for _, trusted := range []bool{false, true} {
			p := newFieldsMill(t, trusted)
			got := p.assemble(t, include("/x")+include("http://b.example/x"), tt.field)
			own, other, _ := strings.Cut(got.text, "#")
			check := func(who, head string, want bool) {
				if has := strings.Contains(fieldIn(head, name), value); has != want {
					t.Errorf("%s, trusted %v, to %s: passed on: %v, want %v\n%s", tt.field, trusted, who, has, want, head)
				}
			}
			check("its own origin", own, tt.own || trusted && tt.trusted)
			check("another origin", other, tt.other || trusted && tt.others)
		}
	}
}

// newFieldsMill are pages whose fragments are the heads of their requests, each with # behind it.
func newFieldsMill(t *testing.T, trusted bool) *pageMill {
	p := newPageMill(t, "")
	if trusted {
		apply(t, p.g, p.text+"trusted_proxies: [127.0.0.1]\n")
	}
	homes{p.a, p.b, p.c}.say(func(head string) (string, string) { return "", head + "#" })
	return p
}

// TestRequestsOfFragments: the request that an origin gets is one of its own, whatever the page's.
func TestRequestsOfFragments(t *testing.T) {
	t.Parallel()
	p := newFieldsMill(t, true)
	got := p.assemble(t, include("/x")+include("https://B.example:443/y?z"), "X-Forwarded-For: 9.9.9.9", "X-Request-Id: r7", "Accept-Encoding: nonsense", "Via: 1.0 inner")
	own, other, _ := strings.Cut(got.text, "#")
	for _, tt := range []struct{ head, line, name, want string }{
		{own, "GET /x HTTP/1.1", "Host", "a.example"},
		{other, "GET /y?z HTTP/1.1", "Host", "b.example"},
		{own, "", "Accept-Encoding", "gzip, br, zstd"},
		{other, "", "Accept-Encoding", "gzip, br, zstd"},
		{own, "", "X-Forwarded-For", "9.9.9.9, 127.0.0.1"},
		{other, "", "X-Forwarded-For", "9.9.9.9, 127.0.0.1"},
		{own, "", "X-Forwarded-Proto", "http"},
		{other, "", "X-Forwarded-Proto", "https"},
		{other, "", "X-Forwarded-Host", "b.example"},
		{own, "", "X-Request-Id", "r7"},
		{other, "", "X-Request-Id", "r7"},
		{own, "", "Via", "1.0 inner, 1.1 edge"},
		{other, "", "Via", "1.0 inner, 1.1 edge"},
		{own, "", "Content-Length", ""},
		{own, "", "Transfer-Encoding", ""},
	} {
		if !strings.HasPrefix(tt.head, tt.line) || fieldIn(tt.head, tt.name) != tt.want {
			t.Errorf("%s is %q, want %q, in:\n%s", tt.name, fieldIn(tt.head, tt.name), tt.want, tt.head)
		}
	}
}

// TestFragmentsAreStored: each by its own rules, and one of a page is one for all pages.
func TestFragmentsAreStored(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, "")
	n := 0
	p.a.script = func(string) (string, string) { n++; return stored60, fmt.Sprint("v", n) }
	for _, tt := range []struct {
		at          int64
		want, cache string
		fetches     int
	}{
		{0, "v1", "miss", 1},
		{30, "v1", "hit", 0},
		{59, "v1", "hit", 0},
		{61, "v2", "miss", 1},
	} {
		p.clock.Store(tt.at)
		got := p.assemble(t, include("/x"))
		wantPage(t, fmt.Sprint("at ", tt.at), got, tt.want)
		if got.cache() != tt.cache || got.report.Fetches != tt.fetches {
			t.Errorf("at %d: %s, %d fetches; want %s, %d", tt.at, got.cache(), got.report.Fetches, tt.cache, tt.fetches)
		}
	}
	outcomes := &p.site("a").cache.metrics.Outcomes
	if hits, misses := outcomes[metrics.CacheHit].Load(), outcomes[metrics.CacheMiss].Load(); hits != 2 || misses != 2 {
		t.Errorf("%d hits and %d misses are counted, want 2 and 2", hits, misses)
	}
	if got := send(t, p.addr, "GET /x HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n"); !strings.Contains(got, "edge; hit") {
		t.Errorf("a client gets %q", got)
	}
}

// TestIncludesSayHowLong: TTL, of the include, and what it must not change (C7).
func TestIncludesSayHowLong(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, src, attributes, says string
		at                          []int64
		want                        string
	}{
		{"says nothing", "/x", "", "", []int64{0, 1}, "v1 v2"},
		{"stored as the include says", "/x", `ttl="10s"`, "", []int64{0, 9, 11}, "v1 v1 v2"},
		{"longer than the answer says", "/x", `ttl="100s"`, stored60, []int64{0, 90, 101}, "v1 v1 v2"},
		{"shorter", "/x", `ttl="10s"`, stored60, []int64{0, 9, 11}, "v1 v1 v2"},
		{"never beyond private", "/x", `ttl="10s"`, "Cache-Control: private\r\n", []int64{0, 1}, "v1 v2"},
		{"never beyond no-store", "/x", `ttl="10s"`, "Cache-Control: no-store\r\n", []int64{0, 1}, "v1 v2"},
		{"not stored", "/x", `no-store="on"`, stored60, []int64{0, 1}, "v1 v2"},
		{"of another site, shorter", "http://b.example/x", `ttl="10s"`, stored60, []int64{0, 9, 11}, "v1 v1 v2"},
		{"of another site, no longer", "http://b.example/x", `ttl="100s"`, stored60, []int64{0, 59, 61}, "v1 v1 v2"},
		{"of another site, not at all", "http://b.example/x", `ttl="100s"`, "", []int64{0, 1}, "v1 v2"},
		{"of a provider", "http://c.example/only", `ttl="100s"`, stored60, []int64{0, 90, 101}, "v1 v1 v2"},
		{"the longer one", "/x", `max-age="10"`, stored60, []int64{0, 59, 61}, "v1 v1 v2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPageMill(t, "")
			n := 0
			homes{p.a, p.b, p.c}.say(func(string) (string, string) { n++; return tt.says, fmt.Sprint("v", n) })
			var all []string
			for _, at := range tt.at {
				p.clock.Store(at)
				got := p.assemble(t, include(tt.src, tt.attributes))
				if got.err != nil {
					t.Fatal(got.err)
				}
				all = append(all, got.text)
			}
			if got := strings.Join(all, " "); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// TestPurgedFragmentsAreFetched: between two pages, without the page being purged (C8); tags of the include
// are the fragment's.
func TestPurgedFragmentsAreFetched(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, "")
	n := 0
	p.a.script = func(string) (string, string) { n++; return stored60, fmt.Sprint("v", n) }
	template := include("/x", `cache-tag="menu"`)
	wantPage(t, "first", p.assemble(t, template), "v1")
	wantPage(t, "second", p.assemble(t, template), "v1")
	if done, err := p.g.PurgeStored(StoredPurge{StoredSelection: StoredSelection{Match: "tag:menu"}}); err != nil || done.Count != 1 {
		t.Errorf("%+v, %v; want one to be purged", done, err)
	}
	wantPage(t, "purged", p.assemble(t, template), "v2")
}

// TestStaleFragmentsAreRefreshed: they stand in the page, and are asked for anew behind its back.
func TestStaleFragmentsAreRefreshed(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, "")
	var n atomic.Int64
	p.a.script = func(string) (string, string) {
		return "Cache-Control: max-age=10, stale-while-revalidate=60\r\n", fmt.Sprint("v", n.Add(1))
	}
	wantPage(t, "first", p.assemble(t, include("/x")), "v1")
	p.clock.Store(20)
	got := p.assemble(t, include("/x"))
	wantPage(t, "stale", got, "v1")
	if got.cache() != "stale" || got.report.Fetches != 0 {
		t.Errorf("it was come by as %q, by %d fetches", got.cache(), got.report.Fetches)
	}
	until(t, "it is fresh", func() bool { return p.assemble(t, include("/x")).text == "v2" })
}

// TestFragmentsAreRevalidated: what has expired is asked for with its tag.
func TestFragmentsAreRevalidated(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, "")
	asked := ""
	p.a.script = func(head string) (string, string) {
		if asked = fieldIn(head, "If-None-Match"); asked != "" {
			return stored60 + "ETag: \"v1\"\r\n", ""
		}
		return stored60 + "ETag: \"v1\"\r\n", "v1"
	}
	wantPage(t, "first", p.assemble(t, include("/x")), "v1")
	p.clock.Store(61)
	p.a.status = func() string { return "304 Not Modified" }
	got := p.assemble(t, include("/x"), "If-None-Match: \"other\"")
	wantPage(t, "validated", got, "v1")
	if asked != `"v1"` || got.cache() != "revalidated" {
		t.Errorf("asked with %q, told as %q", asked, got.cache())
	}
	wantPage(t, "then fresh", p.assemble(t, include("/x")), "v1")
}

// TestIncludesOfOneFragmentAreOneFetch: of two pages at once, too (C8, 32).
func TestIncludesOfOneFragmentAreOneFetch(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, "")
	p.a.script = func(string) (string, string) { return stored60, "x" }
	p.a.letGo = make(chan struct{})
	var running sync.WaitGroup
	for range 3 {
		running.Go(func() {
			wantPage(t, "a page", p.assemble(t, include("/hold")+include("/hold")), "xx")
		})
	}
	until(t, "the origin is asked", func() bool { return p.a.held.Load() == 1 })
	close(p.a.letGo)
	running.Wait()
	if n := p.a.heads.Load(); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

// TestStatusesOfFragments: what makes a fragment, and what is never inserted (I1, R5).
func TestStatusesOfFragments(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, "")
	for _, tt := range []struct {
		status  string
		failure esi.Failure
		want    string
	}{
		{"200 OK", esi.None, "<body>"},
		{"203 Changed", esi.None, "<body>"},
		{"204 Empty", esi.None, "<>"},
		{"206 Part", esi.BadAnswer, ""},
		{"301 Moved", esi.BadAnswer, ""},
		{"404 Missing", esi.ClientStatus, ""},
		{"500 Broken", esi.ServerStatus, ""},
		{"503 Busy", esi.ServerStatus, ""},
	} {
		for _, stored := range []string{"", stored60} {
			p.a.status = func() string { return tt.status }
			p.a.script = func(string) (string, string) {
				if strings.HasPrefix(tt.status, "204") {
					return stored, ""
				}
				return stored, "body"
			}
			for range 2 {
				got := p.assemble(t, "<"+include("/"+tt.status[:3]+fmt.Sprint(len(stored)), `onerror="continue"`)+">")
				want := tt.want
				if want == "" {
					want = "<>"
				}
				wantPage(t, tt.status, got, want)
				if f := got.fragments[0]; fmt.Sprint(f.status) != tt.status[:3] || (tt.failure != esi.None) != (got.report.Failures[tt.failure] == 1) {
					t.Errorf("%s: told as %+v, %v", tt.status, f, got.report.Failures)
				}
			}
		}
	}
}

// TestUnreachableFragments: why there is none is the failure that the markup can catch.
func TestUnreachableFragments(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, "")
	p.b.kill()
	got := p.assemble(t, include("http://b.example/", `onerror="continue"`))
	if got.report.Failures[esi.Unreachable] != 1 || got.fragments[0].failure != esi.Unreachable {
		t.Errorf("%v, %+v", got.report.Failures, got.fragments)
	}
	p.options.FragmentTimeout = 300 * time.Millisecond
	got = p.assemble(t, include("/hold", `onerror="continue"`))
	if got.report.Failures[esi.TimedOut] != 1 {
		t.Errorf("%v", got.report.Failures)
	}
	untilIdle(t, p.g)
}

// TestFragmentsAndSlots: what is not stored is read ahead of the page, so that a page of many fragments
// cannot wait for itself.
func TestFragmentsAndSlots(t *testing.T) {
	t.Parallel()
	for _, queue := range []bool{true, false} {
		p := newPageMill(t, "")
		limit := "origins: [{ capacity: 1, address: \"" + p.a.addr
		size := "queue: { size: 100 }, "
		if !queue {
			size = "queue: { size: 0 }, "
		}
		apply(t, p.g, strings.Replace(p.text, "origins: [{ address: \""+p.a.addr, size+limit, 1))
		body := strings.Repeat("0123456789abcdef", 200<<10/16)
		p.a.script = func(string) (string, string) { return "", body }
		template := ""
		for i := range 8 {
			template += include(fmt.Sprint("/", i), `onerror="continue"`)
		}
		got := p.assembleFor(t, t.Context(), &bufferSink{slow: func() { time.Sleep(time.Millisecond) }}, template)
		failed := got.report.Failures[esi.Busy]
		if got.err != nil || len(got.text) != (8-failed)*len(body) || queue && failed > 0 || failed == 8 {
			t.Errorf("queue %v: %d bytes, %d failed, %v", queue, len(got.text), failed, got.err)
		}
	}
}

// TestPagesThatAreGivenUp: nothing of their fragments goes on that is for nobody else.
func TestPagesThatAreGivenUp(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, "")
	p.a.script = func(string) (string, string) { return "", "x" }
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan outcome)
	go func() {
		done <- p.assembleFor(t, ctx, &bufferSink{}, include("/hold?1")+include("/hold?2")+include("/3"))
	}()
	until(t, "the origin is asked", func() bool { return p.a.held.Load() == 2 })
	stop()
	if got := <-done; !errors.Is(got.err, context.Canceled) {
		t.Errorf("the page ended with %v", got.err)
	}
	untilIdle(t, p.g)
	if n := p.g.current.Load().users.Load(); n != 1 {
		t.Errorf("%d hold the configuration, want 1: it is current", n)
	}
	if n := p.g.fetching.Load(); n != 0 {
		t.Errorf("%d fragments are under way", n)
	}
}

// TestPagesKeepTheirConfiguration: also if another one becomes current (35).
func TestPagesKeepTheirConfiguration(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, "")
	p.a.script = func(head string) (string, string) {
		if requestTarget(head) == "/first" {
			apply(t, p.g, strings.Replace(p.text, "b.example", "d.example", 1))
			return "", "1"
		}
		return "", "2"
	}
	p.options.Concurrent = 1
	before := p.g.current.Load()
	got := p.assemble(t, include("/first")+include("/second")+include("http://b.example/x"))
	wantPage(t, "a page over a reload", got, "12b:/x")
	until(t, "the old one is let go", func() bool { return before.users.Load() == 0 })
	if got := p.assemble(t, include("http://b.example/x")); got.err == nil {
		t.Error("the next page goes by the old configuration")
	}
}

// TestRedirectsOfFragments are followed where the include says so, within the origin.
func TestRedirectsOfFragments(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, "")
	p.a.script = func(head string) (string, string) {
		if _, to, moved := strings.Cut(requestTarget(head), "to="); moved {
			return ":status 302 Found\r\nLocation: " + to + "\r\n", "moved"
		}
		return "", "arrived at " + requestTarget(head)
	}
	for _, tt := range []struct{ src, attributes, want string }{
		{"/d/x?to=y", `redirect="yes"`, "arrived at /d/y"},
		{"/x?to=/y?to=/z?to=/end", `redirect="yes"`, "arrived at /end"},
		{"/x?to=/y?to=/z?to=/u?to=/end", `redirect="yes"`, ""},
		{"/x?to=http://a.example/y", `redirect="yes"`, "arrived at /y"},
		{"/x?to=http://b.example/y", `redirect="yes"`, ""},
		{"/x?to=https://a.example/y", `redirect="yes"`, ""},
		{"/x?to=//169.254.169.254/", `redirect="yes"`, ""},
		{"/x?to=/y", "", ""},
	} {
		got := p.assemble(t, include(tt.src, tt.attributes, `onerror="continue"`))
		wantPage(t, tt.src+" "+tt.attributes, got, tt.want)
		if (tt.want == "") != (got.report.Failures[esi.BadAnswer] == 1) {
			t.Errorf("%s: %v", tt.src, got.report.Failures)
		}
	}
}

// TestTemplatesInPages: a fragment is one if its origin says so or the include does; else it is data (Z1).
func TestTemplatesInPages(t *testing.T) {
	t.Parallel()
	const says = "Surrogate-Control: content=\"ESI/1.0\", max-age=60\r\n"
	for _, tt := range []struct{ name, fields, attributes, want string }{
		{"data", stored60, "", `[<esi:include src="/inner"/>]`},
		{"the origin says so", says, "", "[a:/inner]"},
		{"the include says so", stored60, `dca="esi"`, "[a:/inner]"},
		{"the include forbids it", says, `dca="none"`, `[<esi:include src="/inner"/>]`},
		{"it needs something else, too", "Surrogate-Control: content=\"ESI/1.0 X/1.0\", max-age=60\r\n", "", `[<esi:include src="/inner"/>]`},
		{"not stored", "Surrogate-Control: content=\"ESI/1.0\", no-store\r\n", "", "[a:/inner]"},
	} {
		p := newPageMill(t, "")
		p.a.script = func(head string) (string, string) {
			if requestTarget(head) == "/outer" {
				return tt.fields, `[<esi:include src="/inner"/>]`
			}
			return stored60, "a:" + requestTarget(head)
		}
		wantPage(t, tt.name, p.assemble(t, include("/outer", tt.attributes)), tt.want)
		got := p.assemble(t, include("/outer", tt.attributes))
		wantPage(t, tt.name+", again", got, tt.want)
		if stored := tt.name != "not stored"; stored && got.report.Fetches != 0 {
			t.Errorf("%s: %d fetches of what is stored", tt.name, got.report.Fetches)
		}
	}
}

// TestEveryReasonIsAFailure of an include, that no client is told of.
func TestEveryReasonIsAFailure(t *testing.T) {
	for r := range reasons {
		if got := failureByReason[r]; (got == esi.None) != (r == Served) {
			t.Errorf("%v is the failure %v", r, got)
		}
	}
}

// readies are pages of three fragments that are in memory.
func readies(tb testing.TB) (once func()) {
	p := newPageMill(tb, "")
	p.a.script = func(string) (string, string) { return stored60, "x" }
	p.assemble(tb, include("/x")+include("/y")+include("/z"))
	x := p.page(tb, "Cookie: a=b", "Accept: text/html", "User-Agent: of some length, as they are", "Accept-Language: de", "Referer: http://a.example/")
	tb.Cleanup(x.release)
	var all [3]esi.Include
	for i, target := range []string{"/x", "/y", "/z"} {
		all[i] = esi.Include{URL: esi.URL{Authority: "a.example", Target: target}, Own: true, Depth: 1, Attributes: &esi.Attributes{}}
	}
	return func() {
		x.assembled.fragments = x.assembled.fragments[:0]
		parts := p.g.fragmentsOf(x)
		for i := range all {
			if got, ok := parts.Ready(&all[i]); !ok || string(got.Whole) != "x" {
				tb.Fatalf("it is not ready: %+v", got)
			}
		}
		parts.end()
	}
}

// TestReadyFragmentsAllocs: fragments in memory are had without allocating.
func TestReadyFragmentsAllocs(t *testing.T) {
	if raceDetector {
		return
	}
	if n := testing.AllocsPerRun(100, readies(t)); n != 0 {
		t.Errorf("three fragments take %v allocations, want 0", n)
	}
}

// BenchmarkReadyFragments has a budget of 4 µs/op and 0 allocs/op per core, for three fragments.
func BenchmarkReadyFragments(b *testing.B) {
	once := readies(b)
	b.ReportAllocs()
	for b.Loop() {
		once()
	}
}
