package gateway

import (
	"bytes"
	"log/slog"
	"time"

	"weirkeep/gateway/wire"
)

// charsetOf is what Content-Type says of how text is encoded; nil: nothing.
func charsetOf(fields []wire.Field) []byte {
	for i := range fields {
		if f := &fields[i]; wire.EqualFold(f.Name, "content-type") {
			_, rest, _ := bytes.Cut(f.Value, semicolon)
			return charsetIn(rest)
		}
	}
	return nil
}

// charsetIn is the charset among the parameters of a media type.
func charsetIn(parameters []byte) []byte {
	for len(parameters) > 0 {
		var one []byte
		one, parameters, _ = bytes.Cut(parameters, semicolon)
		name, value, _ := bytes.Cut(one, equals)
		if wire.EqualFold(wire.TrimBlanks(name), "charset") {
			return wire.Unquote(wire.TrimBlanks(value))
		}
	}
	return nil
}

// tellCharset logs that a fragment which was asked for says another charset than the page: its bytes are
// put in as they are (D5). It is said of one a second: a site that does it does it in every page.
func (f *fragmentExchange) tellCharset(fields []wire.Field) {
	page, own := f.of.charset, charsetOf(fields)
	if page == nil || own == nil || bytes.EqualFold(page, own) {
		return
	}
	if now := time.Now().Unix(); f.of.page.site.esi.mixed.Swap(now) == now {
		return
	}
	f.of.g.log.Warn("a fragment says another charset than its page, and is put in as it is",
		slog.String("url", f.url.String()), slog.String("charset", string(own)), slog.String("page", string(page)))
}
