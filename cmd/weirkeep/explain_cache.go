package main

import (
	"fmt"
	"strings"

	"weirkeep/gateway"
)

// cache writes what the site's cache does.
func (t *teller) cache(c *gateway.ExplainedCache) {
	if c == nil {
		return
	}
	why := c.Why
	if c.Does == "pass" {
		why += whenText(c.When)
	}
	t.line("cache", "%-8s %s", c.Does, why)
	if c.Key != nil {
		t.line("", "  key     %s", storeKeyText(c.Key))
	}
	switch {
	case c.Rule != "" && c.Does != "pass":
		t.line("", "  rule    %s%s", c.Rule, whenText(c.When))
	case len(c.Late) > 0:
		t.line("", "  rules   the first that is true of the answer: %s", strings.Join(c.Late, ", "))
	}
	for _, o := range c.Stored {
		t.line("", "  stored  %d, %s, age %s, ttl %s, %s   %s", o.Status, o.State, secondsText(o.Age), secondsText(o.TTL), foundText(o), chosenBy(o))
	}
	if c.Sent != "" {
		t.line("", "  sent    %s", c.Sent)
	}
	if c.Needs != "" {
		t.line("", "  needs   %s", c.Needs)
	}
	t.assumedAnswer(c.Answer)
}

// foundText is how often an answer was found, or that nobody has counted that.
func foundText(o gateway.StoredObject) string {
	if o.Place == "disk" {
		return "on the disk"
	}
	return "found " + numbered(int(o.Hits), "time")
}

// whenText is a condition behind what it is the reason of.
func whenText(when string) string {
	if when == "" {
		return ""
	}
	return ": " + when
}

// storeKeyText is what tells a stored answer from others.
func storeKeyText(k *gateway.ExplainedKey) string {
	parts := []string{"site " + k.Site, k.Scheme, k.Target}
	if k.Variant != "" {
		parts = append(parts, "variant "+k.Variant)
	}
	if k.Parts != "" {
		parts = append(parts, k.Parts)
	}
	if k.Router {
		parts = append(parts, "what the router chooses")
	}
	return strings.Join(parts, ", ")
}

// assumedAnswer writes what would become of an answer.
func (t *teller) assumedAnswer(a *gateway.ExplainedAnswer) {
	if a == nil {
		return
	}
	by := ""
	if a.Rule != "" {
		by = fmt.Sprintf("   rule %s", a.Rule)
	}
	if a.Raw {
		by += "   as it is here: filters with stage: store, which are not called, may make another one of it"
	}
	defer t.pageOfAnswer(a.Page)
	if !a.Stored {
		t.line("", "  answer  %d would not be stored: %s%s", a.Status, a.Why, by)
		return
	}
	text := "fresh for " + secondsText(a.TTL)
	if a.TTL == 0 {
		text = "to be validated each time"
	}
	if len(a.Vary) > 0 {
		text += ", chosen by " + strings.Join(a.Vary, ", ")
	}
	if len(a.Tags) > 0 {
		text += ", tags " + strings.Join(a.Tags, " ")
	}
	if len(a.Codings) > 0 {
		text += ", sent in " + strings.Join(a.Codings, ", ") + " to who takes it"
	}
	t.line("", "  answer  %d would be stored, %s%s", a.Status, text, by)
}
