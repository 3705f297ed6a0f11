package gateway

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// E1: which answers are templates is the configuration's matter.
func TestWhichAnswersAreTemplates(t *testing.T) {
	t.Parallel()
	const (
		markup = `a<esi:include src="/f"/>b`
		made   = "aFb"
		html   = "Content-Type: text/html; charset=utf-8\r\n"
		says   = "Surrogate-Control: content=\"ESI/1.0\"\r\n"
	)
	k := newKiosk(t, "", map[string]served{"/f": {stored60, "F", ""}})
	for n, tt := range []struct{ name, esi, fields, status, want string }{
		{"its origin says so", "", html + says, "", made},
		{"it does not", "", html + stored60, "", markup},
		{"it is for another device", "", html + "Surrogate-Control: content=\"ESI/1.0\";other\r\n", "", markup},
		{"it needs something else, too", "", html + "Surrogate-Control: content=\"ESI/1.0 X/1.0\"\r\n", "", markup},
		{"in any case of letters", "", html + "surrogate-control: Content=\"esi/1.0\"\r\n", "", made},
		{"no type of templates", "", "Content-Type: application/json\r\n" + says, "", markup},
		{"a type that is configured", "types: [application/json]", "Content-Type: application/json\r\n" + says, "", made},
		{"an error", "", html + says, "404 Not Found", markup},
		{"a status that is configured", "statuses: [404]", html + says, "404 Not Found", made},
		{"by type", "mode: content-types", html + stored60, "", made},
		{"not by type", "mode: content-types", "Content-Type: text/plain\r\n" + says, "", markup},
		{"off", `mode: "off"`, html + says, "", markup},
	} {
		k.configure(t, "esi: { "+tt.esi+" }")
		path := fmt.Sprint("/", n)
		k.set(path, served{tt.fields, markup, tt.status})
		for range 2 {
			if got := k.get(t, path); got.body != tt.want || got.header.Get("Surrogate-Control") != "" {
				t.Errorf("%s: %d %q %q", tt.name, got.status, got.body, got.header.Get("Surrogate-Control"))
			}
		}
	}
}

// C3: for how long clients may keep a page.
func TestHowLongClientsKeepPages(t *testing.T) {
	t.Parallel()
	const template = "Content-Type: text/html\r\nSurrogate-Control: max-age=100, content=\"ESI/1.0\"\r\n"
	for _, tt := range []struct {
		name, ttl, fields, page, fragment string // fields of page and fragment
		want                              string
	}{
		{"nothing is said", "none", template, "", stored60, "private, no-cache"},
		{"nothing, though the template does", "none", template + "Cache-Control: max-age=1000\r\nExpires: Mon, 01 Jan 2035 00:00:00 GMT\r\n", "", stored60, "private, no-cache"},
		{"the least", "min", template, "", stored60, "max-age=50"},
		{"the least is the template's", "min", template, "", "Cache-Control: max-age=1000\r\n", "max-age=90"},
		{"the least, of a page that is not held back", "min", template, strings.Repeat("x", 20<<10), stored60, "max-age=50"},
		{"one that fails, and has something in its place", "min", template, `<esi:try><esi:attempt><esi:include src="/gone"/></esi:attempt><esi:except><esi:include src="/f"/></esi:except></esi:try>`, stored60, "private, no-cache"},
		{"a fragment of one client", "min", template, "", "Cache-Control: private, max-age=60\r\n", "private, no-cache"},
		{"one that is not stored", "min", template, "", "", "private, no-cache"},
		{"one that varies", "min", template, "", stored60 + "Vary: Cookie\r\n", "private, no-cache"},
		{"variables", "min", template, "<esi:vars>$(HTTP_COOKIE{a})</esi:vars>", stored60, "private, no-cache"},
		{"the template's", "template", template, "", stored60, "max-age=90"},
		{"the template's, with a fragment of one client", "template", template, "", "Cache-Control: private, max-age=60\r\n", "private, max-age=90"},
		{"the template's, with one that is not stored", "template", template, "", "", "private, max-age=90"},
		{"the template's, with one that varies", "template", template, "", stored60 + "Vary: Cookie\r\n", "private, max-age=90"},
		{"the template's, with one that fails", "template", template, `<esi:include src="/gone" onerror="continue"/>`, stored60, "private, max-age=90"},
		{"the template's, with one that is a template", "template", template, "", "Surrogate-Control: max-age=60, content=\"ESI/1.0\"\r\n", "max-age=90"},
		{"the template's, with variables", "template", template, "<esi:vars>$(HTTP_COOKIE{a})</esi:vars>", stored60, "private, max-age=90"},
		{"the template's, that varies", "template", template + "Vary: X-A\r\n", "", stored60, "max-age=90"},
		{"the template's, that says less to clients", "template", template + "Cache-Control: max-age=5\r\n", "", stored60, "max-age=5"},
		{"the template's, that clients must not keep", "template", template + "Cache-Control: no-store\r\n", "", stored60, "private, no-cache"},
		{"the least, of a template that is private to others", "min", template + "Cache-Control: private, max-age=60\r\n", "", stored60, "private, no-cache"},
		{"a template that is not stored", "template", unstoredTemplate, "", "", "private, no-cache"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := newKiosk(t, "", map[string]served{"/page": {tt.fields, tt.page + `<esi:include src="/f"/>`, ""}, "/f": {tt.fragment, "F", ""}})
			k.configure(t, "esi: { client_ttl: "+tt.ttl+" }")
			k.get(t, "/page")
			k.clock.Store(10)
			got := k.get(t, "/page")
			if body := strings.TrimLeft(got.body, "x"); got.status != 200 || strings.TrimLeft(body, "F") != "" || body == "" {
				t.Errorf("%d %.40q", got.status, got.body)
			}
			if control := strings.Join(got.header.Values("Cache-Control"), " | "); control != tt.want || got.header.Get("Age")+got.header.Get("Expires") != "" {
				t.Errorf("Cache-Control: %q, want %q; %v", control, tt.want, got.header)
			}
		})
	}
}

// Z8: a page of what is stored for some clients alone is one that no cache in between may keep, however
// long its client may.
func TestPagesOfSomeClientsArePrivate(t *testing.T) {
	t.Parallel()
	for _, cache := range []string{
		", key: { cookies: [tier] }", ", key: { headers: [x-tier] }", ", rules: [{ name: all, key: { cookies: [tier] } }]", ", rules: [{ name: all, key: { headers: [x-tier] } }]",
	} {
		for _, ttl := range []string{"min", "template"} {
			k := newKiosk(t, cache, map[string]served{"/page": {asTemplate, "p", ""}})
			k.configure(t, "esi: { client_ttl: "+ttl+" }")
			for range 2 {
				if got := k.get(t, "/page", "Cookie: tier=gold").header.Get("Cache-Control"); got != "private, max-age=60" {
					t.Errorf("%s, %s: Cache-Control: %q", cache, ttl, got)
				}
			}
		}
	}
}

// C3, C9: a page of which any part looks at what its client says is one that no cache in between
// may keep, wherever that part stands, whether it is stored or fetched while the page is sent:
// Vary says nothing of fragments.
func TestPagesThatLookAtTheirClientArePrivate(t *testing.T) {
	t.Parallel()
	const template = "Content-Type: text/html\r\nSurrogate-Control: max-age=100, content=\"ESI/1.0\"\r\n"
	long, f, g := strings.Repeat("x", 20<<10), `<esi:include src="/f"/>`, `<esi:include src="/g"/>`
	shapes := []map[string]string{
		{"/page": f, "/f": "LOOK"},
		{"/page": long + f, "/f": "LOOK"},
		{"/page": f, "/f": g, "/g": "LOOK"},
		{"/page": f, "/f": long + g, "/g": "LOOK"},
		{"/page": long + f + long, "/f": long + g, "/g": long + "LOOK"},
		{"/page": long + `<esi:try><esi:attempt>` + f + `</esi:attempt><esi:except>no</esi:except></esi:try>`, "/f": "LOOK"},
		{"/page": long + `<esi:include src="/none" alt="/f"/>`, "/f": "LOOK"},
	}
	looks := []string{
		`<esi:vars>$(HTTP_COOKIE{a})</esi:vars>`, `<esi:vars>$(HTTP_HEADER{X-A})</esi:vars>`, `<esi:vars>$(HTTP_HOST)</esi:vars>`,
		`<esi:choose><esi:when test="$(HTTP_COOKIE{a})=='b'">B</esi:when></esi:choose>`,
		`<esi:choose><esi:when test="$(HTTP_ACCEPT_LANGUAGE{de})"><esi:include src="/h"/></esi:when></esi:choose>`,
		`<esi:include src="/h?$(HTTP_USER_AGENT)"/>`,
	}
	for n, look := range append(looks, "") {
		for _, shape := range shapes {
			for _, gone := range []string{"none of it", "/f", "/g"} {
				all := map[string]served{"/h": {stored60, "H", ""}}
				for path, body := range shape {
					all[path] = served{template, strings.ReplaceAll(body, "LOOK", look), ""}
				}
				k := newKiosk(t, "", all)
				k.configure(t, "esi: { client_ttl: "+[]string{"min", "template"}[n%2]+", variables: { headers: [X-A] } }")
				k.get(t, "/page", "Cookie: a=b")
				k.g.PurgeStored(StoredPurge{StoredSelection: StoredSelection{Match: "path:" + gone}})
				got := k.get(t, "/page", "Cookie: a=b")
				control, fails := got.header.Get("Cache-Control"), strings.Contains(shape["/page"], "/none")
				if private := strings.HasPrefix(control, "private"); got.status != 200 || !private && (look != "" || fails) {
					t.Errorf("%s, without %s: %d, Cache-Control: %s", look, gone, got.status, control)
				}
				if look == "" && !fails && gone == "none of it" && control != "max-age=100" {
					t.Errorf("nothing looks, and Cache-Control is %s", control)
				}
			}
		}
	}
}

// R2, R3: what stands in the place of fragments that fail, and when it is known that none does.
func TestWhatFailuresMakeOfPages(t *testing.T) {
	t.Parallel()
	fallback := filepath.Join(t.TempDir(), "fragment.html")
	if err := os.WriteFile(fallback, []byte(`<i>none <esi:include src="/f"/></i>`), 0o600); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 100<<10)
	const fails = `<esi:include src="/gone"/>`
	for _, tt := range []struct {
		name, esi, page string
		status          int
		want            string // empty: it is broken off
	}{
		{"the page fails", "on_error: fail", fails + "b", 502, ""},
		{"it has begun", "on_error: fail", long + fails + "b", 200, ""},
		{"it is held", "on_error: fail, first_byte: hold", long + fails + "b", 502, ""},
		{"it is held, and comes", "first_byte: hold", long + `<esi:include src="/f"/>b`, 200, long + "Fb"},
		{"nothing stands there", "on_error: empty", "a" + fails + "b", 200, "ab"},
		{"in a page that is held", "on_error: empty, first_byte: hold", long + fails + "b", 200, long + "b"},
		{"the site's fragment does", "on_error: default-fragment", "a" + fails + "b", 200, `a<i>none <esi:include src="/f"/></i>b`},
		{"not where the markup says", "on_error: default-fragment", `a<esi:include src="/gone" onerror="continue"/>b`, 200, "ab"},
		{"nor in an attempt", "on_error: empty", "a<esi:try><esi:attempt>1" + fails + "</esi:attempt><esi:except>2</esi:except></esi:try>b", 200, "a2b"},
		{"by type of failure", "on_error: fail", `a<esi:try><esi:attempt>1` + fails + `</esi:attempt><esi:except type="noconnection">2</esi:except><esi:except type="httpclienterror">3</esi:except></esi:try>b`, 200, "a3b"},
		{"by no type of failure", "on_error: fail", `<esi:try><esi:attempt>1` + fails + `</esi:attempt><esi:except type="noconnection">2</esi:except></esi:try>b`, 502, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := newKiosk(t, "", map[string]served{"/page": {asTemplate, tt.page, ""}, "/f": {stored60, "F", ""}})
			k.configure(t, "esi: { "+tt.esi+" }\nsites: { w: { hosts: [\"**\"], pages: { fragment: "+fallback+" } } }\nmappings: [{ site: w, cluster: a }]")
			for range 2 {
				raw := send(t, k.addr, "GET /page HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n")
				if tt.status == 200 && tt.want != "" {
					wantBody(t, "it", parseTold(t, "GET", raw), tt.want)
				} else if !strings.HasPrefix(raw, fmt.Sprintf("HTTP/1.1 %d ", tt.status)) || tt.status == 200 && strings.HasSuffix(raw, "0\r\n\r\n") {
					t.Errorf("%q ... %q", raw[:20], raw[len(raw)-20:])
				}
			}
		})
	}
}

// Z1: where the site says so, markup of clients is no reason to refuse a page. It is not run.
func TestMarkupOfClientsMayBeLetIn(t *testing.T) {
	t.Parallel()
	k := newKiosk(t, "", map[string]served{"/page": {asTemplate, `<esi:vars>$(QUERY_STRING{q})</esi:vars>`, ""}})
	for detects, want := range map[bool]int{true: 400, false: 200} {
		k.configure(t, fmt.Sprintf("esi: { detect_injection: %v }", detects))
		got := k.get(t, "/page?q=%3Cesi:include%20src=%22/f%22/%3E")
		if got.status != want || strings.Contains(got.body, "<esi:") {
			t.Errorf("detecting %v: %d %q", detects, got.status, got.body)
		}
		got = ask(t, k.addr, "POST /page HTTP/1.1\r\nHost: shop.example\r\nContent-Length: 0\r\nX-A: <!--esi -->")
		if got.status != want {
			t.Errorf("detecting %v, a field: %d", detects, got.status)
		}
	}
	k.configure(t, "esi: { detect_injection: true }")
	const body = "q=<esi:vars>"
	raw := send(t, k.addr, "POST /page HTTP/1.1\r\nHost: shop.example\r\nContent-Length: 12\r\nConnection: close\r\n\r\n"+body)
	if !strings.HasPrefix(raw, "HTTP/1.1 400 ") || len(body) != 12 {
		t.Errorf("a body: %q", raw)
	}
}

// D2, D1: what is ready of a page is sent before what is waited for; all fragments are waited for at once.
func TestPagesAreSentAsTheyComeTogether(t *testing.T) {
	t.Parallel()
	for _, coded := range []string{"", "Accept-Encoding: gzip\r\n"} {
		k := newKiosk(t, "", map[string]served{
			"/page":   {asTemplate, `ready<esi:include src="/hold/1"/>|<esi:include src="/hold/2"/>|<esi:include src="/hold/3"/>`, ""},
			"/hold/1": {"", "1", ""}, "/hold/2": {"", "2", ""}, "/hold/3": {"", "3", ""},
		})
		c := dialTo(t, k.addr)
		c.SetDeadline(time.Now().Add(30 * time.Second))
		io.WriteString(c, "GET /page HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n"+coded+"\r\n")
		begun := readUntil(t, c, "ready")
		until(t, "all fragments are asked for", func() bool { return k.held.Load() == 3 })
		close(k.letGo)
		rest, err := io.ReadAll(c)
		if err != nil {
			t.Error(err)
		}
		wantBody(t, "the page", parseTold(t, "GET", begun+string(rest)), "ready1|2|3")
	}
}

// readUntil reads a connection until some text has come.
func readUntil(t *testing.T, c net.Conn, text string) string {
	t.Helper()
	var all strings.Builder
	for p := make([]byte, 4096); !strings.Contains(all.String(), text); {
		n, err := c.Read(p)
		all.Write(p[:n])
		if err != nil {
			t.Fatalf("after %q: %v", all.String(), err)
		}
	}
	return all.String()
}
