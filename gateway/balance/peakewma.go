package balance

// peakEWMA draws two origins and takes the one that will probably answer first:
// what it has in hand, and the new one, times how long an answer takes it. That is a
// moving average which follows a longer time at once and a shorter one slowly, so
// that an origin that begins to stumble is avoided before it falls.
type peakEWMA struct {
	draw  chance
	lives []*Live
}

const aboutPeakEWMA = `Two of the origins that have room are drawn, and the request goes to the one that will probably answer first: (load + 1)
times how long it takes to answer. That is a moving average over 10 s of the time to the head of an answer, which a slow
one raises at once; a failure counts as an answer after 1 s at least. One of which nothing is known is tried first. It is
for origins whose speed differs or changes, and whose answers take about as long for every request. It has no options.`

func newPeakEWMA(members []Member, decode func(into any) error) (Balancer, error) {
	if err := decode(&struct{}{}); err != nil {
		return nil, err
	}
	p := &peakEWMA{draw: anyChance}
	for i := range members {
		p.lives = append(p.lives, members[i].Live)
	}
	return p, nil
}

// Pick implements [Balancer].
func (p *peakEWMA) Pick(cs []Candidate, _ uint64) int {
	i, j := p.draw.two(cs)
	if i != j && p.sooner(cs, j, i) {
		return j
	}
	return i
}

// Peek implements [Balancer]: with more than one choice, nobody knows.
func (p *peakEWMA) Peek(cs []Candidate, _ uint64) (int, bool) { return firstUsable(cs) }

// sooner reports whether origin i will answer before j. A reading loses weight as
// time passes: what was slow some time ago has to be tried again to know. Both lose as
// much from now on, so no clock is needed: the one that was read earlier has lost what
// it loses up to the later.
func (p *peakEWMA) sooner(cs []Candidate, i, j int) bool {
	a, b := p.lives[i].reading(), p.lives[j].reading()
	if a == 0 || b == 0 {
		return untried(a, b, cs[i].Load, cs[j].Load)
	}
	x, y := float64(a.micros())*float64(cs[i].Load+1), float64(b.micros())*float64(cs[j].Load+1)
	if at := uint32(b); a.age(at) > 0 {
		return x*a.weight(at) < y
	}
	return x < y*b.weight(uint32(a))
}

// untried reports whether i goes before j where one of them was never read: that one
// does, unless it has as much in hand and has not answered any yet.
func untried(a, b reading, loadI, loadJ int64) bool {
	switch {
	case a == 0 && b == 0:
		return loadI < loadJ
	case a == 0:
		return loadI < max(loadJ, 1)
	}
	return loadJ >= max(loadI, 1)
}
