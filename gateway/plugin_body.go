package gateway

import (
	"bytes"
	"slices"
	"time"

	"weirkeep/abi"
	"weirkeep/gateway/wire"
	"weirkeep/plugins"
)

// room is where content lies that was read ahead for plugins: in a piece of a pool,
// and what is longer in memory of its own, which grows with what has arrived, not
// with what was said to come.
type room struct{ fixed *[sideBytes]byte }

// hold reads n bytes of a body ahead, or all of it if it is shorter.
func (r *room) hold(b *wire.Body, n int) error {
	if b.Arrived() || len(b.Held()) >= n {
		return nil
	}
	if r.fixed == nil {
		r.fixed = sides.Get().(*[sideBytes]byte)
	}
	for size := min(n, max(sideBytes, len(b.Held()))); ; size = min(n, 2*size) {
		whole, err := b.Hold(r.of(size))
		if whole || err != nil || size == n {
			return err
		}
	}
}

func (r *room) of(size int) []byte {
	if size <= sideBytes {
		return r.fixed[:0:size]
	}
	return make([]byte, 0, size)
}

// drop gives the room back.
func (r *room) drop() {
	if r.fixed != nil {
		sides.Put(r.fixed)
		r.fixed = nil
	}
}

// keptBytes is how much of what guests have said stays with a pooled exchange.
const keptBytes = 64 << 10

// dropHeld gives back what was read ahead. The exchange has ended.
func (x *Exchange) dropHeld() {
	w := x.plug
	if w == nil {
		return
	}
	x.Body.Drop()
	x.trip.Body.Drop()
	w.request.drop()
	w.answer.drop()
	if cap(w.kept) > keptBytes {
		w.kept = nil
	}
}

// holdBody reads ahead what a plugin is shown of the request's body. A client that
// waits to be told is told that it is wanted.
func (x *Exchange) holdBody(p *plugins.Plugin) Reason {
	b := &x.Body
	if p.BodyLimit() == 0 || x.endless() {
		return Served
	}
	if limit := x.snap.bodyBytes; limit > 0 && b.Length() > limit {
		return x.because(wire.ErrBodyLarge, BodyTooLarge)
	}
	if !shows(p, b) {
		return Served
	}
	if x.invite() != nil {
		return ClientGone
	}
	err := x.work().request.hold(b, p.BodyLimit())
	x.tick = time.Now()
	if err != nil {
		return x.because(err, reasonOfBody(err))
	}
	return Served
}

// shows reports whether there is something of a body to be read for a plugin: not if
// its length says that it is too long.
func shows(p *plugins.Plugin, b *wire.Body) bool {
	return p.BodyLimit() > 0 && b.Length() != 0 && b.Length() != wire.NoLength &&
		(!p.Needs().WholeBody || b.Length() <= int64(p.BodyLimit()))
}

// invite sends 100 to a client that waits for it. The origin is then not asked
// whether it wants the body: it has come.
func (x *Exchange) invite() error {
	if !x.Head.Expect || x.Minor == 0 {
		return nil
	}
	x.Head.Expect, x.trip.Expect, x.continued = false, false, true
	return x.w.Interim(100, nil)
}

// endless reports whether what the request brings has no end that could be waited
// for: it is about to change the protocol.
func (x *Exchange) endless() bool { return x.upgradeAllowed() != nil || isEventStream(x.Head.Fields) }

// holdAnswer is holdBody for the origin's answer. Its head, which lies where the body
// is read to, is copied before.
func (x *Exchange) holdAnswer(p *plugins.Plugin) Reason {
	b := &x.trip.Body
	if !shows(p, b) || isEventStream(x.trip.Answer.Fields) {
		return Served
	}
	w := x.work()
	if b.Read() == 0 && !b.Arrived() {
		w.cloneAnswer()
	}
	if err := w.answer.hold(b, p.BodyLimit()); err != nil {
		return x.reasonOfCut(err)
	}
	return Served
}

// cloneAnswer copies the bytes that the answer's head refers to.
func (w *pluginWork) cloneAnswer() {
	t := w.exchange.trip
	t.Status.Reason = w.clone(t.Status.Reason)
	for i := range t.Answer.Fields {
		f := &t.Answer.Fields[i]
		f.Name, f.Value = w.clone(f.Name), w.clone(f.Value)
	}
}

// clone copies bytes to where what guests have said is kept.
func (w *pluginWork) clone(p []byte) []byte {
	if p == nil {
		return nil
	}
	at := len(w.kept)
	w.kept = append(w.kept, p...)
	return w.kept[at:len(w.kept):len(w.kept)]
}

// isEventStream reports whether fields are those of a stream of events, which has no
// end that could be waited for.
func isEventStream(fields []wire.Field) bool {
	for i := range fields {
		if f := &fields[i]; wire.EqualFold(f.Name, "content-type") {
			kind, _, _ := bytes.Cut(f.Value, semicolon)
			return wire.EqualFold(bytes.TrimSpace(kind), "text/event-stream")
		}
	}
	return false
}

// showRequestBody shows a plugin what was read ahead of the request's body.
func (w *pluginWork) showRequestBody(p *plugins.Plugin) {
	if p.BodyLimit() > 0 {
		w.showBody(p, &w.exchange.Body, w.exchange.endless())
	}
}

// showAnswerBody is showRequestBody for the origin's answer.
func (w *pluginWork) showAnswerBody(p *plugins.Plugin) {
	if p.BodyLimit() > 0 {
		w.showBody(p, &w.exchange.trip.Body, isEventStream(w.exchange.trip.Answer.Fields))
	}
}

// showBody shows what was read ahead of a body. One that is endless counts as one that
// is longer than any limit, also before it has begun.
func (w *pluginWork) showBody(p *plugins.Plugin, b *wire.Body, endless bool) {
	v := &w.view
	switch held := b.Held(); {
	case endless:
		v.Flags, v.BodyLength, v.Body = v.Flags|abi.FlagBody, abi.LengthUnknown, noBytes
	case v.Flags&abi.FlagBody == 0:
	case len(held) == 0:
		v.Body = noBytes
	default:
		v.Body = held[:min(len(held), p.BodyLimit())]
	}
	if v.Body != nil && !endless && b.Arrived() && len(v.Body) == len(b.Held()) {
		v.Flags |= abi.FlagWhole
	}
}

var noBytes = []byte{}

// settable reports whether the plugin may set another body: it was shown all of the
// one that there is, or there is none.
func (w *pluginWork) settable(p *plugins.Plugin) bool {
	return p.BodyLimit() > 0 && w.view.Flags&(abi.FlagBody|abi.FlagWhole) != abi.FlagBody
}

// setBody makes what a filter says the body of a message.
func setBody(b *wire.Body, h *wire.Head, set *abi.Op) {
	if set != nil {
		b.Replace(set.Value)
		h.Length = b.Length()
	}
}

// describing are the names of fields that say something of the bytes of a body, in
// lower case: they are wrong of another one.
var describing = []string{"etag", "content-md5", "digest", "content-digest", "repr-digest", "accept-ranges"}

// editHead makes the edits of header fields in a copy. If the body is set, what
// describes the old one goes, unless that is set as well.
func editHead(fields []wire.Field, ops []abi.Op) []wire.Field {
	edited := slices.Clone(fields)
	if find(ops, abi.OpSetBody) != nil {
		edited = slices.DeleteFunc(edited, func(f wire.Field) bool { return describes(f.Name) && !sets(ops, f.Name) })
	}
	return editFields(edited, ops)
}

func describes(name []byte) bool {
	return slices.ContainsFunc(describing, func(d string) bool { return wire.EqualFold(name, d) })
}

// sets reports whether operations set a header field.
func sets(ops []abi.Op, name []byte) bool {
	return slices.ContainsFunc(ops, func(o abi.Op) bool { return o.Code == abi.OpSetHeader && bytes.EqualFold(o.Key, name) })
}
