package gateway

import (
	"cmp"
	"strconv"
	"time"

	"weirkeep/gateway/config"
	"weirkeep/gateway/metrics"
	"weirkeep/gateway/route"
	"weirkeep/gateway/session"
)

func (c *compiler) allMappings() {
	c.snap.unmapped = c.set.Mapping(metrics.MappingLabels{})
	for i, cfg := range c.cfg.Mappings {
		m := mapping{
			name:    strconv.Itoa(i), // as paths count: 0 is mappings[0]
			shown:   []byte(strconv.Itoa(i)),
			site:    &c.snap.sites[c.siteIndex(cfg.Site)],
			session: c.sessionOf(cfg),
		}
		m.metrics = c.set.Mapping(metrics.MappingLabels{Site: m.site.name, Mapping: m.name, Cluster: c.leadOf(cfg)})
		c.snap.mappings = append(c.snap.mappings, m)
	}
}

// leadOf is the cluster that a mapping names first, or its first application does.
func (c *compiler) leadOf(m config.Mapping) string {
	if len(m.Applications) > 0 {
		return c.cfg.Applications[m.Applications[0]].Clusters[0]
	}
	return m.Clusters[0]
}

// allSessions compiles the sessions that sites and clusters name.
func (c *compiler) allSessions() {
	c.snap.sessions = make(map[*session.Definition]*sessionPolicy)
	for _, name := range sortedKeys(c.cfg.Sessions) {
		cfg := c.cfg.Sessions[name]
		d := c.definition(name, cfg)
		c.sessions[name] = &sessionPolicy{
			definition: d,
			homes:      make(map[string]bool),
			bindings:   c.uses.bound(name, session.Options{Entries: cfg.Entries, IdleTimeout: time.Duration(cfg.IdleTimeout)}),
			strict:     cfg.OnPrimaryDown == "fail",

			onPrimaryDown: onPrimaryDown[cfg.OnPrimaryDown],
			rebalance:     cfg.OnFull == "rebalance",
			links:         cfg.LearnFromLinks,
			metrics:       c.set.Session(name),
		}
		c.snap.sessions[d] = c.sessions[name]
	}
}

// definition is how the ids of a session are read.
func (c *compiler) definition(name string, cfg config.Session) *session.Definition {
	d := &session.Definition{Name: name, Cookie: cfg.Cookie, URLParam: cfg.URLParam, Binding: bindings[cfg.Binding]}
	extract, err := session.NewExtract(cfg.Extract.Options())
	if err != nil {
		c.fail("sessions."+name+".extract", "E241", "sessions.%s.extract: %v", name, err)
	}
	d.Extract = extract
	return d
}

var bindings = map[string]session.Binding{
	"learned": session.Learned, "passive": session.Passive, "gateway-cookie": session.GatewayCookie,
}

var onPrimaryDown = map[string]route.OnPrimaryDown{
	"secondary": route.ToSecondary, "any": route.ToAny, "fail": route.ToNone,
}

// sessionOf is the session of a mapping: its site's, else that of its first
// cluster; nil: neither names one (M-BIND-10).
func (c *compiler) sessionOf(m config.Mapping) *sessionPolicy {
	return c.sessions[cmp.Or(c.cfg.Sites[m.Site].Session, c.cfg.Clusters[c.leadOf(m)].Session)]
}
