package websphere

import (
	"fmt"
	"math/bits"
	"net/netip"
	"slices"
	"strings"
)

// maxInline is how many networks stand in an expression. More go to a list.
const maxInline = 8

// maxNetworks bounds the networks that one pattern stands for.
const maxNetworks = 1024

// maxSteps bounds the texts that are held against one pattern of addresses, and
// maxAllSteps those that are held against all.
const (
	maxSteps    = 100_000
	maxAllSteps = 5_000_000
)

// lists are named lists of networks that expressions use, in the order in which
// they were made.
type lists []list

type list struct {
	name     string
	networks []netip.Prefix
}

// add returns the name of the list of these networks, which is made unless it is
// there.
func (l *lists) add(name string, networks []netip.Prefix) string {
	for _, known := range *l {
		if slices.Equal(known.networks, networks) {
			return known.name
		}
	}
	if name == "" {
		name = fmt.Sprintf("networks-%d", len(*l)+1)
	}
	*l = append(*l, list{name, networks})
	return name
}

// within asks whether the client is in one of the networks. Up to inline of them
// are written into the expression.
func (w *writer) within(o operand, networks []netip.Prefix, inline int, name string) clause {
	switch {
	case len(networks) == 0:
		return never
	case len(networks) > inline:
		name = w.lists.add(name, networks)
		w.named = append(w.named, name)
		return call("in_list(" + o.value() + ", " + quote(name) + ")")
	}
	var b strings.Builder
	for _, n := range networks {
		b.WriteString(", " + quote(n.String()))
	}
	return call("cidr(" + o.value() + b.String() + ")")
}

// outside is the other half of within: clients of the same kind of address that
// are not in the networks.
func outside(o operand, within clause) clause {
	return guarded(o, not(within), true)
}

// address reads a literal address of the operand's kind.
func (o operand) address(v value) (netip.Addr, *fault) {
	t, ok := v.(textValue)
	if !ok {
		return netip.Addr{}, misfit(placeOf(v), "an address stands in single quotes", "%s is compared with an address only", o)
	}
	a, err := netip.ParseAddr(t.text)
	if err != nil || a.Zone() != "" || a.Is4In6() || a.Is4() != (o.kind.is == typeIPv4) {
		return netip.Addr{}, misfit(t.at, networkHint(t.text), "'%s' is no address that %s can have", t.text, o)
	}
	return a, nil
}

// networkHint says how to ask for a network that was written as people write one;
// empty: it is none.
func networkHint(text string) string {
	if n, err := netip.ParsePrefix(text); err == nil {
		low, high := n.Masked().Addr(), lastOf(n.Masked())
		hint := fmt.Sprintf("a network is asked for by BETWEEN '%s' AND '%s'", low, high)
		if octets := n.Bits() / 8; low.Is4() && n.Bits()%8 == 0 && octets > 0 && octets < 4 {
			hint += " or LIKE '" + strings.Join(strings.Split(low.String(), ".")[:octets], ".") + ".%'"
		}
		return hint
	}
	if strings.ContainsRune(text, '*') {
		return "write LIKE '" + strings.ReplaceAll(text, "*", "%") + "', where % stands for any characters, or BETWEEN two addresses"
	}
	return ""
}

// ends are the first and the last address of the operand's kind.
func (o operand) ends() (first, last netip.Addr) {
	if o.kind.is == typeIPv4 {
		return netip.IPv4Unspecified(), netip.AddrFrom4([4]byte{255, 255, 255, 255})
	}
	return netip.IPv6Unspecified(), netip.AddrFrom16([16]byte(slices.Repeat([]byte{255}, 16)))
}

func (w *writer) compareAddress(c comparison, wanted bool) clause {
	o := c.l.(operand)
	a, f := o.address(c.r)
	if f != nil {
		return w.fail(f)
	}
	op := c.op
	if !wanted {
		op = opposite[op]
	}
	is := o.value() + " " + ours[op] + " ip(" + quote(a.String()) + ")"
	switch op {
	case "=":
		return compare(is)
	case "<>":
		return guarded(o, compare(is), true)
	}
	return w.compareOrder(o, op, a)
}

// compareOrder asks for the addresses on one side of another.
func (w *writer) compareOrder(o operand, op string, a netip.Addr) clause {
	low, high := o.ends()
	switch op {
	case "<":
		high = a.Prev()
	case "<=":
		high = a
	case ">":
		low = a.Next()
	case ">=":
		low = a
	}
	return w.within(o, cover(low, high), 1, rangeName(low, high))
}

func (w *writer) betweenAddresses(o operand, low, high value, wanted bool) clause {
	a, f := o.address(low)
	if f != nil {
		return w.fail(f)
	}
	b, f := o.address(high)
	if f != nil {
		return w.fail(f)
	}
	in := w.within(o, cover(a, b), 1, rangeName(a, b))
	if wanted {
		return in
	}
	return outside(o, in)
}

// rangeName is the name of the list for a range; empty: it would be too long.
func rangeName(low, high netip.Addr) string {
	name := strings.ReplaceAll(low.String()+"-"+high.String(), ":", "_")
	if len(name) > maxName {
		return ""
	}
	return name
}

func (w *writer) oneOfAddresses(c oneOf, wanted bool) clause {
	var networks []netip.Prefix
	for _, v := range c.list {
		a, f := c.of.address(v)
		if f != nil {
			return w.fail(f)
		}
		if n := netip.PrefixFrom(a, a.BitLen()); !slices.Contains(networks, n) {
			networks = append(networks, n)
		}
	}
	in := w.within(c.of, networks, maxInline, "")
	if wanted {
		return in
	}
	return outside(c.of, in)
}

// cover returns the fewest networks that hold the addresses from low to high and
// no other. An address that is not valid, or the wrong order, holds none.
func cover(low, high netip.Addr) (networks []netip.Prefix) {
	for low.IsValid() && high.IsValid() && low.Compare(high) <= 0 {
		n := largest(low, high)
		networks = append(networks, n)
		low = lastOf(n).Next() // not valid after the very last address
	}
	return networks
}

// largest is the largest network that begins at low and does not go past high.
func largest(low, high netip.Addr) netip.Prefix {
	n := low.BitLen() - trailingZeros(low)
	for lastOf(netip.PrefixFrom(low, n)).Compare(high) > 0 {
		n++
	}
	return netip.PrefixFrom(low, n)
}

func trailingZeros(a netip.Addr) (n int) {
	b := a.AsSlice()
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] != 0 {
			return n + bits.TrailingZeros8(b[i])
		}
		n += 8
	}
	return n
}

// lastOf is the last address of a network.
func lastOf(p netip.Prefix) netip.Addr {
	b := p.Addr().AsSlice()
	for i := range b {
		switch keep := p.Bits() - 8*i; {
		case keep <= 0:
			b[i] = 0xff
		case keep < 8:
			b[i] |= 0xff >> keep
		}
	}
	a, _ := netip.AddrFromSlice(b)
	return a
}
