package main

import (
	"testing"

	"weirkeep/gateway"
	"weirkeep/gateway/config"
)

// TestEveryReasonIsExplained: each has advice, and no advice is for nothing.
func TestEveryReasonIsExplained(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range gateway.Reasons() {
		seen[r.Code] = true
		if advices[r.Code].causes == "" || r.Text == "" || r.SetBy == "" {
			t.Errorf("%s is not explained: %+v, %+v", r.Code, r, advices[r.Code])
		}
	}
	for code := range advices {
		if !seen[code] {
			t.Errorf("there is advice for %s, and no such reason", code)
		}
	}
}

// TestNamesOfHelpAreApart: a name leads to one thing.
func TestNamesOfHelpAreApart(t *testing.T) {
	topics := map[string]string{}
	take := func(name, what string) {
		if other, taken := topics[name]; taken {
			t.Errorf("%s is %s and %s", name, other, what)
		}
		topics[name] = what
	}
	for name := range lists {
		take(name, "a list")
	}
	for _, w := range words {
		take(w.name, "a word")
	}
	for _, c := range config.Codes {
		take(c.Code, "a code")
	}
	for _, r := range gateway.Reasons() {
		take(r.Code, "a reason")
	}
	for _, name := range commandNames((&app{}).root()) {
		take(name, "a command")
	}
}

func TestTheNearestCodeIsMeant(t *testing.T) {
	for code, want := range map[string]string{"E113": "E112", "W311": "W310", "E000": "E100", "W000": "W310"} {
		if got := nearestCode(code).Code; got != want {
			t.Errorf("near %s is %s, want %s", code, got, want)
		}
	}
}
