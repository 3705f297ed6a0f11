package config

import (
	"fmt"
	"strings"
)

// grammarRequestPath is what a check may ask an origin for.
func grammarRequestPath(s string) string {
	switch {
	case !strings.HasPrefix(s, "/"):
		return `must begin with "/"`
	case strings.Contains(s, "#"):
		return "must hold no fragment (#), which no request has"
	case strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || c > '~' || c == '\\' }):
		return "must be of visible ASCII characters, without backslashes"
	case !escapesFit(s):
		return "must have two hexadecimal digits behind each %"
	}
	return ""
}

// requestPathHint is the path in a text that has more before it, lacks the slash
// or has characters to escape. It is empty when there is none.
func requestPathHint(text string) string {
	_, rest, isURL := strings.Cut(text, "://")
	if !isURL {
		rest = text
	}
	host, path, hasPath := strings.Cut(rest, "/")
	path = "/" + path
	surely := isURL || strings.ContainsAny(host, ".:")
	switch {
	case strings.HasPrefix(text, "/"):
		return escapedHint(text)
	case grammarRequestPath(path) != "" || grammarRequestPath("/"+host) != "":
		return ""
	case surely:
		return "write " + quote(path) + ": host and port are the origin's"
	case hasPath:
		return "write " + quote("/"+text) + ", or " + quote(path) + " if " + host + " is the host, which is the origin's"
	}
	return "write " + quote("/"+text)
}

// escapedHint is a path with escapes for what must not stand in it; empty when
// that is not all that is wrong with it.
func escapedHint(path string) string {
	var b strings.Builder
	for _, c := range []byte(path) {
		switch {
		case c < ' ' || c == 0x7f:
			return ""
		case c == ' ' || c > '~':
			fmt.Fprintf(&b, "%%%02X", c)
		default:
			b.WriteByte(c)
		}
	}
	if b.String() == path || grammarRequestPath(b.String()) != "" {
		return ""
	}
	return "write " + quote(b.String())
}

// grammarURLParam is a name that needs no escapes in a path or a query.
func grammarURLParam(s string) string {
	if len(s) > 255 || !only(s, alnum+"._~$-") {
		return "must be of letters, digits and ._~$-"
	}
	return ""
}
