package balance

import "math/rand/v2"

// random gives every usable origin the same chance at every pick. It evens out
// only over many requests; for origins of different size it is the wrong one.
type random struct{}

const aboutRandom = `A request goes to any of the origins that have room, each with the same chance. It evens out over many requests only,
and does not look at how busy an origin is. It has no options.`

func newRandom(_ []Member, decode func(into any) error) (Balancer, error) {
	if err := decode(&struct{}{}); err != nil {
		return nil, err
	}
	return random{}, nil
}

// Pick implements [Balancer]. Mostly all are usable, so it draws from all a few
// times before it counts; either way each usable one has the same chance.
func (random) Pick(cs []Candidate, _ uint64) int {
	for range min(draws, len(cs)) {
		if i := rand.IntN(len(cs)); cs[i].Usable {
			return i
		}
	}
	n := countUsable(cs)
	if n == 0 {
		return -1
	}
	return nthUsable(cs, rand.IntN(n))
}

// draws is how often random draws from all before it counts the usable.
const draws = 3

// Peek implements [Balancer]: with more than one choice, nobody knows.
func (random) Peek(cs []Candidate, _ uint64) (int, bool) {
	return nthUsable(cs, 0), countUsable(cs) < 2
}

func countUsable(cs []Candidate) int {
	n := 0
	for i := range cs {
		if cs[i].Usable {
			n++
		}
	}
	return n
}

// nthUsable returns the index of the usable candidate before which n others
// stand, -1 when there are not that many.
func nthUsable(cs []Candidate, n int) int {
	for i := range cs {
		if !cs[i].Usable {
			continue
		}
		if n == 0 {
			return i
		}
		n--
	}
	return -1
}
