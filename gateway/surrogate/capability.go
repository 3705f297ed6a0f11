package surrogate

import (
	"bytes"

	"weirkeep/gateway/wire"
)

// AppendCapability appends the value of Surrogate-Capability for a request to an origin: what
// the device can do, behind what the surrogates before it have said. The device is a token
// that no other device in the chain has.
func AppendCapability(dst, before []byte, device string, capabilities ...string) []byte {
	if len(before) > 0 {
		dst = append(append(dst, before...), ", "...)
	}
	dst = append(append(dst, device...), `="`...)
	for i, c := range capabilities {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = append(dst, c...)
	}
	return append(dst, '"')
}

// Announces reports whether a value of Surrogate-Capability says that some device has a
// capability.
func Announces(value []byte, capability string) bool {
	return anyDevice(value, func(_, capabilities []byte) bool { return hasToken(capabilities, capability) })
}

// Names reports whether a value of Surrogate-Capability names a device: a request that names
// the one that got it goes in a circle.
func Names(value []byte, device string) bool {
	return anyDevice(value, func(name, _ []byte) bool { return string(name) == device })
}

// anyDevice reports whether f is true of one of the devices that a value of
// Surrogate-Capability names.
func anyDevice(value []byte, f func(device, capabilities []byte) bool) bool {
	for len(value) > 0 {
		var member []byte
		member, value = cut(value, ',')
		device, capabilities, ok := bytes.Cut(member, []byte("="))
		if ok && f(wire.TrimBlanks(device), wire.Unquote(wire.TrimBlanks(capabilities))) {
			return true
		}
	}
	return false
}

// hasToken reports whether a list of tokens between blanks has one, in any case.
func hasToken(list []byte, token string) bool {
	for _, t := range bytes.Fields(list) {
		if bytes.EqualFold(t, []byte(token)) {
			return true
		}
	}
	return false
}

// cut cuts b at the first separator that stands neither in quotes nor in parentheses, and
// takes blanks off what stands before it.
func cut(b []byte, separator byte) (before, after []byte) {
	quoted, depth := false, 0
	for i, c := range b {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == separator && depth <= 0:
			return wire.TrimBlanks(b[:i]), b[i+1:]
		}
	}
	return wire.TrimBlanks(b), nil
}
