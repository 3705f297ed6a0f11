package cache

import (
	"bytes"

	"weirkeep/gateway/wire"
)

// cutTag takes the first entity tag off the list that If-None-Match is. Unlike in other
// lists, a backslash is a character like any other. What has no quotes is taken up to
// the comma: there are origins that send such tags, and clients give them back.
func cutTag(list []byte) (tag, rest []byte) {
	list = bytes.TrimLeft(list, " \t,")
	opaque := bytes.TrimPrefix(list, []byte("W/"))
	end := len(list)
	if len(opaque) > 0 && opaque[0] == '"' {
		if i := bytes.IndexByte(opaque[1:], '"'); i >= 0 {
			end = len(list) - len(opaque) + i + 2
		}
	} else if i := bytes.IndexByte(list, ','); i >= 0 {
		end = i
	}
	return wire.TrimBlanks(list[:end]), list[end:]
}

// weakMatch compares two tags as RFC 9110, 8.8.3.2 says for If-None-Match.
func weakMatch(a, b []byte) bool {
	return bytes.Equal(bytes.TrimPrefix(a, []byte("W/")), bytes.TrimPrefix(b, []byte("W/")))
}

// isStrong reports whether a tag is a strong one: two answers that have it are equal
// byte for byte.
func isStrong(tag []byte) bool {
	n := len(tag)
	return n >= 2 && tag[0] == '"' && bytes.IndexByte(tag[1:], '"') == n-2
}

// strongMatch compares two tags as RFC 9110, 8.8.3.2 says for ranges.
func strongMatch(a, b []byte) bool { return isStrong(a) && bytes.Equal(a, b) }
