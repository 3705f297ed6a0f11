package route

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"weirkeep/rules"
)

// A ruleIndex finds the rules that may match a request, by what their conditions
// require: rules for other hosts, paths and methods are not even looked at. Rules
// are known by their position.
type ruleIndex struct {
	any    *pathTree            // rules for every host
	byHost map[string]*pathTree // rules for some hosts only
	all    []rules.Requires
}

// pathTree has the rules that require a path, or the beginning of one, by that
// text: sorted, so that those which fit a path are found from the longest down.
type pathTree struct {
	nodes []pathNode
}

// pathNode is the rules that require one text.
type pathNode struct {
	text   string
	parent int       // index of the longest other text that this one begins with; -1: none
	prefix []indexed // for paths that begin with it
	whole  []indexed // for the path that it is
}

// indexed is one rule.
type indexed struct {
	position int
	methods  []string // nil: any
}

func newRuleIndex(all []rules.Requires) *ruleIndex {
	x := &ruleIndex{byHost: make(map[string]*pathTree), all: all}
	everywhere, hosts := []int{}, make(map[string][]int)
	for i, r := range all {
		if r.Hosts == nil {
			everywhere = append(everywhere, i)
		}
		for _, h := range r.Hosts {
			hosts[h] = append(hosts[h], i)
		}
	}
	x.any = newPathTree(all, everywhere)
	for h, positions := range hosts {
		x.byHost[h] = newPathTree(all, positions)
	}
	return x
}

func newPathTree(all []rules.Requires, positions []int) *pathTree {
	byText := make(map[string]*pathNode)
	for _, i := range positions {
		r := all[i]
		n := byText[r.Path]
		if n == nil {
			n = &pathNode{text: r.Path, parent: -1}
			byText[r.Path] = n
		}
		entry := indexed{i, r.Methods}
		if r.PathIs {
			n.whole = append(n.whole, entry)
		} else {
			n.prefix = append(n.prefix, entry)
		}
	}
	t := &pathTree{}
	for _, n := range byText {
		t.nodes = append(t.nodes, *n)
	}
	slices.SortFunc(t.nodes, func(a, b pathNode) int { return strings.Compare(a.text, b.text) })
	t.adopt()
	return t
}

// adopt links each node to the longest other one that its text begins with.
func (t *pathTree) adopt() {
	var ancestors []int
	for i := range t.nodes {
		for len(ancestors) > 0 && !strings.HasPrefix(t.nodes[i].text, t.nodes[ancestors[len(ancestors)-1]].text) {
			ancestors = ancestors[:len(ancestors)-1]
		}
		if len(ancestors) > 0 {
			t.nodes[i].parent = ancestors[len(ancestors)-1]
		}
		ancestors = append(ancestors, i)
	}
}

// deepest is the node with the longest text that the path begins with; -1: none.
// It is the last one that does not sort after the path, or one of its ancestors.
func (t *pathTree) deepest(path []byte) int {
	i := sort.Search(len(t.nodes), func(i int) bool { return t.nodes[i].text > string(path) }) - 1
	for i >= 0 && (len(t.nodes[i].text) > len(path) || t.nodes[i].text != string(path[:len(t.nodes[i].text)])) {
		i = t.nodes[i].parent
	}
	return i
}

// cursorLists is how many lists of rules a cursor merges; a path with more texts
// that it begins with is looked up rule by rule.
const cursorLists = 16

// A ruleCursor goes over the candidates of one request.
type ruleCursor struct {
	lists  [cursorLists][]indexed
	n      int
	linear int // position to go on with when there are too many lists; -1: there are not
	method []byte
	r      *Request
}

// begin readies a cursor for a request.
func (x *ruleIndex) begin(c *ruleCursor, r *Request) {
	c.n, c.linear, c.method, c.r = 0, -1, r.Method, r
	c.collect(x.any, r.Path)
	if len(x.byHost) > 0 {
		if t := x.byHost[string(r.Host)]; t != nil {
			c.collect(t, r.Path)
		}
	}
}

// collect notes the lists of a tree that fit a path.
func (c *ruleCursor) collect(t *pathTree, path []byte) {
	for i := t.deepest(path); i >= 0; i = t.nodes[i].parent {
		n := &t.nodes[i]
		if len(n.text) == len(path) {
			c.add(n.whole)
		}
		c.add(n.prefix)
	}
}

func (c *ruleCursor) add(list []indexed) {
	switch {
	case len(list) == 0 || c.linear >= 0:
	case c.n == cursorLists:
		c.linear = 0
	default:
		c.lists[c.n] = list
		c.n++
	}
}

// next returns the position of the next candidate, in order.
func (x *ruleIndex) next(c *ruleCursor) (position int, ok bool) {
	if c.linear >= 0 {
		return x.nextLinear(c)
	}
	for {
		first := -1
		for i := range c.lists[:c.n] {
			if l := c.lists[i]; len(l) > 0 && (first < 0 || l[0].position < c.lists[first][0].position) {
				first = i
			}
		}
		if first < 0 {
			return 0, false
		}
		rule := &c.lists[first][0]
		c.lists[first] = c.lists[first][1:]
		if hasMethod(rule.methods, c.method) {
			return rule.position, true
		}
	}
}

func (x *ruleIndex) nextLinear(c *ruleCursor) (position int, ok bool) {
	for c.linear < len(x.all) {
		position = c.linear
		c.linear++
		if fits(&x.all[position], c.r) {
			return position, true
		}
	}
	return 0, false
}

// fits reports whether what a rule requires holds of a request.
func fits(q *rules.Requires, r *Request) bool {
	return hasMethod(q.Methods, r.Method) && hasHost(q.Hosts, r.Host) && fitsPath(q, r.Path)
}

func hasMethod(methods []string, method []byte) bool { return methods == nil || has(methods, method) }

func hasHost(hosts []string, host []byte) bool { return hosts == nil || has(hosts, host) }

func has(all []string, b []byte) bool {
	for _, s := range all {
		if s == string(b) {
			return true
		}
	}
	return false
}

func fitsPath(q *rules.Requires, path []byte) bool {
	n := len(q.Path)
	return len(path) >= n && string(path[:n]) == q.Path && (!q.PathIs || len(path) == n)
}

// skipReason says what of a rule's requirements does not hold, in words.
func skipReason(q rules.Requires, r *Request) string {
	switch {
	case !hasHost(q.Hosts, r.Host):
		return "only for host " + strings.Join(q.Hosts, ", ")
	case !fitsPath(&q, r.Path) && q.PathIs:
		return fmt.Sprintf("only for path %s", q.Path)
	case !fitsPath(&q, r.Path):
		return fmt.Sprintf("only for paths that begin with %s", q.Path)
	}
	return "only for " + strings.Join(q.Methods, ", ")
}
