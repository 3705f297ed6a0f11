// Package websphere converts the routing rules of WebSphere Intelligent
// Management to our configuration.
//
// [Convert] reads what people have: rules.xml, a script of wsadmin commands in
// Jacl or Jython, or the server.xml of Liberty. It writes the keys rules, lists,
// affinity_shields, override_affinity and rules_authority as YAML, with the
// original above each rule, and a file of tests.
//
// The original compares in three-valued logic: whatever asks for a header, cookie
// or parameter that a request does not have is neither true nor false, and no
// negation makes it so. Ours has no such value. A converted expression is true
// exactly when the original is true: negations are pushed down to the
// comparisons, and those that an absent value would satisfy are guarded.
//
// A rule that cannot be converted as it is meant is never guessed at. It is
// written as a comment, and reported. So is what depends on a deployment that the
// file does not show.
package websphere

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxFile is the size of the largest file that is read, in bytes.
const MaxFile = 8 << 20

// maxRules is how many rules a file may have.
const maxRules = 20_000

// A FileError is why a file cannot be read at all.
type FileError struct {
	Line, Column int // from 1; 0: the file as a whole
	Message      string
}

func (e *FileError) Error() string { return e.Message }

// Finding is the error as a line of a report.
func (e *FileError) Finding() Finding {
	return Finding{Line: e.Line, Column: e.Column, Code: codeFile, Message: e.Message}
}

// Options say what a conversion can ask.
type Options struct {
	// Name is what the file is called in comments and reports.
	Name string
	// Checker makes a Checker for expressions that may name these lists. Nil: all
	// expressions are good.
	Checker func(lists map[string][]string) (Checker, error)
}

// A Checker says why the rule language would refuse an expression of the rule of
// that name; nil: it takes it.
type Checker func(rule, expression string) error

// A Conversion is what a file has become.
type Conversion struct {
	Config   []byte    // YAML, to be put beside clusters, sites and mappings
	Tests    []byte    // YAML for rules test; nil: there is no rule to test
	Findings []Finding // in the order of the file
	Rules    int       // that were converted
	Disabled int       // that were not, and stand in Config as comments
}

// Convert reads a file of routing rules, in any of the formats. The error is a
// *FileError, or the Checker's.
func Convert(text []byte, o Options) (*Conversion, error) {
	read, err := read(text)
	if err != nil {
		return nil, err
	}
	b := &book{options: o, reading: read}
	if err := b.understand(); err != nil {
		return nil, err
	}
	return &Conversion{
		Config:   b.config(),
		Tests:    b.tests(),
		Findings: b.sorted(),
		Rules:    len(b.active()),
		Disabled: len(b.rules) - len(b.active()),
	}, nil
}

// read finds out which format a file has, and reads it.
func read(text []byte) (*reading, error) {
	if len(text) > MaxFile {
		return nil, &FileError{Message: fmt.Sprintf("the file has more than %d bytes", MaxFile)}
	}
	s := strings.TrimPrefix(string(text), "\ufeff")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	switch {
	case strings.HasPrefix(strings.TrimSpace(s), "<"):
		r, err := readXML(s)
		if err != nil {
			return nil, err
		}
		return r.orNothing()
	case !utf8.ValidString(s):
		return nil, &FileError{Message: "the file is neither XML nor text in UTF-8"}
	case strings.Contains(s, "AdminTask"):
		return readScript(s).orNothing()
	}
	return nil, &FileError{Message: "the file is none that is read: rules.xml, a script with AdminTask commands, or the server.xml of Liberty"}
}

// orNothing refuses a file without rules, which was the wrong one, and one with too
// many.
func (r *reading) orNothing() (*reading, error) {
	if len(r.drafts) == 0 && !r.override && r.authority == "" {
		return nil, &FileError{Message: "the file has no routing rules"}
	}
	if len(r.drafts) > maxRules {
		return nil, &FileError{Message: fmt.Sprintf("the file has more than %d rules", maxRules)}
	}
	return r, nil
}
