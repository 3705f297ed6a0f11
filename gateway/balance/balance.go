// Package balance picks one origin of a group.
//
// A [Balancer] sees the group's members as [Candidate] values, in the order of
// the configuration, and returns the index of one that is usable, or -1 when
// none is. What makes an origin usable (health, admin state, a free slot) is
// the caller's to know: a full one is not usable, and no balancer looks at load
// to find that out. Nor does one know where origins are or how long they have been
// back: who is not preferred now is not usable either.
//
// Balancers keep positions, in atomics, and tables of turns, which are made as sets
// of usable origins come up and paid for by picks; what is learned of an origin is in
// its [Live]. They take no lock, allocate nothing but tables, and may be called from
// many goroutines at once.
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
	Usable   bool  // may be picked now: it can be used, and has a free slot
	Load     int64 // slots in use now, over all clusters; 0 or more, above Capacity after that was lowered
	Capacity int64 // slots it has, 1 or more
}

// A Balancer chooses among the members of one group.
type Balancer interface {
	// Pick returns the index of a usable candidate, -1 when there is none. cs[i]
	// is the balancer's member i; key is what the request is balanced by where the
	// balancer goes by that (0: the request has none).
	// It is safe for concurrent use.
	Pick(cs []Candidate, key uint64) int

	// Peek returns what Pick would now, and moves no turn. It is not sure where
	// chance decides: then it is one of those that may be picked.
	Peek(cs []Candidate, key uint64) (i int, sure bool)
}

// A Factory builds the balancer of one group of members, each of which has its
// Live. It calls decode once, with a pointer to its own options, a struct whose
// field tags say key, default and range; a balancer that has none gives it an empty
// struct, so that options written for it are refused. The callback is config's, so that a mistake in
// them is reported with its line and column; without options in the
// configuration it may leave the struct as it is.
type Factory func(members []Member, decode func(into any) error) (Balancer, error)

// balancers is every balancer there is, by its name in configuration, with what
// an operator has to know of it, and what it goes by. To add one, write its file
// and add its line here: configuration, schema, messages and help take them from
// this table.
var balancers = map[string]struct {
	build Factory
	about string
	uses  Uses
}{
	"capacity":             {newCapacity, aboutCapacity, 0},
	"hash":                 {newHash, aboutHash, UsesKey},
	"least-load":           {newLeastLoad, aboutLeastLoad, 0},
	"metric":               {newMetric, aboutMetric, UsesMetric},
	"p2c":                  {newP2C, aboutP2C, 0},
	"peak-ewma":            {newPeakEWMA, aboutPeakEWMA, UsesTimes},
	"random":               {newRandom, aboutRandom, 0},
	"round-robin":          {newRoundRobin, aboutRoundRobin, 0},
	"weight-based":         {newWeightBased, aboutWeightBased, UsesWeight},
	"weighted-random":      {newWeightedRandom, aboutWeightedRandom, UsesHostWeight},
	"weighted-round-robin": {newWeightedRoundRobin, aboutWeightedRoundRobin, UsesHostWeight},
}

// Default is the balancer of a cluster that names none.
const Default = "capacity"

// New builds the balancer called name, or by an alias, for one group of members.
// decode fills the struct it is given from the options of the configuration; nil
// means that there are none. The error of an unknown name lists those there are; one of decode is
// returned as it is. Who only wants to know whether the options are right may leave
// out the members.
func New(name string, members []Member, decode func(into any) error) (Balancer, error) {
	alias := aliases[name]
	b, ok := balancers[native(name)]
	if !ok {
		return nil, fmt.Errorf("balancer %q does not exist: there is %s", name, strings.Join(slices.Concat(Names(), Aliases()), ", "))
	}
	if alias.build != nil {
		b.build = alias.build
	}
	if decode == nil {
		decode = nothingWritten
	}
	return b.build(completed(members), decode)
}

// About is what an operator has to know of a balancer: how it picks, what it is
// good for, its options. Empty: there is none of that name.
func About(name string) string {
	if a, ok := aliases[name]; ok {
		return a.about()
	}
	return balancers[name].about
}

// UsesOf is what the balancer called name goes by.
func UsesOf(name string) Uses { return balancers[native(name)].uses }

func nothingWritten(any) error { return nil }

// Names returns the names of all balancers, sorted; their aliases are not among
// them.
func Names() []string {
	return slices.Sorted(maps.Keys(balancers))
}
