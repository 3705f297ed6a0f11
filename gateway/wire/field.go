package wire

import "bytes"

// Class says what kind of field one is, as far as a gateway must care.
type Class uint8

// The classes. In an answer only Plain, Hop, Framing, Via, RequestID and Date
// occur: the others are about requests.
const (
	// Plain is every field that means nothing to a gateway.
	Plain Class = iota

	// Hop is a field that ends at this hop: Connection and what it lists,
	// Keep-Alive, TE, Upgrade and their like.
	Hop

	// Framing is Content-Length or Transfer-Encoding, which whoever sends the
	// message on writes anew.
	Framing

	// Host is the Host field.
	Host

	// Identity is a field that claims who the client is, or which URL it asked
	// for. Only a trusted peer may send one.
	Identity

	// Expect is the Expect field.
	Expect

	// Underscored is a field with "_" in its name. An origin that speaks CGI
	// cannot tell it from the one with "-".
	Underscored

	// Via is the Via field.
	Via

	// RequestID is the X-Request-Id field.
	RequestID

	// Date is the Date field.
	Date
)

// Field is one header field: views into the raw block, the name as it came, the
// value without surrounding blanks.
type Field struct {
	Name, Value []byte
	Class       Class
}

// mark says what a [Head] takes note of when it meets a field.
type mark uint8

const (
	unmarked mark = iota
	markLength
	markCoding
	markConnection
	markUpgrade
	markRequestID
	markDate
	markVia
	markTrailer
	// From here on only requests are looked at.
	markHost
	markExpect
	markTE
	markUserAgent
	markReferer
	// From here on the field may stand only once.
	markAuthorization
	markContentRange
	markContentType
	markIfRange
	markOrigin
	markRange
)

// known is a field that this package has heard of.
type known struct {
	name  string // in lower case
	class Class
	mark  mark
}

// fields is every field that is treated apart. Those that are not Hop may
// neither be dropped by being listed in Connection, nor stand in a trailer: the
// Plain ones are here for that alone, or for their mark.
var fields = byLength(
	known{"connection", Hop, markConnection},
	known{"http2-settings", Hop, unmarked},
	known{"keep-alive", Hop, unmarked},
	known{"proxy", Hop, unmarked}, // becomes HTTP_PROXY in a CGI origin's environment
	known{"proxy-authenticate", Hop, unmarked},
	known{"proxy-authentication-info", Hop, unmarked},
	known{"proxy-authorization", Hop, unmarked},
	known{"proxy-connection", Hop, unmarked},
	known{"te", Hop, markTE},
	known{"upgrade", Hop, markUpgrade},

	known{"content-length", Framing, markLength},
	known{"transfer-encoding", Framing, markCoding},

	known{"date", Date, markDate},
	known{"expect", Expect, markExpect},
	known{"host", Host, markHost},
	known{"via", Via, markVia},
	known{"x-request-id", RequestID, markRequestID},

	// Who the client is. X-Forwarded and whatever begins like it: see lookup.
	known{"cf-connecting-ip", Identity, unmarked},
	known{"client-cert", Identity, unmarked}, // RFC 9440
	known{"client-cert-chain", Identity, unmarked},
	known{"client-ip", Identity, unmarked},
	known{"fastly-client-ip", Identity, unmarked},
	known{"forwarded", Identity, unmarked},
	known{"true-client-ip", Identity, unmarked},
	known{"x-client-ip", Identity, unmarked},
	known{"x-cluster-client-ip", Identity, unmarked},
	known{"x-envoy-external-address", Identity, unmarked},
	known{"x-original-forwarded-for", Identity, unmarked},
	known{"x-originating-ip", Identity, unmarked},
	known{"x-real-ip", Identity, unmarked},
	known{"x-remote-addr", Identity, unmarked},
	known{"x-remote-ip", Identity, unmarked},
	// Which URL it asked for.
	known{"front-end-https", Identity, unmarked},
	known{"x-envoy-original-path", Identity, unmarked},
	known{"x-host", Identity, unmarked},
	known{"x-http-host-override", Identity, unmarked},
	known{"x-original-host", Identity, unmarked},
	known{"x-original-url", Identity, unmarked},
	known{"x-rewrite-url", Identity, unmarked},
	known{"x-scheme", Identity, unmarked},
	known{"x-script-name", Identity, unmarked},
	known{"x-url-scheme", Identity, unmarked},

	known{"age", Plain, unmarked},
	known{"authorization", Plain, markAuthorization},
	known{"cache-control", Plain, unmarked},
	known{"content-encoding", Plain, unmarked},
	known{"content-range", Plain, markContentRange},
	known{"content-type", Plain, markContentType},
	known{"cookie", Plain, unmarked},
	known{"expires", Plain, unmarked},
	known{"if-match", Plain, unmarked},
	known{"if-modified-since", Plain, unmarked},
	known{"if-none-match", Plain, unmarked},
	known{"if-range", Plain, markIfRange},
	known{"if-unmodified-since", Plain, unmarked},
	known{"location", Plain, unmarked},
	known{"max-forwards", Plain, unmarked},
	known{"origin", Plain, markOrigin},
	known{"pragma", Plain, unmarked},
	known{"range", Plain, markRange},
	known{"referer", Plain, markReferer},
	known{"retry-after", Plain, unmarked},
	known{"set-cookie", Plain, unmarked},
	known{"trailer", Plain, markTrailer},
	known{"user-agent", Plain, markUserAgent},
	known{"vary", Plain, unmarked},
	known{"warning", Plain, unmarked},
	known{"www-authenticate", Plain, unmarked},
)

// xForwarded stands for the many fields whose name begins with it.
var xForwarded = known{"x-forwarded", Identity, unmarked}

// byLength sorts the fields by the length of their names, which tells most of
// them apart before a byte is compared.
func byLength(list ...known) (t [26][]known) {
	for _, k := range list {
		t[len(k.name)] = append(t[len(k.name)], k)
	}
	return t
}

// lookup returns what is known of a field, and nil if nothing is.
func lookup(name []byte) *known {
	if len(name) < len(fields) {
		for i := range fields[len(name)] {
			if k := &fields[len(name)][i]; EqualFold(name, k.name) {
				return k
			}
		}
	}
	if n := len(xForwarded.name); len(name) >= n && EqualFold(name[:n], xForwarded.name) {
		return &xForwarded
	}
	return nil
}

// lookAlike returns what is known of a field once the underscores of its name
// are read as dashes, as a CGI origin does.
func lookAlike(name []byte) *known {
	var dashed [64]byte
	n := copy(dashed[:], name) // what is cut off could only follow x-forwarded
	for i, c := range dashed[:n] {
		if c == '_' {
			dashed[i] = '-'
		}
	}
	return lookup(dashed[:n])
}

// cutField reads the field line that b begins with. It returns the field, of
// class Underscored or Plain, and how many bytes the line takes with its CRLF.
func cutField(b []byte) (f Field, size int, err error) {
	n := run(b, token)
	if err := nameEnd(b, n); err != nil {
		return f, 0, err
	}
	end := n + 1 + control(b[n+1:])
	if err := lineEnd(b[end:]); err != nil {
		return f, 0, err
	}
	f.Name, f.Value = b[:n], trim(b[n+1:end])
	if bytes.IndexByte(f.Name, '_') >= 0 {
		f.Class = Underscored
	}
	return f, end + len("\r\n"), nil
}

// nameEnd says what is wrong with a line whose first n bytes are a token.
func nameEnd(b []byte, n int) error {
	switch {
	case n == len(b) || b[n] == '\r' || b[n] == '\n' || n == 0 && blank(b[0]):
		return ErrLine
	case n == 0 || b[n] != ':':
		return ErrName
	}
	return nil
}

// lineEnd says what is wrong with a line whose value ends where b begins.
func lineEnd(b []byte) error {
	switch {
	case len(b) == 0 || b[0] == '\n' || b[0] == '\r' && len(b) == 1:
		return ErrLine
	case b[0] != '\r' || b[1] != '\n':
		return ErrValue
	}
	return nil
}
