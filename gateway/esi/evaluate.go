package esi

import "bytes"

// operand is a value on the stack of a test.
type operand struct {
	text   []byte
	truth  bool
	isBool bool
}

// holds reports whether a value counts as true (X3).
func (o operand) holds() bool {
	if o.isBool {
		return o.truth
	}
	return len(o.text) > 0 && string(o.text) != "0" && string(o.text) != "false"
}

// bytes is a value as text.
func (o operand) bytes() []byte {
	switch {
	case !o.isBool:
		return o.text
	case o.truth:
		return trueText
	}
	return falseText
}

var trueText, falseText = []byte("true"), []byte("false")

// stackSize is enough for the deepest test: each parenthesis leaves two values at most, one
// of a comparison and one of a chain.
const stackSize = 2*maxParens + 4

// stack is that of a test.
type stack struct {
	at  int
	all [stackSize]operand
}

func (s *stack) push(o operand)    { s.all[s.at] = o; s.at++ }
func (s *stack) pop() operand      { s.at--; return s.all[s.at] }
func (s *stack) top() *operand     { return &s.all[s.at-1] }
func (s *stack) result(truth bool) { s.push(operand{truth: truth, isBool: true}) }

// run evaluates a test. Each step is done once at most. Values that it looks at go with it.
func (t test) run(r *reader, variables []variable) bool {
	if len(t) == 0 {
		return false
	}
	defer r.forget(len(r.buf))
	var s stack
	for i := uint32(0); i < uint32(len(t)); i++ {
		switch step := &t[i]; step.op {
		case stepText:
			s.push(operand{text: step.text})
		case stepVariable:
			s.push(operand{text: r.value(&variables[step.variable])})
		case stepMatches:
			subject := s.pop().bytes()
			s.result(len(subject) > 0 && len(subject) <= maxSubject && step.pattern.Match(subject))
		case stepNot:
			s.result(!s.pop().holds())
		case stepBool:
			s.result(s.pop().holds())
		case stepAnd, stepOr:
			if s.top().holds() == (step.op == stepOr) {
				i = step.to - 1
			} else {
				s.pop()
			}
		default:
			right := s.pop().bytes()
			left := s.pop().bytes()
			s.result(compare(step.op, left, right))
		}
	}
	return s.pop().holds()
}

// compare compares two values: as numbers if both are, else byte by byte (X2). With one
// that is empty, every comparison is false (X3).
func compare(op stepOp, left, right []byte) bool {
	if len(left) == 0 || len(right) == 0 {
		return false
	}
	if op == stepHas {
		return bytes.Contains(left, right)
	}
	order, ok := compareNumbers(left, right)
	if !ok {
		order = bytes.Compare(left, right)
	}
	switch op {
	case stepEqual:
		return order == 0
	case stepUnequal:
		return order != 0
	case stepAtMost:
		return order <= 0
	case stepAtLeast:
		return order >= 0
	case stepLess:
		return order < 0
	}
	return order > 0
}

// number is a decimal number, exactly.
type number struct {
	negative    bool
	whole, part []byte // without zeros at their outer ends
}

// parseNumber reads -?digits[.digits].
func parseNumber(b []byte) (n number, ok bool) {
	if b[0] == '-' {
		n.negative = true
		b = b[1:]
	}
	whole, part, fraction := bytes.Cut(b, []byte("."))
	if !allDigits(whole) || fraction && !allDigits(part) {
		return n, false
	}
	n.whole = bytes.TrimLeft(whole, "0")
	n.part = bytes.TrimRight(part, "0")
	n.negative = n.negative && len(n.whole)+len(n.part) > 0
	return n, true
}

func allDigits(b []byte) bool {
	for _, c := range b {
		if !isDigit(c) {
			return false
		}
	}
	return len(b) > 0
}

// compareNumbers compares two values as numbers, if both are.
func compareNumbers(left, right []byte) (order int, ok bool) {
	a, ok1 := parseNumber(left)
	b, ok2 := parseNumber(right)
	switch {
	case !ok1 || !ok2:
		return 0, false
	case a.negative != b.negative:
		order = 1
		if a.negative {
			order = -1
		}
		return order, true
	case a.negative:
		a, b = b, a
	}
	if len(a.whole) != len(b.whole) {
		return len(a.whole) - len(b.whole), true
	}
	if order = bytes.Compare(a.whole, b.whole); order == 0 {
		order = bytes.Compare(a.part, b.part)
	}
	return order, true
}
