package esi

import "bytes"

// agentPart is a User-Agent, or a part of what it says: browser (MOZILLA, MSIE, OTHER),
// version, or os (WIN, MAC, UNIX, OTHER).
func agentPart(agent []byte, v *variable) []byte {
	if !v.keyed || len(agent) == 0 {
		return agent
	}
	switch v.key {
	case "browser":
		return []byte(browser(agent))
	case "version":
		return browserVersion(agent)
	case "os":
		return []byte(system(agent))
	}
	return nil
}

func browser(agent []byte) string {
	switch {
	case bytes.Contains(agent, []byte("MSIE ")), bytes.Contains(agent, []byte("Trident/")):
		return "MSIE"
	case bytes.HasPrefix(agent, []byte("Mozilla/")):
		return "MOZILLA"
	}
	return "OTHER"
}

// versions are what a version stands behind, the most telling first.
var versions = [][]byte{[]byte("MSIE "), []byte("rv:"), []byte("/")}

// browserVersion is the version of the browser that browser names: that of the first
// product, or what MSIE says of itself.
func browserVersion(agent []byte) []byte {
	marks := versions[2:]
	if browser(agent) == "MSIE" {
		marks = versions
	}
	for _, mark := range marks {
		if _, rest, ok := bytes.Cut(agent, mark); ok {
			n := 0
			for n < len(rest) && (isDigit(rest[n]) || rest[n] == '.') {
				n++
			}
			return rest[:n]
		}
	}
	return nil
}

// systems are words that name an operating system. The first that occurs decides.
var systems = []struct{ word, name string }{
	{"Windows", "WIN"}, {"Win64", "WIN"}, {"Win32", "WIN"}, {"Mac", "MAC"},
	{"Linux", "UNIX"}, {"X11", "UNIX"}, {"BSD", "UNIX"}, {"SunOS", "UNIX"}, {"AIX", "UNIX"}, {"HP-UX", "UNIX"}, {"Unix", "UNIX"},
}

func system(agent []byte) string {
	for _, s := range systems {
		if bytes.Contains(agent, []byte(s.word)) {
			return s.name
		}
	}
	return "OTHER"
}
