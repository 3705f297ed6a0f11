// Command matcher is a plugin of kind matcher: does the request look as if no
// person sent it?
//
// A request without User-Agent does, and one whose User-Agent has a word that
// programs call themselves by. With "strict" so does one that names no language,
// which all browsers do.
//
//	plugins:
//	  automated: { kind: matcher, module: matcher.wasm, needs: [headers], on_error: no-match }
//	rules:
//	  - { when: 'plugin("automated", "strict")', … }
package main

import gw1 "weirkeep/sdk/go"

var words = []string{"bot", "spider", "crawler", "curl/", "wget/", "python"}

//go:wasmexport gw_match
func gwMatch(size int32) int32 { return gw1.ServeMatch(size, match) }

func match(v gw1.View) int32 {
	if v.Granted()&gw1.NeedHeaders == 0 {
		return gw1.Unknown
	}
	agent, _ := v.Header("user-agent")
	if len(agent) == 0 || namesAProgram(agent) {
		return gw1.Match
	}
	strict := string(v.Arg(0)) == "strict"
	if _, language := v.Header("accept-language"); strict && !language {
		return gw1.Match
	}
	return gw1.NoMatch
}

// namesAProgram reports whether one of the words is in the text, in any case.
func namesAProgram(text []byte) bool {
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
