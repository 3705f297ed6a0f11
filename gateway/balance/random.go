package balance

// random gives every usable origin the same chance at every pick. It evens out
// only over many requests; for origins of different size it is the wrong one.
type random struct{ draw chance }

const aboutRandom = `A request goes to any of the origins that have room, each with the same chance. It evens out over many requests only,
and does not look at how busy an origin is. It has no options.`

func newRandom(_ []Member, decode func(into any) error) (Balancer, error) {
	if err := decode(&struct{}{}); err != nil {
		return nil, err
	}
	return &random{anyChance}, nil
}

// Pick implements [Balancer].
func (r *random) Pick(cs []Candidate, _ uint64) int { return r.draw.usable(cs) }

// Peek implements [Balancer]: with more than one choice, nobody knows.
func (r *random) Peek(cs []Candidate, _ uint64) (int, bool) { return firstUsable(cs) }

// firstUsable is what a balancer that goes by chance peeks: one that may be picked,
// and whether it is the only one.
func firstUsable(cs []Candidate) (i int, only bool) {
	return nthUsable(cs, 0), countUsable(cs) < 2
}
