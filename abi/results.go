package abi

import (
	"fmt"
	"unicode/utf8"
)

// ReadRoute appends to dst the positions that a router listed: it returned n,
// and area is the result area, all of it. An error is ErrInvalidResult.
func ReadRoute(area []byte, n int32, dst []uint16) ([]uint16, error) {
	if n < 0 || n > MaxRoute || 2*int(n) > len(area) {
		return dst, invalidCount(n, len(area))
	}
	for i := range int(n) {
		dst = append(dst, le.Uint16(area[2*i:]))
	}
	return dst, nil
}

// ReadNames calls found with each name that a router listed: it returned n, and
// area is the result area, all of it. The list is checked first: with an error,
// which is ErrInvalidResult, found was not called. The names refer to area.
func ReadNames(area []byte, n int32, found func(name []byte)) error {
	if n < 0 || n > MaxRoute {
		return invalidCount(n, len(area))
	}
	rest := area
	for range n {
		if _, rest = cutName(rest); rest == nil {
			return invalidCount(n, len(area))
		}
	}
	rest = area
	for range n {
		var name []byte
		name, rest = cutName(rest)
		found(name)
	}
	return nil
}

// cutName takes a name off the list. The rest is nil if there is none.
func cutName(b []byte) (name, rest []byte) {
	if len(b) < 2 {
		return nil, nil
	}
	end := 2 + int(le.Uint16(b))
	if end > len(b) {
		return nil, nil
	}
	return b[2:end:end], b[end:]
}

func invalidCount(n int32, area int) error {
	return fmt.Errorf("%w: a list of %d origins; it may have %d, and must lie in the result area of %d bytes", ErrInvalidResult, n, MaxRoute, area)
}

// ReadRefusal returns why a guest refused its params: b is the buffer after
// gw_configure returned a negative number. It is not ok if no message of 1 to
// 1024 bytes of UTF-8 is there, which is a guest's right.
func ReadRefusal(b []byte) (message []byte, ok bool) {
	if len(b) < 4 {
		return nil, false
	}
	n := le.Uint32(b)
	if n == 0 || n > MaxMessage || uint64(n) > uint64(len(b)-4) {
		return nil, false
	}
	message = b[4 : 4+n]
	return message, utf8.Valid(message)
}
