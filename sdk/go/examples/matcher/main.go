// Command matcher is a plugin of kind matcher that tells automated clients from
// people by what they say of themselves.
//
// A request matches if its User-Agent has one of a few words in it, or if it
// has none. Called as plugin("looks-automated", "strict") it matches without an
// Accept field, too. If the header fields are not among its needs, it does not
// know.
//
//	plugins:
//	  looks-automated: { kind: matcher, module: matcher.wasm, needs: ["header:user-agent", "header:accept"], on_error: no-match }
package main

import gw1 "weirkeep/sdk/go"

var words = []string{"bot", "crawler", "curl", "spider"}

//go:wasmexport gw_match
func gwMatch(size int32) int32 { return gw1.ServeMatch(size, match) }

func match(v gw1.View) int32 {
	if v.Granted()&(gw1.NeedHeader|gw1.NeedHeaders) == 0 {
		return gw1.Unknown
	}
	agent, _ := v.Header("user-agent")
	if len(agent) == 0 || named(agent) {
		return gw1.Match
	}
	if _, accept := v.Header("accept"); strict(v) && !accept {
		return gw1.Match
	}
	return gw1.NoMatch
}

func strict(v gw1.View) bool { return string(v.Arg(0)) == "strict" }

// named reports whether one of the words is in the text, in any case.
func named(text []byte) bool {
	for i := range text {
		for _, w := range words {
			if rest := text[i:]; len(rest) >= len(w) && gw1.EqualFold(rest[:len(w)], w) {
				return true
			}
		}
	}
	return false
}

func main() {}
