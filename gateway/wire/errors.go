package wire

import "errors"

// What a message can be refused for. Each is one decision; the gateway's table
// of reasons gives it a status, which the comments here only suggest.
var (
	// ErrVersion means a version other than HTTP/1.0 and HTTP/1.1 (505).
	ErrVersion = errors.New("version is not HTTP/1.0 or HTTP/1.1")
	// ErrMethod means a method that is no token (400).
	ErrMethod = errors.New("method is not a token")
	// ErrMethodLong means a method over MaxMethod bytes (501).
	ErrMethodLong = errors.New("method is too long")
	// ErrLine means a field line that does not end in CRLF, has no colon, or
	// starts with a blank (400).
	ErrLine = errors.New("malformed header line")
	// ErrName means a field name that is no token (400).
	ErrName = errors.New("field name is not a token")
	// ErrNameLong means a field name over Rules.NameBytes (431).
	ErrNameLong = errors.New("field name is too long")
	// ErrValue means a control byte in a field value (400).
	ErrValue = errors.New("control byte in a field value")
	// ErrCount means more fields than Rules.Count (431).
	ErrCount = errors.New("too many header fields")
	// ErrHost means that Host is missing from HTTP/1.1, or no host with an
	// optional port (400).
	ErrHost = errors.New("host field is missing, stated twice or malformed")
	// ErrLength means a Content-Length that is malformed, repeated, or beside
	// Transfer-Encoding, or Transfer-Encoding in HTTP/1.0 (400).
	ErrLength = errors.New("message length is malformed or stated twice")
	// ErrCoding means a Transfer-Encoding that is not exactly "chunked" (501).
	ErrCoding = errors.New("transfer coding is not chunked")
	// ErrExpect means an expectation other than 100-continue (417).
	ErrExpect = errors.New("expectation is not 100-continue")
	// ErrConnection means that Connection is malformed, lists a field that may
	// not be dropped, or lists too many (400).
	ErrConnection = errors.New("connection field lists what may not be dropped")
	// ErrRepeated means a field stated twice that may stand only once (400).
	ErrRepeated = errors.New("field may not be repeated")
	// ErrUnderscore means a field name with an underscore that looks like a
	// framing field, or any such name under Refuse (400).
	ErrUnderscore = errors.New("underscore in a field name")
	// ErrTarget means a request target that is malformed, or could be read in
	// more than one way (400).
	ErrTarget = errors.New("request target is malformed or ambiguous")
	// ErrAsterisk means the target "*" (405).
	ErrAsterisk = errors.New("request target is an asterisk")
	// ErrScheme means an absolute target whose scheme is not http or https, or
	// whose authority is empty (400).
	ErrScheme = errors.New("scheme of the target is not http or https")
	// ErrAuthority means something other than host or host:port (400).
	ErrAuthority = errors.New("authority is not a host with an optional port")
	// ErrChunk means chunked coding that breaks its grammar or bounds.
	ErrChunk = errors.New("malformed chunked coding")
	// ErrTrailer means a trailer field that is malformed or forbidden, or too
	// many bytes of them.
	ErrTrailer = errors.New("malformed or forbidden trailer field")
	// ErrBodyLarge means more content than Body.Limit (413).
	ErrBodyLarge = errors.New("body is larger than its limit")
	// ErrStatusLine means that an answer does not start with a status line (502).
	ErrStatusLine = errors.New("malformed status line")
)
