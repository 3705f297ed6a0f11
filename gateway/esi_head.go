package gateway

import (
	"slices"
	"strconv"
	"time"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/esi"
	"weirkeep/gateway/metrics"
	"weirkeep/gateway/wire"
)

// ofTemplate are names of fields that say something of the template and nothing of the page (C3, C4),
// in lower case.
var ofTemplate = [...]string{
	"accept-ranges", "age", "content-digest", "content-encoding", "content-length", "content-md5", "digest", "etag", "last-modified",
	"repr-digest", "surrogate-control",
}

// ofCaching are names of fields that say how long what they came with may be used, in lower case.
// Those of the targeted kind (RFC 9213) are the site's to name.
var ofCaching = [...]string{"cache-control", "expires", "pragma"}

// pageFields are the fields of the page: the template's, but for what was said of its bytes.
func (x *Exchange) pageFields(p *pageSink) []wire.Field {
	fields := slices.DeleteFunc(x.trip.Answer.Fields, x.isOfTemplate)
	fields = append(fields, wire.Field{Name: cacheControlName, Value: x.pageControl(p)}, acceptNoRanges)
	if p.as != cache.Identity {
		fields = append(fields, wire.Field{Name: contentEncodingName, Value: []byte(p.as.String())})
	}
	if vary := x.appendPageVary(nil, p); vary != nil {
		fields = append(fields, wire.Field{Name: varyName, Value: vary})
	}
	fields = x.passedOn(fields)
	if x.cached.on && x.site.cache.shown {
		if e := x.cached.entry; e != nil {
			x.cached.status.TTL, x.cached.status.HasTTL = e.Stored().TTLAt(x.Now), true
		}
		p.fragments.tell(&x.cached.status)
		fields = append(fields, x.cacheStatus())
	}
	x.trip.Answer.Fields = fields
	return fields
}

// isOfTemplate reports whether a field of the template is none of the page.
func (x *Exchange) isOfTemplate(f wire.Field) bool {
	is := func(name string) bool { return wire.EqualFold(f.Name, name) }
	return f.Class == wire.Framing || slices.ContainsFunc(ofTemplate[:], is) || slices.ContainsFunc(ofCaching[:], is) ||
		slices.ContainsFunc(x.site.cache.policy.Targeted, is)
}

// pageControl says for how long the client may keep the page (C3), and shared caches in between too
// where it is known that every client gets the same. Where nothing is said they ask each time.
func (x *Exchange) pageControl(p *pageSink) []byte {
	left, ok := x.pageLeft(p)
	seconds := wholeSeconds(left)
	if !ok || seconds <= 0 {
		return privateNoCache
	}
	dst := make([]byte, 0, len("private, max-age=")+10)
	if !x.isForAll(p) {
		dst = append(dst, "private, "...)
	}
	return strconv.AppendInt(append(dst, "max-age="...), seconds, 10)
}

// pageLeft is for how long the page may be kept, as the site has it.
func (x *Exchange) pageLeft(p *pageSink) (left time.Duration, ok bool) {
	kind := x.site.esi.clientTTL
	if kind == ttlNone {
		return 0, false
	}
	if left, ok = x.templateLeft(); !ok || kind == ttlTemplate {
		return left, ok
	}
	least, ok := p.partsLeft()
	return min(left, least), ok
}

// partsLeft is for how long all that the page includes is fresh; not ok: some of it is not here yet,
// or the page is not the same for all. What is included later than all that is sure to be stands in for
// what has failed, which is not fresh.
func (p *pageSink) partsLeft() (time.Duration, bool) {
	if p.program == nil || p.program.Uses() != 0 {
		return 0, false
	}
	return p.fragments.left()
}

// isForAll reports whether every client gets the same page, but for what Vary says.
func (x *Exchange) isForAll(p *pageSink) bool {
	_, ok := p.partsLeft()
	return ok && !x.tellsApart()
}

// templateLeft is for how long the template is still fresh, if it is stored, and if what it says to
// clients lets them keep it as long.
func (x *Exchange) templateLeft() (time.Duration, bool) {
	e := x.cached.entry
	if e == nil || e.Stored().Fresh.Validate {
		return 0, false
	}
	most, ok := e.Stored().ForClients()
	return min(e.Stored().TTLAt(x.Now), most), ok
}

// tellsApart reports whether a stored answer may be for some clients alone, and its Vary does not
// say so.
func (x *Exchange) tellsApart() bool {
	rule, key := x.cached.rule, &x.site.cache.key
	switch {
	case x.cached.outcome == metrics.CacheRevalidated: // it may be for this client alone from now on
		return true
	case len(key.headers)+len(key.cookies)+len(x.cached.choice) > 0:
		return true
	}
	return rule != nil && (rule.session != sessionShared || len(rule.headers)+len(rule.cookies) > 0)
}

// appendPageVary appends what the page depends on beside what the template says: what its variables
// look at, and in which codings it may be sent (C9). What fragments look at is not all known when the
// head is sent: a page with any that does look is private, or not kept at all (pageControl).
func (x *Exchange) appendPageVary(dst []byte, p *pageSink) []byte {
	uses := esi.Uses(0)
	if p.program != nil {
		uses = p.program.Uses()
	}
	for _, v := range variesBy {
		if uses&v.uses != 0 {
			dst = appendListed(dst, v.field)
		}
	}
	if len(p.offered) > 0 {
		dst = appendListed(dst, "Accept-Encoding")
	}
	return dst
}

// variesBy are the fields of the request that variables look at.
var variesBy = [...]struct {
	uses  esi.Uses
	field string
}{
	{esi.UsesCookies, "Cookie"},
	{esi.UsesLanguage, "Accept-Language"},
	{esi.UsesAgent, "User-Agent"},
	{esi.UsesReferer, "Referer"},
}

// appendListed appends an element to a list.
func appendListed(dst []byte, element string) []byte {
	if len(dst) > 0 {
		dst = append(dst, ", "...)
	}
	return append(dst, element...)
}

// pageCodings are those that the page may be sent in beside none, the best first: the one that its
// template came in, or those that are configured for what the template is.
func (x *Exchange) pageCodings() []cache.Coding {
	as, _ := cache.CodingOf(x.trip.Answer.Fields)
	if e := x.cached.entry; as == cache.Identity && e != nil {
		return e.Stored().Codings
	}
	return cameIn[as]
}

// cameIn are the codings of pages by that of their templates: every client that takes any takes gzip.
var cameIn = [cache.Codings][]cache.Coding{
	cache.Gzip:   {cache.Gzip},
	cache.Brotli: {cache.Brotli, cache.Gzip},
	cache.Zstd:   {cache.Zstd, cache.Gzip},
}

var (
	acceptNoRanges      = wire.Field{Name: []byte("Accept-Ranges"), Value: []byte("none")}
	contentEncodingName = []byte("Content-Encoding")
	varyName            = []byte("Vary")
	privateNoCache      = []byte("private, no-cache")
)
