package conformance

import "fmt"

// What a 304 changes of what is stored (RFC 9111 3.2; RFC 9110 15.4.5).
var updates = append([]row{
	{"C7", "fields that are new", `
		O: Cache-Control: max-age=2 / ETag: "v1"
		C: -> miss
		O: 304 / X-Gen: 8 / Cache-Control: max-age=60
		T+3 C: -> revalidated 1 / X-Gen: 8
		T+4 C: -> hit 1 / X-Gen: 8`},
	{"C7", "a 304 that says how long makes it fresh", `
		O: Cache-Control: max-age=2 / ETag: "v1"
		C: -> miss
		O: 304 / Cache-Control: max-age=60
		T+3 C: -> revalidated 1 / Cache-Control: max-age=60
		T+62 C: -> hit 1 / Age: 59 / Cache-Control: max-age=60
		T+64 C: => If-None-Match: "v1" -> revalidated 1`},
	{"C7", "a 304 that does not makes it fresh for as long as it was", `
		O: Cache-Control: max-age=20 / ETag: "v1"
		C: -> miss
		O: 304
		T+21 C: -> revalidated 1
		T+40 C: -> hit 1 / Age: 19
		T+42 C: => If-None-Match: "v1" -> revalidated 1`},
	{"C7", "Expires and Date of a 304", `
		O: Expires: D(+2) / ETag: "v1"
		C: -> miss
		O: 304 / Expires: D(+63) / Date: D(+3)
		T+3 C: -> revalidated 1 / Expires: D(+63) / Date: D(+3)
		T+62 C: -> hit 1 / Expires: D(+63) / Date: D(+3)
		T+64 C: => If-None-Match: "v1" -> revalidated 1`},
	{"C7", "Age of a 304", `
		O: Cache-Control: max-age=20 / ETag: "v1" / Age: 5
		C: -> miss
		O: 304 / Age: 7
		T+21 C: -> revalidated 1
		T+23 C: -> hit 1 / Age: 9`},
	{"C7", "a 304 that forbids to store is used once", `
		O: Cache-Control: max-age=2 / ETag: "v1"
		C: -> miss
		O: 304 / Cache-Control: no-store
		T+3 C: => If-None-Match: "v1" -> revalidated 1
		O: 200
		C: => no If-None-Match -> miss`},
	{"C7", "all lines of a field are replaced", `
		O: Cache-Control: max-age=2 / ETag: "v1" / X-Gen: 1 / X-Gen: 2
		C: -> miss
		O: 304 / X-Gen: 3 / X-Gen: 4 / X-Gen: 5
		T+3 C: -> revalidated 1 / X-Gen: 3 / X-Gen: 4 / X-Gen: 5
		T+4 C: -> hit 1 / X-Gen: 3 / X-Gen: 4 / X-Gen: 5`},
	{"C7", "fields that a 304 lacks stay", `
		O: Cache-Control: max-age=2 / ETag: "v1" / X-Gen: 7 / Content-Type: text/plain
		C: -> miss
		O: 304
		T+3 C: -> revalidated 1 / X-Gen: 7 / Content-Type: text/plain
		T+4 C: -> hit 1 / X-Gen: 7 / Content-Type: text/plain / ETag: "v1"`},
	{"C7", "another Content-Length does not cut the body", `
		O: Cache-Control: max-age=2 / ETag: "v1" / body abcdefghij
		C: -> miss
		O: 304 / Content-Length: 5
		T+3 C: -> revalidated 1 / Content-Length: 10 / body abcdefghij
		T+4 C: -> hit 1 / Content-Length: 10 / body abcdefghij`},
	{"C7", "Content-Length 0 does not empty the body", `
		O: Cache-Control: max-age=2 / ETag: "v1" / body abcdefghij
		C: -> miss
		O: 304 / Content-Length: 0
		T+3 C: -> revalidated 1 / Content-Length: 10 / body abcdefghij`},
	{"C7", "Content-Encoding stays", `
		O: Cache-Control: max-age=2 / ETag: "v1" / Content-Encoding: gzip
		C: -> miss
		O: 304 / Content-Encoding: br
		T+3 C: -> revalidated 1 / Content-Encoding: gzip
		T+4 C: -> hit 1 / Content-Encoding: gzip`},
	{"C7", "Content-Range is not added", `
		O: Cache-Control: max-age=2 / ETag: "v1"
		C: -> miss
		O: 304 / Content-Range: bytes 0-1/10
		T+3 C: -> revalidated 1 / no Content-Range
		T+4 C: -> hit 1 / no Content-Range`},
	{"C7", "fields that end at the hop are not added", `
		O: Cache-Control: max-age=2 / ETag: "v1"
		C: -> miss
		O: 304 / Connection: x-hop / X-Hop: 1 / Keep-Alive: timeout=5
		T+3 C: -> revalidated 1 / no X-Hop / no Keep-Alive
		T+4 C: -> hit 1 / no X-Hop / no Keep-Alive`},
	{"C7", "the client gets no 304 that it did not ask for", `
		O: Cache-Control: max-age=2 / ETag: "v1" / 404
		C: -> miss / 404
		O: 304
		T+3 C: => If-None-Match: "v1" -> revalidated 1 / 404`},
	{"C7", "a variant is updated, and no other", `
		O: Cache-Control: max-age=2 / ETag: "gold" / Vary: Tier / X-Gen: 1
		C: Tier: gold -> miss
		O: Cache-Control: max-age=2 / ETag: "iron" / Vary: Tier / X-Gen: 1
		C: Tier: iron -> miss
		O: 304 / ETag: "gold" / Cache-Control: max-age=60 / X-Gen: 2
		T+3 C: Tier: gold => If-None-Match: "gold" -> revalidated 1 / X-Gen: 2
		O: 304 / ETag: "iron"
		C: Tier: iron => If-None-Match: "iron" -> revalidated 2 / X-Gen: 1
		C: Tier: gold -> hit 1`},
}, eachUpdate()...)

// eachUpdate are rows of fields that a 304 changes.
func eachUpdate() (rows []row) {
	for _, name := range []string{"X-Gen", "Test-Header", "Content-Foo", "X-Content-Foo", "Content-Type", "Content-Language", "Content-MD5",
		"Content-Security-Policy", "X-Frame-Options", "X-XSS-Protection", "Content-Location", "Last-Modified", "Strict-Transport-Security"} {
		old, new := "old", "new"
		if name == "Last-Modified" {
			old, new = "D(-50)", "D(-49)"
		}
		rows = append(rows, row{"C7", name, fmt.Sprintf(`
			O: Cache-Control: max-age=2 / ETag: "v1" / %s: %s
			C: -> miss / %[1]s: %[2]s
			O: 304 / %[1]s: %[3]s / Cache-Control: max-age=60
			T+3 C: -> revalidated 1 / %[1]s: %[3]s
			T+62 C: -> hit 1 / %[1]s: %[3]s`, name, old, new)})
	}
	return rows
}
