package esi

// element is what there is to know of an element.
type element struct {
	name   string
	parent string // in which alone it may stand; empty: anywhere
	empty  bool   // it has no content, but perhaps children
	mode   mode   // of its content
	open   func(b *builder, t *tag)
	close  func(b *builder, o *opened)
}

// mode is what becomes of the content of an element.
type mode uint8

const (
	live  mode = iota // it is part of the page
	gap               // text is dropped, children count
	dead              // all is dropped
	brief             // there should be none: its tag ended without a "/"
)

// elements are those that mean something here. To add one, add its line. The content of
// those that are dead is none of the page's, whether or not anything is done with it.
var elements = makeElements(
	element{name: "include", empty: true, open: (*builder).openInclude},
	element{name: "comment", mode: dead},
	element{name: "remove", mode: dead},
	element{name: "vars", open: (*builder).openVars, close: (*builder).closeVars},
	element{name: "choose", mode: gap, close: (*builder).closeChoose},
	element{name: "when", parent: "choose", open: (*builder).openWhen, close: (*builder).closeWhen},
	element{name: "otherwise", parent: "choose", open: (*builder).openOtherwise, close: (*builder).closeOtherwise},
	element{name: "try", mode: gap, open: (*builder).openTry, close: (*builder).closeTry},
	element{name: "attempt", parent: "try", open: (*builder).openAttempt, close: (*builder).closeAttempt},
	element{name: "except", parent: "try", open: (*builder).openExcept, close: (*builder).closeExcept},
	element{name: "inline"}, // its content is used in its place, and is no entry of its own
	element{name: "text"},   // the parser passes its content on unread
	element{name: "param", parent: "include", empty: true, open: (*builder).openParam},
	element{name: "request_header", parent: "include", empty: true},
	element{name: "request_body", parent: "include", empty: true},
	element{name: "log", mode: dead},
	element{name: "environment", empty: true},
	element{name: "invalidate", mode: dead, open: (*builder).openInvalidate},
	element{name: "assign", mode: dead},
	element{name: "function", mode: dead},
)

func makeElements(list ...element) map[string]*element {
	m := make(map[string]*element, len(list))
	for i := range list {
		m[list[i].name] = &list[i]
	}
	return m
}

// opened is an element whose end has not come.
type opened struct {
	*element
	at    int64
	mode  mode
	depth int  // elements of its name within, if it is dead
	told  bool // that text in it is dropped
	text  int  // length of the text when its tag ended, if it is brief

	// What remains to be done when it ends.
	from      uint32 // its first instruction
	unless    link   // choose: the test of the last when
	ends      link   // choose: the jumps to its end
	otherwise link   // choose: where that begins
	try       int    // index of the try
	failures  failures
	order     int // invalidate: index of the order, from 1
	include   int // include: index of it, from 1; 0: it was dropped
}

// link is the index of an instruction, from 1. Zero: there is none.
type link uint32

// top is the innermost open element, nil if there is none.
func (b *builder) top() *opened {
	if len(b.open) == 0 {
		return nil
	}
	return &b.open[len(b.open)-1]
}

// around is the innermost open element but for those that should have no content.
func (b *builder) around() *opened {
	for i := len(b.open) - 1; i >= 0; i-- {
		if b.open[i].mode != brief {
			return &b.open[i]
		}
	}
	return nil
}

// element takes a tag.
func (b *builder) element(t *tag, at int64) {
	b.at, b.name = at, t.name
	defer func() { b.name = "" }()
	if o := b.top(); o != nil && o.mode == dead {
		b.within(o, t)
		return
	}
	el := elements[t.name]
	switch {
	case el == nil:
		b.tell(Unknown, "there is no such element; its tags are dropped, its content stays")
	case t.end:
		b.finish(el)
	default:
		b.start(el, t)
	}
}

// within takes a tag in an element of which all is dropped: it counts those of its name.
func (b *builder) within(o *opened, t *tag) {
	switch {
	case t.name != o.name, t.empty, t.name == "comment" && t.has("text"):
	case !t.end:
		o.depth++
	case o.depth > 0:
		o.depth--
	default:
		b.pop()
	}
}

// start takes a start tag.
func (b *builder) start(el *element, t *tag) {
	b.settle(el)
	if t.loose {
		b.tell(Loose, `blanks round "=" and values without quotes are no XML`)
	}
	point := el.empty || el.name == "comment" && t.has("text")
	if !b.fits(el) {
		b.tell(Misplaced, "it may not stand here, and is dropped")
		if !point && !t.empty {
			b.push(el, dead)
		}
		return
	}
	if point {
		b.point(el, t)
		return
	}
	b.push(el, el.mode)
	if el.open != nil && b.top().mode == el.mode { // it is not nested too deep
		el.open(b, t)
	}
	if t.empty {
		b.tell(Loose, "it has no content")
		b.pop()
	}
}

// point takes an element without content.
func (b *builder) point(el *element, t *tag) {
	before := len(b.program.includes)
	if el.open != nil {
		el.open(b, t)
	}
	if t.empty || len(b.open) >= maxNesting {
		return
	}
	b.push(el, brief)
	if n := len(b.program.includes); n > before {
		b.top().include = n
	}
}

// fits reports whether an element may stand here.
func (b *builder) fits(el *element) bool {
	if o := b.top(); el.empty && o != nil && o.mode == brief {
		return el.parent == o.name // settle has left it open for this
	}
	o := b.around()
	if el.parent != "" {
		return o != nil && o.name == el.parent && o.mode == gap
	}
	return o == nil || o.mode != gap || el.mode == dead // which is nothing, wherever it stands
}

// settle ends elements that should have no content when it shows that they have no end
// tag: when something else comes than one of their children.
func (b *builder) settle(next *element) {
	for o := b.top(); o != nil && o.mode == brief; o = b.top() {
		if next != nil && next.parent == o.name {
			b.cut(o.text) // blanks between children are none of the page's
			return
		}
		b.tellOf(o, Loose, `it ends in ">" where "/>" is meant`)
		b.pop()
	}
}

// finish takes an end tag.
func (b *builder) finish(el *element) {
	for o := b.top(); o != nil && o.mode == brief; o = b.top() {
		if o.element == el {
			b.cut(o.text)
			b.pop()
			return
		}
		b.tellOf(o, Loose, `it ends in ">" where "/>" is meant`)
		b.pop()
	}
	if !b.isOpen(el) {
		b.tell(Stray, "nothing is open that it ends; it is dropped")
		return
	}
	for b.top().element != el {
		b.tellOf(b.top(), Unclosed, "its end tag is missing")
		b.pop()
	}
	b.pop()
}

func (b *builder) isOpen(el *element) bool {
	for i := range b.open {
		if b.open[i].element == el {
			return true
		}
	}
	return false
}

// push opens an element. Deeper than is allowed, all in it is dropped.
func (b *builder) push(el *element, m mode) {
	if len(b.open) >= maxNesting && m != dead {
		b.tell(Nested, "elements are nested too deep; it is dropped")
		m = dead
	}
	b.open = append(b.open, opened{element: el, at: b.at, mode: m, text: len(b.program.text), from: b.here()})
}

// pop ends the innermost open element.
func (b *builder) pop() {
	o := b.top()
	if o.mode == o.element.mode && o.close != nil {
		o.close(b, o)
	}
	b.open = b.open[:len(b.open)-1]
}
