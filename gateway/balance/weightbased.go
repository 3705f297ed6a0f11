package balance

const aboutWeightBased = `Origins take turns by their weights (weight of an origin, from 1 to 100, 1 unless written), as evenly spread as can be:
of 50, 100 and 100 the last two get twice what the first gets. It does not look at how busy an origin is. For weights
of machines there is weighted-round-robin. It has no options.`

// newWeightBased builds the one in which members take turns by weight (M-ALG-04).
func newWeightBased(members []Member, decode func(into any) error) (Balancer, error) {
	if err := decode(&struct{}{}); err != nil {
		return nil, err
	}
	return newShares(members, func(m *Member) part { return part{weight: m.Weight} }), nil
}
