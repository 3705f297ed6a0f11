package session

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Extract reads off a session id what the origins have written into it: which of
// them began the session, and which holds its replica. The zero value takes the
// whole id for the name of the origin.
type Extract struct {
	read *reader // nil: plain
}

// A reader reads the ids of origins off a session id.
type reader func(id []byte) (primary, secondary []byte)

// ExtractOptions say where in a session id origins are named. At most one of
// Format, Regex, and Offset with the others is given.
type ExtractOptions struct {
	// Format is "plain": the whole id; or "weblogic":
	// id!primary!secondary, where the latter may be NONE or not there, and more
	// parts may follow.
	Format string

	// Offset is how many bytes stand before the origin's id. It ends at the first
	// of StopChars, else at the end of the session id, and is no longer than Length
	// (0: as long as it is).
	Offset, Length int
	StopChars      string

	// Regex has a group named primary, or a first group, and perhaps one named
	// secondary.
	Regex string
}

// extractFormats is every format there is.
var extractFormats = map[string]reader{
	"plain":    plainID,
	"weblogic": weblogicID,
}

// Formats are the names of the formats.
func Formats() []string {
	var names []string
	for name := range extractFormats {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// NewExtract compiles the options. None is plain.
func NewExtract(o ExtractOptions) (Extract, error) {
	byPlace := o.Offset != 0 || o.Length != 0 || o.StopChars != ""
	switch {
	case o.Format != "" && (byPlace || o.Regex != ""), o.Regex != "" && byPlace:
		return Extract{}, errors.New("write one of format, regex, and offset with length or stop_chars")
	case o.Regex != "":
		return regexExtract(o.Regex)
	case byPlace:
		return placeExtract(o)
	case o.Format == "":
		return Extract{}, nil
	}
	read := extractFormats[o.Format]
	if read == nil {
		return Extract{}, fmt.Errorf("format %q does not exist: there is %s", o.Format, strings.Join(Formats(), ", "))
	}
	return Extract{&read}, nil
}

// Doubts are what of the options is allowed and probably a mistake.
func (o ExtractOptions) Doubts() (doubts []string) {
	if o.Length > 0 && o.Length < 12 && o.StopChars == "" {
		doubts = append(doubts, fmt.Sprintf("length: %d alone cuts ids that are longer: captures show ids of 9 to 11 characters; write stop_chars, which win", o.Length))
	}
	return doubts
}

// Parts are what a session id says of its origins, views of it; nil: nothing.
// It allocates nothing unless a regular expression reads the id.
func (d *Definition) Parts(id []byte) (primary, secondary []byte) {
	if d.Extract.read == nil {
		return plainID(id)
	}
	return (*d.Extract.read)(id)
}

func plainID(id []byte) (primary, secondary []byte) { return some(id), nil }

// some is b, or nil if it is empty.
func some(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return b
}

// weblogicID reads id!primary!secondary (M-PERS-03). In a URL a client may have
// written "!" as %21.
func weblogicID(id []byte) (primary, secondary []byte) {
	_, rest, found := cutBang(id)
	if !found {
		return nil, nil
	}
	primary, rest, _ = cutBang(rest)
	secondary, _, _ = cutBang(rest)
	if string(secondary) == "NONE" {
		secondary = nil
	}
	if string(primary) == "NONE" {
		primary = nil
	}
	return some(primary), some(secondary)
}

// cutBang cuts at the first "!", in either spelling.
func cutBang(b []byte) (before, after []byte, found bool) {
	i, j := bytes.IndexByte(b, '!'), bytes.Index(b, escapedBang)
	switch {
	case j >= 0 && (i < 0 || j < i):
		return b[:j], b[j+len(escapedBang):], true
	case i >= 0:
		return b[:i], b[i+1:], true
	}
	return b, nil, false
}

var escapedBang = []byte("%21")

// placeExtract reads an id at a place (M-PERS-02, M-PERS-12).
func placeExtract(o ExtractOptions) (Extract, error) {
	switch {
	case o.Offset < 0 || o.Length < 0:
		return Extract{}, errors.New("offset and length are counts of bytes, 0 or more")
	case o.Length == 0 && o.StopChars == "":
		return Extract{}, errors.New("offset alone does not say where the id ends: write length or stop_chars")
	}
	read := reader(func(id []byte) (primary, secondary []byte) {
		if len(id) <= o.Offset {
			return nil, nil
		}
		part := id[o.Offset:]
		if i := bytes.IndexAny(part, o.StopChars); i >= 0 {
			part = part[:i]
		}
		if o.Length > 0 && len(part) > o.Length {
			part = part[:o.Length]
		}
		return some(part), nil
	})
	return Extract{&read}, nil
}

func regexExtract(expression string) (Extract, error) {
	re, err := regexp.Compile(expression)
	if err != nil {
		return Extract{}, fmt.Errorf("regex: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	first, second := re.SubexpIndex("primary"), re.SubexpIndex("secondary")
	if first < 0 {
		first = 1
	}
	if re.NumSubexp() < first || first == second {
		return Extract{}, errors.New("regex: it has no group for the id: write one in parentheses, or (?P<primary>...)")
	}
	read := reader(func(id []byte) (primary, secondary []byte) {
		m := re.FindSubmatch(id)
		if m == nil {
			return nil, nil
		}
		if second >= 0 {
			secondary = some(m[second])
		}
		return some(m[first]), secondary
	})
	return Extract{&read}, nil
}
