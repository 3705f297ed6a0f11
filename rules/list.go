package rules

import (
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
