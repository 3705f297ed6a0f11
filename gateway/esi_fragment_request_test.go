package gateway

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"weirkeep/abi"
	"weirkeep/gateway/esi"
	"weirkeep/gateway/provider"
	"weirkeep/gateway/wire"
)

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
	for _, part := range []string{"GET /x?y HTTP/1.1\r\n", "Host: " + stranger.addr + "\r\n", "Accept: text/html\r\n", "Accept-Encoding: gzip, br, zstd\r\n", "Via: 1.1 edge\r\n", "Cdn-Loop: edge\r\n"} {
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

// TestStrangersAreReadNoFurther: of a stranger's answer no more is read than a fragment may have, however
// long it is.
func TestStrangersAreReadNoFurther(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, ", max_fragment: 100KiB")
	apply(t, p.g, strings.Replace(p.text, "deny", "dns", 1))
	p.g.providers = provider.New(provider.Options{MaxBytes: mostOfProvider, Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	const long = 256 // pieces, more than connections hold
	taken := make(chan int, 1)
	stranger := rawOrigin(t, func(c net.Conn) {
		defer c.Close()
		readRawHead(bufio.NewReader(c))
		n, piece := 0, make([]byte, 256<<10)
		for _, err := io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n"); err == nil && n < long; n++ {
			_, err = c.Write(piece)
		}
		taken <- n
	})
	got := p.assemble(t, include("http://"+stranger.Addr().String()+"/", `onerror="continue"`))
	if got.err != nil || got.text != "" || got.report.Failures[esi.BadBody] != 1 {
		t.Errorf("%d bytes, %v, %v", len(got.text), got.err, got.report.Failures)
	}
	if n := <-taken; n == long {
		t.Errorf("all of %d MiB was read", long/4)
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

// What says who asks goes to other origins if a trusted proxy has said it, and not by the client's own word.
func TestOthersAreToldWhoAsksIfThatIsVouchedFor(t *testing.T) {
	for _, trusted := range []bool{true, false} {
		page := &Exchange{trusted: trusted}
		page.Head.Fields = []wire.Field{{Name: []byte("X-Forwarded-For"), Value: []byte("192.0.2.1"), Class: wire.Identity}}
		p := &fragments{page: page}
		told := slices.ContainsFunc(p.fields(false), func(f wire.Field) bool { return f.Class == wire.Identity })
		if told != trusted {
			t.Errorf("trusted %v: told %v", trusted, told)
		}
	}
}
