package balance

import (
	"math/bits"
	"sync/atomic"
)

// capacity takes the origin that has the largest part of its capacity free:
// (capacity - load) / capacity. Where that is equal it takes them in turn,
// beginning with the first; the turn stands after the origin that was chosen
// last, at every pick, whether there was a tie or not. Requests that end before
// the next one comes are therefore spread evenly, whatever the capacities.
type capacity struct {
	equalLoad bool          // equal loads are a tie, whatever the capacities
	turn      atomic.Uint64 // index of the origin whose turn it is; may be past the end
}

const aboutCapacity = `A request goes to the origin with the largest part of its capacity free, (capacity - load) / capacity; where that
is equal, the origins are taken in turn. It is the default, and right for origins of different size.

Requests that come one after the other find every origin idle, which is a tie: they are spread evenly, whatever the
capacities. 300 of them to origins of 150, 50 and 50 are 100 each; of 250 at once the origins get 150, 50 and 50.

Options (balancer_options):
  tie: equal-load   (default) origins with equal loads are taken in turn, even where their capacities differ
  tie: weighted     the larger part free wins always: for few long requests, such as tunnels and long polls`

type capacityOptions struct {
	Tie string `yaml:"tie" default:"equal-load" enum:"equal-load|weighted"` // equal-load (default): equal loads are a tie, whatever the capacities | weighted: only equal shares are
}

func newCapacity(_ []Member, decode func(into any) error) (Balancer, error) {
	var o capacityOptions
	if err := decode(&o); err != nil {
		return nil, err
	}
	return &capacity{equalLoad: o.Tie != "weighted"}, nil
}

// Pick implements [Balancer]. A pick that another one overtook looks again, so
// that no turn is given twice. It goes by the loads it was given: what the other
// one adds to them is not in there yet.
func (c *capacity) Pick(cs []Candidate, _ uint64) int {
	for {
		turn := c.turn.Load()
		i := c.choose(cs, turn)
		if i < 0 || c.turn.CompareAndSwap(turn, uint64(i)+1) {
			return i
		}
	}
}

// Peek implements [Balancer].
func (c *capacity) Peek(cs []Candidate, _ uint64) (int, bool) {
	return c.choose(cs, c.turn.Load()), true
}

// choose goes round once from the origin whose turn it is, so that the first of
// several best is the one in turn; -1 when none is usable.
func (c *capacity) choose(cs []Candidate, turn uint64) int {
	first, best, equal := -1, -1, c.equalLoad
	i := startAt(turn, cs)
	for range cs {
		switch o := &cs[i]; {
		case !o.Usable:
		case first < 0:
			first, best = i, i
		default:
			equal = equal && o.Load == cs[first].Load
			if freer(o, &cs[best]) {
				best = i
			}
		}
		if i++; i == len(cs) {
			i = 0
		}
	}
	if equal {
		return first
	}
	return best
}

// freer reports whether a has a larger part of its capacity free than b, which
// is to say a smaller part in use. The products have all their 128 bits: equal
// is equal, and no load is too large.
func freer(a, b *Candidate) bool {
	aHigh, aLow := bits.Mul64(uint64(a.Load), uint64(b.Capacity))
	bHigh, bLow := bits.Mul64(uint64(b.Load), uint64(a.Capacity))
	return aHigh < bHigh || aHigh == bHigh && aLow < bLow
}
