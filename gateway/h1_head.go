package gateway

import (
	"bytes"

	"weirkeep/gateway/wire"
)

// h1Head finds where a request's head ends, however reads cut it. Of a head that
// came in pieces it keeps what the server library was given, as long as that is
// short: a head that turns out to be too long for the library's buffer is given
// anew to one with a larger buffer.
type h1Head struct {
	begun bool    // the library got part of a head
	tail  [3]byte // the end of that, to see a blank line that a read has cut
	given []byte  // the whole of that, if it is short

	// hostless is the head that the library got last, if it names no host: see
	// walkHostless.
	hostless []byte
}

var blankLine = []byte("\r\n\r\n")

// take returns how much of p belongs to the head, and whether that is its end.
// Short says that what is given may have to be given anew.
func (h *h1Head) take(p []byte, short bool) (n int, whole bool) {
	n, whole = h.end(p)
	switch {
	case !whole:
		h.remember(p[:n], short)
		return n, false
	case !h.begun:
		h.keepHostless(p[:n])
	case short:
		h.keepHostless(append(h.given, p[:n]...))
	}
	h.begun, h.tail, h.given = false, [3]byte{}, nil
	return n, true
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

func (h *h1Head) remember(p []byte, short bool) {
	h.begun = true
	if short { // then it fits into the library's buffer, or is not asked for
		h.given = append(h.given, p...)
	}
	for _, b := range p[max(0, len(p)-3):] {
		h.tail = [3]byte{h.tail[1], h.tail[2], b}
	}
}

// forget drops the last head: the library asks for more, so it was taken.
func (h *h1Head) forget() { h.hostless = h.hostless[:0] }

// The server library refuses heads of HTTP/1.1 whose Host is empty. They are
// legal (RFC 9112, 3.2) and the default site's, so their bytes are kept: when
// the library hands one back as bad, it is walked like any other, and judged by
// the wire check. It is then its connection's last.

// keepHostless keeps a head that has no host in it. A long head that came in
// pieces is not looked at: the library refuses it.
func (h *h1Head) keepHostless(head []byte) {
	i := bytes.Index(head, hostLine) + len(hostLine)
	if (i < len(hostLine) || head[i] <= ' ') && isHTTP11(head) && !namesHost(head) {
		h.hostless = append(h.hostless[:0], head...)
	}
}

// hostLine is how most clients write Host, before a host.
var hostLine = []byte("\r\nHost: ")

// isHTTP11 reports whether the first line of a head ends in that version.
func isHTTP11(head []byte) bool {
	line, _, _ := bytes.Cut(head, crlf)
	return bytes.HasSuffix(line, http11)
}

// namesHost reports whether a line of the head is a Host that is not empty.
func namesHost(head []byte) bool {
	for len(head) > 0 {
		var line []byte
		line, head, _ = bytes.Cut(head, crlf)
		name, value, _ := bytes.Cut(line, colon)
		if wire.EqualFold(name, "host") && len(bytes.TrimSpace(value)) > 0 {
			return true
		}
	}
	return false
}

var crlf, colon, blank, http11 = []byte("\r\n"), []byte(":"), []byte(" "), []byte(" HTTP/1.1")

// walkHostless walks the head that was kept.
func (g *Gateway) walkHostless(c *h1Conn, e *h1Exchange) {
	line, block, _ := bytes.Cut(c.head.hostless, crlf)
	method, rest, _ := bytes.Cut(line, blank)
	end := max(0, bytes.LastIndexByte(rest, ' '))
	e.x.Method, e.x.Line, e.x.Protocol, e.x.Block = method, rest[:end], bytes.TrimPrefix(rest[end:], blank), block
	c.last = true
	g.walkH1(c, e)
	c.linger()
}
