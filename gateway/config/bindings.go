package config

import (
	"fmt"
	"strings"

	"weirkeep/gateway/session"
)

// checkIDs refuses that an id stands for two origins (M-PERS-10).
func (l *loader) checkIDs() {
	d := ids{l, map[string]defined{}}
	for _, name := range l.inFileOrder("origins", sortedKeys(l.cfg.Origins)) {
		d.add(l.cfg.Origins[name], join("origins", name))
	}
	for _, name := range l.inFileOrder("clusters", l.clusterNames()) {
		for i, o := range l.cfg.Clusters[name].Origins {
			d.add(o, index(join("clusters", name)+".origins", i))
		}
	}
}

// ids are the ids of the origins seen so far, each with its origin.
type ids struct {
	*loader
	owner map[string]defined
}

func (d ids) add(o Origin, path string) {
	for i, id := range o.IDs {
		at := index(path+".ids", i)
		first, taken := d.owner[id]
		switch {
		case id == "" || d.bad[at]:
		case !taken:
			d.owner[id] = defined{o, at}
		case first.origin.identity() != o.identity():
			d.twice(at, first.path, "id "+d.shown(at, id))
		}
	}
}

// checkBindings looks at what the bindings of sessions need.
func (l *loader) checkBindings() {
	for _, name := range sortedKeys(l.cfg.Sessions) {
		s, path := l.cfg.Sessions[name], join("sessions", name)
		if l.anyBad(path) {
			continue
		}
		l.checkExtract(s.Extract, path+".extract")
		for i, key := range s.Keys {
			l.checkKeyLength(key, index(path+".keys", i))
		}
		if s.Binding == "gateway-cookie" {
			l.checkGatewayCookie(&s, name, path)
			l.cfg.Sessions[name] = s
		}
	}
}

// checkExtract refuses what says nothing, or several things, of where a session
// id names its origin.
func (l *loader) checkExtract(e Extract, path string) {
	_, err := session.NewExtract(e.Options())
	if err == nil {
		return
	}
	if reason, ok := strings.CutPrefix(err.Error(), "regex: "); ok {
		l.fail(path+".regex", "E112", fmt.Sprintf("%s.regex is %s: %s", path, l.shown(path+".regex", e.Regex), reason), "")
		return
	}
	l.fail(path, "E207", path+": "+err.Error(), "")
}

// leastKey is how long a key must be: as the hashes that it makes.
const leastKey = 32

// checkKeyLength refuses keys that can be found by trying.
func (l *loader) checkKeyLength(key Secret, path string) {
	if len(key) < leastKey && !l.bad[path] {
		l.fail(path, "E110", fmt.Sprintf("%s is %d characters long, must be at least %d", path, len(key), leastKey), "openssl rand -base64 48 makes one")
	}
}

// checkGatewayCookie names the cookie, and refuses one that nobody signs or that
// replaces the application's.
func (l *loader) checkGatewayCookie(s *Session, name, path string) {
	if len(s.Keys) == 0 {
		l.fail(path+".binding", "E207", path+" is bound by a gateway-cookie and has no keys to sign it", `openssl rand -base64 48 > cookie.key, and keys: ["${file:cookie.key}"]`)
	}
	if s.GatewayCookie.Name == "" {
		s.GatewayCookie.Name = "weirkeep-" + name
	}
	if s.GatewayCookie.Name == s.Cookie {
		l.fail(path+".gateway_cookie.name", "E207", fmt.Sprintf("%s.gateway_cookie has the name of the application's cookie, %s, and would replace it", path, quote(s.Cookie)), "choose another name")
	}
}

// lintBinding looks for what a session's binding has no use for, or lacks.
func (l *loader) lintBinding(s Session, path string) {
	for _, doubt := range s.Extract.Options().Doubts() {
		l.warn(path+".extract.length", "W343", path+".extract."+doubt)
	}
	if s.Binding == "passive" && !l.originsHaveIDs() {
		l.warn(path+".binding", "W344", path+".binding is passive, and no origin has ids: no session finds its origin")
	}
	for _, key := range []string{"keys", "gateway_cookie"} {
		if at := path + "." + key; l.written(at) && s.Binding != "gateway-cookie" {
			l.warn(at, "W347", at+" has no effect: binding is "+s.Binding)
		}
	}
}

// checkWeblogic looks for clusters whose servers nobody asks.
func (l *loader) checkWeblogic() {
	for _, name := range l.clusterNames() {
		c, path := l.cfg.Clusters[name], join("clusters", name)
		if c.Weblogic.DynamicServerList && c.Health == nil && !l.bad[path+".health"] {
			key := path + ".weblogic.dynamic_server_list"
			l.fail(key, "E207", key+" needs health checks: the servers are asked with them", "write health: { path: /... }, with a path that the servers answer")
		}
	}
}

// originsHaveIDs reports whether an id of a session can name an origin: some are
// written, or WebLogic servers tell theirs.
func (l *loader) originsHaveIDs() bool {
	for _, c := range l.cfg.Clusters {
		if c.Weblogic.DynamicServerList || c.Discover != nil && c.Discover.File != "" {
			return true
		}
		for _, o := range c.Origins {
			if len(o.IDs) > 0 {
				return true
			}
		}
	}
	return false
}

// grammarCookieDomain refuses what clients ignore, or take for another attribute.
func grammarCookieDomain(s string) string {
	if host := strings.TrimPrefix(s, "."); !isHost(host) || only(host, digits+".") || host[0] == '[' {
		return "must be a host name, for example shop.example"
	}
	return ""
}

// grammarCookiePath is a path that ends where the next attribute begins.
func grammarCookiePath(s string) string {
	if strings.Contains(s, ";") {
		return "must hold no semicolon, which ends it"
	}
	return grammarPathPrefix(s)
}
