package rules

import (
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// A numberSet is the whole numbers that a condition is true of.
type numberSet struct {
	words     []int // nil: all from low to high
	low, high int
}

// numbersOf is what a comparison with a constant is true of; nil: it is no number.
func numbersOf(operator string, n ast.Node) *numberSet {
	if operator == "in" {
		return listOf(n)
	}
	k, ok := wholeOf(n)
	if !ok {
		return nil
	}
	switch operator {
	case "==":
		return &numberSet{words: []int{k}}
	case "<":
		return &numberSet{low: math.MinInt, high: k - 1}
	case "<=":
		return &numberSet{low: math.MinInt, high: k}
	case ">":
		return &numberSet{low: k + 1, high: math.MaxInt}
	case ">=":
		return &numberSet{low: k, high: math.MaxInt}
	}
	return nil
}

func listOf(n ast.Node) *numberSet {
	list, ok := n.(*ast.ArrayNode)
	if !ok || len(list.Nodes) == 0 {
		return nil
	}
	s := &numberSet{}
	for _, entry := range list.Nodes {
		k, ok := wholeOf(entry)
		if !ok {
			return nil
		}
		s.words = append(s.words, k)
	}
	return s
}

// wholeOf is a literal whole number that another can be added to.
func wholeOf(n ast.Node) (k int, ok bool) {
	switch n := n.(type) {
	case *ast.IntegerNode:
		return n.Value, n.Value < math.MaxInt
	case *ast.UnaryNode:
		if i, ok := n.Node.(*ast.IntegerNode); ok && n.Operator == "-" {
			return -i.Value, i.Value < math.MaxInt
		}
	}
	return 0, false
}

func (s *numberSet) has(k int) bool {
	if s.words != nil {
		return slices.Contains(s.words, k)
	}
	return s.low <= k && k <= s.high
}

func (s *numberSet) within(t *numberSet) bool {
	if s.words != nil {
		return !slices.ContainsFunc(s.words, func(k int) bool { return !t.has(k) })
	}
	return t.words == nil && t.low <= s.low && s.high <= t.high
}

func (s *numberSet) apart(t *numberSet) bool {
	switch {
	case s.words != nil:
		return !slices.ContainsFunc(s.words, t.has)
	case t.words != nil:
		return !slices.ContainsFunc(t.words, s.has)
	}
	return s.high < t.low || t.high < s.low
}

// value is never or always if the subject can be none of the numbers or no other.
func (s *numberSet) value(subject string) (kind, string) {
	least, most, ok := bounds(subject)
	if !ok {
		return atom, ""
	}
	domain := &numberSet{low: least, high: most}
	why := fmt.Sprintf("it is from %d to %d", least, most)
	if most == math.MaxInt {
		why = fmt.Sprintf("it is never below %d", least)
	}
	switch {
	case s.apart(domain):
		return never, why
	case domain.within(s):
		return always, why
	}
	return atom, ""
}

// bounds are the least and the greatest that a number can be.
func bounds(subject string) (least, most int, ok bool) {
	field := strings.TrimPrefix(subject, "now.")
	if strings.HasPrefix(subject, "(. (call tz ") {
		field = strings.Trim(subject[strings.LastIndexByte(subject, ' '):], ` ")`)
	}
	switch field {
	case "hour":
		return 0, 23, true
	case "minute":
		return 0, 59, true
	case "weekday":
		return 1, 7, true
	case "port", "client.port":
		return 0, math.MaxUint16, true
	case "request.size":
		return -1, math.MaxInt, true
	case "status":
		return 200, 999, true
	case "attempts":
		return 1, math.MaxInt, true
	}
	switch {
	case strings.HasPrefix(subject, "(call bucket "):
		return 0, 99, true
	case strings.HasPrefix(subject, "(call len "):
		return 0, math.MaxInt, true
	}
	return 0, 0, false
}

// An addressSet is the networks that a condition is true of.
type addressSet []netip.Prefix

// addressesOf is what a comparison with addresses is true of; nil: it is of others.
func addressesOf(operator string, n ast.Node) *addressSet {
	entries := []ast.Node{n}
	if list, ok := n.(*ast.ArrayNode); ok && operator == "in" {
		entries = list.Nodes
	} else if operator != "==" {
		return nil
	}
	var literals []ast.Node
	for _, entry := range entries {
		c, ok := entry.(*ast.CallNode)
		if !ok || calleeOf(c) != "ip" {
			return nil
		}
		literals = append(literals, c.Arguments...)
	}
	return networksOf(literals)
}

// networksOf are literal networks and addresses; nil: not all are.
func networksOf(literals []ast.Node) *addressSet {
	var all addressSet
	for i := range literals {
		text, ok := constant(literals, i)
		p, err := parseNetwork(text)
		if !ok || err != nil {
			return nil
		}
		all = append(all, p)
	}
	if all == nil {
		return nil
	}
	return &all
}

func (s *addressSet) within(t *addressSet) bool {
	return !slices.ContainsFunc(*s, func(p netip.Prefix) bool {
		return !slices.ContainsFunc(*t, func(q netip.Prefix) bool { return q.Bits() <= p.Bits() && q.Contains(p.Addr()) })
	})
}

func (s *addressSet) apart(t *addressSet) bool {
	return !slices.ContainsFunc(*s, func(p netip.Prefix) bool { return slices.ContainsFunc(*t, p.Overlaps) })
}
