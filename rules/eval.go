package rules

import (
	"fmt"
	"reflect"
	"strconv"

	"github.com/expr-lang/expr"
)

// A Value is what an expression of any type is of one request.
type Value struct {
	Text string // the value as it would be written
	Type string
	Cost int
	Slow []string
}

// Eval compiles an expression of any type and evaluates it once, for people who
// try one out.
func (l *Language) Eval(source string, r *Request) (Value, []*Error) {
	tree, errs := l.parse(source)
	if errs != nil {
		return Value{}, errs
	}
	options := l.exprOptions()
	code, err := expr.Compile(source, options...)
	if err != nil {
		return Value{}, []*Error{translate(source, err)}
	}
	if errs := l.checkLiterals(source, tree.Node); errs != nil {
		return Value{}, errs
	}
	p := &Program{language: l, source: source, code: code, seed: seedOf("")}
	v := Value{Cost: l.costOf(tree.Node)}
	if compiled, errs := l.Compile("", source); errs == nil {
		v.Slow = compiled.slow
	}
	result, err := p.run(r)
	if err != nil {
		return v, []*Error{{Line: 1, Column: 1, Length: 1, Code: codeLanguage, Message: err.Error()}}
	}
	v.Text, v.Type = shown(result)
	return v, nil
}

// run evaluates an expression whose result may be of any type.
func (p *Program) run(r *Request) (any, error) {
	f := newFrame(p.language)
	for _, v := range variables {
		p.vars = append(p.vars, v.name)
	}
	f.begin(p, r)
	result, err := f.machine.Run(p.code, f.env)
	if err != nil {
		return nil, unwrap(err)
	}
	return result, nil
}

// shown writes a value and its type.
func shown(v any) (text, kind string) {
	if s, ok := v.(string); ok {
		return strconv.Quote(s), "string"
	}
	if s, ok := v.(fmt.Stringer); ok {
		return s.String(), plainTypes(reflect.TypeOf(v).String())
	}
	if v == nil {
		return "nothing", "nothing"
	}
	return fmt.Sprintf("%v", v), plainTypes(reflect.TypeOf(v).String())
}
