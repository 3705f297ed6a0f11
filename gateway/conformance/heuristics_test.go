package conformance

import "fmt"

// Answers that say only when they were modified (RFC 9111 4.2.2, RFC 9110 15.1).
var heuristics = append([]row{
	{"H1", "a tenth of the time since it was modified", `
		O: Last-Modified: D(-1000)
		C: -> miss
		T+99 C: -> hit
		T+101 C: => If-Modified-Since: D(-1000) -> miss`},
	{"H1", "a day at most", `
		O: Last-Modified: D(-31536000)
		C: -> miss
		T+86399 C: -> hit
		T+86401 C: => If-Modified-Since: D(-31536000) -> miss`},
	{"H1", "Age is taken off", `
		O: Last-Modified: D(-1000) / Age: 90
		C: -> miss
		T+9 C: -> hit
		T+11 C: => If-Modified-Since: D(-1000) -> miss`},
	{"H1", "the time counts from Date", `
		O: Date: D(+1000) / Last-Modified: D(+0)
		C: -> miss
		T+99 C: -> hit
		T+101 C: => If-Modified-Since: D(+0) -> miss`},
	{"H1", "modified just now", `
		O: Last-Modified: D(+0)
		C: -> miss
		C: => If-Modified-Since: D(+0) -> miss`},
	{"H1", "modified after it was made", `
		O: Last-Modified: D(+3600)
		C: -> miss
		C: => If-Modified-Since: D(+3600) -> miss`},
	{"H1", "a Last-Modified that cannot be read", `
		O: Last-Modified: yesterday
		C: -> miss
		C: -> miss`},
	{"H1", "a part", `
		O: 206 / Content-Range: bytes 0-3/10 / Last-Modified: D(-86400) / body abcd
		C: Range: bytes=0-3 -> miss / 206
		T+3 C: Range: bytes=0-3 -> hit / 206`},
	{"H3", "public makes every status one that is guessed of", `
		O: 599 / Last-Modified: D(-86400) / Cache-Control: public
		C: -> miss / 599
		T+3 C: -> hit / 599`},
	{"H3", "public and 201", `
		O: 201 / Last-Modified: D(-86400) / Cache-Control: public
		C: -> miss / 201
		T+3 C: -> hit / 201`},
	{"H3", "public and 503", `
		O: 503 / Last-Modified: D(-86400) / Cache-Control: public
		C: -> miss / 503
		T+3 C: -> hit / 503`},
	{"H4", "an Expires that has passed", `
		O: Last-Modified: D(-86400) / Expires: D(-60)
		C: -> miss
		C: => If-Modified-Since: D(-86400) -> miss`},
	{"H4", "an Expires that cannot be read", `
		O: Last-Modified: D(-86400) / Expires: 0
		C: -> miss
		C: => If-Modified-Since: D(-86400) -> miss`},
	{"H4", "max-age=0", `
		O: Last-Modified: D(-86400) / Cache-Control: max-age=0
		C: -> miss
		C: => If-Modified-Since: D(-86400) -> miss`},
	{"H4", "a max-age that cannot be read", `
		O: Last-Modified: D(-86400) / Cache-Control: max-age=x
		C: -> miss
		C: => If-Modified-Since: D(-86400) -> miss`},
	{"H4", "a query does not", `
		O: Last-Modified: D(-86400)
		C: @?a=1 -> miss
		T+3 C: @?a=1 -> hit`},
	{"H4", "no-store does", `
		O: Last-Modified: D(-86400) / Cache-Control: no-store
		C: -> miss
		C: -> miss`},
	{"H4", "private does", `
		O: Last-Modified: D(-86400) / Cache-Control: private
		C: -> miss
		C: -> miss`},
}, byStatus()...)

// byStatus are rows of answers that say only when they were modified: those that are
// guessed of, and those that are not.
func byStatus() (rows []row) {
	for _, status := range []int{200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501} {
		rows = append(rows, row{"H1", fmt.Sprint("status ", status), fmt.Sprintf(`
			O: %d / Last-Modified: D(-86400)
			C: -> miss / %[1]d
			T+3 C: -> hit / %[1]d`, status)})
	}
	for _, status := range []int{201, 202, 302, 303, 307, 400, 403, 416, 500, 502, 503, 504, 299, 499, 599, 999} {
		rows = append(rows, row{"H2", fmt.Sprint("status ", status), fmt.Sprintf(`
			O: %d / Last-Modified: D(-86400)
			C: -> miss / %[1]d
			C: -> miss / %[1]d`, status)})
	}
	return rows
}
