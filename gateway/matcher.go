package gateway

import (
	"weirkeep/gateway/config"
	"weirkeep/plugins"
	"weirkeep/rules"
)

// Ask implements rules.Matchers: a matcher is shown the request. What it answers
// depends on nothing else.
func (x *Exchange) Ask(i int, rule string, arguments []string) rules.Answer {
	a := x.snap.matchers[i]
	w := x.work()
	v := w.show(a.Plugin().Needs())
	for _, argument := range arguments {
		v.Args = append(v.Args, []byte(argument))
	}
	answer, failure := a.Match(v, w, rule)
	switch {
	case failure != nil:
		return rules.Failed
	case answer == plugins.Match:
		return rules.Yes
	case answer == plugins.NoMatch:
		return rules.No
	}
	return rules.Unknown
}

// allMatchers attaches the matchers that rules may ask.
func (c *compiler) allMatchers() {
	for _, name := range c.cfg.PluginsOf("matcher") {
		c.snap.matchers = append(c.snap.matchers, c.attach("plugins."+name, name, plugins.AttachOptions{}))
	}
}

// conditionText is the expression of a rule, which may be no more than a matcher's
// name.
func conditionText(cfg *config.Rule) string {
	if cfg.Match != "" {
		return `plugin("` + cfg.Match + `")`
	}
	return string(cfg.When)
}

// failsAs is what a rule is when a matcher that it asks fails.
func (c *compiler) failsAs(path string, cfg *config.Rule, program *rules.Program) {
	policy := cfg.OnError
	for _, name := range program.Asks() {
		if policy == "" {
			policy = c.cfg.Plugins[name].OnError
		}
	}
	if policy == "" && len(program.Asks()) > 0 {
		c.fail(path, "E502", "rule %q asks a plugin, and neither it nor the plugin says on_error: write match or no-match", cfg.Name)
	}
	program.FailsAs(policy == "match")
}
