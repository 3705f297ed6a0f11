package cache

// dictionary reads a Structured Fields dictionary (RFC 8941, 3.2), one line of it. It
// is strict: an error anywhere voids all of it (T2).
type dictionary struct {
	rest  []byte
	bad   bool
	begun bool // a member has been read
}

// item is the value of a member: its kind, and what this package needs of it.
type item struct {
	kind    kind
	integer int64 // of an Integer; 1 of a Boolean that is true
}

// kind is the type of an item.
type kind uint8

const (
	noItem kind = iota
	integerItem
	decimalItem
	stringItem
	tokenItem
	bytesItem
	booleanItem
	innerList
)

// next returns the next member. At the end, and at an error, it is not ok.
func (d *dictionary) next() (key []byte, value item, ok bool) {
	if !d.separate() {
		return nil, item{}, false
	}
	key = d.key()
	value = item{booleanItem, 1}
	if d.accept('=') {
		value = d.value()
	}
	d.parameters()
	return key, value, !d.bad
}

// separate passes over what stands before a member. It reports whether there is one.
func (d *dictionary) separate() bool {
	first := !d.begun
	d.begun = true
	if first {
		d.spaces()
		return len(d.rest) > 0
	}
	d.blanks()
	if len(d.rest) == 0 {
		return false
	}
	d.need(d.accept(','))
	d.blanks()
	d.need(len(d.rest) > 0)
	return !d.bad
}

// need makes the dictionary bad if something is not so.
func (d *dictionary) need(ok bool) { d.bad = d.bad || !ok }

// accept takes c if it is next.
func (d *dictionary) accept(c byte) bool {
	if len(d.rest) == 0 || d.rest[0] != c {
		return false
	}
	d.rest = d.rest[1:]
	return true
}

func (d *dictionary) spaces() {
	for d.accept(' ') {
	}
}

func (d *dictionary) blanks() {
	for d.accept(' ') || d.accept('\t') {
	}
}

// take takes n bytes.
func (d *dictionary) take(n int) []byte {
	taken := d.rest[:n]
	d.rest = d.rest[n:]
	return taken
}

// while takes bytes for as long as f is true of them.
func (d *dictionary) while(f func(c byte) bool) []byte {
	n := 0
	for n < len(d.rest) && f(d.rest[n]) {
		n++
	}
	return d.take(n)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isAlpha(c byte) bool { return isLower(c | 0x20) }
func isKey(c byte) bool {
	return isLower(c) || isDigit(c) || c == '_' || c == '-' || c == '.' || c == '*'
}
func isBase64(c byte) bool { return isAlpha(c) || isDigit(c) || c == '+' || c == '/' || c == '=' }
func isSFToken(c byte) bool {
	return tokenByte[c] || c == ':' || c == '/'
}

func (d *dictionary) key() []byte {
	k := d.while(isKey)
	d.need(len(k) > 0 && (isLower(k[0]) || k[0] == '*'))
	return k
}

// parameters passes over the parameters of an item.
func (d *dictionary) parameters() {
	for !d.bad && d.accept(';') {
		d.spaces()
		d.key()
		if d.accept('=') {
			d.bare()
		}
	}
}

// value reads an item or an inner list, without its parameters.
func (d *dictionary) value() item {
	if !d.accept('(') {
		return d.bare()
	}
	for !d.bad {
		d.spaces()
		if d.accept(')') {
			return item{kind: innerList}
		}
		d.bare()
		d.parameters()
		d.need(len(d.rest) > 0 && (d.rest[0] == ' ' || d.rest[0] == ')'))
	}
	return item{}
}

// bare reads an item.
func (d *dictionary) bare() item {
	if len(d.rest) == 0 {
		d.bad = true
		return item{}
	}
	switch c := d.rest[0]; {
	case c == '-' || isDigit(c):
		return d.number()
	case c == '"':
		return d.text()
	case c == '*' || isAlpha(c):
		d.while(isSFToken)
		return item{kind: tokenItem}
	case c == ':':
		return d.bytes()
	case c == '?':
		return d.boolean()
	}
	d.bad = true
	return item{}
}

// number reads an integer of up to 15 digits, or a decimal of up to 12 and 3.
func (d *dictionary) number() item {
	sign := int64(1)
	if d.accept('-') {
		sign = -1
	}
	whole := d.while(isDigit)
	n, ok := parseDigits(whole)
	d.need(ok)
	if !d.accept('.') {
		d.need(len(whole) <= 15)
		return item{integerItem, sign * n}
	}
	part := d.while(isDigit)
	d.need(len(whole) <= 12 && 1 <= len(part) && len(part) <= 3)
	return item{kind: decimalItem}
}

// text reads a string.
func (d *dictionary) text() item {
	n := quotedLength(d.rest)
	d.need(n > 0)
	s := d.take(n)
	for i := 1; i < len(s)-1; i++ {
		d.need(' ' <= s[i] && s[i] <= '~')
		if s[i] == '\\' {
			i++
			d.need(s[i] == '"' || s[i] == '\\')
		}
	}
	return item{kind: stringItem}
}

// bytes reads a byte sequence.
func (d *dictionary) bytes() item {
	d.accept(':')
	d.while(isBase64)
	d.need(d.accept(':'))
	return item{kind: bytesItem}
}

func (d *dictionary) boolean() item {
	d.accept('?')
	if d.accept('1') {
		return item{booleanItem, 1}
	}
	d.need(d.accept('0'))
	return item{booleanItem, 0}
}
