package rules

import (
	"fmt"
	"slices"
	"strings"
)

// A Scope is where an expression stands, and thereby what it can name: what those of
// the scopes before it can, and more.
type Scope uint8

// The scopes.
const (
	OfRequest Scope = iota // before an origin is asked: rules
	OfAnswer               // once an origin has answered
	OfRetry                // once it has, and another could be asked instead
)

// scopes say of each scope what mistakes need to know.
var scopes = [...]struct {
	places []string // of the configuration, where its expressions stand
	lacks  string   // why they cannot name what those of later scopes can
	absent string   // what holds without an expression
}{
	OfRequest: {[]string{"rules[].when", "sites.*.rules[].when"}, "rules are asked before an origin is", "a rule without when always matches"},
	OfAnswer:  {[]string{"cache.rules[].when", "sites.*.cache.rules[].when"}, "it is asked of the answer that stands, however many attempts it took", "a caching rule without when always matches"},
	OfRetry:   {[]string{"clusters.*.retry.when"}, "", "without when, retry.statuses alone says which answers are passed over"},
}

// widest is the scope whose expressions can name everything.
const widest = Scope(len(scopes) - 1)

// Places are the places of the configuration whose expressions can name what is of the
// scope: "a, b or c".
func (s Scope) Places() string {
	var all []string
	for _, scope := range scopes[s:] {
		all = append(all, scope.places...)
	}
	last := len(all) - 1
	if last == 0 {
		return all[0]
	}
	return strings.Join(all[:last], ", ") + " or " + all[last]
}

// outOfScope is about a name that stands where it cannot.
func outOfScope(name string, here, needed Scope) (message, hint string) {
	message = fmt.Sprintf("%s cannot be named here: %s", name, scopes[here].lacks)
	return message, "it can be named in " + needed.Places()
}

// scopeOf is the scope of a variable or function; false: there is none of the name.
func scopeOf(name string) (Scope, bool) {
	if v := variableNamed(name); v != nil {
		return v.scope, true
	}
	i := slices.IndexFunc(functions, func(f function) bool { return f.name == name })
	if i < 0 {
		return 0, false
	}
	return functions[i].scope, true
}
