package config

import (
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
		list = Listing(own) + "; built in: " + list
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

// lintSessions looks for what has no effect in sessions that were written.
func (l *loader) lintSessions() {
	for _, name := range sortedKeys(l.cfg.Sessions) {
		s, path := l.cfg.Sessions[name], join("sessions", name)
		if l.anyBad(path) {
			continue
		}
		if links := path + ".learn_from_links"; s.LearnFromLinks && s.URLParam == "" {
			l.warn(links, "W339", links+" has no effect: there is no url_param to look for")
		}
		l.lintBinding(s, path)
	}
}
