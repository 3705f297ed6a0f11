package gateway

import (
	"net/netip"
	"time"
)

// An accessRecord says what became of one exchange. It comes from
// accessLog.take, is filled by the walk, and goes to accessLog.put. Strings are
// the configuration's and kept as they are; whatever a client sent goes in by
// cloneText.
type accessRecord struct {
	time      time.Time     // when the request's head was there
	duration  time.Duration // from then to the last byte of the answer
	waited    time.Duration // of that, in line for a slot
	firstByte time.Duration // from then to the origin's first byte; zero: none answered

	listener                       string
	site, mapping, cluster, origin string // empty: not known
	session                        string // what its session is to the origin; empty: the mapping binds none
	rule, action                   string // that decided, and what it did; empty: none
	bound                          string // origin that the session is bound to; empty: none, or not known
	reason                         string // why the answer is ours; empty: it is an origin's
	cache                          string // what the site's cache did; empty: it has none, or was not asked
	coding                         string // that a stored answer was sent in and did not come in; empty: none
	cacheDetail                    cacheDetail
	page                           accessPage

	status            int // zero: the client left before there was one, shown as 499
	attempts          int // requests sent to origins
	bytesIn, bytesOut int64

	client, peer netip.Addr // who asked, and who the connection is from; invalid: not known
	tls          bool
	minor        int // HTTP/1.minor; negative: not known

	texts [accessTexts]accessSpan
	cut   bool // one of texts is
	buf   []byte
}

// accessText names a text of a record that came from outside.
type accessText uint8

const (
	accessMethod accessText = iota
	accessTarget
	accessHost
	accessUserAgent
	accessReferer
	accessRequestID
	accessProtocol // where minor is not known
	accessInputs   // an object of JSON, what else the decision was made from
	accessTags     // an object of JSON: what filters say
	accessCause    // what lies behind the reason; may quote a client or an origin
	accessTexts
)

// accessLimits is how many bytes of each text are kept; the rest is cut off. A
// record has at most their sum.
var accessLimits = [accessTexts]int{
	accessMethod:    64,
	accessTarget:    8 << 10,
	accessHost:      512,
	accessUserAgent: 1 << 10,
	accessReferer:   1 << 10,
	accessRequestID: 256,
	accessProtocol:  32,
	accessInputs:    16 << 10,
	accessTags:      8 << 10,
	accessCause:     512,
}

// accessBuffer is how many bytes of texts a free record keeps room for. An
// oversized one gives its buffer back.
const accessBuffer = 4 << 10

// accessSpan is where in buf a text is.
type accessSpan struct {
	from, to int
	cut      bool
}

// cloneText copies a text into the record, once for each.
func (r *accessRecord) cloneText(t accessText, text []byte) {
	kept := min(len(text), accessLimits[t])
	from := len(r.buf)
	r.buf = append(r.buf, text[:kept]...)
	cut := kept < len(text)
	r.texts[t] = accessSpan{from: from, to: len(r.buf), cut: cut}
	r.cut = r.cut || cut
}

// text is what cloneText kept.
func (r *accessRecord) text(t accessText) []byte {
	s := r.texts[t]
	return r.buf[s.from:s.to]
}

// shownStatus is the status to write: that of a client that has gone is 499.
func (r *accessRecord) shownStatus() int {
	if r.status == 0 {
		return 499
	}
	return r.status
}

// reset empties the record and keeps its buffer.
func (r *accessRecord) reset() {
	buf := r.buf[:0]
	if cap(buf) > accessBuffer {
		buf = nil
	}
	*r = accessRecord{buf: buf}
}
