package gateway

import (
	"bytes"
	"context"
	"strings"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/esi"
	"weirkeep/gateway/probe"
	"weirkeep/gateway/wire"
)

// aim makes the exchange one that asks for a URL, and decides what becomes of it. A failure says
// that nobody is asked.
func (f *fragmentExchange) aim(u esi.URL) esi.Failure {
	if f.url, f.loose = u, false; !f.address(u) {
		return esi.BadTarget
	}
	return f.decide()
}

// address fills in the request, up to what is decided by it (Q1).
func (f *fragmentExchange) address(u esi.URL) bool {
	x, page := &f.x, f.of.page
	f.text = append(append(f.text[:0], u.Target...), u.Authority...)
	target, authority := f.text[:len(u.Target):len(u.Target)], f.text[len(u.Target):]
	x.Method, x.Line, x.Protocol = methodGet, target, protocolH1
	x.Source, x.Client, x.w = &f.source, &f.client, noResponder{}
	x.Peer, x.Listener, x.Secure, x.TLS = page.Peer, page.Listener, u.Secure, nil
	if f.include.Own {
		x.TLS = page.TLS
	}
	x.start, x.tick, x.Now = page.start, page.start, page.Now
	x.reset()
	x.released, x.within, x.number = !f.held, page, f.of.g.ids.count.Add(1)
	x.Minor, x.Head.Length = 1, wire.NoLength
	x.clientIP, x.trusted, x.requestID = page.clientIP, page.trusted, page.requestID
	x.Head.Fields = append(x.Head.Fields, f.of.fields(f.include.Own)...)
	if x.Target.Parse(target) != nil {
		return false
	}
	return len(authority) == 0 && f.include.Own || x.Authority.Parse(authority) == nil
}

var (
	methodGet  = []byte("GET")
	protocolH1 = []byte("HTTP/1.1")
)

// decide decides where the request goes. Z3: a host that no site has is asked by itself, if
// the page's site lets it.
func (f *fragmentExchange) decide() esi.Failure {
	x, page := &f.x, f.of.page
	reason := f.of.g.decide(x)
	f.astray = !f.hasSite()
	switch {
	case f.astray && page.site.esi.unmapped:
		return esi.None
	case f.astray:
		return esi.BadTarget
	case reason != Served:
		return f.failed(reason).Failure
	}
	x.cached.terms = terms{f.include.Attributes, x.site == page.site || x.site.provider}
	return esi.None
}

// hasSite reports whether the host is one that a site is configured for: that all hosts
// are a site's is said of clients that ask it, and not of what templates may name. What the page's
// client asked for is its own.
func (f *fragmentExchange) hasSite() bool {
	x := &f.x
	if f.include.Own || bytes.Equal(x.Authority.Host, f.of.page.Authority.Host) {
		return true
	}
	return x.snap.table.Names(&x.ask)
}

// fields are the fields of requests to the page's own origin, or to others (Q2, Q3). They are
// made once a page.
func (p *fragments) fields(own bool) []wire.Field {
	list, passes := &p.others, passesToOthers
	if own {
		list, passes = &p.own, passesToOwn
	}
	if len(*list) > 0 {
		return *list
	}
	for i := range p.page.Head.Fields {
		if field := &p.page.Head.Fields[i]; passes(field, p.page.trusted) {
			*list = append(*list, *field)
		}
	}
	*list = append(*list, acceptCodings)
	return *list
}

// acceptCodings are the codings that are decoded, for all pages in one order: so they share what
// is stored (E3).
var acceptCodings = wire.Field{Name: []byte("Accept-Encoding"), Value: []byte("gzip, br, zstd")}

// passesToOwn reports whether a field of the page's request goes to its own origin: all that is not
// about the page's body, about which part or version of the page is wanted, or for this hop.
func passesToOwn(f *wire.Field, _ bool) bool {
	switch f.Class {
	case wire.Plain, wire.Via, wire.Identity, wire.Underscored:
		return !isOfThePage(f.Name)
	}
	return false
}

// ofThePage are the fields that are about the page alone, as they are spelled with hyphens.
var ofThePage = [...]string{
	"accept-encoding", "a-im", "cache-control", "expect", "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since",
	"pragma", "range", "surrogate-capability", "te", "trailer", "upgrade",
}

func isOfThePage(name []byte) bool {
	if bytes.IndexByte(name, '_') >= 0 { // some origins take it for one with hyphens
		name = bytes.ReplaceAll(name, []byte("_"), []byte("-"))
	}
	if len(name) > len("content-") && wire.EqualFold(name[:len("content-")], "content-") || cache.OverridesMethod(name) {
		return true
	}
	for _, of := range ofThePage {
		if wire.EqualFold(name, of) {
			return true
		}
	}
	return false
}

// passesToOthers reports whether a field goes to another origin than the page's: what the client takes,
// where the request has been, and who asks, if it is vouched for. What tells the client apart never does.
func passesToOthers(f *wire.Field, trusted bool) bool {
	switch f.Class {
	case wire.Via:
		return true
	case wire.Identity:
		return trusted && wire.EqualFold(f.Name, "x-forwarded-for")
	case wire.Plain:
		return isForOthers(f.Name)
	}
	return false
}

var forOthers = [...]string{"accept", "accept-language", "b3", "cdn-loop", "traceparent", "tracestate"}

func isForOthers(name []byte) bool {
	for _, other := range forOthers {
		if wire.EqualFold(name, other) {
			return true
		}
	}
	return len(name) > len("x-b3-") && wire.EqualFold(name[:len("x-b3-")], "x-b3-")
}

// redirect is where the answer redirects to, if the include lets it: within its scheme, host and port.
func (f *fragmentExchange) redirect() (esi.URL, bool) {
	status, fields := f.head()
	if !f.include.Redirect {
		return esi.URL{}, false
	}
	switch status {
	case 301, 302, 303, 307, 308:
	default:
		return esi.URL{}, false
	}
	for i := range fields {
		if wire.EqualFold(fields[i].Name, "location") {
			to, ok := f.url.Resolve(strings.TrimSpace(string(fields[i].Value)))
			return to, ok && to.SameOrigin(f.url)
		}
	}
	return esi.URL{}, false
}

// head is the head of the answer: stored, or as it came.
func (f *fragmentExchange) head() (status int, fields []wire.Field) {
	if e := f.x.cached.entry; e != nil {
		return e.Stored().Status, e.Stored().Fields
	}
	return f.x.trip.Status.Code, f.x.trip.Answer.Fields
}

// fragmentClient is the page as the one who waits for a fragment: it has gone when nobody waits for
// the fragment any more. The page's own client is looked at by the page's goroutine alone.
type fragmentClient struct{ ctx context.Context }

// Look implements ClientConn.
func (c *fragmentClient) Look() probe.Sight {
	if c.ctx != nil && c.ctx.Err() != nil {
		return probe.Broken
	}
	return probe.Silent
}

// Interrupt implements ClientConn: there is no body.
func (*fragmentClient) Interrupt() {}

// Resume implements ClientConn.
func (*fragmentClient) Resume() {}
