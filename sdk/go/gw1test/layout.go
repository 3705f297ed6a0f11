package gw1test

import (
	"encoding/binary"

	gw1 "weirkeep/sdk/go"
)

var le = binary.LittleEndian

// Where the fields of the blobs are. The package gw1 has the same numbers, from
// another hand: a plugin is not tested with the mistakes it reads with.
const (
	viewSize, viewFlags, viewRequestID, viewNow             = 0, 6, 8, 16
	viewMethodID, viewVersion, viewAttempts, viewGeneration = 24, 25, 26, 28
	viewMethod, viewScheme, viewHost, viewPath, viewQuery   = 32, 40, 48, 56, 64
	viewClient, viewMapping, viewSession                    = 72, 80, 88
	viewHeaders, viewOrigins                                = 96, 104
	viewResultOff, viewResultCap, viewBody                  = 112, 116, 120
	viewTarget, viewSite, viewArgs, viewCookies             = 128, 136, 144, 152
	viewGranted, viewPort, viewStatus                       = 160, 164, 166
	viewBodyLength, viewUpstreamNS                          = 168, 176
	viewCluster, viewApplication, viewOrigin, viewHead      = 184, 192, 200, 208
)

// writer writes a blob: its head first, then what it refers to.
type writer struct {
	b   []byte
	ats []int // where the entries of tables wait for their strings
}

func newWriter(head int) *writer {
	w := &writer{b: make([]byte, head)}
	w.u16(4, 1)
	return w
}

func (w *writer) u16(at, v int)        { le.PutUint16(w.b[at:], uint16(v)) }
func (w *writer) u32(at, v int)        { le.PutUint32(w.b[at:], uint32(v)) }
func (w *writer) u64(at int, v uint64) { le.PutUint64(w.b[at:], v) }

// ref writes a string, and where it is. An empty one is absent unless it is
// there all the same.
func (w *writer) ref(at int, s string, there bool) {
	if s == "" && !there {
		return
	}
	w.u32(at, len(w.b))
	w.u32(at+4, len(s))
	w.b = append(w.b, s...)
}

// table makes room for n entries and returns where they begin.
func (w *writer) table(at, n, entry int) int {
	if n == 0 {
		return len(w.b)
	}
	off := len(w.b)
	w.u32(at, n)
	w.u32(at+4, off)
	w.b = append(w.b, make([]byte, n*entry)...)
	return off
}

// wait remembers where the next strings' entries are.
func (w *writer) wait(at int) { w.ats = append(w.ats, at) }

func (w *writer) waiting() int {
	at := w.ats[0]
	w.ats = w.ats[1:]
	return at
}

// fields writes the strings of a table of fields.
func (w *writer) fields(fields []Header) {
	at := w.waiting()
	for i, f := range fields {
		e := at + 8*i
		w.u32(e, len(w.b))
		w.u16(e+4, len(f.Name))
		w.u16(e+6, len(f.Value))
		w.b = append(append(w.b, f.Name...), f.Value...)
	}
}

// args writes the strings of the table of arguments.
func (w *writer) args(args []string) {
	at := w.waiting()
	for i, a := range args {
		w.ref(at+8*i, a, true)
	}
}

func (v *View) putTables(w *writer) {
	at := w.table(viewOrigins, len(v.Origins), 8)
	for i, o := range v.Origins {
		e := w.b[at+8*i:]
		e[0], e[1], e[6], e[7] = o.Health, o.State, o.Metric, o.Flags
		le.PutUint16(e[2:], o.InFlight)
		le.PutUint16(e[4:], o.Capacity)
	}
	w.wait(w.table(viewHeaders, len(v.Headers), 8))
	w.wait(w.table(viewCookies, len(v.Cookies), 8))
	w.wait(w.table(viewArgs, len(v.Args), 8))
}

func (v *View) putStrings(w *writer, t target) {
	w.ref(viewMethod, v.method(), false)
	w.ref(viewScheme, t.scheme, false)
	w.ref(viewHost, t.host, false)
	w.ref(viewPath, t.path, false)
	w.ref(viewQuery, t.query, t.hasQuery)
	w.ref(viewClient, v.Client, false)
	w.ref(viewMapping, v.Mapping, false)
	w.ref(viewSession, v.Session, false)
	w.ref(viewTarget, v.Target, false)
	w.ref(viewSite, v.Site, false)
	w.ref(viewCluster, v.Cluster, false)
	w.ref(viewApplication, v.Application, false)
	w.ref(viewOrigin, v.Origin, false)
}

func (v *View) method() string {
	switch v.Method {
	case "":
		return "GET"
	case NotShown:
		return ""
	}
	return v.Method
}

func (v *View) putNumbers(w *writer, t target) {
	w.u16(viewFlags, v.flags(t))
	w.u64(viewRequestID, v.RequestID)
	w.u64(viewNow, uint64(now(v.Now)))
	for id, m := range methods {
		if id > 0 && m == v.method() {
			w.b[viewMethodID] = byte(id)
		}
	}
	w.b[viewVersion] = gw1.HTTP11
	w.u16(viewAttempts, v.Attempts)
	w.u32(viewGeneration, int(v.Generation))
	w.u32(viewGranted, v.granted(t))
	w.u16(viewPort, t.port)
	w.u16(viewStatus, v.Status)
	w.u64(viewBodyLength, v.bodyLength())
	w.u64(viewUpstreamNS, uint64(v.UpstreamNS))
}

func (v *View) bodyLength() uint64 {
	if v.BodyLength == 0 {
		return uint64(len(v.Body))
	}
	return v.BodyLength
}

// now is the time of a blob whose description does not say.
func now(ns int64) int64 {
	const someday = 1796040000000000000
	if ns == 0 {
		return someday
	}
	return ns
}

// flags are those that follow from the description, and those it names.
func (v *View) flags(t target) int {
	f := v.Flags
	if t.scheme == "https" {
		f |= gw1.FlagHTTPS
	}
	if v.bodyLength() > 0 {
		f |= gw1.FlagBody
	}
	if v.Body != nil && v.bodyLength() == uint64(len(v.Body)) {
		f |= gw1.FlagWhole
	}
	if v.Attempts > 0 {
		f |= gw1.FlagAttempted
	}
	return f
}

// granted are the bits of what the description shows.
func (v *View) granted(t target) int {
	bits := 0
	for _, g := range []struct {
		shown bool
		bit   int
	}{
		{v.method() != "", gw1.NeedMethod},
		{t.scheme != "", gw1.NeedScheme},
		{t.host != "", gw1.NeedHost},
		{t.path != "", gw1.NeedPath},
		{t.path != "", gw1.NeedQuery},
		{v.Target != "", gw1.NeedTarget},
		{v.Client != "", gw1.NeedClient},
		{v.Session != "", gw1.NeedSession},
		{v.Site != "", gw1.NeedSite},
		{len(v.Headers) > 0, gw1.NeedHeader},
		{len(v.Cookies) > 0, gw1.NeedCookie},
		{v.Body != nil, gw1.NeedBody},
		{len(v.Origins) > 0, gw1.NeedOrigins},
		{v.HeadersShown, gw1.NeedHeaders},
	} {
		if g.shown {
			bits |= g.bit
		}
	}
	return bits
}
