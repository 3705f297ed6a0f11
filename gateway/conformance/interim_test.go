package conformance

// Interim answers (RFC 9110 15.2; RFC 8297).
var interim = []row{
	{"I1", "103 is passed on", `
		O: 103 / Link: <a> / X-I: 1 / 200
		C: -> 103 / Link: <a> / X-I: 1 / 200 / no Link / no X-I / miss`},
	{"I1", "102 is passed on", `
		O: 102 / X-I: 1 / 200
		C: -> 102 / X-I: 1 / 200 / no X-I / miss`},
	{"I1", "any number, in their order", `
		O: 102 / 103 / Link: <a> / 103 / Link: <b> / 103 / Link: <c> / Link: <d> / 200
		C: -> 102 / 103 / Link: <a> / 103 / Link: <b> / 103 / Link: <c> / Link: <d> / 200 / miss`},
	{"I1", "at once", `
		O: 103 / Link: <a> / hold / 200
		C1: => GET
		C1 -> 103 / Link: <a> / so far
		go
		C1 -> 103 / 200`},
	{"I1", "before an error", `
		O: 103 / Link: <a> / 404
		C: -> 103 / Link: <a> / 404 / miss`},
	{"I1", "with another method", `
		O: 103 / Link: <a> / 200
		C: POST body x -> 103 / Link: <a> / 200 / miss`},
	{"I1", "not to a client of HTTP/1.0", `
		O: 103 / Link: <a> / 200
		C: HTTP/1.0 -> 200 / no Link / miss`},
	{"I1", "102 to a client of HTTP/1.0", `
		O: 102 / 200
		C: HTTP/1.0 -> 200 / miss`},
	{"I1", "while it is asked whether what is stored still holds", `
		O: Cache-Control: max-age=2 / ETag: "v1"
		C: -> miss
		O: 103 / Link: <a> / 304
		T+3 C: => If-None-Match: "v1" -> 103 / Link: <a> / 200 / no Link / revalidated 1`},
	{"I2", "103 is not replayed", `
		O: 103 / Link: <a> / X-I: 1 / 200 / Cache-Control: max-age=60
		C: -> 103 / Link: <a> / X-I: 1 / 200 / no X-I / miss
		C: -> 200 / no Link / no X-I / hit`},
	{"I2", "102 is not replayed", `
		O: 102 / X-I: 1 / 200 / Cache-Control: max-age=60
		C: -> 102 / X-I: 1 / 200 / miss
		C: -> 200 / no X-I / hit`},
	{"I2", "fields of both stay apart", `
		O: 103 / Link: <a> / Cache-Control: no-store / 200 / Link: <b> / Cache-Control: max-age=60
		C: -> 103 / Link: <a> / Cache-Control: no-store / 200 / Link: <b> / Cache-Control: max-age=60 / miss
		C: -> 200 / Link: <b> / hit`},
	{"I2", "freshness of an interim answer means nothing", `
		O: 103 / Cache-Control: max-age=60 / 200
		C: -> 103 / Cache-Control: max-age=60 / 200 / no Cache-Control / miss
		C: -> 103 / Cache-Control: max-age=60 / 200 / no Cache-Control / miss`},
	{"I2", "HEAD of what is stored has none", `
		O: 103 / Link: <a> / 200 / Cache-Control: max-age=60
		C: -> 103 / 200 / miss
		C: HEAD -> 200 / no Link / hit`},
}
