package cache

import "weirkeep/gateway/wire"

// name is a field that this package looks at.
type name uint8

const (
	otherName name = iota
	nameAcceptRanges
	nameAge
	nameAuthorization
	nameCacheControl
	nameCacheGroupInvalidation
	nameCacheGroups
	nameContentEncoding
	nameContentLanguage
	nameContentLength
	nameContentLocation
	nameContentRange
	nameContentType
	nameDate
	nameETag
	nameExpires
	nameIfMatch
	nameIfModifiedSince
	nameIfNoneMatch
	nameIfRange
	nameIfUnmodifiedSince
	nameLastModified
	nameLocation
	nameMethodOverride
	namePragma
	nameRange
	nameSetCookie
	nameSurrogateControl
	nameTransferEncoding
	nameVary
)

// named is a field and its name in lower case.
type named struct {
	text string
	name name
}

// names is every field that is looked at, by the length of its name.
var names = byLength(
	named{"accept-ranges", nameAcceptRanges},
	named{"age", nameAge},
	named{"authorization", nameAuthorization},
	named{"cache-control", nameCacheControl},
	named{"cache-group-invalidation", nameCacheGroupInvalidation},
	named{"cache-groups", nameCacheGroups},
	named{"content-encoding", nameContentEncoding},
	named{"content-language", nameContentLanguage},
	named{"content-length", nameContentLength},
	named{"content-location", nameContentLocation},
	named{"content-range", nameContentRange},
	named{"content-type", nameContentType},
	named{"date", nameDate},
	named{"etag", nameETag},
	named{"expires", nameExpires},
	named{"if-match", nameIfMatch},
	named{"if-modified-since", nameIfModifiedSince},
	named{"if-none-match", nameIfNoneMatch},
	named{"if-range", nameIfRange},
	named{"if-unmodified-since", nameIfUnmodifiedSince},
	named{"last-modified", nameLastModified},
	named{"location", nameLocation},
	named{"pragma", namePragma},
	named{"range", nameRange},
	named{"set-cookie", nameSetCookie},
	named{"surrogate-control", nameSurrogateControl},
	named{"transfer-encoding", nameTransferEncoding},
	named{"vary", nameVary},
	named{"x-http-method", nameMethodOverride},
	named{"x-http-method-override", nameMethodOverride},
	named{"x-method-override", nameMethodOverride},
)

func byLength(list ...named) (t [25][]named) {
	for _, k := range list {
		t[len(k.text)] = append(t[len(k.text)], k)
	}
	return t
}

// nameOf returns which field a name is of.
func nameOf(b []byte) name {
	if len(b) >= len(names) {
		return otherName
	}
	for _, k := range names[len(b)] {
		if wire.EqualFold(b, k.text) {
			return k.name
		}
	}
	return otherName
}

// valueOf returns the value of the first field of that name, nil if there is none.
func valueOf(fields []wire.Field, want string) []byte {
	for i := range fields {
		if wire.EqualFold(fields[i].Name, want) {
			return fields[i].Value
		}
	}
	return nil
}
