package meter

import (
	"bytes"
	"fmt"
)

// Section ids of the binary format.
const (
	customSection = iota
	typeSection
	importSection
	functionSection
	tableSection
	memorySection
	globalSection
	exportSection
	startSection
	elementSection
	codeSection
	dataSection
	dataCountSection
	tagSection // of exceptions
)

// sectionKinds are the sections of core 2.0 by id: what each is called, where it
// stands among the others, and who reads it.
var sectionKinds = [...]struct {
	name  string
	order int
	read  func(*parser, *reader)
}{
	customSection:    {"custom", 0, (*parser).custom},
	typeSection:      {"type", 1, (*parser).functionTypes},
	importSection:    {"import", 2, (*parser).imports},
	functionSection:  {"function", 3, (*parser).functions},
	tableSection:     {"table", 4, (*parser).tables},
	memorySection:    {"memory", 5, (*parser).memories},
	globalSection:    {"global", 6, (*parser).globals},
	exportSection:    {"export", 7, (*parser).exports},
	startSection:     {"start", 8, (*parser).start},
	elementSection:   {"element", 9, (*parser).elements},
	codeSection:      {"code", 11, (*parser).code},
	dataSection:      {"data", 12, (*parser).data},
	dataCountSection: {"data count", 10, (*parser).dataCount},
}

// A parser has read the module up to some place, and knows what the code behind
// it may name.
type parser struct {
	findings
	limits Limits
	wasm   []byte
	module *Module

	sections        []section
	types           []FuncType
	funcs           []uint32 // type of each function, imported ones first
	importedFuncs   int
	globalMutable   []bool // of each global, imported ones first
	importedGlobals int
	memoryCount     int
	elementCount    int
	segments        int    // data segments, once the data section was read
	segmentsSaid    int    // by the data count section, -1 without one
	startIndex      int    // -1 without one
	declared        []bool // functions that ref.func may name
	coded           int    // functions in the code section
	bodies          []body
	broken          bool // a section could not be read to its end: what comes later may only seem wrong
}

// A body is one function of the code section, its size not included.
type body struct {
	code []byte
	at   int // in the file
}

// parse reads everything but the instructions. The problems are in the parser.
func parse(wasm []byte, limits Limits) *parser {
	p := &parser{limits: limits.orDefaults(), wasm: wasm, module: &Module{}, segmentsSaid: -1, startIndex: -1}
	if !p.preamble() {
		p.module = nil
		return p
	}
	p.split()
	for _, s := range p.sections {
		p.section(s)
	}
	p.settle()
	return p
}

const magic = "\x00asm"

// preamble looks at what every module begins with, and says what it is that
// begins otherwise.
func (p *parser) preamble() bool {
	const core, component = "\x01\x00\x00\x00", "\x00\x01\x00" // the latter behind a version
	begins := func(with string) bool { return bytes.HasPrefix(p.wasm, []byte(with)) }
	switch {
	case len(p.wasm) > p.limits.Module:
		p.add("build with optimisation for size and without debug information", "module of %d bytes, at most %d are loaded", len(p.wasm), p.limits.Module)
	case begins(magic + core):
		return true
	case bytes.HasPrefix([]byte(magic+core), p.wasm) && len(p.wasm) > 0:
		p.add("build or copy it again", "truncated: the file has %d bytes", len(p.wasm))
	case !begins(magic):
		p.add("build for wasm32", "not WebAssembly")
	case len(p.wasm) >= 8 && string(p.wasm[5:8]) == component:
		p.add("build a core module: wasm32-unknown-unknown or wasip1, not wasip2", "a component")
	default:
		p.add("build a core module", "WebAssembly of unknown version %x", p.wasm[4:min(8, len(p.wasm))])
	}
	return false
}

// split finds the sections, as far as the file goes.
func (p *parser) split() {
	r := &reader{b: p.wasm, p: 8}
	for last := 0; r.more(); {
		id, at := r.u8(), r.at()
		size := r.u32()
		if r.err == nil && uint64(size) > uint64(r.rest()) {
			p.add("build or copy it again", "truncated: the %s section at byte %d has %d bytes, %d of them are there", sectionName(id), at, size, r.rest())
			p.broken = true
			return
		}
		s := section{Section: Section{ID: id, Offset: r.at(), Size: int(size)}, body: r.bytes(int(size))}
		if r.err == nil {
			last = p.sectionFound(s, last)
		}
	}
	if r.err != nil {
		p.mistake("sections", r.err)
	}
}

// sectionFound keeps a section, and gives its place in the order of sections.
func (p *parser) sectionFound(s section, last int) int {
	switch {
	case s.ID == tagSection:
		p.refuse(exceptions, "tag section") // its tags are counted for themselves
		return last
	case int(s.ID) >= len(sectionKinds):
		p.add("", "unknown section %d at byte %d", s.ID, s.Offset)
		p.broken = true
		return last
	case s.ID != customSection && sectionKinds[s.ID].order <= last:
		p.add("", "%s section at byte %d is twice there or too late", sectionName(s.ID), s.Offset)
		p.broken = true
		return last
	}
	p.sections = append(p.sections, s)
	return max(last, sectionKinds[s.ID].order)
}

func sectionName(id byte) string {
	if int(id) < len(sectionKinds) {
		return sectionKinds[id].name
	}
	return fmt.Sprint(id)
}

// section reads one section, which has to end where its size says. Behind one
// that could not be read only the custom ones are: the others may name what it
// has not told.
func (p *parser) section(s section) {
	r := &reader{b: s.body, base: s.Offset}
	i := len(p.module.Sections)
	p.module.Sections = append(p.module.Sections, s.Section)
	if s.ID == customSection {
		p.module.Sections[i].Name = r.name()
	}
	if p.broken && s.ID != customSection {
		return
	}
	sectionKinds[s.ID].read(p, r)
	if r.more() {
		r.fail("%d bytes too many", r.rest())
	}
	if r.err != nil {
		p.mistake(sectionName(s.ID)+" section", r.err)
	}
}

// mistake notes why a section was not read to its end.
func (p *parser) mistake(where string, m *mistake) {
	p.broken = true
	p.note(func() string { return where }, m)
}

// note tells a mistake as a problem. Where it is, is asked only if it is told:
// finding names takes long, and there may be as many mistakes as functions.
func (p *parser) note(where func() string, m *mistake) {
	switch {
	case m.feature != 0 && p.refusedBefore(m.feature), p.full():
	case m.feature != 0:
		p.refuse(m.feature, m.what+" in "+where())
	default:
		p.add("", "%s: %s", where(), m.what)
	}
}

// over notes that there is more of something than the limits allow, and ends the
// section, so that no more of it is kept.
func (p *parser) over(r *reader, n, limit int, what string) bool {
	if n <= limit {
		return false
	}
	r.fail("%d %s, at most %d are loaded,", n, what, limit)
	return true
}

// settle looks at what only all sections together can tell.
func (p *parser) settle() {
	if p.broken {
		return
	}
	if own := len(p.funcs) - p.importedFuncs; own != p.coded {
		p.add("", "%d functions are declared, %d have code", own, p.coded)
		p.broken = true
	}
	if p.segmentsSaid >= 0 && p.segmentsSaid != p.segments {
		p.add("", "%d data segments are announced, %d are there", p.segmentsSaid, p.segments)
	}
}
