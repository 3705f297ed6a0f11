package rules

import (
	"fmt"
	"net/netip"
	"strings"
)

// parseAddress reads a literal address.
func parseAddress(s string) (netip.Addr, error) {
	a, err := netip.ParseAddr(s)
	if err != nil || a.Zone() != "" {
		return a, fmt.Errorf("%.60q is no address", s)
	}
	return a.Unmap(), nil
}

// parseNetwork reads a network, or an address as the network of itself.
func parseNetwork(text string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(text); err == nil {
		if a.Zone() != "" {
			return netip.Prefix{}, &faulty{"an address with a zone is of this machine only", ""}
		}
		a = a.Unmap()
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	p, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, noNetwork(text)
	}
	if p != p.Masked() {
		return netip.Prefix{}, &faulty{"it has bits behind its length", fmt.Sprintf("did you mean %q", p.Masked())}
	}
	return unmapped(p), nil
}

// unmapped is the network of IPv4 that one of IPv6 maps, if it does: clients of IPv4
// have their own addresses.
func unmapped(p netip.Prefix) netip.Prefix {
	if a := p.Addr(); a.Is4In6() && p.Bits() >= 96 {
		return netip.PrefixFrom(a.Unmap(), p.Bits()-96)
	}
	return p
}

// noNetwork says what is wrong with a text that is neither network nor address.
func noNetwork(text string) error {
	before, length, slashed := strings.Cut(text, "/")
	a, err := netip.ParseAddr(before)
	switch {
	case err == nil && slashed && a.Zone() == "":
		return &faulty{fmt.Sprintf("the length of a network is from 0 to %d, not %q", a.BitLen(), length), ""}
	case slashed:
		return &faulty{fmt.Sprintf("%.60q is no address", before), didYouMeanNetwork(before, length)}
	}
	return &faulty{"it is neither an address nor a network", `write it as "10.1.2.3" or "10.0.0.0/8"; in_list() asks for a list of the configuration`}
}

// didYouMeanNetwork puts in the numbers that an address lacks.
func didYouMeanNetwork(address, length string) string {
	parts := strings.Split(strings.TrimRight(address, "."), ".")
	p, err := netip.ParsePrefix(padded(parts) + "/" + length)
	if err != nil || len(parts) > 3 {
		return `write it as "10.0.0.0/8"`
	}
	return fmt.Sprintf("did you mean %q", p.Masked())
}

func checkAddress(_ *Language, s string) error { _, err := parseAddress(s); return err }

func checkNetwork(_ *Language, s string) error {
	if _, err := parseNetwork(s); err != nil {
		return &faulty{fmt.Sprintf("%.60q: %v", s, err), hintOf(err)}
	}
	return nil
}
