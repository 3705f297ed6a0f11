package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// The names of the globals that a metered module counts in.
const (
	FuelGlobal  = "__gw_fuel"  // i64
	DepthGlobal = "__gw_depth" // i64
	MarkGlobal  = "__gw_mark"  // i32
)

// ErrUnmetered means a module that an engine will not run, because nothing
// would stop it: it has a start function, or one of the three globals is not
// exported.
var ErrUnmetered = errors.New("the module is not metered")

const (
	sectionExport = 7
	sectionStart  = 8
	kindGlobal    = 3
)

// CheckMetered is for engines: it returns an error that wraps [ErrUnmetered]
// unless the module has no start function and exports the three globals. It
// reads no more than it needs for that; that the module is valid is the
// compiler's to say.
func CheckMetered(module []byte) error {
	r := reader{rest: module}
	if string(r.bytes(8)) != "\x00asm\x01\x00\x00\x00" {
		return fmt.Errorf("%w: it does not begin like a core module", ErrUnmetered)
	}
	missing := map[string]bool{FuelGlobal: true, DepthGlobal: true, MarkGlobal: true}
	for len(r.rest) > 0 && !r.bad {
		id := r.byte()
		body := reader{rest: r.bytes(r.number())}
		switch id {
		case sectionStart:
			return fmt.Errorf("%w: it has a start function", ErrUnmetered)
		case sectionExport:
			body.exports(missing)
			r.bad = r.bad || body.bad
		}
	}
	for _, name := range []string{FuelGlobal, DepthGlobal, MarkGlobal} {
		if missing[name] {
			return fmt.Errorf("%w: it does not export %s", ErrUnmetered, name)
		}
	}
	if r.bad {
		return fmt.Errorf("%w: its sections cannot be read", ErrUnmetered)
	}
	return nil
}

// reader reads the encoding of modules. Once it is bad it gives zeros.
type reader struct {
	rest []byte
	bad  bool
}

// exports strikes out the names of the globals that the section exports.
func (r *reader) exports(missing map[string]bool) {
	for n := r.number(); n > 0 && !r.bad; n-- {
		name := string(r.bytes(r.number()))
		kind := r.byte()
		r.number()
		if kind == kindGlobal && !r.bad {
			delete(missing, name)
		}
	}
}

func (r *reader) byte() byte {
	if b := r.bytes(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

func (r *reader) bytes(n uint64) []byte {
	if n > uint64(len(r.rest)) {
		r.bad = true
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

// number reads an unsigned LEB128.
func (r *reader) number() uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.bad = true
		return 0
	}
	r.rest = r.rest[n:]
	return v
}
