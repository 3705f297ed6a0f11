package gateway

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// What happens to a request is decided before the store is asked, and is a part of what is
// stored.

// stocked are homes behind a gateway with a cache. Each answers with its name.
func (hs homes) stocked(t *testing.T, more string) (addr string, g *Gateway) {
	t.Helper()
	hs.say(func(head string) (string, string) {
		if _, id, ok := strings.Cut(requestTarget(head), "/in?"); ok {
			return "Set-Cookie: SID=" + id + "\r\n", "in"
		}
		return stored60, "page"
	})
	text := plainListener + "node: { name: edge }\nclusters:\n" + clusterLine("app", hs[:2], ", session: s") + clusterLine("dr", hs[2:], "") +
		"sessions: { s: { " + byCookie + " } }\n" + more
	for _, usual := range []string{"cache: { enabled: true }\n", "sites: { shop: { hosts: [a.example] } }\n"} {
		if key, _, _ := strings.Cut(usual, " "); !strings.Contains(more, "\n"+key) {
			text += "\n" + usual
		}
	}
	return start(t, text, hs.options())
}

// visitStored asks for /page with further header lines, and says who has made the answer and
// whether it was stored: "a hit".
func visitStored(t *testing.T, addr string, lines ...string) string {
	t.Helper()
	a := ask(t, addr, strings.Join(append([]string{visitHead("/page", "")}, lines...), "\r\n"))
	_, did, _ := strings.Cut(a.header.Get("Cache-Status"), "edge; ")
	did, _, _ = strings.Cut(did, ";")
	return strings.TrimSpace(fmt.Sprint(a.status, " ", a.origin(), " ", strings.TrimPrefix(did, "fwd=")))
}

// wantStored visits in turn: each visit is header lines, with what is to come of them.
func wantStored(t *testing.T, addr string, visits ...[2]string) {
	t.Helper()
	for i, v := range visits {
		var lines []string
		if v[0] != "" {
			lines = []string{v[0]}
		}
		if got := visitStored(t, addr, lines...); got != v[1] {
			t.Errorf("visit %d, %q: %s, want %s", i, v[0], got, v[1])
		}
	}
}

// a page that is stored is not sent to who is refused, or sent elsewhere.
func TestRulesComeBeforeTheStore(t *testing.T) {
	t.Parallel()
	addr, _ := newHomes(t, "a", "b", "c").stocked(t, `
mappings: [{ site: shop, cluster: dr }]
rules:
  - { name: banned, when: 'header("X-From") == "there"', reject: { status: 403 } }
  - { name: moved, when: 'header("X-From") == "old"', redirect: { location: "https://{host}/new" } }
`)
	wantStored(t, addr,
		[2]string{"", "200 c uri-miss"},
		[2]string{"X-From: there", "403"},
		[2]string{"X-From: old", "302"},
		[2]string{"", "200 c hit"})
}

// a tester's page of the next edition is nobody else's, but of who is at home there; nor
// is the other way round, though the rule lets all that it can be shared.
func TestEditionsAreStoredApart(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	hs[0].settings, hs[1].settings = `, edition: { application: shop, label: "1.0" }`, `, edition: { application: shop, label: "2.0" }`
	addr, _ := hs.stocked(t, `
mappings: [{ site: shop, applications: [shop] }]
applications: { shop: { clusters: [app] } }
editions: { shop: { active: "1.0" } }
rules: [{ name: testers, when: 'has_header("X-Test")', permit: { to: main/app@2.0 }, share_cache: true }]
`)
	wantStored(t, addr,
		[2]string{"X-Test: 1", "200 b uri-miss"},
		[2]string{"", "200 a uri-miss"},
		[2]string{"X-Test: 1", "200 b hit"},
		[2]string{"", "200 a hit"})
	if got := ask(t, addr, visitHead("/in?next", "")+"\r\nX-Test: 1").origin(); got != "b" {
		t.Fatalf("the tester's session begins at %s", got)
	}
	wantStored(t, addr,
		[2]string{"Cookie: SID=next", "200 b hit"}, // bound there, so it is given that edition without being a tester
		[2]string{"Cookie: SID=unknown", "200 a hit"})
}

// what a permit narrows is apart, unless the rule says that it need not be.
func TestPermitsAreStoredApart(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ share, first, second string }{
		{"", "200 a uri-miss", "200 b uri-miss"},
		{", share_cache: true", "200 a uri-miss", "200 a hit"},
	} {
		addr, _ := newHomes(t, "a", "b", "c").stocked(t, `
mappings: [{ site: shop, cluster: app }]
rules:
  - { name: one, when: 'header("X-At") == "a"', permit: { to: main/app/a }`+tt.share+` }
  - { name: two, when: 'header("X-At") == "b"', permit: { to: main/app/b }`+tt.share+` }
`)
		wantStored(t, addr, [2]string{"X-At: a", tt.first}, [2]string{"X-At: b", tt.second}, [2]string{"X-At: a", "200 a hit"})
	}
}

// what a failover group answers is stored as the first one's.
func TestFailoverSharesWhatIsStored(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	addr, g := hs.stocked(t, `
mappings: [{ site: shop, cluster: app, failover: [dr] }]`)
	hs[0].kill()
	hs[1].kill()
	visit(t, addr, "/other", "") // finds that they are out
	wantStored(t, addr, [2]string{"", "200 c uri-miss"})
	hs[0].revive(g)
	hs[1].revive(g)
	wantStored(t, addr, [2]string{"", "200 c hit"})
}

// M-SURGE-05: what is stored is sent at once, however long the line at the origins is.
func TestHitsDoNotStandInLine(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	hs[2].settings = ", capacity: 1"
	addr, g := hs.stocked(t, `
mappings: [{ site: shop, cluster: dr }]`)
	wantStored(t, addr, [2]string{"", "200 c uri-miss"})
	visitLater(t, addr, "/hold", "")
	until(t, "the origin is busy", func() bool { return hs[2].held.Load() == 1 })
	waits := visitLater(t, addr, "/other", "")
	awaitWaiters(t, g, 1)
	wantStored(t, addr, [2]string{"", "200 c hit"})
	hs[2].letGo <- struct{}{}
	if a := <-waits; a.status != 200 {
		t.Errorf("who waited got %d", a.status)
	}
}

// M-SITE-10: caching rules of a site outrank those of the top level.
func TestCachingRulesOfASiteComeFirst(t *testing.T) {
	t.Parallel()
	addr, _ := newHomes(t, "a", "b", "c").stocked(t, `
sites:
  shop: { hosts: [a.example] }
  live: { hosts: [live.example], cache: { rules: [{ name: never, pass: true }] } }
mappings: [{ site: shop, cluster: dr }, { site: live, cluster: dr }]
cache: { enabled: true, rules: [{ name: minute, ttl: 60s }] }
`)
	wantStored(t, addr, [2]string{"", "200 c uri-miss"}, [2]string{"", "200 c hit"})
	for range 2 {
		if got := askFor(t, addr, "live.example", "/page").header.Get("Cache-Status"); !strings.Contains(got, "fwd=bypass") {
			t.Errorf("the site that passes says %q", got)
		}
	}
}

// D-WC-13: what is stored for requests with a session, and what for those without.
func TestSessionsOfCachingRules(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ session, without, one, other string }{
		{"shared", "200 c hit", "200 c hit", "200 c hit"},
		{"without", "200 c hit", "200 c bypass", "200 c bypass"},
		{"with", "200 c bypass", "200 c hit", "200 c hit"},
		{"own", "200 c hit", "200 c hit", "200 c uri-miss"},
	} {
		t.Run(tt.session, func(t *testing.T) {
			t.Parallel()
			addr, _ := newHomes(t, "a", "b", "c").stocked(t, `
sites: { shop: { hosts: [a.example], session: s } }
mappings: [{ site: shop, cluster: dr }]
cache: { enabled: true, rules: [{ name: r, session: `+tt.session+` }] }
`)
			visitStored(t, addr)
			visitStored(t, addr, "Cookie: SID=1")
			wantStored(t, addr, [2]string{"", tt.without}, [2]string{"Cookie: SID=1", tt.one}, [2]string{"Cookie: SID=2", tt.other})
		})
	}
}

// M-SLB-01: without a cache nothing is kept, and no message says more or less of caching than
// whoever sent it did.
func TestWithoutACacheNothingIsSaidOfOne(t *testing.T) {
	t.Parallel()
	const fields = "Cache-Control: max-age=60\r\nAge: 3\r\nVary: X\r\nETag: \"v\"\r\nSurrogate-Control: max-age=5, content=\"ESI/1.0\"\r\n" +
		"Surrogate-Key: a\r\nCache-Tag: b\r\nCDN-Cache-Control: max-age=9\r\nCache-Groups: \"g\"\r\nWarning: 110 - \"x\"\r\nCache-Status: inner; hit\r\nContent-Type: text/html\r\n"
	hs := newHomes(t, "a")
	heads := make(chan string, 2)
	hs.say(func(head string) (string, string) { heads <- head; return fields, "<esi:include src=\"/x\"/>" })
	addr, _ := start(t, plainListener+"clusters:\n"+clusterLine("app", hs, ""), hs.options())
	const asked = "Cache-Control: only-if-cached\r\nPragma: no-cache\r\nIf-None-Match: \"w\"\r\nIf-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT\r\n" +
		"Range: bytes=0-1\r\nAccept-Encoding: gzip\r\nAuthorization: Basic x\r\nSurrogate-Capability: x=\"ESI/1.0\"\r\nCookie: a=b"
	for range 2 {
		a := ask(t, addr, visitHead("/page", "")+"\r\n"+asked)
		if a.status != 200 || !strings.HasPrefix(a.body, "<esi:include") {
			t.Errorf("the client got %d, %q", a.status, a.body)
		}
		if got, want := fieldsBut(a.header, "Connection", "Content-Length", "Date", "Via", "X-Origin"), strings.Fields(strings.Join(fieldNames(fields), " ")); !slices.Equal(got, want) {
			t.Errorf("the client got the fields %v, want %v", got, want)
		}
		select {
		case head := <-heads:
			for line := range strings.SplitSeq(asked, "\r\n") {
				if !strings.Contains(head, line+"\r\n") {
					t.Errorf("%s is not in %q", line, head)
				}
			}
			if more := newNames(head, asked); !slices.Equal(more, []string{"Host", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Request-Id"}) {
				t.Errorf("the origin was told more: %v", more)
			}
		case <-time.After(20 * time.Second):
			t.Fatal("the origin was not asked")
		}
	}
}

// fieldNames are the names of fields, sorted.
func fieldNames(fields string) (names []string) {
	for line := range strings.SplitSeq(fields, "\r\n") {
		if name, _, ok := strings.Cut(line, ": "); ok {
			names = append(names, http.CanonicalHeaderKey(name))
		}
	}
	slices.Sort(names)
	return names
}

// newNames are the names of fields of a head that are not among others.
func newNames(head, others string) []string {
	known := fieldNames(others)
	return slices.DeleteFunc(fieldNames(head), func(name string) bool { return slices.Contains(known, name) })
}

// fieldsBut are the names of fields, sorted, without some.
func fieldsBut(h http.Header, but ...string) (names []string) {
	for name := range h {
		if !slices.Contains(but, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
