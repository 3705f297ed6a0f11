package meter

import "cmp"

// Limits bound what a module may be made of. They are what keeps the engine's
// compiler, which cannot be stopped, from taking minutes over a small file.
// A field that is zero stands for its default.
type Limits struct {
	Module    int // bytes of the file; 16 MiB
	Functions int // imported ones included, and as many exports; 50,000
	Types     int // 10,000
	Globals   int // imported ones included; 10,000
	Body      int // bytes of one function; 1 MiB
	Locals    int // of one function, its parameters included; 2,000
	Blocks    int // blocks that are charged, of one function; 8,000
	Nesting   int // blocks, loops and ifs open at once; 1,000
	Targets   int // of all br_table of one function, the default ones not counted; 16,384
	Accesses  int // loads and stores of one function; 65,536
	Tables    int // imported ones included; 16
	Entries   int // of all tables together, at first; 65,536
}

// orDefaults puts the default in the place of every zero.
func (l Limits) orDefaults() Limits {
	return Limits{
		Module:    cmp.Or(l.Module, 16<<20),
		Functions: cmp.Or(l.Functions, 50_000),
		Types:     cmp.Or(l.Types, 10_000),
		Globals:   cmp.Or(l.Globals, 10_000),
		Body:      cmp.Or(l.Body, 1<<20),
		Locals:    cmp.Or(l.Locals, 2_000),
		Blocks:    cmp.Or(l.Blocks, 8_000),
		Nesting:   cmp.Or(l.Nesting, 1_000),
		Targets:   cmp.Or(l.Targets, 16_384),
		Accesses:  cmp.Or(l.Accesses, 65_536),
		Tables:    cmp.Or(l.Tables, 16),
		Entries:   cmp.Or(l.Entries, 65_536),
	}
}

const (
	pageSize = 64 << 10

	// allPages is as much memory as 32 bits can address.
	allPages = 65_536
)
