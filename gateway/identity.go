package gateway

import (
	"bytes"
	"net/netip"

	"weirkeep/gateway/wire"
)

// identify finds the client's address: the peer, or, if the peer is a trusted
// proxy, the rightmost address of X-Forwarded-For (or Forwarded) that is not a
// trusted proxy too. What cannot be read as an address ends the search at the
// proxy that vouched for it.
func (x *Exchange) identify() {
	peer := plainAddr(x.Peer)
	x.trusted = x.snap.trusts(peer)
	x.clientIP = peer
	if !x.trusted {
		return
	}
	fields := x.Head.Fields
	for i := len(fields) - 1; i >= 0; i-- {
		if f := &fields[i]; f.Class == wire.Identity && wire.EqualFold(f.Name, "x-forwarded-for") {
			if !x.walkBack(f.Value, parseForwardedFor) {
				return
			}
		}
	}
	if x.clientIP != peer {
		return
	}
	for i := len(fields) - 1; i >= 0; i-- {
		if f := &fields[i]; f.Class == wire.Identity && wire.EqualFold(f.Name, "forwarded") {
			if !x.walkBack(f.Value, parseForwarded) {
				return
			}
		}
	}
}

// plainAddr is an address as rules and lists write it: without the zone that a
// link-local one has on this machine.
func plainAddr(peer netip.AddrPort) netip.Addr { return peer.Addr().Unmap().WithZone("") }

// walkBack goes from the last element of a list to the first, as long as those
// it meets are trusted. It reports whether the walk may go on in an earlier
// field.
func (x *Exchange) walkBack(list []byte, parse func([]byte) (netip.Addr, bool)) bool {
	for len(list) > 0 {
		i := bytes.LastIndexByte(list, ',')
		addr, ok := parse(bytes.TrimSpace(list[i+1:]))
		if !ok {
			return false
		}
		x.clientIP = addr
		if !x.snap.trusts(addr) {
			return false
		}
		list = list[:max(i, 0)]
	}
	return true
}

// parseForwardedFor reads an element of X-Forwarded-For: an address, with or
// without a port.
func parseForwardedFor(s []byte) (netip.Addr, bool) {
	var text [64]byte
	if len(s) == 0 || len(s) > len(text) {
		return netip.Addr{}, false
	}
	return parseAddr(s)
}

// parseForwarded reads the for= of an element of Forwarded (RFC 7239 4).
func parseForwarded(s []byte) (netip.Addr, bool) {
	for rest := s; len(rest) > 0; {
		var pair []byte
		pair, rest, _ = bytes.Cut(rest, semicolon)
		name, value, _ := bytes.Cut(bytes.TrimSpace(pair), equals)
		if wire.EqualFold(name, "for") {
			return parseForwardedFor(bytes.Trim(value, `"`))
		}
	}
	return netip.Addr{}, false
}

var semicolon, equals = []byte(";"), []byte("=")

// parseAddr reads an address with or without port and brackets. It is called
// for trusted proxies only, and may allocate.
func parseAddr(s []byte) (netip.Addr, bool) {
	text := string(s)
	if ap, err := netip.ParseAddrPort(text); err == nil {
		return ap.Addr().Unmap().WithZone(""), true
	}
	if n := len(text); n > 2 && text[0] == '[' && text[n-1] == ']' {
		text = text[1 : n-1]
	}
	a, err := netip.ParseAddr(text)
	return a.Unmap().WithZone(""), err == nil
}

// appendIdentity appends the fields that tell the origin who asks for what. A
// trusted proxy's words are kept and our peer is added to them; anybody else's
// were left out.
func (x *Exchange) appendIdentity(dst []byte) []byte {
	own := &x.site.request // what the site's edits touch is theirs
	if !own.touches("x-forwarded-for") {
		dst = append(dst, "X-Forwarded-For: "...)
		if x.trusted {
			dst = x.appendList(dst, "x-forwarded-for")
		}
		dst = plainAddr(x.Peer).AppendTo(dst)
		dst = append(dst, "\r\n"...)
	}
	if !own.touches("x-forwarded-proto") {
		dst = wire.AppendField(dst, forwardedProto, x.vouched("x-forwarded-proto", x.protocol()))
	}
	if !own.touches("x-forwarded-host") {
		dst = wire.AppendField(dst, forwardedHost, x.vouched("x-forwarded-host", x.Authority.Raw))
	}
	if x.vouched("forwarded", nil) != nil && !own.touches("forwarded") {
		dst = x.appendForwarded(dst)
	}
	return dst
}

// appendForwarded appends our element to the Forwarded of a trusted proxy, as a
// line of its own (RFC 7239, 4).
func (x *Exchange) appendForwarded(dst []byte) []byte {
	dst = append(dst, "Forwarded: for="...)
	if peer := plainAddr(x.Peer); peer.Is4() {
		dst = peer.AppendTo(dst)
	} else {
		dst = append(peer.AppendTo(append(dst, `"[`...)), `]"`...)
	}
	dst = append(append(dst, ";proto="...), x.scheme()...)
	return append(dst, "\r\n"...)
}

var (
	forwardedProto = []byte("X-Forwarded-Proto")
	forwardedHost  = []byte("X-Forwarded-Host")
	plain, overTLS = []byte("http"), []byte("https")
)

// protocol is scheme as bytes.
func (x *Exchange) protocol() []byte {
	if x.Secure {
		return overTLS
	}
	return plain
}

// appendList appends every value of a field as one list, ready for one more.
func (x *Exchange) appendList(dst []byte, name string) []byte {
	for i := range x.Head.Fields {
		f := &x.Head.Fields[i]
		if f.Class == wire.Identity && len(f.Value) > 0 && wire.EqualFold(f.Name, name) {
			dst = append(append(dst, f.Value...), ", "...)
		}
	}
	return dst
}

// vouched returns the last value of a field if the peer is trusted and sent one,
// else what is known without it.
func (x *Exchange) vouched(name string, otherwise []byte) []byte {
	if !x.trusted {
		return otherwise
	}
	for i := len(x.Head.Fields) - 1; i >= 0; i-- {
		if f := &x.Head.Fields[i]; f.Class == wire.Identity && wire.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return otherwise
}

// replaced reports whether appendIdentity writes the field anew, so that it
// must not be passed on by itself as well.
func replaced(name []byte) bool {
	return wire.EqualFold(name, "x-forwarded-for") || wire.EqualFold(name, "x-forwarded-proto") || wire.EqualFold(name, "x-forwarded-host")
}
