package gateway

import (
	"cmp"
	"errors"
	"io"
	"log"
	"net"
	"os"
	"time"

	"github.com/valyala/fasthttp"
)

// frontH1 is the HTTP/1.1 front door: a fasthttp server that accepts
// connections, schedules them, parses heads and keeps them alive. It gets one
// head at a time and is told that no request has a body; what it answers goes
// nowhere (see h1Conn). fasthttp is named in this file only, and nothing of it
// outlives the handler.
func (g *Gateway) frontH1(headerBytes int) *serverH1 {
	s := g.newServerH1(min(headerBytes, shortHead))
	s.headerBytes = headerBytes
	if headerBytes <= shortHead {
		return s
	}
	long := g.newServerH1(headerBytes)
	long.lib.ReduceMemoryUsage = true // an idle connection holds no buffer; that costs a read and a small allocation a request
	s.lib.ErrorHandler = func(ctx *fasthttp.RequestCtx, err error) {
		if _, ok := errors.AsType[*fasthttp.ErrSmallBuffer](err); ok {
			long.serveConn(ctx.Conn().(*h1Conn).rewind())
			return
		}
		g.handleBadHead(ctx, err)
	}
	return s
}

// shortHead is the size of the buffer for heads that every connection holds,
// idle or not. A connection whose client sends a longer head, if that is
// allowed, is served on by a server with larger buffers.
const shortHead = 8 << 10

func (g *Gateway) newServerH1(headerBytes int) *serverH1 {
	return &serverH1{lib: fasthttp.Server{
		Handler:                       g.handleH1,
		HeaderReceived:                noBody,
		ErrorHandler:                  g.handleBadHead,
		ReadBufferSize:                headerBytes,
		WriteBufferSize:               512,
		NoDefaultServerHeader:         true,
		NoDefaultDate:                 true,
		NoDefaultContentType:          true,
		DisableHeaderNamesNormalizing: true,
		DisablePreParseMultipartForm:  true,
		LazyRequestTime:               true,
		SecureErrorLogMessage:         true,
		Concurrency:                   1 << 30, // limits.connections is the listener's
		Logger:                        log.New(io.Discard, "", 0),
	}}
}

// serverH1 is a server of the front door, with one size of heads.
type serverH1 struct {
	lib         fasthttp.Server
	headerBytes int // of the longest head, whatever the buffers
}

// serve accepts at ln, which brings connections that were dressed, until ln says
// that it has ended. Connections may go on after that.
func (s *serverH1) serve(ln net.Listener) error { return s.lib.Serve(ln) }

// serveConn serves one connection until it ends.
func (s *serverH1) serveConn(c *h1Conn) error { return s.lib.ServeConn(c) }

// noBody tells fasthttp that the body is not its business. The header block
// that the wire check reads stays as it came.
func noBody(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
	if h.ContentLength() != -2 { // -2: it sees none
		h.SetContentLength(0)
		h.Del("Expect")
	}
	return fasthttp.RequestConfig{}
}

// h1Exchange is an exchange and its responder: pooled together, lent to a walk.
type h1Exchange struct {
	x       Exchange
	w       h1Responder
	refused error // why fasthttp refuses the head; nil: it does not
}

func newH1Exchange() any { return new(h1Exchange) }

// handleH1 lends an exchange to the walk and settles the connection afterwards.
func (g *Gateway) handleH1(ctx *fasthttp.RequestCtx) {
	c := ctx.Conn().(*h1Conn)
	e := g.exchanges.Get().(*h1Exchange)
	h := &ctx.Request.Header
	e.x.read = false
	e.x.Method, e.x.Line, e.x.Protocol, e.x.Block = h.Method(), h.RequestURI(), h.Protocol(), h.RawHeaders()
	c.head.drop()
	g.walkH1(c, e)
	if e.w.close {
		ctx.SetConnectionClose()
	}
	g.exchanges.Put(e)
}

// walkH1 fills in what the connection knows, walks, and leaves the connection
// ready for the next head or closed.
func (g *Gateway) walkH1(c *h1Conn, e *h1Exchange) {
	c.busy.Store(true)
	g.lend(c, e)
	g.walkLent(c, e)
	c.busy.Store(false)
}

// walkLent walks an exchange that has what the connection knows.
func (g *Gateway) walkLent(c *h1Conn, e *h1Exchange) {
	c.beginExchange(g.current.Load().times)
	c.armWrite(e.x.start)
	g.serve(&e.x, &e.w)
	c.since = e.x.end
	g.settleH1(c, &e.x, &e.w)
}

// lend fills in what an exchange has from its connection.
func (g *Gateway) lend(c *h1Conn, e *h1Exchange) {
	x := &e.x
	x.start = time.Now()
	x.tick = x.start
	x.Now = x.start
	x.Peer, x.Source, x.Client = c.peer, c, c
	x.TLS = c.secured
	x.Secure, x.Redirect, x.Listener = c.options.secure(), c.options.redirect, c.options.name
	x.reset()
	if e.refused != nil {
		x.Doubt = causeOfBadHead(BadRequest, e.refused)
	}
	e.w.reset(c, x)
}

// settleH1 sends the end of the answer. Where the request's body is not at its
// end, the next head cannot be found: the connection closes, in a way that does
// not eat the answer.
func (g *Gateway) settleH1(c *h1Conn, x *Exchange, w *h1Responder) {
	w.End()
	if w.err != nil {
		w.close = true
		return
	}
	if !x.Body.Arrived() || x.unframed {
		w.close = true
		c.linger()
	}
}

// handleBadHead answers heads that fasthttp could not parse: they never reach
// the walk's rooms. A client that said nothing is told nothing.
func (g *Gateway) handleBadHead(ctx *fasthttp.RequestCtx, err error) {
	c := ctx.Conn().(*h1Conn)
	reason := reasonOfBadHead(err)
	if _, network := errors.AsType[net.Error](err); network && (reason != HeadTimeout || !c.head.begun) {
		return
	}
	e := g.exchanges.Get().(*h1Exchange)
	defer g.exchanges.Put(e)
	e.x.read = false
	e.x.Method, e.x.Line, e.x.Protocol, e.x.Block = nil, nil, nil, nil
	readable := e.x.readHead(c.head.kept)
	if readable && c.head.whole() != nil && reason == BadRequest {
		g.walkRefused(c, e, err)
	} else {
		g.answerBadHead(c, e, reason, err)
	}
	c.linger()
}

// walkRefused walks a head that fasthttp refuses and the wire check can read.
func (g *Gateway) walkRefused(c *h1Conn, e *h1Exchange, err error) {
	c.last = true
	e.refused = err
	g.walkH1(c, e)
	e.refused = nil
	c.head.drop()
}

// answerBadHead answers a head that is not whole, or has no first line. What
// came of it is for the log alone.
func (g *Gateway) answerBadHead(c *h1Conn, e *h1Exchange, reason Reason, err error) {
	x := &e.x
	g.lend(c, e)
	c.beginExchange(g.current.Load().times)
	c.armWrite(x.start)
	if reason == HeadTimeout {
		x.start = c.headAt
	}
	x.Authority.Raw = hostIn(x.Block)
	x.cause = causeOfBadHead(reason, err)
	if reason == BadRequest && x.Line != nil { // refused for its line, before it was whole
		reason = x.judgeLine(x.cause)
	}
	g.serveBadHead(x, &e.w, reason)
	e.w.End()
	c.head.drop()
}

// judgeLine is why a head whose line alone is known is refused. It goes like
// check: how reads have cut the head makes no difference.
func (x *Exchange) judgeLine(doubt error) Reason {
	x.Doubt = doubt
	if err := x.parseLine(); err != nil {
		return x.because(err, reasonOfHead(err))
	}
	return BadRequest
}

// causeOfBadHead is what fasthttp says, without what it says in each case.
func causeOfBadHead(reason Reason, err error) error {
	switch reason {
	case HeadTooLarge:
		return errHeadLong
	case HeadTimeout:
		return errHeadSlow
	}
	if errors.Is(err, io.EOF) {
		return errHeadCut
	}
	return cmp.Or(errors.Unwrap(err), err)
}

func reasonOfBadHead(err error) Reason {
	if _, ok := errors.AsType[*fasthttp.ErrSmallBuffer](err); ok {
		return HeadTooLarge
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return HeadTimeout
	}
	return BadRequest
}
