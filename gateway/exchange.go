package gateway

import (
	"net/netip"
	"time"

	"weirkeep/gateway/admission"
	"weirkeep/gateway/memfile"
	"weirkeep/gateway/origin"
	"weirkeep/gateway/probe"
	"weirkeep/gateway/route"
	"weirkeep/gateway/session"
	"weirkeep/gateway/wire"
	"weirkeep/rules"
)

// Exchange is one request with its response, as the walk sees it. A front door
// fills in the first block and lends it for the time of the walk: every []byte
// is a view of the door's bytes, and who keeps one longer copies it.
type Exchange struct {
	Method   []byte
	Line     []byte         // target as it came, in whatever form
	Protocol []byte         // HTTP/1.1 or whatever stood there
	Block    []byte         // header block as it came
	Source   wire.Source    // of the body
	Client   ClientConn     // who waits
	Peer     netip.AddrPort // the other end of the connection
	Secure   bool           // it came by TLS
	TLS      *rules.TLS     // how; nil: it did not, or nobody knows
	Redirect bool           // the listener redirects to https
	Listener string         // its name
	Doubt    error          // why the door refuses the head, whatever the wire check says; nil: it does not
	Now      time.Time      // when the head was there; the walk goes by Options.Now

	// The wire check fills in these.
	Minor     int // of the version
	Target    wire.Target
	Authority wire.Authority
	Head      wire.Head
	Body      wire.Body
	clientIP  netip.Addr // the rightmost address nobody vouches for
	trusted   bool       // the peer is a trusted proxy
	read      bool       // the door has done the check's parsing

	// Deciding fills in these.
	snap     *snapshot
	ask      route.Request // what the decision is made from
	decision route.Decision
	order    []*group // to be tried, one after the other; empty: nobody serves it
	lost     [2]int   // identities of origins of its session that cannot serve it after all
	losses   int      // how many these are
	rule     *ruleAction
	site     *site
	mapping  *mapping
	session  *sessionPolicy // nil: the mapping's sessions are not bound

	cached cached // what the cache of its site knows; looking up fills it in

	assembled assembled // what its page was made of; delivering fills it in
	within    *Exchange // whose page it is a fragment for; nil: a client asks for it

	// Obtaining fills in these.
	trip       *origin.Trip
	number     uint64      // unique on this node while it runs
	plug       *pluginWork // nil: no plugin was ever called
	routed     *group      // for which the router was asked; nil: it was not
	listed     bool        // it listed origins, which plug has
	edited     bool        // a filter has edited path, query or host
	given      given       // what a filter answers; status 0: none does
	tags       []byte      // what filters say of the exchange: an object of JSON, not ended
	tagged     int         // how many they are
	next       int         // index in order of the group to go on with
	group      *group      // in which a slot is looked for: that, or the session's home's
	seeker     admission.Seeker
	slots      *admission.Slots // one of which is taken; nil: none
	trial      bool             // the attempt finds out whether an origin is back
	blamed     bool             // something was wrong with the attempt
	counted    bool             // it was a failure by the cluster's policy: an attempt is one at most
	learned    bool             // what its answer says of the session is known
	member     *member          // whose answer is passed on
	up         []byte           // upstream head, and a body that was here at once
	bodyAt     int              // where in up that body begins
	joined     bool             // the whole body stands in up
	attempts   int
	overspent  bool      // a further attempt was safe, but not in the budget
	asked      bool      // 102 was sent to learn whether the client is there
	continued  bool      // 100 was sent
	released   bool      // the snapshot was given back
	clientless bool      // nobody waits for the answer
	unframed   bool      // where the request's body ends is not known
	start      time.Time // by the machine's clock, for durations
	end        time.Time // the same, set when the exchange is recorded
	tick       time.Time // of this attempt, by the machine's clock, for deadlines
	firstByte  time.Duration
	requestID  []byte
	ids        [32]byte
	again      [20]byte       // value of Retry-After
	links      *session.Links // nil: never needed yet
	reading    bool           // links looks at what passes
	binds      []byte         // value of the Set-Cookie that binds the session
	rest       []byte         // of Surrogate-Control, for a surrogate closer to the client
	location   []byte         // where a rule or an origin redirects to

	w      Responder
	reason Reason
	cause  error // what lies behind the reason; nil: nothing more is known
}

// ClientConn is what the walk asks of a client's connection.
type ClientConn interface {
	// Look sees, without reading, whether the client is still there.
	Look() probe.Sight
	// Interrupt ends a read of the request's body that is under way, and every
	// later one until Resume.
	Interrupt()
	// Resume lets the body be read again.
	Resume()
}

// Responder takes the answer of an exchange. Its methods are called by one
// goroutine at a time, in order: any number of Interim, then Head, then Write
// and Flush, then Trailers; or Tunnel after a Head with 101; Abort at any time.
type Responder interface {
	// Interim sends a 1xx answer at once. Clients of HTTP/1.0 are spared it.
	Interim(code int, fields []wire.Field) error

	// Head begins the final answer. Fields of class [wire.Hop] and
	// [wire.Framing] are left out: framing is the responder's. length is the
	// content's, or [wire.UntilClose] when it is not known, or [wire.NoLength]
	// to say nothing of it (answers that have no content by nature). reason nil
	// stands for the usual phrase.
	Head(code int, reason []byte, fields []wire.Field, length int64)

	// Prepared is Head with a head that was written before: status line and fields,
	// without what ends it. fields go behind it.
	Prepared(code int, head []byte, fields []wire.Field, length int64)

	// Write passes on content. It may join what is small: bytes go out when
	// 16 KiB are together, at Flush, or at the end.
	Write(p []byte) error

	// Sends reports whether content can be sent from a file, after Head: else it must be
	// read, and written.
	Sends() bool

	// Send is Write for n bytes of a file, from one on.
	Send(s *memfile.Span, from, n int64) error

	// Flush sends everything that was held back.
	Flush() error

	// Trailers ends chunked content with lines that [wire.Body.Trailer] gave.
	Trailers(lines []byte)

	// End sends what is held back and what ends the content. It may be called
	// more than once.
	End() error

	// Abort makes sure that the client sees the answer break off.
	Abort()

	// Close makes this the last exchange of the connection.
	Close()

	// Tunnel gives the connection away, after a Head with 101 was sent.
	Tunnel() Tunnel

	// Sent is the status that was begun, zero if none was or nothing of it got
	// out, and the bytes of content that were given to Write.
	Sent() (status int, content int64)
}

// Tunnel is a client's connection after the protocol was switched.
type Tunnel interface {
	wire.Source
	Write(p []byte) (int, error)
	CloseWrite() error
	// Patience bounds, from now on, how long a Fill waits, also one under way.
	Patience(idle time.Duration)
}

// reset readies a pooled exchange for another request. Buffers stay.
func (x *Exchange) reset() {
	if x.trip == nil {
		x.trip = new(origin.Trip)
	}
	x.site, x.mapping, x.session, x.group, x.member = nil, nil, nil, nil, nil
	x.order, x.rule, x.losses = nil, nil, 0
	x.next, x.attempts, x.firstByte = 0, 0, 0
	x.binds = x.binds[:0]
	x.seeker.Barred, x.seeker.Waited = 0, 0
	x.trial, x.reading, x.overspent = false, false, false
	x.asked, x.continued, x.trusted, x.released = false, false, false, false
	x.joined, x.unframed, x.learned = false, false, false
	x.routed, x.listed, x.edited = nil, false, false
	x.given.status, x.tags, x.tagged = 0, x.tags[:0], 0
	if x.plug != nil {
		x.plug.kept = x.plug.kept[:0]
	}
	x.cached.reset()
	x.assembled, x.within = assembled{fragments: x.assembled.fragments[:0]}, nil
	x.requestID = nil
	x.reason, x.cause, x.Doubt = Served, nil, nil
	x.clientIP = plainAddr(x.Peer)
	x.Authority.Raw, x.Authority.Host, x.Authority.Port = nil, nil, 0
	x.Head = wire.Head{Fields: x.Head.Fields[:0]}
	x.Body.Reset(x.Source, wire.NoLength)
}
