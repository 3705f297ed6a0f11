package rules

import (
	"fmt"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/parser/lexer"
)

// unexpectedToken is about what stands where it cannot.
func unexpectedToken(c clue) (message, hint string) {
	written := strings.Trim(c.said[1], `"`)
	for _, guess := range []func(c clue, written string) string{tilde, unequal, calledOperator, bracketed, operatorHint} {
		if hint = guess(c, written); hint != "" {
			break
		}
	}
	return "unexpected " + c.said[1], hint
}

// tilde is about =~ and !~, which others match with.
func tilde(c clue, _ string) string {
	switch rest := c.rest(); {
	case strings.HasPrefix(rest, "!~"):
		return "write not matches"
	case strings.HasPrefix(rest, "=~"), strings.HasPrefix(rest, "~"):
		return "write matches"
	}
	return ""
}

// unequal is about <>.
func unequal(c clue, written string) string {
	if written == ">" && strings.HasSuffix(c.before(), "<") {
		return `did you mean "!="`
	}
	return ""
}

// calledOperator is about an operator that is called: startsWith(path, "/a").
func calledOperator(c clue, written string) string {
	rest, ok := strings.CutPrefix(c.rest(), written)
	if !ok || operatorFor(written) != written {
		return ""
	}
	if call := callOf(rest); call != nil {
		return asOperator(written, call.Arguments)
	}
	return ""
}

// callOf is the call whose arguments a text begins with, in brackets; nil: it does not.
func callOf(text string) *ast.CallNode {
	tokens, _ := lexer.Lex(file.NewSource(text))
	depth := 0
	for _, t := range tokens {
		depth += depthOf(t)
		if depth == 0 {
			tree, err := parser.Parse("f" + string([]rune(text)[:t.To]))
			if err != nil {
				return nil
			}
			call, _ := tree.Node.(*ast.CallNode)
			return call
		}
	}
	return nil
}

// depthOf is how a token changes how many brackets are open.
func depthOf(t lexer.Token) int {
	switch {
	case t.Kind != lexer.Bracket:
		return 0
	case strings.Contains("([{", t.Value):
		return 1
	}
	return -1
}

// bracketed is about a list in brackets that are not those of lists.
func bracketed(c clue, _ string) string {
	tokens, _ := lexer.Lex(file.NewSource(c.source))
	depth := 0
	for i := len(tokens) - 1; i > 0; i-- {
		if tokens[i].From >= c.from {
			continue
		}
		if depth += depthOf(tokens[i]); depth < 1 {
			continue
		}
		if tokens[i].Value != "[" && tokens[i-1].Kind == lexer.Operator && tokens[i-1].Value == "in" {
			return `a list stands in square brackets: in ["a", "b"]`
		}
		return ""
	}
	return ""
}

// operatorHint is what was meant by something that stands where an operator should.
func operatorHint(_ clue, written string) string {
	near := nearest(written, operators)
	switch f := functionNamed(written); {
	case written == "=":
		return `did you mean "=="`
	case written == "&":
		return `did you mean "and"`
	case otherOperators[strings.ToLower(written)] != "":
		return fmt.Sprintf("did you mean %q", otherOperators[strings.ToLower(written)])
	case f != nil:
		return fmt.Sprintf("%s is a function: %s", written, f.Example)
	case near == written:
		return fmt.Sprintf("%s stands between two values", written)
	case near != "":
		return fmt.Sprintf("did you mean %q", near)
	}
	return ""
}

// otherOperators are what operators are called elsewhere.
var otherOperators = map[string]string{"eq": "==", "is": "==", "equals": "==", "ne": "!=", "lt": "<", "gt": ">", "le": "<=", "ge": ">="}

// unrecognized is about a character that nothing is written with.
func unrecognized(c clue) (message, hint string) {
	message = fmt.Sprintf("unexpected %q", c.said[1])
	switch {
	case strings.ContainsAny(c.said[1], "“”„‘’«»"):
		return message, `texts stand in straight quotes: "a"`
	case c.said[1] == "~":
		return message, "write matches"
	}
	return message, ""
}

// badEscape is about a \ in a text that begins no escape.
func badEscape(c clue) (message, hint string) {
	begin := strings.LastIndexByte(c.before(), '\\')
	rest := []rune(c.source[max(begin, 0):])
	escape := string(rest[:min(2, len(rest))])
	return fmt.Sprintf("%s is no escape of a text", escape),
		fmt.Sprintf(`write \%s, or put the text in backticks, in which \ stands for itself`, escape)
}

func unclosed(clue) (message, hint string) {
	return "a text is not closed", `a text ends with the quote that it begins with; \" in it is one that does not end it`
}
