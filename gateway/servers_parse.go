package gateway

import (
	"net/netip"
	"strconv"
	"strings"
)

const (
	maxServers = 800 // of a list that are believed: so many a cluster can have (D-WL-20)
	maxID      = 64  // characters of an id
)

// parseServers reads a list "id!host!port!sslport|...". What is no server is left out.
func parseServers(list string) (all []server) {
	for entry := range strings.SplitSeq(list, "|") {
		if s, ok := parseServer(strings.TrimSpace(entry)); ok && len(all) < maxServers {
			all = append(all, s)
		}
	}
	return all
}

func parseServer(entry string) (s server, ok bool) {
	part := strings.Split(entry, "!")
	if len(part) < 3 || !isID(part[0]) {
		return server{}, false
	}
	s = server{id: part[0], host: hostSpelling(part[1]), port: portNumber(part[2])}
	if len(part) > 3 {
		s.tls = portNumber(part[3])
	}
	return s, s.host != "" && (s.port != 0 || s.tls != 0)
}

// isID reports whether a text can be what session ids call a server: visible ASCII.
func isID(text string) bool {
	return text != "" && len(text) <= maxID && !strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c > '~' })
}

// hostSpelling is the one spelling of an address, or of a name of letters, digits, dots
// and dashes; empty if the text is neither.
func hostSpelling(text string) string {
	inner, bracketed := strings.CutPrefix(text, "[")
	if bracketed {
		inner, bracketed = strings.CutSuffix(inner, "]")
		if !bracketed {
			return ""
		}
	}
	a, err := netip.ParseAddr(inner)
	switch {
	case err == nil && a.Zone() == "" && (a.Is6() || !bracketed):
		return a.String()
	case err == nil, bracketed, !isName(strings.ToLower(text)):
		return ""
	}
	return strings.ToLower(text)
}

// isName reports whether a text in lower case can be the name of a host.
func isName(text string) bool {
	return len(text) <= 253 && strings.Trim(text, ".-") == text && text != "" &&
		strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789.-") == ""
}

// portNumber is a port, zero if the text is none: servers write -1 for none.
func portNumber(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > 65535 {
		return 0
	}
	return n
}
