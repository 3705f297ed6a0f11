package meter

// Bytes of the instructions that are put in.
const (
	opUnreachable   = 0x00
	opIf            = 0x04
	opEnd           = 0x0b
	opLocalGet      = 0x20
	opLocalTee      = 0x22
	opGlobalGet     = 0x23
	opGlobalSet     = 0x24
	opI32Const      = 0x41
	opI64Const      = 0x42
	opI32Eq         = 0x46
	opI64LessSigned = 0x53
	opI32Or         = 0x72
	opI64Add        = 0x7c
	opI64Sub        = 0x7d
	opI64ShrU       = 0x88
	opI64ExtendU32  = 0xad
	noType          = 0x40
	minusOne        = 0x7f
)

// inserts are the pieces that are the same everywhere in a module.
type inserts struct {
	getFuel, setFuel []byte
	stopIfOut        []byte // traps when fuel is below 0
	descend, ascend  []byte // one call deeper, and back
	markIfRefused    []byte // what lies on the stack is -1: memory.grow was refused
}

// newInserts makes the pieces for a module that has so many globals. Its own
// keep their numbers; the meter's come behind them.
func newInserts(globals int) *inserts {
	fuel, depth, mark := uint32(globals), uint32(globals)+1, uint32(globals)+2
	get := func(global uint32) []byte { return appendU32([]byte{opGlobalGet}, global) }
	set := func(global uint32) []byte { return appendU32([]byte{opGlobalSet}, global) }
	stopBelow0 := func(global uint32) []byte {
		return append(get(global), opI64Const, 0, opI64LessSigned, opIf, noType, opUnreachable, opEnd)
	}
	step := func(op byte) []byte {
		return append(append(get(depth), opI64Const, 1, op), set(depth)...)
	}
	marked := append([]byte{opI32Const, minusOne, opI32Eq}, get(mark)...)
	return &inserts{
		getFuel:       get(fuel),
		setFuel:       set(fuel),
		stopIfOut:     stopBelow0(fuel),
		descend:       append(step(opI64Sub), stopBelow0(depth)...),
		ascend:        step(opI64Add),
		markIfRefused: append(append(marked, opI32Or), set(mark)...),
	}
}

// emit writes the function that was walked last, with all that is put in.
func (w *walk) emit(dst []byte, in *inserts) []byte {
	code := w.r.b
	dst = w.emitLocals(dst)
	from := w.codeAt
	for i := range w.points {
		p := &w.points[i]
		dst = append(dst, code[from:p.at]...)
		from = p.at
		switch p.kind {
		case charge:
			dst = in.charge(dst, p.cost)
		case chargeCheck:
			dst = append(in.charge(dst, p.cost), in.stopIfOut...)
		case chargeBytes, chargeItems:
			dst = in.chargeLength(dst, p.kind, uint32(w.locals))
		case descend:
			dst = append(dst, in.descend...)
		case ascend:
			dst = append(dst, in.ascend...)
		case growCheck:
			dst = in.growCheck(dst, uint32(w.locals))
		}
	}
	return append(dst, code[from:]...)
}

// emitLocals writes the function's locals, and behind them the meter's if it needs one.
func (w *walk) emitLocals(dst []byte) []byte {
	groups := w.r.b[w.groupsAt:w.codeAt]
	if !w.scratch {
		return append(appendU32(dst, uint32(w.groups)), groups...)
	}
	dst = append(appendU32(dst, uint32(w.groups)+1), groups...)
	return append(dst, 1, byte(I32))
}

func (in *inserts) charge(dst []byte, cost int64) []byte {
	if cost == 0 {
		return dst
	}
	dst = append(dst, in.getFuel...)
	dst = appendSigned(append(dst, opI64Const), cost)
	return append(append(dst, opI64Sub), in.setFuel...)
}

// chargeLength charges for the length that lies on top of the stack, and leaves
// it there.
func (in *inserts) chargeLength(dst []byte, kind pointKind, scratch uint32) []byte {
	dst = appendU32(append(dst, opLocalTee), scratch)
	dst = append(dst, in.getFuel...)
	dst = appendU32(append(dst, opLocalGet), scratch)
	dst = append(dst, opI64ExtendU32)
	if kind == chargeBytes {
		dst = append(dst, opI64Const, 3, opI64ShrU)
	}
	dst = append(append(dst, opI64Sub), in.setFuel...)
	return append(dst, in.stopIfOut...)
}

// growCheck looks at what memory.grow has answered, and leaves it on the stack.
func (in *inserts) growCheck(dst []byte, scratch uint32) []byte {
	dst = appendU32(append(dst, opLocalTee), scratch)
	dst = appendU32(append(dst, opLocalGet), scratch)
	return append(dst, in.markIfRefused...)
}
