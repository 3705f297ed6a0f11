package esi

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"
)

// A test is an expression, compiled for a machine with a stack:
//
//	or    = and { ("|" / "||") and }
//	and   = not { ("&" / "&&") not }
//	not   = { "!" } cmp
//	cmp   = value [ ("==" / "!=" / "<=" / ">=" / "<" / ">" / "has" / "matches") value ]
//	value = "(" or ")" / variable / quoted / word
//
// "has" and "matches" stand between blanks. What follows "matches" is a regular
// expression in quotes. The empty test is false.
type test []step

// step is one instruction of a test.
type step struct {
	op       stepOp
	to       uint32 // stepAnd, stepOr: where to go on if the value decides
	variable uint32 // stepVariable
	text     []byte // stepText; the source of pattern
	pattern  *regexp.Regexp
}

type stepOp uint8

const (
	stepText     stepOp = iota // put text on the stack
	stepVariable               // put the value of a variable on the stack
	stepEqual                  // put the result of a comparison in the place of two values
	stepUnequal
	stepAtMost
	stepAtLeast
	stepLess
	stepGreater
	stepHas
	stepMatches // put the result of a match in the place of a value
	stepNot
	stepAnd // go on at to if the top is false, else take it off
	stepOr  // go on at to if the top is true, else take it off
	stepBool
)

// comparisons are the operators, those that begin like others first.
var comparisons = []struct {
	text string
	op   stepOp
}{
	{"==", stepEqual}, {"!=", stepUnequal}, {"<=", stepAtMost}, {">=", stepAtLeast}, {"<", stepLess}, {">", stepGreater},
}

// wordComparisons stand between blanks.
var wordComparisons = []struct {
	text string
	op   stepOp
}{
	{"has", stepHas}, {"matches", stepMatches},
}

// compiler compiles one test.
type compiler struct {
	b     *builder
	rest  string
	steps test
	depth int // parentheses that are open
}

var (
	errNoValue    = errors.New("a value is missing, or is none")
	errSurplus    = errors.New("something follows the end of the expression")
	errParen      = errors.New(`a ")" is missing`)
	errNesting    = errors.New("parentheses are nested too deep")
	errPattern    = errors.New("matches needs a regular expression in quotes, with the syntax of RE2")
	errBigPattern = errors.New("the regular expression is too large")
	errPatterns   = errors.New("the template has too many regular expressions")
)

// compile compiles an expression. With an error comes one that is false.
func (b *builder) compile(text string) (test, error) {
	c := compiler{b: b, rest: text}
	if err := c.or(); err != nil {
		return nil, err
	}
	if c.blanks(); c.rest != "" {
		return nil, errSurplus
	}
	return c.steps, nil
}

func (c *compiler) blanks() { c.rest = trimLeft(c.rest) }

func (c *compiler) emit(s step) { c.steps = append(c.steps, s) }

// or compiles what is joined by "|".
func (c *compiler) or() error { return c.chain('|', stepOr, c.and) }

// and compiles what is joined by "&".
func (c *compiler) and() error { return c.chain('&', stepAnd, c.not) }

// chain compiles operands that are joined by an operator, which may be doubled. As soon as
// one of them decides, the others are passed over.
func (c *compiler) chain(operator byte, op stepOp, operand func() error) error {
	from := len(c.steps)
	if err := operand(); err != nil {
		return err
	}
	links := 0
	for c.accept(operator) {
		links++
		c.accept(operator)
		c.emit(step{op: op})
		if err := operand(); err != nil {
			return err
		}
	}
	if links == 0 {
		return nil
	}
	c.emit(step{op: stepBool})
	c.aim(from, op)
	return nil
}

// aim sets the targets of the steps from there on that have none yet: those of what is
// nested have theirs.
func (c *compiler) aim(from int, op stepOp) {
	for i := range c.steps[from:] {
		if s := &c.steps[from+i]; s.op == op && s.to == 0 {
			s.to = uint32(len(c.steps) - 1)
		}
	}
}

// accept takes a byte, and blanks before it.
func (c *compiler) accept(b byte) bool {
	c.blanks()
	if c.rest == "" || c.rest[0] != b {
		return false
	}
	c.rest = c.rest[1:]
	return true
}

// not compiles a comparison and the "!" before it, which are about all of it (X1).
func (c *compiler) not() error {
	negated := false
	for c.accept('!') {
		negated = !negated
	}
	if err := c.compare(); err != nil {
		return err
	}
	if negated {
		c.emit(step{op: stepNot})
	}
	return nil
}

func (c *compiler) compare() error {
	if err := c.value(); err != nil {
		return err
	}
	op, ok := c.operator()
	switch {
	case !ok:
		return nil
	case op == stepMatches:
		return c.matches()
	}
	if err := c.value(); err != nil {
		return err
	}
	c.emit(step{op: op})
	return nil
}

// operator takes a comparison operator, if there is one.
func (c *compiler) operator() (stepOp, bool) {
	before := len(c.rest)
	c.blanks()
	for _, o := range comparisons {
		if rest, ok := strings.CutPrefix(c.rest, o.text); ok {
			c.rest = rest
			return o.op, true
		}
	}
	if len(c.rest) == before {
		return 0, false
	}
	for _, o := range wordComparisons {
		if rest, ok := strings.CutPrefix(c.rest, o.text); ok && rest != trimLeft(rest) {
			c.rest = rest
			return o.op, true
		}
	}
	return 0, false
}

// matches compiles the regular expression behind "matches". It is fixed: one that came
// from a client could be made to take long.
func (c *compiler) matches() error {
	c.blanks()
	text, ok := c.quoted()
	if !ok {
		return errPattern
	}
	pattern, err := c.b.compilePattern(text)
	if err != nil {
		return err
	}
	c.emit(step{op: stepMatches, text: []byte(text), pattern: pattern})
	return nil
}

// compilePattern compiles a regular expression, unless that takes too much memory or time.
func (b *builder) compilePattern(text string) (*regexp.Regexp, error) {
	if b.patterns++; b.patterns > maxPatterns {
		return nil, errPatterns
	}
	if len(text) > maxPattern {
		return nil, errBigPattern
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, errPattern
	}
	if weight(parsed) > maxSteps {
		return nil, errBigPattern
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil || len(program.Inst) > maxSteps {
		return nil, errBigPattern
	}
	return regexp.Compile(text)
}

// weight is about how many instructions an expression comes to, known before its
// repetitions are written out.
func weight(re *syntax.Regexp) int {
	n := 1
	if re.Op == syntax.OpLiteral {
		n = len(re.Rune)
	}
	for _, sub := range re.Sub {
		n += weight(sub)
	}
	if re.Op == syntax.OpRepeat {
		n = (n - 1) * max(re.Min, re.Max, 1)
	}
	return n
}

// value compiles one operand.
func (c *compiler) value() error {
	c.blanks()
	if c.accept('(') {
		return c.parenthesis()
	}
	if v, n := cutVariable(c.rest); n > 0 {
		c.rest = c.rest[n:]
		c.emit(step{op: stepVariable, variable: c.b.intern(v)})
		return nil
	}
	text, ok := c.quoted()
	if !ok {
		text, ok = c.word()
	}
	if !ok {
		return errNoValue
	}
	c.emit(step{op: stepText, text: []byte(text)})
	return nil
}

func (c *compiler) parenthesis() error {
	if c.depth++; c.depth > maxParens {
		return errNesting
	}
	if err := c.or(); err != nil {
		return err
	}
	c.depth--
	if !c.accept(')') {
		return errParen
	}
	return nil
}

// quoted takes text in quotes of either kind.
func (c *compiler) quoted() (string, bool) {
	if c.rest == "" || c.rest[0] != '\'' && c.rest[0] != '"' {
		return "", false
	}
	text, rest, ok := strings.Cut(c.rest[1:], c.rest[:1])
	if ok {
		c.rest = rest
	}
	return text, ok
}

// word takes a number or a word without quotes.
func (c *compiler) word() (string, bool) {
	n := 0
	for n < len(c.rest) && (isNameByte(c.rest[n]) || c.rest[n] >= 0x80) {
		n++
	}
	word := c.rest[:n]
	c.rest = c.rest[n:]
	return word, n > 0
}

// size is an estimate of the memory a test takes.
func (t test) size() int {
	n := sizeOf(t)
	for i := range t {
		n += len(t[i].text)
		if t[i].pattern != nil {
			n += maxSteps / 4 * len(t[i].text)
		}
	}
	return n
}
