package conformance

import (
	"fmt"
	"net/http"
)

// Answers of any status that say how long they are fresh (RFC 9111 3, 5.2.2.3).
var statuses = append([]row{
	{"S1", "the reason phrase is kept", `
		O: 200 / reason All Is Well / Cache-Control: max-age=60
		C: -> miss / reason All Is Well
		C: -> hit / reason All Is Well`},
	{"S1", "Location of a redirect is kept", `
		O: 301 / Location: /elsewhere / Cache-Control: max-age=60
		C: -> miss / 301 / Location: /elsewhere
		C: -> hit / 301 / Location: /elsewhere`},
	{"S1", "also where Expires says how long", `
		O: 404 / Expires: D(+60)
		C: -> miss / 404
		T+59 C: -> hit / 404
		T+61 C: -> miss / 404`},
	{"S2", "a stale error with Last-Modified is asked about", `
		O: 404 / Last-Modified: D(-100) / Cache-Control: max-age=2
		C: -> miss / 404
		O: 304 / Cache-Control: max-age=60
		T+3 C: => If-Modified-Since: D(-100) -> revalidated 1 / 404
		T+4 C: -> hit 1 / 404`},
	{"S2", "a 200 takes the place of a stale redirect", `
		O: 302 / Location: /x / Cache-Control: max-age=2
		C: -> miss / 302
		O: 200 / Cache-Control: max-age=60
		T+3 C: -> miss / 200
		T+4 C: -> hit 2 / 200 / no Location`},
	{"S2", "a 200 takes the place of a stale 500", `
		O: 500 / Cache-Control: max-age=2
		C: -> miss / 500
		O: 200 / Cache-Control: max-age=60
		T+3 C: -> miss / 200
		T+4 C: -> hit 2 / 200`},
	{"S2", "a 200 takes the place of a stale 503", `
		O: 503 / Cache-Control: max-age=2
		C: -> miss / 503
		O: 200 / Cache-Control: max-age=60
		T+3 C: -> miss / 200
		T+4 C: -> hit 2 / 200`},
	{"S3", "must-understand cancels no-store", `
		O: 200 / Cache-Control: max-age=60, no-store, must-understand
		C: -> miss
		C: -> hit`},
	{"S3", "must-understand before it, and on a line of its own", `
		O: 200 / Cache-Control: must-understand / Cache-Control: no-store, max-age=60
		C: -> miss
		C: -> hit`},
	{"S3", "must-understand of a known error", `
		O: 404 / Cache-Control: max-age=60, no-store, must-understand
		C: -> miss / 404
		C: -> hit / 404`},
	{"S3", "must-understand of an unknown status", `
		O: 599 / Cache-Control: max-age=60, no-store, must-understand
		C: -> miss / 599
		C: -> miss / 599`},
	{"S3", "must-understand of an unknown status without no-store", `
		O: 599 / Cache-Control: max-age=60, must-understand
		C: -> miss / 599
		C: -> miss / 599`},
	{"S3", "must-understand does not cancel private", `
		O: 200 / Cache-Control: max-age=60, private, must-understand
		C: -> miss
		C: -> miss`},
	{"S4", "a 304 that nobody asked for is not stored", `
		O: 304 / ETag: "v1" / Cache-Control: max-age=60
		C: If-None-Match: "v1" -> 304
		O: 200 / Cache-Control: max-age=60
		C: -> miss / 200`},
	{"S4", "a 206 is no answer to who asks for all", `
		O: 206 / Content-Range: bytes 0-3/10 / Cache-Control: max-age=60 / body abcd
		C: Range: bytes=0-3 -> 206 / body abcd
		O: 200 / Cache-Control: max-age=60 / body abcdefghij
		C: -> 200 / body abcdefghij`},
	{"S4", "a 103 is not stored", `
		O: 103 / Cache-Control: max-age=60 / 200
		C: -> 103 / Cache-Control: max-age=60 / 200 / miss
		C: -> 103 / Cache-Control: max-age=60 / 200 / miss`},
}, eachStatus()...)

// eachStatus are rows of answers of each kind that are fresh, and of those that have
// been.
func eachStatus() (rows []row) {
	for _, status := range []int{200, 203, 204, 299, 301, 302, 303, 307, 308, 400, 404, 410, 499, 500, 502, 503, 504, 599, 999} {
		reason := http.StatusText(status)
		if reason == "" {
			reason = "Whatever"
		}
		rows = append(rows, row{"S1", fmt.Sprint("status ", status), fmt.Sprintf(`
			O: %d / reason %s / Cache-Control: max-age=60 / X-Test: yes
			C: -> miss / %[1]d / reason %[2]s
			T+3 C: -> hit / %[1]d / reason %[2]s / X-Test: yes`, status, reason)})
		rows = append(rows, row{"S2", fmt.Sprint("status ", status), fmt.Sprintf(`
			O: %d / Cache-Control: max-age=2
			C: -> miss / %[1]d
			T+3 C: -> miss / %[1]d`, status)})
	}
	return rows
}
