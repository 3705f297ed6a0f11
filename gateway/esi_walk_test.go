package gateway

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"weirkeep/abi"
)

// Design, section 4: filters of stage deliver see the template, and the page is made of what they make of it, also of
// one that is stored. Fragments they never see.
func TestFiltersSeeTemplates(t *testing.T) {
	t.Parallel()
	k := newKiosk(t, "", nil)
	k.text += fmt.Sprintf(`
plugins: { edit: { kind: filter, module: %q, needs: [headers, body], limits: { instances: 16, wait: 1s } } }
sites: { w: { hosts: ["**"], filters: [{ plugin: edit, on_error: skip }] } }
mappings: [{ site: w, cluster: a }]
`, guestFile(parrot))
	k.configure(t, "")
	for path, fields := range map[string]string{"/stored": asTemplate, "/not": unstoredTemplate} {
		k.desk.pages = map[string]served{
			path:     {fields + says(op(abi.OpSetBody, "", `[<esi:include src="/f"/>]`), op(abi.OpSetHeader, "X-Made", "here")), "as it came", ""},
			"/f":     {stored60 + says(op(abi.OpSetBody, "", "edited"), op(abi.OpSetHeader, "X-Made", "there")), "F", ""},
			"/given": {fields + says(op(abi.OpRespond, "418", "a teapot")), `<esi:include src="/f"/>`, ""},
		}
		for range 2 {
			got := k.get(t, path)
			wantBody(t, path, got, "[F]")
			if got.header.Get("X-Made") != "here" {
				t.Errorf("%s: X-Made: %q", path, got.header.Get("X-Made"))
			}
		}
		if got := k.get(t, "/given?"+path); got.status != 418 || got.body != "a teapot" {
			t.Errorf("a filter that answers: %d %q", got.status, got.body)
		}
	}
}

// A site's edits of answers are made to its pages, those of requests to what fragments are asked for with.
func TestEditsOfPages(t *testing.T) {
	t.Parallel()
	k := newKiosk(t, "", map[string]served{
		"/page": {asTemplate + "X-Server: secret\r\n", `<esi:include src="/f"/>`, ""}, "/f": {"X-Of: fragment\r\n", "F", ""},
	})
	k.configure(t, `
sites: { w: { hosts: ["**"], headers: { request: { set: { X-Edge: here } }, response: { remove: [X-Server], set: { X-Made: here, Cache-Control: "max-age=5" } } } } }
mappings: [{ site: w, cluster: a }]`)
	for range 2 {
		got := k.get(t, "/page")
		wantBody(t, "a page", got, "F")
		if h := got.header; h.Get("X-Server")+h.Get("X-Of") != "" || h.Get("X-Made") != "here" || strings.Join(h.Values("Cache-Control"), "|") != "max-age=5" {
			t.Errorf("its fields are %v", got.header)
		}
		if fieldIn(k.head("/f"), "X-Edge") != "here" {
			t.Errorf("the fragment is asked for with %s", k.head("/f"))
		}
	}
}

// A page's session is its fragments': they come from where it is at home. What fragments say of sessions is not told to
// the client.
func TestSessionsOfPages(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	for _, h := range hs {
		h.script = func(head string) (string, string) {
			switch target := requestTarget(head); {
			case strings.HasPrefix(target, "/page"):
				return unstoredTemplate, h.name + `<esi:include src="/1"/><esi:include src="/2"/><esi:include src="/in?other"/>`
			case strings.HasPrefix(target, "/in?"):
				return atCookie(head)
			}
			return "", h.name
		}
	}
	addr, _ := start(t, hs.boundText("", byCookie, "cache: { enabled: true }"), hs.options())
	for _, name := range []string{"a", "b", "c"} {
		cookie := enterAt(t, addr, name)
		for range 3 {
			got := visit(t, addr, "/page", cookie)
			wantBody(t, "a page of "+name, got, name+name+name+"in")
			if got.header.Get("Set-Cookie") != "" {
				t.Errorf("the page says %q", got.header.Values("Set-Cookie"))
			}
		}
	}
}

// Rules say of a fragment what they say of a client's request.
func TestRulesOfFragments(t *testing.T) {
	t.Parallel()
	k := newKiosk(t, "", map[string]served{"/f": {stored60, "F", ""}})
	k.configure(t, `
sites:
  w:
    hosts: ["**"]
    rules:
      - { name: no, when: 'path startsWith "/no"', reject: { status: 403 } }
      - { name: out, when: 'path startsWith "/out"', reject: { status: 503 } }
      - { name: away, when: 'path startsWith "/away"', redirect: { location: /f } }
mappings: [{ site: w, cluster: a }]`)
	for name, tt := range map[string]struct{ src, except string }{
		"rejected": {"/no/x", "httpclienterror"}, "out of service": {"/out/x", "httpservererror"}, "redirected": {"/away/x", "incorrectresponseheader"},
	} {
		path := "/page-" + strings.ReplaceAll(name, " ", "-")
		k.set(path, served{asTemplate, `<esi:try><esi:attempt><esi:include src="` + tt.src + `"/></esi:attempt><esi:except type="` + tt.except + `">caught</esi:except></esi:try><esi:include src="/f"/>`, ""})
		wantBody(t, name, k.get(t, path), "caughtF")
		if k.count(tt.src) != 0 {
			t.Errorf("%s: its origin was asked", name)
		}
	}
}

// Pages on one connection, one after the other, whatever the requests: each begins where the one before has ended.
func TestPagesOnOneConnection(t *testing.T) {
	t.Parallel()
	k := newKiosk(t, "", map[string]served{
		"/page": {asTemplate, `(<esi:include src="/f"/>)`, ""}, "/not": {unstoredTemplate, `[<esi:include src="/f"/>]`, ""}, "/f": {"Cache-Control: no-store\r\n", "F", ""},
		"/lost": {asTemplate, `<esi:include src="/gone"/>`, ""}, "/plain": {stored60, "plain", ""},
	})
	requests := []struct {
		request, body string
		status        int
		want          string
	}{
		{"GET /page", "", 200, "(F)"}, {"POST /not", "Content-Length: 3\r\n\r\nabc", 200, "[F]"}, {"HEAD /page", "", 200, ""}, {"GET /lost", "", 502, ""}, {"HEAD /not", "", 200, ""},
		{"GET /plain", "", 200, "plain"}, {"POST /page", "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", 200, "(F)"}, {"GET /not", "", 200, "[F]"},
	}
	for _, pipelined := range []bool{false, true} {
		c := dialTo(t, k.addr)
		c.SetDeadline(time.Now().Add(30 * time.Second))
		r := bufio.NewReader(c)
		asks := func(n int) {
			body := requests[n].body
			if body == "" {
				body = "\r\n"
			}
			io.WriteString(c, requests[n].request+" HTTP/1.1\r\nHost: shop.example\r\n"+body)
		}
		for n := range requests {
			if pipelined {
				asks(n)
			}
		}
		for n, tt := range requests {
			if !pipelined {
				asks(n)
			}
			method, _, _ := strings.Cut(tt.request, " ")
			got, err := readTold(r, method)
			if err != nil || got.status != tt.status || tt.status == 200 && got.body != tt.want || got.close {
				t.Fatalf("pipelined %v, %s: %d %q, %v; want %d %q", pipelined, tt.request, got.status, got.body, err, tt.status, tt.want)
			}
		}
	}
}

// C7, C9: what is one client's is fetched for each; what varies is stored for each that differs.
func TestFragmentsOfOneClient(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, fields string
		fetches      int // for two clients that each ask twice
	}{
		{"private", "Cache-Control: private, max-age=60\r\n", 4},
		{"not stored", "Cache-Control: no-store\r\n", 4},
		{"it varies", stored60 + "Vary: Cookie\r\n", 2},
		{"it begins a session", stored60 + "Set-Cookie: s=1\r\n", 4},
	} {
		k := newKiosk(t, "", map[string]served{"/page": {asTemplate, `(<esi:include src="/f"/>)`, ""}})
		k.answer = func(head string) (string, string) {
			if fields, body := k.reply(head); requestTarget(head) != "/f" {
				return fields, body
			}
			return tt.fields, fieldIn(head, "Cookie")
		}
		for range 2 {
			for _, client := range []string{"u=1", "u=2"} {
				got := k.get(t, "/page", "Cookie: "+client)
				wantBody(t, tt.name, got, "("+client+")")
				if got.header.Get("Set-Cookie") != "" {
					t.Errorf("%s: %v", tt.name, got.header)
				}
			}
		}
		if n := k.count("/f"); n != tt.fetches || k.count("/page") != 1 {
			t.Errorf("%s: %d fetches, want %d", tt.name, n, tt.fetches)
		}
	}
}
