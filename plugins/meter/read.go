package meter

import (
	"encoding/binary"
	"fmt"
	"unicode/utf8"
)

// A reader takes a part of the module apart. Its first mistake stays: from then
// on every read gives zero and moves nothing, so callers look at err once, at
// the end of what they read, and in loops.
type reader struct {
	b    []byte
	p    int
	base int // where b begins in the file
	err  *mistake
}

// A mistake is why a reader gave up.
type mistake struct {
	what    string
	feature feature // not 0: a feature that is not run, what is where it was met
}

func (r *reader) more() bool { return r.err == nil && r.p < len(r.b) }

func (r *reader) rest() int { return len(r.b) - r.p }

// at is the place in the file of the byte that is read next.
func (r *reader) at() int { return r.base + r.p }

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = &mistake{what: fmt.Sprintf(format, args...) + fmt.Sprintf(" at byte %d", r.at())}
	}
}

func (r *reader) refuse(f feature, what string) {
	if r.err == nil {
		r.err = &mistake{feature: f, what: what}
	}
}

// refuseType tells a type of a later version from none at all.
func (r *reader) refuseType(b byte, what string) {
	if f := laterTypes[b]; f != 0 {
		r.refuse(f, fmt.Sprintf("%s 0x%02x", what, b))
		return
	}
	r.fail("unknown %s 0x%02x", what, b)
}

func (r *reader) u8() byte {
	if r.err != nil {
		return 0
	}
	if r.p >= len(r.b) {
		r.fail("ends too early")
		return 0
	}
	b := r.b[r.p]
	r.p++
	return b
}

// bytes gives the next n as they lie in the module.
func (r *reader) bytes(n int) []byte {
	if r.err != nil {
		return nil
	}
	if n > r.rest() {
		r.fail("ends too early: %d bytes wanted, %d left,", n, r.rest())
		return nil
	}
	b := r.b[r.p : r.p+n]
	r.p += n
	return b
}

// u32 reads an unsigned LEB128 number of at most 5 bytes and 32 bits.
func (r *reader) u32() uint32 {
	if r.err == nil && r.p < len(r.b) && r.b[r.p] < 0x80 {
		r.p++
		return uint32(r.b[r.p-1])
	}
	return r.longU32()
}

func (r *reader) longU32() uint32 {
	var v uint32
	for shift := 0; shift < 35; shift += 7 {
		b := r.u8()
		if shift == 28 && b > 0x0f {
			break
		}
		v |= uint32(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
	r.fail("number that is not 32 bits")
	return 0
}

// signed reads a signed LEB128 number of at most so many bits.
func (r *reader) signed(bits int) int64 {
	var v int64
	for shift := 0; shift < bits; shift += 7 {
		b := r.u8()
		v |= int64(b&0x7f) << shift
		if left := bits - shift; left < 7 && !signExtends(b, left) {
			break
		}
		if b < 0x80 {
			if shift+7 < 64 && b&0x40 != 0 {
				v |= -1 << (shift + 7)
			}
			return v
		}
	}
	r.fail("number that is not %d bits", bits)
	return 0
}

// signExtends reports whether in the last byte of a number, of which so many
// bits count, the others are copies of the sign, and no byte follows.
func signExtends(b byte, bits int) bool {
	sign := int8(b<<1) >> 1 // the 7 bits as a signed number
	high := sign >> (bits - 1)
	return b < 0x80 && (high == 0 || high == -1)
}

// count reads how many items follow. No item is shorter than a byte, so what
// cannot be there is refused before anything is made of it.
func (r *reader) count(what string) int {
	n := r.u32()
	if uint64(n) > uint64(r.rest()) {
		r.fail("%d %s in %d bytes", n, what, r.rest())
		return 0
	}
	return int(n)
}

// index reads the number of something, of which so many are there.
func (r *reader) index(what string, there int) uint32 {
	at := r.p
	i := r.u32()
	if r.err == nil && uint64(i) >= uint64(there) {
		r.p = at
		r.fail("%s %d of %d", what, i, there)
	}
	if r.err != nil {
		return 0
	}
	return i
}

func (r *reader) name() string {
	b := r.bytes(r.count("bytes of a name"))
	if !utf8.Valid(b) {
		r.fail("name that is not UTF-8")
		return ""
	}
	return string(b)
}

// appendU32 writes v in LEB128, unsigned.
func appendU32(dst []byte, v uint32) []byte {
	return binary.AppendUvarint(dst, uint64(v))
}

// appendSigned writes v in LEB128, signed.
func appendSigned(dst []byte, v int64) []byte {
	for v < -64 || v > 63 {
		dst = append(dst, byte(v)|0x80)
		v >>= 7
	}
	return append(dst, byte(v)&0x7f)
}
