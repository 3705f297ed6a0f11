package conformance

// Many requests for the same, one fetch (RFC 9111 4).
var collapsing = []row{
	{"17", "all who wait share one answer", `
		O: hold / Cache-Control: max-age=60
		C1: => GET
		C2:
		C3:
		waiting 2
		go
		C1 -> miss 1 / Cache-Status !~ collapsed
		C2 -> hit 1 / Cache-Status ~ collapsed
		C3 -> hit 1 / Cache-Status ~ collapsed
		C: -> hit 1`},
	{"17", "also one that is stale at once", `
		O: hold / Cache-Control: max-age=0 / ETag: "v1"
		C1: => GET
		C2:
		C3:
		waiting 2
		go
		C1 -> miss 1
		C2 -> hit 1
		C3 -> hit 1`},
	{"17", "an error that may be stored", `
		O: hold / 404 / Cache-Control: max-age=60
		C1: => GET
		C2:
		waiting 1
		go
		C1 -> miss 1 / 404
		C2 -> hit 1 / 404`},
	{"17", "an answer that is not stored frees all", `
		O: hold / Cache-Control: no-store / then / Cache-Control: no-store
		C1: => GET
		C2:
		C3:
		waiting 2
		go => 2
		C2 -> 200
		C3 -> 200
		C1 -> 200 / body answer 1`},
	{"17", "and is remembered", `
		O: Cache-Control: private
		C: -> miss
		O: hold / Cache-Control: private
		C1: => GET
		C2: => GET
		C3: => GET
		go
		C1 -> 200
		C2 -> 200
		C3 -> 200`},
	{"17", "until one is stored again", `
		O: Cache-Control: private
		C: -> miss
		O: Cache-Control: max-age=60
		C: -> miss
		C: -> hit 2`},
	{"17", "an answer of another variant is not shared", `
		O: hold / Cache-Control: max-age=60 / Vary: Tier / then / Cache-Control: max-age=60 / Vary: Tier
		C1: Tier: gold => Tier: gold
		C2: Tier: iron
		C3: Tier: gold
		waiting 2
		go => Tier: iron
		C1 -> 200 / body answer 1
		C2 -> 200 / body answer 2
		C3 -> 200 / body answer 1`},
	{"17", "variants that are known are fetched apart", `
		O: Cache-Control: max-age=2 / Vary: Tier
		C: Tier: gold -> miss
		O: hold / Cache-Control: max-age=60 / Vary: Tier
		T+3 C1: Tier: gold => Tier: gold
		C2: Tier: iron => Tier: iron
		go
		C1 -> 200 / body answer 2
		C2 -> 200 / body answer 3`},
	{"17", "other targets do not wait", `
		O: hold / Cache-Control: max-age=60
		C1: => GET
		C2: @?a => GET
		go
		C1 -> 200 / body answer 1
		C2 -> 200 / body answer 2`},
	{"17", "nobody waits for an upload", `
		O: hold / Cache-Control: max-age=60
		C1: POST body x => POST
		C2: => GET
		go
		C1 -> 200
		C2 -> 200`},
	{"17", "nobody waits for one with Authorization", `
		O: hold / Cache-Control: max-age=60
		C1: Authorization: q => GET
		C2: => GET
		go
		C1 -> 200
		C2 -> 200 / body answer 2`},
	{"17", "one with Authorization waits for nobody", `
		O: hold / Cache-Control: max-age=60
		C1: => GET
		C2: Authorization: q => Authorization: q
		go
		C1 -> 200
		C2 -> 200 / body answer 2`},
	{"17", "who began it may go", `
		O: hold / Cache-Control: max-age=60
		C1: => GET
		C2:
		waiting 1
		gone C1
		go
		C2 -> hit 1`},
	{"17", "one who waits may go", `
		O: hold / Cache-Control: max-age=60
		C1: => GET
		C2:
		C3:
		waiting 2
		gone C2
		waiting 1
		go
		C1 -> miss 1
		C3 -> hit 1`},
	{"17", "a fetch that fails is an answer to nobody", `
		O: hold / drop / then / Cache-Control: max-age=60
		C1: => GET
		C2:
		waiting 1
		go => GET
		C1 -> 502
		C2 -> 200 / body answer 2`},
	{"17", "what is stored is asked about once", `
		O: Cache-Control: max-age=2 / ETag: "v1"
		C: -> miss
		O: hold / 304 / Cache-Control: max-age=60
		T+3 C1: => If-None-Match: "v1"
		C2:
		C3:
		waiting 2
		go
		C1 -> 200 / body answer 1
		C2 -> hit 1
		C3 -> hit 1`},
	{"17", "one with a condition shares the answer", `
		O: hold / Cache-Control: max-age=60 / ETag: "v1"
		C1: => GET
		C2: If-None-Match: "v1"
		waiting 1
		go
		C1 -> miss 1
		C2 -> 304 / ETag: "v1"`},
	{"17", "bytes are passed on to all while they come", `
		O: Cache-Control: max-age=60 / body abc / hold / body def
		C1: => GET
		C1 -> body abc / so far
		C2:
		C2 -> body abc / so far
		go
		C1 => nothing -> body abcdef
		C2 -> hit / body abcdef`},
	{"17", "in chunks, too", `
		O: Cache-Control: max-age=60 / Transfer-Encoding: chunked / body "3\r\nabc\r\n" / hold / body "3\r\ndef\r\n0\r\n\r\n"
		C1: => GET
		C1 -> body abc / so far
		C2:
		C2 -> body abc / so far
		go
		C1 => nothing -> body abcdef
		C2 -> body abcdef`},
	{"17", "one that is cut is cut for all", `
		O: Cache-Control: max-age=60 / Content-Length: 10 / body abc / hold / body def
		C1: => GET
		C1 -> body abc / so far
		C2:
		C2 -> body abc / so far
		go
		C1 -> cut
		C2 -> cut`},
	{"17", "the first client going does not end what is being stored", `
		O: Cache-Control: max-age=60 / body abc / hold / body def
		C1: => GET
		C1 -> body abc / so far
		gone C1
		go
		until C: -> hit / body abcdef`},
	{"17", "a range of what is on its way", `
		O: Cache-Control: max-age=60 / body abcdef / hold / body ghij
		C1: => GET
		C1 -> body abcdef / so far
		C2: Range: bytes=1-3 => nothing -> 206 / body bcd
		go
		C1 -> body abcdefghij`},
}
