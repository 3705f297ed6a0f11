package gateway

import (
	"bytes"
	"cmp"
	"strconv"

	"weirkeep/gateway/metrics"
	"weirkeep/gateway/wire"
)

// refuse answers in the origin's place: with the site's page for the reason, or
// a few words that say what happened and under which id the log has it.
func (g *Gateway) refuse(x *Exchange, reason Reason) {
	if reason == ClientGone {
		x.w.Abort()
		return
	}
	if !x.discardBody() {
		x.w.Close()
	}
	page := x.page(reason)
	x.w.Head(x.refusalStatus(reason), nil, x.refusalFields(reason, page), int64(len(page.body)))
	x.w.Write(page.body)
}

// refusalStatus is the status of a refusal: the rule's, if a rule is the reason.
func (x *Exchange) refusalStatus(reason Reason) int {
	if reason == RejectedByRule || reason == RedirectedByRule {
		return x.rule.status
	}
	if reason == SentAway {
		return x.awayStatus()
	}
	return cmp.Or(reason.Status(), 500)
}

// discardBody takes what is left of a body that is here already, so that the
// connection can be used again. It reports whether the body is at its end.
func (x *Exchange) discardBody() bool {
	b := &x.Body
	for !b.Arrived() && b.Err() == nil && b.Whole() {
		p, err := b.Next()
		if err != nil {
			break
		}
		b.Consume(len(p))
	}
	return b.Arrived()
}

// page is what is shown: what the rule says that is the reason, the site's page
// for the reason's name or status, else a text of our own.
func (x *Exchange) page(reason Reason) page {
	if p, ok := x.chosenPage(reason); ok {
		return p
	}
	x.up = appendPlainPage(x.up[:0], reason, x.refusalStatus(reason), x.requestID)
	return page{body: x.up, kind: plainText}
}

// chosenPage is the page that the operator has written for the reason.
func (x *Exchange) chosenPage(reason Reason) (p page, ok bool) {
	switch {
	case x.site == nil:
		return page{}, false
	case reason == RejectedByRule && x.rule.body != nil:
		return page{body: x.rule.body, kind: x.rule.kind}, true
	case reason == RejectedByRule:
		p, ok = x.site.statuses[x.rule.status]
		return p, ok
	}
	p, ok = x.site.pages[reason]
	return p, ok
}

// page is the content of a refusal.
type page struct {
	body []byte
	kind []byte // Content-Type
}

var plainText = []byte("text/plain; charset=utf-8")

func appendPlainPage(dst []byte, reason Reason, status int, id []byte) []byte {
	row := &reasonTable[reason]
	dst = strconv.AppendInt(dst, int64(status), 10)
	dst = append(append(dst, ' '), row.text...)
	dst = append(append(dst, "\nreason: "...), row.code...)
	if len(id) > 0 {
		dst = append(append(dst, "\nrequest id: "...), id...)
	}
	return append(dst, '\n')
}

func (x *Exchange) refusalFields(reason Reason, p page) []wire.Field {
	fields := append(x.trip.Answer.Fields[:0],
		wire.Field{Name: contentTypeName, Value: p.kind},
		wire.Field{Name: dateName, Value: x.snap.date(x.Now)},
		wire.Field{Name: cacheControlName, Value: noStore},
	)
	if len(x.requestID) > 0 {
		fields = append(fields, wire.Field{Name: requestIDName, Value: x.requestID})
	}
	if x.cached.on && x.cached.outcome == metrics.CacheUnreachable && x.site.cache.shown {
		fields = append(fields, x.cacheStatus())
	}
	switch reason {
	case MethodNotAllowed:
		fields = append(fields, wire.Field{Name: allowName, Value: allowed})
	case RedirectedToHTTPS:
		fields = append(fields, wire.Field{Name: locationName, Value: x.httpsLocation()})
	case RedirectedByRule:
		fields = append(fields, wire.Field{Name: locationName, Value: x.ruleLocation()})
	case SentAway:
		fields = append(fields, wire.Field{Name: locationName, Value: x.awayLocation()})
	case RejectedByRule:
		if x.rule.retryAfter != nil {
			fields = append(fields, wire.Field{Name: retryAfterName, Value: x.rule.retryAfter})
		}
	case QueueFull, QueueTimeout, NoOrigin, SessionOriginOut:
		fields = append(fields, wire.Field{Name: retryAfterName, Value: x.retryAfter(reason)})
	}
	x.trip.Answer.Fields = fields
	return fields
}

var (
	contentTypeName  = []byte("Content-Type")
	cacheControlName = []byte("Cache-Control")
	noStore          = []byte("no-store")
	allowName        = []byte("Allow")
	allowed          = []byte("GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")
	locationName     = []byte("Location")
	retryAfterName   = []byte("Retry-After")
)

// httpsLocation is the URL that was asked for, with https. The target is
// checked and has no byte that could end a field.
func (x *Exchange) httpsLocation() []byte {
	loc := append([]byte("https://"), hostWithoutPort(x.Authority.Raw)...)
	if port := x.snap.httpsPort; port != 443 && port != 0 {
		loc = strconv.AppendInt(append(loc, ':'), int64(port), 10)
	}
	return append(loc, x.Target.Raw...)
}

// hostWithoutPort keeps the brackets of an IPv6 address.
func hostWithoutPort(authority []byte) []byte {
	if i := bytes.LastIndexByte(authority, ':'); i > bytes.LastIndexByte(authority, ']') {
		return authority[:i]
	}
	return authority
}
