package rules

import (
	"fmt"
	"net/netip"
	"reflect"
	"strconv"
	"strings"
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
	tree, errs := l.check(source)
	if errs != nil {
		return Value{}, errs
	}
	p, errs := l.generate("", source, tree.Node)
	if errs != nil {
		return Value{}, errs
	}
	v := Value{Cost: p.cost, Slow: p.slow}
	result, err := newFrame(l).run(p, r)
	if err != nil {
		return v, []*Error{ofWhole(err.Error())}
	}
	v.Text, v.Type = shown(result)
	return v, nil
}

// shown writes a value and its type.
func shown(v any) (text, kind string) {
	kind = plainTypes(reflect.TypeOf(v).String())
	switch v := v.(type) {
	case string:
		return strconv.Quote(v), kind
	case []string:
		quoted := make([]string, len(v))
		for i, s := range v {
			quoted[i] = strconv.Quote(s)
		}
		return "[" + strings.Join(quoted, ", ") + "]", kind
	case netip.Addr:
		if !v.IsValid() {
			return "none", kind
		}
	}
	return fmt.Sprintf("%+v", v), kind
}
