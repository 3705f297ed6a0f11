package balance

// What tables may cost. A step is one comparison of two weights, about 1 ns.
const (
	tableSlots  = 64      // sets that have a table at a time
	firstCredit = 1 << 16 // steps that a new group may spend on tables
	missCredit  = 1 << 8  // steps that a pick without a table earns
	mostCredit  = 1 << 20 // steps that one table may take: 100 origins with weights up to 100
)

// table is the order of turns of one set of weights and usable members. It is never
// changed.
type table struct {
	set   uint64
	parts []tablePart
	steps []step // of one round
}

type tablePart struct {
	weight  uint64 // turns it has in a round
	members []int  // usable ones
}

// step is a turn in a round.
type step struct {
	part int32
	nth  int32 // turn of the part, in the round
}

// member is the one whose turn a position is: the members of a part take its turns
// one after the other, round after round.
func (t *table) member(position uint64) int {
	round := position / uint64(len(t.steps))
	at := t.steps[position-round*uint64(len(t.steps))]
	p := &t.parts[at.part]
	if len(p.members) == 1 {
		return p.members[0]
	}
	return p.members[(round*p.weight+uint64(at.nth))%uint64(len(p.members))]
}

// tableOf is the table of a set; nil: there is none.
func (s *shares) tableOf(set uint64) *table {
	if t := s.tables[set>>(64-6)].Load(); t != nil && t.set == set {
		return t
	}
	return nil
}

// earn makes the table of a set that has none, once enough picks have gone without
// one to pay for it. Small tables are made at once.
func (s *shares) earn(cs []Candidate) *table {
	if s.credit.Add(missCredit) > mostCredit {
		s.credit.Store(mostCredit)
	}
	return s.afford(cs)
}

// afford makes the table of a set if there is credit for it, and keeps it in place
// of another.
func (s *shares) afford(cs []Candidate) *table {
	price := s.price(cs)
	if s.credit.Load() < price {
		return nil
	}
	s.credit.Add(-price)
	t := s.build(cs)
	s.tables[t.set>>(64-6)].Store(t)
	return t
}

// price is how many steps a table takes.
func (s *shares) price(cs []Candidate) int64 {
	total, divisor, parts := 0, 0, 0
	for p := range s.parts {
		if s.parts[p].usable(cs) > 0 {
			w := s.parts[p].weightNow()
			parts, total = parts+1, total+w
			divisor = gcd(divisor, w)
		}
	}
	if total == 0 {
		total, divisor = parts, 1
	}
	return int64(total/divisor) * int64(parts)
}

// build makes the table of the usable members. Each weight is read once: the
// signature is that of those it was made from.
func (s *shares) build(cs []Candidate) *table {
	t, total, divisor := &table{}, 0, 0
	var weights []int
	for p := range s.parts {
		open := s.parts[p].open(cs)
		if len(open) == 0 {
			continue
		}
		w := s.parts[p].weightNow()
		t.set += s.signature(open, w)
		t.parts = append(t.parts, tablePart{members: open})
		weights, total, divisor = append(weights, w), total+w, gcd(divisor, w)
	}
	if total == 0 {
		divisor = 1
	}
	for p := range weights {
		if weights[p] /= divisor; total == 0 {
			weights[p] = 1 // all say that they are busy: in turn (M-MET-11)
		}
		t.parts[p].weight = uint64(weights[p])
	}
	t.steps = smooth(weights)
	return t
}

// signature is what members of a part with a weight add to that of the set.
func (s *shares) signature(members []int, weight int) (sum uint64) {
	for _, i := range members {
		if m := &s.members[i]; m.live == nil {
			sum += m.key
		} else {
			sum += m.key * uint64(weight+1)
		}
	}
	return sum
}

// smooth is a round of turns: in each step every part gains its weight, and the
// first that has most takes the turn and pays the sum of all.
func smooth(weights []int) (steps []step) {
	total := 0
	for _, w := range weights {
		total += w
	}
	steps = make([]step, 0, total)
	gained, taken := make([]int, len(weights)), make([]int32, len(weights))
	for range total {
		first := 0
		for p, w := range weights {
			if gained[p] += w; gained[p] > gained[first] {
				first = p
			}
		}
		gained[first] -= total
		steps = append(steps, step{int32(first), taken[first]})
		taken[first]++
	}
	return steps
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
