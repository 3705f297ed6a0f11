package gateway

import (
	"fmt"
	"strings"
	"testing"

	"weirkeep/gateway/config"
)

// matcherText is a gateway whose rules may ask a guest of testplugins.
func matcherText(hs homes, guest, plugin, rules string) string {
	return fmt.Sprintf(`
listeners: [{ address: "127.0.0.1:0" }]
access_log: { format: off }
plugins: { judge: { kind: matcher, module: %q%s } }
clusters:
%s
rules: [%s]
`, guestFile(guest), plugin, clusterLine("app", hs, ""), rules)
}

// a rule asks a matcher, alone or in its expression; what happens when that
// fails, the rule says, else the plugin.
func TestRulesAskMatchers(t *testing.T) {
	t.Parallel()
	const counting = "good/count" // no match in the first call of an instance, then match
	const trapping = "evil/call/match-trap"
	for _, tt := range []struct{ guest, plugin, rule, want string }{
		{counting, ", on_error: no-match, limits: { instances: 1 }", `{ name: r, match: judge, reject: {} }`, "200 403 403"},
		{counting, ", on_error: no-match, limits: { instances: 1 }", `{ name: r, when: 'not plugin("judge")', reject: {} }`, "403 200 200"},
		{counting, ", on_error: no-match, limits: { instances: 1 }", `{ name: r, when: 'path == "/x" and plugin("judge", header("X-A"), "b")', reject: {} }`, "200 200 200"},
		{trapping, ", on_error: match", `{ name: r, match: judge, reject: {} }`, "403 403 403"},
		{trapping, ", on_error: no-match", `{ name: r, match: judge, reject: {} }`, "200 200 200"},
		{trapping, ", on_error: no-match", `{ name: r, match: judge, on_error: match, reject: {} }`, "403 403 403"},
		{trapping, "", `{ name: r, match: judge, on_error: match, reject: {} }`, "403 403 403"},
		{trapping, "", `{ name: r, when: 'not plugin("judge")', on_error: no-match, reject: {} }`, "200 200 200"},
		{trapping, "", `{ name: r, when: 'path == "/" or plugin("judge")', on_error: no-match, reject: {} }`, "403 403 403"},
		{"evil/call/match-3", ", on_error: match", `{ name: r, match: judge, reject: {} }`, "403 403 403"},
	} {
		hs := newHomes(t, "a")
		addr, _ := start(t, matcherText(hs, tt.guest, tt.plugin, tt.rule), hs.options())
		var got []string
		for range 3 {
			got = append(got, fmt.Sprint(visit(t, addr, "/", "").status))
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%s%s %s: %s, want %s", tt.guest, tt.plugin, tt.rule, s, tt.want)
		}
	}
}

// A rule whose matcher nobody has, or that does not say what its failure means, is
// refused with its place.
func TestRulesWithMatchersThatAreWrong(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a")
	for _, tt := range []struct{ rule, want string }{
		{`{ name: r, when: 'plugin("jugde")', on_error: match, reject: {} }`, `did you mean "judge"`},
		{`{ name: r, when: 'plugin("judge")', reject: {} }`, "on_error"},
		{`{ name: r, when: 'plugin(path)', on_error: match, reject: {} }`, "literal"},
		{`{ name: r, when: 'plugin("judge", 1)', on_error: match, reject: {} }`, "string"},
	} {
		cfg, problems := config.Parse("weirkeep.yaml", []byte(matcherText(hs, "good/count", "", tt.rule)))
		if problems.Errors() == 0 {
			_, problems = NewExplainer(cfg)
		}
		if problems.Errors() == 0 || !strings.Contains(problems.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.rule, problems, tt.want)
		}
	}
}
