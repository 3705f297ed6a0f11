package gateway

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"weirkeep/gateway/cache"
)

// What other gateways have made of templates. Without status the page is served, and is want.
func TestReportsOfPages(t *testing.T) {
	t.Parallel()
	const fails, html = `<esi:include src="/503"/>`, "Content-Type: text/html\r\n"
	for _, tt := range []struct {
		name, template string
		status         int
		want           string
		asked          string // all paths that the origin is asked for beside the page, in order of the alphabet
	}{
		{"ES-01: quotes and UTF-8 in src", "a<esi:include src=\"blub.html?q=\"dödel\"\"/>b", 0, "ab", ""},
		{"ES-01: UTF-8 alone", "a<esi:include src=\"/f?q=dödel\"/>b", 0, "aFb", "/f"},
		{"ES-01: no UTF-8", "a<esi:include src=\"/f?q=\xff\xfe\"/>b", 0, "aFb", "/f"},
		{"ES-01: a good one after it", `a<esi:include src="x"y"z"/>b<esi:include src="/f"/>c`, 0, "abFc", "/f"},
		{"ES-06: it is unwrapped", `<!--esi <p><esi:include src="/f"/></p>-->`, 0, " <p>F</p>", "/f"},
		{"ES-06: it is a word that begins alike", `<!--esitest--><!--esi2 <esi:include src="/f"/>-->`, 0, `<!--esitest--><!--esi2 <esi:include src="/f"/>-->`, ""},
		{"ES-06: it is an ordinary comment", `<!-- esi <esi:include src="/f"/> -->`, 0, `<!-- esi <esi:include src="/f"/> -->`, ""},
		{"ES-06: it does not end", `a<!--esi b<esi:include src="/f"/>c`, 0, "a bFc", "/f"},
		{"ES-08: what is not chosen is not asked for", `<esi:choose><esi:when test="'1'=='2'"><esi:include src="/f"/></esi:when><esi:otherwise><esi:include src="/g"/></esi:otherwise></esi:choose>`, 0, "G", "/g"},
		{"ES-08: of two that are true the first is chosen", `<esi:choose><esi:when test="1==1"><esi:include src="/f"/></esi:when><esi:when test="1==1"><esi:include src="/g"/></esi:when></esi:choose>`, 0, "F", "/f"},
		{"ES-14: a stranger, and the page goes on", `a<esi:include src="http://other.example.net/x" onerror="continue"/>b`, 0, "ab", ""},
		{"ES-14: a stranger, and it does not", `<esi:include src="http://other.example.net/x"/>b`, 502, "", ""},
		{"ES-14: a stranger in a fragment", `a<esi:include src="/strange"/>b`, 0, "a[]b", "/strange"},
		{"ES-15: an error and an alternative", `a<esi:include src="/503" alt="/f"/>b`, 0, "aFb", "/503 /f"},
		{"ES-15: an error, and the page goes on", `a<esi:include src="/503" onerror="continue"/>b`, 0, "ab", "/503"},
		{"ES-15: not found, and the page goes on", `a<esi:include src="/404" onerror="continue"/>b`, 0, "ab", "/404"},
		{"ES-15: too late, and the page goes on", `a<esi:include src="/hold" onerror="continue"/>b`, 0, "ab", "/hold"},
		{"ES-15: an error in an attempt", `<esi:try><esi:attempt>a` + fails + `</esi:attempt><esi:except>b<esi:include src="/f"/></esi:except></esi:try>`, 0, "bF", "/503 /f"},
		{"ES-15: an error and nothing", fails + `b`, 502, "", "/503"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := newKiosk(t, "", map[string]served{
				"/page": {asTemplate, tt.template, ""}, "/f": {html, "F", ""}, "/g": {html, "G", ""}, "/503": {html, "secret", "503 No"}, "/404": {html, "secret", "404 No"},
				"/strange": {asTemplate, `[<esi:include src="http://other.example.net/x" onerror="continue"/>]`, ""},
			})
			timeout := "30s"
			if strings.Contains(tt.template, "/hold") {
				timeout = "100ms"
			}
			k.configure(t, "esi: { unmapped_providers: deny, fragment_timeout: "+timeout+" }\nsites: { w: { hosts: [shop.example] } }\nmappings: [{ site: w, cluster: a }]")
			got := k.get(t, "/page")
			if tt.status == 0 {
				wantBody(t, "the page", got, tt.want)
			} else if got.status != tt.status || strings.Contains(got.body, "secret") || strings.Contains(got.body, "example.net") {
				t.Errorf("%d %q, want %d", got.status, got.body, tt.status)
			}
			if asked := k.askedBeside("/page"); asked != tt.asked && !strings.Contains(tt.template, "/hold") {
				t.Errorf("asked for %q, want %q", asked, tt.asked)
			}
		})
	}
}

// askedBeside are the paths that were asked for, but one.
func (d *desk) askedBeside(page string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all []string
	for path := range d.asked {
		if path != page {
			all = append(all, path)
		}
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// ES-02: a src that is no URL is the tag's fault; a host without a path has one.
func TestReportsOfSources(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, src, want string }{
		{"ES-02: a host without a path", "http://shop.example", "root"},
		{"ES-02: one that no site has", "http://example.com", "F"},
		{"ES-02: no host", "http://", "F"},
		{"ES-02: a scheme", "https:", "F"},
		{"ES-02: no scheme", "//example.com", "F"},
		{"ES-02: nothing", "", "F"},
		{"ES-02: a query", "?x", "X"},
		{"ES-02: an address that does not end", "http://[::1", "F"},
		{"ES-02: a script", "javascript:x", "F"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := newKiosk(t, "", map[string]served{
				"/page": {asTemplate, `a<esi:include src="` + tt.src + `" alt="/f"/>b`, ""}, "/page?x": {"", "X", ""}, "/f": {stored60, "F", ""}, "/": {"", "root", ""},
			})
			k.configure(t, "esi: { unmapped_providers: deny }\nsites: { w: { hosts: [shop.example] } }\nmappings: [{ site: w, cluster: a }]")
			wantBody(t, tt.src, k.get(t, "/page"), "a"+tt.want+"b")
			if asked := k.askedBeside("/page"); asked != map[string]string{"root": "/", "F": "/f", "X": ""}[tt.want] {
				t.Errorf("the origin was asked for %q", asked)
			}
		})
	}
}

// What clients say of versions and parts of a page is said of none of its fragments, and holds for none.
func TestReportsOfPartsOfPages(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		fields []string
	}{
		{"ES-11: tags and a range", []string{"If-None-Match: \"t\", \"f\"", "Range: bytes=0-0", "If-Range: \"t\""}},
		{"ES-11: any tag", []string{"If-None-Match: *"}},
		{"ES-11: another tag is wanted", []string{"If-Match: \"other\""}},
		{"ES-11: a time", []string{"If-Modified-Since: Mon, 01 Jan 2035 00:00:00 GMT"}},
		{"ES-12: a range", []string{"Range: bytes=0-99"}},
		{"ES-12: one of what is coded", []string{"Range: bytes=0-99", "Accept-Encoding: gzip"}},
		{"ES-12: one that is not there", []string{"Range: bytes=99999-"}},
		{"ES-12: several", []string{"Range: bytes=0-1,3-4"}},
	} {
		for _, as := range []cache.Coding{cache.Identity, cache.Gzip} {
			t.Run(fmt.Sprint(tt.name, ", ", as), func(t *testing.T) {
				t.Parallel()
				const valid = "ETag: \"f\"\r\nLast-Modified: Mon, 01 Jan 2024 00:00:00 GMT\r\n"
				body := strings.Repeat("<p>page</p>\n", 50)
				k := newKiosk(t, "", map[string]served{
					"/page": {asTemplate + sayingCoding(as) + strings.Replace(valid, "f", "t", 1), inCoding(as, body+`<esi:include src="/f"/><esi:include src="/g"/>`), ""},
					"/f":    {stored60 + valid, "F", ""}, "/g": {"Cache-Control: no-store\r\n" + valid + sayingCoding(as), inCoding(as, "G"), ""},
				})
				for range 2 {
					got := k.get(t, "/page", tt.fields...)
					text, err := outOfCoding(got.header.Get("Content-Encoding"), got.body)
					if got.status != 200 || err != nil || text != body+"FG" || got.header.Get("ETag")+got.header.Get("Last-Modified") != "" || got.header.Get("Accept-Ranges") != "none" {
						t.Errorf("%d, %d bytes, %v, %v", got.status, len(text), err, got.header)
					}
				}
			})
		}
	}
}

// ES-13: where memory is full of other things, pages are made all the same, of what is fetched.
func TestReportsOfFullMemory(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, cache string }{
		{"ES-13: memory is full", ", memory: 1MiB, max_object: 512KiB"},
		{"ES-13: nothing fits", ", memory: 1MiB, max_object: 1KiB"},
		{"ES-13: memory is full of coded ones", ", memory: 1MiB, max_object: 512KiB, compress: [gzip]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := newKiosk(t, tt.cache, map[string]served{"/other": {stored60 + "Content-Type: text/html\r\n", strings.Repeat("0123456789abcdef", 50<<10/16), ""}})
			want := k.fullPages(5)
			var clients sync.WaitGroup
			for c := range 4 {
				clients.Go(func() {
					for n := range 25 {
						if got := k.get(t, fmt.Sprintf("/other?%d.%d", c, n)); got.status != 200 || len(got.body) != 50<<10 {
							t.Errorf("another object: %d, %d bytes", got.status, len(got.body))
						}
						page := (c + n) % len(want)
						got := k.get(t, fmt.Sprint("/page", page), "Accept-Encoding: "+[]string{"gzip", "identity"}[n%2])
						if text, err := outOfCoding(got.header.Get("Content-Encoding"), got.body); got.status != 200 || err != nil || text != want[page] {
							t.Errorf("page %d: %d, %d bytes, want %d; %v", page, got.status, len(text), len(want[page]), err)
						}
					}
				})
			}
			clients.Wait()
			st := k.g.cache.Stats()
			if st.Bytes > 1<<20 || st.Evictions+st.Rejected == 0 {
				t.Errorf("%+v, where memory should be full", st)
			}
			if n := k.g.Metrics().Process.Panics.Load(); n != 0 {
				t.Errorf("%d panics", n)
			}
		})
	}
}

// fullPages has the origin serve so many templates that are long, with fragments that are stored, coded, templates, and
// not stored. What they make is returned.
func (k *kiosk) fullPages(n int) (want []string) {
	long := strings.Repeat("<p>long</p>\r\n", 3000)
	html := stored60 + "Content-Type: text/html\r\n"
	for i := range n {
		as := allCodings[i%len(allCodings)]
		k.set(fmt.Sprint("/page", i), served{asTemplate + sayingCoding(as), inCoding(as, fmt.Sprintf(`%s<esi:include src="/a%d"/><esi:include src="/b%d"/><esi:include src="/c"/>`, long, i, i)), ""})
		k.set(fmt.Sprint("/a", i), served{html + sayingCoding(as), inCoding(as, long+"a"), ""})
		k.set(fmt.Sprint("/b", i), served{asTemplate, `b<esi:include src="/c"/>`, ""})
		want = append(want, long+long+"abcc")
	}
	k.set("/c", served{"Cache-Control: no-store\r\n", "c", ""})
	return want
}
