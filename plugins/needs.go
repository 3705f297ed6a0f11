package plugins

import (
	"strings"

	"weirkeep/gateway/wire"
)

// Needs are what a plugin is shown of an exchange.
type Needs struct {
	// Granted are the bits that a view has in its field granted.
	Granted uint32
	// Headers and Cookies are shown by their names, headers in lower case.
	Headers, Cookies []string
	// WholeBody: a body is shown whole or the call is not made; else its begin is.
	WholeBody bool
}

// The bits of what can be granted.
const (
	NeedMethod = 1 << iota
	NeedScheme
	NeedHost
	NeedPath
	NeedQuery
	NeedTarget
	NeedClient
	NeedSession
	NeedSite
	NeedHeader // those that are named
	NeedCookie // those that are named
	NeedBody
	NeedOrigins
	NeedHeaders // all but the secret ones
)

// needBits are the tokens that are words.
var needBits = map[string]uint32{
	"method": NeedMethod, "scheme": NeedScheme, "host": NeedHost, "path": NeedPath, "query": NeedQuery,
	"target": NeedTarget, "client": NeedClient, "session": NeedSession, "site": NeedSite,
	"body": NeedBody, "body-prefix": NeedBody, "origins": NeedOrigins, "headers": NeedHeaders,
}

// DefaultNeeds are what a plugin is shown that says nothing.
var DefaultNeeds = []string{"method", "scheme", "host", "path", "query", "client", "origins"}

// secretHeaders are shown to who names them, and to nobody who asks for all.
var secretHeaders = []string{"authorization", "proxy-authorization", "cookie", "set-cookie"}

// needs are the tokens that hold.
func (c *Config) needs() []string {
	if c.Needs == nil && c.Kind != Collector {
		return DefaultNeeds
	}
	return c.Needs
}

// ParseNeeds reads tokens. The tokens that are none are returned; the rest counts.
// Origins are for routers, others are not given them.
func ParseNeeds(kind Kind, tokens []string) (n Needs, unknown []string) {
	for _, t := range tokens {
		name, of, named := strings.Cut(t, ":")
		switch bit := needBits[t]; {
		case bit == NeedOrigins && kind != Router:
		case bit != 0:
			n.Granted |= bit
			n.WholeBody = n.WholeBody || t == "body"
		case named && name == "header" && of != "":
			n.Granted |= NeedHeader
			n.Headers = append(n.Headers, strings.ToLower(of))
		case named && name == "cookie" && of != "":
			n.Granted |= NeedCookie
			n.Cookies = append(n.Cookies, of)
		default:
			unknown = append(unknown, t)
		}
	}
	return n, unknown
}

// has reports whether something is granted.
func (n *Needs) has(bit uint32) bool { return n.Granted&bit != 0 }

// Shows reports whether one of some bits is granted.
func (n *Needs) Shows(bits uint32) bool { return n.Granted&bits != 0 }

// ShowsField reports whether a header field is shown, whatever the case of its name.
// It allocates nothing.
func (n *Needs) ShowsField(name []byte) bool {
	for _, h := range n.Headers {
		if wire.EqualFold(name, h) {
			return true
		}
	}
	if !n.has(NeedHeaders) {
		return false
	}
	for _, h := range secretHeaders {
		if wire.EqualFold(name, h) {
			return false
		}
	}
	return true
}

// ShowsCookie reports whether a cookie is shown.
func (n *Needs) ShowsCookie(name []byte) bool {
	for _, c := range n.Cookies {
		if string(name) == c {
			return true
		}
	}
	return false
}

// body is how many bytes of a body a plugin may be shown, and set.
func (n *Needs) body(l Limits) int {
	if !n.has(NeedBody) {
		return 0
	}
	return l.Body
}
