package meter

import "fmt"

// A walk goes through the instructions of one function after the other. It
// checks them as far as the meter depends on it, and marks the places where
// something has to be put in. Types of operands are not looked at: what is put
// in leaves the stack as it was, so the engine finds the same mistakes later.
type walk struct {
	*parser
	r reader

	params int
	locals int // parameters included
	open   []shape
	points []point
	block  int  // of points: the block that is being added up
	dead   bool // behind a branch, up to the next else or end

	groups     int // of local declarations
	groupsAt   int // where they begin, behind their number
	codeAt     int // where the instructions begin
	instrument bool
	scratch    bool // a local is needed to look at an operand
	blocks     int
	targets    int
	accesses   int
}

// A point is a place in a function's code where something is put in.
type point struct {
	at   int // before this byte of the body
	kind pointKind
	cost int64 // of a block
}

type pointKind uint8

const (
	charge      pointKind = iota // for a block
	chargeCheck                  // the same, and look whether the fuel is used up
	chargeBytes                  // for a length in bytes, and look
	chargeItems                  // for a length in table entries, and look
	descend                      // before a call
	ascend                       // behind it
	growCheck                    // behind memory.grow
)

// walkAll goes through all functions. It gives the contents of the new code
// section, or nothing if that is not wanted or a problem was found.
func (p *parser) walkAll(instrument bool) []byte {
	if p.broken {
		return nil
	}
	w := &walk{parser: p, instrument: instrument}
	var out, body []byte
	if instrument {
		out = make([]byte, 0, p.codeSize()*7/5)
		out = appendU32(out, uint32(len(p.bodies)))
	}
	inserts := newInserts(len(p.globalMutable))
	for i, b := range p.bodies {
		if !w.function(p.importedFuncs+i, b) || !instrument {
			continue
		}
		body = w.emit(body[:0], inserts)
		out = append(appendU32(out, uint32(len(body))), body...)
	}
	return out
}

func (p *parser) codeSize() (n int) {
	for _, b := range p.bodies {
		n += len(b.code) + 5
	}
	return n
}

// function goes through one function, and reports whether it is fine.
func (w *walk) function(index int, b body) bool {
	w.reset(w.types[w.funcs[index]], b)
	if n := len(b.code); n > w.limits.Body {
		w.r.fail("%d bytes of code, at most %d are loaded, in the function that begins", n, w.limits.Body)
	}
	w.declarations()
	w.begin(chargeCheck, 1+int64((w.locals-w.params)/8))
	for w.r.err == nil && len(w.open) > 0 {
		w.instruction()
	}
	if w.r.more() {
		w.r.fail("%d bytes behind the last end", w.r.rest())
	}
	if w.r.err != nil {
		w.note(func() string { return w.functionName(index) }, w.r.err)
	}
	return w.r.err == nil
}

func (w *walk) reset(t FuncType, b body) {
	w.r = reader{b: b.code, base: b.at}
	w.params, w.locals = len(t.Params), len(t.Params)
	w.open, w.points = append(w.open[:0], blockShape), w.points[:0]
	w.dead, w.scratch = false, false
	w.blocks, w.targets, w.accesses = 0, 0, 0
}

// declarations reads what locals there are.
func (w *walk) declarations() {
	w.groups = w.r.count("groups of locals")
	w.groupsAt = w.r.p
	locals := uint64(w.locals)
	for n := w.groups; n > 0 && w.r.err == nil; n-- {
		locals += uint64(w.r.u32())
		w.r.valueType()
	}
	w.codeAt = w.r.p
	w.limit(locals, w.limits.Locals, "locals")
	if w.r.err == nil {
		w.locals = int(locals)
	}
}

func (w *walk) limit(n uint64, limit int, what string) {
	if n > uint64(limit) {
		w.r.fail("%d %s, at most %d are loaded,", n, what, limit)
	}
}

// begin begins a block here.
func (w *walk) begin(kind pointKind, cost int64) {
	w.blocks++
	w.limit(uint64(w.blocks), w.limits.Blocks, "blocks")
	w.block = len(w.points)
	w.points = append(w.points, point{at: w.r.p, kind: kind, cost: cost})
}

// mark notes a place inside a block.
func (w *walk) mark(at int, kind pointKind) {
	if !w.dead {
		w.points = append(w.points, point{at: at, kind: kind})
	}
}

// spend adds to what the block costs.
func (w *walk) spend(weight uint16) {
	if !w.dead {
		w.points[w.block].cost += int64(weight)
	}
}

// instruction reads one instruction, and adds it to its block.
func (w *walk) instruction() {
	at := w.r.p
	first := w.r.u8()
	op := &opcodes[first]
	if op.shape == prefixed {
		op = w.second(first)
	}
	w.spend(op.weight)
	switch op.shape {
	case plain:
	case local:
		w.r.index("local", w.locals)
	case const32:
		w.r.signed(32)
	case const64:
		w.r.signed(64)
	case access, accessLane:
		w.access(op)
	case callShape:
		w.call(at)
	case callIndirect:
		w.typeIndex(&w.r)
		w.tableIndex()
		w.mark(at, descend)
		w.mark(w.r.p, ascend)
	case blockShape, loopShape, ifShape, elseShape, endShape, branch, branchIf, branchTable, returnShape, unreachableShape:
		w.flow(op.shape)
	case globalGet:
		w.r.index("global", len(w.globalMutable))
	case globalSet:
		w.globalSet()
	case unknown:
		w.refuseOpcode(first)
	default:
		w.rare(op, at)
	}
}

// second reads the second opcode behind a prefix.
func (w *walk) second(first byte) *opcode {
	code := w.r.u32()
	table := bulkOpcodes
	if first == 0xfd {
		table = simdOpcodes
	}
	if w.r.err == nil && (code > 0xff || table[code].shape == unknown) {
		w.refuseSecond(first, code)
	}
	return &table[code&0xff]
}

func (w *walk) refuseSecond(first byte, code uint32) {
	what := fmt.Sprintf("instruction 0x%02x %d", first, code)
	switch {
	case first == 0xfd && code >= 0x100 && code < 0x130:
		w.r.refuse(relaxedSIMD, what)
	case first == 0xfc && code >= 19 && code <= 22:
		w.r.refuse(wideArithmetic, what)
	default:
		w.r.fail("unknown %s", what)
	}
}

func (w *walk) refuseOpcode(op byte) {
	if w.r.err != nil {
		return
	}
	w.r.p--
	if f := laterOpcodes[op]; f != 0 {
		w.r.refuse(f, fmt.Sprintf("instruction 0x%02x", op))
		return
	}
	w.r.fail("unknown instruction 0x%02x", op)
}

func (w *walk) globalSet() {
	i := w.r.index("global", len(w.globalMutable))
	if w.r.err == nil && !w.globalMutable[i] {
		w.r.fail("global %d is set, which is constant,", i)
	}
}

func (w *walk) tableIndex() { w.r.index("table", len(w.module.Tables)) }

func (w *walk) memoryIndex() { w.checkMemory(&w.r, w.r.u32()) }

// call reads a direct call, which costs more where it leaves the module.
func (w *walk) call(at int) {
	f := w.functionIndex(&w.r)
	if int(f) < w.importedFuncs {
		w.spend(foreign - ordinary)
		return
	}
	w.mark(at, descend)
	w.mark(w.r.p, ascend)
}

// multiMemoryBit in an alignment says that the index of a memory follows.
const multiMemoryBit = 0x40

func (w *walk) access(op *opcode) {
	align := w.r.u32()
	w.r.u32()
	switch {
	case w.memoryCount == 0:
		w.checkMemory(&w.r, 0)
	case align&multiMemoryBit != 0:
		w.r.refuse(multiMemory, "load or store")
	case align > uint32(op.width):
		w.r.fail("alignment 2^%d of 2^%d bytes", align, op.width)
	}
	w.accesses++
	w.limit(uint64(w.accesses), w.limits.Accesses, "loads and stores")
	if op.shape == accessLane {
		w.lane(16 >> op.width)
	}
}

func (w *walk) lane(lanes uint8) {
	if i := w.r.u8(); i >= lanes {
		w.r.fail("lane %d of %d", i, lanes)
	}
}

// rare reads the instructions that ordinary code has few of.
func (w *walk) rare(op *opcode, at int) {
	switch op.shape {
	case constF32:
		w.r.bytes(4)
	case constF64:
		w.r.bytes(8)
	case const128:
		w.r.bytes(16)
	case shuffle:
		for range 16 {
			w.lane(32)
		}
	case lane:
		w.lane(op.width)
	case selectTyped:
		w.selectTyped()
	case memorySize:
		w.memoryIndex()
	case memoryGrow:
		w.memoryIndex()
		w.scratch = w.scratch || !w.dead
		w.mark(w.r.p, growCheck)
	case refNull:
		w.r.referenceType()
	case refFunc:
		w.refFunc()
	case dataDrop:
		w.segmentIndex()
	case elemDrop:
		w.r.index("element segment", w.elementCount)
	case tableShape:
		w.tableIndex()
	default:
		w.bulk(op.shape, at)
	}
}

// bulk reads the instructions whose work depends on an operand.
func (w *walk) bulk(s shape, at int) {
	kind := chargeItems
	switch s {
	case memoryCopy:
		kind = chargeBytes
		w.memoryIndex()
		w.memoryIndex()
	case memoryFill:
		kind = chargeBytes
		w.memoryIndex()
	case memoryInit:
		kind = chargeBytes
		w.segmentIndex()
		w.memoryIndex()
	case tableCopy:
		w.tableIndex()
		w.tableIndex()
	case tableInit:
		w.r.index("element segment", w.elementCount)
		w.tableIndex()
	case tableGrow, tableFill:
		w.tableIndex()
	}
	w.scratch = w.scratch || !w.dead
	w.mark(at, kind)
}

func (w *walk) selectTyped() {
	if n := w.r.count("types"); n != 1 {
		w.r.fail("select of %d types", n)
	}
	w.r.valueType()
}

func (w *walk) refFunc() {
	f := w.functionIndex(&w.r)
	if w.r.err == nil && (w.declared == nil || !w.declared[f]) {
		w.r.fail("reference to function %d, which is neither exported nor in a segment,", f)
	}
}

func (w *walk) segmentIndex() {
	if w.segmentsSaid < 0 {
		w.r.fail("data segment is used without a data count section")
	}
	w.r.index("data segment", w.segmentsSaid)
}
