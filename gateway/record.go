package gateway

import (
	"time"

	"weirkeep/gateway/metrics"
)

// record counts an exchange that has ended and writes it to the access log.
func (g *Gateway) record(x *Exchange) {
	status, content := x.w.Sent()
	if status == 0 {
		status = x.recordedStatus()
	}
	x.end = time.Now()
	took := x.end.Sub(x.start)
	x.count(g.metrics, status, content, took)
	g.countUnstored(x)
	log := g.access.Load()
	if log == nil {
		return
	}
	if r := log.take(); r != nil {
		x.fill(r)
		r.status, r.bytesOut, r.duration = status, content, took
		log.put(r)
	}
}

// recordedStatus is the status of an exchange whose answer did not get out.
func (x *Exchange) recordedStatus() int {
	if x.rule != nil && (x.reason == RejectedByRule || x.reason == RedirectedByRule) {
		return x.rule.status
	}
	if x.reason == SentAway {
		return x.awayStatus()
	}
	return x.reason.Status()
}

func (x *Exchange) count(all *metrics.Registry, status int, content int64, took time.Duration) {
	if x.reason != Served {
		refused := &all.Refusals[x.reason]
		if x.site == nil {
			refused.Unrouted.Inc()
		} else {
			refused.Routed.Inc()
		}
	}
	if x.cached.on && x.site != nil && x.site.cache != nil {
		x.site.cache.metrics.Outcomes[x.cached.outcome].Inc()
	}
	m := x.snap.unmapped
	if x.mapping != nil {
		m = x.mapping.metrics
	}
	m.Exchange(status)
	m.Duration.Observe(took)
	m.RequestBytes.Add(uint64(x.Body.Read()))
	m.ResponseBytes.Add(uint64(content))
}

// fillInputs copies what the decision was made from, and is not in the request's
// first line.
func (x *Exchange) fillInputs(r *accessRecord) {
	r.bound = x.decision.Bound
	if in := x.snap.inputs; in != nil {
		x.up = in.appendJSON(x.up[:0], x.Head.Fields)
		r.cloneText(accessInputs, x.up)
	}
}

// shownURL is a URL as the record has it, until the next call: without the ids of
// sessions, if the record is one from which decisions can be made again.
func (x *Exchange) shownURL(url []byte) []byte {
	in := x.snap.inputs
	if in == nil || len(in.params) == 0 {
		return url
	}
	x.up = in.appendURL(x.up[:0], url)
	return x.up
}

// fill copies into the record what is known of the exchange.
func (x *Exchange) fill(r *accessRecord) {
	r.time, r.firstByte, r.listener = x.Now, x.firstByte, x.Listener
	if x.site != nil {
		r.site = x.site.name
	}
	if x.mapping != nil {
		r.mapping = x.mapping.name
	}
	if len(x.order) > 0 {
		r.cluster = x.order[x.next].lead.name
	}
	if x.member != nil {
		r.origin, r.cluster = x.member.name, x.member.cluster.name
	}
	r.waited = x.seeker.Waited
	r.session = x.sessionText()
	if x.mapping != nil {
		x.fillInputs(r)
	}
	if x.tagged > 0 {
		r.cloneText(accessTags, append(x.tags, '}'))
	}
	if x.rule != nil {
		r.rule, r.action = x.rule.name, x.rule.action.String()
	}
	if x.reason != Served {
		r.reason = x.reason.String()
	}
	if x.cached.on {
		r.cache = x.cached.outcome.String()
		if x.cached.coded != nil {
			r.coding = x.cached.reply.Coding.String()
		}
		r.cacheDetail = x.detail()
	}
	r.page = x.assembled.told()
	r.attempts = x.attempts
	r.bytesIn = x.Body.Read()
	r.client, r.peer = x.clientIP, x.Peer.Addr().Unmap()
	r.tls = x.Secure
	r.minor = x.Minor
	r.cloneText(accessMethod, x.Method)
	r.cloneText(accessTarget, x.shownURL(x.Line))
	r.cloneText(accessHost, x.Authority.Raw)
	r.cloneText(accessUserAgent, x.Head.UserAgent)
	r.cloneText(accessReferer, x.shownURL(x.Head.Referer))
	r.cloneText(accessRequestID, x.requestID)
	if x.Minor < 0 {
		r.cloneText(accessProtocol, x.Protocol)
	}
	if x.reason != Served {
		r.cloneText(accessCause, []byte(x.causeText()))
	}
}
