package conformance

import "fmt"

// The fields that are stored and replayed (RFC 9111 3.1), and bodies that are framed
// badly (RFC 9112 6.3).
var fields = append([]row{
	{"K1", "lines stay apart, in their order", `
		O: Cache-Control: max-age=60 / X-A: 2 / X-B: x / X-A: 1 / X-A: 1, 3
		C: -> miss / X-A: 2 / X-A: 1 / X-A: 1, 3 / X-B: x
		C: -> hit / X-A: 2 / X-A: 1 / X-A: 1, 3 / X-B: x`},
	{"K1", "an empty value", `
		O: Cache-Control: max-age=60 / X-A:
		C: -> miss / X-A:
		C: -> hit / X-A:`},
	{"K1", "bytes beyond ASCII", `
		O: Cache-Control: max-age=60 / X-A: höhö
		C: -> miss / X-A: höhö
		C: -> hit / X-A: höhö`},
	{"K1", "WWW-Authenticate lines", `
		O: 401 / Cache-Control: max-age=60 / WWW-Authenticate: Basic realm="a, b" / WWW-Authenticate: Digest qop="auth"
		C: -> miss / 401
		C: -> hit / 401 / WWW-Authenticate: Basic realm="a, b" / WWW-Authenticate: Digest qop="auth"`},
	{"K2", "fields that Connection names", `
		O: Connection: p, q / p: 1 / q: 2 / r: 3 / Cache-Control: max-age=60
		C: -> miss / no p / no q / r: 3
		C: -> hit / no p / no q / r: 3`},
	{"K2", "fields that two lines of Connection name", `
		O: Connection: p / Connection: close, q / p: 1 / q: 2 / r: 3 / Cache-Control: max-age=60
		C: -> miss / no p / no q / r: 3
		C: -> hit / no p / no q / r: 3`},
	{"K2", "names in Connection have no case", `
		O: Connection: X-Hop / x-hop: 1 / Cache-Control: max-age=60
		C: -> miss / no X-Hop
		C: -> hit / no X-Hop`},
	{"K3", "an unknown Transfer-Encoding is read to the end", `
		O: Cache-Control: max-age=60 / Transfer-Encoding: zork / body abcdefghij
		C: => GET -> 200 / body abcdefghij
		C: => nothing -> 200 / body abcdefghij / no Transfer-Encoding`},
	{"K3", "its bytes are passed on while they come", `
		O: Cache-Control: max-age=60 / Transfer-Encoding: zork / body abc / hold / body def
		C1: => GET
		C1 -> body abc / so far
		go
		C1 -> body abcdef`},
	{"K4", "more than Content-Length says", `
		O: Cache-Control: max-age=60 / Content-Length: 4 / body abcdefgh
		C: => GET -> 200 / body abcd / Content-Length: 4
		C: => nothing -> 200 / body abcd`},
	{"K4", "less than Content-Length says", `
		O: Cache-Control: max-age=60 / Content-Length: 10 / body abcd
		C: => GET -> cut
		C: => GET -> cut`},
	{"K4", "a length and chunks, which end elsewhere", `
		O: Cache-Control: max-age=60 / Content-Length: 5 / Transfer-Encoding: chunked / body "3\r\nabc\r\n0\r\n\r\n"
		C: => GET -> 200 / body abc / no Content-Length
		C: => GET -> 200 / body abc`},
	{"K4", "chunks and a length, which agree", `
		O: Cache-Control: max-age=60 / Transfer-Encoding: chunked / Content-Length: 3 / body "3\r\nabc\r\n0\r\n\r\n"
		C: => GET -> 200 / body abc / no Content-Length / Cache-Status ~ framing
		C: => GET -> 200 / body abc`},
	{"K4", "no body, and Content-Length 0", `
		O: Cache-Control: max-age=60 / body ""
		C: -> miss / Content-Length: 0 / body ""
		C: -> hit / Content-Length: 0 / body ""`},
	{"K4", "chunks", `
		O: Cache-Control: max-age=60 / Transfer-Encoding: chunked / body "4\r\nabcd\r\n6;x=y\r\nefghij\r\n0\r\nX-Trailer: 1\r\n\r\n"
		C: => GET -> 200 / body abcdefghij
		C: => nothing -> 200 / body abcdefghij`},
}, eachField()...)

// eachField are rows of fields that are replayed, and of those that are not.
func eachField() (rows []row) {
	for name, value := range map[string]string{
		"Test-Header": "a", "X-Test-Header": "a", "Content-Foo": "a", "X-Content-Foo": "a", "Content-Disposition": "inline",
		"Content-Encoding": "gzip", "Content-Language": "de", "Content-Location": "/x", "Content-MD5": "rL0Y20zC+Fzt72VPzMSk2A==",
		"Content-Security-Policy": "default-src 'self'", "Content-Type": "text/plain;charset=utf-8", "Clear-Site-Data": `"cookies"`,
		"ETag": `"v1"`, "Last-Modified": "D(-50)", "Expires": "D(+60)", "Link": "</a>; rel=next", "Public-Key-Pins": "x",
		"Set-Cookie": "a=b", "Set-Cookie2": "a=b", "Strict-Transport-Security": "max-age=1", "X-Frame-Options": "deny",
		"X-XSS-Protection": "1", "Server": "x", "Allow": "GET", "Retry-After": "5", "Accept-Ranges": "bytes", "Warning": `110 - "x"`,
		"Surrogate-Key": "a b", "Cache-Tag": "a,b", "Alt-Svc": "clear", "Age-X": "5", "Digest": "x=y", "Location": "/x",
		"Refresh": "5", "Via-X": "1", "X-Cache": "MISS", "Access-Control-Allow-Origin": "*", "Timing-Allow-Origin": "*", "Trailer-X": "a",
	} {
		rows = append(rows, row{"K1", name, fmt.Sprintf(`
			O: Cache-Control: max-age=60 / %s: %s
			C: -> miss / %[1]s: %[2]s
			T+3 C: -> hit / %[1]s: %[2]s`, name, value)})
	}
	for name, value := range map[string]string{
		"Keep-Alive": "timeout=5", "Proxy-Connection": "keep-alive", "TE": "trailers", "Upgrade": "x/1",
		"Proxy-Authenticate": "Basic", "Proxy-Authentication-Info": "x=y", "Proxy-Authorization": "x",
	} {
		rows = append(rows, row{"K2", name, fmt.Sprintf(`
			O: Cache-Control: max-age=60 / %s: %s / X-Test: yes
			C: -> miss / no %[1]s / X-Test: yes
			C: -> hit / no %[1]s / X-Test: yes`, name, value)})
	}
	return rows
}
