package session

import "bytes"

// weblogic is the format id!primary!secondary (M-PERS-03). Nothing in it has a
// length that could be relied on: the first part is as long as the server was
// told to make it (M-PERS-04), the others are numbers with or without a sign
// . The secondary is not there when there is no replica (M-PERS-06), or is
// NONE while there is none yet (M-PERS-07). What follows is of no matter here:
// some servers add a time. In a URL, and by some clients in a cookie too, the
// exclamation mark is written %21.
type weblogic struct{}

func (weblogic) parts(id []byte) (primary, secondary []byte) {
	_, rest := cutBang(id)
	primary, rest = cutBang(rest)
	secondary, _ = cutBang(rest)
	return server(primary), server(secondary)
}

// server is what a part names, or nil.
func server(part []byte) []byte {
	if string(part) == "NONE" {
		return nil
	}
	return some(part)
}

// cutBang cuts at the first exclamation mark, in either spelling.
func cutBang(b []byte) (before, after []byte) {
	for i, c := range b {
		switch {
		case c == '!':
			return b[:i], b[i+1:]
		case c == '%' && bytes.HasPrefix(b[i:], escapedBang):
			return b[:i], b[i+len(escapedBang):]
		}
	}
	return b, nil
}

var escapedBang = []byte("%21")
