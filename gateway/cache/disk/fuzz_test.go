package disk

import (
	"bytes"
	"testing"
)

// FuzzRecord: any bytes either are a record, which is written as the same bytes again, or
// are refused. They never panic.
func FuzzRecord(f *testing.F) {
	d := description{id: idOf(1), label: labelOf(1, 1, 10), length: 10}
	d.chunks, d.sums = d.chunks.append(place{1, 48}), d.sums.append(7)
	f.Add(d.append(nil))
	f.Add((&description{}).append(nil))
	f.Add(bytes.Repeat([]byte{0xff}, 80))
	f.Fuzz(func(t *testing.T, in []byte) {
		var d description
		if !d.parse(in) {
			return
		}
		want := append([]byte(nil), in...)
		clear(want[28:32]) // means nothing
		if got := d.append(nil); !bytes.Equal(got, want) {
			t.Fatalf("written again: %x, want %x", got, want)
		}
	})
}

// FuzzList: any bytes are a list of items, which are written as the same bytes again, and
// a rest that is none.
func FuzzList(f *testing.F) {
	i := item{kind: record, id: idOf(1), off: 2, size: 3, oldest: 4, flags: 5, length: 6, summary: []byte("seven")}
	f.Add(i.append((&item{kind: flagging, flags: 9}).append((&item{kind: deletion}).append(nil))))
	f.Add(bytes.Repeat([]byte{3}, 40))
	f.Fuzz(func(t *testing.T, in []byte) {
		var i item
		var out []byte
		rest := in
		for ok := true; ok; {
			if rest, ok = i.next(rest); ok {
				out = i.append(out)
			}
		}
		if whole := in[:len(in)-len(rest)]; !bytes.Equal(out, whole) {
			t.Fatalf("written again: %x, want %x", out, whole)
		}
	})
}

// FuzzSegment: a folder with any bytes where the frames of a segment were opens, and has
// what it had before them, or less.
func FuzzSegment(f *testing.F) {
	d := newRAMDisk()
	s := openOn(f, d, options())
	mustPut(f, s, 1, 1, 100)
	d = d.copy()
	name := s.path(1)
	whole := d.files[name].b
	f.Add(0, []byte("garbage"))
	f.Add(50, bytes.Repeat([]byte{0xff}, 200))
	f.Add(len(whole), whole[segmentHead:])
	f.Fuzz(func(t *testing.T, at int, b []byte) {
		at = min(max(at, 0), len(whole))
		c := newRAMDisk()
		c.files[name] = &ramFile{d: c, name: name, b: append(bytes.Clone(whole[:at]), b...)}
		s := openOn(t, c, options())
		if version, err := get(s, 1); err != nil || version != none && version != 1 {
			t.Fatalf("version %d, %v", version, err)
		}
		mustPut(t, s, 2, 1, 10)
		expect(t, s, 2, 1)
	})
}
