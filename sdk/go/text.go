package gw1

// EqualFold reports whether bytes and a name are equal but for the case of
// ASCII letters, as names of header fields are compared.
func EqualFold(b []byte, name string) bool {
	if len(b) != len(name) {
		return false
	}
	for i := range b {
		if lower(b[i]) != lower(name[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if c-'A' < 26 {
		c |= 0x20
	}
	return c
}

// QueryValue returns the value of the first parameter of a name in a query, as
// it stands there; see AppendDecoded. A parameter without "=" has an empty
// value. The name is compared as it stands, too.
func QueryValue(query []byte, name string) (value []byte, found bool) {
	for len(query) > 0 {
		var param []byte
		param, query = cut(query, '&')
		if n, value := cut(param, '='); string(n) == name {
			return value, true
		}
	}
	return nil, false
}

// cut returns what is before and what is behind the first c.
func cut(b []byte, c byte) (before, behind []byte) {
	for i := range b {
		if b[i] == c {
			return b[:i], b[i+1:]
		}
	}
	return b, nil
}

// AppendDecoded appends a value of a query with "+" and "%XX" decoded. It is
// not ok if a "%" is not followed by two hexadecimal digits.
func AppendDecoded(dst, value []byte) (decoded []byte, ok bool) {
	for i := 0; i < len(value); i++ {
		c := value[i]
		switch c {
		case '+':
			c = ' '
		case '%':
			if i+2 >= len(value) || hex(value[i+1])|hex(value[i+2]) > 15 {
				return dst, false
			}
			c = hex(value[i+1])<<4 | hex(value[i+2])
			i += 2
		}
		dst = append(dst, c)
	}
	return dst, true
}

// hex returns the value of a hexadecimal digit, 255 of any other byte.
func hex(c byte) byte {
	switch l := lower(c); {
	case c-'0' < 10:
		return c - '0'
	case l-'a' < 6:
		return l - 'a' + 10
	}
	return 255
}
