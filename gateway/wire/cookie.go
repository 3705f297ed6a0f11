package wire

import "bytes"

// Cookie is the first value of a cookie over all Cookie fields of a request,
// without blanks and quotes around it. A semicolon ends a pair even between
// quotes: no client means anything else by it. It is a view, and allocates nothing.
func Cookie(fields []Field, name string) (value []byte, found bool) {
	for i := range fields {
		if !EqualFold(fields[i].Name, "cookie") {
			continue
		}
		for rest := fields[i].Value; len(rest) > 0; {
			var pair []byte
			pair, rest, _ = bytes.Cut(rest, []byte(";"))
			key, value, ok := bytes.Cut(pair, []byte("="))
			if ok && string(TrimBlanks(key)) == name {
				return Unquote(TrimBlanks(value)), true
			}
		}
	}
	return nil, false
}

// TrimBlanks returns b without spaces and tabs at its ends.
func TrimBlanks(b []byte) []byte {
	for len(b) > 0 && isBlank(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && isBlank(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// Unquote returns v without the double quotes around it.
func Unquote(v []byte) []byte {
	if n := len(v); n >= 2 && v[0] == '"' && v[n-1] == '"' {
		return v[1 : n-1]
	}
	return v
}
