package gateway

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// M-ESI-01, M-ESI-02, E5, C3, C4: a template and its fragments are stored by themselves; the client
// gets a page without tags, and nothing that was said of the template's bytes.
func TestPagesAreAssembled(t *testing.T) {
	k := newKiosk(t, "", map[string]served{
		"/page":  {asTemplate + "ETag: \"t9\"\r\nLast-Modified: Mon, 01 Jan 2024 00:00:00 GMT\r\nContent-MD5: x\r\nAccept-Ranges: bytes\r\nX-Kept: yes\r\n", `a<esi:include src="/one"/>b<esi:include src="two"/>c<esi:remove>gone</esi:remove>`, ""},
		"/one":   {stored60, "ONE", ""},
		"/two":   {"Cache-Control: no-store\r\n", "<esi:vars>TWO</esi:vars>", ""},
		"/plain": {stored60 + "Content-Type: text/html\r\n", "no <esi:include src=\"/one\"/>", ""},
	})
	for i := 1; i <= 3; i++ {
		got := k.get(t, "/page")
		if want := "aONEb<esi:vars>TWO</esi:vars>c"; got.status != 200 || got.body != want {
			t.Fatalf("%d %q, want %q", got.status, got.body, want)
		}
		for name, want := range map[string]string{
			"ETag": "", "Last-Modified": "", "Content-MD5": "", "Age": "", "Surrogate-Control": "", "X-Kept": "yes",
			"Accept-Ranges": "none", "Cache-Control": "private, no-cache", "Content-Length": fmt.Sprint(len(got.body)),
		} {
			if got.header.Get(name) != want && !(name == "Content-Length" && got.header.Get(name) == "") {
				t.Errorf("%s: %q, want %q", name, got.header.Get(name), want)
			}
		}
		if k.count("/page") != 1 || k.count("/one") != 1 || k.count("/two") != i {
			t.Errorf("after %d pages the origin was asked %v", i, k.asked)
		}
	}
	if n := k.g.current.Load().sites[0].esi.metrics.Templates.Load(); n != 1 {
		t.Errorf("the template was read %d times", n)
	}
	if got := k.get(t, "/plain"); got.body != "no <esi:include src=\"/one\"/>" {
		t.Errorf("what is no template was made into %q", got.body)
	}
}

// E2, D6, D2: what other requests get of a template.
func TestRequestsForPages(t *testing.T) {
	k := newKiosk(t, "", map[string]served{
		"/page": {asTemplate + "ETag: \"t\"\r\n", `(<esi:include src="/f"/>)`, ""},
		"/f":    {stored60 + "ETag: \"f\"\r\n", "F", ""},
	})
	for _, tt := range []struct {
		name, request string
		body          string
		keeps         bool // the connection
	}{
		{"a range is ignored", "GET /page HTTP/1.1\r\nHost: shop.example\r\nRange: bytes=0-1", "(F)", true},
		{"conditions are", "GET /page HTTP/1.1\r\nHost: shop.example\r\nIf-None-Match: \"t\", \"f\"\r\nIf-Modified-Since: Mon, 01 Jan 2035 00:00:00 GMT", "(F)", true},
		{"HEAD asks for no fragment", "HEAD /page HTTP/1.1\r\nHost: shop.example", "", true},
		{"HTTP/1.0", "GET /page HTTP/1.0", "(F)", false},
		{"POST", "POST /page HTTP/1.1\r\nHost: shop.example\r\nContent-Length: 0", "(F)", true},
	} {
		got := ask(t, k.addr, tt.request)
		if got.status != 200 || got.body != tt.body || got.header.Get("ETag") != "" || got.header.Get("Accept-Ranges") != "none" {
			t.Errorf("%s: %d %q %v", tt.name, got.status, got.body, got.header)
		}
	}
}

// E2: an origin that answers a range, or a condition, of a template is asked for all of it.
func TestPartsOfTemplatesAreNotPassedOn(t *testing.T) {
	for name, status := range map[string]string{"a part": "206 Partial Content", "still holds": "304 Not Modified"} {
		whole := 0
		k := newKiosk(t, ", rules: [{ name: all, pass: true }]", map[string]served{"/f": {stored60, "F", ""}})
		k.answer = func(head string) (string, string) {
			switch {
			case strings.HasPrefix(head, "GET /f"):
				return "", "F"
			case strings.Contains(head, "Range:"), strings.Contains(head, "If-None-Match:"):
				if status[0] == '2' {
					return ":status " + status + "\r\n" + asTemplate + "Content-Range: bytes 0-1/5\r\n", "<e"
				}
				return ":status " + status + "\r\n" + asTemplate, ""
			}
			whole++
			return asTemplate, `(<esi:include src="/f"/>)`
		}
		field := "Range: bytes=0-1"
		if status[0] == '3' {
			field = "If-None-Match: \"x\""
		}
		if got := k.get(t, "/page", field); got.status != 200 || got.body != "(F)" || whole != 1 {
			t.Errorf("%s: %d %q, the whole was asked for %d times", name, got.status, got.body, whole)
		}
	}
}

// R1, R2: a page that fails before its first byte is refused, and a later one broken off.
func TestFailedPages(t *testing.T) {
	long := strings.Repeat("x", 100<<10)
	k := newKiosk(t, "", map[string]served{
		"/early":     {asTemplate, `<esi:include src="/gone"/>a`, ""},
		"/late":      {asTemplate, long + `<esi:include src="/gone"/>`, ""},
		"/alt":       {asTemplate, `a<esi:include src="/gone" alt="/f"/>`, ""},
		"/continues": {asTemplate, `a<esi:include src="/error" onerror="continue"/>b`, ""},
		"/f":         {stored60, "F", ""},
		"/error":     {stored60, "upstream says: secret", "503 Busy"},
	})
	if got := k.get(t, "/early"); got.status != 502 || !strings.Contains(got.body, "fragment_failed") || strings.Contains(got.body, "/gone") {
		t.Errorf("early: %d %q", got.status, got.body)
	}
	raw := send(t, k.addr, "GET /late HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n")
	if !strings.HasPrefix(raw, "HTTP/1.1 200 ") || strings.HasSuffix(raw, "\r\n0\r\n\r\n") {
		t.Errorf("late: it ends in %q", raw[len(raw)-20:])
	}
	for path, want := range map[string]string{"/alt": "aF", "/continues": "ab"} {
		if got := k.get(t, path); got.status != 200 || got.body != want {
			t.Errorf("%s: %d %q", path, got.status, got.body)
		}
	}
}

// Z1: who sends markup gets no page that might repeat it.
func TestMarkupOfClientsIsRefused(t *testing.T) {
	k := newKiosk(t, "", map[string]served{"/page": {asTemplate, `page`, ""}, "/other": {stored60, "other", ""}})
	for _, tt := range []struct {
		path, field string
		want        int
	}{
		{"/page?q=%3Cesi:include%20src=/x%3E", "X-A: b", 400},
		{"/page", "Cookie: a=%253Cesi:vars%253E", 400},
		{"/page", "Referer: http://x/?<!--esi -->", 400},
		{"/page?q=a&b=%3Cp%3E", "X-A: b", 200},
		{"/other?q=%3Cesi:include%20src=/x%3E", "X-A: b", 200},
	} {
		if got := k.get(t, tt.path, tt.field); got.status != tt.want {
			t.Errorf("%s with %s: %d, want %d", tt.path, tt.field, got.status, tt.want)
		}
	}
}

// C9: the page depends on what its variables look at.
func TestVaryOfPages(t *testing.T) {
	k := newKiosk(t, "", map[string]served{
		"/page": {asTemplate + "Vary: X-A\r\n", `<esi:vars>$(HTTP_COOKIE{a})$(HTTP_ACCEPT_LANGUAGE)</esi:vars>`, ""},
	})
	got := k.get(t, "/page", "Cookie: a=<b>", "Accept-Language: de")
	if vary := strings.Join(got.header.Values("Vary"), ", "); got.body != "&lt;b&gt;de" || vary != "X-A, Cookie, Accept-Language" {
		t.Errorf("%q, Vary: %s", got.body, vary)
	}
	if code := http.StatusText(got.status); code != "OK" {
		t.Error(code)
	}
}

// A template is read as a whole, also where what is as long is stored in slices.
func TestTemplatesAreNotSliced(t *testing.T) {
	k := newKiosk(t, ", ranges: { slice: 64KiB, above: 128KiB }", map[string]served{"/f": {stored60, "F", ""}})
	long := strings.Repeat("x", 200<<10)
	template := long + `<esi:include src="/f"/>`
	fields := asTemplate + "ETag: \"t\"\r\nAccept-Ranges: bytes\r\n"
	k.answer = func(head string) (string, string) {
		var from, to int
		_, asked, _ := strings.Cut(head, "Range: bytes=")
		switch n, _ := fmt.Sscanf(asked, "%d-%d", &from, &to); {
		case !strings.HasPrefix(head, "GET /page"):
			return k.reply(head)
		case n == 2:
			to = min(to, len(template)-1)
			return fmt.Sprintf(":status 206 Partial Content\r\n%sContent-Range: bytes %d-%d/%d\r\n", fields, from, to, len(template)), template[from : to+1]
		}
		return fields, template
	}
	for _, asked := range []string{"X-A: b", "X-A: b", "Range: bytes=0-9"} {
		if got := k.get(t, "/page", asked); got.status != 200 || got.body != long+"F" {
			t.Errorf("%s: %d, %d bytes", asked, got.status, len(got.body))
		}
	}
}
