package gateway

import (
	"errors"
	"io"

	"weirkeep/gateway/cache/store"
	"weirkeep/gateway/origin"
	"weirkeep/gateway/wire"
)

// deliver passes the origin's answer on to the client as it comes, or sends a stored one.
func (g *Gateway) deliver(x *Exchange) Reason {
	if x.isTemplate() {
		return g.assemble(x)
	}
	if x.cached.slices != nil {
		return g.deliverSliced(x)
	}
	if x.cached.entry != nil {
		return g.deliverStored(x)
	}
	t := x.trip
	x.learn()
	if t.Status.Code == 101 {
		return g.tunnel(x)
	}
	if len(x.site.filters) > 0 {
		if reason, replaced := g.filterAnswer(x); replaced {
			return g.replaceAnswer(x, reason)
		}
	}
	if t.Expect && !x.continued || t.Unheard() {
		x.w.Close() // whether its body comes now is the client's choice, or nobody takes it
	}
	x.w.Head(t.Status.Code, reasonPhrase(t.Status), x.answerFields(), x.answerLength())
	reason := x.passBody()
	x.endTrip(reason)
	return reason
}

// replaceAnswer sends what stands in for the origin's answer, of which nobody reads
// the rest.
func (g *Gateway) replaceAnswer(x *Exchange, reason Reason) Reason {
	x.trip.End(x.trip.Body.Arrived())
	x.conclude(reason)
	x.leave()
	if reason == AnsweredByFilter {
		g.giveAnswer(x)
	} else {
		g.refuse(x, reason)
	}
	return reason
}

// endTrip gives the origin's connection back, and with it the slot, before the
// end of the answer is sent; unless the request's body is still under way: then
// the client has its whole answer before anybody waits.
func (x *Exchange) endTrip(reason Reason) {
	switch {
	case reason != Served:
		x.w.Flush()
		x.w.Abort()
	case x.trip.Uploading():
		x.w.End()
	}
	if x.trip.End(reason == Served) && !x.Body.Arrived() {
		x.w.Close()
	}
	x.conclude(reason)
	x.leave()
}

// reasonOfCut is why an answer broke off that had begun.
func (x *Exchange) reasonOfCut(err error) Reason {
	x.cause = err
	if body, ok := errors.AsType[*origin.BodyError](err); ok {
		return reasonOfBody(body.Err)
	}
	if errors.Is(err, origin.ErrGone) || errors.Is(err, store.ErrGone) {
		return ClientGone
	}
	return AnswerCut
}

// reasonPhrase is the origin's phrase; an origin that sent none gets none.
func reasonPhrase(s wire.StatusLine) []byte {
	if s.Reason == nil {
		return []byte{}
	}
	return s.Reason
}

// answerFields are the fields of the origin's answer as the client gets them.
func (x *Exchange) answerFields() []wire.Field {
	fields := x.trip.Answer.Fields
	if x.site.cache != nil {
		fields = x.passSurrogateControl(fields)
	}
	fields = x.passedOn(fields)
	if x.cached.on && x.site.cache.shown {
		fields = append(fields, x.cacheStatus())
	}
	x.trip.Answer.Fields = fields
	return fields
}

// passedOn are fields of the origin's answer with the site's edits, the session's cookie, Via
// and, if it has none, Date (RFC 9110 6.6.1).
func (x *Exchange) passedOn(fields []wire.Field) []wire.Field {
	if x.site.response.any() {
		fields = x.site.response.apply(fields)
	}
	if !x.trip.Answer.HasDate && !x.site.response.touches("date") {
		fields = append(fields, wire.Field{Name: dateName, Value: x.snap.date(x.Now)})
	}
	if len(x.binds) > 0 {
		fields = append(fields, wire.Field{Name: setCookieName, Value: x.binds})
	}
	return append(fields, wire.Field{Name: viaName, Value: x.snap.via[x.trip.Status.Minor]})
}

var (
	dateName = []byte("Date")
	viaName  = []byte("Via")

	setCookieName = []byte("Set-Cookie")
)

// answerLength is what the answer's head says of its length: what the origin
// said, also where there is no content (HEAD, 304).
func (x *Exchange) answerLength() int64 {
	a := &x.trip.Answer
	switch {
	case a.AnswerLength(x.Method, x.trip.Status.Code) != 0:
		return x.trip.Body.Length() // chunked and until-close: how it is framed is the responder's choice
	case a.Length >= 0:
		return a.Length
	}
	return wire.NoLength
}

// passBody copies content until its end, or until one side fails.
func (x *Exchange) passBody() Reason {
	b := &x.trip.Body
	for {
		p, err := b.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return x.reasonOfCut(err)
		}
		if x.reading {
			x.feedLinks(p)
		}
		if err := x.w.Write(p); err != nil {
			return x.because(err, ClientGone)
		}
		b.Consume(len(p))
	}
	if lines := b.Trailer(); len(lines) > 0 {
		x.w.Trailers(lines)
	}
	return Served
}
