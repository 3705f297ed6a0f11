package balance

import "sync/atomic"

// roundRobin takes the origins in turn, beginning with the first. The turn
// stands after the origin that was chosen last, at every pick; an origin that
// is not usable is passed over, and the turn goes on from the one taken instead.
type roundRobin struct {
	turn atomic.Uint64 // index of the origin whose turn it is; may be past the end
}

const aboutRoundRobin = `Requests go to the origins in turn, beginning with the first; one that is full or out is passed over. It does not look
at how busy an origin is, so behind a slow one requests pile up until its capacity is reached; capacity and p2c go
round it. It has no options.`

func newRoundRobin(_ []Member, decode func(into any) error) (Balancer, error) {
	if err := decode(&struct{}{}); err != nil {
		return nil, err
	}
	return &roundRobin{}, nil
}

// newRoundRobinAnywhere builds the one that begins anywhere, so that many gateways
// which start together do not all begin with the same origin (M-POL-02).
func newRoundRobinAnywhere(members []Member, decode func(into any) error) (Balancer, error) {
	b, err := newRoundRobin(members, decode)
	if err == nil && len(members) > 0 {
		b.(*roundRobin).begin(anyChance, len(members))
	}
	return b, err
}

// begin gives the turn to one of n.
func (r *roundRobin) begin(draw chance, n int) { r.turn.Store(uint64(draw(n))) }

// Pick implements [Balancer]. A pick that another one overtook looks again, so
// that no turn is given twice.
func (r *roundRobin) Pick(cs []Candidate, _ uint64) int {
	for {
		turn := r.turn.Load()
		i := usableFrom(cs, turn)
		if i < 0 || r.turn.CompareAndSwap(turn, uint64(i)+1) {
			return i
		}
	}
}

// Peek implements [Balancer].
func (r *roundRobin) Peek(cs []Candidate, _ uint64) (int, bool) {
	return usableFrom(cs, r.turn.Load()), true
}

// usableFrom returns the first usable candidate at or after the one whose turn it
// is, going on at the front; -1 when there is none.
func usableFrom(cs []Candidate, turn uint64) int {
	start := startAt(turn, cs)
	for i := start; i < len(cs); i++ {
		if cs[i].Usable {
			return i
		}
	}
	for i := range start {
		if cs[i].Usable {
			return i
		}
	}
	return -1
}
