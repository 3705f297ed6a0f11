package websphere

import (
	"net/netip"
	"strconv"
	"strings"
)

// likeIPv4 takes a pattern for the addresses whose text fits it, and asks for
// the networks of those.
func (w *writer) likeIPv4(c like, wanted bool) clause {
	s := search{pattern: c.pattern, limit: min(maxSteps, maxAllSteps-w.steps)}
	s.below("", 0, 0)
	w.steps += s.steps
	if s.tooMuch() {
		return w.fail(misfit(c.of.at, "write BETWEEN, or several patterns such as '10.1.%'", "the pattern of %s stands for too many networks, or is hard to tell", c.of))
	}
	in := w.within(c.of, s.joined(), maxInline, "")
	if wanted {
		return in
	}
	return outside(c.of, in)
}

// search finds the networks all of whose addresses fit a pattern.
type search struct {
	pattern pattern
	found   []netip.Prefix // in order, apart
	steps   int            // texts that were looked at
	limit   int            // of steps
}

// tooMuch ends a search that finds too many networks, or none for too long.
func (s *search) tooMuch() bool { return len(s.found) > maxNetworks || s.steps > s.limit }

// below looks at the addresses that begin with text, which are whole octets with
// a dot after each; value is the octets as a number.
func (s *search) below(text string, octets int, value uint32) {
	s.steps++
	if s.tooMuch() || octets < 4 && !s.pattern.begins(text) {
		return
	}
	switch {
	case octets == 4 && !s.pattern.matches(text):
	case octets == 4 || s.pattern.takesAny(text):
		a := value << (8 * (4 - octets))
		s.found = append(s.found, netip.PrefixFrom(fromUint32(a), 8*octets))
	default:
		for o := range 256 {
			next := text + strconv.Itoa(o)
			if octets < 3 {
				next += "."
			}
			s.below(next, octets+1, value<<8|uint32(o))
		}
	}
}

func fromUint32(n uint32) netip.Addr {
	return netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
}

// joined are the found networks with neighbours made one.
func (s *search) joined() (all []netip.Prefix) {
	for i := 0; i < len(s.found); {
		low, high := s.found[i].Addr(), lastOf(s.found[i])
		for i++; i < len(s.found) && high.Next() == s.found[i].Addr(); i++ {
			high = lastOf(s.found[i])
		}
		all = append(all, cover(low, high)...)
	}
	return all
}

// begins reports whether a text that begins so may fit.
func (p pattern) begins(text string) bool {
	for i := range p {
		if p[i].many {
			return len(text) < i && p[:len(text)].matches(text) || p[:i+1].matches(text)
		}
	}
	return len(text) <= len(p) && p[:len(text)].matches(text)
}

// takesAny reports whether everything that begins with text fits because the
// pattern ends with a %.
func (p pattern) takesAny(text string) bool {
	n := len(p) - 1
	return n >= 0 && p[n].many && p.matches(text)
}

// likeIPv6 takes a pattern that ends with :% for the network of the groups before
// it. Other patterns depend on how the original spells addresses.
func (w *writer) likeIPv6(c like, wanted bool) clause {
	n, ok := networkOf(c.pattern)
	if !ok {
		return w.fail(misfit(c.of.at, "write BETWEEN, or a pattern of whole groups such as '2001:db8:%'", "what the pattern of %s stands for depends on how an address is spelled", c.of))
	}
	in := w.within(c.of, []netip.Prefix{n}, maxInline, "")
	if wanted {
		return in
	}
	return outside(c.of, in)
}

// networkOf is the network of a pattern such as 2001:db8:%, or of % alone. A
// group of zero may be spelled in several ways, and so may one with zeros before
// it.
func networkOf(p pattern) (netip.Prefix, bool) {
	if len(p) == 0 || !p[len(p)-1].many {
		return netip.Prefix{}, false
	}
	text, plain := p[:len(p)-1].literal()
	if text == "" {
		return netip.PrefixFrom(netip.IPv6Unspecified(), 0), plain
	}
	groups := strings.Split(strings.TrimSuffix(text, ":"), ":")
	if !plain || !strings.HasSuffix(text, ":") || len(groups) > 6 {
		return netip.Prefix{}, false
	}
	var b [16]byte
	for i, g := range groups {
		n, err := strconv.ParseUint(g, 16, 16)
		if err != nil || n == 0 || strconv.FormatUint(n, 16) != g {
			return netip.Prefix{}, false
		}
		b[2*i], b[2*i+1] = byte(n>>8), byte(n)
	}
	return netip.PrefixFrom(netip.AddrFrom16(b), 16*len(groups)), true
}
