package rules

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/gaissmai/bart"
)

// A List is a named list of the configuration, for in_list(): addresses and
// networks, hosts, or any texts.
type List struct {
	networks bart.Lite
	texts    map[string]bool
	suffixes []string // of hosts: ".example.com" for "*.example.com"
}

// NewList compiles the entries of a list. An entry that is an address or network
// is compared with addresses; one that begins with "*." with hosts below it; any
// other with texts, letter by letter.
func NewList(entries []string) (*List, error) {
	l := &List{texts: make(map[string]bool)}
	for i, entry := range entries {
		if entry == "" {
			return nil, fmt.Errorf("entry %d is empty", i)
		}
		if p, err := parseNetwork(entry); err == nil {
			l.networks.Insert(p)
		}
		if suffix, ok := strings.CutPrefix(entry, "*."); ok {
			l.suffixes = append(l.suffixes, "."+strings.ToLower(suffix))
			continue
		}
		l.texts[entry] = true
	}
	return l, nil
}

// parseNetwork reads a network, or an address as the network of itself.
func parseNetwork(text string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(text); err == nil {
		if a.Zone() != "" {
			return netip.Prefix{}, errors.New("an address with a zone is of this machine only")
		}
		a = a.Unmap()
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	p, err := netip.ParsePrefix(text)
	if err != nil {
		_, why, _ := strings.Cut(err.Error(), "): ")
		return netip.Prefix{}, errors.New(strings.TrimPrefix(why, "ParseAddr"))
	}
	if p != p.Masked() {
		return netip.Prefix{}, fmt.Errorf("it has bits behind its length: did you mean %s", p.Masked())
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

func (l *List) hasAddress(a netip.Addr) bool {
	return a.IsValid() && l.networks.Contains(a)
}

func (l *List) hasText(b []byte) bool {
	if l.texts[string(b)] {
		return true
	}
	for _, suffix := range l.suffixes {
		if hasSuffix(b, suffix) && len(b) > len(suffix) {
			return true
		}
	}
	return false
}
