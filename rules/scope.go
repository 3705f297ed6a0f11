package rules

import (
	"fmt"
	"slices"
	"strings"
)

// A Scope is where an expression stands, and thereby what it can name: what those of
// the scopes before it can, and more. OfStored stands apart.
type Scope uint8

// The scopes.
const (
	OfRequest Scope = iota // before an origin is asked: rules
	OfAnswer               // once an origin has answered
	OfRetry                // once it has, and another could be asked instead
	OfStored               // of an answer that a cache has, whose request is gone
)

// scopes say of each scope what mistakes need to know.
var scopes = [...]struct {
	places []string // where its expressions stand, in the configuration but for the last
	lacks  string   // why they cannot name what those of other scopes can
	absent string   // what holds without an expression
}{
	OfRequest: {[]string{"rules[].when", "sites.*.rules[].when"}, "rules are asked before an origin is", "a rule without when always matches"},
	OfAnswer:  {[]string{"cache.rules[].when", "sites.*.cache.rules[].when"}, "it is asked of the answer that stands, however many attempts it took", "a caching rule without when always matches"},
	OfRetry:   {[]string{"clusters.*.retry.when"}, "it is asked of an answer that is not stored yet", "without when, retry.statuses alone says which answers are passed over"},
	OfStored:  {[]string{"--where of weirkeep cache"}, "of the request that a stored answer was to, only the URL is known", "without --where, the selector alone selects"},
}

// widest is the scope whose expressions can name everything that is known of an exchange.
const widest = OfRetry

// kept are the names of other scopes that are known of what is stored, too.
var kept = []string{
	"scheme", "site", "path", "query_string", "url", "now", "status", "content_type",
	"response_header", "query", "has_query", "in_list", "glob", "like", "ilike", "tz", "lower", "upper", "trim", "after", "before", "len", "int",
}

// holds reports whether an expression of the scope can use a name of another.
func (s Scope) holds(name string, of Scope) bool {
	if s == OfStored {
		return of == OfStored || slices.Contains(kept, name)
	}
	return of <= s
}

// Places are the places whose expressions can name what is of the scope: "a, b or c".
func (s Scope) Places() string {
	last := widest
	if s == OfStored {
		last = OfStored
	}
	var all []string
	for _, scope := range scopes[s : last+1] {
		all = append(all, scope.places...)
	}
	end := len(all) - 1
	if end == 0 {
		return all[0]
	}
	return strings.Join(all[:end], ", ") + " or " + all[end]
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
