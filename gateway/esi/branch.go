package esi

import "strings"

// choose: each when is a test that jumps to the next, and a jump to the end. An otherwise
// is jumped over, and jumped to when all tests have failed, wherever it stands.

func (b *builder) parent() *opened { return &b.open[len(b.open)-2] }

func (b *builder) openWhen(t *tag) {
	b.mark()
	text, ok := t.value("test")
	if !ok || t.bad {
		b.tell(Attribute, "it needs one attribute test; without, it is false")
		text = ""
	}
	b.parent().unless = link(b.emit(instruction{op: opUnless, a: b.test(text, ok && !t.bad)}) + 1)
}

// test compiles an expression and returns its index.
func (b *builder) test(text string, tell bool) uint32 {
	compiled, err := b.compile(text)
	if err != nil && tell {
		b.tell(Test, err.Error()+"; it is false")
	}
	b.program.tests = append(b.program.tests, compiled)
	return uint32(len(b.program.tests) - 1)
}

func (b *builder) closeWhen(*opened) {
	choose := b.parent()
	b.chain(&choose.ends)
	b.program.code[choose.unless-1].b = b.mark()
}

func (b *builder) openOtherwise(*tag) {
	choose := b.parent()
	if choose.otherwise != 0 {
		b.tell(Misplaced, "there is one already; this one is dropped")
		b.top().mode = dead
		return
	}
	b.mark()
	b.top().from = b.emit(instruction{op: opJump})
	choose.otherwise = link(b.here() + 1)
}

func (b *builder) closeOtherwise(o *opened) {
	b.chain(&b.parent().ends)
	b.program.code[o.from].b = b.mark()
}

func (b *builder) closeChoose(o *opened) {
	if o.otherwise != 0 {
		b.mark()
		b.emit(instruction{op: opJump, b: uint32(o.otherwise - 1)})
	}
	b.land(o.ends)
}

// try: one instruction that knows where its parts are, which stand behind it.

func (b *builder) openTry(*tag) {
	o := b.top()
	o.try = len(b.program.tries)
	b.program.tries = append(b.program.tries, try{})
	o.from = b.emit(instruction{op: opTry, a: uint32(o.try)})
}

func (b *builder) closeTry(o *opened) {
	if b.program.tries[o.try].attempt == (span{}) {
		b.tellOf(o, Misplaced, "it has no attempt, and is nothing")
	}
	b.program.code[o.from].b = b.mark()
}

func (b *builder) openAttempt(*tag) {
	if b.program.tries[b.parent().try].attempt != (span{}) {
		b.tell(Misplaced, "there is one already; this one is dropped")
		b.top().mode = dead
		return
	}
	b.top().from = b.mark()
}

func (b *builder) closeAttempt(o *opened) {
	b.program.tries[b.parent().try].attempt = span{o.from, b.mark()}
}

func (b *builder) openExcept(t *tag) {
	o := b.top()
	o.from, o.failures = b.mark(), anyFailure
	list, ok := t.value("type")
	if !ok {
		return
	}
	o.failures = 0
	for _, name := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' }) {
		set, known := failuresOf(name)
		if !known {
			b.tell(Attribute, "there is no type "+name+" of except")
		}
		o.failures |= set
	}
}

func (b *builder) closeExcept(o *opened) {
	t := &b.program.tries[b.parent().try]
	t.excepts = append(t.excepts, except{span{o.from, b.mark()}, o.failures})
}

// vars: in it, variables in text stand for their values.

func (b *builder) openVars(*tag) { b.printed++ }

func (b *builder) closeVars(*opened) { b.printed-- }

// invalidate: its content is kept for whoever may act on it.

func (b *builder) openInvalidate(t *tag) {
	output, _ := t.value("output")
	b.program.orders = append(b.program.orders, Invalidation{Output: output == "yes", Body: []byte{}})
	b.top().order = len(b.program.orders)
}

// order keeps text that stands in an invalidate element.
func (b *builder) order(o *opened, text []byte) {
	if o.order == 0 {
		return
	}
	i := &b.program.orders[o.order-1]
	switch {
	case i.Body == nil:
	case len(i.Body)+len(text) > maxOrder:
		i.Body = nil
	default:
		i.Body = append(i.Body, text...)
	}
}
