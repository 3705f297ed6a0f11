package session

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"weirkeep/gateway/wire"
)

// CookieOptions are what a [Cookie] is made from. It is always HttpOnly, and
// Secure where it is set over TLS.
type CookieOptions struct {
	Session string // name of the session definition: two of them have different values
	Name    string // of the cookie
	Path    string // empty: "/"
	Domain  string // empty: the host that sets it

	// SameSite is lax, strict, none or off, which says nothing of it. Empty: lax.
	SameSite string

	// MaxAge is how long clients keep the cookie, in whole seconds, from when it
	// was set. Zero: until they end.
	MaxAge time.Duration

	// Keys are secrets of at least 32 bytes. The first one signs, all verify.
	Keys [][]byte

	Origins []string // names of the origins
}

// leastKey is how long a key must be, in bytes: as the hash is.
const leastKey = 32

// sameSites is each attribute by its name in the configuration.
var sameSites = map[string]string{
	"":       "; SameSite=Lax",
	"lax":    "; SameSite=Lax",
	"strict": "; SameSite=Strict",
	"none":   "; SameSite=None",
	"off":    "",
}

func (o CookieOptions) path() string { return cmp.Or(o.Path, "/") }

// validate returns the first mistake.
func (o CookieOptions) validate() error {
	if err := o.validateKeys(); err != nil {
		return err
	}
	if slices.Contains(o.Origins, "") {
		return errors.New("an origin without a name cannot be named by a cookie")
	}
	if err := o.validateAttributes(); err != nil {
		return fmt.Errorf("gateway_cookie.%w", err)
	}
	return nil
}

func (o CookieOptions) validateKeys() error {
	if len(o.Keys) == 0 {
		return errors.New("keys: a gateway-cookie needs at least one key")
	}
	for i, key := range o.Keys {
		if len(key) < leastKey {
			return fmt.Errorf("keys[%d] is %d bytes long, it must be at least %d: openssl rand -base64 48 makes one", i, len(key), leastKey)
		}
	}
	return nil
}

func (o CookieOptions) validateAttributes() error {
	_, known := sameSites[o.SameSite]
	switch {
	case !wire.IsToken([]byte(o.Name)):
		return fmt.Errorf("name %q is no name of a cookie: it needs letters, digits and !#$%%&'*+-.^_`|~", o.Name)
	case !attribute(o.Path) || o.path()[0] != '/':
		return fmt.Errorf("path %q must begin with a slash, and a semicolon or control character would end it", o.Path)
	case !attribute(o.Domain):
		return fmt.Errorf("domain %q must be a host name", o.Domain)
	case !known:
		return fmt.Errorf("same_site %q: there is lax, strict, none and off", o.SameSite)
	case o.MaxAge < 0 || o.MaxAge%time.Second != 0:
		return fmt.Errorf("max_age is %v, must be whole seconds, 0 or more", o.MaxAge)
	case hasPrefixFold(o.Name, "__host-") && (o.path() != "/" || o.Domain != ""):
		return fmt.Errorf("name %q: clients refuse a __Host- cookie that has a domain, or a path other than /", o.Name)
	}
	return nil
}

// attribute reports whether s may be the value of a cookie's attribute.
func attribute(s string) bool {
	return wire.IsValue([]byte(s)) && !strings.Contains(s, ";")
}

// hasPrefixFold reports whether s begins with a word in lower case, in any case.
func hasPrefixFold(s, lowered string) bool {
	return len(s) >= len(lowered) && wire.EqualFold([]byte(s[:len(lowered)]), lowered)
}
