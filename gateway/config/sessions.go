package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"weirkeep/gateway/session"
)

// resolveSessions adds the built-in sessions that are named to those that were
// written, and refuses names that nothing has.
func (l *loader) resolveSessions() {
	builtin, own := session.Builtin(), sortedKeys(l.cfg.Sessions)
	known := slices.Concat(own, sortedKeys(builtin))
	list := strings.Join(sortedKeys(builtin), ", ")
	if len(own) > 0 {
		list = listing(own) + "; built in: " + list
	}
	for _, n := range l.namedSessions() {
		d, isBuiltin := builtin[n.name]
		if isBuiltin && !slices.Contains(own, n.name) {
			l.addSession(n.name, Session{Cookie: d.Cookie, URLParam: d.URLParam})
		}
		l.referTo(n.path, n.who, "session", n.name, known, list)
	}
}

// namedSession is a name of a session, and where it stands.
type namedSession struct{ name, who, path string }

// namedSessions are the names of sessions in clusters and sites.
func (l *loader) namedSessions() (named []namedSession) {
	add := func(name, who string) {
		if name != "" {
			named = append(named, namedSession{name, who, who + ".session"})
		}
	}
	for _, name := range l.clusterNames() {
		add(l.cfg.Clusters[name].Session, join("clusters", name))
	}
	for _, name := range sortedKeys(l.cfg.Sites) {
		add(l.cfg.Sites[name].Session, join("sites", name))
	}
	return named
}

// addSession adds a session that nobody wrote, with its defaults.
func (l *loader) addSession(name string, s Session) {
	l.complete(reflect.ValueOf(&s).Elem(), join("sessions", name))
	if l.cfg.Sessions == nil {
		l.cfg.Sessions = map[string]Session{}
	}
	l.cfg.Sessions[name] = s
}

// checkIDs refuses that an id stands for two origins (M-PERS-10).
func (l *loader) checkIDs() {
	owner := map[string]defined{}
	check := func(o Origin, path string) {
		for i, id := range o.IDs {
			first, taken := owner[id]
			if at := index(path+".ids", i); taken && first.origin.identity() != o.identity() {
				l.twice(at, first.path, "id "+quote(id))
			} else if !taken {
				owner[id] = defined{o, at}
			}
		}
	}
	for _, name := range sortedKeys(l.cfg.Origins) {
		check(l.cfg.Origins[name], join("origins", name))
	}
	for _, name := range l.clusterNames() {
		for i, o := range l.cfg.Clusters[name].Origins {
			check(o, index(join("clusters", name)+".origins", i))
		}
	}
	l.checkBindings(len(owner) > 0)
}

// checkBindings looks at what the bindings of sessions need.
func (l *loader) checkBindings(ids bool) {
	for _, name := range sortedKeys(l.cfg.Sessions) {
		s, path := l.cfg.Sessions[name], join("sessions", name)
		if l.anyBad(path) {
			continue
		}
		if _, err := session.NewExtract(s.Extract.Options()); err != nil {
			l.fail(path+".extract", "E207", path+".extract: "+err.Error(), "")
		}
		for _, doubt := range s.Extract.Options().Doubts() {
			l.warn(path+".extract.length", "W343", path+".extract."+doubt)
		}
		switch {
		case s.Binding == "gateway-cookie" && len(s.Keys) == 0:
			l.fail(path+".binding", "E207", path+" is bound by a gateway-cookie and has no keys to sign it", `openssl rand -base64 48 > cookie.key, and keys: ["${file:cookie.key}"]`)
		case s.Binding == "passive" && !ids:
			l.warn(path+".binding", "W344", path+".binding is passive, and no origin has ids: no session finds its origin")
		}
		for i, key := range s.Keys {
			if at := index(path+".keys", i); len(key) < 32 {
				l.fail(at, "E110", fmt.Sprintf("%s is %d characters long, must be at least 32", at, len(key)), "openssl rand -base64 48 makes one")
			}
		}
		if s.GatewayCookie.Name == "" && s.Binding == "gateway-cookie" {
			s.GatewayCookie.Name = "weirkeep-" + name
			l.cfg.Sessions[name] = s
		}
	}
}

// lintSessions looks for what has no effect in sessions that were written.
func (l *loader) lintSessions() {
	for _, name := range sortedKeys(l.cfg.Sessions) {
		s, path := l.cfg.Sessions[name], join("sessions", name)+".learn_from_links"
		if s.LearnFromLinks && s.URLParam == "" && !l.anyBad(join("sessions", name)) {
			l.warn(path, "W339", path+" has no effect: there is no url_param to look for")
		}
	}
}
