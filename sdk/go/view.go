package gw1

// View is one exchange, as much of it as the plugin's needs name. It is good
// until the call ends.
//
// Of the methods that return bytes, nil is absent or not asked for; empty but
// not nil is there and empty.
type View struct{ b blob }

// NewView reads bytes that hold a view. It is for tests of your own: in a call
// the handler is given one.
func NewView(b []byte) View { return View{b: b} }

// Flags returns FlagHTTPS, FlagBody and so on. Ignore bits you do not know.
func (v View) Flags() int { return int(v.b.u16(ViewFlags)) }

// RequestID returns a number that no other exchange on this node has while this
// one runs.
func (v View) RequestID() uint64 { return v.b.u64(ViewRequestID) }

// Now returns the time of the exchange, in Unix nanoseconds.
func (v View) Now() int64 { return int64(v.b.u64(ViewNow)) }

// MethodID returns MethodGET and so on, MethodOther for all others.
func (v View) MethodID() int { return int(v.b.u8(ViewMethodID)) }

// Version returns HTTP10, HTTP11, HTTP20 or HTTP30.
func (v View) Version() int { return int(v.b.u8(ViewVersion)) }

// Attempts returns how many attempts at origins there were so far.
func (v View) Attempts() int { return int(v.b.u16(ViewAttempts)) }

// Generation returns which cluster table the positions are of, 0 without one.
func (v View) Generation() uint32 { return v.b.u32(ViewGeneration) }

// Granted returns the bits of what this plugin is shown: NeedMethod and so on.
func (v View) Granted() int { return int(v.b.u32(ViewGranted)) }

// Port returns the authority's port, else the scheme's default.
func (v View) Port() int { return int(v.b.u16(ViewPort)) }

// Status returns the answer's status; 0 in a request.
func (v View) Status() int { return int(v.b.u16(ViewStatus)) }

// BodyLength returns the declared length of the body in bytes: 0 without a body,
// LengthUnknown if it was not declared.
func (v View) BodyLength() uint64 { return v.b.u64(ViewBodyLength) }

// UpstreamNS returns how long the origin took from the request to the head of
// its answer, in ns; 0 in a request and for an answer from the cache.
func (v View) UpstreamNS() int64 { return int64(v.b.u64(ViewUpstreamNS)) }

// Method returns the method as received.
func (v View) Method() []byte { return v.b.bytes(ViewMethod) }

// Scheme returns http or https.
func (v View) Scheme() []byte { return v.b.bytes(ViewScheme) }

// Host returns the host in lower case, without a port, IPv6 without brackets.
func (v View) Host() []byte { return v.b.bytes(ViewHost) }

// Path returns the canonical path: what rules match on.
func (v View) Path() []byte { return v.b.bytes(ViewPath) }

// Query returns the query as received, without "?"; nil if there is no "?". See
// QueryValue.
func (v View) Query() []byte { return v.b.bytes(ViewQuery) }

// Client returns the client's address as text.
func (v View) Client() []byte { return v.b.bytes(ViewClient) }

// Mapping returns the mapping's position in the list, decimal from 0.
func (v View) Mapping() []byte { return v.b.bytes(ViewMapping) }

// Session returns the session id.
func (v View) Session() []byte { return v.b.bytes(ViewSession) }

// Target returns path and query as received.
func (v View) Target() []byte { return v.b.bytes(ViewTarget) }

// Site returns the site's name.
func (v View) Site() []byte { return v.b.bytes(ViewSite) }

// Cluster returns cell/cluster: the router's own, or that of the origin that
// answered.
func (v View) Cluster() []byte { return v.b.bytes(ViewCluster) }

// Application returns the application's name.
func (v View) Application() []byte { return v.b.bytes(ViewApplication) }

// Origin returns the name of the bound origin in a request, of the one that
// answered in an answer.
func (v View) Origin() []byte { return v.b.bytes(ViewOrigin) }

// Body returns the body as sent, or its first part; FlagWhole says whether that
// is all.
func (v View) Body() []byte { return v.b.bytes(ViewBody) }

// Headers returns the header fields, one entry per line, in the order received.
func (v View) Headers() Fields { return Fields{v.b.table(ViewHeaders, FieldEntry)} }

// Cookies returns the cookies.
func (v View) Cookies() Fields { return Fields{v.b.table(ViewCookies, FieldEntry)} }

// Origins returns the origins, in the order of the cluster table.
func (v View) Origins() Origins { return Origins{v.b.table(ViewOrigins, OriginEntry)} }

// Header returns the value of the first header field of a name, whose case does
// not matter.
func (v View) Header(name string) (value []byte, found bool) {
	fields := v.Headers()
	for i := range fields.Len() {
		if n, value := fields.At(i); EqualFold(n, name) {
			return value, true
		}
	}
	return nil, false
}

// Cookie returns the value of the first cookie of a name, whose case matters.
func (v View) Cookie(name string) (value []byte, found bool) {
	fields := v.Cookies()
	for i := range fields.Len() {
		if n, value := fields.At(i); string(n) == name {
			return value, true
		}
	}
	return nil, false
}

// Args returns how many arguments the rule gave: plugin("name", args…).
func (v View) Args() int { return v.b.table(ViewArgs, RefEntry).n }

// Arg returns an argument, nil if there is none at that position.
func (v View) Arg(i int) []byte {
	args := v.b.table(ViewArgs, RefEntry)
	return v.b.bytes(args.at(i))
}

// Fields are header fields or cookies.
type Fields struct{ t table }

// Len returns how many there are.
func (f Fields) Len() int { return f.t.n }

// At returns name and value of one, nil if there is none at that position.
func (f Fields) At(i int) (name, value []byte) {
	at := f.t.at(i)
	off, n := uint64(f.t.b.u32(at)), uint64(f.t.b.u16(at+FieldNameLength))
	return f.t.b.slice(off, n), f.t.b.slice(off+n, uint64(f.t.b.u16(at+FieldValueLength)))
}

// Origins are the origins of a view.
type Origins struct{ t table }

// Origin is an origin at this moment.
type Origin struct {
	Health   int // HealthDown, HealthUp or HealthEjected
	State    int // StateServing, StateDraining, StateMaintenance or StateDisabled
	InFlight int // exchanges there now; stops at 65535
	Capacity int // exchanges it can take; stops at 65535
	Metric   int // 0..100, or MetricNone
	Flags    int // OriginUsable, OriginPermitted, OriginFull, OriginTried
}

// Len returns how many there are.
func (o Origins) Len() int { return o.t.n }

// At returns the origin at a position of the cluster table: zero, which is an
// origin that is down, if there is none.
func (o Origins) At(position int) Origin {
	e := o.t.b.u64(o.t.at(position))
	return Origin{
		Health: int(uint8(e)), State: int(uint8(e >> 8)),
		InFlight: int(uint16(e >> 16)), Capacity: int(uint16(e >> 32)),
		Metric: int(uint8(e >> 48)), Flags: int(uint8(e >> 56)),
	}
}
