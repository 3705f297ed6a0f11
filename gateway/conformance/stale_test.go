package conformance

import "fmt"

// When an answer may be used that has expired (RFC 9111 4.2.4; RFC 5861).
var staleness = append([]row{
	{"Z1", "the origin closes the connection", `
		O: Cache-Control: max-age=2
		C: -> miss
		O: drop
		T+3 C: => GET -> stale 1 / 200 / Age: 3`},
	{"Z1", "the origin resets the connection", `
		O: Cache-Control: max-age=2
		C: -> miss
		O: reset
		T+3 C: => GET -> stale 1 / 200 / Age: 3`},
	{"Z1", "there is no origin", `
		O: Cache-Control: max-age=2
		C: -> miss
		O: refuse
		T+3 C: => nothing -> stale 1 / 200 / Age: 3`},
	{"Z1", "while it is asked whether what is stored still holds", `
		O: Cache-Control: max-age=2 / ETag: "v1"
		C: -> miss
		O: drop
		T+3 C: => If-None-Match: "v1" -> stale 1 / 200`},
	{"Z1", "Expires says that it has expired", `
		O: Expires: D(+2)
		C: -> miss
		O: drop
		T+3 C: => GET -> stale 1`},
	{"Z1", "each time, until the origin is there again", `
		O: Cache-Control: max-age=2
		C: -> miss
		O: drop
		T+3 C: => GET -> stale 1
		T+4 C: => GET -> stale 1
		O: 200
		T+5 C: -> miss
		C: -> miss`},
	{"Z1", "the variant that fits", `
		O: Cache-Control: max-age=2 / Vary: Tier
		C: Tier: gold -> miss
		O: drop
		T+3 C: Tier: gold => GET -> stale 1
		C: Tier: iron => GET -> 502`},
	{"Z1", "the client's condition holds of it", `
		O: Cache-Control: max-age=2 / ETag: "v1"
		C: -> miss
		O: drop
		T+3 C: If-None-Match: "v1" => GET -> 304`},
	{"Z1", "a range of it", `
		O: Cache-Control: max-age=2 / body abcdefghij
		C: -> miss
		O: drop
		T+3 C: Range: bytes=7- => GET -> 206 / body hij`},
	{"Z1", "HEAD of it", `
		O: Cache-Control: max-age=2 / body abcdefghij
		C: -> miss
		O: drop
		T+3 C: HEAD => HEAD -> 200 / Content-Length: 10 / body ""`},
	{"Z1", "nothing is stored", `
		O: drop
		C: => GET -> 502`},
	{"Z2", "in its time it is sent at once, and asked for behind the client's back", `
		O: Cache-Control: max-age=1, stale-while-revalidate=30
		C: -> miss
		O: hold / Cache-Control: max-age=60
		T+3 C: -> stale 1 / Age: 3
		=> GET
		go`},
	{"Z2", "the new answer takes its place", `
		O: Cache-Control: max-age=1, stale-while-revalidate=30 / body old
		C: -> miss
		O: Cache-Control: max-age=60 / body new
		T+3 C: -> stale / body old
		=> GET
		until C: -> hit / body new`},
	{"Z2", "the origin is asked whether it still holds", `
		O: Cache-Control: max-age=1, stale-while-revalidate=30 / ETag: "v1"
		C: -> miss
		O: 304 / Cache-Control: max-age=60 / X-Gen: 2
		T+3 C: -> stale 1
		=> If-None-Match: "v1"
		until C: -> hit 1 / X-Gen: 2`},
	{"Z2", "the fields of who asked go along", `
		O: Cache-Control: max-age=1, stale-while-revalidate=30
		C: -> miss
		T+3 C: Req-Num: 2 / Test-ID: x / Cookie: a=1 -> stale 1
		=> GET / @ / Req-Num: 2 / Test-ID: x / Cookie: a=1`},
	{"Z2", "HEAD of it lets GET be asked", `
		O: Cache-Control: max-age=1, stale-while-revalidate=30 / body old
		C: -> miss
		O: Cache-Control: max-age=60 / body new
		T+3 C: HEAD -> stale / Content-Length: 3
		=> GET / no Content-Length
		until C: -> hit / body new`},
	{"Z2", "a range of it lets the whole be asked", `
		O: Cache-Control: max-age=1, stale-while-revalidate=30 / ETag: "v1" / body abcdefghij
		C: -> miss
		O: Cache-Control: max-age=60 / ETag: "v2" / body ABCDEFGHIJ
		T+3 C: Range: bytes=7- / If-None-Match: "v0" -> 206 / body hij / so far
		=> GET / If-None-Match: "v1" / no Range
		until C: -> hit / body ABCDEFGHIJ`},
	{"Z2", "up to the end of its time", `
		O: Cache-Control: max-age=1, stale-while-revalidate=30
		C: -> miss
		O: hold
		T+30 C: -> stale 1
		=> GET
		go`},
	{"Z2", "after its time it is asked for first", `
		O: Cache-Control: max-age=1, stale-while-revalidate=30
		C: -> miss
		T+32 C: -> miss`},
	{"Z2", "a new answer that is no-cache takes its place", `
		O: Cache-Control: max-age=1, stale-while-revalidate=30 / body old
		C: -> miss
		O: Cache-Control: no-cache / ETag: "v2" / body new
		T+3 C: -> stale / body old
		=> GET
		until C: -> 200 / body new`},
	{"Z2", "while it is fresh nobody asks", `
		O: Cache-Control: max-age=10, stale-while-revalidate=30
		C: -> miss
		T+9 C: -> hit`},
	{"Z2", "a client that has it learns so", `
		O: Cache-Control: max-age=1, stale-while-revalidate=30 / ETag: "v1"
		C: -> miss
		T+3 C: If-None-Match: "v1" -> 304 / so far
		=> If-None-Match: "v1"`},
	{"Z3", "must-revalidate, and the origin resets", `
		O: Cache-Control: max-age=2, must-revalidate
		C: -> miss
		O: reset
		T+3 C: => GET -> 504`},
	{"Z3", "must-revalidate, and there is no origin", `
		O: Cache-Control: max-age=2, must-revalidate
		C: -> miss
		O: refuse
		T+3 C: => nothing -> 504`},
	{"Z3", "while fresh it is sent all the same", `
		O: Cache-Control: max-age=20, must-revalidate
		C: -> miss
		O: refuse
		T+3 C: -> hit`},
	{"Z3", "a client that accepts stale answers", `
		O: Cache-Control: max-age=2, must-revalidate
		C: -> miss
		T+3 C: Cache-Control: max-stale=100 -> miss`},
	{"Z4", "after its time", `
		O: Cache-Control: max-age=2, stale-if-error=60
		C: -> miss
		O: 503
		T+63 C: -> miss / 503`},
	{"Z4", "within its time", `
		O: Cache-Control: max-age=2, stale-if-error=60
		C: -> miss
		O: 503
		T+61 C: => GET -> stale 1 / 200 / Age: 61`},
	{"Z4", "while it is asked whether it still holds", `
		O: Cache-Control: max-age=2, stale-if-error=60 / ETag: "v1"
		C: -> miss
		O: 503
		T+3 C: => If-None-Match: "v1" -> stale 1 / 200`},
	{"Z4", "on disconnect", `
		O: Cache-Control: max-age=2, stale-if-error=60
		C: -> miss
		O: drop
		T+3 C: => GET -> stale 1 / 200`},
	{"Z4", "an error that says how long it is fresh is not stored in its place", `
		O: Cache-Control: max-age=2, stale-if-error=60
		C: -> miss
		O: 503 / Cache-Control: max-age=60
		T+3 C: => GET -> stale 1 / 200
		O: 200
		T+4 C: -> miss / 200`},
	{"Z4", "a 404 is no such error", `
		O: Cache-Control: max-age=2, stale-if-error=60
		C: -> miss
		O: 404
		T+3 C: -> miss / 404`},
	{"Z4", "the client asks for it", `
		O: Cache-Control: max-age=2
		C: -> miss
		O: 503
		T+3 C: Cache-Control: stale-if-error=60 => GET -> stale 1 / 200`},
	{"Z4", "without it an error is passed on", `
		O: Cache-Control: max-age=2
		C: -> miss
		O: 500
		T+3 C: -> miss / 500`},
	{"Z5", "a stale answer has no Warning", `
		O: Cache-Control: max-age=2
		C: -> miss
		O: drop
		T+3 C: => GET -> stale 1 / no Warning`},
	{"Z6", "one at a time", `
		O: Cache-Control: max-age=1, stale-while-revalidate=30
		C: -> miss
		O: hold / Cache-Control: max-age=60
		T+3 C: -> stale 1
		=> GET
		C: => nothing -> stale 1
		C: => nothing -> stale 1
		go
		until C: -> hit 2`},
	{"Z6", "one that has failed is not repeated at once", `
		O: Cache-Control: max-age=1, stale-while-revalidate=300
		C: -> miss
		O: drop
		T+3 C: -> stale 1
		=> GET
		C: => nothing -> stale 1
		C: => nothing -> stale 1`},
	{"Z6", "variants are asked for on their own", `
		O: Cache-Control: max-age=1, stale-while-revalidate=30 / Vary: Tier
		C: Tier: gold -> miss
		C: Tier: iron -> miss
		O: hold / Cache-Control: max-age=60 / Vary: Tier
		T+3 C: Tier: gold -> stale 1
		=> Tier: gold
		C: Tier: iron -> stale 2
		=> Tier: iron
		go`},
}, forbidden()...)

// forbidden are rows of what forbids to send stale answers, and of the errors that
// stale-if-error is about.
func forbidden() (rows []row) {
	for _, directive := range []string{"must-revalidate", "proxy-revalidate", "s-maxage=2"} {
		rows = append(rows, row{"Z3", directive, fmt.Sprintf(`
			O: Cache-Control: max-age=2, %s
			C: -> miss
			O: drop
			T+3 C: => GET -> 504`, directive)})
		rows = append(rows, row{"Z3", directive + " beside stale-while-revalidate", fmt.Sprintf(`
			O: Cache-Control: max-age=2, stale-while-revalidate=60, %s
			C: -> miss
			T+3 C: -> miss`, directive)})
		rows = append(rows, row{"Z3", directive + " beside stale-if-error", fmt.Sprintf(`
			O: Cache-Control: max-age=2, stale-if-error=60, %s
			C: -> miss
			O: 503
			T+3 C: -> miss / 503`, directive)})
	}
	rows = append(rows, row{"Z3", "no-cache", `
			O: Cache-Control: max-age=20, no-cache / ETag: "v1"
			C: -> miss
			O: drop
			T+3 C: => If-None-Match: "v1" -> 504`})
	for _, status := range []int{500, 502, 503, 504} {
		rows = append(rows, row{"Z4", fmt.Sprint("status ", status), fmt.Sprintf(`
			O: Cache-Control: max-age=2, stale-if-error=60
			C: -> miss
			O: %d
			T+3 C: => GET -> stale 1 / 200 / Age: 3`, status)})
	}
	return rows
}
