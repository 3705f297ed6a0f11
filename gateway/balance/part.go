package balance

// part is what has a weight, with the indexes of its members.
type part struct {
	weight  int
	live    *Live // whose metric is the weight; nil: weight is
	members []int
}

// hostParts are the hosts of members, in the order in which they come first.
func hostParts(members []Member) (parts []part) {
	known := make(map[string]int)
	for i, m := range members {
		p, there := known[m.Host]
		if !there {
			p = len(parts)
			known[m.Host] = p
			parts = append(parts, part{weight: m.HostWeight})
		}
		parts[p].members = append(parts[p].members, i)
	}
	return parts
}

// weightIn is the weight of the part; 0 where none of its members is usable.
func (p *part) weightIn(cs []Candidate) int {
	for _, i := range p.members {
		if cs[i].Usable {
			return p.weightNow()
		}
	}
	return 0
}

func (p *part) weightNow() int {
	if p.live != nil {
		return p.live.Metric()
	}
	return p.weight
}

// usable is how many of its members are.
func (p *part) usable(cs []Candidate) (n int) {
	for _, i := range p.members {
		if cs[i].Usable {
			n++
		}
	}
	return n
}

// nth is the usable member of the part before which n others stand.
func (p *part) nth(cs []Candidate, n int) int {
	for _, i := range p.members {
		if cs[i].Usable {
			if n--; n < 0 {
				return i
			}
		}
	}
	return -1
}

// open are the usable members of the part.
func (p *part) open(cs []Candidate) (open []int) {
	for _, i := range p.members {
		if cs[i].Usable {
			open = append(open, i)
		}
	}
	return open
}
