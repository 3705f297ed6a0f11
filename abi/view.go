package abi

// Origin is an origin as a router sees it: the entry at the origin's position
// in the cluster table.
type Origin struct {
	Health   uint8  // HealthDown, HealthUp or HealthEjected
	State    uint8  // StateServing, StateDraining, StateMaintenance or StateDisabled
	InFlight uint16 // exchanges there now; stops at 65535
	Capacity uint16 // exchanges it can take; stops at 65535
	Metric   uint8  // 0..100, or MetricNone
	Flags    uint8  // OriginUsable, OriginPermitted, OriginFull, OriginTried
}

// View is one exchange as a router, matcher or filter sees it. Of the strings,
// nil is absent or not asked for, and empty but not nil is there and empty.
type View struct {
	Flags      uint16 // FlagHTTPS and what follows it
	RequestID  uint64 // unique on this node while it runs
	Now        uint64 // Unix time in ns, read once per exchange
	Method     uint8  // MethodGET and so on; MethodOther for all others
	Version    uint8  // HTTP10, HTTP11, HTTP20 or HTTP30
	Attempts   uint16 // upstream attempts made so far
	Generation uint32 // of the cluster table; 0 without one
	Granted    uint32 // the bits of what this plugin is shown
	Port       uint16 // of the authority, else the scheme's default
	Status     uint16 // in gw_on_response, else 0
	BodyLength uint64 // as declared; 0 without a body; LengthUnknown
	UpstreamNS uint64 // gw_on_response: request sent to answer head; 0 from the cache

	MethodText  []byte // as received
	Scheme      []byte
	Host        []byte // lower case, no port, IPv6 without brackets
	Path        []byte // canonical
	Query       []byte // raw; nil without "?"
	Client      []byte // address
	Mapping     []byte // position in the list, decimal from 0
	Session     []byte // session id
	Target      []byte // path and query as received
	Site        []byte
	Cluster     []byte // cell/cluster
	Application []byte
	OriginName  []byte // request: the bound origin; response: the one that answered

	Origins []Origin // in the order of the cluster table
	Headers []Field  // one per field line
	Cookies []Field
	Args    [][]byte // of a matcher's call; one of nil is empty
	Body    []byte
}

// Size returns how many bytes the view has.
func (v *View) Size() int {
	size, _ := v.measure()
	return size
}

// measure returns the size of the view, and the lengths of its fields joined.
func (v *View) measure() (size, joined int) {
	headers, h := sizeOfFields(v.Headers)
	cookies, c := sizeOfFields(v.Cookies)
	size = viewHead + originEntry*len(v.Origins) + headers + cookies + refEntry*len(v.Args) +
		len(v.MethodText) + len(v.Scheme) + len(v.Host) + len(v.Path) + len(v.Query) +
		len(v.Client) + len(v.Mapping) + len(v.Session) + len(v.Target) + len(v.Site) +
		len(v.Cluster) + len(v.Application) + len(v.OriginName) + len(v.Body)
	for _, a := range v.Args {
		size += len(a)
	}
	return size, h | c
}

// Put writes the view to the start of b, which is the guest's whole buffer, and
// returns how many bytes it has. It writes to no other byte; when it returns
// ErrTooLarge or ErrFieldTooLong it has written nothing.
func (v *View) Put(b []byte) (size int, err error) { return v.PutWithin(b, len(b)) }

// PutWithin is Put for a view that may have at most limit bytes, for which
// limits.view and limits.body are the reason.
func (v *View) PutWithin(b []byte, limit int) (size int, err error) {
	size, joined := v.measure()
	if joined > maxField {
		return 0, ErrFieldTooLong
	}
	area := ResultArea(size)
	if area > len(b) {
		return 0, ErrTooLarge
	}
	w, err := room(b, size, limit, viewHead)
	if err != nil {
		return 0, err
	}
	le.PutUint32(w.b[viewResultOff:], uint32(area))
	le.PutUint32(w.b[viewResultCap:], uint32(len(b)-area))
	v.putNumbers(w.b)
	v.putTables(&w)
	return size, nil
}

// putNumbers writes the fields of the head that are neither refs nor tables.
func (v *View) putNumbers(b []byte) {
	b = b[:viewHead]
	le.PutUint16(b[viewFlags:], v.Flags)
	le.PutUint64(b[viewRequestID:], v.RequestID)
	le.PutUint64(b[viewNow:], v.Now)
	b[viewMethodID], b[viewVersion] = v.Method, v.Version
	le.PutUint16(b[viewAttempts:], v.Attempts)
	le.PutUint32(b[viewGeneration:], v.Generation)
	le.PutUint32(b[viewGranted:], v.Granted)
	le.PutUint16(b[viewPort:], v.Port)
	le.PutUint16(b[viewStatus:], v.Status)
	le.PutUint64(b[viewBodyLength:], v.BodyLength)
	le.PutUint64(b[viewUpstreamNS:], v.UpstreamNS)
}

// putTables writes the tables, and the strings behind them in the order that
// all hosts keep.
func (v *View) putTables(w *writer) {
	headers := viewHead + originEntry*len(v.Origins)
	cookies := headers + fieldEntry*len(v.Headers)
	args := cookies + fieldEntry*len(v.Cookies)
	w.table(viewOrigins, len(v.Origins), viewHead)
	w.table(viewHeaders, len(v.Headers), headers)
	w.table(viewCookies, len(v.Cookies), cookies)
	w.table(viewArgs, len(v.Args), args)
	w.at = args + refEntry*len(v.Args)
	v.putOrigins(w.b[viewHead:headers])
	v.putStrings(w)
	w.fields(headers, v.Headers)
	w.fields(cookies, v.Cookies)
	for i, a := range v.Args {
		if a == nil {
			a = w.b[:0]
		}
		w.bytes(args+refEntry*i, a)
	}
	w.bytes(viewBody, v.Body)
}

func (v *View) putOrigins(b []byte) {
	for i := range v.Origins {
		o := &v.Origins[i]
		le.PutUint64(b[originEntry*i:], uint64(o.Health)<<(8*originHealth)|uint64(o.State)<<(8*originState)|
			uint64(o.InFlight)<<(8*originInFlight)|uint64(o.Capacity)<<(8*originCapacity)|
			uint64(o.Metric)<<(8*originMetric)|uint64(o.Flags)<<(8*originFlags))
	}
}

func (v *View) putStrings(w *writer) {
	w.bytes(viewMethod, v.MethodText)
	w.bytes(viewScheme, v.Scheme)
	w.bytes(viewHost, v.Host)
	w.bytes(viewPath, v.Path)
	w.bytes(viewQuery, v.Query)
	w.bytes(viewClient, v.Client)
	w.bytes(viewMapping, v.Mapping)
	w.bytes(viewSession, v.Session)
	w.bytes(viewTarget, v.Target)
	w.bytes(viewSite, v.Site)
	w.bytes(viewCluster, v.Cluster)
	w.bytes(viewApplication, v.Application)
	w.bytes(viewOrigin, v.OriginName)
}

// DecodeView reads a view; b is the view alone. What it returns refers to b.
// Any bytes are either a view or ErrMalformed.
func DecodeView(b []byte) (*View, error) {
	r, err := newReader("view", b, viewHead)
	if err != nil {
		return nil, err
	}
	v := &View{
		Flags: r.u16(viewFlags), RequestID: r.u64(viewRequestID), Now: r.u64(viewNow),
		Method: b[viewMethodID], Version: b[viewVersion], Attempts: r.u16(viewAttempts),
		Generation: r.u32(viewGeneration), Granted: r.u32(viewGranted),
		Port: r.u16(viewPort), Status: r.u16(viewStatus),
		BodyLength: r.u64(viewBodyLength), UpstreamNS: r.u64(viewUpstreamNS),
		MethodText: r.bytes(viewMethod), Scheme: r.bytes(viewScheme), Host: r.bytes(viewHost),
		Path: r.bytes(viewPath), Query: r.bytes(viewQuery), Client: r.bytes(viewClient),
		Mapping: r.bytes(viewMapping), Session: r.bytes(viewSession), Target: r.bytes(viewTarget),
		Site: r.bytes(viewSite), Cluster: r.bytes(viewCluster),
		Application: r.bytes(viewApplication), OriginName: r.bytes(viewOrigin),
		Headers: r.fields(viewHeaders), Cookies: r.fields(viewCookies), Body: r.bytes(viewBody),
		Origins: r.origins(), Args: r.args(),
	}
	if r.err != nil {
		return nil, r.err
	}
	return v, nil
}

func (r *reader) origins() []Origin {
	n, off := r.table(viewOrigins, originEntry)
	if n == 0 {
		return nil
	}
	origins := make([]Origin, n)
	for i := range origins {
		e := off + originEntry*i
		origins[i] = Origin{
			Health: r.b[e+originHealth], State: r.b[e+originState],
			InFlight: r.u16(e + originInFlight), Capacity: r.u16(e + originCapacity),
			Metric: r.b[e+originMetric], Flags: r.b[e+originFlags],
		}
	}
	return origins
}

func (r *reader) args() [][]byte {
	n, off := r.table(viewArgs, refEntry)
	if n == 0 {
		return nil
	}
	args := make([][]byte, n)
	for i := range args {
		if args[i] = r.bytes(off + refEntry*i); args[i] == nil {
			args[i] = []byte{}
		}
	}
	return args
}
