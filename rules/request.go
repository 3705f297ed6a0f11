package rules

import (
	"errors"
	"net/netip"
	"time"

	"weirkeep/gateway/wire"
)

// A Request is what a rule can ask about one request: views of the caller's
// bytes, read during Match and not kept.
type Request struct {
	Method  []byte
	Scheme  string         // "http" or "https": how the request arrived
	Host    []byte         // canonical: lower case, no port, no brackets, no final dot; empty: no host information
	Port    int            // of the authority; 0: none written, the scheme's default counts
	Path    []byte         // canonical: unreserved bytes not escaped, hex digits of other escapes in upper case
	RawPath []byte         // the path as received
	Query   []byte         // as received, without the "?"; nil: none
	URL     []byte         // path and query as received
	Fields  []wire.Field   // of the header
	Client  netip.AddrPort // who sent it, after trusted proxies; port 0: only a proxy knows it
	Peer    netip.AddrPort // the socket's other end
	TLS     *TLS           // nil: plain
	HTTP    string         // version: "1.0" or "1.1"
	ID      []byte         // request id
	Size    int64          // length of the body that the head declares; -1: none is declared
	Seal    Seal           // nil: nothing is sealed

	Response Response // of the origin; rules ask before there is one
	Stored   Stored   // what is known of the answer if a cache has it; of [OfStored] alone

	// These a decision fills in.
	Site     string
	Session  Session
	Now      time.Time
	Clusters Clusters // nil: no cluster has anything
	Matchers Matchers // nil: each fails
}

// TLS is what a client's connection agreed on.
type TLS struct {
	Version string // "1.2", "1.3"
	SNI     string // the name that the client asked for
	Cert    *Cert  // the client's; nil: it showed none
}

// Cert is a client's certificate.
type Cert struct {
	Subject, Issuer string
	Fingerprint     string // SHA-256 of the certificate, in lower-case hexadecimal digits
	SAN             []string
}

// Session is what is known of the request's session.
type Session struct {
	ID                 []byte
	Primary, Secondary []byte // what the id itself names, if it names origins
	New                bool   // the request has no session id
}

// Clusters is what cluster() asks: the state of Options.Clusters[i].
type Clusters interface {
	ClusterState(i int) (up, inflight, capacityLeft int)
}

// A Seal stands for values of which only a keyed hash is known, as when a log is
// replayed. They can be compared with a text for equality; whatever else a rule
// does with one ends its evaluation with [ErrSealed].
type Seal interface {
	// Sealed reports whether a value is a hash and not the text itself.
	Sealed(value []byte) bool
	// Equal reports whether a sealed value is the hash of the text.
	Equal(sealed []byte, text string) bool
}

// ErrSealed ends the evaluation of a rule that needs more of a value than its
// hash.
var ErrSealed = errors.New("only a hash of the value is known")

// port is the port that the client asked for.
func (r *Request) port() int {
	switch {
	case r.Port != 0:
		return r.Port
	case r.Scheme == "https":
		return 443
	}
	return 80
}
