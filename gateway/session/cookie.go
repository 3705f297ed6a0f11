package session

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"

	"weirkeep/gateway/wire"
)

// Cookie is the gateway's own cookie: it ties a client to an origin, so that
// every gateway with the same keys finds it, and none has to remember it
// (M-BIND-07, M-BIND-08). Its value is a keyed hash of the origin's name. It says
// nothing to who has no key, and cannot be made by them; the gateway, which has,
// looks it up among those of all origins.
type Cookie struct {
	name    string
	origins map[string]string    // by value
	values  map[string][2]string // Set-Cookie by origin: plain, and over TLS
}

// CookieOptions are what a [Cookie] is made from.
type CookieOptions struct {
	Session string // name of the session definition: two of them have different values
	Name    string // of the cookie
	Path    string // empty: "/"
	Domain  string // empty: the host that sets it

	// SameSite is lax, strict, none or off, which says nothing of it. Empty: lax.
	SameSite string

	// Keys are secrets of at least 32 bytes. The first one signs, all verify.
	Keys [][]byte

	Origins []string // names of the origins
}

// leastKey is how long a key must be, in bytes: as the hash is.
const leastKey = 32

// tokenSize is how many bytes of the hash the cookie has.
const tokenSize = 16

var sameSites = map[string]string{"": "; SameSite=Lax", "lax": "; SameSite=Lax", "strict": "; SameSite=Strict", "none": "; SameSite=None", "off": ""}

// NewCookie makes a cookie.
func NewCookie(o CookieOptions) (*Cookie, error) {
	sameSite, known := sameSites[o.SameSite]
	switch {
	case len(o.Keys) == 0:
		return nil, errors.New("keys: a gateway-cookie needs at least one key")
	case o.Name == "":
		return nil, errors.New("the cookie has no name")
	case !known:
		return nil, fmt.Errorf("same_site %q: there is lax, strict, none and off", o.SameSite)
	}
	attributes := "; Path=/"
	if o.Path != "" {
		attributes = "; Path=" + o.Path
	}
	if o.Domain != "" {
		attributes += "; Domain=" + o.Domain
	}
	attributes += "; HttpOnly" + sameSite
	c := &Cookie{name: o.Name, origins: make(map[string]string), values: make(map[string][2]string)}
	for i, key := range o.Keys {
		if len(key) < leastKey {
			return nil, fmt.Errorf("keys[%d] is %d bytes long, it must be at least %d: openssl rand -base64 48 makes one", i, len(key), leastKey)
		}
		for _, origin := range o.Origins {
			value := token(key, o.Session, origin)
			c.origins[value] = origin
			if i == 0 {
				plain := o.Name + "=" + value + attributes
				c.values[origin] = [2]string{plain, plain + "; Secure"}
			}
		}
	}
	return c, nil
}

// token is the value for an origin.
func token(key []byte, session, origin string) string {
	h := hmac.New(sha256.New, key)
	fmt.Fprintf(h, "weirkeep binding\x00%s\x00%s", session, origin)
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:tokenSize])
}

// Name is the cookie's name.
func (c *Cookie) Name() string { return c.name }

// Find returns the origin that the cookie of a request names: that of the first
// one that is genuine; empty: there is none. It allocates nothing.
func (c *Cookie) Find(fields []wire.Field) (origin string) {
	for i := range fields {
		if !wire.EqualFold(fields[i].Name, "cookie") {
			continue
		}
		for rest := fields[i].Value; len(rest) > 0; {
			var pair []byte
			pair, rest, _ = bytes.Cut(rest, []byte(";"))
			if origin = c.origins[string(pairValue(pair, c.name))]; origin != "" {
				return origin
			}
		}
	}
	return ""
}

// AppendSet appends the value of a Set-Cookie that ties a client to an origin,
// over TLS a secure one.
func (c *Cookie) AppendSet(dst []byte, origin string, secure bool) []byte {
	v := c.values[origin]
	if secure {
		return append(dst, v[1]...)
	}
	return append(dst, v[0]...)
}
