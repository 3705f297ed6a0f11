package meter

import "fmt"

func (p *parser) elements(r *reader) {
	p.elementCount = r.count("element segments")
	for n := p.elementCount; n > 0 && r.err == nil; n-- {
		p.element(r)
	}
}

// element reads one element segment. Of its flags 1 says that it is not active,
// 2 that it names its table (active) or is declarative, 4 that it holds
// expressions instead of functions.
func (p *parser) element(r *reader) {
	flags := r.u32()
	if flags > 7 {
		r.fail("element segment of kind %d", flags)
		return
	}
	active, named, expressions := flags&1 == 0, flags&2 != 0, flags&4 != 0
	table, offset, known := uint32(0), int32(0), false
	if active {
		table = p.elementTable(r, named)
		offset, known = p.constant(r)
	}
	if !active || named {
		p.elementType(r, expressions)
	}
	n := r.count("elements")
	if known {
		p.checkElements(r, table, uint32(offset), n)
	}
	for ; n > 0 && r.err == nil; n-- {
		if expressions {
			p.constant(r)
			continue
		}
		if f := p.functionIndex(r); r.err == nil {
			p.declare(f)
		}
	}
}

// elementTable reads which table a segment is for: the first, if it names none.
func (p *parser) elementTable(r *reader, named bool) uint32 {
	tables := len(p.module.Tables)
	if named {
		return r.index("table", tables)
	}
	if tables == 0 {
		r.fail("table 0 of 0")
	}
	return 0
}

// checkElements looks whether a segment lies in its table, which is the size that
// it has at first. An engine that does not look makes an instance that cannot be.
func (p *parser) checkElements(r *reader, table, offset uint32, n int) {
	if r.err != nil {
		return
	}
	t := p.module.Tables[table]
	if !t.Imported && uint64(offset)+uint64(n) > uint64(t.Min) {
		p.add("", "%d elements at %d of table %d, which has %d", n, offset, table, t.Min)
	}
}

func (p *parser) elementType(r *reader, expressions bool) {
	if expressions {
		r.referenceType()
		return
	}
	if kind := r.u8(); kind != 0 {
		r.fail("element kind %d", kind)
	}
}

func (p *parser) checkMemory(r *reader, i uint32) {
	switch {
	case r.err != nil:
	case i > 0:
		r.refuse(multiMemory, fmt.Sprintf("memory %d", i))
	case p.memoryCount == 0:
		r.fail("memory is used, and there is none,")
	}
}

func (p *parser) dataCount(r *reader) { p.segmentsSaid = int(r.u32()) }

func (p *parser) data(r *reader) {
	p.segments = r.count("data segments")
	for n := p.segments; n > 0 && r.err == nil; n-- {
		p.segment(r)
	}
}

// segment reads one data segment: 0 is active, 1 passive, 2 active with the
// memory it is for.
func (p *parser) segment(r *reader) {
	flags := r.u32()
	if flags > 2 {
		r.fail("data segment of kind %d", flags)
		return
	}
	if flags != 1 {
		memory := uint32(0)
		if flags == 2 {
			memory = r.u32()
		}
		p.checkMemory(r, memory)
		p.constant(r)
	}
	r.bytes(r.count("bytes of data"))
}

// constant reads an expression that the engine works out before anything runs:
// one instruction and its end. Whether its type fits is the engine's to check. Of an
// i32 the value is known.
func (p *parser) constant(r *reader) (value int32, known bool) {
	switch op := r.u8(); op {
	case 0x41:
		value, known = int32(r.signed(32)), true
	case 0x42:
		r.signed(64)
	case 0x43:
		r.bytes(4)
	case 0x44:
		r.bytes(8)
	case 0xfd:
		if r.u32() != 0x0c {
			r.fail("instruction that is not constant")
		}
		r.bytes(16)
	case 0xd0:
		r.referenceType()
	case 0xd2:
		if f := p.functionIndex(r); r.err == nil {
			p.declare(f)
		}
	case 0x23:
		p.constantGlobal(r)
	default:
		r.fail("instruction 0x%02x in a constant expression", op)
	}
	if r.err == nil && r.u8() != 0x0b && r.err == nil {
		r.p--
		r.refuse(extendedConst, fmt.Sprintf("0x%02x", r.b[r.p]))
	}
	return value, known
}

// constantGlobal reads the index of a global that has its value by then.
func (p *parser) constantGlobal(r *reader) {
	i := r.u32()
	if r.err != nil {
		return
	}
	if uint64(i) >= uint64(p.importedGlobals) || p.globalMutable[i] {
		r.fail("constant expression of global %d, which is no constant import,", i)
	}
}

// code finds the functions. Their instructions are read later. If they are not
// as many as were declared, settle says so.
func (p *parser) code(r *reader) {
	p.coded = r.count("functions")
	if p.coded > len(p.funcs)-p.importedFuncs {
		r.p = len(r.b)
		return
	}
	p.bodies = make([]body, 0, p.coded)
	for range p.coded {
		size := r.count("bytes of code")
		at := r.at()
		p.bodies = append(p.bodies, body{code: r.bytes(size), at: at})
	}
}

// custom looks for the marks that Go's compiler leaves. What is in other custom
// sections is nobody's business: they are never wrong.
func (p *parser) custom(r *reader) {
	name := p.module.Sections[len(p.module.Sections)-1].Name
	if name == "go:buildid" || name == "producers" && producedBy(r.b[r.p:], "Go cmd/compile") {
		p.module.GoGuest = true
	}
	if r.err == nil {
		r.p = len(r.b)
	}
}

// producedBy reports whether a producers section names a tool.
func producedBy(producers []byte, tool string) bool {
	r := &reader{b: producers}
	for fields := r.count("fields"); fields > 0 && r.err == nil; fields-- {
		r.name()
		for values := r.count("values"); values > 0 && r.err == nil; values-- {
			if r.name() == tool && r.err == nil {
				return true
			}
			r.name() // its version
		}
	}
	return false
}
