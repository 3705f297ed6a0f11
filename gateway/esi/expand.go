package esi

import "strings"

// expand writes the value of src or alt with its variables, each so that it is a word of a
// URL (Z2). It is not ok if a value has a byte that no URL may have, or if one has a say in
// scheme or host, or makes a segment "." or "..".
func (r *reader) expand(m mixed, variables []variable) (string, bool) {
	if s, ok := m.literal(); ok {
		return s, true
	}
	var out []byte
	var places []int // where values begin and end
	inQuery := false
	for _, s := range m {
		if s.variable == 0 {
			inQuery = inQuery || strings.Contains(s.text, "?")
			out = append(out, s.text...)
			continue
		}
		places = append(places, len(out))
		var ok bool
		if out, ok = r.appendURL(out, &variables[s.variable-1], inQuery); !ok {
			return "", false
		}
		places = append(places, len(out))
	}
	text := string(out)
	return text, harmless(text, places)
}

// appendURL appends the value of a variable as a word of a URL.
func (r *reader) appendURL(dst []byte, v *variable, inQuery bool) ([]byte, bool) {
	b := r.raw(v)
	switch {
	case len(b) == 0:
		return appendEncoded(dst, []byte(v.fallback))
	case v.name == queryString, v.name == queryEncoded, v.name == requestQuery:
		return appendQuery(dst, b, inQuery && !v.keyed)
	case v.name == queryDecoded:
		return appendEncoded(dst, r.decoded(b))
	}
	return appendEncoded(dst, b)
}

// harmless reports whether values at those places of a reference are in its path or query,
// and none of them makes a segment that leads elsewhere.
func harmless(text string, places []int) bool {
	ref, ok := cutReference(text)
	if !ok {
		return false
	}
	for _, at := range places {
		if (ref.absolute || ref.scheme != "") && at <= ref.begins || dots(text, at) {
			return false
		}
	}
	return true
}

// dots reports whether the segment of the path around a place is "." or "..", however
// that is written.
func dots(text string, at int) bool {
	if strings.IndexByte(text[:at], '?') >= 0 {
		return false
	}
	from := strings.LastIndexAny(text[:at], "/;") + 1
	end := strings.IndexAny(text[at:], "/;?#")
	if end < 0 {
		end = len(text) - at
	}
	segment := string(appendDecoded(nil, []byte(text[from:at+end])))
	return segment == "." || segment == ".."
}
