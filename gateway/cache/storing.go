package cache

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"weirkeep/gateway/wire"
)

// Override is what a caching rule says of an answer, beyond what the answer says.
type Override struct {
	// TTL is how long the answer is fresh from when it is received. It stands in the
	// place of all that the answer says of that, no-store, private and no-cache included,
	// but not of what Surrogate-Control says.
	// What else keeps an answer from being stored, Authorization and Set-Cookie among
	// it, still does, and must-revalidate still forbids using it stale.
	TTL    time.Duration
	HasTTL bool

	// Stale is how long after TTL the answer may be used while it is asked for anew, at
	// least. It counts only with TTL.
	Stale time.Duration

	// Minds says that TTL stands back behind no-store, private and no-cache, and Least
	// that it does behind a longer time that the answer says.
	Minds, Least bool

	Pass bool // the answer is not stored

	Vary []string // fields that it was chosen by beside those in Vary, in lower case
	Tags []string // beside its own

	Codings    []Coding // those that the answer may be sent in
	HasCodings bool     // they stand in the place of the policy's
}

// Bounds of tags, and of groups. An answer that has more of them, or longer ones, is not stored.
const (
	MaxTags     = 128
	MaxTagBytes = 256
)

// Store returns what is to be stored of an answer, or why nothing is. Nothing in it is a
// view. Whether the body is here in full is the caller's to know: a body that breaks off
// is not what Length says (G5).
//
// A range that turns out to be all there is becomes a 200.
func (p *Policy) Store(r *Request, a *Answer, o Override) (*Stored, Refusal) {
	var v said
	v.read(a.Fields, p)
	if why := p.refuse(r, a, &v, &o); why != 0 {
		return nil, why
	}
	s := &Stored{Status: a.Status, Length: max(a.Length, -1), Source: a.Source, Content: string(v.content)}
	if !p.setPart(s, r, a, &v) {
		return nil, RefusedPart
	}
	var ok bool
	if s.Vary, ok = p.varyOf(r, a.Fields, o.Vary); !ok {
		return nil, RefusedVaryLong
	}
	if s.Vary.Never {
		return nil, RefusedVary
	}
	if why := p.settle(s, a, &v, &o); why != 0 {
		return nil, why
	}
	p.cloneHead(s, a, &v)
	return s, 0
}

// Unstored is what is known of an answer that is not stored, for who treats it like one that
// is: no more than it says of itself, and not how long it is fresh.
func (p *Policy) Unstored(a *Answer) *Stored {
	var v said
	v.read(a.Fields, p)
	s := &Stored{Status: a.Status, Length: max(a.Length, -1), Content: string(v.content)}
	s.Date, s.Modified, s.ETag = dateOf(a, &v), modifiedOf(a, &v), v.tag()
	s.Fresh.Received = a.Received
	anything := Policy{SetCookie: StoreCookies}
	anything.cloneHead(s, &Answer{Status: a.Status, Reason: a.Reason, Fields: a.Fields, Received: a.Received}, &v)
	return s
}

// settle sets all that a 200 and a 304 set alike, but for what cloneHead sets, and says
// why the answer is nothing to keep.
func (p *Policy) settle(s *Stored, a *Answer, v *said, o *Override) Refusal {
	s.Date, s.Modified, s.ETag = dateOf(a, v), modifiedOf(a, v), v.tag()
	s.Authorized = v.sharesAuthorized()
	s.Codings = p.codings(s, v, o)
	s.Fresh = p.freshness(a, v, o)
	tags, few := tagsOf(a.Fields, p.Tags, o.Tags)
	groups, fewToo := groupTags(a.Fields)
	s.Tags = append(groups, tags...)
	switch why := s.useless(); {
	case !s.Fresh.Stated && !(v.guessable(a.Status) && s.validator()):
		return RefusedUnknown
	case why != 0:
		return why
	case !few, !fewToo:
		return RefusedTags
	}
	return 0
}

// refuse says why an answer must not be stored, whatever is known of its freshness.
func (p *Policy) refuse(r *Request, a *Answer, v *said, o *Override) Refusal {
	switch {
	case o.Pass:
		return RefusedByRule
	case !p.storesMethod(r, a, v):
		return RefusedMethod
	case !storesStatus(a.Status):
		return RefusedStatus
	case v.length && v.coding:
		return RefusedFraming
	}
	return p.refuseUpdate(r, a, v, o)
}

// storesMethod reports whether the method lets the answer be stored. That to a POST may
// be if it says how long it is fresh, and that it is what GET would get (M4).
func (p *Policy) storesMethod(r *Request, a *Answer, v *said) bool {
	if r.Method == Get {
		return true
	}
	if !p.PostLocation || !r.post || a.Status != 200 {
		return false
	}
	_, explicit := v.lifetime(a, dateOf(a, v))
	path, ok := r.Target.resolve(v.location)
	return explicit && ok && bytes.Equal(path, r.Target.Path)
}

// storesStatus reports whether answers with a status can be to more than one request.
// Those that are about conditions, ranges and expectations are not.
func storesStatus(status int) bool {
	switch status {
	case 304, 412, 416, 417:
		return false
	}
	return status >= 200
}

// forbids returns which directive of the answer forbids to store it (R1, S3).
func (v *said) forbids(status int) Refusal {
	c := &v.control
	switch {
	case c.has(mustUnderstand) && !understood(status):
		return RefusedNoStore
	case c.has(noStore) && !c.has(mustUnderstand):
		return RefusedNoStore
	case c.has(private):
		return RefusedPrivate
	}
	return 0
}

// understood reports whether what a status asks of caches is done here: those of RFC
// 9110 that can be stored.
func understood(status int) bool {
	switch status {
	case 200, 201, 202, 203, 204, 205, 206, 300, 301, 302, 303, 307, 308, 400, 401, 402, 403, 404, 405, 406, 407,
		408, 409, 410, 411, 413, 414, 415, 421, 422, 426, 500, 501, 502, 503, 504, 505:
		return true
	}
	return false
}

// ruledBy reports whether a rule's TTL stands in the place of what the answer says. It does
// not in that of Surrogate-Control (D-WC-07).
func (v *said) ruledBy(o *Override) bool { return o.HasTTL && !v.surrogate }

// freedBy reports whether it does in that of what forbids to store the answer, too.
func (v *said) freedBy(o *Override) bool { return v.ruledBy(o) && !o.Minds }

// sharesAuthorized reports whether the answer to a request with Authorization is for
// others too (R4; RFC 9111, 3.5). What an origin says to shared caches alone is.
func (v *said) sharesAuthorized() bool {
	c := &v.control
	return c.has(public|mustRevalidate) || c.times[sMaxAge].given || v.surrogate && !c.has(noStore)
}

// useless says why an answer could never be used, though it may be stored: it has to be
// validated, or is stale at once, and there is nothing to ask with.
func (s *Stored) useless() Refusal {
	f := &s.Fresh
	switch {
	case s.validator():
		return 0
	case f.Validate:
		return RefusedNoCache
	case f.Lifetime > f.Age, f.WhileRevalidate > 0, f.IfError > 0:
		return 0
	}
	return RefusedExpired
}

// setPart says what of a representation the answer is (G2). It reports whether that is
// something that can be kept.
func (p *Policy) setPart(s *Stored, r *Request, a *Answer, v *said) bool {
	if a.Status != 206 {
		return true
	}
	span, size, ok := parseContentRange(v.part.only())
	if !ok || v.multiple || r.Range == nil {
		return false
	}
	s.Part = Part{First: span.First, Size: size, Asked: bytes.Clone(r.Range)}
	switch {
	case s.Length < 0:
		s.Length = span.Len()
	case s.Length != span.Len():
		s.Part.Loose = true
		return p.Lenient && s.Length > 0
	}
	if span.First == 0 && s.Length == size {
		s.Status, s.Part = 200, Part{}
	}
	return true
}

// tagsOf collects the tags that the fields list, separated by blanks or commas, and
// those in more. It reports whether they are within the bounds.
func tagsOf(fields []wire.Field, from, more []string) (tags []string, ok bool) {
	tags = append(tags, more...)
	for _, name := range from {
		for i := range fields {
			if wire.EqualFold(fields[i].Name, name) {
				tags = append(tags, strings.FieldsFunc(string(fields[i].Value), separatesTags)...)
			}
		}
	}
	slices.Sort(tags)
	tags = slices.Compact(tags)
	return tags, bounded(tags)
}

func bounded(tags []string) bool {
	return len(tags) <= MaxTags && !slices.ContainsFunc(tags, func(t string) bool { return len(t) > MaxTagBytes })
}

func separatesTags(c rune) bool { return c == ' ' || c == ',' || c == '\t' }

// cloneHead sets the phrase, the fields that are replayed and the tag, as copies in one
// piece.
func (p *Policy) cloneHead(s *Stored, a *Answer, v *said) {
	whole := s.Status != a.Status // it came as a part, and was all
	size, count := p.sizeOf(a.Fields, whole)
	room := arena{make([]byte, 0, size+len(a.Reason))}
	s.Fields = p.cloneFields(make([]wire.Field, 0, count+1), a.Fields, whole, &room)
	if a.Source != nil {
		size, count = p.sizeOf(a.Source, whole)
		s.Source = p.cloneFields(make([]wire.Field, 0, count), a.Source, whole, &arena{make([]byte, 0, size)})
	}
	if v.date.lines == 0 {
		date := appendDate(make([]byte, 0, len(imfDate)), a.Received)
		s.Fields = append(s.Fields, wire.Field{Name: []byte("Date"), Value: date, Class: wire.Date})
	}
	if !whole && a.Reason != nil {
		s.Reason = room.clone(a.Reason)
	}
	if s.ETag != nil {
		s.ETag = valueOf(s.Fields, "etag")
	}
}

// sizeOf is what the fields take that are kept: bytes, and how many they are.
func (p *Policy) sizeOf(fields []wire.Field, whole bool) (size, count int) {
	for i := range fields {
		if f := &fields[i]; p.keeps(f, whole) {
			size += len(f.Name) + len(f.Value)
			count++
		}
	}
	return size, count
}

// cloneFields appends copies of the fields that are kept.
func (p *Policy) cloneFields(dst, fields []wire.Field, whole bool, room *arena) []wire.Field {
	for i := range fields {
		if f := &fields[i]; p.keeps(f, whole) {
			dst = append(dst, wire.Field{Name: room.clone(f.Name), Value: room.clone(f.Value), Class: f.Class})
		}
	}
	return dst
}

// arena is room that copies are made in.
type arena struct{ b []byte }

func (r *arena) clone(b []byte) []byte {
	begin := len(r.b)
	r.b = append(r.b, b...)
	return r.b[begin:len(r.b):len(r.b)]
}

// keeps reports whether a field of an answer is replayed (K1, K2). Content-Range is not
// where it no longer says what the answer is, but is where it never did (G6).
func (p *Policy) keeps(f *wire.Field, whole bool) bool {
	if f.Class == wire.Hop || f.Class == wire.Framing {
		return false
	}
	switch nameOf(f.Name) {
	case nameAge, nameContentLength, nameTransferEncoding:
		return false
	case nameSetCookie:
		return p.SetCookie != StripCookies
	case nameContentRange:
		return !whole
	}
	return true
}
