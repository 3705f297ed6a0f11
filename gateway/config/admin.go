package config

import "reflect"

// AdminOf is what a file and those it includes say of the administrators'
// listener, and the state directory: what a program must know to reach a
// gateway that runs with the file. Whatever else is wrong in the files does not
// matter. When the listener cannot be known, address and socket are empty, and
// the problems say why; a token that cannot be known is empty.
func AdminOf(path string) (a Admin, stateDir string, problems Problems) {
	l := newLoader(thisMachine)
	data, err := l.host.read(path, maxFileBytes)
	if err != nil {
		return Admin{}, "", Problems{unreadable(path, err)}
	}
	known := l.file(path, data)
	l.complete(reflect.ValueOf(&l.cfg.Admin).Elem(), "admin")
	a, stateDir = l.cfg.Admin, l.cfg.Node.StateDir
	if stateDir == "" {
		stateDir = l.host.stateDir()
	}
	if l.bad["admin.token"] {
		a.Token = ""
	}
	if l.adminKnown(known) {
		return a, stateDir, nil
	}
	l.problems.Sort()
	return Admin{Token: a.Token}, stateDir, l.problems
}

// adminKnown reports whether where the administrators' listener is can be told,
// when all files could be parsed or only some.
func (l *loader) adminKnown(parsed bool) bool {
	for _, path := range []string{"admin", "admin.address", "admin.socket"} {
		if l.bad[path] {
			return false
		}
	}
	return parsed || l.written("admin.address") || l.written("admin.socket")
}
