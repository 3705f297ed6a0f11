package conformance

// What the gateway says of its cache (RFC 9211).
var told = []row{
	{"17", "a hit", `
		O: Cache-Control: max-age=60
		C: -> miss
		T+7 C: -> hit / Cache-Status: gw; hit; ttl=53`},
	{"17", "nothing is stored of the target", `
		O: Cache-Control: max-age=60
		C: -> miss / Cache-Status: gw; fwd=uri-miss; fwd-status=200; ttl=60; stored`},
	{"17", "only other variants are", `
		O: Cache-Control: max-age=60 / Vary: Tier
		C: Tier: gold -> miss
		C: Tier: iron -> miss / Cache-Status: gw; fwd=vary-miss; fwd-status=200; ttl=60; stored`},
	{"17", "what is stored is stale, and has changed", `
		O: Cache-Control: max-age=2 / ETag: "v1"
		C: -> miss
		O: Cache-Control: max-age=60 / ETag: "v2"
		T+3 C: -> miss / Cache-Status: gw; fwd=stale; fwd-status=200; ttl=60; stored`},
	{"17", "what is stored is stale, and still holds", `
		O: Cache-Control: max-age=2 / ETag: "v1"
		C: -> miss
		O: 304 / Cache-Control: max-age=60
		T+3 C: -> revalidated 1 / Cache-Status ~ gw; fwd=stale; fwd-status=304; ttl=60`},
	{"17", "what is stored is stale, and nothing can be asked with", `
		O: Cache-Control: max-age=2
		C: -> miss
		T+3 C: -> miss / Cache-Status ~ gw; fwd=stale; fwd-status=200`},
	{"17", "another method", `
		O: 200
		C: POST body x -> miss / Cache-Status ~ gw; fwd=method; fwd-status=200
		C: OPTIONS -> miss / Cache-Status ~ gw; fwd=method; fwd-status=200`},
	{"17", "Authorization", `
		O: Cache-Control: max-age=60
		C: -> miss
		C: Authorization: q -> miss / Cache-Status ~ gw; fwd=request`},
	{"17", "a part is stored", `
		O: 206 / Content-Range: bytes 0-4/10 / ETag: "v1" / Cache-Control: max-age=60 / body abcde
		C: Range: bytes=0-4 -> miss / 206
		O: 206 / Content-Range: bytes 5-9/10 / ETag: "v1" / Cache-Control: max-age=60 / body fghij
		C: => GET -> 200 / Cache-Status ~ gw; fwd=partial; fwd-status=206`},
	{"17", "an answer that is not stored", `
		O: Cache-Control: no-store
		C: -> miss / Cache-Status ~ gw; fwd=uri-miss; fwd-status=200; detail= / Cache-Status !~ stored`},
	{"17", "a stale answer while it is asked for anew", `
		O: Cache-Control: max-age=1, stale-while-revalidate=30
		C: -> miss
		T+3 C: -> stale 1 / Cache-Status: gw; hit; ttl=-2
		=> GET`},
	{"17", "a stale answer because there is no other", `
		O: Cache-Control: max-age=2
		C: -> miss
		O: drop
		T+3 C: => GET -> stale 1 / Cache-Status ~ ttl=-1`},
	{"17", "caches before us come first", `
		O: Cache-Control: max-age=60 / Cache-Status: inner; hit; ttl=5
		C: -> miss / Cache-Status: inner; hit; ttl=5 / Cache-Status: gw; fwd=uri-miss; fwd-status=200; ttl=60; stored
		T+7 C: -> hit / Cache-Status: inner; hit; ttl=5 / Cache-Status: gw; hit; ttl=53`},
	{"17", "a 304 to a client", `
		O: Cache-Control: max-age=60 / ETag: "v1"
		C: -> miss
		C: If-None-Match: "v1" => nothing -> 304 / Cache-Status: gw; hit; ttl=60`},
	{"17", "a part of what is stored", `
		O: Cache-Control: max-age=60 / body abcdefghij
		C: -> miss
		C: Range: bytes=7- => nothing -> 206 / Cache-Status: gw; hit; ttl=60`},
	{"17", "a target whose answers are not stored", `
		O: Cache-Control: no-store
		C: -> miss
		C: -> miss / Cache-Status ~ gw; fwd= / Cache-Status !~ hit`},
}

// Clients that are listened to: client_directives: honour.
var honoured = []row{
	{"R1", "a no-store answer does not remove what is stored", `
		O: Cache-Control: max-age=60
		C: -> miss
		O: Cache-Control: no-store
		C: Cache-Control: no-cache -> miss
		C: -> hit 1`},
	{"R1", "nor does a private one", `
		O: Cache-Control: max-age=60
		C: -> miss
		O: Cache-Control: private, max-age=60
		C: Cache-Control: no-cache -> miss
		C: -> hit 1`},
	{"R1", "nor does an error", `
		O: Cache-Control: max-age=60
		C: -> miss
		O: 500
		C: Cache-Control: no-cache -> miss / 500
		C: -> hit 1`},
	{"17", "the client wants no stored answer", `
		O: Cache-Control: max-age=60
		C: -> miss
		C: Cache-Control: no-cache -> miss / Cache-Status ~ gw; fwd=request; fwd-status=200`},
	{"17", "the client wants a younger answer", `
		O: Cache-Control: max-age=60 / ETag: "v1"
		C: -> miss
		O: 304
		T+7 C: Cache-Control: max-age=5 -> revalidated 1 / Cache-Status ~ gw; fwd=request; fwd-status=304`},
}

// A site may keep it to itself: status_header: false.
var untold = []row{
	{"17", "nothing is said", `
		O: Cache-Control: max-age=60
		C: -> miss / no Cache-Status
		C: -> hit / no Cache-Status / Age: 0`},
	{"17", "what others say is passed on", `
		O: Cache-Control: max-age=60 / Cache-Status: inner; hit
		C: -> miss / Cache-Status: inner; hit
		C: -> hit / Cache-Status: inner; hit`},
}

// Errors that say nothing of freshness: ttl: { default: 0s, "404": 10s, "503": 5s }.
var negative = []row{
	{"17", "an error is fresh for as long as is configured", `
		O: 404
		C: -> miss / 404
		T+9 C: -> hit / 404
		T+11 C: -> miss / 404`},
	{"17", "each status for its own time", `
		O: 503
		C: -> miss / 503
		T+4 C: -> hit / 503
		T+6 C: -> miss / 503`},
	{"17", "others are not", `
		O: 410
		C: -> miss / 410
		C: -> miss / 410`},
	{"17", "no-store forbids it", `
		O: 404 / Cache-Control: no-store
		C: -> miss / 404
		C: -> miss / 404`},
	{"17", "private forbids it", `
		O: 404 / Cache-Control: private
		C: -> miss / 404
		C: -> miss / 404`},
	{"17", "no-cache forbids it", `
		O: 404 / Cache-Control: no-cache
		C: -> miss / 404
		C: -> miss / 404`},
	{"17", "a shorter time of its own counts", `
		O: 404 / Cache-Control: max-age=2
		C: -> miss / 404
		T+3 C: -> miss / 404`},
	{"17", "a longer time of its own counts", `
		O: 404 / Cache-Control: max-age=60
		C: -> miss / 404
		T+11 C: -> hit / 404`},
	{"17", "an Expires that has passed counts", `
		O: 404 / Expires: D(-60)
		C: -> miss / 404
		C: -> miss / 404`},
	{"17", "a 200 has no such time", `
		O: 200
		C: -> miss
		C: -> miss`},
}

// Answers beyond max_object, which is 1 KiB, are passed on.
var large = []row{
	{"17", "a length that is too long", `
		O: Cache-Control: max-age=60 / body ` + kilobytes(2) + `
		C: -> miss
		C: -> miss`},
	{"17", "a body that turns out too long", `
		O: Cache-Control: max-age=60 / no Content-Length / body ` + kilobytes(70) + `
		C: -> miss
		C: -> miss`},
	{"17", "a body in chunks that turns out too long", `
		O: Cache-Control: max-age=60 / Transfer-Encoding: chunked / body "11800\r\n` + kilobytes(70) + `\r\n0\r\n\r\n"
		C: => GET -> 200 / body ` + kilobytes(70) + `
		C: => GET -> 200 / body ` + kilobytes(70)},
	{"17", "a body that fits", `
		O: Cache-Control: max-age=60 / body ` + kilobytes(1)[:900] + `
		C: -> miss
		C: -> hit`},
}

// kilobytes is a body of so many.
func kilobytes(n int) string {
	b := make([]byte, n<<10)
	for i := range b {
		b[i] = 'a' + byte(i%26)
	}
	return string(b)
}
