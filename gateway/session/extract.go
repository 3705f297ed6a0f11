package session

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Extract reads off a session id what the origins have written into it: which of
// them began the session, and which holds its replica. The zero value takes the
// whole id for that of the origin.
type Extract struct {
	format format // nil: plain
}

// A format reads the ids of origins off a session id. What it returns are views
// of that, and nil where it names none.
type format interface {
	parts(id []byte) (primary, secondary []byte)
}

// formats is every format that needs no options, by its name in the
// configuration. To add one, write its file and add its line.
var formats = map[string]format{
	"plain":    plain{},
	"weblogic": weblogic{},
}

// Formats are the names of the formats.
func Formats() []string {
	var names []string
	for name := range formats {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// ExtractOptions say where in a session id origins are named. At most one of
// Format, Regex, and Offset with the others is given. The zero value takes the
// whole id.
type ExtractOptions struct {
	// Format is "plain": the whole id; or "weblogic":
	// id!primary!secondary, where the latter may be NONE or not there, and more
	// parts may follow.
	Format string

	// Offset is how many characters stand before the origin's id. It ends at the
	// first of StopChars, which are ASCII, else at the end of the session id; and
	// it is cut to Length bytes (0: it is not cut).
	Offset, Length int
	StopChars      string

	// Regex has a group named primary, or a first group, and perhaps one named
	// secondary.
	Regex string
}

// NewExtract compiles the options.
func NewExtract(o ExtractOptions) (Extract, error) {
	if err := o.validate(); err != nil {
		return Extract{}, err
	}
	switch {
	case o.Regex != "":
		return newExpression(o.Regex)
	case o.byPlace():
		return Extract{newPlace(o)}, nil
	}
	return Extract{formats[o.Format]}, nil
}

// validate returns the first mistake: each of them leaves open what the others
// would mean.
func (o ExtractOptions) validate() error {
	switch {
	case o.Format != "" && (o.byPlace() || o.Regex != ""), o.Regex != "" && o.byPlace():
		return errors.New("write one of format, regex, and offset with length or stop_chars")
	case o.Format != "" && formats[o.Format] == nil:
		return fmt.Errorf("format %q does not exist: there is %s", o.Format, strings.Join(Formats(), ", "))
	case o.byPlace():
		return o.validatePlace()
	}
	return nil
}

// Doubts are what of the options is allowed and probably a mistake. Each begins
// with the key that it is about.
func (o ExtractOptions) Doubts() (doubts []string) {
	if doubt := o.doubtLength(); doubt != "" {
		doubts = append(doubts, doubt)
	}
	return doubts
}

// Parts are what a session id says of its origins, views of it; nil: nothing.
// It allocates nothing unless a regular expression reads the id.
func (d *Definition) Parts(id []byte) (primary, secondary []byte) {
	if d.Extract.format == nil {
		return plain{}.parts(id)
	}
	return d.Extract.format.parts(id)
}

// some is b, or nil if it is empty.
func some(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return b
}
