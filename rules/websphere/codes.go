package websphere

import (
	"strconv"
	"strings"
)

// Codes of what cannot be taken over. W is what was taken over, and may mean
// something else here.
const (
	codeFile        = "E401" // the file cannot be read
	codeSyntax      = "E402" // the expression breaks the grammar
	codeOperand     = "E403" // it asks for what cannot be asked here
	codeValue       = "E404" // it compares what cannot be compared
	codeAction      = "E405" // the action does not exist here, or lacks something
	codeDestination = "E406" // a destination cannot be read
	codeRule        = "E407" // the rule as a whole: incomplete, twice, or with something unknown
	codeRefused     = "E408" // the expression is not accepted here
	codeUnread      = "W410" // something beside the rules was not read
	codeMeaning     = "W411" // what was taken over depends on this deployment
)

// A Finding is something that could not be taken over, or not for certain.
type Finding struct {
	Line    int    // of the file, from 1; 0: the file as a whole
	Column  int    // from 1, in characters
	Code    string // E402
	Rule    string // its name; empty: it is about no rule
	Message string
	Hint    string // what to do; may be empty
}

// Error reports whether something is missing in what was converted, rather than
// to be looked at.
func (f Finding) Error() bool { return strings.HasPrefix(f.Code, "E") }

// String is the finding as a line of a report on the file called name.
func (f Finding) String(name string) string {
	var b strings.Builder
	b.WriteString(name)
	if f.Line > 0 {
		b.WriteString(":" + strconv.Itoa(f.Line) + ":" + strconv.Itoa(f.Column))
	}
	severity := "warning"
	if f.Error() {
		severity = "error"
	}
	b.WriteString(": " + severity + " " + f.Code + ": " + f.Message)
	if f.Hint != "" {
		b.WriteString("\nhint: " + f.Hint)
	}
	return b.String()
}
