package gateway

import (
	"slices"

	"weirkeep/gateway/config"
)

// allESI compiles what is said of the pages of sites. Where nothing is stored no answer is
// a template.
func (c *compiler) allESI() {
	for i := range c.snap.sites {
		s := &c.snap.sites[i]
		cfg := c.cfg.Sites[s.name]
		s.provider = cfg.IsProvider()
		if cfg.Assembles() {
			s.esi = c.siteESI(s, &cfg)
			c.snap.device = s.esi.device
		}
	}
}

// siteESI compiles what is said of one site's.
func (c *compiler) siteESI(s *site, cfg *config.Site) *siteESI {
	e := &cfg.ESI
	compiled := &siteESI{
		options: e.Options(), limits: e.Limits(), shown: e.Shown(),
		types: lowered(e.Types), statuses: slices.Clone(e.Statuses), byType: e.Mode == "content-types",
		clientTTL: clientTTLs[e.ClientTTL],
		deferred:  e.Defer, detects: *e.DetectInjection, unmapped: e.UnmappedProviders == "dns",
		device: c.cfg.Node.Name, obeys: cfg.TrustInvalidate,
		metrics: c.set.ESI(s.name),
	}
	compiled.options.Fallback = s.fragment
	return compiled
}

var clientTTLs = map[string]clientTTL{"none": ttlNone, "min": ttlLeast, "template": ttlTemplate}
