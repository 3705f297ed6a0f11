package main

import (
	"fmt"
	"strings"

	"weirkeep/abi"
)

const (
	rowBytes  = 8  // bytes in a row of a diagram
	byteWidth = 10 // columns of a byte
)

// diagramOf draws a head or an entry, eight bytes a row.
func diagramOf(name string) (string, error) {
	l, err := layoutOf(name)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "```\n%s, %d bytes\n    ", l.Title, l.Size)
	width := min(l.Size, rowBytes)
	for i := range width - 1 {
		fmt.Fprintf(&b, "+%-*d", byteWidth-1, i)
	}
	fmt.Fprintf(&b, "+%d\n", width-1)
	for i, f := range l.Fields {
		if f.Off%rowBytes == 0 {
			fmt.Fprintf(&b, "%3d ", f.Off)
		}
		fmt.Fprintf(&b, "|%-*s", abi.TypeSizes[f.Type]*byteWidth-1, cell(f))
		if next := i + 1; next == len(l.Fields) || l.Fields[next].Off%rowBytes == 0 {
			b.WriteString("|\n")
		}
	}
	b.WriteString("```")
	return b.String(), nil
}

// cell is what a field's box says: its name, and its type if that fits.
func cell(f abi.LayoutField) string {
	if f.Const == "" {
		return " 0"
	}
	both := " " + f.Name + ": " + f.Type
	if len(both) < abi.TypeSizes[f.Type]*byteWidth-1 {
		return both
	}
	if len(f.Name)+1 < abi.TypeSizes[f.Type]*byteWidth-1 {
		return " " + f.Name
	}
	return f.Name
}
