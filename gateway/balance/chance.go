package balance

import "math/rand/v2"

// A chance draws a number from 0 to n-1, each equally likely; n is 1 or more.
// Balancers that go by chance hold one, so that tests can repeat theirs.
type chance func(n int) int

// anyChance is the chance of balancers in service. It takes no lock.
func anyChance(n int) int { return rand.IntN(n) }

// draws is how often a usable candidate is drawn for among all before the usable
// ones are counted: mostly all are usable.
const draws = 3

// usable draws one of the usable candidates, each with the same chance; -1: there
// is none.
func (draw chance) usable(cs []Candidate) int {
	for range min(draws, len(cs)) {
		if i := draw(len(cs)); cs[i].Usable {
			return i
		}
	}
	n := countUsable(cs)
	if n == 0 {
		return -1
	}
	return nthUsable(cs, draw(n))
}

// two draws two different usable candidates, each pair with the same chance. With
// only one it is twice that one; -1: there is none.
func (draw chance) two(cs []Candidate) (i, j int) {
	for range min(draws, len(cs)-1) {
		if i, j = draw.pair(len(cs)); cs[i].Usable && cs[j].Usable {
			return i, j
		}
	}
	n := countUsable(cs)
	if n < 2 {
		i = nthUsable(cs, 0)
		return i, i
	}
	i, j = draw.pair(n)
	return nthUsable(cs, i), nthUsable(cs, j)
}

// pair draws two different numbers from 0 to n-1; n is 2 or more.
func (draw chance) pair(n int) (i, j int) {
	both := draw(n * (n - 1))
	i, j = both/(n-1), both%(n-1)
	if j >= i { // i is not among the others
		j++
	}
	return i, j
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
