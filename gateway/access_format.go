package gateway

import (
	"net/netip"
	"strconv"
	"time"
	"unicode/utf8"
)

// An accessFormat appends a record as one line, with its end, to dst. What is
// between is printable, whatever bytes a client sent, and can be read back into
// the same bytes.
type accessFormat func(dst []byte, r *accessRecord) []byte

// accessFormats is every format there is, by its name in configuration.
var accessFormats = map[string]accessFormat{
	"json":     appendAccessJSON,
	"combined": appendAccessCombined,
}

const lowerHex = "0123456789abcdef"

// appendAccessJSON writes an object with the same keys for every record; where
// there is something to say also "cache_detail", with what the cache did in a letter and
// the times of the answer, of pages made of a template how many "fragments" they asked for, with
// how many failures the markup made good and how many nothing did, "cut", with the names of texts that were cut, and "cause", with
// what lies behind the reason. A text that a client sent is
// shown byte by byte: a character stands for the byte of its number, so 0xff is
// \u00ff, and a reader gets the bytes back by taking the text as ISO 8859-1.
// Names of the configuration are UTF-8.
func appendAccessJSON(dst []byte, r *accessRecord) []byte {
	dst = append(dst, `{"time":"`...)
	dst = r.time.UTC().AppendFormat(dst, "2006-01-02T15:04:05.000000Z07:00")
	dst = append(dst, '"')
	dst = appendJSONName(append(dst, `,"listener":`...), r.listener)
	dst = appendJSONDecision(dst, r)
	dst = appendJSONRequest(dst, r)
	dst = appendJSONAnswer(dst, r)
	dst = appendJSONClient(dst, r)
	if r.cacheDetail.letter != 0 {
		dst = append(r.cacheDetail.append(append(dst, `,"cache_detail":"`...)), '"')
	}
	if r.page.on {
		dst = r.page.append(dst)
	}
	if r.cut {
		dst = appendJSONCut(dst, r)
	}
	if in := r.text(accessInputs); len(in) > 0 && !r.texts[accessInputs].cut {
		dst = append(append(dst, `,"inputs":`...), in...)
	}
	if tags := r.text(accessTags); len(tags) > 0 && !r.texts[accessTags].cut {
		dst = append(append(dst, `,"tags":`...), tags...)
	}
	if cause := r.text(accessCause); len(cause) > 0 {
		dst = appendJSONText(append(dst, `,"cause":`...), cause)
	}
	return append(dst, '}', '\n')
}

func appendJSONDecision(dst []byte, r *accessRecord) []byte {
	dst = appendJSONName(append(dst, `,"site":`...), r.site)
	dst = appendJSONName(append(dst, `,"mapping":`...), r.mapping)
	dst = appendJSONName(append(dst, `,"cluster":`...), r.cluster)
	dst = appendJSONName(append(dst, `,"origin":`...), r.origin)
	dst = appendJSONName(append(dst, `,"session":`...), r.session)
	if r.bound != "" {
		dst = appendJSONName(append(dst, `,"bound":`...), r.bound)
	}
	if r.rule != "" {
		dst = appendJSONName(append(dst, `,"rule":`...), r.rule)
		dst = appendJSONName(append(dst, `,"action":`...), r.action)
	}
	return appendJSONInt(append(dst, `,"attempts":`...), int64(r.attempts))
}

func appendJSONRequest(dst []byte, r *accessRecord) []byte {
	dst = appendJSONText(append(dst, `,"method":`...), r.text(accessMethod))
	dst = appendJSONText(append(dst, `,"target":`...), r.text(accessTarget))
	dst = appendJSONText(append(dst, `,"host":`...), r.text(accessHost))
	dst = append(dst, `,"protocol":`...)
	if r.minor < 0 {
		return appendJSONText(dst, r.text(accessProtocol))
	}
	return append(appendProtocol(append(dst, '"'), r.minor), '"')
}

func appendJSONAnswer(dst []byte, r *accessRecord) []byte {
	dst = appendJSONInt(append(dst, `,"status":`...), int64(r.shownStatus()))
	dst = appendJSONName(append(dst, `,"reason":`...), r.reason)
	dst = appendJSONName(append(dst, `,"cache":`...), r.cache)
	if r.coding != "" {
		dst = appendJSONName(append(dst, `,"coding":`...), r.coding)
	}
	dst = appendMillis(append(dst, `,"duration_ms":`...), r.duration)
	dst = appendMillis(append(dst, `,"waited_ms":`...), r.waited)
	dst = append(dst, `,"first_byte_ms":`...)
	if r.firstByte == 0 {
		dst = append(dst, "null"...)
	} else {
		dst = appendMillis(dst, r.firstByte)
	}
	dst = appendJSONInt(append(dst, `,"bytes_in":`...), r.bytesIn)
	return appendJSONInt(append(dst, `,"bytes_out":`...), r.bytesOut)
}

func appendJSONClient(dst []byte, r *accessRecord) []byte {
	dst = appendAddr(append(dst, `,"client":"`...), r.client)
	dst = appendAddr(append(dst, `","peer":"`...), r.peer)
	dst = appendJSONText(append(dst, `","user_agent":`...), r.text(accessUserAgent))
	dst = appendJSONText(append(dst, `,"referer":`...), r.text(accessReferer))
	dst = appendJSONText(append(dst, `,"request_id":`...), r.text(accessRequestID))
	return strconv.AppendBool(append(dst, `,"tls":`...), r.tls)
}

// accessTextNames are the keys of texts.
var accessTextNames = [accessTexts]string{
	accessMethod:    "method",
	accessTarget:    "target",
	accessHost:      "host",
	accessUserAgent: "user_agent",
	accessReferer:   "referer",
	accessRequestID: "request_id",
	accessProtocol:  "protocol",
	accessInputs:    "inputs",
	accessTags:      "tags",
	accessCause:     "cause",
}

func appendJSONCut(dst []byte, r *accessRecord) []byte {
	dst = append(dst, `,"cut":`...)
	next := byte('[')
	for t, span := range r.texts {
		if span.cut {
			dst = appendJSONName(append(dst, next), accessTextNames[t])
			next = ','
		}
	}
	return append(dst, ']')
}

func appendJSONInt(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }

// appendJSONText quotes bytes from outside, each as one character.
func appendJSONText(dst, text []byte) []byte {
	dst = append(dst, '"')
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < ' ' || c > '~':
			dst = appendUnicodeEscape(dst, rune(c))
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

// appendJSONName quotes a name of the configuration. What no UTF-8 is becomes
// U+FFFD; what some readers take for the end of a line is escaped.
func appendJSONName(dst []byte, name string) []byte {
	dst = append(dst, '"')
	for _, c := range name {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', byte(c))
		case c < ' ' || c >= 0x7f && c < 0xa0 || c == '\u2028' || c == '\u2029':
			dst = appendUnicodeEscape(dst, c)
		default:
			dst = utf8.AppendRune(dst, c)
		}
	}
	return append(dst, '"')
}

// appendUnicodeEscape writes \uXXXX for a character below U+10000.
func appendUnicodeEscape(dst []byte, c rune) []byte {
	return append(dst, '\\', 'u', lowerHex[c>>12&15], lowerHex[c>>8&15], lowerHex[c>>4&15], lowerHex[c&15])
}

// appendMillis writes milliseconds to the microsecond.
func appendMillis(dst []byte, d time.Duration) []byte {
	return strconv.AppendFloat(dst, float64(d.Microseconds())/1000, 'f', 3, 64)
}

// appendAddr writes an address, and nothing for an invalid one.
func appendAddr(dst []byte, a netip.Addr) []byte {
	if !a.IsValid() {
		return dst
	}
	return a.Unmap().AppendTo(dst)
}

func appendProtocol(dst []byte, minor int) []byte {
	return strconv.AppendInt(append(dst, "HTTP/1."...), int64(minor), 10)
}

// appendAccessCombined writes Apache's combined format with its escapes: \" and
// \\, \b \n \r \t \v, and \xhh for every other byte that is not printable ASCII.
// Also a blank inside of method or target is \x20, so that the request line has
// its three parts. A text that was cut ends in \... and one that is empty is -,
// for which a text that is - itself is \x2d. The format is others': it has no
// place for reason and cause, which only json tells.
func appendAccessCombined(dst []byte, r *accessRecord) []byte {
	dst = appendCombinedAddr(dst, r.client)
	dst = r.time.AppendFormat(dst, " - - [02/Jan/2006:15:04:05 -0700] \"")
	dst = appendRequestLine(dst, r)
	dst = strconv.AppendInt(append(dst, `" `...), int64(r.shownStatus()), 10)
	dst = appendCombinedBytes(append(dst, ' '), r.bytesOut)
	dst = appendCombinedText(append(dst, ` "`...), r, accessReferer, false)
	dst = appendCombinedText(append(dst, `" "`...), r, accessUserAgent, false)
	return append(dst, '"', '\n')
}

func appendRequestLine(dst []byte, r *accessRecord) []byte {
	dst = appendCombinedText(dst, r, accessMethod, true)
	dst = appendCombinedText(append(dst, ' '), r, accessTarget, true)
	if r.minor < 0 {
		return appendCombinedText(append(dst, ' '), r, accessProtocol, true)
	}
	return appendProtocol(append(dst, ' '), r.minor)
}

func appendCombinedAddr(dst []byte, a netip.Addr) []byte {
	if !a.IsValid() {
		return append(dst, '-')
	}
	return appendAddr(dst, a)
}

func appendCombinedBytes(dst []byte, n int64) []byte {
	if n == 0 {
		return append(dst, '-')
	}
	return strconv.AppendInt(dst, n, 10)
}

// appendCombinedText writes a text without quotes. Blanks says to escape them.
func appendCombinedText(dst []byte, r *accessRecord, t accessText, blanks bool) []byte {
	text := r.text(t)
	switch string(text) {
	case "":
		return append(dst, '-')
	case "-":
		return append(dst, `\x2d`...)
	}
	for _, c := range text {
		if c == ' ' && blanks {
			dst = append(dst, `\x20`...)
		} else {
			dst = appendCombinedByte(dst, c)
		}
	}
	if r.texts[t].cut {
		dst = append(dst, `\...`...)
	}
	return dst
}

func appendCombinedByte(dst []byte, c byte) []byte {
	switch {
	case c == '"' || c == '\\':
		return append(dst, '\\', c)
	case c >= '\b' && c <= '\r' && c != '\f':
		return append(dst, '\\', "btnv.r"[c-'\b'])
	case c < ' ' || c > '~':
		return append(dst, '\\', 'x', lowerHex[c>>4], lowerHex[c&15])
	}
	return append(dst, c)
}
