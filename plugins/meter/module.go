package meter

import "strings"

// A ValueType is the type of a value, by its byte in the binary format.
type ValueType byte

const (
	I32       ValueType = 0x7f
	I64       ValueType = 0x7e
	F32       ValueType = 0x7d
	F64       ValueType = 0x7c
	V128      ValueType = 0x7b
	FuncRef   ValueType = 0x70
	ExternRef ValueType = 0x6f
)

func (t ValueType) String() string {
	switch t {
	case I32:
		return "i32"
	case I64:
		return "i64"
	case F32:
		return "f32"
	case F64:
		return "f64"
	case V128:
		return "v128"
	case FuncRef:
		return "funcref"
	case ExternRef:
		return "externref"
	}
	return "unknown"
}

func (t ValueType) known() bool { return t >= V128 && t <= I32 || t.reference() }

func (t ValueType) reference() bool { return t == FuncRef || t == ExternRef }

// A FuncType is what a function takes and gives.
type FuncType struct {
	Params, Results []ValueType
}

// String writes the type as in "(i32, i32) -> i32"; no result is "()".
func (t FuncType) String() string {
	results := typeList(t.Results)
	if len(t.Results) != 1 {
		results = "(" + results + ")"
	}
	return "(" + typeList(t.Params) + ") -> " + results
}

func typeList(types []ValueType) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = t.String()
	}
	return strings.Join(names, ", ")
}

// A Kind is what an import or export is, by its byte in the binary format.
type Kind byte

const (
	Function Kind = iota
	TableKind
	MemoryKind
	GlobalKind
)

func (k Kind) String() string {
	names := [...]string{"function", "table", "memory", "global"}
	if int(k) < len(names) {
		return names[k]
	}
	return "unknown"
}

// An Import is something that the host has to give.
type Import struct {
	Module, Name string
	Kind         Kind
	Type         FuncType // of a function
}

// An Export is something that the host may take.
type Export struct {
	Name     string
	Kind     Kind
	Index    uint32   // among all of its kind, imported ones first
	Imported bool     // it is one of the imports, handed on
	Type     FuncType // of a function
}

// A Memory is the linear memory, in pages of 64 KiB.
type Memory struct {
	Min      uint32
	Max      uint32 // 65,536, all that can be, when the module does not say
	Imported bool
	Export   string // "memory" if that is one of its names, else any other, else empty
}

// A Table is a table of references, in entries.
type Table struct {
	Type     ValueType
	Min      uint32
	Max      uint32 // 4,294,967,295 when the module does not say
	Imported bool
}

// A Section is a part of the file, in the order of the file.
type Section struct {
	ID     byte
	Name   string // of a custom section, whose ID is 0
	Offset int    // of its contents in the file
	Size   int    // of its contents, in bytes
}

// A Module is what there is to know of a module without running it.
type Module struct {
	Imports   []Import
	Exports   []Export
	Memory    *Memory // nil when there is none
	Tables    []Table // imported ones first
	Functions int     // imported ones included
	Globals   int     // imported ones included
	Sections  []Section
	GoGuest   bool // built by Go's own compiler: wants more memory and fuel
	HasStart  bool
}

// A section with what is in it.
type section struct {
	Section
	body []byte
}
