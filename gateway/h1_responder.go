package gateway

import (
	"errors"
	"net"
	"os"
	"time"

	"weirkeep/gateway/memfile"
	"weirkeep/gateway/wire"
)

// joinBytes is how much is joined before it goes out.
const joinBytes = 16 << 10

// errAborted is what a responder answers to writes after Abort.
var errAborted = errors.New("aborted")

// h1Responder writes an answer to a client's HTTP/1 connection.
type h1Responder struct {
	c       *h1Conn
	x       *Exchange
	buf     []byte // held back: heads, small content, framing
	status  int
	content int64 // bytes given to Write
	left    int64 // of a known length; negative: not known
	chunked bool
	silent  bool // the answer has no content by nature: writes go nowhere
	minor   int  // of the client's version
	head    bool // the method is HEAD
	close   bool // this is the connection's last exchange
	abrupt  bool // a cut cannot be seen unless the connection is reset
	out     bool // the socket took some of the final answer
	ended   bool
	err     error
	trailer []byte
	iov     [2][]byte
	vec     net.Buffers
}

// reset readies a pooled responder for another answer. The buffer stays.
func (w *h1Responder) reset(c *h1Conn, x *Exchange) {
	*w = h1Responder{c: c, x: x, buf: w.buf[:0], trailer: w.trailer[:0], minor: 1, close: c.last}
	if string(x.Protocol) == "HTTP/1.0" {
		w.minor = 0
	}
	w.head = string(x.Method) == "HEAD"
}

// Interim implements Responder.
func (w *h1Responder) Interim(code int, fields []wire.Field) error {
	if w.minor == 0 || w.status != 0 || w.err != nil {
		return w.err
	}
	w.buf = wire.AppendStatusLine(w.buf, code, nil)
	w.appendFields(fields)
	w.buf = append(w.buf, "\r\n"...)
	return w.Flush()
}

func (w *h1Responder) appendFields(fields []wire.Field) {
	for i := range fields {
		f := &fields[i]
		if f.Class != wire.Hop && f.Class != wire.Framing {
			w.buf = wire.AppendField(w.buf, f.Name, f.Value)
		}
	}
}

// Head implements Responder.
func (w *h1Responder) Head(code int, reason []byte, fields []wire.Field, length int64) {
	w.begin(code, length)
	w.buf = wire.AppendStatusLine(w.buf, code, reason)
	w.endHead(code, fields, length)
}

// begin notes what is about to be sent.
func (w *h1Responder) begin(code int, length int64) {
	w.status = code
	w.left = length
	if h := &w.x.Head; h.Close || w.minor == 0 && !h.KeepAlive || w.c.gateway.closing.Load() {
		w.close = true
	}
	w.silent = w.head || code == 204 || code == 304
}

// endHead appends fields, and what is said of the content and of the connection.
func (w *h1Responder) endHead(code int, fields []wire.Field, length int64) {
	w.appendFields(fields)
	w.appendFraming(code, length)
	w.appendConnection(code)
	w.buf = append(w.buf, "\r\n"...)
}

// Prepared implements Responder.
func (w *h1Responder) Prepared(code int, head []byte, fields []wire.Field, length int64) {
	w.begin(code, length)
	w.buf = append(w.buf, head...)
	w.endHead(code, fields, length)
}

// appendFraming says how long the content is (RFC 9112 6.3): never on 1xx and
// 204, and nothing that the origin did not say where there is no content.
func (w *h1Responder) appendFraming(code int, length int64) {
	switch {
	case code == 101 || code == 204:
	case length >= 0:
		w.buf = wire.AppendLength(w.buf, length)
	case length == wire.NoLength || w.silent:
	case w.minor == 0:
		w.close, w.abrupt = true, true
	default:
		w.chunked = true
		w.buf = append(w.buf, "Transfer-Encoding: chunked\r\n"...)
	}
}

func (w *h1Responder) appendConnection(code int) {
	switch {
	case code == 101:
		w.buf = append(w.buf, "Connection: Upgrade\r\n"...)
	case w.close:
		w.buf = append(w.buf, "Connection: close\r\n"...)
	case w.minor == 0:
		w.buf = append(w.buf, "Connection: keep-alive\r\n"...)
	}
}

// Write implements Responder.
func (w *h1Responder) Write(p []byte) error {
	if w.err != nil || len(p) == 0 || w.silent {
		return w.err
	}
	w.content += int64(len(p))
	if w.left >= 0 {
		w.left -= int64(len(p))
	}
	if w.chunked {
		w.buf = wire.AppendChunkHead(w.buf, len(p))
	}
	w.join(p)
	if w.chunked {
		w.buf = append(w.buf, "\r\n"...)
	}
	return w.err
}

// join adds p to what is held back, or sends both in one call. On TLS two
// pieces would be two records: there they are always joined.
func (w *h1Responder) join(p []byte) {
	if len(w.buf)+len(p) <= joinBytes {
		w.buf = append(w.buf, p...)
		return
	}
	w.c.armWrite(time.Now())
	if len(w.buf) == 0 {
		_, w.err = w.c.Conn.Write(p)
		return
	}
	if w.c.options.secure() {
		w.buf = append(w.buf, p...)
		w.Flush()
		return
	}
	w.iov[0], w.iov[1] = w.buf, p
	w.vec = w.iov[:]
	n, err := w.vec.WriteTo(w.c.Conn)
	w.wrote(n, err)
	w.iov = [2][]byte{}
	w.buf = w.buf[:0]
}

// Sends implements Responder.
func (w *h1Responder) Sends() bool { return !w.chunked && !w.silent && w.c.plainSocket() != nil }

// Send implements Responder. The head goes out before, in a packet of its own: it costs a
// call, and the client's end has it while the rest is under way. A client may be as slow as with
// Write, for each 16 KiB.
func (w *h1Responder) Send(s *memfile.Span, from, n int64) error {
	if w.silent || w.Flush() != nil {
		return w.err
	}
	c := w.c.plainSocket()
	for n > 0 && w.err == nil {
		w.c.armWrite(time.Now())
		k, err := s.SendTo(c, from, n)
		if from, n = from+k, n-k; errors.Is(err, os.ErrDeadlineExceeded) && k >= joinBytes {
			err = nil
		}
		w.passed(k, err)
	}
	return w.err
}

// passed notes content that went out without having been held back.
func (w *h1Responder) passed(n int64, err error) {
	w.content += n
	if w.left >= 0 {
		w.left -= n
	}
	w.wrote(n, err)
}

// Flush implements Responder.
func (w *h1Responder) Flush() error {
	if w.err != nil || len(w.buf) == 0 {
		return w.err
	}
	w.c.armWrite(time.Now()) // the exchange may have begun long ago
	n, err := w.c.Conn.Write(w.buf)
	w.wrote(int64(n), err)
	w.buf = w.buf[:0]
	return w.err
}

// wrote notes how a write has gone. An answer of which nothing got out was not
// begun.
func (w *h1Responder) wrote(n int64, err error) {
	w.err = err
	w.out = w.out || n > 0 && w.status != 0
	if err != nil && !w.out {
		w.status, w.content = 0, 0
	}
}

// Trailers implements Responder.
func (w *h1Responder) Trailers(lines []byte) {
	if w.chunked {
		w.trailer = append(w.trailer[:0], lines...)
	}
}

// End implements Responder.
func (w *h1Responder) End() error {
	if w.ended || w.err != nil {
		return w.err
	}
	w.ended = true
	if w.chunked {
		w.buf = wire.AppendLastChunk(w.buf, w.trailer)
	} else if w.left > 0 && !w.silent {
		w.Abort() // less content than was said
		return w.err
	}
	return w.Flush()
}

// Abort implements Responder. An answer that only the end of the connection
// ends is cut by a reset.
func (w *h1Responder) Abort() {
	w.close = true
	if w.err == nil {
		w.err = errAborted
	}
	if w.abrupt {
		w.c.reset()
	}
}

// Close implements Responder.
func (w *h1Responder) Close() { w.close = true }

// Sent implements Responder.
func (w *h1Responder) Sent() (status int, content int64) { return w.status, w.content }

// Tunnel implements Responder.
func (w *h1Responder) Tunnel() Tunnel {
	w.Flush()
	w.close, w.ended, w.abrupt = true, true, true
	c := w.c
	c.Conn.SetDeadline(time.Time{})
	return &h1Tunnel{h1Conn: c}
}
