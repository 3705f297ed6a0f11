package gateway

import (
	"strings"
	"testing"

	"weirkeep/gateway/esi"
)

// The numbered tests are of situations that have broken gateways, each with what has to come of it.

// TestPagesByTheirTemplates: 5, 14, 16, 23, 26, 27, 33, 37: the page that a template makes. It is the same when it comes
// from memory.
func TestPagesByTheirTemplates(t *testing.T) {
	t.Parallel()
	const continues = ` onerror="continue"`
	for _, tt := range []struct {
		name, more string // of the configuration
		template   string // under /d/e/page
		pages      map[string]served
		want       string
		failure    esi.Failure // that is counted
	}{
		{name: "5: a reference is relative to the page", template: `<esi:include src="g"/>|<esi:include src="../h"/>|<esi:include src="?x=1"/>`,
			pages: map[string]served{"/d/e/g": {stored60, "G", ""}, "/d/h": {stored60, "H", ""}, "/d/e/page?x=1": {stored60, "X", ""}}, want: "G|H|X"},
		{name: "16: nested three deep, and a sibling after it", template: `0<esi:include src="/1"/>0<esi:include src="/s"/>0`,
			pages: map[string]served{
				"/1": {asTemplate, `1<esi:include src="/2"/>1<esi:include src="/s"/>1`, ""}, "/2": {asTemplate, `2<esi:include src="/3"/>2`, ""},
				"/3": {asTemplate, `3<esi:include src="/s"/>3`, ""}, "/s": {stored60, "s", ""},
			}, want: "0123s321s10s0"},
		{name: "16: not stored, either", template: `0<esi:include src="/1"/>0`,
			pages: map[string]served{"/1": {unstoredTemplate, `1<esi:include src="/2"/>1`, ""}, "/2": {unstoredTemplate, `2<esi:include src="/s"/>2`, ""}, "/s": {"", "s", ""}}, want: "012s210"},
		{name: "23: a page within itself", template: `a<esi:include src="/d/e/page"` + continues + `/>b<esi:include src="page"` + continues + `/>c`, want: "abc", failure: esi.TooDeep},
		{name: "23: twice in each, with ever new queries", more: "esi: { max_depth: 3 }", template: `(<esi:include src="/loop?a"` + continues + `/>)`,
			pages: map[string]served{
				"/loop?a": {asTemplate, `<esi:include src="?b"` + continues + `/><esi:include src="?c"` + continues + `/>`, ""},
				"/loop?b": {asTemplate, `b<esi:include src="?d"` + continues + `/>`, ""},
				"/loop?c": {asTemplate, `c<esi:include src="?d"` + continues + `/>`, ""},
				"/loop?d": {asTemplate, `d<esi:include src="?e"` + continues + `/>`, ""},
			}, want: "(bdcd)", failure: esi.TooDeep},
		{name: "23: over what a page may include", more: "esi: { max_includes: 3 }", template: strings.Repeat(`<esi:include src="/s"`+continues+`/>`, 5),
			pages: map[string]served{"/s": {stored60, "s", ""}}, want: "sss", failure: esi.TooMany},
		{name: "26: an error has a body", template: `a<esi:include src="/e"` + continues + `/>b`, pages: map[string]served{"/e": {stored60, "secret", "500 No"}}, want: "ab", failure: esi.ServerStatus},
		{name: "26: an error has none", template: `a<esi:include src="/e"` + continues + `/>b`, pages: map[string]served{"/e": {"", "", "503 No"}}, want: "ab", failure: esi.ServerStatus},
		{name: "26: of the alternative, too", template: `a<esi:include src="/e" alt="/gone"` + continues + `/>b`, pages: map[string]served{"/e": {"", "secret", "500 No"}}, want: "ab", failure: esi.ClientStatus},
		{name: "27: no depth, and the page goes on", more: "esi: { max_depth: 0 }", template: `a<esi:include src="/s"` + continues + `/>b`, pages: map[string]served{"/s": {stored60, "s", ""}}, want: "ab", failure: esi.TooDeep},
		{name: "33: nothing between includes", template: `a<esi:include src="/none"/><esi:include src="/empty"/><esi:include src="/s"/><esi:vars></esi:vars><esi:include src="/slow"/><esi:include src="/none"/>`,
			pages: map[string]served{"/none": {"", "", "204 No Content"}, "/empty": {stored60, "", ""}, "/s": {stored60, "s", ""}, "/slow": {"", "S", ""}}, want: "asS"},
		{name: "37: a byte order mark", template: "\ufeffa<esi:include src=\"/s\"/><esi:include src=\"/t\"/>b",
			pages: map[string]served{"/s": {stored60, "\ufeffs", ""}, "/t": {asTemplate, "\ufefft", ""}}, want: "\ufeffastb"},
		{name: "13: blanks alone", template: strings.Repeat(" \r\n\t", 30<<10), want: strings.Repeat(" \r\n\t", 30<<10)},
		{name: "14: nothing is assembled", more: `esi: { mode: "off" }`, template: `a<esi:include src="/s"/><!--esi b-->`, want: `a<esi:include src="/s"/><!--esi b-->`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			pages := map[string]served{"/d/e/page": {asTemplate + "ETag: \"t\"\r\n", tt.template, ""}}
			for path, p := range tt.pages {
				pages[path] = p
			}
			k := newKiosk(t, "", pages)
			k.configure(t, tt.more)
			for _, when := range []string{"at first", "from memory"} {
				got := k.get(t, "/d/e/page")
				wantBody(t, when, got, tt.want)
				if assembled := !strings.Contains(tt.more, "off"); (got.header.Get("ETag") == "") != assembled {
					t.Errorf("%s its ETag is %q", when, got.header.Get("ETag"))
				}
			}
			if tt.failure != esi.None && k.failures(tt.failure) == 0 {
				t.Errorf("no failure %v is counted", tt.failure)
			}
		})
	}
}

// 27: where no fragment is fetched, a page that needs one fails.
func TestPagesOfNoDepthFail(t *testing.T) {
	t.Parallel()
	k := newKiosk(t, "", map[string]served{"/page": {asTemplate, `a<esi:include src="/s"/>`, ""}, "/s": {stored60, "s", ""}})
	k.configure(t, "esi: { max_depth: 0 }")
	if got := k.get(t, "/page"); got.status != 502 || k.count("/s") != 0 {
		t.Errorf("%d %q, the fragment was asked for %d times", got.status, got.body, k.count("/s"))
	}
}

// 11, 28: what the fragments of a page are asked for with, whatever the page was.
func TestRequestsForFragmentsOfPages(t *testing.T) {
	t.Parallel()
	k := newKiosk(t, "", map[string]served{
		"/page": {unstoredTemplate + "Set-Cookie: page=1\r\n", `(<esi:include src="/f"/>)`, ""},
		"/f":    {"Set-Cookie: fragment=1\r\nETag: \"f\"\r\nX-Of: fragment\r\n", "F", ""},
	})
	for _, tt := range []struct{ name, request, body string }{
		{"11: POST with a body", "POST /page HTTP/1.1\r\nContent-Length: 3\r\nContent-Type: text/plain\r\nExpect: 100-continue", "abc"},
		{"11: POST in chunks", "POST /page HTTP/1.1\r\nTransfer-Encoding: chunked", "3\r\nabc\r\n0\r\n\r\n"},
		{"28: conditions and ranges", "GET /page HTTP/1.1\r\nIf-None-Match: \"f\"\r\nIf-Modified-Since: Mon, 01 Jan 2035 00:00:00 GMT\r\nRange: bytes=0-0\r\nCache-Control: no-cache", ""},
	} {
		raw := send(t, k.addr, tt.request+"\r\nHost: shop.example\r\nConnection: close\r\n\r\n"+tt.body)
		got := parseTold(t, tt.request, strings.TrimPrefix(raw, "HTTP/1.1 100 Continue\r\n\r\n"))
		wantBody(t, tt.name, got, "(F)")
		if cookies := got.header.Values("Set-Cookie"); len(cookies) != 1 || cookies[0] != "page=1" || got.header.Get("X-Of") != "" {
			t.Errorf("%s: the page has %v", tt.name, got.header)
		}
		head := k.head("/f")
		if !strings.HasPrefix(head, "GET /f HTTP/1.1\r\n") {
			t.Errorf("%s: the fragment is asked for by %s", tt.name, head)
		}
		for _, name := range []string{"Content-Length", "Transfer-Encoding", "Content-Type", "Expect", "Range", "If-None-Match", "If-Modified-Since", "Cache-Control"} {
			if value := fieldIn(head, name); value != "" {
				t.Errorf("%s: the fragment is asked for with %s: %s", tt.name, name, value)
			}
		}
	}
}

// 22, 15, 12: HEAD asks for no fragment, a range is none of the page, HTTP/1.0 has no chunks.
func TestOtherRequestsForPages(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789abcdef", 40<<10/16)
	k := newKiosk(t, "", map[string]served{
		"/page": {asTemplate + "ETag: \"t\"\r\nLast-Modified: Mon, 01 Jan 2024 00:00:00 GMT\r\n", long + `<esi:include src="/f"/>`, ""},
		"/f":    {"Cache-Control: no-store\r\n", "F", ""},
	})
	for range 2 {
		if got := k.get(t, "/page", "Range: bytes=0-99", "If-Range: \"t\""); got.status != 200 || got.body != long+"F" || got.header.Get("Content-Range") != "" || got.header.Get("Accept-Ranges") != "none" {
			t.Errorf("15: %d, %d bytes, %v", got.status, len(got.body), got.header)
		}
	}
	asked := k.count("/f")
	for _, path := range []string{"/page", "/page?other"} {
		got := ask(t, k.addr, "HEAD "+path+" HTTP/1.1\r\nHost: shop.example")
		if got.status != 200 || got.body != "" || got.header.Get("ETag") != "" || got.header.Get("Cache-Control") != "private, no-cache" || k.count("/f") != asked {
			t.Errorf("22: HEAD %s: %d %v, %d fragments", path, got.status, got.header, k.count("/f")-asked)
		}
	}
	raw := send(t, k.addr, "GET /page HTTP/1.0\r\nHost: shop.example\r\nConnection: keep-alive\r\n\r\n")
	head, body, _ := strings.Cut(raw, "\r\n\r\n")
	if strings.Contains(head, "chunked") || body != long+"F" || !strings.Contains(head, "Connection: close") {
		t.Errorf("12: %s, %d bytes", head, len(body))
	}
}

// 29: a template that is revalidated is not read again.
func TestRevalidatedTemplatesAreNotReadAgain(t *testing.T) {
	t.Parallel()
	k := newKiosk(t, "", map[string]served{
		"/page": {asTemplate + "ETag: \"t\"\r\n", `(<esi:include src="/f"/>)`, ""},
		"/f":    {"Cache-Control: max-age=1000\r\n", "F", ""},
	})
	wantBody(t, "at first", k.get(t, "/page"), "(F)")
	for n := range 3 {
		k.clock.Store(int64(100 * (n + 1)))
		k.set("/page", served{asTemplate + "ETag: \"t\"\r\n", "", "304 Not Modified"})
		wantBody(t, "validated", k.get(t, "/page", "If-None-Match: \"mine\""), "(F)")
		if condition := fieldIn(k.head("/page"), "If-None-Match"); condition != "\"t\"" {
			t.Errorf("it is asked about %q", condition)
		}
	}
	if n := k.counts().Templates.Load(); n != 1 || k.count("/page") != 4 || k.count("/f") != 1 {
		t.Errorf("it was read %d times, the origin was asked %v", n, k.asked)
	}
	k.clock.Store(1000)
	k.set("/page", served{asTemplate, `[<esi:include src="/f"/>]`, ""})
	wantBody(t, "another one", k.get(t, "/page"), "[F]")
}

// 32: a page waits for a fragment that another client's request is fetching.
func TestPagesWaitForFetchesOfOthers(t *testing.T) {
	t.Parallel()
	k := newKiosk(t, "", map[string]served{
		"/page": {asTemplate, `(<esi:include src="/hold"/>|<esi:include src="/hold"/>)`, ""},
		"/hold": {stored60, "F", ""},
	})
	other := k.hold(t, k.addr, "")
	page := visitLater(t, k.addr, "/page", "")
	until(t, "the page waits for it", func() bool { return k.g.cache.Stats().Waiting == 1 })
	close(k.letGo)
	wantAnswerOf(t, "the other", other, "a")
	got, err := await(page)
	if wantBody(t, "the page", got, "(F|F)"); err != nil || k.count("/hold") != 1 {
		t.Errorf("%v, %d fetches", err, k.count("/hold"))
	}
}

// 35: a page keeps the configuration that it has begun with.
func TestPagesOverAReload(t *testing.T) {
	t.Parallel()
	k := newKiosk(t, "", map[string]served{
		"/page": {asTemplate, `(<esi:include src="/hold"/><esi:include src="/inner"/>)`, ""},
		"/hold": {asTemplate, `1<esi:include src="/gone" onerror="continue"/>`, ""}, "/inner": {stored60, "2", ""},
	})
	k.configure(t, "esi: { concurrent: 1 }")
	page := visitLater(t, k.addr, "/page", "")
	until(t, "a fragment is asked for", func() bool { return k.held.Load() == 1 })
	before := k.g.current.Load()
	k.configure(t, `esi: { mode: "off" }`)
	close(k.letGo)
	got, _ := await(page)
	wantBody(t, "the page", got, "(12)")
	until(t, "the old configuration is let go", func() bool { return before.users.Load() == 0 })
	if got := k.get(t, "/page"); !strings.Contains(got.body, "<esi:include") {
		t.Errorf("the next page is made by the old one: %q", got.body)
	}
}
