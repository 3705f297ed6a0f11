package gw1test

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	gw1 "weirkeep/sdk/go"
)

// View is an exchange as a test describes it. What is empty is not shown, as if
// the plugin's needs did not name it.
type View struct {
	// URL gives scheme, host, port, path and query at once, such as
	// http://shop.example/foo?arg=1; or path and query alone, /foo?arg=1. The
	// path is shown as it stands here: write the canonical one.
	URL string

	Method string // empty: GET. A method of NotShown is none
	Target string
	Client string

	Mapping, Session, Site, Cluster, Application, Origin string

	Headers []Header
	Cookies []Header // name and value of each
	Args    []string // of plugin("name", args…)
	Origins []Origin
	Body    []byte // nil: not shown

	Status     int // of an answer
	Flags      int // those that do not follow from the rest
	Attempts   int
	Generation uint32
	RequestID  uint64
	Now        int64 // Unix time in ns; 0 is 2026-11-30
	UpstreamNS int64
	BodyLength uint64 // 0: that of Body

	// HeadersShown is that needs has headers: the difference shows in Granted
	// when there is no header field.
	HeadersShown bool
}

// NotShown as a method stands for none.
const NotShown = "-"

// Header is a header field or a cookie.
type Header struct{ Name, Value string }

// Origin is an origin as a router sees it.
type Origin struct {
	Health, State      uint8
	InFlight, Capacity uint16
	Metric             uint8
	Flags              uint8
}

// Up returns n origins that are up, idle and permitted.
func Up(n int) []Origin {
	origins := make([]Origin, n)
	for i := range origins {
		origins[i] = Origin{
			Health: gw1.HealthUp, Capacity: 100, Metric: gw1.MetricIdle,
			Flags: gw1.OriginUsable | gw1.OriginPermitted,
		}
	}
	return origins
}

var errTooLarge = errors.New("view-too-large: the gateway would not make this call")

// methods are the methods that have an id, in the order of the ids.
var methods = [...]string{
	"", "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "CONNECT", "TRACE",
}

// target is what View.URL says.
type target struct {
	scheme, host, path string
	query              string
	hasQuery           bool
	port               int
}

func (v *View) parse() (target, error) {
	t := target{port: 80}
	rest, query, found := strings.Cut(v.URL, "?")
	t.query, t.hasQuery = query, found
	if strings.HasPrefix(rest, "/") || rest == "" {
		t.path = rest
		return t, nil
	}
	u, err := url.Parse(rest)
	if err != nil {
		return t, err
	}
	t.scheme, t.host = u.Scheme, u.Hostname()
	t.path = "/" + strings.TrimPrefix(rest[len(u.Scheme)+3+len(u.Host):], "/")
	if u.Scheme == "https" {
		t.port = 443
	}
	if u.Port() != "" {
		_, err = fmt.Sscan(u.Port(), &t.port)
	}
	return t, err
}

// encode returns the view's bytes for a buffer of size bytes, and where the
// result area is.
func (v *View) encode(size int) (blob []byte, area int, err error) {
	t, err := v.parse()
	if err != nil {
		return nil, 0, err
	}
	w := newWriter(viewHead)
	v.putTables(w)
	v.putStrings(w, t)
	w.fields(v.Headers)
	w.fields(v.Cookies)
	w.args(v.Args)
	if v.Body != nil {
		w.ref(viewBody, string(v.Body), true)
	}
	v.putNumbers(w, t)
	area = (len(w.b) + 15) &^ 15
	if len(w.b) > viewLimit+len(v.Body) || area > size {
		return nil, 0, errTooLarge
	}
	w.u32(viewSize, len(w.b))
	w.u32(viewResultOff, area)
	w.u32(viewResultCap, size-area)
	return w.b, area, nil
}
