package gateway

import (
	"bytes"

	"weirkeep/gateway/wire"
)

// appendUpstreamHead appends the head of the request as the origin gets it:
// always HTTP/1.1; the fields as they came, in their order; without what ends
// at this hop, with who asked, which way it came, and our own framing.
func (x *Exchange) appendUpstreamHead(dst []byte) []byte {
	dst = x.appendRequestLine(dst)
	dst = wire.AppendField(dst, hostName, x.upstreamHost())
	dst = x.appendFields(dst)
	if x.site.esi != nil {
		dst = x.appendCapabilities(dst)
	}
	if x.cached.on {
		dst = x.appendAsking(dst)
	}
	dst = x.appendIdentity(dst)
	dst = wire.AppendField(dst, viaName, x.snap.via[x.Minor])
	if !x.site.request.touches("x-request-id") {
		dst = wire.AppendField(dst, requestIDName, x.requestID)
	}
	dst = x.appendConnection(dst)
	dst = x.appendFraming(dst)
	return append(dst, "\r\n"...)
}

var (
	hostName      = []byte("Host")
	requestIDName = []byte("X-Request-Id")
)

// appendRequestLine writes the target as it was received, without the prefix
// that the mapping strips; a proxy gets it in absolute form.
func (x *Exchange) appendRequestLine(dst []byte) []byte {
	dst = append(append(dst, x.Method...), ' ')
	if x.member.proxy && !x.Secure {
		dst = append(append(dst, "http://"...), x.upstreamHost()...)
	}
	target := x.Target.Raw
	if n := x.decision.Strip; n > 0 {
		target = target[x.Target.RawAt(n):]
		if len(target) == 0 || target[0] != '/' {
			dst = append(dst, '/')
		}
	}
	dst = append(dst, target...)
	return append(dst, " HTTP/1.1\r\n"...)
}

// upstreamHost is what Host says, by the cluster's host_header.
func (x *Exchange) upstreamHost() []byte {
	switch c := x.member.cluster; {
	case c.hostHeader != nil:
		return c.hostHeader
	case c.hostOrigin || len(x.Authority.Raw) == 0:
		return x.member.host
	}
	return x.Authority.Raw
}

func (x *Exchange) appendFields(dst []byte) []byte {
	for i := range x.Head.Fields {
		if f := &x.Head.Fields[i]; x.passes(f) {
			dst = wire.AppendField(dst, f.Name, f.Value)
		}
	}
	return dst
}

// passes reports whether a field of the request goes to the origin.
func (x *Exchange) passes(f *wire.Field) bool {
	switch f.Class {
	case wire.Plain, wire.Via, wire.Date:
		return !x.withholds(f) && !x.rewrites(f)
	case wire.Identity:
		return x.trusted && !replaced(f.Name)
	case wire.Underscored:
		return x.snap.heads.Underscores == wire.Pass && !x.rewrites(f)
	}
	return false
}

func (x *Exchange) appendConnection(dst []byte) []byte {
	switch {
	case x.trip.Upgrade != nil:
		dst = append(dst, "Connection: Upgrade\r\n"...)
		dst = wire.AppendField(dst, upgradeName, x.trip.Upgrade)
	case x.Head.Trailers:
		dst = append(dst, "Connection: TE\r\nTE: trailers\r\n"...)
	}
	return dst
}

func (x *Exchange) appendFraming(dst []byte) []byte {
	switch n := x.Head.Length; {
	case n == wire.Chunked:
		dst = append(dst, "Transfer-Encoding: chunked\r\n"...)
	case n >= 0:
		dst = wire.AppendLength(dst, n)
	case !bodyless(x.Method):
		dst = append(dst, "Content-Length: 0\r\n"...)
	}
	if x.trip.Expect {
		dst = append(dst, "Expect: 100-continue\r\n"...)
	}
	return dst
}

// bodyless reports whether a request of the method usually has no body, so
// that nothing needs to be said when it has none (RFC 9110 8.6).
func bodyless(method []byte) bool {
	switch string(method) {
	case "GET", "HEAD", "OPTIONS", "DELETE":
		return true
	}
	return false
}

// edits are a site's changes to header fields, compiled.
type edits struct {
	remove [][]byte // lower case; also the names that are set
	set    []wire.Field
}

func (e *edits) any() bool { return len(e.remove) > 0 }

// touches reports whether the edits set or remove a field, given in lower case:
// then the gateway does not write its own.
func (e *edits) touches(name string) bool {
	for _, removed := range e.remove {
		if string(removed) == name {
			return true
		}
	}
	return false
}

// apply marks what is removed as ending here, and appends what is set.
func (e *edits) apply(fields []wire.Field) []wire.Field {
	for i := range fields {
		for _, name := range e.remove {
			if len(name) == len(fields[i].Name) && bytes.EqualFold(name, fields[i].Name) {
				fields[i].Class = wire.Hop
			}
		}
	}
	return append(fields, e.set...)
}
