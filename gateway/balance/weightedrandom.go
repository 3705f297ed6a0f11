package balance

// weightedRandom draws a host by its weight, and then one of the members on it
// (M-POL-06).
type weightedRandom struct {
	hosts []part
	total int // of all weights
	draw  chance
}

const aboutWeightedRandom = `A host is drawn by its weight (hosts.NAME.weight, 1 unless written), and then one of its origins that have room, each with
the same chance. It evens out over many requests only, and does not look at how busy an origin is. It has no options.`

func newWeightedRandom(members []Member, decode func(into any) error) (Balancer, error) {
	if err := decode(&struct{}{}); err != nil {
		return nil, err
	}
	w := &weightedRandom{hosts: hostParts(members), draw: anyChance}
	for _, h := range w.hosts {
		w.total += h.weight
	}
	return w, nil
}

// Pick implements [Balancer]. Mostly all hosts have somebody usable, so it draws
// from all a few times before it counts.
func (w *weightedRandom) Pick(cs []Candidate, _ uint64) int {
	for range min(draws, len(w.hosts)) {
		h := w.host(w.draw(w.total))
		if n := h.usable(cs); n > 0 {
			return h.nth(cs, w.draw(n))
		}
	}
	total := 0
	for h := range w.hosts {
		total += w.hosts[h].weightIn(cs)
	}
	if total == 0 {
		return -1
	}
	h := w.usableHost(cs, w.draw(total))
	return h.nth(cs, w.draw(h.usable(cs)))
}

// Peek implements [Balancer]: with more than one choice, nobody knows.
func (w *weightedRandom) Peek(cs []Candidate, _ uint64) (int, bool) { return firstUsable(cs) }

// host is the one in whose weight a number falls, of all weights in a row.
func (w *weightedRandom) host(n int) *part {
	h := 0
	for n >= w.hosts[h].weight {
		n -= w.hosts[h].weight
		h++
	}
	return &w.hosts[h]
}

// usableHost is the same of the hosts that have somebody usable.
func (w *weightedRandom) usableHost(cs []Candidate, n int) *part {
	h := 0
	for n >= w.hosts[h].weightIn(cs) {
		n -= w.hosts[h].weightIn(cs)
		h++
	}
	return &w.hosts[h]
}
