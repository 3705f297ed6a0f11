package esi

import "bytes"

// appendHTML appends a value so that it is text in HTML, also within an attribute.
func appendHTML(dst, value []byte) []byte {
	for len(value) > 0 {
		i := bytes.IndexAny(value, `<>&"'`)
		if i < 0 {
			return append(dst, value...)
		}
		dst = append(append(dst, value[:i]...), htmlEscape(value[i])...)
		value = value[i+1:]
	}
	return dst
}

func htmlEscape(c byte) string {
	switch c {
	case '<':
		return "&lt;"
	case '>':
		return "&gt;"
	case '&':
		return "&amp;"
	case '"':
		return "&quot;"
	}
	return "&#39;"
}

const hexDigits = "0123456789ABCDEF"

func appendEscape(dst []byte, c byte) []byte {
	return append(dst, '%', hexDigits[c>>4], hexDigits[c&15])
}

// isUnreserved reports whether a byte means nothing in a URL but itself (RFC 3986, 2.3).
func isUnreserved(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '-' || c == '.' || c == '_' || c == '~'
}

// appendEncoded appends a value so that it is one word in a URL. It is not ok if the value
// has a byte that no URL may stand for.
func appendEncoded(dst, value []byte) (_ []byte, ok bool) {
	for _, c := range value {
		switch {
		case isUnreserved(c):
			dst = append(dst, c)
		case forbidden(c):
			return dst, false
		default:
			dst = appendEscape(dst, c)
		}
	}
	return dst, true
}

// appendQuery is appendEncoded for a value that comes from a query and is encoded already
// (V3). Of a whole query, what joins its parameters stays.
func appendQuery(dst, value []byte, whole bool) (_ []byte, ok bool) {
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case isUnreserved(c), whole && isQueryByte(c):
			dst = append(dst, c)
		case c == '+':
			dst = append(dst, "%20"...)
		case c == '%':
			decoded, escaped := unescape(value[i:])
			if escaped && forbidden(decoded) {
				return dst, false
			}
			if !escaped {
				dst = append(dst, "%25"...)
				continue
			}
			dst = append(dst, value[i:i+3]...)
			i += 2
		case forbidden(c):
			return dst, false
		default:
			dst = appendEscape(dst, c)
		}
	}
	return dst, true
}

// isQueryByte reports whether a byte joins what a query is made of.
func isQueryByte(c byte) bool {
	return c == '&' || c == '=' || c == '+' || c == ';' || c == ',' || c == ':'
}

// forbidden reports whether a byte may be in no URL, however it is written.
func forbidden(c byte) bool { return c == 0 || c == '\r' || c == '\n' }

// unescape returns the byte that b begins with as %XX.
func unescape(b []byte) (c byte, ok bool) {
	if len(b) < 3 || b[0] != '%' {
		return 0, false
	}
	hi, lo := hexValue(b[1]), hexValue(b[2])
	return byte(hi<<4 | lo), hi >= 0 && lo >= 0
}

func hexValue(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// appendDecoded appends what a part of a query means. What is no escape stays as it is.
func appendDecoded(dst, b []byte) []byte {
	for i := 0; i < len(b); i++ {
		c, ok := unescape(b[i:])
		switch {
		case ok:
			dst = append(dst, c)
			i += 2
		case b[i] == '+':
			dst = append(dst, ' ')
		default:
			dst = append(dst, b[i])
		}
	}
	return dst
}
