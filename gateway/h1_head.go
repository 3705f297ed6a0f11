package gateway

import (
	"bytes"
	"sync"

	"weirkeep/gateway/wire"
)

// h1Head finds where a request's head ends, however reads cut it, and keeps what
// the server library was given of it, up to shortHead bytes: a head that turns
// out to be too long for the library's buffer is given anew to one with a larger
// buffer, and one that the library refuses, which then forgets it, is looked at
// again by ourselves.
type h1Head struct {
	begun bool    // the library got part of a head
	tail  [3]byte // the end of that, to see a blank line that a read has cut
	bytes int     // of this head that the library got
	kept  []byte  // the first of them
	room  *[shortHead]byte
}

// heads are what kept heads lie in. A connection has one from the first byte of
// a head until the walk begins.
var heads = sync.Pool{New: func() any { return new([shortHead]byte) }}

var blankLine = []byte("\r\n\r\n")

// take returns how much of p belongs to the head, and whether that is its end.
func (h *h1Head) take(p []byte) (n int, whole bool) {
	n, whole = h.end(p)
	if whole {
		h.begun, h.tail = false, [3]byte{}
	} else {
		h.remember(p[:n])
	}
	return n, whole
}

// end looks for the blank line, first where it begins in what was given before.
func (h *h1Head) end(p []byte) (n int, whole bool) {
	if h.begun {
		var seam [6]byte
		copy(seam[:3], h.tail[:])
		k := 3 + copy(seam[3:], p)
		if i := bytes.Index(seam[:k], blankLine); i >= 0 {
			return i + len(blankLine) - 3, true
		}
	}
	if i := bytes.Index(p, blankLine); i >= 0 {
		return i + len(blankLine), true
	}
	return len(p), false
}

func (h *h1Head) remember(p []byte) {
	h.begun = true
	for _, b := range p[max(0, len(p)-3):] {
		h.tail = [3]byte{h.tail[1], h.tail[2], b}
	}
}

func (h *h1Head) keep(p []byte) {
	if h.room == nil {
		h.room = heads.Get().(*[shortHead]byte)
		h.kept = h.room[:0]
	}
	h.bytes += len(p)
	h.kept = append(h.kept, p[:min(len(p), cap(h.kept)-len(h.kept))]...)
}

// forget drops a head that has ended: the library asks for more, so it was
// taken.
func (h *h1Head) forget() {
	if !h.begun {
		h.drop()
	}
}

// drop gives back what the head lies in.
func (h *h1Head) drop() {
	if h.room != nil {
		heads.Put(h.room)
		h.room, h.kept, h.bytes = nil, nil, 0
	}
}

// whole is the head that the library got last, nil if that did not end or is
// longer than what is kept.
func (h *h1Head) whole() []byte {
	if h.begun || h.bytes != len(h.kept) {
		return nil
	}
	return h.kept
}

// A head that the server library refuses is read by the wire check, which knows
// better what is wrong, and how that is called. One whose Host is empty is legal
// (RFC 9112, 3.2), the default site's, and the library's mistake: it is walked
// like any other. Whatever else the wire check has nothing against is refused
// all the same. Either way it is its connection's last.

// readHead cuts a head into what the walk wants of it. It reports whether its
// first line can be read in one way.
func (x *Exchange) readHead(head []byte) bool {
	line, block, ended := bytes.Cut(bytes.TrimLeft(head, "\r\n"), crlf)
	method, rest, _ := bytes.Cut(line, blank)
	target, protocol, ok := bytes.Cut(rest, blank)
	if !ok || !ended || bytes.ContainsAny(protocol, " \r\n") || !bytes.HasPrefix(protocol, httpSlash) {
		return false
	}
	x.Method, x.Line, x.Protocol, x.Block = method, target, protocol, block
	return true
}

// hostIn is the value of the first Host line that is whole in a block.
func hostIn(block []byte) []byte {
	for {
		line, rest, ended := bytes.Cut(block, crlf)
		if !ended {
			return nil
		}
		if name, value, _ := bytes.Cut(line, colon); wire.EqualFold(name, "host") {
			return bytes.TrimSpace(value)
		}
		block = rest
	}
}

var crlf, colon, blank, httpSlash = []byte("\r\n"), []byte(":"), []byte(" "), []byte("HTTP/")
