package main

import (
	"encoding/binary"
	"fmt"
	"strings"

	"weirkeep/abi"
)

// dump shows bytes with what they mean.
type dump struct {
	bytes []byte
	lines []string
}

func (d *dump) String() string { return strings.Join(d.lines, "\n") }

// line shows n bytes, at most 16.
func (d *dump) line(at, n int, meaning string) {
	d.lines = append(d.lines, fmt.Sprintf("%04x  %-47s   %s", at, fmt.Sprintf("% x", d.bytes[at:at+n]), meaning))
}

// text shows the bytes up to end as characters.
func (d *dump) text(at, end int) {
	for ; at < end; at += 16 {
		n := min(16, end-at)
		d.line(at, n, printable(d.bytes[at:at+n]))
	}
}

func printable(b []byte) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '.'
		}
		return r
	}, string(b))
}

// field shows a field of the head, unless it is 0.
func (d *dump) field(f abi.LayoutField) {
	n := abi.TypeSizes[f.Type]
	raw := d.bytes[f.Off : f.Off+n]
	if strings.Trim(string(raw), "\x00") == "" {
		return
	}
	d.line(f.Off, n, f.Name+": "+d.meaning(f, raw))
}

func (d *dump) meaning(f abi.LayoutField, raw []byte) string {
	le := binary.LittleEndian
	switch f.Type {
	case "u8":
		return fmt.Sprint(raw[0])
	case "u16":
		return fmt.Sprint(le.Uint16(raw))
	case "u32":
		return fmt.Sprint(le.Uint32(raw))
	case "table":
		return fmt.Sprintf("%d at 0x%x", le.Uint32(raw), le.Uint32(raw[4:]))
	case "ref":
		off, n := le.Uint32(raw), le.Uint32(raw[4:])
		return fmt.Sprintf("%d bytes at 0x%x, %q", n, off, d.bytes[off:off+n])
	}
	return fmt.Sprint(le.Uint64(raw))
}
