package websphere

import (
	"net/netip"
	"strconv"
	"strings"
)

func (c both) examples(try func(operand, string))    { c.l.examples(try); c.r.examples(try) }
func (c either) examples(try func(operand, string))  { c.l.examples(try); c.r.examples(try) }
func (c negated) examples(try func(operand, string)) { c.of.examples(try) }
func (c absent) examples(try func(operand, string))  { try(c.of, "x") }
func (chance) examples(func(operand, string))        {}
func (constant) examples(func(operand, string))      {}

func (c comparison) examples(try func(operand, string)) {
	around(c.l, c.r, try)
	around(c.r, c.l, try)
}

func (c between) examples(try func(operand, string)) {
	around(c.of, c.low, try)
	around(c.of, c.high, try)
}

func (c oneOf) examples(try func(operand, string)) {
	for _, v := range c.list {
		around(c.of, v, try)
	}
}

func (c like) examples(try func(operand, string)) {
	for _, run := range []string{"", "x", "1", "1.1", "1.1.1"} {
		try(c.of, c.pattern.example(run))
	}
	try(c.of, "x")
}

// example is a text that fits, with run for each %.
func (p pattern) example(run string) string {
	var b strings.Builder
	for _, piece := range p {
		switch {
		case piece.many:
			b.WriteString(run)
		case piece.wild:
			b.WriteByte('1')
		default:
			b.WriteRune(piece.rune)
		}
	}
	return b.String()
}

// around tries for a value, if it is an operand, what it is compared with and
// what is beside that.
func around(v, with value, try func(operand, string)) {
	o, ok := v.(operand)
	if !ok {
		return
	}
	switch with := with.(type) {
	case textValue:
		try(o, with.text)
		aroundText(o, with.text, try)
	case numberValue:
		for n := with.whole - 1; n <= with.whole+1; n++ {
			try(o, strconv.FormatInt(n, 10))
		}
	case operand:
		try(o, "x")
		try(o, "y")
	}
}

func aroundText(o operand, text string, try func(operand, string)) {
	a, err := netip.ParseAddr(text)
	if err != nil || o.kind.is == typeText {
		for _, other := range []string{text + "x", "x", "POST", "https"} {
			try(o, other)
		}
		return
	}
	try(o, a.Next().String())
	try(o, a.Prev().String())
}
