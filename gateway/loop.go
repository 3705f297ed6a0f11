package gateway

import (
	"bytes"
	"errors"

	"weirkeep/gateway/surrogate"
	"weirkeep/gateway/wire"
)

// errLoop is why a request that comes back is refused.
var errLoop = errors.New("the request comes back")

// passedHere reports whether the request's Via names this node: it went out of
// here, and some origin has sent it back. Going on would do that for ever.
func (x *Exchange) passedHere() bool {
	for i := range x.Head.Fields {
		if f := &x.Head.Fields[i]; f.Class == wire.Via && x.snap.inVia(f.Value) {
			return true
		}
	}
	return false
}

// inVia reports whether an element of a Via is one of ours.
func (s *snapshot) inVia(list []byte) bool {
	for len(list) > 0 {
		var element []byte
		element, list, _ = bytes.Cut(list, comma)
		element = bytes.TrimSpace(element)
		for _, own := range s.via {
			if bytes.Equal(element, own) {
				return true
			}
		}
	}
	return false
}

var comma = []byte(",")

// errCircle is why a request is refused that has been here, though its Via does not say so.
var errCircle = errors.New("the request comes back: CDN-Loop or Surrogate-Capability names this node; in a chain each gateway needs a node.name of its own")

// inCircle reports whether the request names this node in what is told to the origins of
// sites with ESI: somebody on its way has taken Via off (RFC 8586, E3). Surrogate-Capability is
// believed of a trusted peer alone.
func (x *Exchange) inCircle() bool {
	for i := range x.Head.Fields {
		f := &x.Head.Fields[i]
		switch len(f.Name) { // first, since most fields are neither
		case len("cdn-loop"):
			if wire.EqualFold(f.Name, "cdn-loop") && namesCDN(f.Value, x.snap.device) {
				return true
			}
		case len("surrogate-capability"):
			if x.trusted && isCapability(f.Name) && surrogate.Names(f.Value, x.snap.device) {
				return true
			}
		}
	}
	return false
}

// namesCDN reports whether a list of CDN-Loop has a name, whatever its parameters.
func namesCDN(list []byte, name string) bool {
	for len(list) > 0 {
		var element []byte
		element, list, _ = bytes.Cut(list, comma)
		element, _, _ = bytes.Cut(element, semicolon)
		if string(bytes.TrimSpace(element)) == name {
			return true
		}
	}
	return false
}
