package gw1

// List is the list of origins that a router writes, best first. The gateway
// leaves out repeats, and origins that the request may not go to.
type List struct {
	area []byte
	n    int
}

// Add puts an origin at the end of the list, by its position in the cluster
// table. A position below 0, as Find returns it for a name that is not there,
// is left out, and so is what comes after MaxRoute origins: then it is false.
func (l *List) Add(position int) bool {
	at := 2 * l.n
	if uint(position) > 0xffff || l.n == MaxRoute || at+2 > len(l.area) {
		return false
	}
	le.PutUint16(l.area[at:], uint16(position))
	l.n++
	return true
}

// Len returns how many origins are listed.
func (l *List) Len() int { return l.n }

// NameList is the list of origins that a router of the names form writes, best
// first.
type NameList struct {
	area []byte
	used int
	n    int
}

// Add puts an origin at the end of the list: name, or cell/cluster/name. It is
// false, and nothing is written, if there is no room or MaxRoute are listed.
func (l *NameList) Add(name []byte) bool {
	end := l.used + 2 + len(name)
	if len(name) > 0xffff || l.n == MaxRoute || end > len(l.area) {
		return false
	}
	le.PutUint16(l.area[l.used:], uint16(len(name)))
	copy(l.area[l.used+2:], name)
	l.used = end
	l.n++
	return true
}

// Len returns how many origins are listed.
func (l *NameList) Len() int { return l.n }

// Ops are the operations that a filter writes. The gateway applies all of them
// or none: one that is not allowed there is a fault. If they do not fit, the
// call returns BufferSmall or Limit instead, and on_error decides.
type Ops struct {
	area   []byte
	n      int // bytes
	count  int
	failed int32
}

// SetHeader takes away all fields of the name; the new one stands where the
// first was, else at the end.
func (o *Ops) SetHeader(name string, value []byte) { o.put(OpSetHeader, name, value) }

// AddHeader puts one more field at the end.
func (o *Ops) AddHeader(name string, value []byte) { o.put(OpAddHeader, name, value) }

// DeleteHeader takes away all fields of the name.
func (o *Ops) DeleteHeader(name string) { o.put(OpDeleteHeader, name, nil) }

// SetPath edits the request's path; it begins with "/".
func (o *Ops) SetPath(path []byte) { o.put(OpSetPath, "", path) }

// SetQuery edits the request's query, without "?". An empty one takes it away.
func (o *Ops) SetQuery(query []byte) { o.put(OpSetQuery, "", query) }

// SetHost edits the request's authority: host or host:port.
func (o *Ops) SetHost(host []byte) { o.put(OpSetHost, "", host) }

// SetBody puts another body in the place of the one that the filter was shown
// the whole of.
func (o *Ops) SetBody(body []byte) { o.put(OpSetBody, "", body) }

// Respond answers at once with a status, 200 to 599, and a body. Header
// operations then apply to this answer.
func (o *Ops) Respond(status int, body []byte) {
	digits := [3]byte{byte('0' + status/100%10), byte('0' + status/10%10), byte('0' + status%10)}
	if status < 200 || status > 599 {
		o.fail(BadArgument)
		return
	}
	o.put(OpRespond, string(digits[:]), body)
}

// Tag puts a word into the access record.
func (o *Ops) Tag(key string, value []byte) { o.put(OpTag, key, value) }

func (o *Ops) fail(code int32) {
	if o.failed == OK {
		o.failed = code
	}
}

// put writes an operation, padded with zeros to 4 bytes.
func (o *Ops) put(code uint16, key string, value []byte) {
	size := uint64(OpHead) + uint64(len(key)) + uint64(len(value))
	padded := (size + 3) &^ 3
	switch {
	case len(key) > 0xffff:
		o.fail(BadArgument)
	case o.count == MaxOps:
		o.fail(Limit)
	case padded > uint64(len(o.area)-o.n):
		o.fail(BufferSmall)
	}
	if o.failed != OK {
		return
	}
	b := o.area[o.n : o.n+int(padded)]
	le.PutUint16(b[OpCode:], code)
	le.PutUint16(b[OpKeyLength:], uint16(len(key)))
	le.PutUint32(b[OpValueLength:], uint32(len(value)))
	copy(b[OpHead:], key)
	copy(b[OpHead+len(key):], value)
	clear(b[size:])
	o.n += int(padded)
	o.count++
}
