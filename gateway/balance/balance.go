// Package balance picks one origin of a group.
//
// A [Balancer] sees the group's members as [Candidate] values, in the order of
// the configuration, and returns the index of one that is usable, or -1 when
// none is. What makes an origin usable (health, admin state, a free slot) is
// the caller's to know. Balancers keep at most a position, in an atomic: they
// take no lock, do not allocate, and may be called from many goroutines at once.
//
// Each balancer is a file and a line in the table of this one.
package balance

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Candidate is one origin as a balancer sees it at this moment.
type Candidate struct {
	Usable bool // may be picked now
}

// A Balancer chooses among the members of one group.
type Balancer interface {
	// Pick returns the index of a usable candidate, -1 when there is none.
	// It is safe for concurrent use and does not allocate.
	Pick(cs []Candidate) int
}

// A Factory builds the balancer of one group. It calls decode at most once, with
// a pointer to its own options. The callback is config's, so that a mistake in
// them is reported with its line and column.
type Factory func(decode func(into any) error) (Balancer, error)

// balancers is every balancer there is, by its name in configuration.
// To add one, write its file and add its line here: configuration, schema and
// messages take the names from this table.
var balancers = map[string]Factory{
	"random":      newRandom,
	"round-robin": newRoundRobin,
}

// Default is the balancer of a cluster that names none.
const Default = "round-robin"

// New builds the balancer called name for one group.
// The error of an unknown name lists those there are.
func New(name string, decode func(into any) error) (Balancer, error) {
	build, ok := balancers[name]
	if !ok {
		return nil, fmt.Errorf("balancer %q does not exist: there is %s", name, strings.Join(Names(), ", "))
	}
	return build(decode)
}

// Names returns the names of all balancers, sorted.
func Names() []string {
	return slices.Sorted(maps.Keys(balancers))
}
