package esi

import "unsafe"

// op is what an instruction does.
type op uint8

const (
	opText    op = iota // write text[a:b]
	opPrint             // write the value of variable a, escaped for HTML
	opInclude           // include a
	opUnless            // go on at b unless test a is true
	opJump              // go on at b
	opTry               // tries[a], which ends before b
)

// instruction is one step of a program. Every instruction is reached once at most in a
// run: jumps lead on, but for the one to an otherwise that stands before a when.
type instruction struct {
	op   op
	a, b uint32
}

// Program is a template, read. It never changes and may be run by many at a time.
type Program struct {
	text      []byte // of all literals
	code      []instruction
	variables []variable
	tests     []test
	includes  []include
	tries     []try
	orders    []Invalidation
	uses      Uses
	marked    bool // the text begins with a byte order mark
	size      int
}

// span is a part of a program's code.
type span struct{ from, to uint32 }

// try is what a try element has.
type try struct {
	attempt span
	excepts []except
}

// except is what is run if an attempt has failed so.
type except struct {
	span
	failures failures
}

// Uses says which parts of the client's request a program looks at.
type Uses uint8

// The parts of a request.
const (
	UsesCookies Uses = 1 << iota
	UsesLanguage
	UsesAgent
	UsesReferer
	UsesHost
	UsesQuery
	UsesFields // other header fields
)

// Uses says which parts of the client's request the program looks at, in any of its
// branches.
func (p *Program) Uses() Uses { return p.uses }

// Includes is how many include elements the program has, in all its branches.
func (p *Program) Includes() int { return len(p.includes) }

// Static reports whether the program is text and nothing else.
func (p *Program) Static() bool {
	return len(p.code) == 0 || len(p.code) == 1 && p.code[0].op == opText
}

// Text is all text of the program, in the order of the template. It must not be changed.
func (p *Program) Text() []byte { return p.text }

// Size is the memory that the program takes, in bytes.
func (p *Program) Size() int { return p.size }

// An Invalidation is what an invalidate element asks for. It is no part of the page, and
// nobody here acts on it.
type Invalidation struct {
	Output bool   // the result is to be shown
	Body   []byte // as it stands in the template; nil: it was too long
}

// Invalidations are the orders that stand in the template, in all its branches.
func (p *Program) Invalidations() []Invalidation { return p.orders }

// seal counts what the program takes.
func (p *Program) seal() {
	n := int(unsafe.Sizeof(*p)) + len(p.text) + sizeOf(p.code) + sizeOf(p.variables) + sizeOf(p.tests) +
		sizeOf(p.includes) + sizeOf(p.tries) + sizeOf(p.orders)
	for i := range p.variables {
		n += len(p.variables[i].key) + len(p.variables[i].fallback)
	}
	for i := range p.tests {
		n += p.tests[i].size()
	}
	for i := range p.includes {
		n += p.includes[i].size()
	}
	for i := range p.tries {
		n += sizeOf(p.tries[i].excepts)
	}
	for i := range p.orders {
		n += len(p.orders[i].Body)
	}
	p.size = n
}

func sizeOf[T any](s []T) int {
	var t T
	return len(s) * int(unsafe.Sizeof(t))
}
