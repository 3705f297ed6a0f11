package esi

import (
	"bytes"

	"weirkeep/gateway/wire"
)

// Client is what a page may know of the request that it is assembled for, at any depth
// (V4). The bytes are views that must hold until the page is done.
type Client struct {
	Host   []byte       // the authority, as asked for
	Query  []byte       // of the page's URL, as received
	Fields []wire.Field // of the request
	Shown  *Shown       // which cookies and fields; nil: DefaultShown
}

// reader reads variables for one document of a page.
type reader struct {
	client *Client
	query  []byte // of the document itself
	buf    []byte // values that had to be written; they stay until the page is done
	jar    []byte // all cookies that the page may see
	filled bool   // the jar is
}

// forget drops the values that were written since the buffer was so long.
func (r *reader) forget(mark int) { r.buf = r.buf[:mark] }

// shown is which cookies and fields the page may see.
func (r *reader) shown() *Shown {
	if r.client.Shown == nil {
		return &defaultShown
	}
	return r.client.Shown
}

// value returns the value of a variable as tests compare it and pages show it: decoded
// (V3), or what stands in for it (V2).
func (r *reader) value(v *variable) []byte {
	b := r.raw(v)
	if v.name == queryString && v.keyed || v.name == requestQuery && v.keyed || v.name == queryDecoded {
		b = r.decoded(b)
	}
	if len(b) == 0 {
		return []byte(v.fallback)
	}
	return b
}

// raw returns the value of a variable as the client sent it, empty if it did not.
func (r *reader) raw(v *variable) []byte {
	switch v.name {
	case acceptLanguage:
		return r.language(v)
	case cookie:
		return r.cookie(v)
	case header:
		return r.header(v)
	case host:
		return r.client.Host
	case referer:
		return r.field("referer")
	case userAgent:
		return agentPart(r.field("user-agent"), v)
	case queryString, queryEncoded, queryDecoded:
		return parameter(r.client.Query, v)
	case requestQuery:
		return parameter(r.query, v)
	}
	return nil
}

// field is the value of the first field of a name.
func (r *reader) field(lowered string) []byte {
	for i := range r.client.Fields {
		if wire.EqualFold(r.client.Fields[i].Name, lowered) {
			return r.client.Fields[i].Value
		}
	}
	return nil
}

// header is a field that the page may see.
func (r *reader) header(v *variable) []byte {
	if !v.keyed || !r.shown().field(v.key) {
		return nil
	}
	return r.field(v.key)
}

// cookie is a cookie that the page may see, or all of them.
func (r *reader) cookie(v *variable) []byte {
	if !v.keyed {
		return r.cookies()
	}
	if !r.shown().cookie(v.key) {
		return nil
	}
	value, _ := wire.Cookie(r.client.Fields, v.key)
	return value
}

// cookies are all that the page may see, put together once.
func (r *reader) cookies() []byte {
	if r.filled {
		return r.jar
	}
	r.filled = true
	for i := range r.client.Fields {
		if wire.EqualFold(r.client.Fields[i].Name, "cookie") {
			r.fill(r.client.Fields[i].Value)
		}
	}
	return r.jar
}

// fill puts the pairs of a Cookie field into the jar that the page may see.
func (r *reader) fill(rest []byte) {
	for len(rest) > 0 {
		var pair []byte
		pair, rest, _ = bytes.Cut(rest, []byte(";"))
		pair = wire.TrimBlanks(pair)
		name, _, ok := bytes.Cut(pair, []byte("="))
		if !ok || !r.shown().cookie(string(wire.TrimBlanks(name))) {
			continue
		}
		if len(r.jar) > 0 {
			r.jar = append(r.jar, "; "...)
		}
		r.jar = append(r.jar, pair...)
	}
}

// language is the list of languages, or whether one of them is acceptable, as a whole tag.
func (r *reader) language(v *variable) []byte {
	list := r.field("accept-language")
	if !v.keyed || len(list) == 0 {
		return list
	}
	for len(list) > 0 {
		var item []byte
		item, list, _ = bytes.Cut(list, []byte(","))
		tag, weight, _ := bytes.Cut(item, []byte(";"))
		if wire.EqualFold(wire.TrimBlanks(tag), v.key) && !isZeroWeight(weight) {
			return trueText
		}
	}
	return falseText
}

// isZeroWeight reports whether a weight is "q=0", which means not at all.
func isZeroWeight(b []byte) bool {
	b = wire.TrimBlanks(b)
	if len(b) < len("q=0") || b[0]|0x20 != 'q' || b[1] != '=' {
		return false
	}
	return len(bytes.Trim(b[2:], "0.")) == 0
}

// parameter is a query, or the first parameter of a name in it, as it is written. Names are
// compared as they are meant.
func parameter(query []byte, v *variable) []byte {
	if !v.keyed {
		return query
	}
	for len(query) > 0 {
		var pair []byte
		pair, query, _ = bytes.Cut(query, []byte("&"))
		name, value, _ := bytes.Cut(pair, []byte("="))
		if string(name) == v.key || bytes.ContainsAny(name, "%+") && string(appendDecoded(nil, name)) == v.key {
			return value
		}
	}
	return nil
}

// decoded decodes a value of a query.
func (r *reader) decoded(b []byte) []byte {
	if !bytes.ContainsAny(b, "%+") {
		return b
	}
	from := len(r.buf)
	r.buf = appendDecoded(r.buf, b)
	return r.buf[from:len(r.buf):len(r.buf)]
}
