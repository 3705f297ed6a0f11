package esi

import "strconv"

// Kind says what is wrong in a template.
type Kind uint8

// The kinds of problems. All but Loose cost something of what was meant.
const (
	Loose      Kind = iota // not well-formed, but there is no doubt what is meant
	Unknown                // no element of ours: the tag is dropped, the content stays
	Malformed              // no tag: it is dropped up to the next ">"
	Unclosed               // an element without an end
	Stray                  // an end tag without an element
	Misplaced              // an element or text that may not stand there is dropped
	Attribute              // an attribute is missing, repeated or of no use
	Test                   // no expression: it is false
	Variable               // no variable: it stands for nothing, or for itself
	Target                 // src or alt is no URL
	Nested                 // elements nested too deep are dropped
	Excess                 // includes beyond the most that a template may have are dropped
	Unfinished             // the body ended within a tag, which is dropped
	kinds
)

var kindNames = [kinds]string{
	"loose", "unknown-element", "malformed-tag", "unclosed-element", "stray-end-tag", "misplaced",
	"attribute", "test", "variable", "target", "nested-too-deep", "excess", "unfinished-tag",
}

// String is the kind as metrics and logs have it.
func (k Kind) String() string { return kindNames[k] }

// Kinds are all kinds of problems.
func Kinds() []Kind {
	all := make([]Kind, kinds)
	for i := range all {
		all[i] = Kind(i)
	}
	return all
}

// MaxProblems is how many problems of one template are told unless [Limits] say otherwise;
// the others are counted.
const MaxProblems = 20

// Problem is one thing that is wrong in a template.
type Problem struct {
	Offset  int64  // of the tag or text, in bytes from the start of the template
	Element string // without "esi:"; empty: it is in no element
	Kind    Kind
	Detail  string // for people
}

// String is the problem in one line.
func (p Problem) String() string {
	where := "byte " + strconv.FormatInt(p.Offset, 10)
	if p.Element != "" {
		where += ": esi:" + p.Element
	}
	return where + ": " + p.Detail
}

// Problems are all of one template.
type Problems struct {
	List   []Problem  // the first of them, in the order in which they showed
	Counts [kinds]int // all of them, by Kind
}

// Total is how many there are.
func (p *Problems) Total() (n int) {
	for _, c := range p.Counts {
		n += c
	}
	return n
}

func (p *Problems) add(q Problem, most int) {
	p.Counts[q.Kind]++
	if len(p.List) < most {
		p.List = append(p.List, q)
	}
}
