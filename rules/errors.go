package rules

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/expr-lang/expr/file"
)

// An Error is a mistake in an expression. Line and Column count from 1, columns
// and Length in characters.
type Error struct {
	Line, Column, Length int
	Code                 string // E301 ..., see weirkeep help
	Message              string
	Hint                 string // what to write instead; empty: nothing is near
}

// Error is the message, and the hint if there is one.
func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + ": " + e.Hint
}

// The codes of mistakes.
const (
	codeLanguage = "E301" // syntax, names and types
	codeBool     = "E302" // the result is not true or false
	codeLiteral  = "E307" // a literal that cannot be used
	codeRefused  = "E309" // what rules may not use
	codeCost     = "E312" // over the cost limit
	codeLarge    = "E313" // too long
)

// unknown is a literal that names what does not exist.
type unknown struct {
	what, name string
	known      []string
	from       string
}

func (u *unknown) Error() string {
	return fmt.Sprintf("there is no %s %q", u.what, u.name)
}

// hint names what was probably meant, or what there is.
func (u *unknown) hint() string {
	if near := nearest(u.name, u.known); near != "" {
		return fmt.Sprintf("did you mean %q", near)
	}
	if len(u.known) == 0 {
		return u.from + " are none"
	}
	return u.from + " are: " + strings.Join(u.known, ", ")
}

// at is a mistake at a place of the source.
func at(source string, where file.Location, code, message, hint string) *Error {
	e := &Error{Line: 1, Column: 1, Length: max(1, where.To-where.From), Code: code, Message: shortened(message), Hint: hint}
	for i, c := range []rune(source) {
		if i == where.From {
			break
		}
		e.Column++
		if c == '\n' {
			e.Line, e.Column = e.Line+1, 1
		}
	}
	return e
}

// maxMessage bounds messages, which quote what was written, in characters.
const maxMessage = 300

func shortened(message string) string {
	if runes := []rune(message); len(runes) > maxMessage {
		return string(runes[:maxMessage]) + "..."
	}
	return message
}

var (
	unexpectedToken = regexp.MustCompile(`^unexpected token \w+\((".*")\)$`)
	unknownName     = regexp.MustCompile(`^unknown name (.+)$`)
	noField         = regexp.MustCompile(`^type (\S+) has no field (\S+)$`)
	noMethod        = regexp.MustCompile(`^type (\S+) has no method (\S+)$`)
	mismatch        = regexp.MustCompile(`^invalid operation: (\S+) \(mismatched types? (.+)\)$`)
)

// translate turns a mistake that the language has found into one of ours.
func translate(source string, err error) *Error {
	e, ok := errors.AsType[*file.Error](err)
	if !ok {
		return ofWhole(plainTypes(err.Error()))
	}
	message := plainTypes(e.Message)
	out := at(source, e.Location, codeLanguage, message, "")
	switch {
	case unexpectedToken.MatchString(message):
		quoted := unexpectedToken.FindStringSubmatch(message)[1]
		out.Message, out.Hint = "unexpected "+quoted, operatorHint(strings.Trim(quoted, `"`))
	case unknownName.MatchString(message):
		name := unknownName.FindStringSubmatch(message)[1]
		out.Message = fmt.Sprintf("unknown name %q", name)
		out.Hint = didYouMean(name, append(names(), operators...))
	case noField.MatchString(message), noMethod.MatchString(message):
		out.Message, out.Hint = unknownField(message)
	case mismatch.MatchString(message):
		m := mismatch.FindStringSubmatch(message)
		out.Hint = mismatchHint(m[1], m[2])
	case strings.HasSuffix(message, " is not callable"):
		out.Hint = "write it without ()"
	case message == "unexpected token EOF":
		out.Message = "unexpected end of the expression"
	case strings.HasSuffix(message, "exceeds maximum allowed nodes"):
		out.Code, out.Message, out.Hint = codeLarge, fmt.Sprintf("it has more than %d parts", maxNodes), "use in, or in_list(), or write two rules"
	}
	out.Message = shortened(out.Message)
	return out
}

// ofWhole is a mistake of the expression as a whole.
func ofWhole(message string) *Error {
	return &Error{Line: 1, Column: 1, Length: 1, Code: codeLanguage, Message: message}
}

// noCondition says that an expression is neither true nor false.
func noCondition(t reflect.Type) *Error {
	e := ofWhole(fmt.Sprintf("the condition is %s, it must be true or false", article(plainTypes(t.String()))))
	e.Code, e.Hint = codeBool, `compare it with something, as in header("X") == "a"`
	return e
}

func unknownField(message string) (text, hint string) {
	m := noField.FindStringSubmatch(message)
	if m == nil {
		m = noMethod.FindStringSubmatch(message)
	}
	var fields []string
	for _, v := range Variables() {
		before, field, found := strings.Cut(v.Name, ".")
		if found && (before == m[1] || strings.HasPrefix(m[1], before)) {
			fields = append(fields, field)
		}
	}
	if m[1] == "time" {
		fields = slices.Sorted(maps.Keys(timeFields))
	}
	if m[1] == "cluster" {
		fields = slices.Sorted(maps.Keys(clusterFields))
	}
	hint = didYouMean(m[2], fields)
	if hint == "" && len(fields) > 0 {
		hint = "there is " + strings.Join(fields, ", ")
	}
	return fmt.Sprintf("%s has no %q", m[1], m[2]), hint
}

// article puts "a" or "an" before the name of a type.
func article(kind string) string {
	if strings.ContainsAny(kind[:1], "aeiou") {
		return "an " + kind
	}
	return "a " + kind
}

// operatorHint is what was meant by something that stands where an operator should.
func operatorHint(written string) string {
	switch near := nearest(written, operators); {
	case written == "=":
		return `did you mean "=="`
	case written == "&":
		return `did you mean "and"`
	case slices.Contains(operators, written):
		return fmt.Sprintf("%s stands between two values", written)
	case near != "":
		return fmt.Sprintf("did you mean %q", near)
	}
	return ""
}

// mismatchHint is what was meant by an operator on values that do not fit it.
func mismatchHint(operator, types string) string {
	switch {
	case types == "ip and string", types == "string and ip":
		return `write an address as ip("10.1.2.3")`
	case operator == "not", operator == "!":
		return "write not (a == b), or a != b"
	}
	return ""
}

var functionType = regexp.MustCompile(`func\([^)]*\) ?[\w.\[\]]*`)

var goTypes = strings.NewReplacer("netip.Addr", "ip", "rules.", "", "Type", "", "interface {}", "any", "float64", "number")

// plainTypes writes types as RULES.md does.
func plainTypes(message string) string {
	return goTypes.Replace(functionType.ReplaceAllString(strings.TrimSpace(message), "function"))
}

var operators = []string{
	"and", "or", "not", "in", "contains", "startsWith", "endsWith", "matches", "==", "!=", "<", "<=", ">", ">=", "?", "??",
}

// names are all names that an expression may begin with.
func names() (all []string) {
	for _, v := range variables {
		all = append(all, v.name)
	}
	for _, f := range Functions() {
		all = append(all, f.Name)
	}
	return all
}

func didYouMean(name string, known []string) string {
	if near := nearest(name, known); near != "" {
		return fmt.Sprintf("did you mean %q", near)
	}
	return ""
}

// nearest is the word that was probably meant; empty: none is near. To one character
// nothing is.
func nearest(name string, known []string) (near string) {
	if len(name) < 2 {
		return ""
	}
	best := len(name)/2 + 1
	for _, k := range known {
		if d := levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(k)); d < best {
			best, near = d, k
		}
	}
	return near
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
