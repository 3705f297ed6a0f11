package config

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Severity says whether a problem stops a configuration from being used.
type Severity uint8

const (
	Error   Severity = iota // the configuration is refused
	Warning                 // it is used; something in it is probably not meant
)

// String is the word for the severity, as it is printed before the code.
func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// MarshalText is String.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// A Problem is one mistake, with its place.
type Problem struct {
	File     string   `json:"file,omitempty"`   // as it was named by whoever named it; empty: no position
	Line     int      `json:"line,omitempty"`   // from 1
	Column   int      `json:"column,omitempty"` // from 1, in characters
	Severity Severity `json:"severity"`
	Code     string   `json:"code"`              // E102; [Codes] explains each
	Message  string   `json:"message"`           // what is wrong, in configuration keys
	Excerpt  string   `json:"excerpt,omitempty"` // the lines around it with a caret; may be empty
	Hint     string   `json:"hint,omitempty"`    // what to type instead; may be empty

	rank int // of the file, in the order in which files were read
}

// String is the problem as it is printed, over several lines: place, code and
// message; the excerpt; the hint, beside the caret when it is a single word
// that was probably meant.
func (p Problem) String() string {
	var b strings.Builder
	if p.File != "" {
		b.WriteString(p.File + ":" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column) + ": ")
	}
	b.WriteString(p.Severity.String() + " " + p.Code + ": " + p.Message)
	if p.Excerpt != "" {
		b.WriteString("\n" + p.Excerpt)
	}
	b.WriteString(p.hint())
	return b.String()
}

// hint is the end of String.
func (p Problem) hint() string {
	switch {
	case p.Hint == "":
		return ""
	case p.Excerpt != "" && strings.HasPrefix(p.Hint, didYouMean):
		return "  " + p.Hint
	}
	return "\nhint: " + p.Hint
}

// Problems are all that was found, in the order of the files.
type Problems []Problem

// Error is every problem as it is printed, one below the other.
func (ps Problems) Error() string {
	var b strings.Builder
	for i, p := range ps {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(p.String())
	}
	return b.String()
}

// Errors is how many of the problems are errors.
func (ps Problems) Errors() int { return len(ps) - ps.Warnings() }

// Warnings is how many of the problems are warnings.
func (ps Problems) Warnings() int {
	n := 0
	for _, p := range ps {
		if p.Severity == Warning {
			n++
		}
	}
	return n
}

// Sort puts problems in the order of the files and the places in them; those
// without a position come first. Problems of Load are sorted already: it is for
// whoever adds some from [Config.At].
func (ps Problems) Sort() { slices.SortStableFunc(ps, compareProblems) }

func compareProblems(a, b Problem) int {
	return cmp.Or(
		cmp.Compare(a.rank, b.rank),
		cmp.Compare(a.File, b.File),
		cmp.Compare(a.Line, b.Line),
		cmp.Compare(a.Column, b.Column),
		cmp.Compare(a.Severity, b.Severity),
		cmp.Compare(a.Code, b.Code),
		cmp.Compare(a.Message, b.Message),
	)
}
