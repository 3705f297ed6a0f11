package meter

import "weirkeep/abi"

// rewrite writes the module anew, around its new code.
func (p *parser) rewrite(code []byte, o Options) []byte {
	n := 256
	for _, s := range p.sections {
		n += s.Size + 16
	}
	w := &writer{parser: p, options: o, code: code, out: make([]byte, 0, n+len(code)-p.codeSize())}
	w.out = append(w.out, p.wasm[:8]...)
	for _, s := range p.sections {
		w.addMissing(sectionKinds[s.ID].order)
		w.section(s)
	}
	w.addMissing(sectionKinds[codeSection].order)
	return w.out
}

// A writer puts the sections of a module together.
type writer struct {
	*parser
	options Options
	code    []byte
	out     []byte
	last    int // order of the last section written
}

// addMissing writes the sections that have to come before one of that order,
// and that the module did not have.
func (w *writer) addMissing(order int) {
	for _, id := range [...]byte{globalSection, exportSection} {
		if o := sectionKinds[id].order; w.last < o && o < order {
			w.section(section{Section: Section{ID: id}, body: []byte{0}})
		}
	}
}

// section writes a section of the module as it has to be now.
func (w *writer) section(s section) {
	w.last = max(w.last, sectionKinds[s.ID].order)
	switch s.ID {
	case customSection:
		if w.keeps(s) {
			w.write(s.ID, s.body)
		}
	case tableSection:
		w.write(s.ID, w.tablesSection())
	case memorySection:
		w.write(s.ID, w.memorySection())
	case globalSection:
		w.write(s.ID, w.extended(s, 3, w.newGlobals()))
	case exportSection:
		exports, n := w.newExports()
		w.write(s.ID, w.extended(s, n, exports))
	case startSection:
	case codeSection:
		w.write(s.ID, w.code)
	default:
		w.write(s.ID, s.body)
	}
}

func (w *writer) write(id byte, body []byte) {
	w.out = appendU32(append(w.out, id), uint32(len(body)))
	w.out = append(w.out, body...)
}

// extended gives a section's list with n more items.
func (w *writer) extended(s section, n uint32, items []byte) []byte {
	r := &reader{b: s.body}
	count := r.u32()
	body := appendU32(nil, count+n)
	return append(append(body, s.body[r.p:]...), items...)
}

// newGlobals are fuel, depth and mark, with what they hold before anybody sets them.
func (w *writer) newGlobals() []byte {
	const mutable = 1
	b := appendSigned([]byte{byte(I64), mutable, opI64Const}, w.options.InitFuel)
	b = append(b, opEnd, byte(I64), mutable, opI64Const)
	b = appendSigned(b, int64(w.options.Depth))
	return append(b, opEnd, byte(I32), mutable, opI32Const, 0, opEnd)
}

func (w *writer) newExports() (exports []byte, n uint32) {
	add := func(name string, kind Kind, index int) {
		exports = append(appendU32(exports, uint32(len(name))), name...)
		exports = appendU32(append(exports, byte(kind)), uint32(index))
		n++
	}
	first := len(w.globalMutable)
	add(abi.FuelExport, GlobalKind, first)
	add(abi.DepthExport, GlobalKind, first+1)
	add(abi.MarkExport, GlobalKind, first+2)
	if w.startIndex >= 0 {
		add(abi.StartExport, Function, w.startIndex)
	}
	return exports, n
}

const bounded = 1 // flag of a size: its maximum follows

func (w *writer) memorySection() []byte {
	m := w.module.Memory
	if m == nil {
		return []byte{0}
	}
	b := appendU32([]byte{1, bounded}, m.Min)
	return appendU32(b, min(m.Max, w.options.MemoryPages))
}

// tablesSection gives every table what is left of the entries for all of them.
func (w *writer) tablesSection() []byte {
	tables := w.module.Tables
	left := uint64(w.limits.Entries) - initialEntries(tables)
	b := appendU32(nil, uint32(len(tables)))
	for _, t := range tables {
		b = appendU32(append(b, byte(t.Type), bounded), t.Min)
		b = appendU32(b, uint32(min(uint64(t.Max), uint64(t.Min)+left)))
	}
	return b
}

// keeps reports whether a custom section stays. An empty one says nothing, and
// wazero does not read one that ends the file.
func (w *writer) keeps(s section) bool {
	r := &reader{b: s.body}
	name := r.name()
	return !stale(name) && r.more()
}
