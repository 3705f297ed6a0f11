package gateway

import (
	"bytes"
	"errors"
	"slices"
	"strconv"

	"weirkeep/abi"
	"weirkeep/gateway/wire"
	"weirkeep/plugins"
)

// filter is a plugin that edits requests and answers of a site.
type filter struct {
	attachment *plugins.Attachment
	rejects    bool // what it fails at is refused; else it goes on without the filter
}

// filterRequest lets the site's filters edit the request, or answer it. An edit of
// path, query or host is checked and decided like a request that came so; the
// filters of the site that it came to go on.
func (g *Gateway) filterRequest(x *Exchange) Reason {
	all := x.site.filters
	for i := range all {
		if f := &all[i]; f.attachment.Serves(abi.OnRequest) {
			if reason := g.filterOnce(x, f); reason != Served {
				return reason
			}
		}
	}
	return Served
}

// filterOnce asks one filter about the request and does what it says.
func (g *Gateway) filterOnce(x *Exchange, f *filter) Reason {
	w, p := x.work(), f.attachment.Plugin()
	if reason := x.holdBody(p); reason != Served {
		return reason
	}
	v := w.show(p.Needs())
	w.showRequestBody(p)
	where := abi.Where{
		Call: abi.OnRequest, Head: v.Method == abi.MethodHEAD, Edited: x.edited, Tags: x.tagged,
		WholeBody: w.settable(p), MaxBody: p.BodyLimit(),
	}
	ops, kept, failure := f.attachment.Filter(v, w, where, w.ops[:0], w.kept)
	w.ops, w.kept = ops, kept
	if failure == nil && len(ops) > 0 {
		var reason Reason
		if reason, failure = g.editRequest(x, f, ops); failure == nil {
			return reason
		}
	}
	return x.filterFailed(f, failure)
}

// filterFailed is what a failure of a filter does to the exchange.
func (x *Exchange) filterFailed(f *filter, failure *plugins.Failure) Reason {
	if failure == nil || !f.rejects {
		return Served
	}
	x.cause = failure
	return PluginFailed
}

// editRequest does all that a filter says of the request, or nothing of it.
func (g *Gateway) editRequest(x *Exchange, f *filter, ops []abi.Op) (Reason, *plugins.Failure) {
	if respond := find(ops, abi.OpRespond); respond != nil {
		x.answerWith(respond, ops, nil)
		x.tag(ops)
		return AnsweredByFilter, nil
	}
	fields := editHead(x.Head.Fields, ops)
	target, authority, edited, err := x.editedTarget(ops)
	if err == nil {
		err = x.snap.fits(fields)
	}
	if err != nil {
		return Served, f.attachment.Invalid(callOfRequest, x.number, err)
	}
	x.Head.Fields = fields
	setBody(&x.Body, &x.Head, find(ops, abi.OpSetBody))
	x.tag(ops)
	if !edited {
		return Served, nil
	}
	x.edited, x.Target, x.Authority = true, target, authority
	return g.decide(x), nil
}

const callOfRequest, callOfAnswer = "gw_on_request", "gw_on_response"

// find is the first operation of a code, nil if there is none.
func find(ops []abi.Op, code uint16) *abi.Op {
	for i := range ops {
		if ops[i].Code == code {
			return &ops[i]
		}
	}
	return nil
}

// editFields makes the edits of header fields. What is set stands where the first of
// its name stood, else last.
func editFields(fields []wire.Field, ops []abi.Op) []wire.Field {
	for i := range ops {
		o := &ops[i]
		switch o.Code {
		case abi.OpAddHeader:
			fields = append(fields, wire.Field{Name: o.Key, Value: o.Value})
		case abi.OpSetHeader, abi.OpDeleteHeader:
			fields = replaceField(fields, o)
		}
	}
	return fields
}

func replaceField(fields []wire.Field, o *abi.Op) []wire.Field {
	set, kept := o.Code == abi.OpSetHeader, fields[:0]
	for _, f := range fields {
		if !bytes.EqualFold(f.Name, o.Key) {
			kept = append(kept, f)
		} else if set {
			kept, set = append(kept, wire.Field{Name: o.Key, Value: o.Value}), false
		}
	}
	if set {
		kept = append(kept, wire.Field{Name: o.Key, Value: o.Value})
	}
	return kept
}

var errEditedHead = errors.New("the head with all edits is over limits.header_bytes or limits.header_count")

// fits reports whether a head keeps its limits.
func (s *snapshot) fits(fields []wire.Field) error {
	size := int64(0)
	for i := range fields {
		size += int64(len(fields[i].Name)+len(fields[i].Value)) + int64(len(": \r\n"))
	}
	if size > s.headerBytes || s.heads.Count > 0 && len(fields) > s.heads.Count {
		return errEditedHead
	}
	return nil
}

// editedTarget is the target with the edits of path, query and host, read as one that
// came so.
func (x *Exchange) editedTarget(ops []abi.Op) (target wire.Target, authority wire.Authority, edited bool, err error) {
	path, query, host := find(ops, abi.OpSetPath), find(ops, abi.OpSetQuery), find(ops, abi.OpSetHost)
	target, authority = x.Target, x.Authority
	if path != nil || query != nil {
		if err := target.Parse(x.targetWith(path, query)); err != nil {
			return target, authority, false, err
		}
	}
	if host != nil {
		if err := authority.Parse(host.Value); err != nil {
			return target, authority, false, err
		}
	}
	return target, authority, path != nil || query != nil || host != nil, nil
}

// targetWith is the target with another path, or another query; an empty query takes it
// away.
func (x *Exchange) targetWith(path, query *abi.Op) []byte {
	line := slices.Clone(pathOf(x.Target.Raw))
	if path != nil {
		line = slices.Clone(path.Value)
	}
	q := x.Target.Query
	if query != nil {
		q = query.Value
	}
	if q != nil && (query == nil || len(q) > 0) {
		line = append(append(line, '?'), q...)
	}
	return line
}

// given is an answer that a filter gives.
type given struct {
	status int
	fields []wire.Field
	body   []byte
}

// answerWith makes the answer that a filter gives, with the edits of header fields
// beside it.
func (x *Exchange) answerWith(respond *abi.Op, ops []abi.Op, base []wire.Field) {
	x.given.status, _ = strconv.Atoi(string(respond.Key))
	x.given.fields = editFields(append(x.given.fields[:0], base...), ops)
	x.given.body = respond.Value
}

// giveAnswer sends the answer that a filter has given.
func (g *Gateway) giveAnswer(x *Exchange) {
	if !x.discardBody() {
		x.w.Close()
	}
	fields := append(x.given.fields, wire.Field{Name: dateName, Value: x.snap.date(x.Now)})
	if len(x.requestID) > 0 {
		fields = append(fields, wire.Field{Name: requestIDName, Value: x.requestID})
	}
	x.w.Head(x.given.status, nil, fields, int64(len(x.given.body)))
	x.w.Write(x.given.body)
}

// tag keeps what filters say of the exchange, for its record.
func (x *Exchange) tag(ops []abi.Op) {
	for i := range ops {
		if o := &ops[i]; o.Code == abi.OpTag {
			next := byte(',')
			if x.tagged == 0 {
				next = '{'
			}
			x.tagged++
			x.tags = append(appendJSONName(append(x.tags, next), string(o.Key)), ':')
			x.tags = appendJSONName(x.tags, string(o.Value))
		}
	}
}

// filterAnswer lets the site's filters edit the origin's answer, in reverse order. It
// reports whether the answer is replaced: by one that a filter gives, or by a
// refusal.
func (g *Gateway) filterAnswer(x *Exchange) (reason Reason, replaced bool) {
	all := x.site.filters
	for i := len(all) - 1; i >= 0; i-- {
		f := &all[i]
		if !f.attachment.Serves(abi.OnResponse) {
			continue
		}
		if reason := x.holdAnswer(f.attachment.Plugin()); reason != Served {
			return reason, true
		}
		failure := x.filterAnswerOnce(f)
		if reason := x.filterFailed(f, failure); reason != Served {
			return reason, true
		}
		if x.given.status != 0 {
			return AnsweredByFilter, true
		}
	}
	return Served, false
}

// filterAnswerOnce asks one filter about the answer and does what it says.
func (x *Exchange) filterAnswerOnce(f *filter) *plugins.Failure {
	w, p := x.work(), f.attachment.Plugin()
	v := w.showAnswer(p.Needs())
	w.showAnswerBody(p)
	where := abi.Where{
		Call: abi.OnResponse, Head: v.Method == abi.MethodHEAD, Status: v.Status, Tags: x.tagged,
		WholeBody: w.settable(p), MaxBody: p.BodyLimit(),
	}
	ops, kept, failure := f.attachment.Filter(v, w, where, w.ops[:0], w.kept)
	w.ops, w.kept = ops, kept
	if failure != nil || len(ops) == 0 {
		return failure
	}
	if respond := find(ops, abi.OpRespond); respond != nil {
		x.answerWith(respond, ops, nil)
		x.tag(ops)
		return nil
	}
	fields := editHead(x.trip.Answer.Fields, ops)
	if err := x.snap.fits(fields); err != nil {
		return f.attachment.Invalid(callOfAnswer, x.number, err)
	}
	x.trip.Answer.Fields = fields
	setBody(&x.trip.Body, &x.trip.Answer, find(ops, abi.OpSetBody))
	x.tag(ops)
	return nil
}

// showAnswer is the view of the answer: its fields in the place of the request's.
func (w *pluginWork) showAnswer(n *plugins.Needs) *abi.View {
	x := w.exchange
	v := w.show(n)
	v.Status, v.UpstreamNS = uint16(x.trip.Status.Code), uint64(max(0, x.firstByte))
	v.BodyLength, v.Flags = bodyLength(x.trip.Body.Length()), v.Flags&^abi.FlagBody
	if x.trip.Body.Length() != 0 {
		v.Flags |= abi.FlagBody
	}
	v.OriginName = nil
	if n.Shows(plugins.NeedSite) && x.member != nil {
		w.bound = append(w.bound[:0], x.member.name...)
		v.OriginName = w.bound
	}
	w.showAnswerFields(n, x.trip.Answer.Fields)
	return v
}

// showAnswerFields shows the fields of an answer.
func (w *pluginWork) showAnswerFields(n *plugins.Needs, fields []wire.Field) {
	v := &w.view
	v.Headers = w.headers[:0]
	if n.Shows(plugins.NeedHeader | plugins.NeedHeaders) {
		for i := range fields {
			if a := &fields[i]; a.Class != wire.Hop && a.Class != wire.Framing && n.ShowsField(a.Name) {
				v.Headers = append(v.Headers, abi.Field{Name: a.Name, Value: a.Value})
			}
		}
		w.headers = v.Headers
	}
}
