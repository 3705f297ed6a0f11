package balance

import (
	"cmp"
	"maps"
	"slices"
)

// alias is another name of a balancer, which people bring along.
type alias struct {
	of    string
	build Factory // nil: that of the balancer
	local bool    // it prefers origins on the gateway's own host
	note  string  // what is different; may be empty
}

const anywhereNote = "It begins with any of the origins, so that several gateways do not begin with the same one."

// aliases are the names of mod_oc4j's Oc4jSelectMethod that are not also ours
// (M-SEL-01). Those of WebLogic are: round-robin, weight-based and random.
var aliases = map[string]alias{
	"metric:local":        {of: "metric", local: true},
	"random:local":        {of: "random", local: true},
	"random:weighted":     {of: "weighted-random"},
	"roundrobin":          {of: "round-robin", build: newRoundRobinAnywhere, note: anywhereNote},
	"roundrobin:local":    {of: "round-robin", build: newRoundRobinAnywhere, note: anywhereNote, local: true},
	"roundrobin:weighted": {of: "weighted-round-robin"},
}

// Aliases are the other names of balancers, sorted.
func Aliases() []string { return slices.Sorted(maps.Keys(aliases)) }

// Local reports whether a name of a balancer says that origins on the gateway's own
// host are preferred (locality: prefer-local).
func Local(name string) bool { return aliases[name].local }

// native is our own name of a balancer.
func native(name string) string { return cmp.Or(aliases[name].of, name) }

// about is what an operator has to know of the alias.
func (a alias) about() string {
	text := "Another name of " + a.of
	if a.local {
		text += ", with locality: prefer-local"
	}
	text += "."
	if a.note != "" {
		text += " " + a.note
	}
	return text + "\n\n" + balancers[a.of].about
}
