package gateway

import (
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
		{"SS-04: each said", ", gateway_cookie: { path: /shop, domain: shop.example, same_site: strict }", "; Path=/shop; Domain=shop.example; HttpOnly; SameSite=Strict"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			hs := newHomes(t, "a", "b")
			hs.say(atCookie)
			addr, _ := start(t, reportSticky(hs, "", byGatewayCookie+tt.options), hs.options())
			_, attributes, _ := strings.Cut(gatewayCookie(t, addr), ";")
			if ";"+attributes != tt.want {
				t.Errorf("set with %q, want %q", ";"+attributes, tt.want)
			}
		})
	}
}

// A cookie tells nothing of its origin, and one that nobody signed is none.
func TestReportForgedGatewayCookies(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b")
	hs.say(atCookie)
	addr, _ := start(t, reportSticky(hs, "", byGatewayCookie), hs.options())
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
	for _, set := range visit(t, addr, "/in?abc", "").header.Values("Set-Cookie") {
		if strings.HasPrefix(set, "weirkeep-s=") {
			return set
		}
	}
	t.Fatal("no Set-Cookie of the gateway's own")
	return ""
}
