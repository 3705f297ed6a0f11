package balance

import (
	"math/bits"
	"sync/atomic"
)

// shares gives the parts of a group their shares of the picks, by weight, each
// spread as evenly as can be: A B C A D B A for weights of 3, 2, 1 and 1. A part is
// one origin, or those of one host, which take that host's turns one after the other.
//
// The order of turns comes from a [table], one for each set of weights and usable
// origins, and from a position that all tables share. For a set that has no table
// yet the position is scattered over the weights instead, which comes to the same
// shares, less evenly: so what has changed is obeyed at once, and the price of a pick
// is bounded, however often the set changes.
type shares struct {
	members  []sharer
	parts    []part
	position atomic.Uint64 // picks so far
	credit   atomic.Int64  // steps that may go into tables
	tables   [tableSlots]atomic.Pointer[table]
}

// sharer is a member: its part, and what it adds to the signature of a set.
type sharer struct {
	key  uint64
	live *Live // nil: the weight of its part stands still
}

// newShares makes one part of each member.
func newShares(members []Member, weigh func(*Member) part) *shares {
	s := &shares{}
	for i := range members {
		p := weigh(&members[i])
		p.members = []int{i}
		s.parts = append(s.parts, p)
		s.members = append(s.members, sharer{mix(uint64(i) + 1), p.live})
	}
	s.credit.Store(firstCredit)
	return s
}

// newHostShares makes one part of the members on one host.
func newHostShares(members []Member) *shares {
	s := newShares(members, func(*Member) part { return part{} })
	s.parts = hostParts(members)
	return s
}

// look is the signature of the usable set with its weights, their sum as far as
// they move, and how many there are. Two sets have the same signature by a chance
// of 2^-64, and then no harm is done but to the shares.
func (s *shares) look(cs []Candidate) (set uint64, metrics, usable int) {
	for i := range cs {
		if !cs[i].Usable {
			continue
		}
		usable++
		m := &s.members[i]
		if m.live == nil {
			set += m.key
			continue
		}
		w := m.live.Metric()
		metrics += w
		set += m.key * uint64(w+1)
	}
	return set, metrics, usable
}

// Pick implements [Balancer].
func (s *shares) Pick(cs []Candidate, _ uint64) int {
	set, _, usable := s.look(cs)
	return s.pick(cs, set, usable)
}

// pick takes the next turn.
func (s *shares) pick(cs []Candidate, set uint64, usable int) int {
	if usable == 0 {
		return -1
	}
	t := s.tableOf(set)
	if t == nil {
		t = s.earn(cs)
	}
	return s.turn(cs, t, s.position.Add(1)-1, usable)
}

// Peek implements [Balancer]. It is not sure where the next pick may be the one
// that makes a table.
func (s *shares) Peek(cs []Candidate, _ uint64) (int, bool) {
	set, _, usable := s.look(cs)
	if usable == 0 {
		return -1, true
	}
	t := s.tableOf(set)
	if t == nil {
		t = s.afford(cs)
	}
	return s.turn(cs, t, s.position.Load(), usable), t != nil || usable == 1
}

// turn is the member whose turn a position is.
func (s *shares) turn(cs []Candidate, t *table, position uint64, usable int) int {
	if t == nil {
		return s.scatter(cs, position, usable)
	}
	if i := t.member(position); i < len(cs) && cs[i].Usable {
		return i
	}
	return s.scatter(cs, position, usable)
}

// Two steps that spread multiples of them, taken together, evenly over a square.
const (
	firstStep  = 0xC13FA9A902A6328F
	secondStep = 0x91E10DA5C79E7B1D
)

// scatter is the turn of a position where there is no table: the weights are laid
// out one after the other, and positions are spread over them.
func (s *shares) scatter(cs []Candidate, position uint64, usable int) int {
	total := 0
	for p := range s.parts {
		total += s.parts[p].weightIn(cs)
	}
	if total == 0 {
		return nthUsable(cs, int(position%uint64(usable)))
	}
	left := part64(position*firstStep, total)
	for p := range s.parts {
		if left -= s.parts[p].weightIn(cs); left < 0 {
			h := &s.parts[p]
			return h.nth(cs, part64(position*secondStep, h.usable(cs)))
		}
	}
	return nthUsable(cs, 0) // a metric fell in between
}

// part64 is which of n equal parts of all numbers one is in.
func part64(x uint64, n int) int {
	high, _ := bits.Mul64(x, uint64(n))
	return int(high)
}
