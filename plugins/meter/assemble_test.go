package meter

import "bytes"

// What the tests write modules with, byte by byte, where no assembler would.

// module is a module of these sections.
func module(sections ...[]byte) []byte {
	return append([]byte("\x00asm\x01\x00\x00\x00"), bytes.Join(sections, nil)...)
}

// list is a section that holds a list.
func list(id byte, items ...[]byte) []byte {
	return raw(id, append(appendU32(nil, uint32(len(items))), bytes.Join(items, nil)...)...)
}

// raw is a section that holds these bytes.
func raw(id byte, body ...byte) []byte {
	return append(appendU32([]byte{id}, uint32(len(body))), body...)
}

func named(name string, rest ...byte) []byte {
	return append(append(appendU32(nil, uint32(len(name))), name...), rest...)
}

func custom(name string, rest ...byte) []byte {
	return raw(customSection, named(name, rest...)...)
}

// fn is a function without locals; its end is added.
func fn(code ...byte) []byte { return fnWith([]byte{0}, code...) }

// fnWith is a function with these declarations of locals.
func fnWith(locals []byte, code ...byte) []byte {
	body := append(append(bytes.Clone(locals), code...), opEnd)
	return append(appendU32(nil, uint32(len(body))), body...)
}

// nullary is the type () -> ().
var nullary = []byte{0x60, 0, 0}

// page is a memory section: one page, no maximum.
var page = list(memorySection, []byte{0, 1})

// functionsOf is a module of functions () -> (), and of other sections by their
// place: those before the code.
func functionsOf(before [][]byte, bodies ...[]byte) []byte {
	declared := make([][]byte, len(bodies))
	for i := range declared {
		declared[i] = []byte{0}
	}
	all := [][]byte{list(typeSection, nullary), list(functionSection, declared...)}
	return module(append(append(all, before...), list(codeSection, bodies...))...)
}

// code is a module with a memory and one function () -> ().
func code(instructions ...byte) []byte {
	return functionsOf([][]byte{page}, fn(instructions...))
}
