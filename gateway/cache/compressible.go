package cache

import "weirkeep/gateway/wire"

// compressible are the media types that get smaller, beside those of text, and those that say
// by their ending that they are text: in lower case.
var compressible = map[string]bool{
	"application/dns-json":              true,
	"application/ecmascript":            true,
	"application/geojson":               true,
	"application/graphql":               true,
	"application/javascript":            true,
	"application/json":                  true,
	"application/jsonl":                 true,
	"application/json5":                 true,
	"application/ndjson":                true,
	"application/rtf":                   true,
	"application/sql":                   true,
	"application/toml":                  true,
	"application/vnd.apple.mpegurl":     true,
	"application/vnd.ms-fontobject":     true,
	"application/wasm":                  true,
	"application/x-font-opentype":       true,
	"application/x-font-truetype":       true,
	"application/x-font-ttf":            true,
	"application/x-javascript":          true,
	"application/x-mpegurl":             true,
	"application/x-ndjson":              true,
	"application/x-sh":                  true,
	"application/x-www-form-urlencoded": true,
	"application/x-yaml":                true,
	"application/xml":                   true,
	"application/xml-dtd":               true,
	"application/yaml":                  true,
	"font/collection":                   true,
	"font/otf":                          true,
	"font/sfnt":                         true,
	"font/ttf":                          true,
	"image/bmp":                         true,
	"image/vnd.microsoft.icon":          true,
	"image/x-icon":                      true,
}

// textual are the endings of media types that are text (RFC 6838, 4.2.8).
var textual = [...]string{"+json", "+json-seq", "+text", "+wasm", "+xml", "+yaml"}

// longestType is how long a media type may be to be looked at, in bytes.
const longestType = 128

// compresses reports whether a body of that Content-Type gets smaller. A stream of events
// does not: it has no end, and what is behind is no use to anybody.
func compresses(contentType []byte) bool {
	mediaType, _, _ := cutByte(contentType, ';')
	var room [longestType]byte
	if mediaType = wire.TrimBlanks(mediaType); len(mediaType) > len(room) {
		return false
	}
	lowered := appendLower(room[:0], mediaType)
	if kind, _, ok := cutByte(lowered, '/'); ok && string(kind) == "text" {
		return string(lowered) != "text/event-stream"
	}
	for _, end := range textual {
		if n := len(lowered) - len(end); n > 0 && string(lowered[n:]) == end {
			return true
		}
	}
	return compressible[string(lowered)]
}
