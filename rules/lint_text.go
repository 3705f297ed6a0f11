package rules

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"weirkeep/gateway/wire"
)

// A textSet is the texts that a condition is true of.
type textSet struct {
	words []string          // nil: it is not finite
	has   func(string) bool // whether a text is in it

	// What all its texts have; if whole, what has them is in it.
	prefix, suffix, infix string
	whole                 bool
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
			return &textSet{prefix: regexPrefix(text), has: re.MatchString}
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
	cannot := impossible[subject]
	if cannot == nil {
		return atom, ""
	}
	if s.words == nil {
		return neverIf(cannot(s.prefix, s.suffix+s.infix))
	}
	for _, w := range s.words {
		if why = cannot(w, ""); why == "" {
			return atom, ""
		}
	}
	return never, why
}

// neverIf is never if there is a reason.
func neverIf(why string) (kind, string) {
	if why == "" {
		return atom, ""
	}
	return never, why
}

// impossible says why a variable cannot begin with one text and contain another;
// empty: it may.
var impossible = map[string]func(prefix, rest string) string{
	"host": func(prefix, rest string) string { return notLower("host", prefix+rest) },
	"path": func(prefix, rest string) string {
		return cmp.Or(notRooted(prefix), notCanonical(prefix), notCanonical(rest))
	},
	"scheme": func(prefix, rest string) string {
		return notLower("scheme", prefix+rest)
	},
}

func notLower(name, text string) string {
	if strings.ContainsFunc(text, func(c rune) bool { return 'A' <= c && c <= 'Z' }) {
		return fmt.Sprintf("%s is in lower case, and %q is not", name, text)
	}
	return ""
}

func notRooted(prefix string) string {
	if prefix == "" || prefix[0] == '/' || prefix[0] == '*' {
		return ""
	}
	return fmt.Sprintf("a path begins with a slash, and %q does not", prefix)
}

// notCanonical says why a canonical path does not hold a text.
func notCanonical(text string) string {
	if i := strings.IndexAny(text, "?#\\ \t"); i >= 0 {
		return fmt.Sprintf("no path has %q in it, and %q does", text[i:i+1], text)
	}
	var canonical []byte
	for rest := []byte(text); len(rest) > 0; {
		o, ok := wire.CutOctet(rest)
		switch {
		case !ok && len(rest) < len("%XX"): // it may go on
			return ""
		case !ok:
			return fmt.Sprintf("no path has %q: there the %% begins no escape", text)
		}
		canonical, rest = o.Append(canonical), rest[o.Taken:]
	}
	if string(canonical) != text {
		return fmt.Sprintf("a path is canonical, and has %s for %q", canonical, text)
	}
	return ""
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
