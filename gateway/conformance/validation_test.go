package conformance

// How clients' conditions are answered, and how the origin is asked whether what is
// stored still holds (RFC 9111 4.3; RFC 9110 13).
var validation = []row{
	{"C1", "the tag that is stored", `
		O: Cache-Control: max-age=60 / ETag: "v1"
		C: -> miss
		C: If-None-Match: "v1" => nothing -> 304 / ETag: "v1" / body ""`},
	{"C1", "another tag", `
		O: Cache-Control: max-age=60 / ETag: "v1"
		C: -> miss
		C: If-None-Match: "v2" -> hit / 200`},
	{"C1", "a weak tag, where a strong one is stored", `
		O: Cache-Control: max-age=60 / ETag: "v1"
		C: -> miss
		C: If-None-Match: W/"v1" => nothing -> 304 / ETag: "v1"`},
	{"C1", "a strong tag, where a weak one is stored", `
		O: Cache-Control: max-age=60 / ETag: W/"v1"
		C: -> miss
		C: If-None-Match: "v1" => nothing -> 304 / ETag: W/"v1"`},
	{"C1", "two weak tags", `
		O: Cache-Control: max-age=60 / ETag: W/"v1"
		C: -> miss
		C: If-None-Match: W/"v1" => nothing -> 304`},
	{"C1", "*", `
		O: Cache-Control: max-age=60 / ETag: "v1"
		C: -> miss
		C: If-None-Match: * => nothing -> 304`},
	{"C1", "* where there is no tag", `
		O: Cache-Control: max-age=60
		C: -> miss
		C: If-None-Match: * => nothing -> 304`},
	{"C1", "first of a list", `
		O: Cache-Control: max-age=60 / ETag: "v1"
		C: -> miss
		C: If-None-Match: "v1", "b" => nothing -> 304`},
	{"C1", "last of a list", `
		O: Cache-Control: max-age=60 / ETag: "v1"
		C: -> miss
		C: If-None-Match: "a", "v1" => nothing -> 304`},
	{"C1", "in the middle of a list without blanks", `
		O: Cache-Control: max-age=60 / ETag: "v1"
		C: -> miss
		C: If-None-Match: "a",W/"v1","b" => nothing -> 304`},
	{"C1", "on the second of two lines", `
		O: Cache-Control: max-age=60 / ETag: "v1"
		C: -> miss
		C: If-None-Match: "a" / If-None-Match: "v1" => nothing -> 304`},
	{"C1", "a list without it", `
		O: Cache-Control: max-age=60 / ETag: "v1"
		C: -> miss
		C: If-None-Match: "a", "b" -> hit / 200`},
	{"C1", "a comma within the tag", `
		O: Cache-Control: max-age=60 / ETag: "v,1"
		C: -> miss
		C: If-None-Match: "a", "v,1" => nothing -> 304
		C: If-None-Match: "v", "1" -> hit / 200`},
	{"C1", "an empty tag", `
		O: Cache-Control: max-age=60 / ETag: ""
		C: -> miss
		C: If-None-Match: "" => nothing -> 304`},
	{"C1", "tags have case", `
		O: Cache-Control: max-age=60 / ETag: "v1"
		C: -> miss
		C: If-None-Match: "V1" -> hit / 200`},
	{"C1", "part of the tag", `
		O: Cache-Control: max-age=60 / ETag: "v1"
		C: -> miss
		C: If-None-Match: "v" -> hit / 200`},
	{"C1", "a tag where none is stored", `
		O: Cache-Control: max-age=60
		C: -> miss
		C: If-None-Match: "v1" -> hit / 200`},
	{"C1", "what a 304 says", `
		O: Cache-Control: max-age=60 / ETag: "v1" / Content-Location: @/en / Expires: D(+60) / Vary: Tier / Date: D(-1)
		C: -> miss
		T+2 C: If-None-Match: "v1" => nothing -> 304 / ETag: "v1" / Cache-Control: max-age=60 / Content-Location: @/en / Expires: D(+60) / Vary: Tier / Date: D(-1) / Age: 3`},
	{"C1", "to HEAD as well", `
		O: Cache-Control: max-age=60 / ETag: "v1"
		C: -> miss
		C: HEAD If-None-Match: "v1" => nothing -> 304 / ETag: "v1"`},
	{"C1", "the variant that fits is the one that is compared", `
		O: Cache-Control: max-age=60 / ETag: "gold" / Vary: Tier
		C: Tier: gold -> miss
		O: Cache-Control: max-age=60 / ETag: "iron" / Vary: Tier
		C: Tier: iron -> miss
		C: Tier: gold / If-None-Match: "iron" -> hit 1
		C: Tier: iron / If-None-Match: "iron" => nothing -> 304`},
	{"C1", "a stored error is no answer to compare with", `
		O: 404 / Cache-Control: max-age=60 / ETag: "v1"
		C: -> miss / 404
		C: If-None-Match: "v1" -> hit / 404`},
	{"C2", "If-None-Match holds, If-Modified-Since does not", `
		O: Cache-Control: max-age=60 / ETag: "v1" / Last-Modified: D(-50)
		C: -> miss
		C: If-None-Match: "v1" / If-Modified-Since: D(-90) => nothing -> 304`},
	{"C2", "If-Modified-Since before it", `
		O: Cache-Control: max-age=60 / ETag: "v1" / Last-Modified: D(-50)
		C: -> miss
		C: If-Modified-Since: D(-90) / If-None-Match: "v1" => nothing -> 304`},
	{"C2", "If-None-Match does not hold, If-Modified-Since does", `
		O: Cache-Control: max-age=60 / ETag: "v1" / Last-Modified: D(-50)
		C: -> miss
		C: If-None-Match: "v2" / If-Modified-Since: D(-50) -> hit / 200`},
	{"C3", "the date that is stored", `
		O: Cache-Control: max-age=60 / Last-Modified: D(-50)
		C: -> miss
		C: If-Modified-Since: D(-50) => nothing -> 304 / body ""`},
	{"C3", "a later date", `
		O: Cache-Control: max-age=60 / Last-Modified: D(-50)
		C: -> miss
		C: If-Modified-Since: D(-40) => nothing -> 304`},
	{"C3", "an earlier date", `
		O: Cache-Control: max-age=60 / Last-Modified: D(-50)
		C: -> miss
		C: If-Modified-Since: D(-51) -> hit / 200`},
	{"C3", "a date in RFC 850", `
		O: Cache-Control: max-age=60 / Last-Modified: D(-50)
		C: -> miss
		C: If-Modified-Since: 850(-50) => nothing -> 304`},
	{"C3", "a date in asctime", `
		O: Cache-Control: max-age=60 / Last-Modified: D(-50)
		C: -> miss
		C: If-Modified-Since: asctime(-50) => nothing -> 304`},
	{"C3", "a date that cannot be read", `
		O: Cache-Control: max-age=60 / Last-Modified: D(-50)
		C: -> miss
		C: If-Modified-Since: now -> hit / 200`},
	{"C3", "without Last-Modified Date is compared", `
		O: Cache-Control: max-age=60
		C: -> miss
		C: If-Modified-Since: D(+0) => nothing -> 304
		C: If-Modified-Since: D(-1) -> hit / 200`},
	{"C4", "If-Match is the origin's", `
		O: Cache-Control: max-age=60 / ETag: "v1"
		C: -> miss
		C: If-Match: "v1" => If-Match: "v1" -> miss`},
	{"C4", "If-Match that fails there", `
		O: Cache-Control: max-age=60 / ETag: "v1"
		C: -> miss
		O: 412
		C: If-Match: "v2" => If-Match: "v2" -> miss / 412
		C: -> hit 1`},
	{"C4", "If-Unmodified-Since is the origin's", `
		O: Cache-Control: max-age=60 / Last-Modified: D(-50)
		C: -> miss
		C: If-Unmodified-Since: D(-50) => If-Unmodified-Since: D(-50) -> miss`},
	{"C5", "a strong tag is asked with", `
		O: Cache-Control: max-age=2 / ETag: "v1"
		C: -> miss
		O: 304 / ETag: "v1"
		T+3 C: => If-None-Match: "v1" / no If-Modified-Since -> revalidated 1 / 200`},
	{"C5", "a weak tag is asked with", `
		O: Cache-Control: max-age=2 / ETag: W/"v1"
		C: -> miss
		O: 304 / ETag: W/"v1"
		T+3 C: => If-None-Match: W/"v1" -> revalidated 1 / 200`},
	{"C5", "a date is asked with", `
		O: Cache-Control: max-age=2 / Last-Modified: D(-50)
		C: -> miss
		O: 304
		T+3 C: => If-Modified-Since: D(-50) / no If-None-Match -> revalidated 1 / 200`},
	{"C5", "a date is sent as it came", `
		O: Cache-Control: max-age=2 / Last-Modified: 850(-50)
		C: -> miss
		O: 304
		T+3 C: => If-Modified-Since: 850(-50) -> revalidated 1`},
	{"C5", "a tag and a date", `
		O: Cache-Control: max-age=2 / ETag: "v1" / Last-Modified: D(-50)
		C: -> miss
		O: 304
		T+3 C: => If-None-Match: "v1" / If-Modified-Since: D(-50) -> revalidated 1`},
	{"C5", "the fields that Vary names go along", `
		O: Cache-Control: max-age=2 / ETag: "v1" / Vary: Tier
		C: Tier: gold -> miss
		O: 304
		T+3 C: Tier: gold => If-None-Match: "v1" / Tier: gold -> revalidated 1`},
	{"C5", "other fields go along", `
		O: Cache-Control: max-age=2 / ETag: "v1"
		C: -> miss
		O: 304
		T+3 C: Req-Num: 2 / Cookie: a=1 => If-None-Match: "v1" / Req-Num: 2 / Cookie: a=1 -> revalidated 1`},
	{"C5", "the client's If-None-Match gives way", `
		O: Cache-Control: max-age=2 / ETag: "v1"
		C: -> miss
		O: 304 / ETag: "v1"
		T+3 C: If-None-Match: "v0" => If-None-Match: "v1" -> revalidated 1 / 200`},
	{"C5", "the client's If-Modified-Since gives way", `
		O: Cache-Control: max-age=2 / ETag: "v1"
		C: -> miss
		O: 304 / ETag: "v1"
		T+3 C: If-Modified-Since: D(-50) => If-None-Match: "v1" / no If-Modified-Since -> 200`},
	{"C5", "the client's Range is answered from what still holds", `
		O: Cache-Control: max-age=2 / ETag: "v1" / body abcdefghij
		C: -> miss
		O: 304 / ETag: "v1"
		T+3 C: Range: bytes=7- => If-None-Match: "v1" / no Range -> 206 / body hij`},
	{"C5", "an answer without a validator is asked for anew", `
		O: Cache-Control: max-age=2
		C: -> miss
		T+3 C: => no If-None-Match / no If-Modified-Since -> miss`},
	{"C6", "the client's date holds of what still holds", `
		O: Cache-Control: max-age=2 / Last-Modified: D(-50)
		C: -> miss
		O: 304 / Last-Modified: D(-50)
		T+3 C: If-Modified-Since: D(-50) => If-Modified-Since: D(-50) -> 304`},
	{"C6", "the client's tag holds of what still holds", `
		O: Cache-Control: max-age=2 / ETag: "v1"
		C: -> miss
		O: 304 / ETag: "v1"
		T+3 C: If-None-Match: "v1" => If-None-Match: "v1" -> 304 / ETag: "v1"`},
	{"C6", "the client's tag holds of the new answer", `
		O: Cache-Control: max-age=2 / ETag: "v1"
		C: -> miss
		O: 200 / Cache-Control: max-age=60 / ETag: "v2"
		T+3 C: If-None-Match: "v2" => If-None-Match: "v1" -> 304 / ETag: "v2"
		T+4 C: -> hit 2`},
	{"C6", "a 304 about a tag that the client has goes to it", `
		O: Cache-Control: max-age=2 / ETag: "v1"
		C: -> miss
		O: 304 / ETag: "v2"
		T+3 C: If-None-Match: "v2" => GET -> 304 / ETag: "v2"`},
	{"C6", "a 304 about a tag that nobody has is asked about once more", `
		O: Cache-Control: max-age=2 / ETag: "v1"
		C: -> miss
		O: 304 / ETag: "v2" / then / 200 / ETag: "v2" / Cache-Control: max-age=60
		T+3 C: => 2 / no If-None-Match -> 200 / body answer 3
		T+4 C: -> hit 3`},
	{"C6", "a 304 without a tag is about what was asked", `
		O: Cache-Control: max-age=2 / ETag: "v1"
		C: -> miss
		O: 304
		T+3 C: => If-None-Match: "v1" -> revalidated 1 / ETag: "v1"`},
	{"C6", "the client's tag holds of an answer that was not stored", `
		O: Cache-Control: max-age=60 / ETag: "v1"
		C: If-None-Match: "v1" => GET -> 304 / ETag: "v1"
		C: -> hit / 200`},
	{"C6", "the client's date holds of an answer that was not stored", `
		O: Cache-Control: max-age=60 / Last-Modified: D(-50)
		C: If-Modified-Since: D(-50) => GET -> 304
		C: -> hit / 200`},
	{"C6", "the client's tag does not hold of it", `
		O: Cache-Control: max-age=60 / ETag: "v1"
		C: If-None-Match: "v0" -> miss / 200
		C: -> hit / 200`},
	{"C6", "an answer that is not to be stored is the origin's alone to compare", `
		O: Cache-Control: no-store / ETag: "v1"
		C: -> miss
		O: 304 / ETag: "v1" / Cache-Control: no-store
		C: If-None-Match: "v1" => If-None-Match: "v1" -> 304`},
	{"C8", "an error while asking is passed on", `
		O: Cache-Control: max-age=2 / ETag: "v1"
		C: -> miss
		O: 503
		T+3 C: => If-None-Match: "v1" -> miss / 503`},
	{"C8", "a full answer takes the place of what is stored", `
		O: Cache-Control: max-age=2 / ETag: "v1" / X-Old: 1
		C: -> miss
		O: 200 / Cache-Control: max-age=60 / ETag: "v2"
		T+3 C: => If-None-Match: "v1" -> miss / ETag: "v2"
		T+4 C: -> hit 2 / ETag: "v2" / no X-Old`},
	{"C8", "a 404 takes the place of what is stored", `
		O: Cache-Control: max-age=2 / ETag: "v1"
		C: -> miss
		O: 404 / Cache-Control: max-age=60
		T+3 C: => If-None-Match: "v1" -> miss / 404
		T+4 C: -> hit 2 / 404`},
	{"C8", "what was stored is not sent behind a newer answer that is not stored", `
		O: Cache-Control: max-age=2 / ETag: "v1"
		C: -> miss
		O: 200 / Cache-Control: no-store
		T+3 C: => If-None-Match: "v1" -> miss
		C: -> miss`},
	{"C9", "a 304 where nothing is stored goes to who asked", `
		O: 304 / ETag: "v1"
		C: If-None-Match: "v1" => GET -> 304 / ETag: "v1"`},
	{"C10", "HEAD is answered from what GET has stored", `
		O: Cache-Control: max-age=60 / X-Test: yes / body abcdefghij
		C: -> miss
		T+7 C: HEAD -> hit / 200 / X-Test: yes / Content-Length: 10 / Age: 7 / body ""`},
	{"C10", "HEAD goes to the origin when that is stale", `
		O: Cache-Control: max-age=2 / ETag: "v1"
		C: -> miss
		T+3 C: HEAD => HEAD -> 200 / ETag: "v1"`},
	{"C10", "HEAD of the same version makes what is stored fresh", `
		O: Cache-Control: max-age=2 / ETag: "v1" / X-Gen: 7 / body abc
		C: -> miss
		O: Cache-Control: max-age=60 / ETag: "v1" / X-Gen: 8 / body abc
		T+3 C: HEAD => HEAD -> 200
		T+4 C: -> hit 1 / X-Gen: 8 / Age: 1`},
	{"C10", "HEAD of another version does not", `
		O: Cache-Control: max-age=900 / ETag: "v1" / body abc
		C: -> miss
		O: Cache-Control: max-age=60 / ETag: "v2" / body abc
		T+901 C: HEAD => HEAD -> 200 / ETag: "v2"
		C: => If-None-Match: "v1" -> miss / ETag: "v2"`},
	{"C10", "HEAD of another length does not", `
		O: Cache-Control: max-age=2 / ETag: "v1" / body abc
		C: -> miss
		O: Cache-Control: max-age=60 / ETag: "v1" / body abcd
		T+3 C: HEAD => HEAD -> 200
		C: => If-None-Match: "v1" -> miss`},
	{"C10", "an answer to HEAD is none to GET", `
		O: Cache-Control: max-age=60
		C: HEAD => HEAD -> 200
		C: => GET -> miss`},
}
