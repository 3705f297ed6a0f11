package route

import (
	"fmt"
	"sort"
	"strings"

	"weirkeep/rules"
)

// A ruleIndex finds the rules that may match a request, by what their conditions
// require: rules for other hosts, paths and methods are not even looked at, and so
// cost nothing, however many they are. Rules are known by their position.
type ruleIndex struct {
	any    *pathNode            // rules for every host
	byHost map[string]*pathNode // rules for some hosts only
}

// A pathNode is a place in a tree of the texts that paths begin with. Who walks
// down a path comes by every rule that it fits, and by no other.
type pathNode struct {
	text     string // leads here from the node above; empty only at the root
	firsts   string // the first byte of each child's text; no two are the same
	children []*pathNode
	prefix   byMethod // rules for the paths that come by here
	whole    byMethod // rules for the path that ends here
}

// byMethod is positions of rules; each list ascends.
type byMethod struct {
	any []int
	of  map[string][]int // rules for some methods only; nil: there are none
}

func newRuleIndex(all []rules.Requires) *ruleIndex {
	x := &ruleIndex{any: new(pathNode), byHost: make(map[string]*pathNode)}
	for i := range all {
		if all[i].Hosts == nil {
			x.any.seat(i, &all[i])
		}
		for _, h := range all[i].Hosts {
			if x.byHost[h] == nil {
				x.byHost[h] = new(pathNode)
			}
			x.byHost[h].seat(i, &all[i])
		}
	}
	return x
}

// seat adds the rule at a position that is not below those seated before.
func (n *pathNode) seat(position int, q *rules.Requires) {
	n = n.at(q.Path)
	seats := &n.prefix
	if q.PathIs {
		seats = &n.whole
	}
	if q.Methods == nil {
		seats.any = withLast(seats.any, position)
	}
	for _, m := range q.Methods {
		if seats.of == nil {
			seats.of = make(map[string][]int)
		}
		seats.of[m] = withLast(seats.of[m], position)
	}
}

// withLast adds a position unless it is the last one already, as that of a rule
// that names a host or a method twice is.
func withLast(list []int, position int) []int {
	if n := len(list); n > 0 && list[n-1] == position {
		return list
	}
	return append(list, position)
}

// at is the node below this one that a text leads to. It is made if need be.
func (n *pathNode) at(text string) *pathNode {
	if text == "" {
		return n
	}
	i := strings.IndexByte(n.firsts, text[0])
	if i < 0 {
		child := &pathNode{text: text}
		n.firsts, n.children = n.firsts+text[:1], append(n.children, child)
		return child
	}
	shared := sharedLength(n.children[i].text, text)
	if shared < len(n.children[i].text) {
		n.children[i] = n.children[i].split(shared)
	}
	return n.children[i].at(text[shared:])
}

// split puts a node above this one, to which a part of its text leads.
func (n *pathNode) split(at int) *pathNode {
	above := &pathNode{text: n.text[:at], firsts: n.text[at : at+1], children: []*pathNode{n}}
	n.text = n.text[at:]
	return above
}

func sharedLength(a, b string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// down is the next node on the way down a path, and what of the path is left
// there; nil: the way ends here.
func (n *pathNode) down(path []byte) (*pathNode, []byte) {
	if len(path) == 0 {
		return nil, nil
	}
	i := strings.IndexByte(n.firsts, path[0])
	if i < 0 {
		return nil, nil
	}
	child := n.children[i]
	if k := len(child.text); len(path) >= k && string(path[:k]) == child.text {
		return child, path[k:]
	}
	return nil, nil
}

// cursorLists is how many lists of rules a cursor merges. A request that comes by
// more is sent down its path once more for every candidate.
const cursorLists = 16

// A ruleCursor goes over the candidates of one request.
type ruleCursor struct {
	lists [cursorLists][]int // what is left of those that the request comes by
	n     int
	many  bool // there are more lists than that: they are not used
	last  int  // position that was given last, if there are many; -1: none
	r     *Request
}

// begin readies a cursor for a request.
func (x *ruleIndex) begin(c *ruleCursor, r *Request) {
	c.n, c.many, c.last, c.r = 0, false, -1, r
	for _, root := range x.roots(r) {
		for n, rest := root, r.Path; n != nil; n, rest = n.down(rest) {
			c.add(&n.prefix)
			if len(rest) == 0 {
				c.add(&n.whole)
			}
		}
	}
}

// roots are the trees that a request goes down; one may be nil.
func (x *ruleIndex) roots(r *Request) [2]*pathNode {
	return [2]*pathNode{x.any, x.byHost[string(r.Host)]}
}

func (c *ruleCursor) add(m *byMethod) {
	c.addList(m.any)
	if m.of != nil {
		c.addList(m.of[string(c.r.Method)])
	}
}

func (c *ruleCursor) addList(list []int) {
	switch {
	case len(list) == 0:
	case c.n == cursorLists:
		c.many = true
	default:
		c.lists[c.n] = list
		c.n++
	}
}

// next returns the position of the next candidate, in order.
func (x *ruleIndex) next(c *ruleCursor) (position int, ok bool) {
	if c.many {
		return x.nextOfMany(c)
	}
	first := -1
	for i, l := range c.lists[:c.n] {
		if len(l) > 0 && (first < 0 || l[0] < c.lists[first][0]) {
			first = i
		}
	}
	if first < 0 {
		return 0, false
	}
	position = c.lists[first][0]
	c.lists[first] = c.lists[first][1:]
	return position, true
}

// nextOfMany looks for the lowest position after the last one.
func (x *ruleIndex) nextOfMany(c *ruleCursor) (position int, ok bool) {
	next := nextPosition{after: c.last}
	for _, root := range x.roots(c.r) {
		for n, rest := root, c.r.Path; n != nil; n, rest = n.down(rest) {
			next.in(&n.prefix, c.r.Method)
			if len(rest) == 0 {
				next.in(&n.whole, c.r.Method)
			}
		}
	}
	if next.found {
		c.last = next.position
	}
	return next.position, next.found
}

// nextPosition is the lowest of some positions after one.
type nextPosition struct {
	after, position int
	found           bool
}

func (p *nextPosition) in(m *byMethod, method []byte) {
	p.inList(m.any)
	if m.of != nil {
		p.inList(m.of[string(method)])
	}
}

func (p *nextPosition) inList(list []int) {
	i := sort.SearchInts(list, p.after+1)
	if i < len(list) && (!p.found || list[i] < p.position) {
		p.position, p.found = list[i], true
	}
}

// skipReason says what of a rule's requirements does not hold, in words.
func skipReason(q rules.Requires, r *Request) string {
	switch {
	case q.Hosts != nil && !has(q.Hosts, r.Host):
		return "only for host " + strings.Join(q.Hosts, ", ")
	case q.PathIs && string(r.Path) != q.Path:
		return fmt.Sprintf("only for path %s", q.Path)
	case !strings.HasPrefix(string(r.Path), q.Path):
		return fmt.Sprintf("only for paths that begin with %s", q.Path)
	}
	return "only for " + strings.Join(q.Methods, ", ")
}

func has(all []string, b []byte) bool {
	for _, s := range all {
		if s == string(b) {
			return true
		}
	}
	return false
}
