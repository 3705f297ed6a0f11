// Package session reads session ids off messages and remembers which origin
// each of them belongs to.
//
// A [Definition] says what carries the id: a cookie, a parameter of the URL, or
// both. [Definition.Find] reads it off a request, [Definition.Learn] off the
// head of an answer, [Links] off the links of a page as its bytes pass. What
// they return are views of what they were given: an id is opaque, is never
// decoded, and means something to the origin alone. It is compared byte by
// byte, so every reader here gives the same bytes for the same session: a
// cookie without the quotes around it, a path parameter as [wire.Target] has it
// in its canonical path, a query parameter as it came.
//
// What ties a session to an origin is its [Binding]: the id itself names it
// ([Definition.Parts]), a [Cookie] of the gateway does, or a [Table] remembers.
// A [Table] ties ids to origins by name. It is bounded: it forgets ids that are
// idle, and when it is full the one that has not been used for the longest time.
//
// Nothing here knows whether an origin exists or lives, or what a request asks
// for. No input makes this package panic; what is malformed carries no id.
package session

// Definition says where a session id travels. Names are case-sensitive, and an
// empty one means that there is no such carrier.
type Definition struct {
	Name string // in the configuration

	// Cookie is the name of a cookie.
	Cookie string

	// URLParam is the name of a parameter of the path (/cart;name=id) or of the
	// query (/cart?name=id). It is written with characters that a URL need not
	// escape.
	URLParam string

	// Extract reads off an id which origins it names.
	Extract Extract

	// Binding says what ties a session to an origin.
	Binding Binding

	// Gateway is the cookie of GatewayCookie.
	Gateway *Cookie
}

// Binding is what ties a session to an origin.
type Binding uint8

// The bindings.
const (
	Learned       Binding = iota // a [Table] remembers which origin gave out the id
	Passive                      // the id itself names the origin (M-PERS-01)
	GatewayCookie                // a cookie of the gateway's own does (M-PERS-08)
)

// Carrier is what an id was found in.
type Carrier uint8

// The carriers.
const (
	FromNothing Carrier = iota // there is no id
	FromCookie
	FromURL
)

// String is the carrier's key in the configuration of a session, and "nothing".
func (c Carrier) String() string {
	return [...]string{"nothing", "cookie", "url_param"}[c]
}
