package config

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"weirkeep/gateway/unit"
)

// scalar is a single value, as text.
type scalar struct {
	text  string
	typed bool   // YAML takes it for a number or a truth value
	from  string // the substitution it came from; then the text is never shown
}

// scalar decodes a single value.
func (r *reader) scalar(n ast.Node, v reflect.Value, path string, f rules) {
	s, ok := scalarOf(n)
	if !ok {
		r.wrongType(n, path, wanted(v), singleHint(n, v, f))
		return
	}
	if s, ok = r.substitute(s, path); !ok {
		return
	}
	if v.Kind() == reflect.String && s.typed {
		r.untyped(n, v, path, s.text, f)
		return
	}
	if isPlain(v) && !s.typed && s.from == "" {
		r.fail(path, "E104", fmt.Sprintf("%s is %s, must be %s", path, quote(s.text), wanted(v)), unquoteHint(v, s.text))
		return
	}
	r.judge(v, s, path, f)
}

// untyped refuses what YAML takes for a number or a truth value, where text has
// to be.
func (r *reader) untyped(n ast.Node, v reflect.Value, path, text string, f rules) {
	shown, hint := text, fmt.Sprintf("write %q, in quotes", text)
	switch {
	case v.Type() == reflect.TypeFor[Secret]():
		shown, hint = typeName(n), "write it in quotes"
	case f.enum != nil && !slices.Contains(f.enum, text):
		hint = "write " + choice(f.enum)
	}
	r.fail(path, "E104", fmt.Sprintf("%s is %s, must be text", path, shown), hint)
}

// isPlain reports whether v is a number or truth value of YAML itself.
func isPlain(v reflect.Value) bool {
	return !isText(v) && (v.Kind() == reflect.Int || v.Kind() == reflect.Bool)
}

// unquoteHint is the hint for a text that would do without its quotes.
func unquoteHint(v reflect.Value, text string) string {
	if _, reason := assign(reflect.New(v.Type()).Elem(), text); reason != "" {
		return ""
	}
	return "write " + text + ", without quotes"
}

// judge sets v and holds it against the rules; what it refuses it reports.
func (r *reader) judge(v reflect.Value, s scalar, path string, f rules) {
	code, reason := assign(v, s.text)
	if reason == "" {
		code, reason = f.hold(v, s.text)
	}
	if reason == "" {
		code, reason = r.checkText(v, s.text, f)
	}
	if reason != "" {
		r.fail(path, code, fmt.Sprintf("%s is %s, %s", path, r.display(v, s), reason), f.suggest(v, s, code))
	}
}

// suggest is the hint for a value that is refused: the word or form that was
// probably meant, else what the field says to values that are out of range and
// to words in place of a quantity.
func (f rules) suggest(v reflect.Value, s scalar, code string) string {
	hint := ""
	if s.from == "" {
		hint = f.meant(v, s.text)
	}
	if hint == "" && (code == "E110" || s.from == "" && !strings.ContainsAny(s.text, digits)) {
		return f.hint
	}
	return hint
}

// meant is the hint that names what was probably meant by a text. A number is
// no slip of the fingers.
func (f rules) meant(v reflect.Value, text string) string {
	if _, isNumber := wholeNumber(text); !isNumber {
		return cmp.Or(unitHint(v.Type(), text), statusHint(v.Type(), text), shareHint(v.Type(), text), f.foreign[fold(text)], Suggest(text, f.enum), f.foreignHint(text), f.formHint(text))
	}
	return ""
}

// formHint is what the grammar of the field makes of a text that it refuses.
func (f rules) formHint(text string) string {
	switch f.check {
	case "request-path":
		return requestPathHint(text)
	case "origin":
		return slashHint(text)
	case "metric-source":
		return sourceHint(text)
	case "need":
		return Suggest(text, shownTokens)
	}
	return ""
}

// display shows a value in a message.
func (r *reader) display(v reflect.Value, s scalar) string {
	switch {
	case v.Type() == reflect.TypeFor[Secret]():
		return "a secret"
	case s.from != "":
		return "the value of " + s.from
	case v.Kind() == reflect.String || !isQuantity(s.text):
		return quote(s.text)
	}
	return s.text
}

// isQuantity reports whether a text reads well in a message without quotes.
func isQuantity(s string) bool {
	return s != "" && len(s) < 20 && strings.Trim(s, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.%/-") == ""
}

// scalarOf is the text of a node that is a single value.
func scalarOf(n ast.Node) (scalar, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return scalar{text: n.Value}, true
	case *ast.LiteralNode:
		return scalar{text: n.Value.Value}, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return scalar{text: n.GetToken().Value, typed: true}, true
	}
	return scalar{}, false
}

// wanted says what a single value must be.
func wanted(v reflect.Value) string {
	switch {
	case isText(v):
		return "a single value"
	case v.Kind() == reflect.Bool:
		return "true or false"
	case v.Kind() == reflect.Int:
		return "a whole number"
	}
	return "text"
}

// assign reads text into v, or says what the text must be.
func assign(v reflect.Value, text string) (code, reason string) {
	if p, ok := v.Addr().Interface().(*netip.Prefix); ok {
		return "E112", assignPrefix(p, text)
	}
	if a, ok := v.Addr().Interface().(*Auto); ok {
		return "E110", reasonOf(a.UnmarshalText([]byte(text)))
	}
	if c, ok := v.Addr().Interface().(*Capacity); ok {
		return "E110", reasonOf(c.UnmarshalText([]byte(text)))
	}
	if s, ok := v.Addr().Interface().(*Same); ok {
		return "E110", reasonOf(s.UnmarshalText([]byte(text)))
	}
	if s, ok := v.Addr().Interface().(*Share); ok {
		return "E110", reasonOf(s.UnmarshalText([]byte(text)))
	}
	if b, ok := v.Addr().Interface().(*Base); ok {
		return "E110", reasonOf(b.UnmarshalText([]byte(text)))
	}
	if s, ok := v.Addr().Interface().(*StatusRanges); ok {
		return "E112", reasonOf(s.UnmarshalText([]byte(text)))
	}
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return "E111", reasonOf(u.UnmarshalText([]byte(text)))
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(text == "true")
		if text != "true" && text != "false" {
			return "E104", "must be true or false"
		}
	case reflect.Int:
		n, ok := wholeNumber(text)
		if v.SetInt(int64(n)); !ok {
			return "E104", "must be a whole number"
		}
	default:
		v.SetString(text)
	}
	return "", ""
}

// reasonOf is what an error says of a text, without the text.
func reasonOf(err error) string {
	var u *unit.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &u):
		return u.Reason
	}
	return err.Error()
}

// assignPrefix reads a network, or an address that stands for itself.
func assignPrefix(p *netip.Prefix, text string) (reason string) {
	if a, err := netip.ParseAddr(text); err == nil && a.Zone() == "" {
		*p = netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen())
		return ""
	}
	n, err := netip.ParsePrefix(text)
	switch {
	case err != nil:
		return "must be an address or a network, for example 10.0.0.0/8"
	case n != n.Masked():
		return "must have no bits beyond the length"
	case n.Addr().Is4In6() && n.Bits() >= 96: // who comes from it has an address of IPv4
		n = netip.PrefixFrom(n.Addr().Unmap(), n.Bits()-96)
	}
	*p = n
	return ""
}

// hold says which enum or range a value is outside of.
func (f rules) hold(v reflect.Value, text string) (code, reason string) {
	switch {
	case f.enum != nil && !slices.Contains(f.enum, text):
		return "E110", "must be " + choice(f.enum)
	case f.ranged && !within(v, f.low, f.high):
		return "E110", "must be " + f.bounds()
	}
	return "", ""
}

// bounds is a range in words.
func (f rules) bounds() string {
	switch {
	case f.low == f.high:
		return f.low
	case f.high == "":
		return f.low + " or more"
	}
	return f.low + ".." + f.high
}

// within reports whether v, a number of any type, is in the range.
func within(v reflect.Value, low, high string) bool {
	return (low == "" || v.Int() >= number(v.Type(), low)) && (high == "" || v.Int() <= number(v.Type(), high))
}

// number reads a bound in the form that the type has in the file.
func number(t reflect.Type, text string) int64 {
	v := reflect.New(t).Elem()
	if _, reason := assign(v, text); reason != "" {
		panic("config: bound " + strconv.Quote(text) + " " + reason)
	}
	return v.Int()
}

// checkText holds a text against the grammar of its field, and makes paths
// absolute. An empty text is as good as none where none is needed.
func (r *reader) checkText(v reflect.Value, text string, f rules) (code, reason string) {
	if v.Kind() != reflect.String {
		return "", ""
	}
	if text == "" {
		return "E112", emptyReason(f)
	}
	switch f.check {
	case "":
		return "", ""
	case "file":
		v.SetString(r.locate(text))
		return "E204", r.readable(text)
	case "path", "log":
		if f.check == "path" || text != "stderr" && text != "stdout" {
			v.SetString(r.locate(text))
		}
		return "", ""
	}
	reason = grammars[f.check](text)
	return codeOf(f.check, reason), reason
}

func emptyReason(f rules) string {
	if f.present && f.check != "header-value" {
		return "must not be empty"
	}
	return ""
}

// maxReferenced is the size up to which files that the configuration names are
// read: certificates, authorities, pages.
const maxReferenced = 16 << 20

// readable says why a file cannot be used, and where it was looked for.
func (r *reader) readable(path string) (reason string) {
	abs := r.locate(path)
	_, err := r.host.read(abs, maxReferenced)
	switch {
	case err == nil:
		return ""
	case abs != path:
		return "must be a file that can be read: " + abs + ": " + why(err)
	}
	return "must be a file that can be read: " + why(err)
}
