package session

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"time"

	"weirkeep/gateway/wire"
)

// Cookie is the gateway's own cookie: it ties a client to an origin, so that
// every gateway with the same keys finds it, and none has to remember it
// (M-BIND-07, M-BIND-08). Its value, the token, is a keyed hash of the origin's
// name. It says nothing to who has no key, and cannot be made by them; the
// gateway, which has, looks it up among those of all origins.
//
// Nobody else's cookie is changed by it (M-PERS-08).
type Cookie struct {
	name   string
	claims map[string]claim     // by token, of all keys
	sets   map[string]setCookie // by origin, of the first key
}

// claim is what a token stands for.
type claim struct {
	origin   string
	outdated bool // it has to be set anew
}

// setCookie is the value of a Set-Cookie, as it is sent over either.
type setCookie struct{ plain, secure string }

// tokenSize is how many bytes of the hash a token has, tokenLength how many
// characters they are.
const (
	tokenSize   = 16
	tokenLength = (tokenSize*8 + 5) / 6
)

// NewCookie makes a cookie.
func NewCookie(o CookieOptions) (*Cookie, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	c := &Cookie{name: o.Name, claims: make(map[string]claim), sets: make(map[string]setCookie)}
	for _, origin := range o.Origins {
		c.sets[origin] = o.set(token(o.Keys[0], o.Session, origin))
	}
	for i, key := range o.Keys {
		for _, origin := range o.Origins {
			c.claim(token(key, o.Session, origin), claim{origin, i > 0})
		}
	}
	return c, nil
}

// claim notes a token. A key that is there twice is as good as its first place.
func (c *Cookie) claim(token string, is claim) {
	if _, known := c.claims[token]; !known {
		c.claims[token] = is
	}
}

// token is the value for an origin.
func token(key []byte, session, origin string) string {
	h := hmac.New(sha256.New, key)
	fmt.Fprintf(h, "weirkeep binding\x00%s\x00%s", session, origin)
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:tokenSize])
}

// set is the Set-Cookie of a token. Clients refuse SameSite=None without Secure,
// so over a plain connection nothing is said instead.
func (o CookieOptions) set(token string) setCookie {
	start := o.Name + "=" + token + o.attributes()
	if o.SameSite == "none" {
		return setCookie{start, start + sameSites["none"] + "; Secure"}
	}
	start += sameSites[o.SameSite]
	return setCookie{start, start + "; Secure"}
}

// attributes are those that do not hang on the connection.
func (o CookieOptions) attributes() string {
	s := "; Path=" + o.path()
	if o.Domain != "" {
		s += "; Domain=" + o.Domain
	}
	if o.MaxAge > 0 {
		s += "; Max-Age=" + strconv.Itoa(int(o.MaxAge/time.Second))
	}
	return s + "; HttpOnly"
}

// Name is the cookie's name.
func (c *Cookie) Name() string { return c.name }

// Find returns the origin that the cookie of a request names: that of the first
// one that is genuine; empty: there is none. It allocates nothing.
func (c *Cookie) Find(fields []wire.Field) (origin string) {
	return c.genuine(fields).origin
}

// Outdated reports whether the cookie of a request has to be set anew: another key
// than the first has signed it, and will go; or it is nobody's, as when its origin
// has gone. It allocates nothing.
func (c *Cookie) Outdated(fields []wire.Field) bool {
	return c.genuine(fields).outdated
}

// genuine is what the first genuine cookie of a request says. It is outdated, and
// has no origin, if there are only others.
func (c *Cookie) genuine(fields []wire.Field) (is claim) {
	for i := range fields {
		if !wire.EqualFold(fields[i].Name, "cookie") {
			continue
		}
		in := c.genuineIn(fields[i].Value)
		if in.origin != "" {
			return in
		}
		is.outdated = is.outdated || in.outdated
	}
	return is
}

// genuineIn is what the first genuine cookie of one Cookie field says. A value of
// another length than a token's costs no look-up, however long it is.
func (c *Cookie) genuineIn(pairs []byte) (is claim) {
	for len(pairs) > 0 {
		var pair []byte
		pair, pairs, _ = bytes.Cut(pairs, []byte(";"))
		value := pairValue(pair, c.name)
		if len(value) != tokenLength {
			continue
		}
		if known, ok := c.claims[string(value)]; ok {
			return known
		}
		is.outdated = true
	}
	return is
}

// AppendSet appends the value of a Set-Cookie that ties a client to one of the
// origins, over TLS a secure one; of another origin, nothing. It allocates
// nothing if dst has room.
func (c *Cookie) AppendSet(dst []byte, origin string, secure bool) []byte {
	if secure {
		return append(dst, c.sets[origin].secure...)
	}
	return append(dst, c.sets[origin].plain...)
}
