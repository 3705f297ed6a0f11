package abi

import (
	"slices"
	"strings"
)

// Token is an entry of a plugin's needs: what it is shown.
type Token struct {
	Name    string // "header" and "cookie" are followed by a colon and a name
	Bit     uint32 // of granted
	Const   string // the name of the bit's constant
	Kinds   []Kind // who may name it
	Default bool   // shown to a plugin that does not say what it needs
	Text    string
}

// Bits of granted: what a plugin is shown.
const (
	NeedMethod  = 1
	NeedScheme  = 2
	NeedHost    = 4
	NeedPath    = 8
	NeedQuery   = 16
	NeedTarget  = 32
	NeedClient  = 64
	NeedSession = 128
	NeedSite    = 256
	NeedHeader  = 512
	NeedCookie  = 1024
	NeedBody    = 2048
	NeedOrigins = 4096
	NeedHeaders = 8192
)

// Tokens are all tokens. A collector has no needs.
var Tokens = []Token{
	{"method", NeedMethod, "NeedMethod", notCollector, true, "the method as received"},
	{"scheme", NeedScheme, "NeedScheme", notCollector, true, "`http` or `https`"},
	{"host", NeedHost, "NeedHost", notCollector, true, "the host of the authority"},
	{"path", NeedPath, "NeedPath", notCollector, true, "the canonical path"},
	{"query", NeedQuery, "NeedQuery", notCollector, true, "the query, raw"},
	{"target", NeedTarget, "NeedTarget", notCollector, false, "path and query as received"},
	{"client", NeedClient, "NeedClient", notCollector, true, "the client's address; properties of its connection and certificate"},
	{"session", NeedSession, "NeedSession", notCollector, false, "session id, bound origin, and the properties of the session"},
	{"site", NeedSite, "NeedSite", notCollector, false, "site, mapping, cluster, application, the answering origin"},
	{"header:", NeedHeader, "NeedHeader", notCollector, false, "the fields of that name, in any case of its letters"},
	{"cookie:", NeedCookie, "NeedCookie", notCollector, false, "the cookies of that name"},
	{"body", NeedBody, "NeedBody", []Kind{Router, Filter}, false, "the whole body; a larger one than `limits.body` is not shown, and the call not made"},
	{"body-prefix", NeedBody, "", []Kind{Router, Filter}, false, "the first `limits.body` bytes of the body"},
	{"origins", NeedOrigins, "NeedOrigins", []Kind{Router}, true, "the state of the origins; of routers alone"},
	{"headers", NeedHeaders, "NeedHeaders", notCollector, false, "all fields but those that must be named"},
}

var notCollector = []Kind{Router, Matcher, Filter}

// WithheldHeaders are fields that `headers` does not show: each must be named.
var WithheldHeaders = []string{"authorization", "proxy-authorization", "cookie", "set-cookie"}

// TokenOf returns the token of an entry of needs, and the name of the header or
// the cookie it asks for. The token is nil if there is none, or if a name is
// missing or is none.
func TokenOf(need string) (token *Token, name string) {
	for i := range Tokens {
		t := &Tokens[i]
		switch {
		case !strings.HasSuffix(t.Name, ":"):
			if need == t.Name {
				return t, ""
			}
		case strings.HasPrefix(need, t.Name):
			if name = need[len(t.Name):]; checkMethod([]byte(name)) == "" {
				return t, name
			}
		}
	}
	return nil, ""
}

// AllowedFor reports whether a plugin of that kind may need the token.
func (t *Token) AllowedFor(k Kind) bool { return slices.Contains(t.Kinds, k) }
