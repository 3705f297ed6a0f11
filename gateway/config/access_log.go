package config

import "strings"

// lintAccessLog looks for settings of a log that is not written, or not in the
// form that they are for.
func (l *loader) lintAccessLog() {
	a := l.cfg.AccessLog
	for _, key := range []string{"path", "on_full"} {
		if path := "access_log." + key; a.Format == "off" && l.written(path) {
			l.warn(path, "W331", path+" has no effect: format is off")
		}
	}
	for _, key := range []string{"inputs", "inputs_key"} {
		path := "access_log." + key
		switch {
		case !l.written(path):
		case a.Format != "json" && !l.bad["access_log.format"]:
			l.warn(path, "W349", path+" has no effect: format is "+a.Format+", and only json has inputs")
		case !l.written("access_log.inputs"):
			l.warn(path, "W349", path+" has no effect: without access_log.inputs none is recorded")
		}
	}
}

// checkAccessLog looks at what is recorded for replay.
func (l *loader) checkAccessLog() {
	a := &l.cfg.AccessLog
	if a.Inputs == nil && l.written("access_log.inputs") {
		a.Inputs = []string{} // written, though it lists nothing
	}
	if a.InputsKey != "" {
		l.checkKeyLength(a.InputsKey, "access_log.inputs_key")
	}
}

// grammarInput refuses what no request has.
func grammarInput(s string) string {
	kind, name, _ := strings.Cut(s, ":")
	switch kind {
	case "header", "cookie":
		if !isToken(name) {
			return "must have a name of letters, digits and !#$%&'*+-.^_`|~ behind the colon"
		}
		return ""
	case "query":
		if name == "" || strings.ContainsFunc(name, func(c rune) bool { return c <= ' ' || c == 0x7f }) {
			return "must have the name of a parameter behind the colon, without blanks"
		}
		return ""
	}
	return "must be header:NAME, cookie:NAME or query:NAME"
}
