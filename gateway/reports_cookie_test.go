package gateway

import (
	"crypto/tls"
	"fmt"
	"strings"
	"testing"
)

const byGatewayCookie = `cookie: SID, binding: gateway-cookie, keys: ["0123456789abcdef0123456789abcdef"]`

// The gateway's own cookie has the flags that audits ask for, whatever else is
// configured.
func TestReportGatewayCookieFlags(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, options, want string }{
		{"SS-04: nothing said", "", "; Path=/; HttpOnly; SameSite=Lax"},
		{"SS-04: each said", ", gateway_cookie: { path: /shop, domain: shop.example, same_site: strict, max_age: 1h }", "; Path=/shop; Domain=shop.example; Max-Age=3600; HttpOnly; SameSite=Strict"},
		{"SS-04: for other sites' pages", ", gateway_cookie: { same_site: none }", "; Path=/; HttpOnly"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			hs := newHomes(t, "a", "b")
			hs.say(atCookie)
			addr, _ := start(t, hs.boundText("", byGatewayCookie+tt.options, ""), hs.options())
			_, attributes, _ := strings.Cut(gatewayCookie(t, addr), ";")
			if ";"+attributes != tt.want {
				t.Errorf("set with %q, want %q", ";"+attributes, tt.want)
			}
		})
		t.Run(tt.name+", over TLS", func(t *testing.T) {
			t.Parallel()
			hs := newHomes(t, "a", "b")
			hs.say(atCookie)
			roots := newAuthority(t)
			p := roots.issue(t, "a.example")
			text := strings.Replace(hs.boundText("", byGatewayCookie+tt.options, ""), `"127.0.0.1:0"`, fmt.Sprintf(`"127.0.0.1:0", tls: { certificates: [{ cert: %q, key: %q }] }`, p.cert, p.key), 1)
			addr, _ := start(t, text, hs.options())
			a := askTLS(t, addr, &tls.Config{RootCAs: roots.pool(), ServerName: "a.example"}, visitHead("/in?abc", ""))
			set := setByGateway(a)
			if !strings.HasPrefix(set, "weirkeep-s=") || !strings.HasSuffix(set, "; Secure") || !strings.Contains(set, "; HttpOnly") {
				t.Errorf("set with %q, want it HttpOnly and Secure", set)
			}
		})
	}
}

// A cookie of the gateway's own that names an origin which has gone, or that
// failed at the first attempt, is replaced in the same answer.
func TestReportGatewayCookiesOfOriginsThatAreGone(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		goes func(t *testing.T, g *Gateway, hs homes)
	}{
		{"SS-02: gateway-cookie, scaled from 3 to 2", func(t *testing.T, g *Gateway, hs homes) { apply(t, g, hs[1:].boundText("", byGatewayCookie, "")) }},
		{"SS-02: gateway-cookie, there, and down", func(_ *testing.T, _ *Gateway, hs homes) { hs[0].kill() }},
		{"SS-02: gateway-cookie, disabled", func(t *testing.T, g *Gateway, hs homes) {
			hs[0].settings = ", state: disabled"
			apply(t, g, hs.boundText("", byGatewayCookie, ""))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			hs := newHomes(t, "a", "b", "c")
			hs.say(atCookie)
			addr, g := start(t, hs.boundText("", byGatewayCookie, ""), hs.options())
			cookie := ""
			for a := (told{}); a.origin() != "a"; {
				a = visit(t, addr, "/in?abc", "")
				cookie, _, _ = strings.Cut(setByGateway(a), ";")
			}
			stays(t, addr, cookie, "a")
			tt.goes(t, g, hs)
			a := visit(t, addr, "/", cookie)
			replaced, _, _ := strings.Cut(setByGateway(a), ";")
			if a.status != 200 || a.origin() == "a" || replaced == "" || replaced == cookie {
				t.Fatalf("the old cookie: %d from %q, which sets %q; want another origin and its cookie", a.status, a.origin(), replaced)
			}
			stays(t, addr, replaced, a.origin())
		})
	}
	t.Run("SS-03: gateway-cookie, 20 fresh clients, the first origin refuses", func(t *testing.T) {
		t.Parallel()
		hs := newHomes(t, "a", "b")
		hs.say(atCookie)
		hs[0].kill()
		addr, _ := start(t, hs.boundText(", retry: { retries: 2 }, failover: { connect_failures: same, threshold: 1000 }", byGatewayCookie, ""), hs.options())
		var cookies []string
		for n := range 20 {
			a := visit(t, addr, fmt.Sprint("/in?fresh", n), "")
			cookie, _, _ := strings.Cut(setByGateway(a), ";")
			if a.origin() != "b" || cookie == "" {
				t.Fatalf("client %d is answered by %q, which sets %q", n, a.origin(), cookie)
			}
			cookies = append(cookies, cookie)
		}
		hs[0].down.Store(false)
		for _, cookie := range cookies {
			if a := visit(t, addr, "/", cookie); a.origin() != "b" {
				t.Errorf("%s goes to %q, want where it was answered", cookie, a.origin())
			}
		}
	})
}

// A cookie tells nothing of its origin, and one that nobody signed is none.
func TestReportForgedGatewayCookies(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b")
	hs.say(atCookie)
	addr, _ := start(t, hs.boundText("", byGatewayCookie, ""), hs.options())
	set, _, _ := strings.Cut(gatewayCookie(t, addr), ";")
	for _, h := range hs {
		if strings.Contains(set, h.name+".example") || strings.Contains(set, "127.0.0.1") {
			t.Errorf("SS-06: %q shows an origin", set)
		}
	}
	for _, tt := range []struct{ name, cookie string }{
		{"SS-06: an address", "weirkeep-s=127.0.0.1:1"},
		{"SS-06: a name", "weirkeep-s=home/app/a"},
		{"SS-06: a flipped bit", set[:len(set)-1] + string(set[len(set)-1]^1)},
		{"SS-06: cut", set[:len(set)-1]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			origins := map[string]bool{}
			for range 4 {
				origins[visit(t, addr, "/", tt.cookie).origin()] = true
			}
			if len(origins) != 2 {
				t.Errorf("answered by %v, want to be balanced over both", origins)
			}
		})
	}
	t.Run("SS-06: the genuine one", func(t *testing.T) { stays(t, addr, set, visit(t, addr, "/", set).origin()) })
}

// gatewayCookie begins a session and returns what sets the gateway's cookie.
func gatewayCookie(t *testing.T, addr string) string {
	t.Helper()
	set := setByGateway(visit(t, addr, "/in?abc", ""))
	if set == "" {
		t.Fatal("no Set-Cookie of the gateway's own")
	}
	return set
}

// setByGateway is the Set-Cookie of the gateway's own; empty: there is none.
func setByGateway(a told) string {
	for _, set := range a.header.Values("Set-Cookie") {
		if strings.HasPrefix(set, "weirkeep-s=") {
			return set
		}
	}
	return ""
}
