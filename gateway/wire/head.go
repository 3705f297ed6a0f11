package wire

import "math"

// Lengths of bodies that are not a number of bytes.
const (
	// NoLength means that the message states no length. A request then has no
	// body; an answer's ends with the connection.
	NoLength int64 = -1 - iota

	// Chunked means the chunked coding.
	Chunked

	// UntilClose means a body that ends with the connection.
	UntilClose
)

// Underscore says what happens to fields with "_" in their names.
type Underscore uint8

const (
	// Drop lets them in as class Underscored, to be left out of what is sent on.
	Drop Underscore = iota

	// Refuse refuses the message with ErrUnderscore.
	Refuse

	// Pass lets them in as class Underscored, to be sent on, except those which
	// a CGI origin would take for a Hop or Identity field: these get its class.
	Pass
)

// Rules bound what a head may hold.
type Rules struct {
	// NameBytes is the longest field name.
	// Zero means 256.
	NameBytes int

	// Count is how many fields there may be.
	// Zero means 128.
	Count int

	// Underscores is about requests. Whatever it says, Content_Length and
	// Transfer_Encoding are refused in both directions.
	Underscores Underscore
}

// bounds returns NameBytes and Count, defaults put in.
func (r *Rules) bounds() (name, count int) {
	name, count = r.NameBytes, r.Count
	if name == 0 {
		name = 256
	}
	if count == 0 {
		count = 128
	}
	return name, count
}

// maxListed is how many names Connection may list, options that are no field
// names apart. More are refused: each is looked for among all fields.
const maxListed = 16

// Head is the fields of one message and what they say about it. It holds views
// into the block that was parsed, and is meant to be reused. After an error
// nothing in it may be relied on.
type Head struct {
	// Fields are all of them, in their order.
	Fields []Field

	// Host is the value of Host. Nil means none, which only HTTP/1.0 may have;
	// empty is what clients say whose target has no host (RFC 9112, 3.2).
	Host []byte

	// Length is a number of bytes, NoLength or Chunked.
	Length int64

	// Close means that the connection ends with this message: Connection says
	// close, or the answer states its length twice.
	Close bool

	// KeepAlive means that Connection says keep-alive. Close outranks it.
	KeepAlive bool

	// Upgrade is the value of Upgrade if Connection says upgrade too, and the
	// message is HTTP/1.1. Nil means no upgrade is asked for.
	Upgrade []byte

	// Trailers means that TE says trailers: the client takes trailer fields.
	Trailers bool

	// Expect means that an HTTP/1.1 client waits for 100 Continue.
	Expect bool

	// RequestID, UserAgent and Referer are the values of the first such field,
	// nil if there is none. The latter two are noted in requests only.
	RequestID, UserAgent, Referer []byte

	// HasDate, HasVia and HasTrailerField mean that there is such a field. The
	// last one announces what the trailer will hold.
	HasDate, HasVia, HasTrailerField bool

	answer      bool // parsing an answer
	strange     bool // whose coding nobody knows
	minor       int
	seen        uint32   // a bit for each mark that was met
	wantUpgrade bool     // Connection says upgrade
	upgrade     []byte   // value of Upgrade
	listed      [][]byte // field names in Connection
}

// ParseRequest reads the fields of a request: the bytes after the request line,
// with or without the blank line that ends them, and nothing after it. minor is
// the version's, 0 or 1.
//
// Beside malformed lines it refuses: no Host in HTTP/1.1; a Host that is neither
// empty nor a host with an optional port, or stands twice; a length stated twice; a coding
// other than chunked, and any in HTTP/1.0; an expectation other than
// 100-continue; a Connection that lists a field which only an attacker wants
// dropped; a repeated field of those that decide who asks for what
// (Authorization, Content-Range, Content-Type, If-Range, Origin, Range, Upgrade).
func (h *Head) ParseRequest(block []byte, minor int, r *Rules) error {
	h.reset(minor, false)
	if err := h.scan(block, r); err != nil {
		return err
	}
	if h.Host == nil && minor > 0 {
		return ErrHost
	}
	return h.settle()
}

// ParseResponse reads the fields of an answer, as ParseRequest does those of a
// request. An answer with both Content-Length and Transfer-Encoding is chunked,
// and its connection must not be used again. One with a coding that does not exist
// ends with its connection (RFC 9112, 6.3); one with a coding that does, but that nobody
// undoes here, is refused. A Connection that lists what may not be dropped does not
// drop it.
func (h *Head) ParseResponse(block []byte, minor int, r *Rules) error {
	h.reset(minor, true)
	if err := h.scan(block, r); err != nil {
		return err
	}
	return h.settle()
}

// AnswerLength returns how an answer's body is framed, by RFC 9112, 6.3: 0 if it
// has none (the request was HEAD; 1xx, 204 or 304), Chunked, UntilClose, or its
// length in bytes. The method is the request's. A tunnel after 101 is no body.
func (h *Head) AnswerLength(method []byte, status int) int64 {
	switch {
	case string(method) == "HEAD", status < 200, status == 204, status == 304:
		return 0
	case h.Length == NoLength:
		return UntilClose
	}
	return h.Length
}

func (h *Head) reset(minor int, answer bool) {
	*h = Head{
		Fields: h.Fields[:0],
		Length: NoLength,
		listed: h.listed[:0],
		minor:  minor,
		answer: answer,
	}
}

// scan reads the lines of the block up to the blank one, or to its end.
func (h *Head) scan(block []byte, r *Rules) error {
	longest, count := r.bounds()
	for len(block) > 0 && block[0] != '\r' {
		f, size, err := cutField(block)
		switch {
		case err != nil:
			return err
		case len(f.Name) > longest:
			return ErrNameLong
		case len(h.Fields) == count:
			return ErrCount
		}
		if err := h.add(f, r.Underscores); err != nil {
			return err
		}
		block = block[size:]
	}
	if len(block) > 0 && string(block) != "\r\n" {
		return ErrLine
	}
	return nil
}

// add classes a field, keeps it, and notes what it says.
func (h *Head) add(f Field, u Underscore) error {
	if f.Class == Underscored {
		class, err := h.underscored(f.Name, u)
		f.Class = class
		h.Fields = append(h.Fields, f)
		return err
	}
	k := lookup(f.Name)
	if k == nil {
		h.Fields = append(h.Fields, f)
		return nil
	}
	if f.Class = k.class; h.answer && k.requestOnly() {
		f.Class = Plain
	}
	h.Fields = append(h.Fields, f)
	return h.note(k.mark, f.Value)
}

// requestOnly reports whether the class means nothing in an answer.
func (k *known) requestOnly() bool {
	return k.class == Host || k.class == Identity || k.class == Expect
}

// underscored classes a field with an underscore in its name.
func (h *Head) underscored(name []byte, u Underscore) (Class, error) {
	k := lookAlike(name)
	switch {
	case k != nil && k.class == Framing:
		return Underscored, ErrUnderscore
	case h.answer:
		return Plain, nil
	case u == Refuse:
		return Underscored, ErrUnderscore
	case u == Pass && k != nil && (k.class == Hop || k.class == Identity):
		return k.class, nil
	}
	return Underscored, nil
}

// note takes down what a marked field says, and refuses what it must not say.
func (h *Head) note(m mark, v []byte) error {
	if h.answer && m >= markHost {
		return nil
	}
	again := h.has(m)
	h.seen |= 1 << m
	switch m {
	case markLength:
		return h.noteLength(v, again)
	case markCoding:
		return h.noteCoding(v, again)
	case markConnection:
		return h.noteConnection(v)
	case markUpgrade:
		return once(&h.upgrade, v, again)
	case markRequestID:
		first(&h.RequestID, v, again)
	case markDate:
		h.HasDate = true
	case markVia:
		h.HasVia = true
	case markTrailer:
		h.HasTrailerField = true
	case markHost:
		return h.noteHost(v, again)
	case markExpect:
		return h.noteExpect(v, again)
	case markTE:
		h.Trailers = h.Trailers || lists(v, "trailers")
	case markUserAgent:
		first(&h.UserAgent, v, again)
	case markReferer:
		first(&h.Referer, v, again)
	}
	if again && m >= markAuthorization {
		return ErrRepeated
	}
	return nil
}

// has reports whether a field with the mark was met.
func (h *Head) has(m mark) bool { return h.seen>>m&1 != 0 }

// first keeps the value of the first of several fields.
func first(dst *[]byte, v []byte, again bool) {
	if !again {
		*dst = v
	}
}

// once keeps the value of a field that may stand only once.
func once(dst *[]byte, v []byte, again bool) error {
	if again {
		return ErrRepeated
	}
	*dst = v
	return nil
}

func (h *Head) noteHost(v []byte, again bool) error {
	if _, _, ok := splitAuthority(v); !ok && len(v) > 0 || again {
		return ErrHost
	}
	h.Host = v
	return nil
}

func (h *Head) noteLength(v []byte, again bool) error {
	n, ok := parseLength(v)
	if !ok || again {
		return ErrLength
	}
	h.Length = n
	return nil
}

func (h *Head) noteCoding(v []byte, again bool) error {
	if h.minor == 0 {
		return ErrLength
	}
	if h.strange = h.answer && IsToken(v) && !isCoding(v); again || !h.strange && !EqualFold(v, "chunked") {
		return ErrCoding
	}
	return nil
}

// isCoding reports whether v is a transfer coding that there is.
func isCoding(v []byte) bool {
	for _, name := range [...]string{"chunked", "compress", "deflate", "gzip", "x-compress", "x-gzip"} {
		if EqualFold(v, name) {
			return true
		}
	}
	return false
}

func (h *Head) noteExpect(v []byte, again bool) error {
	if again || !EqualFold(v, "100-continue") {
		return ErrExpect
	}
	h.Expect = h.minor > 0 // RFC 9110, 10.1.1: ignored in HTTP/1.0
	return nil
}

// noteConnection takes down the options of one Connection field, and for later
// the names of fields among them.
func (h *Head) noteConnection(v []byte) error {
	for len(v) > 0 {
		var option []byte
		option, v = cutList(v)
		switch {
		case len(option) == 0:
		case EqualFold(option, "close"):
			h.Close = true
		case EqualFold(option, "keep-alive"):
			h.KeepAlive = true
		case EqualFold(option, "upgrade"):
			h.wantUpgrade = true
		case len(h.listed) == maxListed || !IsToken(option):
			return ErrConnection
		default:
			h.listed = append(h.listed, option)
		}
	}
	return nil
}

// settle decides what depends on more than one field.
func (h *Head) settle() error {
	if h.wantUpgrade && h.minor > 0 && len(h.upgrade) > 0 {
		h.Upgrade = h.upgrade
	}
	if h.has(markCoding) {
		if h.has(markLength) && !h.answer {
			return ErrLength
		}
		h.Close = h.Close || h.has(markLength) || h.strange
		h.Length = Chunked
		if h.strange {
			h.Length = NoLength
		}
	}
	for _, name := range h.listed {
		if err := h.dropListed(name); err != nil {
			return err
		}
	}
	return nil
}

// dropListed makes the fields with a name that Connection lists end here,
// unless the name is one of those that mean something to everybody.
func (h *Head) dropListed(name []byte) error {
	if k := lookup(name); k != nil {
		if k.class == Hop || h.answer {
			return nil
		}
		return ErrConnection
	}
	for i := range h.Fields {
		if f := &h.Fields[i]; sameName(f.Name, name) {
			f.Class = Hop
		}
	}
	return nil
}

// parseLength reads a Content-Length: digits alone, at most 19, of a number that
// an int64 holds.
func parseLength(v []byte) (n int64, ok bool) {
	if len(v) == 0 || len(v) > 19 {
		return 0, false
	}
	var u uint64 // 19 digits fit
	for _, c := range v {
		if c < '0' || c > '9' {
			return 0, false
		}
		u = u*10 + uint64(c-'0')
	}
	return int64(u), u <= math.MaxInt64
}

// cutList returns the first element of a comma-separated list, without
// surrounding blanks, and the rest of the list.
func cutList(v []byte) (element, rest []byte) {
	for i, c := range v {
		if c == ',' {
			return trim(v[:i]), v[i+1:]
		}
	}
	return trim(v), nil
}

// lists reports whether a comma-separated list has the word in it.
func lists(v []byte, lowered string) bool {
	for len(v) > 0 {
		var element []byte
		if element, v = cutList(v); EqualFold(element, lowered) {
			return true
		}
	}
	return false
}
