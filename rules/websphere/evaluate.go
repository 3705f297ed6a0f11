package websphere

import (
	"cmp"
	"net/netip"
	"strconv"
	"strings"
)

// truth is a value of the original's logic.
type truth int8

const (
	isFalse   truth = -1
	isUnknown truth = 0
	isTrue    truth = 1
)

func truthOf(b bool) truth {
	if b {
		return isTrue
	}
	return isFalse
}

// A sample is a request that a test is made of.
type sample struct {
	method, scheme, host, path string
	port                       int
	client                     netip.Addr
	headers, cookies, queries  map[string]string // by name; those of headers in lower case
	first                      *rule             // that decides it; nil: none
}

func (c both) truth(r *sample) truth    { return min(c.l.truth(r), c.r.truth(r)) }
func (c either) truth(r *sample) truth  { return max(c.l.truth(r), c.r.truth(r)) }
func (c negated) truth(r *sample) truth { return -c.of.truth(r) }
func (c constant) truth(*sample) truth  { return truthOf(bool(c)) }

// truth is unknown: it differs from request to request.
func (c chance) truth(*sample) truth { return isUnknown }

func (c absent) truth(r *sample) truth {
	return truthOf(!r.has(c.of))
}

func (c between) truth(r *sample) truth {
	return both{comparison{">=", c.of, c.low, 0}, comparison{"<=", c.of, c.high, 0}}.truth(r)
}

func (c oneOf) truth(r *sample) truth {
	all := isFalse
	for _, v := range c.list {
		all = max(all, comparison{"=", c.of, v, 0}.truth(r))
	}
	return all
}

func (c like) truth(r *sample) truth {
	if !r.has(c.of) {
		return isUnknown
	}
	p := c.pattern
	if c.of.kind.lower {
		p = p.lower()
	}
	if n, ok := networkOf(p); ok && c.of.kind.is == typeIPv6 {
		return truthOf(n.Contains(r.client))
	}
	return truthOf(p.matches(r.text(c.of)))
}

func (c comparison) truth(r *sample) truth {
	for _, v := range []value{c.l, c.r} {
		if o, ok := v.(operand); ok && !r.has(o) {
			return isUnknown
		}
	}
	if typeOf(c.l) == typeNumber {
		return truthOf(ordered(order(r.number(c.l), r.number(c.r)), c.op))
	}
	left, right := r.side(c.l), r.side(c.r)
	if isAddress(c.l) || isAddress(c.r) {
		a, _ := netip.ParseAddr(left)
		b, _ := netip.ParseAddr(right)
		return truthOf(ordered(a.Compare(b), c.op))
	}
	if isLower(c.l) || isLower(c.r) {
		left, right = strings.ToLower(left), strings.ToLower(right)
	}
	return truthOf(holds(left, c.op, right))
}

func isAddress(v value) bool { return typeOf(v) == typeIPv4 || typeOf(v) == typeIPv6 }

func isLower(v value) bool {
	o, ok := v.(operand)
	return ok && o.kind.lower
}

// has reports whether a request has the operand.
func (r *sample) has(o operand) bool {
	switch o.kind.is {
	case typeIPv4:
		return r.client.Is4()
	case typeIPv6:
		return r.client.Is6()
	}
	if m := r.named(o); m != nil {
		_, ok := m[r.key(o)]
		return ok
	}
	return o.kind.name != "virtualhost" || r.host != ""
}

// authority is the host with its port, where that is not the scheme's.
func (r *sample) authority() string {
	if r.port == standardPort(r.scheme) {
		return r.host
	}
	return r.host + ":" + strconv.Itoa(r.port)
}

func standardPort(scheme string) int {
	if scheme == "https" {
		return 443
	}
	return 80
}

// named is the map that holds what the operand names; nil: it names nothing.
func (r *sample) named(o operand) map[string]string {
	switch o.kind.name {
	case "header", "mimetype":
		return r.headers
	case "cookie":
		return r.cookies
	case "queryparm":
		return r.queries
	}
	return nil
}

// key is the operand's name in that map.
func (r *sample) key(o operand) string {
	switch o.kind.name {
	case "header":
		return strings.ToLower(o.key)
	case "mimetype":
		return "content-type"
	}
	return o.key
}

// text is the value of an operand that a request has.
func (r *sample) text(o operand) string {
	if m := r.named(o); m != nil {
		return m[r.key(o)]
	}
	switch o.kind.name {
	case "uri":
		return r.path
	case "httpmethod":
		return r.method
	case "protocol":
		return r.scheme
	case "virtualhost":
		return r.host
	}
	return r.client.String()
}

// side is one side of a comparison of texts or addresses.
func (r *sample) side(v value) string {
	switch v := v.(type) {
	case operand:
		return r.text(v)
	case textValue:
		return v.text
	}
	return ""
}

func (r *sample) number(v value) float64 {
	switch v := v.(type) {
	case operand:
		return float64(r.port)
	case numberValue:
		return v.float
	}
	return 0
}

// holds reports whether l op r holds for texts.
func holds(l, op, r string) bool {
	if op == sameFold {
		return strings.EqualFold(l, r)
	}
	return ordered(strings.Compare(l, r), op)
}

// ordered reports whether op holds for two values of that order.
func ordered(order int, op string) bool {
	switch op {
	case "=":
		return order == 0
	case "<>":
		return order != 0
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

func order(a, b float64) int { return cmp.Compare(a, b) }
