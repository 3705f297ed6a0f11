package conformance

// What clients may ask for (RFC 9111 5.2.1, 5.4). Unknown words change nothing, whoever is
// listened to.
var requests = []row{
	{"16", "only-if-cached of what is stored", `
		O: Cache-Control: max-age=60
		C: -> miss
		C: Cache-Control: only-if-cached -> hit`},
	{"16", "only-if-cached of what is not", `
		O: Cache-Control: max-age=60
		C: Cache-Control: only-if-cached => nothing -> 504`},
	{"16", "only-if-cached of what is stale", `
		O: Cache-Control: max-age=2
		C: -> miss
		T+3 C: Cache-Control: only-if-cached => nothing -> 504`},
	{"16", "no-cache", `
		O: Cache-Control: max-age=60
		C: -> miss
		C: Cache-Control: no-cache -> miss
		C: -> hit 2`},
	{"16", "no-cache of what has a tag", `
		O: Cache-Control: max-age=60 / ETag: "v1"
		C: -> miss
		O: 304
		C: Cache-Control: no-cache => If-None-Match: "v1" -> revalidated 1`},
	{"16", "no-store", `
		O: Cache-Control: max-age=60
		C: Cache-Control: no-store -> miss
		C: -> miss`},
	{"16", "max-age=0", `
		O: Cache-Control: max-age=60
		C: -> miss
		T+1 C: Cache-Control: max-age=0 -> miss`},
	{"16", "max-age less than the age", `
		O: Cache-Control: max-age=60
		C: -> miss
		T+7 C: Cache-Control: max-age=6 -> miss`},
	{"16", "max-age more than the age", `
		O: Cache-Control: max-age=60
		C: -> miss
		T+7 C: Cache-Control: max-age=8 -> hit`},
	{"16", "max-age counts Age that came", `
		O: Cache-Control: max-age=600 / Age: 100
		C: -> miss
		C: Cache-Control: max-age=50 -> miss`},
	{"16", "min-fresh that cannot be met", `
		O: Cache-Control: max-age=60
		C: -> miss
		T+7 C: Cache-Control: min-fresh=54 -> miss`},
	{"16", "min-fresh that is met", `
		O: Cache-Control: max-age=60
		C: -> miss
		T+7 C: Cache-Control: min-fresh=50 -> hit`},
	{"16", "max-stale that is enough", `
		O: Cache-Control: max-age=2
		C: -> miss
		T+7 C: Cache-Control: max-stale=10 -> hit / Age: 7`},
	{"16", "max-stale that is not", `
		O: Cache-Control: max-age=2
		C: -> miss
		T+7 C: Cache-Control: max-stale=4 -> miss`},
	{"16", "max-stale without end", `
		O: Cache-Control: max-age=2
		C: -> miss
		T+700 C: Cache-Control: max-stale -> hit`},
	{"16", "Pragma: no-cache", `
		O: Cache-Control: max-age=60
		C: -> miss
		C: Pragma: no-cache -> miss`},
	{"16", "Pragma: no-cache beside Cache-Control", `
		O: Cache-Control: max-age=60
		C: -> miss
		C: Pragma: no-cache / Cache-Control: max-age=30 -> hit`},
	{"16", "another Pragma", `
		O: Cache-Control: max-age=60
		C: Pragma: foo / Cache-Control: nothing-to-see-here -> miss
		C: Pragma: foo / Cache-Control: nothing-to-see-here -> hit`},
	{"16", "unknown directives", `
		O: Cache-Control: max-age=60
		C: Cache-Control: zork="no-cache", x-no-store -> miss
		C: Cache-Control: zork="no-cache", x-no-store -> hit`},
	{"16", "no-transform", `
		O: Cache-Control: max-age=60
		C: Cache-Control: no-transform -> miss
		C: Cache-Control: no-transform -> hit`},
	{"16", "it is passed on", `
		O: 200
		C: Cache-Control: no-cache / Pragma: no-cache => Cache-Control: no-cache / Pragma: no-cache -> miss`},
}

// Clients that nobody listens to: client_directives: ignore.
var ignoredRequests = []row{
	{"16", "no-cache is ignored", `
		O: Cache-Control: max-age=60
		C: -> miss
		C: Cache-Control: no-cache -> hit`},
	{"16", "no-store is ignored", `
		O: Cache-Control: max-age=60
		C: Cache-Control: no-store -> miss
		C: -> hit`},
	{"16", "max-age is ignored", `
		O: Cache-Control: max-age=60
		C: -> miss
		T+7 C: Cache-Control: max-age=0 -> hit`},
	{"16", "min-fresh is ignored", `
		O: Cache-Control: max-age=60
		C: -> miss
		T+7 C: Cache-Control: min-fresh=54 -> hit`},
	{"16", "max-stale is ignored", `
		O: Cache-Control: max-age=2
		C: -> miss
		T+7 C: Cache-Control: max-stale -> miss`},
	{"16", "Pragma is ignored", `
		O: Cache-Control: max-age=60
		C: -> miss
		C: Pragma: no-cache -> hit`},
	{"16", "stale-if-error is ignored", `
		O: Cache-Control: max-age=2
		C: -> miss
		O: 503
		T+3 C: Cache-Control: stale-if-error=60 -> miss / 503`},
	{"16", "only-if-cached is honoured all the same", `
		O: Cache-Control: max-age=60
		C: Cache-Control: only-if-cached => nothing -> 504`},
}
