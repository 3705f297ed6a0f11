package session

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"weirkeep/gateway/wire"
)

// place is where in an id a single origin is named: from a position on, up to a
// character that ends it (M-PERS-02, M-PERS-12). An escape of such a character is
// that character, so that %21 is one and counts as one, as ! does: which of the
// two arrives is the client's choice. No other escape is looked at.
type place struct {
	offset, length int
	stops          [256]bool
}

func newPlace(o ExtractOptions) *place {
	p := &place{offset: o.Offset, length: o.Length}
	for i := range len(o.StopChars) {
		p.stops[o.StopChars[i]] = true
	}
	return p
}

func (p *place) parts(id []byte) (primary, secondary []byte) {
	part := id[p.start(id):]
	part = part[:p.end(part)]
	if p.length > 0 && len(part) > p.length {
		part = part[:p.length]
	}
	return some(part), nil
}

// start returns where in id the part begins: at its end, if it is too short.
func (p *place) start(id []byte) int {
	if bytes.IndexByte(id, '%') < 0 {
		return min(p.offset, len(id))
	}
	at := 0
	for n := 0; n < p.offset && at < len(id); n++ {
		at++
		if p.escapedStop(id[at-1:]) {
			at += 2
		}
	}
	return at
}

// end returns where a part ends.
func (p *place) end(part []byte) int {
	for i, c := range part {
		if p.stops[c] || c == '%' && p.escapedStop(part[i:]) {
			return i
		}
	}
	return len(part)
}

// escapedStop reports whether b begins with the escape of a character that ends
// a part.
func (p *place) escapedStop(b []byte) bool {
	o, ok := wire.CutOctet(b)
	return ok && o.Taken > 1 && p.stops[o.Value]
}

func (o ExtractOptions) byPlace() bool {
	return o.Offset != 0 || o.Length != 0 || o.StopChars != ""
}

func (o ExtractOptions) validatePlace() error {
	switch {
	case o.Offset < 0 || o.Length < 0:
		return errors.New("offset and length are counts of characters, 0 or more")
	case o.Length == 0 && o.StopChars == "":
		return errors.New("offset alone does not say where the id ends: write length or stop_chars")
	case strings.ContainsFunc(o.StopChars, func(r rune) bool { return r > 0x7f }):
		return fmt.Errorf("stop_chars %q are not all ASCII: the bytes of an id are no other characters", o.StopChars)
	}
	return nil
}

// longestID is how long an id of a server is at most in captures: ten digits and
// a sign.
const longestID = 11

// doubtLength says what is wrong with a length that is counted from an id of the
// usual ten characters (M-PERS-05).
func (o ExtractOptions) doubtLength() string {
	switch {
	case o.Length <= 0 || o.Length > longestID:
		return ""
	case o.StopChars == "":
		return fmt.Sprintf("length: %d alone cuts ids that are longer: captures show ids of 9 to 11 characters; write stop_chars, which win", o.Length)
	case o.Length < longestID:
		return fmt.Sprintf("length: %d cuts ids that are longer: captures show ids of 9 to 11 characters; leave it out, stop_chars say where an id ends", o.Length)
	}
	return ""
}
