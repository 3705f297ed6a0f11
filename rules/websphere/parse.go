package websphere

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxDepth bounds the nesting of a selector.
const maxDepth = 200

// parser reads the tokens of one selector. The first fault of its grammar ends it:
// what comes after would be about the first.
type parser struct {
	tokens []token
	depth  int
	broken bool // the grammar is
	faults []*fault
}

// parse reads a selector: the WHERE part of SQL as JMS 1.1 has it, with the
// operands of routing rules. The condition is there unless the grammar is broken; it
// means something if there is no fault.
func parse(selector string) (condition, []*fault) {
	tokens, f := scan(selector)
	if f != nil {
		return nil, []*fault{f}
	}
	p := &parser{tokens: tokens}
	if p.peek().kind == tokenEnd {
		return nil, []*fault{syntax(-1, "", "the expression is empty")}
	}
	c := p.disjunction()
	if !p.broken && p.peek().kind != tokenEnd {
		p.unexpected("AND, OR or the end")
	}
	if p.broken {
		return nil, p.faults
	}
	return c, p.faults
}

func (p *parser) peek() token { return p.tokens[0] }

func (p *parser) take() token {
	t := p.tokens[0]
	if t.kind != tokenEnd {
		p.tokens = p.tokens[1:]
	}
	return t
}

// fail keeps the first fault of the grammar, and lets the parser see nothing but the
// end.
func (p *parser) fail(f *fault) {
	if !p.broken {
		p.broken, p.faults = true, append(p.faults, f)
	}
	p.tokens = p.tokens[len(p.tokens)-1:]
}

func (p *parser) unexpected(wanted string) {
	t := p.peek()
	if t.kind == tokenEnd {
		p.fail(syntax(t.at, "", "the expression ends where %s is wanted", wanted))
		return
	}
	p.fail(syntax(t.at, "", "%q stands where %s is wanted", t.text, wanted))
}

// word reports whether the next token is a keyword, and takes it.
func (p *parser) word(keyword string) bool {
	t := p.peek()
	if t.kind != tokenWord || !strings.EqualFold(t.text, keyword) {
		return false
	}
	p.take()
	return true
}

// symbol reports whether the next token is a mark, and takes it.
func (p *parser) symbol(mark string) bool {
	t := p.peek()
	if t.kind != tokenSymbol || t.text != mark {
		return false
	}
	p.take()
	return true
}

// need takes a keyword or mark that must be there.
func (p *parser) need(what string) {
	if !p.symbol(what) && !p.word(what) {
		p.unexpected(strconv.Quote(what))
	}
}

// deeper counts nesting, and reports whether there may be more of it.
func (p *parser) deeper() bool {
	p.depth++
	if p.depth > maxDepth {
		p.fail(syntax(p.peek().at, "", "the expression is nested more than %d deep", maxDepth))
	}
	return !p.broken
}

func (p *parser) disjunction() condition {
	c := p.conjunction()
	for p.word("or") {
		c = either{c, p.conjunction()}
	}
	return c
}

func (p *parser) conjunction() condition {
	c := p.negation()
	for p.word("and") {
		c = both{c, p.negation()}
	}
	return c
}

func (p *parser) negation() condition {
	if !p.word("not") {
		return p.primary()
	}
	if !p.deeper() {
		return constant(false)
	}
	defer func() { p.depth-- }()
	return negated{p.negation()}
}

// primary reads what AND, OR and NOT join. A parenthesis may hold a condition or
// a value; which it was is known at its end.
func (p *parser) primary() condition {
	switch t := p.peek(); {
	case t.kind == tokenSymbol && t.text == "(" && p.holdsCondition():
		return p.parenthesis()
	case p.word("true"):
		return constant(true)
	case p.word("false"):
		return constant(false)
	case t.kind == tokenWord && hasFold(t.text, "percentage$"):
		return p.chance()
	}
	return p.comparison(p.value())
}

func (p *parser) parenthesis() condition {
	p.need("(")
	if !p.deeper() {
		return constant(false)
	}
	defer func() { p.depth-- }()
	c := p.disjunction()
	p.need(")")
	return c
}

// holdsCondition reports whether the parenthesis that begins here holds a
// condition, rather than a value that is calculated: whether a token that no
// value has stands in it.
func (p *parser) holdsCondition() bool {
	depth := 0
	for _, t := range p.tokens {
		switch {
		case t.kind == tokenSymbol && t.text == "(":
			depth++
		case t.kind == tokenSymbol && t.text == ")":
			depth--
			if depth == 0 {
				return false
			}
		case t.kind == tokenWord && (reserved(t.text) || hasFold(t.text, "percentage$")),
			t.kind == tokenSymbol && strings.ContainsAny(t.text, "=<>"):
			return true
		}
	}
	return true // it never ends; that is said where it is missed
}

// chance reads percentage$25, an operand that is a condition by itself.
func (p *parser) chance() condition {
	t := p.take()
	n, err := strconv.Atoi(t.text[len("percentage$"):])
	if err != nil || n < 0 || n > 100 {
		p.fail(misfit(t.at, "percentage$25 is true for a quarter of the requests", "%s must be a whole number from 0 to 100 after the $", t.text))
	}
	return chance{n}
}

// comparison reads what follows the value on the left.
func (p *parser) comparison(l value) condition {
	t := p.peek()
	if t.kind == tokenSymbol && strings.ContainsAny(t.text, "=<>") {
		p.take()
		return comparison{t.text, l, p.value(), t.at}
	}
	if p.word(sameFold) {
		return comparison{sameFold, l, p.value(), t.at}
	}
	if p.word("is") {
		return p.null(l)
	}
	not := p.word("not")
	c := p.membership(l)
	if not {
		return negated{c}
	}
	return c
}

// membership reads BETWEEN, IN and LIKE, which NOT may stand before.
func (p *parser) membership(l value) condition {
	switch {
	case p.word("between"):
		low := p.value()
		p.need("and")
		return between{l, low, p.value()}
	case p.word("in"):
		return oneOf{p.operand(l), p.list()}
	case p.word("like"):
		return p.like(l)
	}
	p.unexpected("a comparison")
	return constant(false)
}

// null reads IS NULL and IS NOT NULL after the IS.
func (p *parser) null(l value) condition {
	not := p.word("not")
	p.need("null")
	c := absent{p.operand(l)}
	if not {
		return negated{c}
	}
	return c
}

// operand is the value as an operand, which IN, LIKE and IS take alone.
func (p *parser) operand(v value) operand {
	o, ok := v.(operand)
	if !ok {
		p.fail(syntax(placeOf(v), "", "IN, LIKE and IS stand after an operand such as uri or header$Host"))
	}
	return o
}

func (p *parser) list() (all []value) {
	p.need("(")
	for {
		all = append(all, p.literal())
		if !p.symbol(",") {
			p.need(")")
			return all
		}
	}
}

func (p *parser) literal() value {
	v := p.value()
	switch v.(type) {
	case textValue, numberValue:
	default:
		p.fail(syntax(placeOf(v), "", "the list of an IN holds texts or numbers"))
	}
	return v
}

func (p *parser) like(l value) condition {
	of, t := p.operand(l), p.text()
	escape := rune(0)
	if p.word("escape") {
		e := p.text()
		c, size := utf8.DecodeRuneInString(e.text)
		if e.text == "" || size != len(e.text) {
			p.fail(syntax(e.at, "", "ESCAPE takes one character"))
		}
		escape = c
	}
	pattern, ok := parsePattern(t.text, escape)
	if !ok {
		p.fail(syntax(t.at, "", "the pattern ends with its escape character"))
	}
	return like{of, pattern}
}

func (p *parser) text() token {
	if p.peek().kind != tokenText {
		p.unexpected("a text in single quotes")
	}
	return p.take()
}

func hasFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
