package wire

import "bytes"

// Target is what a request asks for, in both the bytes to send on and the form
// to match on.
type Target struct {
	// Raw is the origin-form to forward, as received. For an absolute target it
	// begins at the path, with "/" put in if there is none.
	Raw []byte

	// Path is the canonical path: ASCII, with escapes of unreserved characters
	// decoded, all other escapes in upper case, and bytes that no URI may hold
	// (above 0x7f, and "<>^`{|}) escaped. Nothing else is changed: "//" and
	// "%2F" stay. Two paths that differ only in spelling have the same one.
	Path []byte

	// Query is what follows the "?", as received. Nil means there is no "?".
	Query []byte

	// Absolute means that the target came with Scheme and Authority, which are
	// views as received. The authority passes Authority.Parse, and replaces
	// Host: RFC 9112, 3.2.2.
	Absolute          bool
	Scheme, Authority []byte

	raw, path []byte // buffers
}

// Parse reads the target of a request line, in origin-form or as an absolute
// http or https URI.
//
// Whatever readers are known to take in different ways is refused: "*" with
// ErrAsterisk; another scheme or an empty authority with ErrScheme; a bad
// authority, or one with user information, with ErrAuthority; with ErrTarget
// all else: other forms, control bytes, spaces, fragments, and in the path
// backslashes, broken escapes, %00, overlong UTF-8 and dot segments. A segment
// is "." or ".." however its dots are written, and whichever of / ; ? # \ ends
// it, escaped or not.
func (t *Target) Parse(raw []byte) error {
	*t = Target{raw: t.raw, path: t.path}
	if len(raw) == 0 {
		return ErrTarget
	}
	if raw[0] != '/' {
		var err error
		if raw, err = t.parseAbsolute(raw); err != nil {
			return err
		}
	}
	t.Raw = raw
	path := raw
	if i := bytes.IndexByte(raw, '?'); i >= 0 {
		path, t.Query = raw[:i], raw[i+1:]
	}
	if union(t.Query)&noQuery != 0 {
		return ErrTarget
	}
	return t.parsePath(path)
}

// parseAbsolute takes scheme and authority off an absolute URI and returns the
// rest in origin-form.
func (t *Target) parseAbsolute(raw []byte) ([]byte, error) {
	if string(raw) == "*" {
		return nil, ErrAsterisk
	}
	scheme, rest, ok := bytes.Cut(raw, []byte("://"))
	if !ok || !IsToken(scheme) {
		return nil, ErrTarget
	}
	end := pathStart(rest)
	if end == 0 || !EqualFold(scheme, "http") && !EqualFold(scheme, "https") {
		return nil, ErrScheme
	}
	if _, _, ok := splitAuthority(rest[:end]); !ok {
		return nil, ErrAuthority
	}
	t.Absolute, t.Scheme, t.Authority = true, scheme, rest[:end]
	if rest = rest[end:]; len(rest) > 0 && rest[0] == '/' {
		return rest, nil
	}
	t.raw = append(append(t.raw[:0], '/'), rest...)
	return t.raw, nil
}

// pathStart returns where the authority at the start of b ends.
func pathStart(b []byte) int {
	for i, c := range b {
		if c == '/' || c == '?' {
			return i
		}
	}
	return len(b)
}

// parsePath checks a path and sets its canonical form.
func (t *Target) parsePath(path []byte) error {
	set := union(path)
	if set&noPath != 0 {
		return ErrTarget
	}
	if set&escaped == 0 && bytes.IndexByte(path, '%') < 0 {
		t.Path = path
	} else if !t.canonicalise(path) {
		return ErrTarget
	}
	if hasDotSegment(t.Path) {
		return ErrTarget
	}
	return nil
}

// canonicalise writes the canonical form of a path to the buffer. It reports
// whether the path has one.
func (t *Target) canonicalise(path []byte) bool {
	t.path = t.path[:0]
	var last byte
	for i := 0; i < len(path); {
		o, ok := CutOctet(path[i:])
		if !ok || o.Value == 0 || overlong(last, o.Value) {
			return false
		}
		t.path = o.Append(t.path)
		i += o.Taken
		last = o.Value
	}
	t.Path = t.path
	return true
}

// Octet is one byte of a target, however it is written.
type Octet struct {
	Value   byte
	Taken   int  // bytes it takes as written: 1 or 3
	Escaped bool // the canonical form has it escaped
}

// CutOctet reads the byte that a path or query begins with; p must not be
// empty. It is not ok where "%" begins no escape.
func CutOctet(p []byte) (o Octet, ok bool) {
	if p[0] != '%' {
		return Octet{p[0], 1, octets[p[0]]&escaped != 0}, true
	}
	if len(p) < 3 {
		return o, false
	}
	hi, ok1 := unhex(p[1])
	lo, ok2 := unhex(p[2])
	v := hi<<4 | lo
	return Octet{v, 3, octets[v]&unreserved == 0}, ok1 && ok2
}

// width is how many bytes the canonical form takes: 1 or 3.
func (o Octet) width() int {
	if o.Escaped {
		return len("%XX")
	}
	return 1
}

// Append appends the canonical form.
func (o Octet) Append(dst []byte) []byte {
	if !o.Escaped {
		return append(dst, o.Value)
	}
	const digits = "0123456789ABCDEF"
	return append(dst, '%', digits[o.Value>>4], digits[o.Value&15])
}

// overlong reports whether c, after the byte before it, shows UTF-8 that is
// longer than it need be: a way to hide "/" and "." from one reader of two.
func overlong(before, c byte) bool {
	switch {
	case c == 0xc0 || c == 0xc1:
		return true
	case before == 0xe0:
		return 0x80 <= c && c <= 0x9f
	case before == 0xf0:
		return 0x80 <= c && c <= 0x8f
	}
	return false
}

// hasDotSegment reports whether a segment of a canonical path is "." or "..".
func hasDotSegment(path []byte) bool {
	for start := 0; ; {
		i := bytes.IndexByte(path[start:], '.')
		if i < 0 {
			return false
		}
		start += i
		dots := 1
		if start+1 < len(path) && path[start+1] == '.' {
			dots = 2
		}
		if afterSeparator(path[:start]) && beforeSeparator(path[start+dots:]) {
			return true
		}
		start += dots
	}
}

// afterSeparator reports whether the last thing in b ends a segment.
func afterSeparator(b []byte) bool {
	if n := len(b); n >= 3 && b[n-3] == '%' {
		return separates(b[n-3:])
	}
	return separates(b[len(b)-1:])
}

// beforeSeparator reports whether b is empty or begins with what ends a segment.
func beforeSeparator(b []byte) bool { return len(b) == 0 || separates(b) }

// separates reports whether b begins with a byte that some reader ends a segment
// at, escaped or not.
func separates(b []byte) bool {
	switch b[0] {
	case '/', ';':
		return true
	case '%':
		switch string(b[1:3]) {
		case "2F", "5C", "3B", "3F", "23":
			return true
		}
	}
	return false
}

// RawAt returns the index into Raw of the byte that Path[n] comes from: where
// to cut Raw so as to lose the first n bytes of Path. It costs a walk over the
// path if that was not canonical already. len(Path) gives where the path ends
// in Raw.
func (t *Target) RawAt(n int) int {
	path := t.Raw
	if t.Query != nil {
		path = path[:len(path)-len(t.Query)-len("?")]
	}
	i := 0
	for at := 0; i < len(path); {
		o, _ := CutOctet(path[i:])
		if at += o.width(); at > n {
			break
		}
		i += o.Taken
	}
	return i
}
