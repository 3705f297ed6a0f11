package config

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
)

// check finds what does not fit together, each thing alone being right.
func (l *loader) check() {
	l.checkListeners()
	l.checkAddresses()
	l.checkAdmin()
	l.allDynamic()
	l.resolveOrigins()
	l.checkDiscover()
	for _, name := range l.clusterNames() {
		c, path := l.cfg.Clusters[name], join("clusters", name)
		l.checkBalancer(c, path)
		l.checkExpression(c.Retry.When, path+".retry.when", "to go by statuses alone, take the key away")
	}
	l.resolveSessions()
	l.checkSites()
	l.checkMappings()
	l.checkApplications()
	l.checkEditions()
	l.checkWeblogic()
	l.checkIDs()
	l.checkBindings()
	l.checkPlugins()
	l.checkRules()
	l.settleCaches()
	l.settleESI()
	l.checkProviders()
	l.checkAccessLog()
}

// checkListeners names the listeners and looks at each.
func (l *loader) checkListeners() {
	named := map[string]string{}
	for i := range l.cfg.Listeners {
		n, path := &l.cfg.Listeners[i], index("listeners", i)
		if n.Name == "" {
			n.Name = n.Address
		}
		if first, taken := named[n.Name]; taken && n.Name != "" && l.written(path+".name") {
			l.twice(path+".name", first, "name "+quote(n.Name))
		}
		named[n.Name] = path
		l.checkListener(n, path)
	}
}

// checkListener looks at one listener.
func (l *loader) checkListener(n *Listener, path string) {
	if n.TLS != nil && n.RedirectToHTTPS {
		l.fail(path+".redirect_to_https", "E207", path+" redirects to https and speaks it itself: every client would go in circles",
			"redirect on a listener without tls")
	}
	if n.ProxyProtocol == "require" && len(l.cfg.TrustedProxies) == 0 && !l.bad["trusted_proxies"] {
		l.fail(path+".proxy_protocol", "E207", path+" takes connections from trusted_proxies only, and there are none",
			"name the proxies in trusted_proxies")
	}
	if n.TLS != nil {
		l.checkClientAuth(n.TLS.ClientAuth, path+".tls.client_auth")
	}
}

// checkClientAuth looks for the authorities that clients are held against.
func (l *loader) checkClientAuth(a ClientAuth, path string) {
	if a.Mode != "none" && a.CA == "" && !l.bad[path+".ca"] && !l.bad[path+".mode"] && !l.bad[path] {
		l.fail(path+".mode", "E207", fmt.Sprintf("%s is %s and there is no ca to verify certificates with", path+".mode", a.Mode), "")
	}
}

// bound is an address that will be listened at, with its path.
type bound struct{ path, host, port string }

// checkAddresses refuses addresses that cannot be listened at together. When
// admin's is the default, the mistake is the listener's.
func (l *loader) checkAddresses() {
	var taken []bound
	admin := func() {
		if a := l.cfg.Admin.Address; a != "off" {
			taken = l.bind(taken, "admin.address", a)
		}
	}
	if !l.written("admin.address") {
		admin()
	}
	for i, n := range l.cfg.Listeners {
		taken = l.bind(taken, index("listeners", i)+".address", n.Address)
	}
	if l.written("admin.address") {
		admin()
	}
}

// bind adds an address to those taken, unless one of them is in its way.
func (l *loader) bind(taken []bound, path, address string) []bound {
	host, port, ok := splitPort(address)
	if !ok || port == "0" || l.bad[path] {
		return taken
	}
	b := bound{path, anyHost(host), port}
	for _, t := range taken {
		if t.port == b.port && (t.host == b.host || t.host == "" || b.host == "") {
			l.fail(path, "E202", fmt.Sprintf("%s is %s, which %s takes already%s", path, l.shown(path, address), t.path, l.byDefault(t.path)), "")
			return taken
		}
	}
	return append(taken, b)
}

// byDefault says of a path in a message that nobody wrote it.
func (l *loader) byDefault(path string) string {
	if l.written(path) {
		return ""
	}
	return " by default"
}

// anyHost is the host in one spelling, empty when it stands for all addresses.
func anyHost(host string) string {
	a, err := netip.ParseAddr(strings.Trim(host, "[]"))
	switch {
	case err != nil:
		return strings.ToLower(host)
	case a.IsUnspecified():
		return ""
	}
	return a.Unmap().String()
}

// checkAdmin looks for a way in when there must be one.
func (l *loader) checkAdmin() {
	a := l.cfg.Admin
	if a.Address == "off" && a.Socket == "" && a.Token != "" {
		l.warn("admin.token", "W332", "admin.token has no effect: admin.address is off and there is no socket")
	}
}

// checkSites looks at hosts and headers.
func (l *loader) checkSites() {
	for _, name := range sortedKeys(l.cfg.Sites) {
		s, path := l.cfg.Sites[name], join("sites", name)
		for i := range s.Hosts {
			s.Hosts[i] = strings.ToLower(s.Hosts[i])
		}
		l.checkEdit(s.Headers.Request, path+".headers.request")
		l.checkEdit(s.Headers.Response, path+".headers.response")
	}
	if name := l.cfg.DefaultSite; name != "" {
		l.refer("default_site", "default_site", "site", name, slices.Collect(maps.Keys(l.cfg.Sites)))
	}
}

// checkEdit refuses one header field under two spellings.
func (l *loader) checkEdit(e HeaderEdit, path string) {
	first := map[string]string{}
	for _, name := range l.inFileOrder(path+".set", sortedKeys(e.Set)) {
		key, child := strings.ToLower(name), join(path+".set", name)
		if prior, taken := first[key]; taken {
			l.twice(child, prior, "header "+quote(name))
			continue
		}
		first[key] = child
	}
}

// refer refuses a name that nothing has. Who names it is for the message.
func (l *loader) refer(path, who, kind, name string, known []string) {
	l.referTo(path, who, kind, name, known, Listing(known))
}

// referTo is refer with a list of its own in the message.
func (l *loader) referTo(path, who, kind, name string, known []string, list string) {
	if name == "" || slices.Contains(known, name) || l.bad[path] || l.bad[kind+"s"] {
		return
	}
	hint := Suggest(name, known)
	if l.cfg.places[path].from != "" {
		hint = ""
	}
	l.fail(path, "E205", fmt.Sprintf("%s names %s %s, which does not exist. Known: %s", who, kind, l.shown(path, name), list), hint)
}

// twice refuses what is there already.
func (l *loader) twice(path, first, what string) {
	at := l.cfg.places.at(first).span()
	where := first
	if at.src != nil {
		where = fmt.Sprintf("%s (%s:%d:%d)", first, at.src.name, at.line, at.col)
	}
	l.fail(path, "E201", fmt.Sprintf("%s: %s is taken by %s", path, what, where), "")
}

// written reports whether a path stands in a file.
func (l *loader) written(path string) bool {
	_, ok := l.cfg.places[path]
	return ok
}

func (l *loader) clusterNames() []string { return sortedKeys(l.cfg.Clusters) }

// inFileOrder sorts the keys of the map at a path by where they were written.
func (l *loader) inFileOrder(path string, keys []string) []string {
	slices.SortStableFunc(keys, func(a, b string) int {
		return comparePlaces(l.cfg.places[join(path, a)].span(), l.cfg.places[join(path, b)].span())
	})
	return keys
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
