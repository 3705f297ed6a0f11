package balance

import "sync/atomic"

// leastLoad takes the origin with the fewest slots in use, whatever the
// capacities. Where that is equal it takes them in turn, beginning with the first;
// the turn stands after the origin that was chosen last.
type leastLoad struct {
	turn atomic.Uint64 // index of the origin whose turn it is; may be past the end
}

const aboutLeastLoad = `A request goes to the origin that has the fewest in hand; where that is equal, they are taken in turn. Capacities bound
what each gets, and decide nothing: for origins of different size, capacity is the right one. It has no options.`

func newLeastLoad(_ []Member, decode func(into any) error) (Balancer, error) {
	if err := decode(&struct{}{}); err != nil {
		return nil, err
	}
	return &leastLoad{}, nil
}

// Pick implements [Balancer]. A pick that another one overtook looks again, so
// that no turn is given twice.
func (l *leastLoad) Pick(cs []Candidate, _ uint64) int {
	for {
		turn := l.turn.Load()
		i := leastLoaded(cs, turn)
		if i < 0 || l.turn.CompareAndSwap(turn, uint64(i)+1) {
			return i
		}
	}
}

// Peek implements [Balancer].
func (l *leastLoad) Peek(cs []Candidate, _ uint64) (int, bool) {
	return leastLoaded(cs, l.turn.Load()), true
}

// leastLoaded goes round once from the origin whose turn it is, so that the first
// of several best is the one in turn; -1 when none is usable.
func leastLoaded(cs []Candidate, turn uint64) int {
	best, i := -1, startAt(turn, cs)
	for range cs {
		if cs[i].Usable && (best < 0 || cs[i].Load < cs[best].Load) {
			best = i
		}
		if i++; i == len(cs) {
			i = 0
		}
	}
	return best
}

// startAt is the index at which a turn stands.
func startAt(turn uint64, cs []Candidate) int {
	if turn >= uint64(len(cs)) {
		return 0
	}
	return int(turn)
}
