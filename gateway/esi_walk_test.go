package gateway

import (
	"fmt"
	"strings"
	"testing"

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
