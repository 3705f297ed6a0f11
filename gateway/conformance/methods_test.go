package conformance

import "fmt"

// What other methods do to what GET has stored (RFC 9111 4.4; RFC 9110 9.3).
var methods = append([]row{
	{"M1", "all variants go", `
		O: Cache-Control: max-age=60 / Vary: Tier
		C: Tier: gold -> miss
		C: Tier: iron -> miss
		O: 204
		C: DELETE => DELETE -> 204
		O: Cache-Control: max-age=60 / Vary: Tier
		C: Tier: gold -> miss
		C: Tier: iron -> miss`},
	{"M1", "the target goes, and no other", `
		O: Cache-Control: max-age=60
		C: @?a=1 -> miss
		C: @?a=2 -> miss
		C: @/n -> miss
		C: POST @?a=1 body x -> 200
		C: @?a=2 -> hit 2
		C: @/n -> hit 3
		C: @?a=1 -> miss`},
	{"M1", "the request reaches the origin as it is", `
		O: 201
		C: POST Content-Type: text/plain / body hello => POST / @ / Content-Type: text/plain / body hello -> miss / 201`},
	{"M1", "an answer to POST is none to GET", `
		O: Cache-Control: max-age=60
		C: POST body x -> miss
		C: -> miss`},
	{"M1", "each POST is asked for", `
		O: Cache-Control: max-age=60
		C: POST body x -> miss
		C: POST body x -> miss`},
	{"M1", "what is stored anew is used again", `
		O: Cache-Control: max-age=60
		C: -> miss
		C: PUT body x -> 200
		C: -> miss
		C: -> hit 3`},
	{"M1", "parts go as well", `
		O: 206 / Content-Range: bytes 0-3/10 / Cache-Control: max-age=60 / body abcd
		C: Range: bytes=0-3 -> miss / 206
		O: 204
		C: DELETE -> 204
		O: 206 / Content-Range: bytes 0-3/10 / Cache-Control: max-age=60 / body ABCD
		C: Range: bytes=0-3 -> miss / 206`},
	{"M3", "what Location names goes", `
		O: Cache-Control: max-age=60
		C: @/n -> miss
		O: 201 / Location: @/n
		C: POST body x -> 201
		O: Cache-Control: max-age=60
		C: @/n -> miss`},
	{"M3", "what Content-Location names goes", `
		O: Cache-Control: max-age=60
		C: @/n -> miss
		O: 200 / Content-Location: @/n
		C: POST body x -> 200
		O: Cache-Control: max-age=60
		C: @/n -> miss`},
	{"M3", "what a whole URL names goes", `
		O: Cache-Control: max-age=60
		C: @/n?a=1 -> miss
		O: 201 / Location: http://shop.example@/n?a=1
		C: POST body x -> 201
		O: Cache-Control: max-age=60
		C: @/n?a=1 -> miss`},
	{"M3", "what is named from where the request went goes", `
		O: Cache-Control: max-age=60
		C: @/n -> miss
		O: 201 / Location: n
		C: POST @/m body x -> 201
		O: Cache-Control: max-age=60
		C: @/n -> miss`},
	{"M3", "what is named at another origin stays", `
		O: Cache-Control: max-age=60
		C: @/n -> miss
		O: 201 / Location: http://other.example@/n / Content-Location: http://evil.example@/n
		C: POST body x -> 201
		C: @/n -> hit 1`},
	{"M3", "another scheme is another origin", `
		O: Cache-Control: max-age=60
		C: @/n -> miss
		O: 201 / Location: https://shop.example@/n
		C: POST body x -> 201
		C: @/n -> hit 1`},
	{"M3", "an error removes nothing that it names", `
		O: Cache-Control: max-age=60
		C: @/n -> miss
		O: 404 / Content-Location: @/n
		C: POST body x -> 404
		C: @/n -> hit 1`},
	{"M3", "Location of an answer to GET removes nothing", `
		O: Cache-Control: max-age=60
		C: @/n -> miss
		O: 302 / Location: @/n
		C: -> miss / 302
		C: @/n -> hit 1`},
	{"M4", "an answer to POST that names its target is stored", `
		O: 200 / Content-Location: @ / Cache-Control: max-age=60
		C: POST body x -> miss
		C: -> hit`},
	{"M4", "it takes the place of what was stored", `
		O: Cache-Control: max-age=60
		C: -> miss
		O: 200 / Content-Location: @ / Cache-Control: max-age=60
		C: POST body x -> miss
		C: -> hit 2`},
	{"M4", "it is no answer to POST", `
		O: 200 / Content-Location: @ / Cache-Control: max-age=60
		C: POST body x -> miss
		C: POST body x -> miss`},
	{"M4", "an answer to POST that names another target is not stored", `
		O: 200 / Content-Location: @/n / Cache-Control: max-age=60
		C: POST body x -> miss
		C: @/n -> miss
		C: -> miss`},
	{"M4", "an answer to POST that names no target is not stored", `
		O: 200 / Cache-Control: max-age=60
		C: POST body x -> miss
		C: -> miss`},
	{"M4", "an answer to POST that says nothing of freshness is not stored", `
		O: 200 / Content-Location: @ / Last-Modified: D(-86400)
		C: POST body x -> miss
		C: -> miss`},
	{"M4", "an answer to PUT is not stored", `
		O: 200 / Content-Location: @ / Cache-Control: max-age=60
		C: PUT body x -> miss
		C: -> miss`},
	{"M6", "an answer that was asked for before is not stored behind it", `
		O: hold / Cache-Control: max-age=60
		C1: => GET
		O: 204
		C: DELETE => DELETE -> 204
		go
		C1 -> 200
		O: Cache-Control: max-age=60
		C: -> miss / 200`},
	{"M6", "an answer that is on its way is not stored behind it", `
		O: Cache-Control: max-age=60 / body abc / hold / body def
		C1: => GET
		C1 -> body abc / so far
		O: 204
		C: DELETE => DELETE -> 204
		go
		C1 -> body abcdef
		O: Cache-Control: max-age=60
		C: -> miss`},
	{"M6", "what still holds is not stored behind it", `
		O: Cache-Control: max-age=2 / ETag: "v1"
		C: -> miss
		O: hold / 304 / Cache-Control: max-age=60
		T+3 C1: => If-None-Match: "v1"
		O: 204
		C: DELETE => DELETE -> 204
		go
		C1 -> 200
		O: Cache-Control: max-age=60 / ETag: "v2"
		C: -> miss / ETag: "v2"`},
	{"M6", "a failed one changes nothing", `
		O: hold / Cache-Control: max-age=60
		C1: => GET
		O: 405
		C: DELETE => DELETE -> 405
		go
		C1 -> 200
		C: => nothing -> 200`},
}, eachMethod()...)

// eachMethod are rows of each method, and of each answer to it.
func eachMethod() (rows []row) {
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "BREW", "M-SEARCH"} {
		for _, status := range []int{200, 204, 303} {
			rows = append(rows, row{"M1", fmt.Sprint(method, " ", status), fmt.Sprintf(`
				O: Cache-Control: max-age=60
				C: -> miss
				C: -> hit
				O: %d
				C: %s => %[2]s -> %[1]d
				O: Cache-Control: max-age=60
				C: -> miss`, status, method)})
		}
		for _, status := range []int{400, 404, 500, 503} {
			rows = append(rows, row{"M2", fmt.Sprint(method, " ", status), fmt.Sprintf(`
				O: Cache-Control: max-age=60
				C: -> miss
				O: %d
				C: %s => %[2]s -> %[1]d
				C: -> hit 1`, status, method)})
		}
	}
	for _, method := range []string{"OPTIONS", "PROPFIND", "REPORT", "SEARCH"} {
		rows = append(rows, row{"M5", method, fmt.Sprintf(`
			O: Cache-Control: max-age=60
			C: -> miss
			C: %s => %[1]s -> miss
			C: %[1]s => %[1]s -> miss
			C: -> hit 1`, method)})
	}
	return rows
}
