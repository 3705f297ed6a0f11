package balance

import "slices"

// A Member is one origin of a group, as the configuration has it. What changes
// while the group stands is in Live.
type Member struct {
	Name       string
	Key        string // http://host:port, what hash goes by
	Host       string // the machine that it runs on
	HostWeight int    // of that, 1 or more
	Weight     int    // 1..100
	Live       *Live
}

// Uses says what a balancer goes by, beside the load and the capacity of
// candidates.
type Uses uint8

// The things that balancers go by.
const (
	UsesHostWeight Uses = 1 << iota // Member.Host and HostWeight
	UsesWeight                      // Member.Weight
	UsesMetric                      // Live.Metric
	UsesTimes                       // Live.Observe
	UsesKey                         // the key of a pick, and Member.Key
)

// Has reports whether all of these are among them.
func (u Uses) Has(these Uses) bool { return u&these == these }

// completed gives each member what it lacks: a Live, weights of 1.
func completed(members []Member) []Member {
	members = slices.Clone(members)
	for i := range members {
		if members[i].Live == nil {
			members[i].Live = new(Live)
		}
		members[i].HostWeight, members[i].Weight = max(members[i].HostWeight, 1), max(members[i].Weight, 1)
	}
	return members
}
