package gateway

import (
	"bytes"
	"errors"

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
