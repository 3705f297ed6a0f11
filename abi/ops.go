package abi

import "fmt"

// Op is one operation: what a filter wants done, or a part of an http_call.
type Op struct {
	Code       uint16 // OpSetHeader and so on
	Key, Value []byte
}

// ReadOps appends to dst the operations in the first n bytes of area, and checks
// their framing: whole operations, padded with zeros to 4 bytes, at most 256.
// They refer to area. What they say is for [CheckOps]. An error is
// ErrInvalidResult.
func ReadOps(area []byte, n int32, dst []Op) ([]Op, error) {
	if n < 0 || n%4 != 0 || int(n) > len(area) {
		return dst, fmt.Errorf("%w: operations of %d bytes in a result area of %d; their length is a multiple of 4", ErrInvalidResult, n, len(area))
	}
	rest := area[:n:n]
	for read := 0; len(rest) > 0; read++ {
		op, size := cutOp(rest)
		if size == 0 || read == MaxOps {
			return dst, fmt.Errorf("%w: operation %d, at byte %d of %d, is cut off, badly padded, or one too many", ErrInvalidResult, read+1, int(n)-len(rest), n)
		}
		dst = append(dst, op)
		rest = rest[size:]
	}
	return dst, nil
}

// cutOp reads the operation that b begins with, and how many bytes it takes
// with its padding: 0 if there is none. The length of b is a multiple of 4.
func cutOp(b []byte) (op Op, size int) {
	if len(b) < opHead {
		return Op{}, 0
	}
	key := uint64(le.Uint16(b[opKeyLength:]))
	end := opHead + key + uint64(le.Uint32(b[opValueLength:]))
	if end > uint64(len(b)) {
		return Op{}, 0
	}
	padded := (end + 3) &^ 3
	for _, c := range b[end:padded] {
		if c != 0 {
			return Op{}, 0
		}
	}
	mid := opHead + key
	return Op{Code: le.Uint16(b[opCode:]), Key: b[opHead:mid:mid], Value: b[mid:end:end]}, int(padded)
}

// AppendOps appends operations as a guest writes them. Keys must have at most
// 65535 bytes.
func AppendOps(dst []byte, ops []Op) []byte {
	for _, o := range ops {
		dst = le.AppendUint16(dst, o.Code)
		dst = le.AppendUint16(dst, uint16(len(o.Key)))
		dst = le.AppendUint32(dst, uint32(len(o.Value)))
		dst = append(append(dst, o.Key...), o.Value...)
		for pad := -(len(o.Key) + len(o.Value)) & 3; pad > 0; pad-- {
			dst = append(dst, 0)
		}
	}
	return dst
}
