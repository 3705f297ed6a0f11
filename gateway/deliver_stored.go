package gateway

import (
	"bytes"
	"io"
	"math/rand/v2"
	"time"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/cache/store"
	"weirkeep/gateway/metrics"
	"weirkeep/gateway/wire"
)

// deliverStored sends what the client asks for of a stored answer (C1 to C3, G1), with
// the age that it has now. Most are sent as they are stored: a head that was written
// once, and a body of one piece.
func (g *Gateway) deliverStored(x *Exchange) Reason {
	c := &x.cached
	s := c.entry.Stored()
	coding := g.choose(x)
	head, whole, length := x.chosen()
	c.reply = s.Reply(&c.request, length)
	c.reply.Coding = coding
	if c.reply.Status != s.Status || len(c.reply.Parts()) > 0 {
		c.reply.Seed = rand.Uint64()
		x.up = s.AppendReply(x.up[:0], &c.reply)
		head = x.up
	}
	if len(x.site.filters) > 0 || x.site.response.any() {
		return g.deliverEdited(x, head)
	}
	x.w.Prepared(c.reply.Status, head, x.fieldsOfNow(g, s), x.replyLength())
	x.countCoded()
	if sent, reason := g.sendFiled(x); sent {
		return reason
	}
	if whole != nil && c.reply.Status == s.Status && len(c.reply.Parts()) == 0 {
		return x.wrote(x.w.Write(whole))
	}
	return x.passReply()
}

// replyLength is what the head says of the length of the reply.
func (x *Exchange) replyLength() int64 {
	switch c := &x.cached; {
	case c.reply.Length >= 0 && c.reply.Status != 304:
		return c.reply.Length
	case c.reply.Status == 304 || c.request.Method == cache.Head:
		return wire.NoLength
	}
	return wire.UntilClose
}

// wrote is how the exchange goes on after a write.
func (x *Exchange) wrote(err error) Reason {
	if err != nil {
		return x.because(err, ClientGone)
	}
	return Served
}

// fieldsOfNow are the fields that a stored answer gets when it is sent.
func (x *Exchange) fieldsOfNow(g *Gateway, s *cache.Stored) []wire.Field {
	c, now := &x.cached, x.Now
	if c.outcome != metrics.CacheHit && c.outcome != metrics.CacheStale {
		now = g.now(time.Now()) // it was fetched since the request came
	}
	fields := c.fields[:0]
	if age := s.AgeAt(now); c.status.Hit || c.outcome == metrics.CacheStale || age >= time.Second {
		fields = append(fields, wire.Field{Name: ageName, Value: cache.AppendAge(c.age[:0], age)})
	}
	fields = append(fields, wire.Field{Name: viaName, Value: x.snap.via[1]})
	if len(x.binds) > 0 {
		fields = append(fields, wire.Field{Name: setCookieName, Value: x.binds})
	}
	fields = x.appendContent(fields, s)
	if x.site.cache.shown {
		c.status.TTL, c.status.HasTTL = s.TTLAt(now), true
		fields = append(fields, x.cacheStatus())
	}
	c.fields = fields
	return fields
}

// cacheStatus is the field that says what the cache did (RFC 9211).
func (x *Exchange) cacheStatus() wire.Field {
	c := &x.cached
	c.status.Cache = x.site.cache.name
	c.shown = c.status.Append(c.shown[:0])
	return wire.Field{Name: cacheStatusName, Value: c.shown}
}

var (
	ageName         = []byte("Age")
	cacheStatusName = []byte("Cache-Status")
)

// deliverEdited sends a stored answer that filters or the site's edits change on its
// way: it takes the place of the origin's.
func (g *Gateway) deliverEdited(x *Exchange, head []byte) Reason {
	t := x.trip
	if err := x.readStored(head); err != nil {
		return x.because(err, BadAnswer)
	}
	t.Answer.Fields = append(t.Answer.Fields, x.fieldsOfNow(g, x.cached.entry.Stored())...)
	x.openReply(&t.Body)
	defer x.cached.close()
	if len(x.site.filters) > 0 {
		if reason, replaced := g.filterAnswer(x); replaced {
			return g.replaceStored(x, reason)
		}
	}
	if x.site.response.any() {
		t.Answer.Fields = x.site.response.apply(t.Answer.Fields)
	}
	x.countCoded()
	x.w.Head(x.cached.reply.Status, reasonPhrase(t.Status), t.Answer.Fields, x.editedLength())
	if len(x.site.filters) == 0 {
		if sent, reason := g.sendFiled(x); sent {
			return reason
		}
	}
	return x.passOpened()
}

// readStored reads the head of what is sent of a stored answer, as that of an origin.
func (x *Exchange) readStored(head []byte) error {
	line, block, _ := bytes.Cut(head, crlf)
	t := x.trip
	var err error
	if t.Status, err = wire.ParseStatusLine(line); err != nil {
		return err
	}
	return t.Answer.ParseResponse(block, 1, &storedHeads)
}

// storedHeads hold for heads that were read once already.
var storedHeads = wire.Rules{NameBytes: 1 << 20, Count: 1 << 20, Underscores: wire.Pass}

// editedLength is what the head says of the length, unless a filter has set another body.
func (x *Exchange) editedLength() int64 {
	if n := x.trip.Body.Length(); n != 0 {
		return n
	}
	return x.replyLength()
}

// replaceStored sends what a filter puts in the place of a stored answer.
func (g *Gateway) replaceStored(x *Exchange, reason Reason) Reason {
	if reason == AnsweredByFilter {
		g.giveAnswer(x)
	} else {
		g.refuse(x, reason)
	}
	return reason
}

// sendFiled sends what is to be sent of a stored body from the file that it is in, or is put
// into now. It reports false where it is in none, or the answer is not one stretch of it or so
// short that it goes out with the head, or the client cannot be sent files: then nothing was
// done.
func (g *Gateway) sendFiled(x *Exchange) (sent bool, reason Reason) {
	c := &x.cached
	from, to, one := c.stretch()
	if !one || to-from <= joinBytes || c.coded != nil || c.slices != nil || !x.w.Sends() {
		return false, Served
	}
	span := g.cache.Filed(c.entry)
	if span == nil {
		return false, Served
	}
	return true, x.wrote(x.w.Send(span, from, to-from))
}

// stretch is what is to be sent of the stored body, if that is one stretch of it.
func (c *cached) stretch() (from, to int64, one bool) {
	switch parts := c.reply.Parts(); {
	case len(parts) == 1:
		from, to = c.reply.At(parts[0])
		return from, to, true
	case len(parts) == 0 && c.reply.Status == c.entry.Stored().Status:
		return 0, c.reply.Length, c.reply.Length >= 0
	}
	return 0, 0, false
}

// passReply copies what is to be sent of the stored body.
func (x *Exchange) passReply() Reason {
	x.openReply(&x.trip.Body)
	defer x.cached.close()
	return x.passOpened()
}

// passOpened copies what was opened. If that breaks off, the client sees it break off.
func (x *Exchange) passOpened() Reason {
	reason := x.passBody()
	if reason != Served {
		x.w.Flush()
		x.w.Abort()
	}
	return reason
}

// openReply makes what is to be sent of the stored body the content of b.
func (x *Exchange) openReply(b *wire.Body) {
	c := &x.cached
	c.pieces.open(x)
	length := c.reply.Length
	if c.reply.Status == 304 || c.request.Method == cache.Head {
		length = 0
	} else if length < 0 {
		length = wire.UntilClose
	}
	b.Reset(&c.pieces, length)
}

// close ends the reading of the stored body.
func (c *cached) close() {
	c.pieces.reader.Close()
	if c.slices != nil {
		c.slices.shut()
	}
}

// replySource is what is sent of a stored body, as the source of an answer's: all of it,
// or parts with what stands between them.
type replySource struct {
	x      *Exchange
	reader store.Reader
	piece  []byte
	next   int  // part that is to be opened
	ended  bool // the last has been
}

// open begins at the beginning.
func (r *replySource) open(x *Exchange) {
	*r = replySource{x: x}
	if coded := x.cached.coded; coded != nil {
		r.reader, r.ended, r.piece = x.cached.entry.Body().Reader(0, 0), true, coded.Body()
		return
	}
	switch parts := x.cached.reply.Parts(); len(parts) {
	case 0:
		r.read(0, -1)
		r.ended = true
	case 1:
		r.read(x.cached.reply.At(parts[0]))
		r.ended = true
	}
}

// read says which bytes of the body are next, as store.Body's Reader does.
func (r *replySource) read(from, to int64) {
	if c := &r.x.cached; c.slices != nil {
		c.slices.open(from, to)
	} else {
		r.reader = c.entry.Body().Reader(from, to)
	}
}

// Window implements wire.Source.
func (r *replySource) Window() []byte { return r.piece }

// Advance implements wire.Source.
func (r *replySource) Advance(n int) { r.piece = r.piece[n:] }

// Fill implements wire.Source: it waits for the next piece, if that is still to come.
func (r *replySource) Fill() (err error) {
	if len(r.piece) > 0 {
		return nil
	}
	if r.next == 0 && !r.ended {
		return r.openPart()
	}
	r.piece, err = r.more()
	if err == io.EOF && !r.ended {
		return r.openPart()
	}
	return err
}

// more is the next bytes that are there or still come.
func (r *replySource) more() ([]byte, error) {
	c := &r.x.cached
	if c.slices != nil {
		return c.slices.next()
	}
	if !c.entry.Body().Ready() {
		if err := r.x.w.Flush(); err != nil {
			return nil, err
		}
	}
	return r.reader.Next(r.x)
}

// openPart opens the next of several parts, or the end that stands behind them.
func (r *replySource) openPart() error {
	c := &r.x.cached
	s := c.entry.Stored()
	r.reader.Close()
	parts := c.reply.Parts()
	if r.next == len(parts) {
		r.read(0, 0)
		r.ended = true
		c.between = c.reply.AppendEnd(c.between[:0])
	} else {
		r.read(c.reply.At(parts[r.next]))
		c.between = s.AppendPart(c.between[:0], &c.reply, parts[r.next])
		r.next++
	}
	r.piece = c.between
	return nil
}
