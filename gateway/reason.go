package gateway

import (
	"errors"
	"io"
	"net"
	"syscall"

	"weirkeep/gateway/metrics"
	"weirkeep/gateway/origin"
	"weirkeep/gateway/wire"
)

// Reason is why an exchange ended as it did: one of the lines of the table
// below, which statuses, logs, metrics and error pages are made from.
type Reason uint8

// The reasons, in the order of an exchange's walk.
const (
	Served Reason = iota
	BadRequest
	BadTarget
	BadHost
	BadFraming
	BadBody
	BadCoding
	BadVersion
	BadMethod
	MethodNotAllowed
	BadExpectation
	HeadTooLarge
	HeadTimeout
	Loop
	BodyTimeout
	BodyTooLarge
	RedirectedToHTTPS
	NoSite
	NoMapping
	SiteNotPublic
	RejectedByRule
	RedirectedByRule
	NoPermitted
	NotStored
	QueueFull
	QueueTimeout
	NoOrigin
	SessionOriginOut
	SentAway
	RouterExhausted
	PluginFailed
	AnsweredByFilter
	ConnectRefused
	NameNotFound
	TLSFailed
	ConnectFailed
	ConnectTimeout
	OriginReset
	OriginTimeout
	NotValidated
	BadAnswer
	AnswerTooLarge
	AnswerCut
	MarkupInjected
	BadTemplate
	FragmentFailed
	PageTooLarge
	ClientGone
	CutByDrain
	LocalFailure
	Panicked
	reasons
)

// reasonTable is every reason there is.
var reasonTable = [reasons]struct {
	code   string // in logs and metrics
	status int    // of the answer; 0: the origin's
	page   string // of a site's pages; empty: the one for the status, if any
	text   string // for people
	setBy  string // the room that finds it
}{
	Served:            {"served", 0, "", "the origin's answer was passed on", "deliver"},
	BadRequest:        {"bad_request", 400, "", "the request's head is malformed", "wire check"},
	BadTarget:         {"bad_target", 400, "", "the request's target is malformed or can be read in more than one way", "wire check"},
	BadHost:           {"bad_host", 400, "", "the request's host is missing, repeated or malformed", "wire check"},
	BadFraming:        {"bad_framing", 400, "", "the length of the request's body is not clear", "wire check"},
	BadBody:           {"bad_body", 400, "", "the request's body is malformed or ended early", "obtain"},
	BadCoding:         {"bad_coding", 501, "", "the request's transfer coding is not chunked", "wire check"},
	BadVersion:        {"bad_version", 505, "", "the request is neither HTTP/1.0 nor HTTP/1.1", "wire check"},
	BadMethod:         {"bad_method", 501, "", "the request's method is too long", "wire check"},
	MethodNotAllowed:  {"method_not_allowed", 405, "", "this gateway does not do CONNECT, TRACE, or OPTIONS *", "wire check"},
	BadExpectation:    {"bad_expectation", 417, "", "the request expects something other than 100-continue", "wire check"},
	HeadTooLarge:      {"head_too_large", 431, "", "the request's head, a name in it or the number of its fields is over the limit", "wire check"},
	HeadTimeout:       {"head_timeout", 408, "", "the request's head took too long", "wire check"},
	Loop:              {"loop", 508, "", "the request has been through this gateway already", "wire check"},
	BodyTimeout:       {"body_timeout", 408, "", "the request's body took too long", "obtain"},
	BodyTooLarge:      {"body_too_large", 413, "", "the request's body is over the limit", "obtain"},
	RedirectedToHTTPS: {"redirected_to_https", 308, "", "this address is served by https", "decide"},
	NoSite:            {"no_site", 421, "", "no site has this host and port", "decide"},
	NoMapping:         {"no_mapping", 404, "", "no mapping of the site fits", "decide"},
	SiteNotPublic:     {"site_not_public", 404, "", "the site is for fragments of pages, and no client may ask for it", "decide"},
	RejectedByRule:    {"rejected_by_rule", 403, "", "a rule refuses this request", "decide"},
	RedirectedByRule:  {"redirected_by_rule", 302, "", "a rule sends this request elsewhere", "decide"},
	NoPermitted:       {"no_permitted_destination", 503, "network", "the rule that decides permits none of the origins that could serve this", "decide"},
	NotStored:         {"not_stored", 504, "", "the client wants a stored answer alone (only-if-cached), and there is none that may be used", "lookup"},
	QueueFull:         {"queue_full", 503, "busy", "all origins have all they can take, and so has the queue", "obtain"},
	QueueTimeout:      {"queue_timeout", 503, "busy", "no origin had a free slot for too long", "obtain"},
	NoOrigin:          {"no_origin", 503, "network", "no origin is in service: each is out, drains, is in maintenance or disabled", "obtain"},
	SessionOriginOut:  {"session_origin_out", 503, "network", "the origin that the session is bound to is out of service", "obtain"},
	SentAway:          {"redirected_to_origin", 302, "", "the origin that was chosen is elsewhere, and the client is sent there", "obtain"},
	RouterExhausted:   {"router_exhausted", 503, "network", "none of the origins that the router lists can take this request", "obtain"},
	PluginFailed:      {"plugin_error", 503, "network", "a plugin that has to be asked has failed", "filters"},
	AnsweredByFilter:  {"answered_by_filter", 0, "", "a filter plugin gave the answer", "filters"},
	ConnectRefused:    {"connect_refused", 502, "network", "the origin refused the connection or cannot be reached", "obtain"},
	NameNotFound:      {"name_not_found", 502, "network", "the origin's name could not be resolved", "obtain"},
	TLSFailed:         {"tls_failed", 502, "network", "TLS with the origin could not be set up", "obtain"},
	ConnectFailed:     {"connect_failed", 502, "network", "no connection to an origin could be made", "obtain"},
	ConnectTimeout:    {"connect_timeout", 504, "network", "connecting to an origin took too long", "obtain"},
	OriginReset:       {"origin_reset", 502, "network", "the origin closed the connection before it answered", "obtain"},
	OriginTimeout:     {"origin_timeout", 504, "network", "the origin did not answer in time", "obtain"},
	NotValidated:      {"not_validated", 504, "network", "what is stored must not be used without asking an origin, and none could be reached", "keep"},
	BadAnswer:         {"bad_answer", 502, "network", "the origin's answer is malformed", "obtain"},
	AnswerTooLarge:    {"answer_too_large", 502, "network", "the head of the origin's answer is too large", "obtain"},
	AnswerCut:         {"answer_cut", 502, "network", "the origin's answer broke off; a client that had begun to get it saw that", "deliver"},
	MarkupInjected:    {"markup_injected", 400, "", "the request holds ESI markup, and the answer is a template that might repeat it", "deliver"},
	BadTemplate:       {"bad_template", 502, "network", "the template of the page cannot be read: it is too long, or not in the coding that it says", "deliver"},
	FragmentFailed:    {"fragment_failed", 502, "network", "a fragment of the page could not be had; a client that had begun to get the page saw it break off", "deliver"},
	PageTooLarge:      {"page_too_large", 502, "network", "the page that the template makes is over the limit", "deliver"},
	ClientGone:        {"client_gone", 499, "", "the client went away before the answer was there", "obtain"},
	CutByDrain:        {"cut_by_drain", 503, "", "the gateway was stopped before the answer ended", "serve"},
	LocalFailure:      {"local_failure", 503, "network", "this machine is out of descriptors, ports or memory", "obtain"},
	Panicked:          {"panic", 500, "", "a fault of the gateway itself; the log has it", "serve"},
}

func (r Reason) String() string { return reasonTable[r].code }

// Status is the status that an exchange with this reason is answered with;
// zero is the origin's own.
func (r Reason) Status() int { return reasonTable[r].status }

// refusalReasons are all reasons, in order, as metrics count them. Before the
// decision no site is known, and after it one always is.
func refusalReasons() []metrics.Reason {
	all := make([]metrics.Reason, reasons)
	for r := range reasonTable {
		row, m := &reasonTable[r], &all[r]
		m.Name = row.code
		switch {
		case Reason(r) == Served:
		case row.setBy == "wire check", Reason(r) == NoSite, Reason(r) == RedirectedToHTTPS:
			m.Unrouted = true
		case Reason(r) == Panicked:
			m.Routed, m.Unrouted = true, true
		default:
			m.Routed = true
		}
	}
	return all
}

// reasonOfHead is why the wire check refused a head.
func reasonOfHead(err error) Reason {
	switch err {
	case wire.ErrVersion:
		return BadVersion
	case wire.ErrMethodLong:
		return BadMethod
	case wire.ErrAsterisk:
		return MethodNotAllowed
	case wire.ErrNameLong, wire.ErrCount:
		return HeadTooLarge
	case wire.ErrHost, wire.ErrAuthority:
		return BadHost
	case wire.ErrTarget, wire.ErrScheme:
		return BadTarget
	case wire.ErrLength:
		return BadFraming
	case wire.ErrCoding:
		return BadCoding
	case wire.ErrExpect:
		return BadExpectation
	}
	return BadRequest
}

// reasonOfBody is why a request's body could not be read.
func reasonOfBody(err error) Reason {
	switch {
	case errors.Is(err, wire.ErrBodyLarge):
		return BodyTooLarge
	case errors.Is(err, wire.ErrChunk), errors.Is(err, wire.ErrTrailer), errors.Is(err, io.ErrUnexpectedEOF):
		return BadBody
	case isTimeout(err):
		return BodyTimeout
	}
	return ClientGone
}

// reasonOfTrip is why an attempt at an origin failed.
func reasonOfTrip(e *origin.Error) Reason {
	if body, ok := errors.AsType[*origin.BodyError](e.Err); ok {
		return reasonOfBody(body.Err)
	}
	switch {
	case errors.Is(e.Err, origin.ErrGone):
		return ClientGone
	case e.Local():
		return LocalFailure
	case e.Phase == metrics.Connect && isTimeout(e.Err):
		return ConnectTimeout
	case e.Phase == metrics.Connect:
		return reasonOfConnect(e.Err)
	case errors.Is(e.Err, origin.ErrTimeout), isTimeout(e.Err):
		return OriginTimeout
	case errors.Is(e.Err, origin.ErrHeadLarge):
		return AnswerTooLarge
	case isNetwork(e.Err):
		return OriginReset
	}
	return BadAnswer
}

// reasonOfConnect is why no connection could be made, and it was not for time.
func reasonOfConnect(err error) Reason {
	if _, ok := errors.AsType[*origin.HandshakeError](err); ok {
		return TLSFailed
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return NameNotFound
	}
	for _, refused := range [...]error{syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.EHOSTUNREACH, syscall.ENETUNREACH} {
		if errors.Is(err, refused) {
			return ConnectRefused
		}
	}
	return ConnectFailed
}

func isTimeout(err error) bool {
	ne, ok := errors.AsType[net.Error](err)
	return ok && ne.Timeout()
}

func isNetwork(err error) bool {
	_, ok := errors.AsType[net.Error](err)
	return ok || errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed)
}
