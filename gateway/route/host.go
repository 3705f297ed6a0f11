package route

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// A hostPattern is one entry of a site's hosts. A label "*" fits any one label,
// "**" fits one or more; other labels fit themselves. "**" alone fits every host.
type hostPattern struct {
	text    string   // as configured
	name    string   // without port, lower case
	port    int      // 0: any
	labels  []string // nil: no wildcard
	head    string   // what stands before the first wildcard
	tail    string   // what stands after the last one
	settled bool     // the host is known to fit; only the port is open
}

// parseHost reads "name", "name:port", "[IPv6]", "[IPv6]:port" or a bare IPv6.
func parseHost(text string) (hostPattern, error) {
	name, port, err := splitPort(text)
	if err != nil {
		return hostPattern{}, err
	}
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	h := hostPattern{text: text, name: name, port: port}
	labels := strings.Split(name, ".")
	for _, l := range labels {
		if err := checkLabel(l); err != nil {
			return hostPattern{}, err
		}
	}
	if first := strings.IndexByte(name, '*'); first >= 0 {
		h.labels, h.head, h.tail = labels, name[:first], name[strings.LastIndexByte(name, '*')+1:]
	}
	return h, nil
}

// splitPort cuts the port off; 0 means that none is written.
func splitPort(text string) (name string, port int, err error) {
	if strings.HasPrefix(text, "[") || strings.Count(text, ":") > 1 {
		return splitIPv6(text)
	}
	name, digits, found := strings.Cut(text, ":")
	if !found {
		return name, 0, nil
	}
	port, err = parsePort(digits)
	return name, port, err
}

// splitIPv6 reads an address with brackets and perhaps a port, or without both.
func splitIPv6(text string) (name string, port int, err error) {
	name, rest, bracketed := strings.Cut(strings.TrimPrefix(text, "["), "]")
	if addr, err := netip.ParseAddr(name); err != nil || !addr.Is6() || bracketed != (text[0] == '[') {
		return "", 0, errors.New("not an IPv6 address, or a bracket is missing")
	}
	if rest == "" {
		return name, 0, nil
	}
	if rest[0] != ':' {
		return "", 0, fmt.Errorf("%q cannot stand after an IPv6 address", rest)
	}
	port, err = parsePort(rest[1:])
	return name, port, err
}

func parsePort(digits string) (int, error) {
	port, err := strconv.ParseUint(digits, 10, 16)
	if err != nil || port == 0 {
		return 0, fmt.Errorf("port %q must be 1..65535", digits)
	}
	return int(port), nil
}

// checkLabel refuses what no canonical host can contain, and half wildcards.
func checkLabel(l string) error {
	if l == "" {
		return errors.New("a label is empty")
	}
	if strings.Contains(l, "*") && l != "*" && l != "**" {
		return fmt.Errorf("%q: a wildcard stands for whole labels (* for one, ** for one or more)", l)
	}
	for i := range len(l) {
		switch c := l[i]; {
		case c >= 0x80:
			return fmt.Errorf("%q: write names outside ASCII in their xn-- form", l)
		case c <= ' ' || c == 0x7f || strings.IndexByte(`/\?#@[]`, c) >= 0:
			return fmt.Errorf("%q: %q cannot stand in a host", l, c)
		}
	}
	return nil
}

// hostFit says whether one of the patterns fits the host and port.
func hostFit(hosts []hostPattern, host []byte, port int) Why {
	why := OtherHost
	for i := range hosts {
		h := &hosts[i]
		if !h.fitsHost(host) {
			continue
		}
		if h.fitsPort(port) {
			return Fits
		}
		why = OtherPort
	}
	return why
}

func (h *hostPattern) fitsPort(port int) bool {
	return h.port == 0 || h.port == port
}

func (h *hostPattern) fitsHost(host []byte) bool {
	switch {
	case h.settled:
		return true
	case h.labels == nil:
		return string(host) == h.name
	case len(host) < len(h.head)+len(h.tail):
		return false
	case string(host[:len(h.head)]) != h.head || string(host[len(host)-len(h.tail):]) != h.tail:
		return false
	}
	return labelsFit(h.labels, host)
}

// labelsFit walks host label by label. Where it gets stuck, the last "**"
// before it takes one label more. Each "**" takes at least one.
func labelsFit(labels []string, host []byte) bool {
	i, at := 0, 0         // the label and the offset in host that come next
	after, taken := -1, 0 // the label after the last "**", and the offset up to which that one took
	for at <= len(host) {
		end := labelEnd(host, at)
		switch {
		case i < len(labels) && labels[i] == "**":
			i, at = i+1, end+1
			after, taken = i, at
		case i < len(labels) && labelFits(labels[i], host[at:end]):
			i, at = i+1, end+1
		case after >= 0 && taken <= len(host):
			taken = labelEnd(host, taken) + 1
			i, at = after, taken
		default:
			return false
		}
	}
	return i == len(labels)
}

// labelEnd is a loop because labels are short.
func labelEnd(host []byte, at int) int {
	for at < len(host) && host[at] != '.' {
		at++
	}
	return at
}

// labelFits does not let "*" fit a label "**", so that one pattern can be held
// against another as if that were a host.
func labelFits(pattern string, label []byte) bool {
	if pattern == "*" {
		return string(label) != "**"
	}
	return string(label) == pattern
}

// covers reports whether h surely fits every host and port that o fits.
func (h *hostPattern) covers(o *hostPattern) bool {
	return h.fitsHost([]byte(o.name)) && (h.port == 0 || h.port == o.port)
}

// Names reports whether a site is configured for the request's host and port, and not merely for
// all hosts there are.
func (t *Table) Names(r *Request) bool {
	port := portOf(r)
	for _, c := range t.door(r.Host).sites {
		for i := range c.hosts {
			if h := &c.hosts[i]; h.name != "**" && h.fitsHost(r.Host) && h.fitsPort(port) {
				return true
			}
		}
	}
	return false
}
