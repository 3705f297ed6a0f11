package config

import (
	"slices"
	"strings"
)

// grammarNeed is what a plugin may ask to be shown.
func grammarNeed(s string) string {
	kind, name, single := strings.Cut(s, ":")
	switch {
	case slices.Contains(shownTokens, s):
		return ""
	case single && kind == "header" && isToken(name) && len(name) <= 256:
		return ""
	case single && kind == "cookie" && isToken(name) && len(name) <= 256:
		return ""
	}
	return `must be one of ` + strings.Join(shownTokens, ", ") + `, "header:NAME" or "cookie:NAME"`
}

// grammarOutlet is what a plugin may call.
func grammarOutlet(s string) string {
	if name, ok := strings.CutPrefix(s, "cluster:"); ok {
		return grammarCluster(name)
	}
	if !strings.Contains(s, "://") {
		return "must be http://host[:port], https://host[:port] or cluster:NAME"
	}
	return grammarOrigin(s)
}

// grammarSHA256 is a digest in hexadecimal.
func grammarSHA256(s string) string {
	if len(s) != 64 || !only(s, digits+"abcdefABCDEF") {
		return "must be the 64 hexadecimal digits that sha256sum prints"
	}
	return ""
}
