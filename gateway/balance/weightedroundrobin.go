package balance

const aboutWeightedRoundRobin = `Hosts take turns by their weights (hosts.NAME.weight, 1 unless written), as evenly spread as can be: A B C A D B A for
3, 2, 1 and 1. The processes of a host take its turns one after the other: with a weight of 3, two of them get 1.5 each.
It does not look at how busy an origin is. For weights of single origins there is weight-based. It has no options.`

// newWeightedRoundRobin builds the one in which hosts take turns by weight, and
// the members of a host its turns (M-POL-07, M-RW-08).
func newWeightedRoundRobin(members []Member, decode func(into any) error) (Balancer, error) {
	if err := decode(&struct{}{}); err != nil {
		return nil, err
	}
	return newHostShares(members), nil
}
