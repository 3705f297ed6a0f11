package rules

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// absent is how people call what is not there.
var absent = []string{"null", "none", "undefined", "nothing"}

const absentHint = `what is absent is "" or 0; has_header(), has_cookie() and has_query() tell it from what is empty`

// unknownName is about a name that there is not.
func unknownName(c clue) (message, hint string) {
	name := c.said[1]
	if s, ok := scopeOf(name); ok {
		return outOfScope(name, c.scope, s)
	}
	if slices.Contains(answers, name) && c.scope < OfAnswer {
		return outOfScope(name, c.scope, OfAnswer)
	}
	message = fmt.Sprintf("unknown name %q", name)
	n, ok := nodeAt[*ast.IdentifierNode](c)
	if !ok {
		return message, didYouMean(name, names(c.scope))
	}
	if slices.Contains(absent, strings.ToLower(name)) {
		return message, absentHint
	}
	whole, outer := c.chain(n)
	if call, ok := outer.(*ast.CallNode); ok && call.Callee == ast.Node(n) {
		return message, cmp.Or(asOperator(name, call.Arguments), didYouMean(name, append(names(c.scope), operators...)))
	}
	return message, cmp.Or(c.borrowed(whole), c.unquoted(whole, outer), didYouMean(name, append(names(c.scope), operators...)))
}

// chain is the longest row of names with dots that begins at a name, and what it is
// part of.
func (c clue) chain(n ast.Node) (whole, outer ast.Node) {
	for {
		outer = c.parent(n)
		member, ok := outer.(*ast.MemberNode)
		if !ok || member.Node != n {
			return n, outer
		}
		n = member
	}
}

// readers are the functions that others write as fields: request.headers["X"].
var readers = map[string]string{
	"headers": "header", "header": "header", "cookies": "cookie", "cookie": "cookie", "query": "query", "params": "query", "args": "query",
}

// answers are what others call the answer of an origin, as that which has fields.
var answers = []string{"response", "resp", "res", "answer"}

// reader is the function for a field of the request, or of the answer.
func (c clue) reader(field string) string {
	if slices.Contains(answers, c.said[1]) && readers[field] == "header" {
		return "response_header"
	}
	return readers[field]
}

// borrowed is a name of another language, as it is written here; empty: it is none
// that is known: req.headers["X"], req.path.
func (c clue) borrowed(whole ast.Node) string {
	member, ok := whole.(*ast.MemberNode)
	if !ok {
		return ""
	}
	last := fieldOf(member)
	if call, ok := c.parent(member).(*ast.CallNode); ok && call.Callee == ast.Node(member) && readers[last] != "" && len(call.Arguments) == 1 {
		return fmt.Sprintf("write %s(%s)", c.reader(last), call.Arguments[0])
	}
	if inner, ok := member.Node.(*ast.MemberNode); ok && readers[fieldOf(inner)] != "" {
		return fmt.Sprintf("write %s(%q)", c.reader(fieldOf(inner)), last)
	}
	if slices.ContainsFunc(Variables(c.scope), func(v Variable) bool { return v.Name == last }) {
		return "write " + last
	}
	return ""
}

// fieldOf is the name of a field; empty: it is computed.
func fieldOf(n *ast.MemberNode) string {
	s, _ := n.Property.(*ast.StringNode)
	if s == nil {
		return ""
	}
	return s.Value
}

// unquoted is about a text without quotes: method == GET, cookie(beta).
func (c clue) unquoted(whole, outer ast.Node) string {
	text := cmp.Or(path(whole), whole.String())
	near := didYouMean(text, append(names(c.scope), "true", "false"))
	switch outer := outer.(type) {
	case *ast.CallNode:
		literal := readers[path(outer.Callee)] != "" || strings.Contains(signatureOf(path(outer.Callee)), `("`)
		if i := slices.Index(outer.Arguments, whole); i > 0 || i == 0 && literal {
			return fmt.Sprintf("texts stand in quotes: %q", text)
		}
	case *ast.BinaryNode:
		if outer.Right == whole && near == "" {
			return fmt.Sprintf("texts stand in quotes: %q", text)
		}
	case *ast.ArrayNode:
		return fmt.Sprintf("texts stand in quotes: %q", text)
	case *ast.MemberNode: // header[X]
		if fn := path(outer.Node); outer.Property == whole && functionNamed(fn) != nil {
			return fmt.Sprintf("write %s(%q)", fn, text)
		}
	}
	return near
}

func signatureOf(name string) string {
	if f := functionNamed(name); f != nil {
		return f.Signature
	}
	return ""
}

// unknownField is about a field or method that there is not.
func unknownField(c clue) (message, hint string) {
	kind, field := c.said[1], c.said[2]
	message = fmt.Sprintf("%s has no %q", kind, field)
	member, ok := nodeAt[*ast.MemberNode](c)
	if !ok {
		return message, fieldsHint(kind, field)
	}
	if name := path(member.Node); kind == "function" && name != "" {
		return name + " is a function", fmt.Sprintf("write %s(%q)", name, field)
	}
	if call, ok := c.parent(member).(*ast.CallNode); ok && kind == "string" && call.Callee == ast.Node(member) {
		return message, asCall(field, member.Node, call.Arguments)
	}
	whole, _ := c.chain(member)
	return message, cmp.Or(c.borrowed(whole), fieldsHint(kind, field))
}

// fieldsHint is which field of a type was meant, or which there are.
func fieldsHint(kind, field string) string {
	fields := fieldsOf(kind)
	if near := didYouMean(field, fields); near != "" || len(fields) == 0 {
		return near
	}
	return "there is " + strings.Join(fields, ", ")
}

// fieldsOf are the fields of a type; nil: it has none.
func fieldsOf(kind string) (fields []string) {
	switch kind {
	case "time":
		return slices.Sorted(maps.Keys(timeFields))
	case "cluster":
		return slices.Sorted(maps.Keys(clusterFields))
	}
	for _, v := range Variables(widest) {
		before, field, found := strings.Cut(v.Name, ".")
		if found && (before == kind || strings.HasPrefix(kind, before)) {
			fields = append(fields, field)
		}
	}
	return fields
}
