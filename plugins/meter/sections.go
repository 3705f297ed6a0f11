package meter

import (
	"fmt"
	"strings"
)

func (p *parser) functionTypes(r *reader) {
	n := r.count("types")
	if p.over(r, n, p.limits.Types, "types") {
		return
	}
	for ; n > 0 && r.err == nil; n-- {
		if form := r.u8(); form != 0x60 {
			r.p--
			r.refuseType(form, "type")
			return
		}
		params := r.valueTypes("parameters")
		p.types = append(p.types, FuncType{Params: params, Results: r.valueTypes("results")})
	}
}

func (r *reader) valueTypes(what string) []ValueType {
	raw := r.bytes(r.count(what))
	types := make([]ValueType, len(raw))
	for i, b := range raw {
		types[i] = ValueType(b)
		if !types[i].known() {
			r.p -= len(raw) - i
			r.refuseType(b, "value type")
			return nil
		}
	}
	return types
}

func (r *reader) valueType() ValueType {
	t := ValueType(r.u8())
	if r.err == nil && !t.known() {
		r.p--
		r.refuseType(byte(t), "value type")
	}
	return t
}

func (r *reader) referenceType() ValueType {
	t := r.valueType()
	if r.err == nil && !t.reference() {
		r.fail("reference to %s", t)
	}
	return t
}

func (p *parser) typeIndex(r *reader) uint32 { return r.index("type", len(p.types)) }

func (p *parser) imports(r *reader) {
	n := r.count("imports")
	if p.over(r, n, p.limits.Functions+p.limits.Globals, "imports") {
		return
	}
	for ; n > 0 && r.err == nil; n-- {
		i := Import{Module: r.name(), Name: r.name(), Kind: Kind(r.u8())}
		if i.Kind == tagKind {
			p.tag(r)
			continue
		}
		if p.imported(r, &i); r.err == nil {
			p.module.Imports = append(p.module.Imports, i)
		}
	}
	p.module.Functions = len(p.funcs)
}

// imported reads what is imported, and counts it among its kind.
func (p *parser) imported(r *reader, i *Import) {
	switch i.Kind {
	case Function:
		i.Type = p.importedFunction(r)
	case TableKind:
		p.table(r, true)
	case MemoryKind:
		p.memory(r, true)
	case GlobalKind:
		p.global(r)
		p.importedGlobals++
	default:
		r.fail("unknown kind %d", i.Kind)
	}
}

func (p *parser) importedFunction(r *reader) FuncType {
	t := p.typeIndex(r)
	if p.over(r, len(p.funcs)+1, p.limits.Functions, "functions") || r.err != nil {
		return FuncType{}
	}
	p.funcs = append(p.funcs, t)
	p.importedFuncs++
	return p.types[t]
}

// tagKind is the kind of an exception.
const tagKind = 4

// tag reads what an imported tag is, which no other index depends on.
func (p *parser) tag(r *reader) {
	r.u8()
	r.u32()
	p.refuse(exceptions, "imported tag")
}

func (p *parser) functions(r *reader) {
	n := r.count("functions")
	if p.over(r, len(p.funcs)+n, p.limits.Functions, "functions") {
		return
	}
	for ; n > 0 && r.err == nil; n-- {
		p.funcs = append(p.funcs, p.typeIndex(r))
	}
	p.module.Functions = len(p.funcs)
}

func (p *parser) tables(r *reader) {
	for n := r.count("tables"); n > 0 && r.err == nil; n-- {
		p.table(r, false)
	}
	if r.err == nil {
		p.checkTables()
	}
}

func (p *parser) table(r *reader, imported bool) {
	t := Table{Type: r.referenceType(), Imported: imported}
	t.Min, t.Max = p.sizes(r, 1<<32-1)
	if r.err != nil || p.over(r, len(p.module.Tables)+1, p.limits.Tables, "tables") {
		return
	}
	p.module.Tables = append(p.module.Tables, t)
}

func (p *parser) checkTables() {
	if n := initialEntries(p.module.Tables); n > uint64(p.limits.Entries) {
		p.add("build with smaller tables", "tables of %d entries, at most %d are loaded", n, p.limits.Entries)
	}
}

// initialEntries is how many entries all tables begin with.
func initialEntries(tables []Table) (n uint64) {
	for _, t := range tables {
		n += uint64(t.Min)
	}
	return n
}

func (p *parser) memories(r *reader) {
	for n := r.count("memories"); n > 0 && r.err == nil; n-- {
		p.memory(r, false)
	}
}

func (p *parser) memory(r *reader, imported bool) {
	m := Memory{Imported: imported}
	m.Min, m.Max = p.sizes(r, allPages)
	p.memoryCount++
	if p.memoryCount > 1 {
		p.refuse(multiMemory, "a second memory")
	}
	if r.err == nil {
		p.module.Memory = &m
	}
}

// sizes reads how large something begins and may become, at most limit.
func (p *parser) sizes(r *reader, limit uint32) (low, high uint32) {
	flags := r.u8()
	if f := sizeFeature(flags); f != 0 {
		p.refuse(f, fmt.Sprintf("size of kind %d", flags))
	}
	low, high = r.u32(), limit
	if flags&1 != 0 {
		high = r.u32()
	}
	if sizeFeature(flags) == pageSizes {
		r.u32() // its logarithm
	}
	if r.err == nil && (low > high || high > limit) {
		r.fail("size from %d to %d, where %d is the largest there is,", low, high, limit)
	}
	return low, high
}

// sizeFeature is the feature that the flags of a size belong to; 0 for core 2.0,
// whose only flag says that there is a maximum.
func sizeFeature(flags byte) feature {
	switch {
	case flags >= 8:
		return pageSizes
	case flags >= 4:
		return memory64
	case flags >= 2:
		return threads
	}
	return 0
}

func (p *parser) globals(r *reader) {
	for n := r.count("globals"); n > 0 && r.err == nil; n-- {
		p.global(r)
		p.constant(r)
	}
}

func (p *parser) global(r *reader) {
	r.valueType()
	mutable := r.u8()
	if mutable > 1 {
		r.fail("mutability %d", mutable)
	}
	if p.over(r, len(p.globalMutable)+1, p.limits.Globals, "globals") || r.err != nil {
		return
	}
	p.globalMutable = append(p.globalMutable, mutable == 1)
	p.module.Globals = len(p.globalMutable)
}

// reserved begins the names that only the meter may export.
const reserved = "__gw_"

func (p *parser) exports(r *reader) {
	n := r.count("exports")
	if p.over(r, n, p.limits.Functions, "exports") {
		return
	}
	seen := make(map[string]bool, n)
	for ; n > 0 && r.err == nil; n-- {
		e := Export{Name: r.name(), Kind: Kind(r.u8()), Index: r.u32()}
		if e.Kind == tagKind {
			p.refuse(exceptions, "exported tag")
			continue
		}
		if p.exported(r, &e); r.err != nil {
			return
		}
		p.checkExport(e.Name, seen)
		p.module.Exports = append(p.module.Exports, e)
	}
}

func (p *parser) checkExport(name string, seen map[string]bool) {
	if seen[name] {
		p.add("export it once", "export %q is there twice", readable(name))
	}
	seen[name] = true
	if strings.HasPrefix(name, reserved) {
		p.add("rename it: these names are the host's", "export %q begins with %s", readable(name), reserved)
	}
}

// exported checks that what an export names is there, and notes what it is.
func (p *parser) exported(r *reader, e *Export) {
	if r.err != nil {
		return
	}
	there, imported := 0, 0
	switch e.Kind {
	case Function:
		there, imported = len(p.funcs), p.importedFuncs
	case TableKind:
		there = len(p.module.Tables)
	case MemoryKind:
		there = p.memoryCount
	case GlobalKind:
		there, imported = len(p.globalMutable), p.importedGlobals
	default:
		r.fail("unknown kind %d", e.Kind)
		return
	}
	if uint64(e.Index) >= uint64(there) {
		r.fail("export %q names %s %d of %d", readable(e.Name), e.Kind, e.Index, there)
		return
	}
	e.Imported = uint64(e.Index) < uint64(imported)
	switch e.Kind {
	case Function:
		p.declare(e.Index)
		e.Type = p.types[p.funcs[e.Index]]
	case TableKind:
		e.Imported = p.module.Tables[e.Index].Imported
	case MemoryKind:
		e.Imported = p.module.Memory.Imported
		if p.module.Memory.Export != "memory" {
			p.module.Memory.Export = e.Name
		}
	}
}

// declare notes that code may take a reference to a function.
func (p *parser) declare(function uint32) {
	if p.declared == nil {
		p.declared = make([]bool, len(p.funcs))
	}
	p.declared[function] = true
}

func (p *parser) start(r *reader) {
	i := p.functionIndex(r)
	if r.err != nil {
		return
	}
	p.startIndex = int(i)
	p.module.HasStart = true
	if t := p.types[p.funcs[i]]; len(t.Params)+len(t.Results) > 0 {
		p.add("", "the start function is %s, must be () -> ()", t)
	}
	if int(i) < p.importedFuncs {
		p.add("call it from a function of the module", "the start function is an import")
	}
}

func (p *parser) functionIndex(r *reader) uint32 { return r.index("function", len(p.funcs)) }
