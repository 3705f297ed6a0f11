package meter

// flow reads an instruction of control: what it opens or closes, where a block
// begins and where code is dead.
func (w *walk) flow(s shape) {
	switch s {
	case blockShape:
		w.enter(s)
	case loopShape:
		w.enter(s)
		w.beginAlive(chargeCheck, 1)
	case ifShape:
		w.enter(s)
		w.beginAlive(charge, 0)
	case elseShape:
		w.otherwise()
	case endShape:
		w.leave()
	case branchIf:
		w.label()
		w.beginAlive(charge, 0)
	case branch:
		w.label()
		w.dead = true
	case branchTable:
		w.branchTable()
		w.dead = true
	case returnShape, unreachableShape:
		w.dead = true
	}
}

// beginAlive begins a block, unless the code here is dead.
func (w *walk) beginAlive(kind pointKind, cost int64) {
	if !w.dead {
		w.begin(kind, cost)
	}
}

func (w *walk) enter(s shape) {
	w.blockType()
	w.open = append(w.open, s)
	w.limit(uint64(len(w.open)-1), w.limits.Nesting, "blocks in each other")
}

// blockType reads a type: none, that of one value, or the index of one.
func (w *walk) blockType() {
	b := w.r.u8()
	if b == 0x40 || ValueType(b).known() || w.r.err != nil {
		return
	}
	w.r.p--
	if i := w.r.signed(33); w.r.err == nil && (i < 0 || i >= int64(len(w.types))) {
		w.r.refuseType(b, "block type")
	}
}

func (w *walk) otherwise() {
	top := len(w.open) - 1
	if w.open[top] != ifShape {
		w.r.fail("else without if")
		return
	}
	w.open[top] = elseShape
	w.dead = false
	w.begin(charge, 0)
}

func (w *walk) leave() {
	w.open = w.open[:len(w.open)-1]
	w.dead = false
	if len(w.open) > 0 {
		w.begin(charge, 0)
	}
}

func (w *walk) label() { w.r.index("label", len(w.open)) }

func (w *walk) branchTable() {
	n := w.r.count("targets")
	w.targets += n
	w.limit(uint64(w.targets), w.limits.Targets, "targets of br_table")
	for ; n >= 0 && w.r.err == nil; n-- {
		w.label()
	}
}
