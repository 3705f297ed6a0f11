package websphere

import (
	"slices"
	"strings"
)

// keywords cannot be operands.
var keywords = []string{"and", "or", "not", "between", "in", "like", "escape", "is", "null", "true", "false", strings.ToLower(sameFold)}

func reserved(word string) bool { return slices.Contains(keywords, strings.ToLower(word)) }

// value reads a sum: terms joined by + and -.
func (p *parser) value() value {
	v := p.term()
	for {
		t := p.peek()
		if !p.symbol("+") && !p.symbol("-") {
			return v
		}
		v = p.join(t, v, p.term())
	}
}

func (p *parser) term() value {
	v := p.factor()
	for {
		t := p.peek()
		if !p.symbol("*") && !p.symbol("/") {
			return v
		}
		v = p.join(t, v, p.factor())
	}
}

// factor reads one value with its sign.
func (p *parser) factor() value {
	t := p.peek()
	switch {
	case p.symbol("-"):
		return p.signed(t, true)
	case p.symbol("+"):
		return p.signed(t, false)
	case p.symbol("("):
		if !p.deeper() {
			return nil
		}
		defer func() { p.depth-- }()
		v := p.value()
		p.need(")")
		return v
	}
	return p.atom()
}

func (p *parser) signed(t token, minus bool) value {
	if !p.deeper() {
		return nil
	}
	defer func() { p.depth-- }()
	v := p.factor()
	if !minus {
		return v
	}
	return p.join(token{text: "-", at: t.at}, numberValue{wholeNumber(0), t.at}, v)
}

// atom reads a text, a number or an operand.
func (p *parser) atom() value {
	t := p.peek()
	switch {
	case t.kind == tokenText:
		p.take()
		return textValue{t.text, t.at}
	case t.kind == tokenNumber:
		return p.number()
	case t.kind == tokenWord && !reserved(t.text):
		p.take()
		o, f := newOperand(t.text, t.at)
		if f != nil {
			p.faults = append(p.faults, f) // the rest can be read
		}
		return o
	}
	p.unexpected("an operand, a text or a number")
	return nil
}

func (p *parser) number() value {
	t := p.take()
	n, ok := parseNumber(t.text)
	switch {
	case ok:
	case strings.Count(t.text, ".") > 1:
		p.fail(syntax(t.at, "write '"+t.text+"'", "%s is no number; an address stands in single quotes", t.text))
	default:
		p.fail(syntax(t.at, "", "%s is no number that can be used", t.text))
	}
	return numberValue{n, t.at}
}

// join is l op r, calculated where both are known.
func (p *parser) join(op token, l, r value) value {
	a, known := l.(numberValue)
	b, also := r.(numberValue)
	if !known || !also {
		return sum{op.at}
	}
	n, ok := calculate(op.text, a.number, b.number)
	if !ok {
		p.fail(misfit(op.at, "", "%s %s %s has no value that can be used", a, op.text, b))
	}
	return numberValue{n, a.at}
}
