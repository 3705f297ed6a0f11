package cache

import (
	"time"

	"weirkeep/gateway/wire"
)

// Answer is what a cache looks at of an answer. It holds views of its bytes. The fields
// are those that came, of the classes that wire gives them.
type Answer struct {
	Status int
	Reason []byte       // nil: none
	Fields []wire.Field // all of them

	// Source are the fields as they came, where Fields are what was made of them here: what is
	// kept and sent is Fields, and the origin is asked by Source. Nil: Fields are as they came.
	Source []wire.Field

	Length int64 // of its body in bytes; less than 0: not known

	Sent, Received time.Time // when its request was begun, and when its head was here
}

// said is what an answer's fields say that matters here: views.
type said struct {
	control   control // Surrogate-Control, else the targeted field that counts, else Cache-Control
	targeted  bool    // it is one of the first two, so Expires does not count
	surrogate bool    // it is the first, so rules do not count either

	age      []byte // of the first line
	expires  once
	date     once
	modified once
	etag     once
	part     once // Content-Range
	kind     once // Content-Type
	location []byte

	cookies  bool // there is a Set-Cookie
	encoded  bool // there is a Content-Encoding
	compress compressing
	fixed    bool // the bytes must not change: it says no-transform, or has a digest of them
	multiple bool // Content-Type is multipart/byteranges
	length   bool // there is a Content-Length
	coding   bool // there is a Transfer-Encoding

	content    []byte // of Surrogate-Control: what has to be done with the body
	hasContent bool   // it says so, if only that nothing has to be
}

// once is a field that should stand once.
type once struct {
	value []byte // of the first line
	lines int
}

func (o *once) add(value []byte) {
	if o.lines++; o.lines == 1 {
		o.value = value
	}
}

// only returns the value, nil if there is none or more than one.
func (o *once) only() []byte {
	if o.lines != 1 {
		return nil
	}
	return o.value
}

// tag returns the entity tag, nil if there is none.
func (v *said) tag() []byte {
	if tag := v.etag.only(); len(tag) > 0 {
		return tag
	}
	return nil
}

// read notes what the fields say; under a policy also those that are for caches. nil: not
// those.
func (v *said) read(fields []wire.Field, p *Policy) {
	for i := range fields {
		if fields[i].Class != wire.Hop {
			v.field(nameOf(fields[i].Name), fields[i].Value)
		}
	}
	v.fixed = v.fixed || v.control.has(noTransform)
	if p == nil {
		return
	}
	s := surrogateOf(fields, p.Device)
	s.NoStore = s.NoStore || p.Remote && s.NoStoreRemote
	v.compress, v.content, v.hasContent = compressingOf(&s), s.Content, s.HasContent
	if c, ok := storingOf(&s); ok {
		v.control, v.targeted, v.surrogate = c, true, true
		return
	}
	for _, name := range p.Targeted {
		if c, ok := targeted(fields, name); ok {
			v.control, v.targeted, v.fixed = c, true, v.fixed || c.has(noTransform)
			return
		}
	}
}

// field notes one.
func (v *said) field(n name, value []byte) {
	switch n {
	case nameAge:
		if v.age == nil {
			v.age = value
		}
	case nameCacheControl:
		v.control.read(value)
	case nameContentEncoding:
		v.encoded = true
	case nameContentLength:
		v.length = true
	case nameContentLocation:
		v.location = value
	case nameContentRange:
		v.part.add(value)
	case nameContentType:
		v.multiple = isMultipart(value)
		v.kind.add(value)
	case nameDate:
		v.date.add(value)
	case nameDigest:
		v.fixed = true
	case nameETag:
		v.etag.add(value)
	case nameExpires:
		v.expires.add(value)
	case nameLastModified:
		v.modified.add(value)
	case nameSetCookie:
		v.cookies = true
	case nameTransferEncoding:
		v.coding = true
	}
}

// isMultipart reports whether a media type is the one of several parts.
func isMultipart(value []byte) bool {
	mediaType, _, _ := cutByte(value, ';')
	return wire.EqualFold(wire.TrimBlanks(mediaType), "multipart/byteranges")
}

// targeted reads a targeted field (RFC 9213). It is not ok if there is none, or if it
// says nothing or is malformed: then the next one counts (T1, T2).
func targeted(fields []wire.Field, name string) (c control, ok bool) {
	for i := range fields {
		if !wire.EqualFold(fields[i].Name, name) {
			continue
		}
		if c.there = true; !c.readTargeted(fields[i].Value) {
			return control{}, false
		}
	}
	return c, c.there
}

// readTargeted reads one line. It reports whether that is a dictionary with a member.
// Of a directive that stands twice the last counts, as in all dictionaries.
func (c *control) readTargeted(value []byte) bool {
	d := dictionary{rest: value}
	members := 0
	for {
		key, v, ok := d.next()
		if !ok {
			return !d.bad && members > 0
		}
		members++
		c.targetedMember(key, v)
	}
}

// targetedMember applies one member. One of another type than its directive has is
// ignored, unless it restricts: "private" with the names of fields does.
func (c *control) targetedMember(key []byte, v item) {
	k := lookup(key)
	switch {
	case k == nil:
	case k.flag == 0 && v.kind == integerItem:
		n := min(max(v.integer, 0), int64(longest/time.Second))
		c.times[k.time] = seconds{given: true, valid: v.integer >= 0, d: time.Duration(n) * time.Second}
	case k.flag != 0 && v == item{booleanItem, 0}:
		c.flags &^= k.flag
	case k.flag&restrictive != 0, k.flag != 0 && v.kind == booleanItem:
		c.flags |= k.flag
	}
}
