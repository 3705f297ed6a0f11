package websphere

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A writer writes conditions in our language. It keeps the lists of networks
// that they name, and what could not be written.
type writer struct {
	lists  lists
	steps  int      // that were spent on patterns of addresses
	named  []string // lists that the condition names
	faults []*fault
}

func (w *writer) fail(f *fault) clause {
	w.faults = append(w.faults, f)
	return never
}

// translate writes a condition as an expression that is true exactly when the
// condition is true.
func (w *writer) translate(c condition) (clause, []*fault) {
	w.faults, w.named = nil, nil
	whole := c.when(w, true)
	return whole, w.faults
}

// Negation is pushed down to the comparisons, as Kleene's logic has it: NOT (a
// AND b) is true when a or b is false.

func (c both) when(w *writer, wanted bool) clause {
	l, r := c.l.when(w, wanted), c.r.when(w, wanted)
	if wanted {
		return allOf(l, r)
	}
	return anyOf(l, r)
}

func (c either) when(w *writer, wanted bool) clause {
	l, r := c.l.when(w, wanted), c.r.when(w, wanted)
	if wanted {
		return anyOf(l, r)
	}
	return allOf(l, r)
}

func (c negated) when(w *writer, wanted bool) clause { return c.of.when(w, !wanted) }

func (c constant) when(_ *writer, wanted bool) clause {
	if bool(c) == wanted {
		return always
	}
	return never
}

func (c chance) when(_ *writer, wanted bool) clause {
	is := call(fmt.Sprintf("percent(%d)", c.percent))
	if wanted {
		return is
	}
	return not(is)
}

func (c absent) when(_ *writer, wanted bool) clause {
	text, standard := c.of.lacks(), never
	if !wanted {
		text, standard = c.of.present(), always
	}
	switch {
	case text == "":
		return standard
	case strings.Contains(text, "= "):
		return compare(text)
	}
	return call(text)
}

// opposite is the operator that is true where op is false.
var opposite = map[string]string{"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}

// mirrored is the operator that is the same from right to left.
var mirrored = map[string]string{"=": "=", "<>": "<>", "<": ">", ">=": "<=", ">": "<", "<=": ">=", sameFold: sameFold}

// ours is the operator in our language.
var ours = map[string]string{"=": "==", "<>": "!=", "<": "<", ">=": ">=", ">": ">", "<=": "<="}

func (c comparison) when(w *writer, wanted bool) clause {
	if _, literal := c.l.(operand); !literal {
		if _, flip := c.r.(operand); flip {
			c.l, c.r, c.op = c.r, c.l, mirrored[c.op]
		}
	}
	l, r := typeOf(c.l), typeOf(c.r)
	switch {
	case l == typeText && r == typeText:
		return w.compareTexts(c, wanted)
	case l == typeNumber && r == typeNumber && c.op != sameFold:
		return w.compareNumbers(c, wanted)
	case (l == typeIPv4 || l == typeIPv6) && r == typeText && c.op != sameFold:
		return w.compareAddress(c, wanted)
	case unaskable(c.l) || unaskable(c.r):
		return never // which has been said
	}
	return w.fail(mismatch(c.at, c.op, c.l, c.r))
}

// mismatch is a comparison of what cannot be compared.
func mismatch(at int, op string, l, r value) *fault {
	for _, v := range []value{l, r} {
		if s, ok := v.(sum); ok {
			return misfit(s.at, "compare the operand alone", "rules compare what a request has, and do not calculate with it")
		}
	}
	return misfit(at, "texts and addresses stand in single quotes, numbers do not", "%s %s %s cannot be compared: they are %s and %s", describe(l), op, describe(r), kindOf(l), kindOf(r))
}

// unaskable reports whether a value is an operand that cannot be asked here.
func unaskable(v value) bool {
	o, ok := v.(operand)
	return ok && o.kind.is == typeNone
}

func kindOf(v value) string {
	switch typeOf(v) {
	case typeText:
		return "a text"
	case typeNumber:
		return "a number"
	case typeIPv4, typeIPv6:
		return "an address"
	}
	return "nothing that can be compared"
}

func describe(v value) string {
	switch v := v.(type) {
	case operand:
		return v.String()
	case textValue:
		return "'" + v.text + "'"
	case numberValue:
		return v.number.String()
	}
	return "it"
}

func typeOf(v value) valueType {
	switch v := v.(type) {
	case operand:
		return v.kind.is
	case textValue:
		return typeText
	case numberValue:
		return typeNumber
	}
	return typeNone
}

func (w *writer) compareNumbers(c comparison, wanted bool) clause {
	op := c.op
	if !wanted {
		op = opposite[op]
	}
	l, lk := c.l.(numberValue)
	r, rk := c.r.(numberValue)
	if lk && rk {
		return constant(ordered(order(l.float, r.float), op)).when(w, true)
	}
	return compare(numeric(c.l) + " " + ours[op] + " " + numeric(c.r))
}

// numeric is a number or an operand. No operand that is a number can be absent.
func numeric(v value) string {
	if o, ok := v.(operand); ok {
		return o.value()
	}
	return v.(numberValue).number.String()
}

func (w *writer) compareTexts(c comparison, wanted bool) clause {
	l, lo := c.l.(operand)
	r, ro := c.r.(operand)
	switch {
	case lo && ro:
		return w.compareOperands(c, l, r, wanted)
	case lo:
		return w.compareConstant(c, l, c.r.(textValue), wanted)
	}
	return constant(holds(c.l.(textValue).text, c.op, c.r.(textValue).text) == wanted).when(w, true)
}

// compareOperands compares two things of a request: it must have both.
func (w *writer) compareOperands(c comparison, l, r operand, wanted bool) clause {
	if l.kind.lower != r.kind.lower && c.op != sameFold {
		return w.fail(misfit(c.at, "compare with EQUALSIGNORECASE", "%s is in lower case here, and %s as it was sent", l, r))
	}
	whole := compare(w.sided(l, c.op) + " " + operator(c.op, wanted) + " " + w.sided(r, c.op))
	return guarded(l, guarded(r, whole, true), true)
}

// compareConstant compares with a text. Where the empty text would compare as
// wanted, a request that has none must not.
func (w *writer) compareConstant(c comparison, o operand, v textValue, wanted bool) clause {
	text, f := o.literal(v.text, v.at)
	if f != nil {
		return w.fail(f)
	}
	if c.op == sameFold {
		text = strings.ToLower(text)
	}
	whole := compare(w.sided(o, c.op) + " " + operator(c.op, wanted) + " " + quote(text))
	return guarded(o, whole, holds("", c.op, text) == wanted)
}

// sided is an operand as one side of a comparison.
func (w *writer) sided(o operand, op string) string {
	if op == sameFold && !o.kind.lower {
		return "lower(" + o.value() + ")"
	}
	return o.value()
}

// operator is our operator for one of the original, or for its opposite.
func operator(op string, wanted bool) string {
	if op == sameFold {
		op = "="
	}
	if !wanted {
		op = opposite[op]
	}
	return ours[op]
}

// portAtEnd is what a Host field has and virtualhost has not.
var portAtEnd = regexp.MustCompile(`^[^:]*:\d+$`)

// literal is a text that is compared with the operand, as our language has it.
func (o operand) literal(text string, at int) (string, *fault) {
	if o.kind.name == "virtualhost" && portAtEnd.MatchString(text) {
		return "", misfit(at, "ask for virtualport too", "virtualhost has no port, so it is never '%s'", text)
	}
	return o.constant(text), nil
}

func (c between) when(w *writer, wanted bool) clause {
	if o, ok := c.of.(operand); ok && (o.kind.is == typeIPv4 || o.kind.is == typeIPv6) {
		return w.betweenAddresses(o, c.low, c.high, wanted)
	}
	at := placeOf(c.of)
	return both{comparison{">=", c.of, c.low, at}, comparison{"<=", c.of, c.high, at}}.when(w, wanted)
}

func (c oneOf) when(w *writer, wanted bool) clause {
	switch c.of.kind.is {
	case typeNone:
		return never // as has been said
	case typeIPv4, typeIPv6:
		return w.oneOfAddresses(c, wanted)
	case typeNumber:
		return w.oneOfConstants(c, typeNumber, wanted)
	}
	return w.oneOfConstants(c, typeText, wanted)
}

func (w *writer) oneOfConstants(c oneOf, is valueType, wanted bool) clause {
	var all []string
	for _, v := range c.list {
		text, f := c.of.element(v, is)
		if f != nil {
			return w.fail(f)
		}
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	whole := compare(c.of.value() + " in [" + strings.Join(all, ", ") + "]")
	if len(all) == 1 {
		return guarded(c.of, compare(c.of.value()+" "+operator("=", wanted)+" "+all[0]), (all[0] == `""`) == wanted)
	}
	if !wanted {
		whole = not(whole)
	}
	return guarded(c.of, whole, slices.Contains(all, `""`) == wanted)
}

// element is an entry of an IN list, in our language.
func (o operand) element(v value, is valueType) (string, *fault) {
	if typeOf(v) != is {
		return "", mismatch(placeOf(v), "IN", o, v)
	}
	if n, ok := v.(numberValue); ok {
		return n.number.String(), nil
	}
	text, f := o.literal(v.(textValue).text, placeOf(v))
	return quote(text), f
}

func (c like) when(w *writer, wanted bool) clause {
	switch c.of.kind.is {
	case typeNone:
		return never // as has been said
	case typeIPv4:
		return w.likeIPv4(c, wanted)
	case typeIPv6:
		return w.likeIPv6(c, wanted)
	case typeNumber:
		return w.fail(misfit(c.of.at, "compare it with =, < or BETWEEN", "%s is a number, and LIKE compares texts", c.of))
	}
	p := c.pattern
	if c.of.kind.lower {
		p = p.lower()
	}
	whole := p.clause(c.of.value())
	if !wanted {
		whole = not(whole)
	}
	return guarded(c.of, whole, p.matches("") == wanted)
}
