package gateway

import (
	"fmt"
	"strconv"
	"time"

	"weirkeep/gateway/config"
	"weirkeep/gateway/route"
	"weirkeep/gateway/session"
	"weirkeep/rules"
)

// siteCost is the most that the rules of a site may cost together, those of all
// sites included.
const siteCost = 5000

// allRules compiles the rules: those of all sites, then those of each. Rules of a
// cell that is not the authority are left out (M-IM-06).
func (c *compiler) allRules() {
	language := rules.New(c.names)
	for i := range c.cfg.Rules {
		c.rule(language, -1, &c.cfg.Rules[i])
	}
	for site := range c.snap.sites {
		name := c.snap.sites[site].name
		own := c.cfg.Sites[name].Rules
		for i := range own {
			c.rule(language, site, &own[i])
		}
		c.siteCost(site, name)
	}
}

// expressionNames is what expressions may name. They are compiled once all clusters are.
func (c *compiler) expressionNames() {
	o := rules.Options{
		Lists: make(map[string]*rules.List),
		Cell:  c.cfg.Node.Cell, NodeName: c.cfg.Node.Name, Zone: c.cfg.Hosts[c.cfg.Node.Host].Zone,
	}
	for _, name := range sortedKeys(c.cfg.Lists) {
		list, err := rules.NewList(c.cfg.Lists[name])
		if err != nil {
			c.fail("lists."+name, "E307", "lists.%s: %v", name, err)
			continue
		}
		o.Lists[name] = list
	}
	o.Matchers = c.cfg.PluginsOf("matcher")
	for _, cl := range c.snap.clusters {
		cell, name := c.cfg.CellOf(cl.name)
		o.Clusters = append(o.Clusters, cell+"/"+name)
	}
	c.names, c.snap.names = o, o
}

func (c *compiler) rule(language *rules.Language, site int, cfg *config.Rule) {
	path := cfg.Path
	if cfg.Ignored {
		return
	}
	r := route.Rule{Name: cfg.Name, Site: site, OverrideAffinity: cfg.OverrideAffinity, ShareCache: cfg.ShareCache}
	a := &ruleAction{name: cfg.Name, path: path, place: c.cfg.At(path, config.Warning, "", "", "").Place(), metrics: c.set.Rule(cfg.Name)}
	if text := conditionText(cfg); text != "" {
		r.When = c.condition(language, path, text, cfg)
	}
	switch {
	case cfg.Permit != nil:
		c.permit(path+".permit", cfg.Permit, &r, a)
	case cfg.Redirect != nil:
		c.redirect(path+".redirect", cfg.Redirect, &r, a)
	case cfg.Reject != nil:
		reject(cfg.Reject, &r, a)
	}
	a.action = r.Action
	c.rules = append(c.rules, r)
	c.snap.actions = append(c.snap.actions, a)
}

// condition compiles the expression of a rule; each mistake gets its place in it.
func (c *compiler) condition(language *rules.Language, rule, text string, cfg *config.Rule) *rules.Program {
	path := rule + ".when"
	if cfg.Match != "" {
		path = rule + ".match"
	}
	program, errs := language.Compile(cfg.Name, text)
	if program != nil {
		c.failsAs(path, cfg, program)
	}
	c.mistakes(path, fmt.Sprintf("rule %q", cfg.Name), errs)
	return program
}

// mistakes are those of an expression, each with its place in it.
func (c *compiler) mistakes(path, of string, errs []*rules.Error) {
	for _, e := range errs {
		c.problems = append(c.problems, c.cfg.Inside(path, e.Line, e.Column, e.Length, config.Error, e.Code, of+": "+e.Message, e.Hint))
	}
}

func (c *compiler) permit(path string, cfg *config.Permit, r *route.Rule, a *ruleAction) {
	r.Action, r.AllowMaintenance, a.sticky = route.Permit, cfg.AllowMaintenance, cfg.Sticky
	r.To = c.destinations(path+".to", a, cfg.To)
	for i, group := range cfg.Failover {
		r.Failover = append(r.Failover, c.destinations(fmt.Sprintf("%s.failover[%d]", path, i), a, group))
	}
	if a.sticky && !c.bindsByCookie(r.Site) {
		c.fail(path+".sticky", "E320", "rule %q: sticky needs sessions with binding: gateway-cookie, and no mapping of its site has one", r.Name)
	}
}

func (c *compiler) redirect(path string, cfg *config.Redirect, r *route.Rule, a *ruleAction) {
	r.Action, a.status = route.Redirect, cfg.Status
	t, err := parseTemplate(cfg.Location)
	if err != nil {
		c.fail(path+".location", "E321", "rule %q: location %q: %v", r.Name, cfg.Location, err)
	}
	a.location = t
}

func reject(cfg *config.Reject, r *route.Rule, a *ruleAction) {
	r.Action, a.status = route.Reject, cfg.Status
	if cfg.Body != "" {
		a.body, a.kind = []byte(cfg.Body), plainText
	}
	if d := time.Duration(cfg.RetryAfter); d > 0 {
		a.retryAfter = strconv.AppendInt(nil, max(1, int64((d+time.Second-1)/time.Second)), 10)
	}
}

// bindsByCookie reports whether a mapping of the site, or of any, has sessions
// that the gateway binds by a cookie of its own.
func (c *compiler) bindsByCookie(site int) bool {
	for i := range c.snap.mappings {
		m := &c.snap.mappings[i]
		own := site < 0 || m.site == &c.snap.sites[site]
		if own && m.session != nil && m.session.definition.Binding == session.GatewayCookie {
			return true
		}
	}
	return false
}

// siteCost refuses rules that cost too much together.
func (c *compiler) siteCost(site int, name string) {
	total := 0
	for _, r := range c.rules {
		if r.When != nil && (r.Site < 0 || r.Site == site) {
			total += r.When.Cost()
		}
	}
	if total > siteCost {
		c.fail("sites."+name, "E312", "the rules of site %q cost %d together, the limit is %d: check -v shows what each costs", name, total, siteCost)
	}
}
