package gateway

import (
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"weirkeep/gateway/config"
	"weirkeep/gateway/session"
)

// M-BIND-01, M-BIND-03, M-BIND-04 and X-43: what an origin's answer teaches, and
// how the client then carries it. A session that was learned is at one origin;
// one that was not is balanced.
func TestBindingIsLearnedFromWhatOriginsSay(t *testing.T) {
	t.Parallel()
	const both = "cookie: SID, url_param: sid"
	for _, tt := range []struct {
		name, session, fields, body string // of the answer that may teach
		target, cookie              string // of the requests after it
		bound                       bool
	}{
		{"Set-Cookie", both, "Set-Cookie: SID=abc; Path=/; HttpOnly\r\n", "", "/", "SID=abc", true},
		{"Set-Cookie among others", both, "Set-Cookie: a=b\r\nSet-Cookie: SID=abc\r\nSet-Cookie: c=d\r\n", "", "/", "a=b; SID=abc; c=d", true},
		{"Set-Cookie with quotes", both, "Set-Cookie: SID=\"abc\"\r\n", "", "/", "SID=abc", true},
		{"Set-Cookie of another name", both, "Set-Cookie: sid=abc\r\n", "", "/", "SID=abc", false},
		{"Set-Cookie that deletes", both, "Set-Cookie: SID=abc; Max-Age=0\r\n", "", "/", "SID=abc", false},
		{"Set-Cookie, carried by the URL", both, "Set-Cookie: SID=abc\r\n", "", "/cart?sid=abc", "", true},
		{"Set-Cookie and no cookie", both, "Set-Cookie: SID=abc\r\n", "", "/", "", false},
		{"Set-Cookie of a session with a parameter alone", "url_param: sid", "Set-Cookie: sid=abc\r\n", "", "/cart?sid=abc", "sid=abc", false},
		{"nothing", both, "", "", "/", "SID=abc", false},
		{"Location, path parameter", both, "Location: /cart;sid=abc?x=1\r\n", "", "/cart;sid=abc?x=1", "", true},
		{"Location, path parameter of another path", both, "Location: /cart;sid=abc\r\n", "", "/a;x=1;sid=abc/b", "", true},
		{"Location, query", both, "Location: https://a.example/cart?x=1&sid=abc#top\r\n", "", "/cart?sid=abc&x=1", "", true},
		{"Location, carried by the cookie", both, "Location: /cart?sid=abc\r\n", "", "/", "SID=abc", true},
		{"Location of a session with a cookie alone", "cookie: SID", "Location: /cart?sid=abc\r\n", "", "/cart?sid=abc", "", false},
		{"link, not asked for", both, "Content-Type: text/html\r\n", `<a href="/cart;sid=abc">`, "/cart;sid=abc", "", false},
		{"link, path parameter", both + ", learn_from_links: true", "Content-Type: text/html; charset=utf-8\r\n", `<p><a href="/cart;sid=abc">cart</a>`, "/cart;sid=abc", "", true},
		{"link, query", both + ", learn_from_links: true", "Content-Type: text/html\r\n", `<form action='/cart?x=1&amp;sid=abc'>`, "/cart?x=1&sid=abc", "", true},
		{"link in a page that is no HTML", both + ", learn_from_links: true", "Content-Type: text/plain\r\n", `<a href="/cart;sid=abc">`, "/cart;sid=abc", "", false},
		{"link in a compressed page", both + ", learn_from_links: true", "Content-Type: text/html\r\nContent-Encoding: gzip\r\n", `<a href="/cart;sid=abc">`, "/cart;sid=abc", "", false},
		{"no link", both + ", learn_from_links: true", "Content-Type: text/html\r\n", `<!-- <a href="/cart;sid=abc"> -->`, "/cart;sid=abc", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			hs := newHomes(t, "a", "b", "c")
			hs.say(func(head string) (string, string) {
				if requestTarget(head) == "/teach" {
					return tt.fields, tt.body
				}
				return "", head
			})
			addr, _ := start(t, hs.boundText("", tt.session, ""), hs.options())
			first := visit(t, addr, "/teach", "").origin()
			answerers := map[string]bool{}
			for range 9 {
				answerers[visit(t, addr, tt.target, tt.cookie).origin()] = true
			}
			if tt.bound && !(len(answerers) == 1 && answerers[first]) || !tt.bound && len(answerers) != 3 {
				t.Errorf("learned at %q, 9 requests were answered by %v; want it bound: %v", first, answerers, tt.bound)
			}
		})
	}
}

// M-BIND-02: ids are passed on byte for byte, both ways, whatever they look like,
// and bind all the same.
func TestSessionIDsPassUnchanged(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, id, param string }{
		{"letters", "abc", "abc"},
		{"what encodings use", "a+b/c==", "a+b=="},
		{"escapes", "%61%2F%20%zz", "%61%2F%20"},
		{"what frameworks sign with", "s:7GhQ2x.Zm9v!1234!-5678~", "s:7GhQ2x.Zm9v!1234!-5678~"},
		{"separators", "a|b{c}[d]<e>&f=g@h,i", "a|b&x"},
		{"bytes that are no ASCII", "\x80\xff\xc3\xa4", "a"},
		{"backslashes", `a\"b\`, "a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			hs := newHomes(t, "a", "b")
			set, location := "Set-Cookie: SID="+tt.id+"; Path=/\r\n", "Location: /x;y=z/?sid="+tt.param+"\r\n"
			hs.say(func(head string) (string, string) { return set + location, head })
			addr, _ := start(t, hs.boundText("", byCookie, ""), hs.options())
			target, cookies := "/x;y=z/?sid="+tt.param, "Cookie: a=\"b; SID="+tt.id+"; c"
			raw := send(t, addr, "GET "+target+" HTTP/1.1\r\nHost: a.example\r\n"+cookies+"\r\nConnection: close\r\n\r\n")
			for _, part := range []string{"\r\n" + set, "\r\n" + location, "\r\n\r\nGET " + target + " HTTP/1.1\r\n", "\r\n" + cookies + "\r\n"} {
				if !strings.Contains(raw, part) {
					t.Errorf("%q is not in %q", part, raw)
				}
			}
			first := parseTold(t, "GET /", raw).origin()
			stays(t, addr, "SID="+tt.id, first)
		})
	}
}

// The parameter is learned as the client will send it, however it is escaped.
func TestPathParametersAreComparedInOneForm(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b")
	hs.say(func(head string) (string, string) { return "Location: /x;sid=a%7e%2fb\r\n", head })
	addr, _ := start(t, hs.boundText("", byCookie, ""), hs.options())
	first := visit(t, addr, "/", "").origin()
	hs.say(nil)
	for range 3 {
		for _, target := range []string{"/x;sid=a%7e%2fb", "/x;sid=a~%2Fb", "/y;sid=a%7E%2fb"} {
			a := visit(t, addr, target, "")
			if line := "GET " + target + " HTTP/1.1"; a.origin() != first || a.line() != line {
				t.Errorf("%s went to %q as %q, want it at %q, as it is", target, a.origin(), a.line(), first)
			}
		}
	}
}

// M-BIND-05: 100 requests of a session, several at a time, go to one origin,
// others idle; what is not of the session is balanced.
func TestSessionStaysAtItsOrigin(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	hs.say(atCookie)
	addr, g := start(t, hs.boundText("", byCookie, ""), hs.options())
	first := enter(t, addr, "one")
	var clients sync.WaitGroup
	for range 10 {
		c := dialTo(t, addr)
		clients.Go(func() { askAsSession(c, 10) })
	}
	clients.Wait()
	if n := hs.named(t, first).heads.Load(); n != 101 || hs.except(first).count() != 0 {
		t.Errorf("%d requests at %q and %d elsewhere, want 101 and 0", n, first, hs.except(first).count())
	}
	for range 3 {
		visit(t, addr, "/", "")
	}
	if n := hs.except(first).count(); n != 2 {
		t.Errorf("of 3 requests without a session %d went elsewhere, want 2", n)
	}
	if o := statusOf(t, g, first); o.Sessions != 1 {
		t.Errorf("%d sessions are at home at %q, want 1", o.Sessions, first)
	}
}

// askAsSession sends n requests of the session on one connection.
func askAsSession(c net.Conn, n int) {
	c.SetDeadline(time.Now().Add(20 * time.Second))
	io.WriteString(c, strings.Repeat(visitHead("/", "SID=one")+"\r\n\r\n", n-1))
	io.WriteString(c, visitHead("/", "SID=one")+"\r\nConnection: close\r\n\r\n")
	io.Copy(io.Discard, c)
}

// M-BIND-06: built-in definitions exist by name.
func TestBuiltinSessionsBindByName(t *testing.T) {
	t.Parallel()
	for name, d := range session.Builtin() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hs := newHomes(t, "a", "b")
			set := "Set-Cookie: " + d.Cookie + "=abc\r\n"
			hs.say(func(string) (string, string) { return set, "" })
			addr, _ := start(t, plainListener+fmt.Sprintf("clusters: { app: { origins: %s, session: %s } }\n", hs.text(), name), hs.options())
			first := visit(t, addr, "/", "").origin()
			stays(t, addr, d.Cookie+"=abc", first)
		})
	}
}

// M-BIND-06: a name that nothing has is refused when the file is read.
func TestUnknownSessionIsRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, cluster, more, said string }{
		{"of a cluster", ", session: JSESSIONIDD", "", "clusters.app names session"},
		{"of a site", "", "sites: { w: { hosts: [\"**\"], session: sid } }\nmappings: [{ site: w, cluster: app }]\n", "sites.w names session"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			problems := loadProblems(t, plainListener+fmt.Sprintf("clusters: { app: { origins: [{ address: \"127.0.0.1:9001\" }]%s } }\n%s", tt.cluster, tt.more))
			if !slices.ContainsFunc(problems, func(p config.Problem) bool {
				return p.Severity == config.Error && p.Code == "E205" && strings.Contains(p.Message, tt.said) && strings.Contains(p.Message, "JSESSIONID")
			}) {
				t.Errorf("want an E205 with %q that lists what there is: %v", tt.said, problems)
			}
		})
	}
}

// M-BIND-10: a cluster's session is a default, its site's wins.
func TestSitesSessionWins(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b")
	hs.say(func(head string) (string, string) {
		if requestTarget(head) == "/teach" {
			return "Set-Cookie: C=1\r\nSet-Cookie: S=2\r\n", ""
		}
		return "", head
	})
	addr, _ := start(t, plainListener+fmt.Sprintf(`
clusters: { app: { origins: %s, session: c } }
sessions: { c: { cookie: C }, s: { cookie: S } }
sites: { own: { hosts: [own.example], session: s }, none: { hosts: [none.example] } }
mappings: [{ site: own, cluster: app }, { site: none, cluster: app }]
`, hs.text()), hs.options())
	for _, tt := range []struct {
		host, cookie string
		bound        bool
	}{
		{"own.example", "S=2", true},
		{"own.example", "C=1", false},
		{"none.example", "C=1", true},
		{"none.example", "S=2", false},
	} {
		first := askFor(t, addr, tt.host, "/teach").origin()
		answerers := map[string]bool{}
		for range 4 {
			answerers[ask(t, addr, "GET / HTTP/1.1\r\nHost: "+tt.host+"\r\nCookie: "+tt.cookie).origin()] = true
		}
		if bound := len(answerers) == 1 && answerers[first]; bound != tt.bound {
			t.Errorf("%s with %s: answered by %v after %q, want it bound: %v", tt.host, tt.cookie, answerers, first, tt.bound)
		}
	}
}

// M-BIND-10: two sites with definitions of their own do not see each other's
// sessions, though cookie values are the same and the origins are too.
func TestSitesWithTwoDefinitionsDoNotMix(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b")
	hs.say(func(head string) (string, string) {
		if strings.Contains(head, "Host: one.") {
			return "Set-Cookie: ONE=same\r\n", ""
		}
		return "Set-Cookie: TWO=same\r\n", ""
	})
	addr, _ := start(t, plainListener+fmt.Sprintf(`
clusters: { app: { origins: %s } }
sessions: { one: { cookie: ONE }, two: { cookie: TWO } }
sites: { one: { hosts: [one.example], session: one }, two: { hosts: [two.example], session: two } }
mappings: [{ site: one, cluster: app }, { site: two, cluster: app }]
`, hs.text()), hs.options())
	both := "\r\nCookie: ONE=same; TWO=same"
	one := ask(t, addr, "GET / HTTP/1.1\r\nHost: one.example"+both).origin()
	two := ask(t, addr, "GET / HTTP/1.1\r\nHost: two.example"+both).origin()
	if one == two {
		t.Fatalf("both sessions began at %q, want each balanced", one)
	}
	for range 4 {
		for host, want := range map[string]string{"one.example": one, "two.example": two} {
			if got := ask(t, addr, "GET / HTTP/1.1\r\nHost: "+host+both).origin(); got != want {
				t.Errorf("the session of %s went to %q, want %q", host, got, want)
			}
		}
	}
}

// Two mappings with one session: where an id is at home for one of them is no
// matter of the other, whose origins know it as well or not at all.
func TestMappingsDoNotTakeEachOthersSessions(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c", "d")
	hs.say(atCookie)
	addr, _ := start(t, plainListener+fmt.Sprintf(`
clusters: { shop: { origins: %s }, blog: { origins: %s } }
sessions: { s: { cookie: SID } }
sites: { w: { hosts: ["**"], session: s } }
mappings: [{ site: w, prefix: /blog, cluster: blog }, { site: w, cluster: shop }]
`, hs[:2].text(), hs[2:].text()), hs.options())
	first := enter(t, addr, "x")
	for range 3 {
		if a := visit(t, addr, "/blog", "SID=x"); a.origin() != "c" && a.origin() != "d" {
			t.Errorf("/blog is answered by %q", a.origin())
		}
		stays(t, addr, "SID=x", first)
	}
}
