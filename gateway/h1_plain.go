package gateway

import (
	"bytes"

	"weirkeep/gateway/wire"
)

// A plain head is a whole one, of a GET or HEAD without a body, that the server
// library could have nothing against. Most heads are. They are walked before the
// library sees them, so that they are read once, by the wire check, and the library
// goes on waiting for one. A head that came in pieces goes to the library: to clients
// and origins the two ways are one.

// walkPlain walks the exchange of a plain head, and reports whether the head was one,
// and whether that was the connection's last.
func (g *Gateway) walkPlain(c *h1Conn, head []byte) (walked, last bool) {
	if !seemsPlain(head) {
		return false, false
	}
	e := g.exchanges.Get().(*h1Exchange)
	defer g.exchanges.Put(e)
	if !e.x.readHead(head) {
		return false, false
	}
	c.busy.Store(true)
	defer c.busy.Store(false)
	g.lend(c, e)
	if !e.x.readPlain(&g.current.Load().heads) {
		return false, false
	}
	g.walkLent(c, e)
	return true, e.w.close
}

// seemsPlain looks at the first bytes.
func seemsPlain(head []byte) bool {
	return bytes.HasPrefix(head, []byte("GET /")) || bytes.HasPrefix(head, []byte("HEAD /"))
}

// readPlain does the wire check's parsing, and reports whether it was of a plain head.
func (x *Exchange) readPlain(heads *wire.Rules) bool {
	if string(x.Protocol) != "HTTP/1.1" || bytes.HasPrefix(x.Line, []byte("//")) {
		return false
	}
	x.read = false
	h := &x.Head
	x.read = x.parse(heads) == nil && len(h.Host) > 0 && h.Host[0] != '[' && h.Length == wire.NoLength &&
		!h.HasTrailerField && !h.Expect && h.Upgrade == nil
	return x.read
}
