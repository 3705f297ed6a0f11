package meter

import (
	"fmt"
	"strings"
	"unicode"
)

// stale reports whether what a custom section says is no longer true of the new
// code: it names places in it by their distance in bytes. Names stay, because
// nothing is renumbered.
func stale(name string) bool {
	switch name {
	case "linking", "sourceMappingURL", "external_debug_info", "dylink", "dylink.0", "compilationHints":
		return true
	}
	for _, prefix := range [...]string{".debug_", "reloc.", "metadata.code."} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// functionName gives a function for people: by number, and by the name that the
// module has for it.
func (p *parser) functionName(index int) string {
	name := p.exportedAs(index)
	if name == "" {
		name = p.namedFunction(index)
	}
	if name == "" {
		return fmt.Sprintf("function %d", index)
	}
	return fmt.Sprintf("function %d (%s)", index, readable(name))
}

func (p *parser) exportedAs(function int) string {
	for _, e := range p.module.Exports {
		if e.Kind == Function && int(e.Index) == function {
			return e.Name
		}
	}
	return ""
}

// namedFunction looks a function up in the name section, whose second
// subsection (1) lists functions. It is only asked about a few.
func (p *parser) namedFunction(function int) string {
	const functionNames = 1
	for _, s := range p.sections {
		if s.ID != customSection {
			continue
		}
		r := &reader{b: s.body}
		for name := r.name(); name == "name" && r.more(); {
			id := r.u8()
			names := r.bytes(r.count("bytes"))
			if id == functionNames && r.err == nil {
				return lookUp(names, function)
			}
		}
	}
	return ""
}

// lookUp finds a name in pairs of an index and a name.
func lookUp(names []byte, index int) string {
	r := &reader{b: names}
	for n := r.count("names"); n > 0 && r.err == nil; n-- {
		i, name := r.u32(), r.bytes(r.count("bytes"))
		if int(i) == index && r.err == nil {
			return string(name)
		}
	}
	return ""
}

// maxName is how many bytes of a name are told.
const maxName = 100

// readable makes a name of the module fit for a line of text.
func readable(name string) string {
	if len(name) > maxName {
		name = name[:maxName] + "…"
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, name)
}
