package rules

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
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

// A faulty literal, and what to write instead.
type faulty struct{ message, instead string }

func (f *faulty) Error() string { return f.message }

func (f *faulty) hint() string { return f.instead }

// hintOf is what a mistake knows of what to write instead; empty: nothing.
func hintOf(err error) string {
	if e, ok := err.(interface{ hint() string }); ok {
		return e.hint()
	}
	return ""
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

// translate turns a mistake that the language has found into one of ours. The tree is
// what was read, if it could be.
func (l *Language) translate(source string, tree *parser.Tree, err error) *Error {
	e, ok := errors.AsType[*file.Error](err)
	if !ok {
		return ofWhole(plainTypes(err.Error()))
	}
	said := plainTypes(e.Message)
	if strings.HasSuffix(said, "exceeds maximum allowed nodes") {
		return at(source, e.Location, codeLarge, fmt.Sprintf("it has more than %d parts", maxNodes), "use in, or in_list(), or write two rules")
	}
	c := clue{source: source, scope: l.options.Scope, from: e.Location.From}
	if tree != nil {
		c.root = tree.Node
	}
	message, hint := c.tell(said)
	return at(source, e.Location, codeLanguage, message, shortened(hint))
}

// ofWhole is a mistake of the expression as a whole.
func ofWhole(message string) *Error {
	return &Error{Line: 1, Column: 1, Length: 1, Code: codeLanguage, Message: message}
}

// noCondition says that an expression is neither true nor false.
func noCondition(n ast.Node) *Error {
	kind := plainTypes(n.Type().String())
	e := ofWhole(fmt.Sprintf("the condition is %s, it must be true or false", article(kind)))
	e.Code, e.Hint = codeBool, `compare it with something, as in header("X") == "a"`
	switch kind {
	case "ip":
		e.Hint = "write " + cidrForm(n)
	case "[]string":
		e.Hint = fmt.Sprintf(`write "a" in %s`, n)
	}
	return e
}

// article puts "a" or "an" before the name of a type.
func article(kind string) string {
	if strings.ContainsAny(kind[:1], "aeiou") {
		return "an " + kind
	}
	return "a " + kind
}

var functionType = regexp.MustCompile(`func\([^)]*\) ?[\w.\[\]]*`)

var goTypes = strings.NewReplacer("netip.Addr", "ip", "rules.", "", "Type", "", "interface {}", "any", "float64", "number")

// plainTypes writes types as RULES.md does.
func plainTypes(message string) string {
	return goTypes.Replace(functionType.ReplaceAllString(strings.TrimSpace(message), "function"))
}

// names are all names that an expression of a scope may begin with.
func names(in Scope) (all []string) {
	for _, v := range variables {
		if in.holds(v.name, v.scope) {
			all = append(all, v.name)
		}
	}
	for _, f := range Functions(in) {
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
