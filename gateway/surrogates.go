package gateway

import (
	"bytes"
	"slices"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/surrogate"
	"weirkeep/gateway/wire"
)

// isCapability reports whether a field is Surrogate-Capability, also for an origin that
// cannot tell "_" from "-".
func isCapability(name []byte) bool {
	const at = len("surrogate")
	return len(name) == len("surrogate-capability") && wire.EqualFold(name[:at], "surrogate") && wire.EqualFold(name[at+1:], "capability")
}

// rewrites reports whether a field of the request does not go to the origin as it is: what
// the client says of Surrogate-Capability, and what it says of codings that could not be read
// in a template. Where there is a cache and no ESI, a client's capabilities are left out as
// well: what an origin makes for them would be stored for all.
func (x *Exchange) rewrites(f *wire.Field) bool {
	switch {
	case x.site.cache == nil:
		return false
	case isCapability(f.Name):
		return (x.site.esi != nil || !x.trusted) && !x.site.request.touches("surrogate-capability")
	}
	return x.site.esi != nil && wire.EqualFold(f.Name, "accept-encoding")
}

// appendCapabilities appends what origins of sites with ESI are told of this node: what it
// can do, behind what surrogates before it can; the codings that it can read (E3); and that
// the request has been here (RFC 8586).
func (x *Exchange) appendCapabilities(dst []byte) []byte {
	if !x.site.request.touches("surrogate-capability") {
		dst = append(dst, "Surrogate-Capability: "...)
		if x.trusted {
			dst = x.appendPlain(dst, isCapability)
		}
		dst = surrogate.AppendCapability(dst, nil, x.site.esi.device, surrogate.Surrogate, surrogate.ESI)
		dst = append(dst, crlf...)
	}
	dst = x.appendCodings(dst)
	dst = append(dst, "CDN-Loop: "...)
	dst = append(dst, x.site.esi.device...)
	return append(dst, crlf...)
}

// appendPlain appends every value of a field as one list, ready for one more.
func (x *Exchange) appendPlain(dst []byte, is func(name []byte) bool) []byte {
	for i := range x.Head.Fields {
		if f := &x.Head.Fields[i]; f.Class == wire.Plain && len(f.Value) > 0 && is(f.Name) {
			dst = append(append(dst, f.Value...), ", "...)
		}
	}
	return dst
}

// readable are the codings that a template may come in, as Accept-Encoding names them.
var readable = [...]string{"gzip", "x-gzip", "br", "zstd", "identity"}

// appendCodings appends Accept-Encoding with what the client says of codings that can be
// read. A request without one gets none, and one that says nothing of them is one for identity.
func (x *Exchange) appendCodings(dst []byte) []byte {
	given, before := false, len(dst)
	dst = append(dst, "Accept-Encoding: "...)
	begin := len(dst)
	for i := range x.Head.Fields {
		if f := &x.Head.Fields[i]; f.Class == wire.Plain && wire.EqualFold(f.Name, "accept-encoding") {
			given, dst = true, appendReadable(dst, begin, f.Value)
		}
	}
	if !given {
		return dst[:before]
	}
	if len(dst) == begin {
		dst = append(dst, "identity"...)
	}
	return append(dst, crlf...)
}

// appendReadable appends the members of a list that name codings which can be read, to a list
// that begins there.
func appendReadable(dst []byte, begin int, list []byte) []byte {
	for len(list) > 0 {
		var member []byte
		member, list, _ = bytes.Cut(list, comma)
		name, _, _ := bytes.Cut(member, semicolon)
		name = wire.TrimBlanks(name)
		if !slices.ContainsFunc(readable[:], func(coding string) bool { return wire.EqualFold(name, coding) }) {
			continue
		}
		if len(dst) > begin {
			dst = append(dst, ", "...)
		}
		dst = append(dst, wire.TrimBlanks(member)...)
	}
	return dst
}

// hasAnnounced reports whether a trusted peer is a surrogate closer to the client, or speaks
// for one, that has a capability. A fragment goes to no peer.
func (x *Exchange) hasAnnounced(capability string) bool {
	if !x.trusted || x.within != nil || x.clientless {
		return false
	}
	for i := range x.Head.Fields {
		if f := &x.Head.Fields[i]; isCapability(f.Name) && surrogate.Announces(f.Value, capability) {
			return true
		}
	}
	return false
}

// defersESI reports whether a page is left to a surrogate closer to the client, which gets
// the template (H4).
func (x *Exchange) defersESI() bool {
	e := x.site.esi
	return e != nil && e.deferred && x.hasAnnounced(surrogate.ESI)
}

// passSurrogateControl takes what an answer says to surrogates out of its fields. One closer
// to the client that has announced itself gets what is left for it; nobody else gets any (H3).
// Of a template that was made into a page nothing is left: a page is for its client alone.
func (x *Exchange) passSurrogateControl(fields []wire.Field) []wire.Field {
	x.rest = x.rest[:0]
	if slices.ContainsFunc(fields, isSurrogateControl) && x.hasAnnounced(surrogate.Surrogate) {
		for i := range fields {
			if f := &fields[i]; isSurrogateControl(*f) {
				x.appendRest(f.Value)
			}
		}
	}
	fields = slices.DeleteFunc(fields, isSurrogateControl)
	if len(x.rest) > 0 {
		fields = append(fields, wire.Field{Name: surrogateControlName, Value: x.rest})
	}
	return fields
}

// appendRest appends what is left of one line to x.rest.
func (x *Exchange) appendRest(line []byte) {
	begin := len(x.rest)
	if begin > 0 {
		x.rest = append(x.rest, ", "...)
	}
	from := len(x.rest)
	if x.rest = surrogate.AppendRest(x.rest, line, x.site.cache.policy.Device); len(x.rest) == from {
		x.rest = x.rest[:begin]
	}
}

// appendContent appends to the fields of a stored answer what has still to be done with its
// body, for a surrogate closer to the client. More of Surrogate-Control is not stored.
func (x *Exchange) appendContent(fields []wire.Field, s *cache.Stored) []wire.Field {
	if s.Content == "" || !x.hasAnnounced(surrogate.Surrogate) {
		return fields
	}
	x.rest = append(append(append(x.rest[:0], `content="`...), s.Content...), '"')
	return append(fields, wire.Field{Name: surrogateControlName, Value: x.rest})
}

// isSurrogateControl reports whether a field is for caches in front of the origin, and not
// for what is behind them.
func isSurrogateControl(f wire.Field) bool { return wire.EqualFold(f.Name, "surrogate-control") }

var surrogateControlName = []byte("Surrogate-Control")
