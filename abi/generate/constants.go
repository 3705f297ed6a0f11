package main

import (
	"strings"
	"unicode"

	"weirkeep/abi"
)

// group is constants of one type that belong together.
type group struct {
	title     string
	kind      string // u32, i32, u64, i64
	constants []constant
}

// constant is a number with a name in Go's manner.
type constant struct {
	name   string
	number int64
	text   string
}

// groups are all constants of the contract.
func groups() (all []group) {
	for _, g := range abi.Groups {
		all = append(all, valueGroup(g))
	}
	all = append(all, errorGroup(), needGroup())
	for _, l := range abi.Layouts {
		all = append(all, layoutGroup(l))
	}
	return all
}

func valueGroup(g abi.Group) group {
	made := group{title: g.Title, kind: g.Type}
	for _, v := range g.Values {
		made.constants = append(made.constants, constant{v.Name, v.Number, v.Text})
	}
	return made
}

func errorGroup() group {
	made := group{title: "Error codes; all other negative numbers count as the first", kind: "i32"}
	for _, e := range abi.ErrorCodes {
		made.constants = append(made.constants, constant{camel(e.Name), int64(e.Code), lowerFirst(e.Text)})
	}
	return made
}

func needGroup() group {
	made := group{title: "Bits of granted: what a plugin is shown", kind: "u32"}
	for _, t := range abi.Tokens {
		if t.Const != "" {
			made.constants = append(made.constants, constant{t.Const, int64(t.Bit), t.Text})
		}
	}
	return made
}

// layoutGroup is the offsets of a head or an entry, and its size.
func layoutGroup(l *abi.Layout) group {
	made := group{title: l.Title + ": offsets and size", kind: "u32"}
	for _, f := range l.Fields {
		if f.Const != "" {
			made.constants = append(made.constants, constant{l.Const + f.Const, int64(f.Off), f.Type + ": " + f.Name})
		}
	}
	size := constant{l.Const + "Head", int64(l.Size), "bytes of the head"}
	if l.Entry && l != &abi.OpLayout {
		size = constant{l.Const + "Entry", int64(l.Size), "bytes of an entry"}
	}
	made.constants = append(made.constants, size)
	return made
}

// camel makes BufferTooSmall of buffer-too-small.
func camel(kebab string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(kebab, "-") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// lowerFirst makes a sentence a phrase.
func lowerFirst(s string) string {
	return strings.TrimSuffix(strings.ToLower(s[:1])+s[1:], ".")
}

// snake makes OP_SET_HEADER of OpSetHeader, and KV_ALWAYS of KVAlways.
func snake(name string) string {
	runes, b := []rune(name), strings.Builder{}
	for i, r := range runes {
		if i > 0 && unicode.IsUpper(r) {
			next := i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if unicode.IsLower(runes[i-1]) || unicode.IsUpper(runes[i-1]) && next || unicode.IsDigit(runes[i-1]) {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToUpper(r))
	}
	return b.String()
}
