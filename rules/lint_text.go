package rules

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// A textSet is the texts that a condition is true of.
type textSet struct {
	words []string          // nil: it is not finite
	has   func(string) bool // whether a text is in it

	// What all its texts have; if whole, what has them is in it.
	prefix, suffix, infix string
	whole                 bool

	all, line bool // every text is in it, or every one of one line
}

// textsOf is what a comparison with a constant is true of; nil: it is no text.
func textsOf(operator string, n ast.Node) *textSet {
	words := constants(n)
	if len(words) == 0 {
		return nil
	}
	text := words[0]
	switch operator {
	case "==", "in":
		return &textSet{words: words, has: func(s string) bool { return slices.Contains(words, s) }}
	case "startsWith":
		return &textSet{prefix: text, whole: true, has: func(s string) bool { return strings.HasPrefix(s, text) }}
	case "endsWith":
		return &textSet{suffix: text, whole: true, has: func(s string) bool { return strings.HasSuffix(s, text) }}
	case "contains":
		return &textSet{infix: text, whole: true, has: func(s string) bool { return strings.Contains(s, text) }}
	case "matches":
		if re, err := regexp.Compile(text); err == nil {
			all, line := fitsAll(text)
			return &textSet{prefix: regexPrefix(text), has: re.MatchString, all: all, line: line}
		}
	}
	return nil
}

// patternTexts is what a pattern of glob(), like() or ilike() fits.
func patternTexts(function, text string) *textSet {
	compile, wild, rest := newGlob, `*?{\`, "**"
	switch function {
	case "like":
		compile, wild, rest = like, `%_\`, "%"
	case "ilike":
		compile, wild, rest = ilike, text, "" // no letter stands for itself
	}
	p, err := compile(text)
	if err != nil {
		return nil
	}
	s := &textSet{has: func(s string) bool { return p.matches([]byte(s)) }}
	if function != "ilike" {
		s.prefix = upTo(text, wild)
		s.whole = text == s.prefix+rest
	}
	return s
}

// within reports whether every text of s is one of t.
func (s *textSet) within(t *textSet) bool {
	if s.words != nil {
		return !slices.ContainsFunc(s.words, func(w string) bool { return !t.has(w) })
	}
	return t.whole && strings.HasPrefix(s.prefix, t.prefix) && strings.HasSuffix(s.suffix, t.suffix) && s.holds(t.infix)
}

// holds reports whether every text of s contains an infix.
func (s *textSet) holds(infix string) bool {
	return strings.Contains(s.prefix, infix) || strings.Contains(s.suffix, infix) || strings.Contains(s.infix, infix)
}

// apart reports whether no text is in both.
func (s *textSet) apart(t *textSet) bool {
	switch {
	case s.words != nil:
		return !slices.ContainsFunc(s.words, t.has)
	case t.words != nil:
		return !slices.ContainsFunc(t.words, s.has)
	}
	return !strings.HasPrefix(s.prefix, t.prefix) && !strings.HasPrefix(t.prefix, s.prefix) ||
		!strings.HasSuffix(s.suffix, t.suffix) && !strings.HasSuffix(t.suffix, s.suffix)
}

// value is never if the subject cannot be any of the texts, or always if it must be.
func (s *textSet) value(subject string) (k kind, why string) {
	if s.whole && s.prefix+s.suffix+s.infix == "" {
		return always, "every text begins with, ends with and contains the empty one"
	}
	if s.all || s.line && slices.Contains(oneLine, subject) {
		return always, "the pattern fits every text"
	}
	cannot := impossible(subject)
	if cannot == nil {
		return atom, ""
	}
	if s.words == nil {
		return neverIf(cmp.Or(cannot(s.prefix, start), cannot(s.suffix, end), cannot(s.infix, middle)))
	}
	for _, w := range s.words {
		if why = cannot(w, entire); why == "" {
			return atom, ""
		}
	}
	return never, why
}

// oneLine are subjects that no line ends in.
var oneLine = []string{"method", "scheme", "host", "path", "raw_path", "query_string", "url"}

// neverIf is never if there is a reason.
func neverIf(why string) (kind, string) {
	if why == "" {
		return atom, ""
	}
	return never, why
}

// standardMethods are those whose lower case is a mistake.
var standardMethods = []string{"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"}

// methods finds methods in lower case, which are others.
func (v *facts) methods(n ast.Node, f *fact) {
	if f.subject != "method" || f.texts == nil {
		return
	}
	for _, w := range f.texts.words {
		if upper := strings.ToUpper(w); upper != w && slices.Contains(standardMethods, upper) {
			v.doubts = append(v.doubts, doubt(v.source, n, CodeMethod, fmt.Sprintf("%q is another method than %q: case matters", w, upper), fmt.Sprintf("write %q", upper)))
		}
	}
}

// list finds texts in a list that an address is compared with.
func (v *facts) list(n ast.Node) {
	b, ok := n.(*ast.BinaryNode)
	if !ok || b.Operator != "in" || path(b.Left) != "client.ip" && path(b.Left) != "peer.ip" {
		return
	}
	entries, ok := b.Right.(*ast.ArrayNode)
	if !ok {
		return
	}
	for _, entry := range entries.Nodes {
		if s, ok := entry.(*ast.StringNode); ok {
			v.doubts = append(v.doubts, doubt(v.source, entry, CodeKind, fmt.Sprintf("%s is an address, and never the text %q", path(b.Left), s.Value), fmt.Sprintf("write ip(%q)", s.Value)))
		}
	}
}
