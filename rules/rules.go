// Package rules compiles and evaluates rule expressions: conditions on a request, and
// on the answer to it where there is one ([Scope]), written in the language of
// expr-lang/expr with the variables and functions of RULES.md, and nothing that loops,
// allocates without bound, or can fail for most requests.
//
// [Language.Compile] finds every mistake when a configuration is read, with its
// line and column: unknown names, wrong types, bad patterns, what rules may not
// use, and what costs too much. [Program.Match] evaluates: comparisons of a
// request's bytes with constants run as compiled tests on those bytes and allocate
// nothing; the expression's machine only joins their results. What cannot be
// compiled so is [Program.Slow].
//
// The package knows neither configuration files nor decisions: what a rule does
// when it matches is others' business.
package rules

import (
	"sync"
	"time"

	"github.com/expr-lang/expr/vm"
)

// Options are what expressions may name beyond what every request has.
type Options struct {
	Scope                Scope            // where the expressions stand
	Lists                map[string]*List // for in_list()
	Clusters             []string         // for cluster(): "cell/name"; in this cell the name alone will do
	Matchers             []string         // for plugin(): names of plugins of kind matcher
	Cell, NodeName, Zone string
	CostLimit            int // of one expression; 0: 500
}

// defaultCostLimit is the most that one expression may cost.
const defaultCostLimit = 500

// A Language compiles the expressions of one configuration.
type Language struct {
	options   Options
	functions map[string]*function // by name
	matchers  map[string]int       // index into Options.Matchers
	clusters  map[string]int       // index into Options.Clusters, by every name it goes by
	frames    sync.Pool            // of *frame
	names     map[string]any       // the environment, for its types

	unpatched bool // for tests: everything runs on the expression's machine
}

// New makes a language.
func New(o Options) *Language {
	if o.CostLimit == 0 {
		o.CostLimit = defaultCostLimit
	}
	l := &Language{options: o, functions: make(map[string]*function), clusters: make(map[string]int), matchers: make(map[string]int)}
	for i := range functions {
		if o.Scope.holds(functions[i].name, functions[i].scope) {
			l.functions[functions[i].name] = &functions[i]
		}
	}
	for i, name := range o.Clusters {
		l.clusters[name] = i
		if bare, ok := cutCell(name, o.Cell); ok {
			l.clusters[bare] = i
		}
	}
	for i, name := range o.Matchers {
		l.matchers[name] = i
	}
	l.frames.New = func() any { return newFrame(l) }
	l.names = newFrame(l).env
	return l
}

// cutCell is a cluster's name without its cell, if that is the given one.
func cutCell(name, cell string) (bare string, ok bool) {
	if len(name) > len(cell) && name[:len(cell)] == cell && name[len(cell)] == '/' {
		return name[len(cell)+1:], true
	}
	return "", false
}

// A Program is a compiled expression. It is safe for concurrent use.
type Program struct {
	language *Language
	name     string
	source   string
	code     *vm.Program
	tests    []test                    // what the code calls by number
	vars     []*variable               // what the code still reads of the environment
	patterns map[patternKey]*pattern   // what it still matches with
	zones    map[string]*time.Location // where it still asks for the time
	seed     uint64                    // of percent()
	cost     int
	slow     []string
	requires Requires
	reads    Reads
	failsAs  bool // what it is when one of them fails
}

// Source is the expression as it was written.
func (p *Program) Source() string { return p.source }

// Cost is what the expression costs, by the tables of RULES.md.
func (p *Program) Cost() int { return p.cost }

// Slow are the parts of the expression that allocate when they are evaluated, as
// they were written; nil: nothing does.
func (p *Program) Slow() []string { return p.slow }

// Requires is what must hold of a request for the expression to be true.
func (p *Program) Requires() Requires { return p.requires }

// Reads is which parts of a request, beyond its first line and its connection,
// the expression looks at.
func (p *Program) Reads() Reads { return p.reads }

// Match reports whether the expression is true of the request. An error means
// that it could not be evaluated, which counts as no match. Match allocates
// nothing unless the program is slow.
func (p *Program) Match(r *Request) (bool, error) {
	f := p.language.frames.Get().(*frame)
	result, err := f.run(p, r)
	f.program, f.request = nil, nil
	if cap(f.scratch) > maxScratch {
		f.scratch = nil
	}
	p.language.frames.Put(f)
	if err != nil && p.reads.Matchers != nil {
		if matched, ok := p.concluded(err); ok {
			return matched, nil
		}
	}
	matched, _ := result.(bool)
	return matched, err
}
