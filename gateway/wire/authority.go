package wire

import "bytes"

// maxHost is the longest host in bytes: what a DNS name can have.
const maxHost = 255

// Authority is who a request is for: a host and perhaps a port.
type Authority struct {
	// Raw is what was parsed.
	Raw []byte

	// Host is the name or address in lower case, without the brackets of an
	// IPv6 address and without the final dot of a name.
	Host []byte

	// Port is 1..65535. Zero means that none is stated.
	Port int

	buf []byte
}

// Parse reads host or host:port as it stands in Host or in an absolute target.
// Host is a view into raw if nothing had to be changed, else into a buffer of a.
//
// A host is a name of non-empty labels of letters, digits, "-" and "_", an IPv4
// address (which reads like one), or an IPv6 address in brackets. RFC 3986 lets
// a name hold more than that, percent-encodings among it; no name that resolves
// or has a certificate does, and readers disagree on them. An empty port, port 0
// and a port with leading zeros are refused for the same reason. All that is
// refused is ErrAuthority.
func (a *Authority) Parse(raw []byte) error {
	*a = Authority{buf: a.buf}
	host, port, ok := splitAuthority(raw)
	if !ok {
		return ErrAuthority
	}
	host = bytes.TrimSuffix(host, []byte("."))
	for _, c := range host {
		if c != lower(c) {
			host = a.lowered(host)
			break
		}
	}
	a.Raw, a.Host, a.Port = raw, host, port
	return nil
}

// lowered copies a host to the buffer in lower case.
func (a *Authority) lowered(host []byte) []byte {
	a.buf = a.buf[:0]
	for _, c := range host {
		a.buf = append(a.buf, lower(c))
	}
	return a.buf
}

// splitAuthority checks an authority and cuts it in two. The host has lost its
// brackets, nothing else.
func splitAuthority(raw []byte) (host []byte, port int, ok bool) {
	if len(raw) == 0 {
		return nil, 0, false
	}
	var rest []byte
	if raw[0] == '[' {
		end := bytes.IndexByte(raw, ']')
		if end < 0 || !isIPv6(raw[1:end]) {
			return nil, 0, false
		}
		host, rest = raw[1:end], raw[end+1:]
	} else {
		end := hostEnd(raw)
		if host, rest = raw[:end], raw[end:]; !isHostname(host) {
			return nil, 0, false
		}
	}
	port, ok = parsePort(rest)
	return host, port, ok
}

// hostEnd returns where the host ends and the port, if any, begins.
func hostEnd(raw []byte) int {
	if i := bytes.IndexByte(raw, ':'); i >= 0 {
		return i
	}
	return len(raw)
}

// parsePort reads nothing, or a colon and a port.
func parsePort(b []byte) (port int, ok bool) {
	if len(b) == 0 {
		return 0, true
	}
	if b[0] != ':' || len(b) < 2 || len(b) > len(":65535") || b[1] == '0' {
		return 0, false
	}
	for _, c := range b[1:] {
		if c < '0' || c > '9' {
			return 0, false
		}
		port = port*10 + int(c-'0')
	}
	return port, port <= 65535
}

// isHostname reports whether s is labels joined by dots, perhaps with a final
// one.
func isHostname(s []byte) bool {
	if len(s) == 0 || len(s) > maxHost {
		return false
	}
	for len(s) > 0 {
		n := run(s, hostname)
		if n == 0 || n < len(s) && s[n] != '.' {
			return false
		}
		s = s[min(n+1, len(s)):]
	}
	return true
}

// isIPv6 reports whether s is an IPv6 address without zone.
func isIPv6(s []byte) bool {
	groups, gap := 0, false
	if len(s) > 1 && s[0] == ':' && s[1] == ':' {
		gap, s = true, s[2:]
	}
	for len(s) > 0 {
		n := hexRun(s)
		if n < len(s) && s[n] == '.' {
			return isIPv4(s) && complete(groups+2, gap)
		}
		if n == 0 || n > 4 {
			return false
		}
		groups++
		if s = s[n:]; len(s) == 0 {
			break
		}
		if s[0] != ':' || len(s) == 1 {
			return false
		}
		if s = s[1:]; s[0] == ':' {
			if gap {
				return false
			}
			gap, s = true, s[1:]
		}
	}
	return complete(groups, gap)
}

// complete reports whether so many groups make an address. A gap stands for at
// least one.
func complete(groups int, gap bool) bool {
	return groups == 8 && !gap || groups < 8 && gap
}

func hexRun(s []byte) int {
	for i, c := range s {
		if _, ok := unhex(c); !ok {
			return i
		}
	}
	return len(s)
}

// isIPv4 reports whether s is four numbers up to 255, without leading zeros.
func isIPv4(s []byte) bool {
	for part := range 4 {
		n := 0
		for n < len(s) && '0' <= s[n] && s[n] <= '9' {
			n++
		}
		if !isOctet(s[:n]) {
			return false
		}
		if s = s[n:]; part == 3 {
			break
		}
		if len(s) == 0 || s[0] != '.' {
			return false
		}
		s = s[1:]
	}
	return len(s) == 0
}

func isOctet(d []byte) bool {
	if len(d) == 0 || len(d) > 3 || d[0] == '0' && len(d) > 1 {
		return false
	}
	v := 0
	for _, c := range d {
		v = v*10 + int(c-'0')
	}
	return v <= 255
}
