package config

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// lint warns of what has no effect and of what nothing uses.
func (l *loader) lint() {
	l.lintListeners()
	for _, name := range l.clusterNames() {
		l.lintCluster(l.cfg.Clusters[name], join("clusters", name))
	}
	for i, m := range l.cfg.Mappings {
		if path := index("mappings", i); m.StripPrefix && m.Prefix == "" && !l.bad[path+".prefix"] {
			l.warn(path+".strip_prefix", "W320", path+".strip_prefix has no effect: there is no prefix")
		}
	}
	l.lintSites()
	l.lintESI()
	l.lintSessions()
	if l.problems.Errors() == 0 {
		l.lintUse()
		l.lintBalancing()
		l.lintMachines()
		l.lintEditions()
		l.lintPlugins()
	}
	l.lintProxies()
	l.lintAccessLog()
	l.lintAffinity()
}

// lintAffinity warns of bindings that shield from rejects: a client can type a
// session id.
func (l *loader) lintAffinity() {
	if l.cfg.AffinityShields == "all" {
		l.warn("affinity_shields", "W342", "affinity_shields is all: whoever sends the id of a session, or makes one up that names an origin, walks past every reject")
	}
}

// lintListeners looks for authorities that nothing uses, and for redirects to
// what nobody listens for. With proxies before it, one of them may.
func (l *loader) lintListeners() {
	https := len(l.cfg.TrustedProxies) > 0 || l.anyBad("trusted_proxies") || l.anyBad("listeners")
	for i, n := range l.cfg.Listeners {
		https = https || n.TLS != nil
		if n.TLS != nil && n.TLS.ClientAuth.Mode == "none" && n.TLS.ClientAuth.CA != "" {
			path := index("listeners", i) + ".tls.client_auth.ca"
			l.warn(path, "W322", path+" has no effect: mode is none")
		}
	}
	for i, n := range l.cfg.Listeners {
		if path := index("listeners", i) + ".redirect_to_https"; n.RedirectToHTTPS && !https {
			l.warn(path, "W333", path+" is true, and no listener has tls: clients are sent to port 443, which is not this gateway's")
		}
	}
}

// lintCluster looks for options of https that nothing uses.
func (l *loader) lintCluster(c Cluster, path string) {
	if l.written(path+".tls") && !l.anyBad(path+".origins") && !c.mayHaveHTTPS() {
		l.warn(path+".tls", "W321", path+".tls has no effect: none of the origins is https")
	}
	for i, o := range c.Origins {
		l.lintOrigin(o, index(path+".origins", i))
	}
	if c.Discover == nil {
		l.lintStates(c.Origins, path+".origins")
	}
	l.lintDynamic(c, path)
	l.lintAway(c, path)
	l.lintDiscover(c, path)
	l.lintRetry(c, path)
	if ping := path + ".failover.ping"; c.Health != nil && c.Failover.Ping != nil && !l.anyBad(path+".health") {
		l.warn(ping, "W336", ping+" has no effect: health is there, and only it readmits an origin")
	}
	if ca := path + ".tls.ca"; c.TLS.Verify != nil && !*c.TLS.Verify && c.TLS.CA != "" {
		l.warn(ca, "W323", ca+" has no effect: verify is false")
	}
}

// byLoad are the balancers that choose whom has the least in hand.
var byLoad = []string{"capacity", "least-load", "p2c", "peak-ewma"}

// lintAway warns of origins that never have anything in hand beside those that do.
func (l *loader) lintAway(c Cluster, path string) {
	here := slices.ContainsFunc(c.Origins, func(o Origin) bool { return o.Kind != "redirect" })
	for i, o := range c.Origins {
		if at := index(path+".origins", i); o.Kind == "redirect" && here && slices.Contains(byLoad, c.Balancer) && !l.anyBad(path) {
			l.warn(at, "W363", at+" is of kind redirect and never has a load: "+c.Balancer+" sends clients there whenever the others have any")
		}
	}
}

// lintStates looks for clusters whose origins are all kept from new clients by
// their states.
func (l *loader) lintStates(origins []Origin, path string) {
	count := make(map[string]int)
	for _, o := range origins {
		count[o.State]++
	}
	drain, out := count["draining"], count["maintenance"]+count["disabled"]
	if len(origins) == 0 || drain+out < len(origins) || l.anyBad(path) {
		return
	}
	besides := ""
	if opened := l.openers(); count["maintenance"] > 0 && len(opened) > 0 {
		besides = ", besides what rules with allow_maintenance send here: " + strings.Join(opened, ", ")
	}
	switch {
	case drain == 0:
		l.warn(path, "W337", path+": each is in maintenance or disabled, so this cluster answers nothing"+besides)
	case out == 0:
		l.warn(path, "W337", path+": each is draining, so this cluster answers only sessions that are bound to one: new clients get none")
	default:
		l.warn(path, "W337", path+": each is draining, in maintenance or disabled, so this cluster answers only sessions that are bound to one that drains: new clients get none"+besides)
	}
}

// openers are the names of the rules that open origins in maintenance.
func (l *loader) openers() (names []string) {
	add := func(rules []Rule) {
		for _, r := range rules {
			if r.Permit != nil && r.Permit.AllowMaintenance && !r.Ignored {
				names = append(names, r.Name)
			}
		}
	}
	add(l.cfg.Rules)
	for _, site := range sortedKeys(l.cfg.Sites) {
		add(l.cfg.Sites[site].Rules)
	}
	return names
}

// lintOrigin looks for an origin that is a listener of this gateway.
func (l *loader) lintOrigin(o Origin, path string) {
	host, port, ok := splitPort(o.HostPort)
	if !ok || l.anyBad(path) {
		return
	}
	for i, n := range l.cfg.Listeners {
		if at, p, ok := splitPort(n.Address); ok && p == port && reaches(host, at) {
			l.warn(path, "W330", fmt.Sprintf("%s is %s, where %s of this gateway listens: requests would go in circles", path, l.shown(path+".address", o.HostPort), index("listeners", i)))
			return
		}
	}
}

// reaches reports whether a connection to one host surely arrives at a listener
// on another: they are the same, or it is on every address and the host is this
// machine.
func reaches(host, listener string) bool {
	to, on := anyHost(host), anyHost(listener)
	if to == "localhost" {
		to = "127.0.0.1"
	}
	if on == "localhost" {
		on = "127.0.0.1"
	}
	ip, err := netip.ParseAddr(to)
	local := to == "" || err == nil && ip.IsLoopback()
	return to == on || local && on == "" || to == "" && on == "127.0.0.1"
}

// mayHaveHTTPS reports whether an origin is https, or one that is found can be.
func (c Cluster) mayHaveHTTPS() bool {
	return c.Discover != nil && (c.Template.Scheme == "https" || c.Discover.File != "") ||
		slices.ContainsFunc(c.Origins, func(o Origin) bool { return o.Scheme == "https" })
}

// lintSites looks for repetitions and contradictions in sites.
func (l *loader) lintSites() {
	for _, name := range sortedKeys(l.cfg.Sites) {
		s, path := l.cfg.Sites[name], join("sites", name)
		l.lintHosts(s.Hosts, path+".hosts")
		l.lintEdit(s.Headers.Request, path+".headers.request")
		l.lintEdit(s.Headers.Response, path+".headers.response")
	}
}

func (l *loader) lintHosts(hosts []string, path string) {
	seen := map[string]bool{}
	for i, h := range hosts {
		if at := index(path, i); seen[h] && !l.bad[at] {
			l.warn(at, "W328", at+" repeats "+l.shown(at, h))
		}
		seen[h] = true
	}
}

// lintEdit looks for a header that is both removed and set, which sets it.
func (l *loader) lintEdit(e HeaderEdit, path string) {
	set := map[string]bool{}
	for name := range e.Set {
		set[strings.ToLower(name)] = true
	}
	for i, name := range e.Remove {
		if at := index(path+".remove", i); set[strings.ToLower(name)] && !l.bad[at] {
			l.warn(at, "W329", at+" has no effect: "+l.shown(at, name)+" is set as well")
		}
	}
}

// lintUse looks for what nothing names, in a file without mistakes: where
// something is missing, what would have named it may be what is missing.
func (l *loader) lintUse() {
	sites, clusters, sessions, applications := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	for i, m := range l.cfg.Mappings {
		sites[m.Site] = true
		for _, n := range l.mappedClusters(m, index("mappings", i)) {
			clusters[n.name] = true
		}
		l.lintMapping(m, index("mappings", i))
		for _, name := range m.Applications {
			applications[name] = true
		}
	}
	for name, a := range l.cfg.Applications {
		for _, c := range a.Clusters {
			clusters[c] = clusters[c] || applications[name]
		}
	}
	for _, p := range l.cfg.Plugins {
		for _, to := range p.HTTP {
			if name, ok := strings.CutPrefix(to, "cluster:"); ok {
				clusters[l.clusterKey(name)] = true
			}
		}
	}
	for _, n := range l.namedSessions() {
		sessions[n.name] = true
	}
	origins := map[string]bool{}
	for _, c := range l.cfg.Clusters {
		for _, o := range c.Origins {
			origins[o.Name] = true
		}
	}
	l.unused("clusters", "W324", l.clusterNames(), clusters, "no mapping names it")
	l.unused("origins", "W325", sortedKeys(l.cfg.Origins), origins, "no cluster names it")
	l.unused("applications", "W341", sortedKeys(l.cfg.Applications), applications, "no mapping names it")
	l.unused("sites", "W326", sortedKeys(l.cfg.Sites), sites, "no mapping names it, so requests for its hosts are refused")
	l.unused("sessions", "W338", sortedKeys(l.cfg.Sessions), sessions, "no site and no cluster names it")
	l.lintOverflows()
}

func (l *loader) unused(kind, code string, names []string, used map[string]bool, reason string) {
	for _, name := range names {
		if !used[name] {
			l.warn(join(kind, name), code, join(kind, name)+" is not used: "+reason)
		}
	}
}

// lintProxies looks for networks that trust everybody, or are trusted twice.
func (l *loader) lintProxies() {
	for i, p := range l.cfg.TrustedProxies {
		at := index("trusted_proxies", i)
		switch {
		case l.bad[at]:
		case p.Bits() == 0:
			l.warn(at, "W327", at+" is "+p.String()+": every client may say which address it has")
		default:
			l.lintOverlap(i)
		}
	}
}

func (l *loader) lintOverlap(i int) {
	p := l.cfg.TrustedProxies[i]
	for j, q := range l.cfg.TrustedProxies {
		inside := q.IsValid() && q.Contains(p.Addr()) && (q.Bits() < p.Bits() || q == p && j < i)
		if inside && q.Bits() > 0 {
			at := index("trusted_proxies", i)
			l.warn(at, "W328", at+" is inside "+index("trusted_proxies", j)+", "+q.String())
			return
		}
	}
}
