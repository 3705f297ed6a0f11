package cache

import (
	"bytes"

	"weirkeep/gateway/wire"
)

// surrogateControl returns what Surrogate-Control says of storing (Edge Architecture
// Specification, 2.3): the origin tells the caches in front of it, and nobody behind them. What
// is said to this device by its name is all that counts to it. It is not ok if nothing is said of
// that: then the other fields decide, and c says at most whether it may be compressed.
//
// no-store-remote is for caches elsewhere, and content says what the body needs: neither
// matters here.
func surrogateControl(fields []wire.Field, device string) (c control, ok bool) {
	for _, to := range [...]string{device, ""} {
		for i := range fields {
			if nameOf(fields[i].Name) == nameSurrogateControl {
				c.readSurrogate(fields[i].Value, to)
			}
		}
		if c.there {
			return c, true
		}
	}
	return c, false
}

// readSurrogate reads one line of Surrogate-Control: what it says to one device, or without
// a name to all.
func (c *control) readSurrogate(value []byte, to string) {
	for len(value) > 0 {
		var member []byte
		member, value, _ = cutMember(value)
		if directive, device := cutDevice(member); wire.EqualFold(device, to) {
			c.surrogateMember(directive)
		}
	}
}

// cutDevice splits what is said from whom it is said to; nobody: to all. A semicolon within a
// quoted string separates nothing.
func cutDevice(member []byte) (directive, device []byte) {
	end := bytes.LastIndexByte(member, ';')
	if end < 0 || bytes.LastIndexByte(member, '"') > end {
		return member, nil
	}
	return wire.TrimBlanks(member[:end]), wire.TrimBlanks(member[end+1:])
}

// surrogateMember applies one directive, in whatever case it is written. Of one that stands
// twice the first counts.
func (c *control) surrogateMember(directive []byte) {
	n := tokenLength(directive)
	arg, ok := argument(directive[n:])
	switch name := directive[:n]; {
	case wire.EqualFold(name, "no-store"):
		c.there, c.flags = true, c.flags|noStore
	case wire.EqualFold(name, "max-age") && !c.times[maxAge].given:
		c.there = true
		c.surrogateAge(arg, ok)
	case wire.EqualFold(name, "compress") && c.compress == asConfigured:
		c.compress = compressWords[string(arg)]
	}
}

// compressing is what an answer says of being sent in codings (D-WC-32).
type compressing uint8

const (
	asConfigured compressing = iota // nothing
	compressed                      // in those of the cache, whatever a rule says
	uncompressed                    // in none
)

var compressWords = map[string]compressing{"yes": compressed, "no": uncompressed}

// surrogateAge sets how long an answer is fresh, and how long after that it may be used stale:
// "60+30", "infinity". What is malformed is stale at once, as max-age in Cache-Control is (P4).
func (c *control) surrogateAge(arg []byte, ok bool) {
	fresh, extension, more := cutByte(arg, '+')
	c.times[maxAge] = secondsOf(fresh, ok)
	if wire.EqualFold(fresh, "infinity") {
		c.times[maxAge] = seconds{given: true, valid: true, d: longest}
	}
	if more {
		c.times[whileRevalidate] = secondsOf(extension, ok)
		c.times[ifError] = c.times[whileRevalidate]
	}
}
