package websphere

import (
	"fmt"
	"strconv"
	"strings"
)

// valueType is what a value can be compared with.
type valueType uint8

const (
	typeNone valueType = iota
	typeText
	typeNumber
	typeIPv4
	typeIPv6
)

// An operandKind is what the original can ask about a request, and what asks it
// here. One that cannot be asked says why.
type operandKind struct {
	name    string    // as the manual spells it, without $
	is      valueType // typeNone: cannot be asked
	keyed   bool      // a name follows, after $
	lower   bool      // the value here is always in lower case
	value   string    // what asks it; %s stands for the quoted key
	present string    // what asks whether the request has it; empty: it always has
	lacks   string    // what asks whether it has not
	why     string    // it cannot be asked
	hint    string    // what to do then
}

// operandKinds is every operand, by the spellings of all versions in lower case.
// To add one, write its line.
var operandKinds = map[string]*operandKind{
	"uri":            uriOperand,
	"httpmethod":     {name: "httpmethod", is: typeText, value: "method"},
	"method":         {name: "httpmethod", is: typeText, value: "method"},
	"protocol":       {name: "protocol", is: typeText, lower: true, value: "scheme"},
	"mimetype":       {name: "mimetype", is: typeText, value: `header("Content-Type")`, present: `has_header("Content-Type")`, lacks: `not has_header("Content-Type")`},
	"virtualhost":    {name: "virtualhost", is: typeText, lower: true, value: "host", present: `host != ""`, lacks: `host == ""`},
	"virtualport":    {name: "virtualport", is: typeNumber, value: "port"},
	"clientipv4":     {name: "clientipv4", is: typeIPv4, value: "client.ip", present: `cidr(client.ip, "0.0.0.0/0")`, lacks: `not cidr(client.ip, "0.0.0.0/0")`},
	"clientipv6":     {name: "clientipv6", is: typeIPv6, value: "client.ip", present: `cidr(client.ip, "::/0")`, lacks: `not cidr(client.ip, "::/0")`},
	"header":         {name: "header", is: typeText, keyed: true, value: "header(%s)", present: "has_header(%s)", lacks: "not has_header(%s)"},
	"cookie":         {name: "cookie", is: typeText, keyed: true, value: "cookie(%s)", present: "has_cookie(%s)", lacks: "not has_cookie(%s)"},
	"queryparm":      queryOperand,
	"queryparam":     queryOperand,
	"queryparameter": queryOperand,
	"clienthost":     {name: "clienthost", why: "names of clients are not looked up", hint: "write the clients' networks: clientipv4 BETWEEN … or, here, cidr(client.ip, …)"},
	"userid":         userOperand,
	"uid":            userOperand,
	"groupid":        groupOperand,
	"gid":            groupOperand,
	"port":           {name: "port", why: "the port that a request arrived at is not known to rules", hint: "port is here that of the Host field, the original's virtualport, which a client can write as it likes"},
	"serverhost":     serverOperand,
	"serveripv4":     serverOperand,
	"serveripv6":     serverOperand,
}

var (
	uriOperand    = &operandKind{name: "uri", is: typeText, value: "path"}
	queryOperand  = &operandKind{name: "queryparm", is: typeText, keyed: true, value: "query(%s)", present: "has_query(%s)", lacks: "not has_query(%s)"}
	userOperand   = &operandKind{name: "userid", why: "users are not known to rules"}
	groupOperand  = &operandKind{name: "groupid", why: "groups of users are not known to rules"}
	serverOperand = &operandKind{name: "serverhost", why: "the machine that a request arrived at is not known to rules", hint: "use host, or a rule of a site with its own listener"}
)

// newOperand finds the operand that a word of a selector names.
func newOperand(word string, at int) (operand, *fault) {
	name, key, keyed := strings.Cut(word, "$")
	kind := operandKinds[strings.ToLower(name)]
	switch {
	case kind == nil:
		return operand{kind: &operandKind{name: name}, at: at}, unmapped(at, "operands are uri, httpmethod, header$NAME, cookie$NAME, queryparm$NAME, clientipv4, …", "the operand %s is not known", word)
	case kind.is == typeNone:
		return operand{kind: kind, at: at}, unmapped(at, kind.hint, "%s cannot be asked here: %s", word, kind.why)
	case kind.keyed && key == "":
		return operand{kind: kind, at: at}, syntax(at, "as in "+kind.name+"$NAME", "%s needs a name after a $", word)
	case !kind.keyed && keyed:
		return operand{kind: kind, at: at}, syntax(at, "", "%s takes no name: there is nothing to say after the $", name)
	}
	return operand{kind, key, at}, nil
}

// String is the operand as the manual spells it.
func (o operand) String() string {
	if o.kind.keyed {
		return o.kind.name + "$" + o.key
	}
	return o.kind.name
}

// value is the expression for the operand's value.
func (o operand) value() string { return o.fill(o.kind.value) }

// present is the expression that says whether a request has it; empty: always.
func (o operand) present() string { return o.fill(o.kind.present) }

// lacks is the expression that says whether a request does not have it; empty:
// none does.
func (o operand) lacks() string { return o.fill(o.kind.lacks) }

func (o operand) fill(form string) string {
	return strings.Replace(form, "%s", quote(o.key), 1)
}

// constant is a text that is compared with the operand, as it has to be
// written: in lower case where the operand is.
func (o operand) constant(text string) string {
	if o.kind.lower {
		return strings.ToLower(text)
	}
	return text
}

// quote writes a text as our language does. ${ would be taken for a substitution
// of the configuration.
func quote(text string) string {
	return strings.ReplaceAll(strconv.Quote(text), "${", `\u0024{`)
}

func misfit(at int, hint, format string, args ...any) *fault {
	return &fault{code: codeValue, message: fmt.Sprintf(format, args...), hint: hint, at: at}
}

func unmapped(at int, hint, format string, args ...any) *fault {
	return &fault{code: codeOperand, message: fmt.Sprintf(format, args...), hint: hint, at: at}
}
