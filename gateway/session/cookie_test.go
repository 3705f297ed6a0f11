package session

import (
	"slices"
	"strings"
	"testing"
	"time"

	"weirkeep/gateway/wire"
)

var (
	newKey = []byte(strings.Repeat("k", 32))
	oldKey = []byte(strings.Repeat("o", 32))
)

// What the keys make of the origins. Gateways of all versions have to agree on
// it: a cookie is found by others than the one that has set it.
const (
	newA = "0RJqoC44WVTM-te2G0wO6Q"
	newB = "AWYEKe0PWP7zN-NliFePHQ"
	oldA = "XbWdX-Oi558h9uHBM9WRWg"
	oldB = "X7UGk_S9KjrbOCcXhKCagw"
)

func cookieOptions() CookieOptions {
	return CookieOptions{Session: "wls", Name: "gw", Keys: [][]byte{newKey, oldKey}, Origins: []string{"home/shop/a", "home/shop/b"}}
}

func newCookie(t testing.TB, o CookieOptions) *Cookie {
	t.Helper()
	c, err := NewCookie(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCookiesNameOrigins(t *testing.T) {
	c := newCookie(t, cookieOptions())
	for _, tt := range []struct {
		name   string
		fields []string
		want   string
	}{
		{"M-BIND-07: alone", []string{"Cookie: gw=" + newA}, "home/shop/a"},
		{"M-BIND-07: beside the application's", []string{"Cookie: JSESSIONID=x!1!2; gw=" + newB + "; z=1"}, "home/shop/b"},
		{"M-BIND-07: signed by an old key", []string{"Cookie: gw=" + oldA}, "home/shop/a"},
		{"in quotes", []string{`cookie: gw="` + newA + `"`}, "home/shop/a"},
		{"in the second field", []string{"Cookie: a=b", "Cookie: gw=" + newA}, "home/shop/a"},
		{"two: the first", []string{"Cookie: gw=" + newB + "; gw=" + newA}, "home/shop/b"},
		{"two: the first that is genuine", []string{"Cookie: gw=home/shop/a; gw=" + strings.Repeat("A", 22) + "; gw=" + oldB + "; gw=" + newA}, "home/shop/b"},
		{"two in two fields: the first that is genuine", []string{"Cookie: gw=x", "Cookie: gw=" + newA}, "home/shop/a"},
		{"two keys: the order of cookies, not of keys", []string{"Cookie: gw=" + oldB + "; gw=" + newA}, "home/shop/b"},
		{"SS-06: the origin's own name", []string{"Cookie: gw=home/shop/a"}, ""},
		{"SS-06: an address", []string{"Cookie: gw=10.0.0.1:8080"}, ""},
		{"SS-06: nothing", []string{"Cookie: gw=; gw; =" + newA}, ""},
		{"SS-06: cut", []string{"Cookie: gw=" + newA[:21]}, ""},
		{"SS-06: longer", []string{"Cookie: gw=" + newA + "A"}, ""},
		{"SS-06: padded as another base64", []string{"Cookie: gw=" + newA + "=="}, ""},
		{"SS-06: the last letter's unused bits", []string{"Cookie: gw=" + newA[:21] + "R"}, ""},
		{"SS-06: in another case", []string{"Cookie: gw=" + strings.ToLower(newA)}, ""},
		{"SS-06: 8000 characters", []string{"Cookie: gw=" + strings.Repeat("A", 8000)}, ""},
		{"another name", []string{"Cookie: GW=" + newA + "; gwx=" + newA + "; x=gw=" + newA}, ""},
		{"another field", []string{"Set-Cookie: gw=" + newA, "X-Cookie: gw=" + newA}, ""},
		{"no cookie", nil, ""},
	} {
		if got := c.Find(fields(tt.fields...)); got != tt.want {
			t.Errorf("%s: found %q, want %q", tt.name, got, tt.want)
		}
	}
	if c.Name() != "gw" {
		t.Errorf("the cookie's name is %q", c.Name())
	}
}

// SS-06: no character of a token can be another one.
func TestForgedCookiesNameNothing(t *testing.T) {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	c := newCookie(t, cookieOptions())
	for i := range newA {
		for _, letter := range letters {
			forged := newA[:i] + string(letter) + newA[i+1:]
			if got := c.Find(fields("Cookie: gw=" + forged)); (got != "") != (forged == newA) {
				t.Errorf("%s names %q", forged, got)
			}
		}
	}
}

// What is not of this session, these keys and these origins is as if it were not
// there.
func TestCookiesOfOthersNameNothing(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(o *CookieOptions)
		want   string
	}{
		{"M-BIND-08: a gateway that has just begun", func(*CookieOptions) {}, "home/shop/a"},
		{"M-BIND-07: a gateway with more origins, in another order", func(o *CookieOptions) { o.Origins = []string{"c", "home/shop/b", "home/shop/a"} }, "home/shop/a"},
		{"M-BIND-07: a gateway with other attributes", func(o *CookieOptions) { o.Path, o.SameSite = "/shop", "strict" }, "home/shop/a"},
		{"M-BIND-07: a gateway where the key is the last", func(o *CookieOptions) { o.Keys = [][]byte{oldKey, newKey} }, "home/shop/a"},
		{"the key has gone", func(o *CookieOptions) { o.Keys = [][]byte{oldKey} }, ""},
		{"SS-02: the origin has gone", func(o *CookieOptions) { o.Origins = []string{"home/shop/b"} }, ""},
		{"another session", func(o *CookieOptions) { o.Session = "php" }, ""},
	} {
		o := cookieOptions()
		tt.change(&o)
		if got := newCookie(t, o).Find(fields("Cookie: gw=" + newA)); got != tt.want {
			t.Errorf("%s: found %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestCookiesOfOldKeysAreOutdated(t *testing.T) {
	nobodys := strings.Repeat("x", tokenLength)
	for _, tt := range []struct {
		name, cookie string
		keys         [][]byte
		want         bool
	}{
		{"first key", newA, [][]byte{newKey, oldKey}, false},
		{"second key", oldA, [][]byte{newKey, oldKey}, true},
		{"a key that is there twice", newA, [][]byte{newKey, oldKey, newKey}, false},
		{"no token", "x", [][]byte{newKey, oldKey}, false},
		{"of an origin that has gone", nobodys, [][]byte{newKey, oldKey}, true},
		{"of one that has gone, and of one that has not", nobodys + "; gw=" + newA, [][]byte{newKey, oldKey}, false},
		{"of a key that has gone", oldA, [][]byte{newKey}, true},
		{"the one that Find goes by", oldA + "; gw=" + newA, [][]byte{newKey, oldKey}, true},
	} {
		o := cookieOptions()
		o.Keys = tt.keys
		if got := newCookie(t, o).Outdated(fields("Cookie: gw=" + tt.cookie)); got != tt.want {
			t.Errorf("%s: outdated %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestCookiesAreSet(t *testing.T) {
	for _, tt := range []struct {
		name          string
		change        func(o *CookieOptions)
		plain, secure string // attributes
	}{
		{"SS-04: what is not said", func(*CookieOptions) {}, "Path=/; HttpOnly; SameSite=Lax", "Path=/; HttpOnly; SameSite=Lax; Secure"},
		{"SS-04: path and domain", func(o *CookieOptions) { o.Path, o.Domain = "/shop", "shop.example" }, "Path=/shop; Domain=shop.example; HttpOnly; SameSite=Lax", "Path=/shop; Domain=shop.example; HttpOnly; SameSite=Lax; Secure"},
		{"SS-04: max age", func(o *CookieOptions) { o.MaxAge = time.Hour }, "Path=/; Max-Age=3600; HttpOnly; SameSite=Lax", "Path=/; Max-Age=3600; HttpOnly; SameSite=Lax; Secure"},
		{"SS-04: lax", func(o *CookieOptions) { o.SameSite = "lax" }, "Path=/; HttpOnly; SameSite=Lax", "Path=/; HttpOnly; SameSite=Lax; Secure"},
		{"SS-04: strict", func(o *CookieOptions) { o.SameSite = "strict" }, "Path=/; HttpOnly; SameSite=Strict", "Path=/; HttpOnly; SameSite=Strict; Secure"},
		{"SS-04: none needs Secure", func(o *CookieOptions) { o.SameSite = "none" }, "Path=/; HttpOnly", "Path=/; HttpOnly; SameSite=None; Secure"},
		{"SS-04: off", func(o *CookieOptions) { o.SameSite = "off" }, "Path=/; HttpOnly", "Path=/; HttpOnly; Secure"},
	} {
		o := cookieOptions()
		tt.change(&o)
		c := newCookie(t, o)
		start := "X: gw=" + newB + "; "
		if got := string(c.AppendSet([]byte("X: "), "home/shop/b", false)); got != start+tt.plain {
			t.Errorf("%s: sets %q, want %q", tt.name, got, start+tt.plain)
		}
		if got := string(c.AppendSet([]byte("X: "), "home/shop/b", true)); got != start+tt.secure {
			t.Errorf("%s: over TLS sets %q, want %q", tt.name, got, start+tt.secure)
		}
	}
	if got := newCookie(t, cookieOptions()).AppendSet(nil, "home/shop/c", true); len(got) != 0 {
		t.Errorf("of an origin that is not there it sets %q", got)
	}
}

// M-BIND-07, SS-06: what a client is told has nothing of the origin, the session
// or the keys in it.
func TestCookiesAreOpaque(t *testing.T) {
	o := cookieOptions()
	value, _, _ := strings.Cut(string(newCookie(t, o).AppendSet(nil, "home/shop/a", false)), ";")
	for _, secret := range append(slices.Clone(o.Origins), "home", "shop", o.Session, "kk") {
		if strings.Contains(value, secret) {
			t.Errorf("%s has %q in it", value, secret)
		}
	}
}

// M-PERS-08: what reads and sets the gateway's cookie leaves the application's
// as it is, and is no session id itself.
func TestApplicationsCookieIsUntouched(t *testing.T) {
	const line = "Cookie: JSESSIONID=" + id52 + "!1104478448!NONE; gw=" + newA
	request, d := fields(line), reading(t, asWebLogic)
	d.Binding, d.Gateway = GatewayCookie, newCookie(t, cookieOptions())
	origin := d.Gateway.Find(request)
	id, _ := d.Find(request, []byte("/"), nil)
	if origin != "home/shop/a" || string(id) != id52+"!1104478448!NONE" {
		t.Errorf("at home at %q, id %q", origin, id)
	}
	if got := "Cookie: " + string(request[0].Value); got != line {
		t.Errorf("the field has become %q", got)
	}
	answer := []wire.Field{{Name: []byte("Set-Cookie"), Value: d.Gateway.AppendSet(nil, "home/shop/a", true)}}
	if id, from := d.Learn(answer); from != FromNothing {
		t.Errorf("the gateway's cookie is learned as the id %q", id)
	}
}

func TestCookieMistakesAreRefused(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(o *CookieOptions)
		want   string
	}{
		{"no key", func(o *CookieOptions) { o.Keys = nil }, "keys: a gateway-cookie needs at least one key"},
		{"a short key", func(o *CookieOptions) { o.Keys[1] = newKey[:31] }, "keys[1] is 31 bytes long, it must be at least 32: openssl rand -base64 48 makes one"},
		{"an origin without a name", func(o *CookieOptions) { o.Origins = []string{"a", ""} }, "an origin without a name cannot be named by a cookie"},
		{"no name", func(o *CookieOptions) { o.Name = "" }, `gateway_cookie.name "" is no name of a cookie: it needs letters, digits and !#$%&'*+-.^_` + "`|~"},
		{"a name that is two", func(o *CookieOptions) { o.Name = "a=b" }, `gateway_cookie.name "a=b" is no name of a cookie: it needs letters, digits and !#$%&'*+-.^_` + "`|~"},
		{"a path without a slash", func(o *CookieOptions) { o.Path = "shop" }, `gateway_cookie.path "shop" must begin with a slash, and a semicolon or control character would end it`},
		{"a path with an attribute", func(o *CookieOptions) { o.Path = "/;Domain=x" }, `gateway_cookie.path "/;Domain=x" must begin with a slash, and a semicolon or control character would end it`},
		{"a path with a field", func(o *CookieOptions) { o.Path = "/\r\nX: y" }, `gateway_cookie.path "/\r\nX: y" must begin with a slash, and a semicolon or control character would end it`},
		{"a domain with an attribute", func(o *CookieOptions) { o.Domain = "x;Path=/" }, `gateway_cookie.domain "x;Path=/" must be a host name`},
		{"no such same_site", func(o *CookieOptions) { o.SameSite = "Lax" }, `gateway_cookie.same_site "Lax": there is lax, strict, none and off`},
		{"half a second", func(o *CookieOptions) { o.MaxAge = time.Second / 2 }, "gateway_cookie.max_age is 500ms, must be whole seconds, 0 or more"},
		{"less than nothing", func(o *CookieOptions) { o.MaxAge = -time.Second }, "gateway_cookie.max_age is -1s, must be whole seconds, 0 or more"},
		{"a host's cookie for a domain", func(o *CookieOptions) { o.Name, o.Domain = "__Host-gw", "shop.example" }, `gateway_cookie.name "__Host-gw": clients refuse a __Host- cookie that has a domain, or a path other than /`},
		{"a host's cookie for a path", func(o *CookieOptions) { o.Name, o.Path = "__host-gw", "/shop" }, `gateway_cookie.name "__host-gw": clients refuse a __Host- cookie that has a domain, or a path other than /`},
	} {
		o := cookieOptions()
		tt.change(&o)
		if c, err := NewCookie(o); err == nil || err.Error() != tt.want || c != nil {
			t.Errorf("%s: %v, %v; want %q", tt.name, c, err, tt.want)
		}
	}
	host := cookieOptions()
	host.Name = "__Host-gw"
	newCookie(t, host)
}
