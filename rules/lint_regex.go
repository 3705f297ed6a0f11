package rules

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// patternDoubts finds regular expressions that something cheaper could stand for,
// and those of hosts that fit more than they seem to.
func patternDoubts(source string, root ast.Node) []*Error {
	v := &patterns{source: source}
	ast.Walk(&root, v)
	return v.found
}

type patterns struct {
	source string
	found  []*Error
}

// Visit implements ast.Visitor.
func (v *patterns) Visit(n *ast.Node) {
	b, ok := (*n).(*ast.BinaryNode)
	if !ok || b.Operator != "matches" {
		return
	}
	text, ok := b.Right.(*ast.StringNode)
	if !ok {
		return
	}
	re, err := syntax.Parse(text.Value, syntax.Perl)
	if err != nil {
		return
	}
	before := len(v.found)
	if subject := subjectOf(b.Left); subject == "host" || subject == "tls.sni" || subject == `(call header "host")` {
		v.host(b.Right, re)
	}
	if len(v.found) > before {
		return // what is cheaper would be as wrong
	}
	if cheaper := simpler(printer{[]rune(v.source)}.as(b.Left, bindsName), re); cheaper != "" {
		v.add(b.Right, CodeRegex, fmt.Sprintf("matches costs %d, and something cheaper does the same", matchesCost), "write "+cheaper)
	}
}

func (v *patterns) add(n ast.Node, code, message, hint string) {
	v.found = append(v.found, doubt(v.source, n, code, message, hint))
}

// host finds what is wrong with a pattern of hosts.
func (v *patterns) host(n ast.Node, re *syntax.Regexp) {
	if edge(re, false) {
		v.add(n, CodeUnanchored, "the pattern fits every host that ends so: others' hosts, too", "begin it with ^, or with (^|\\.) if subdomains are meant")
	}
	if edge(re, true) {
		v.add(n, CodeUnanchored, "the pattern fits every host that goes on after it: others' hosts, too", "end it with $")
	}
	if loneDot(re) {
		v.add(n, CodeDot, "the dot in the pattern stands for any character", `write \. for a dot, in quotes \\.`)
	}
}

// edge reports whether an expression begins, or ends, with letters that others may
// stand before, or behind. A dot there is the edge of a label, and no mistake.
func edge(re *syntax.Regexp, end bool) bool {
	switch re.Op {
	case syntax.OpLiteral:
		return edgeOf(re.Rune, end) != '.'
	case syntax.OpCapture:
		return edge(re.Sub[0], end)
	case syntax.OpConcat:
		return edge(edgeOf(re.Sub, end), end)
	case syntax.OpAlternate:
		return slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return edge(sub, end) })
	}
	return false
}

// edgeOf is the first or the last of a list.
func edgeOf[T any](list []T, last bool) T {
	if last {
		return list[len(list)-1]
	}
	return list[0]
}

// loneDot reports whether there is a dot that is not repeated.
func loneDot(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return true
	case syntax.OpConcat, syntax.OpAlternate, syntax.OpCapture:
		return slices.ContainsFunc(re.Sub, loneDot)
	}
	return false
}

// simpler is a condition on a value that does the same as an expression; empty:
// none is known.
func simpler(left string, re *syntax.Regexp) string {
	parts := partsOf(re)
	from, to := op(parts, 0) == syntax.OpBeginText, op(parts, len(parts)-1) == syntax.OpEndText
	parts = trimOps(parts, syntax.OpBeginText, syntax.OpEndText)
	words := wordsOf(parts)
	switch {
	case len(words) > 1 && from && to:
		return left + " in [" + strings.Join(quotedAll(words), ", ") + "]"
	case len(words) == 1 && words[0] != "":
		return left + " " + comparisonOf(from, to) + " " + strconv.Quote(words[0])
	}
	return globOf(left, parts, from, to)
}

// partsOf are the parts of a concatenation.
func partsOf(re *syntax.Regexp) []*syntax.Regexp {
	switch re.Op {
	case syntax.OpConcat:
		return re.Sub
	case syntax.OpCapture:
		return partsOf(re.Sub[0])
	}
	return []*syntax.Regexp{re}
}

func op(parts []*syntax.Regexp, i int) syntax.Op {
	if i < 0 || i >= len(parts) {
		return syntax.OpNoMatch
	}
	return parts[i].Op
}

func trimOps(parts []*syntax.Regexp, first, last syntax.Op) []*syntax.Regexp {
	if op(parts, 0) == first {
		parts = parts[1:]
	}
	if op(parts, len(parts)-1) == last {
		parts = parts[:len(parts)-1]
	}
	return parts
}

func comparisonOf(from, to bool) string {
	switch {
	case from && to:
		return "=="
	case from:
		return "startsWith"
	case to:
		return "endsWith"
	}
	return "contains"
}

func quotedAll(words []string) (all []string) {
	for _, w := range words {
		all = append(all, strconv.Quote(w))
	}
	return all
}

// maxWords bounds the words that are written in place of an expression.
const maxWords = 16

// wordsOf are the texts that a concatenation fits; nil: too many.
func wordsOf(parts []*syntax.Regexp) []string {
	words := []string{""}
	for _, part := range parts {
		ends := wordsOfPart(part)
		if len(ends)*len(words) > maxWords {
			return nil
		}
		var longer []string
		for _, w := range words {
			for _, end := range ends {
				longer = append(longer, w+end)
			}
		}
		words = longer
	}
	return words
}

func wordsOfPart(re *syntax.Regexp) (words []string) {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return []string{string(re.Rune)}
		}
	case syntax.OpEmptyMatch:
		return []string{""}
	case syntax.OpConcat:
		return wordsOf(re.Sub)
	case syntax.OpCapture:
		return wordsOfPart(re.Sub[0])
	case syntax.OpAlternate:
		return wordsOfAny(re.Sub)
	case syntax.OpCharClass:
		return wordsOfClass(re.Rune)
	}
	return nil
}

func wordsOfAny(alternatives []*syntax.Regexp) (words []string) {
	for _, sub := range alternatives {
		w := wordsOfPart(sub)
		if w == nil {
			return nil
		}
		words = append(words, w...)
	}
	return words
}

func wordsOfClass(ranges []rune) (words []string) {
	for i := 0; i < len(ranges); i += 2 {
		if ranges[i+1]-ranges[i] > maxWords {
			return nil
		}
		for c := ranges[i]; c <= ranges[i+1]; c++ {
			words = append(words, string(c))
		}
	}
	return words
}

// globOf is a glob, or a comparison with the text beside .*, that does the same.
func globOf(left string, parts []*syntax.Regexp, from, to bool) string {
	if op(parts, 0) == syntax.OpStar && isAny(parts[0]) {
		from, parts = false, parts[1:]
	}
	if last := len(parts) - 1; op(parts, last) == syntax.OpStar && isAny(parts[last]) {
		to, parts = false, parts[:last]
	}
	if words := wordsOf(parts); len(words) == 1 && words[0] != "" {
		return left + " " + comparisonOf(from, to) + " " + strconv.Quote(words[0])
	}
	pattern, ok := globText(parts)
	if !ok {
		return ""
	}
	if !from {
		pattern = "**" + pattern
	}
	if !to {
		pattern += "**"
	}
	return "glob(" + left + ", " + strconv.Quote(pattern) + ")"
}

// globText is a concatenation as a glob.
func globText(parts []*syntax.Regexp) (pattern string, ok bool) {
	wild := false
	for _, part := range parts {
		switch {
		case part.Op == syntax.OpLiteral && part.Flags&syntax.FoldCase == 0 && !strings.ContainsAny(string(part.Rune), `*?{},\`):
			pattern += string(part.Rune)
		case part.Op == syntax.OpStar && isAny(part):
			pattern, wild = pattern+"**", true
		case part.Op == syntax.OpStar && isSegment(part.Sub[0]):
			pattern, wild = pattern+"*", true
		default:
			return "", false
		}
	}
	return pattern, wild && !strings.Contains(pattern, "***")
}

// isAny reports whether it is .*
func isAny(re *syntax.Regexp) bool {
	return re.Sub[0].Op == syntax.OpAnyCharNotNL || re.Sub[0].Op == syntax.OpAnyChar
}

// isSegment reports whether it is [^/].
func isSegment(re *syntax.Regexp) bool {
	return re.Op == syntax.OpCharClass && slices.Equal(re.Rune, []rune{0, '/' - 1, '/' + 1, 0x10ffff})
}

// fitsAll reports whether an expression fits every text, or every one of one line.
func fitsAll(text string) (all, line bool) {
	re, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return false, false
	}
	parts := partsOf(re)
	from, to := op(parts, 0) == syntax.OpBeginText, op(parts, len(parts)-1) == syntax.OpEndText
	parts = trimOps(parts, syntax.OpBeginText, syntax.OpEndText)
	if slices.ContainsFunc(parts, func(p *syntax.Regexp) bool { return !fitsNothing(p) }) {
		return false, false
	}
	return !from || !to, slices.ContainsFunc(parts, isLine)
}

// isLine reports whether an expression is .* or that in brackets.
func isLine(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpCapture:
		return isLine(re.Sub[0])
	case syntax.OpStar:
		return isAny(re)
	}
	return false
}

// fitsNothing reports whether an expression fits the empty text wherever it stands.
func fitsNothing(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpStar, syntax.OpQuest, syntax.OpEmptyMatch:
		return true
	case syntax.OpCapture, syntax.OpPlus:
		return fitsNothing(re.Sub[0])
	}
	return false
}
