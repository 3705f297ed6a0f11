package balance

// p2c draws two origins and takes the one with the larger part of its capacity
// free. That is nearly as good as looking at all of them, and those who pick at
// the same moment do not all see the same best one.
type p2c struct{ draw chance }

const aboutP2C = `Two of the origins that have room are drawn, and the request goes to the one with the larger part of its capacity free,
(capacity - load) / capacity; where that is equal, to the one drawn first. It is for many gateways before the same
origins: each sees only its own load, and with capacity all of them would run to the same origin. It has no options.`

func newP2C(_ []Member, decode func(into any) error) (Balancer, error) {
	if err := decode(&struct{}{}); err != nil {
		return nil, err
	}
	return &p2c{anyChance}, nil
}

// Pick implements [Balancer].
func (p *p2c) Pick(cs []Candidate, _ uint64) int {
	i, j := p.draw.two(cs)
	if i != j && freer(&cs[j], &cs[i]) {
		return j
	}
	return i
}

// Peek implements [Balancer]: with more than one choice, nobody knows.
func (p *p2c) Peek(cs []Candidate, _ uint64) (int, bool) { return firstUsable(cs) }
