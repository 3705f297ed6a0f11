package conformance

// What may be stored, and for whom (RFC 9111 3, 3.5, 5.2.2).
var storing = []row{
	{"R1", "no-store", `
		O: Cache-Control: no-store
		C: -> miss
		C: -> miss`},
	{"R1", "no-store beside max-age", `
		O: Cache-Control: no-store, max-age=60
		C: -> miss
		C: -> miss`},
	{"R1", "no-store beside Expires", `
		O: Cache-Control: no-store / Expires: D(+60)
		C: -> miss
		C: -> miss`},
	{"R1", "no-store in other letters", `
		O: Cache-Control: No-StOrE, max-age=60
		C: -> miss
		C: -> miss`},
	{"R1", "private", `
		O: Cache-Control: private, max-age=60
		C: -> miss
		C: -> miss`},
	{"R1", "private beside Expires", `
		O: Cache-Control: private / Expires: D(+60)
		C: -> miss
		C: -> miss`},
	{"R1", "private in other letters", `
		O: Cache-Control: PRIVATE, max-age=60
		C: -> miss
		C: -> miss`},
	{"R1", "private beside s-maxage", `
		O: Cache-Control: private, s-maxage=60
		C: -> miss
		C: -> miss`},
	{"R1", "a no-store answer to another does not remove what is stored", `
		O: Cache-Control: max-age=60 / Vary: Tier
		C: -> miss
		O: Cache-Control: no-store / Vary: Tier
		C: Tier: gold -> miss
		C: -> hit 1`},
	{"R1", "an answer that may be stored again is", `
		O: Cache-Control: no-store
		C: -> miss
		O: Cache-Control: max-age=60
		C: -> miss
		C: -> hit 2`},
	{"R2", "no-cache is asked about each time", `
		O: Cache-Control: no-cache / ETag: "v1"
		C: -> miss
		O: 304 / ETag: "v1"
		C: => If-None-Match: "v1" -> revalidated 1
		C: => If-None-Match: "v1" -> revalidated 1`},
	{"R2", "no-cache beside max-age", `
		O: Cache-Control: no-cache, max-age=60 / ETag: "v1"
		C: -> miss
		O: 304
		C: => If-None-Match: "v1" -> revalidated 1`},
	{"R2", "no-cache beside Expires, with Last-Modified", `
		O: Cache-Control: no-cache / Expires: D(+60) / Last-Modified: D(-100)
		C: -> miss
		O: 304
		C: => If-Modified-Since: D(-100) -> revalidated 1`},
	{"R2", "no-cache in other letters", `
		O: Cache-Control: No-CaChE, max-age=60 / ETag: "v1"
		C: -> miss
		O: 304
		C: => If-None-Match: "v1" -> revalidated 1`},
	{"R2", "no-cache beside s-maxage", `
		O: Cache-Control: no-cache, s-maxage=60 / ETag: "v1"
		C: -> miss
		C: => If-None-Match: "v1" -> miss`},
	{"R2", "no-cache without a validator", `
		O: Cache-Control: no-cache, max-age=60
		C: -> miss
		C: -> miss`},
	{"R2", "a new answer takes the place of a no-cache one", `
		O: Cache-Control: no-cache / ETag: "v1"
		C: -> miss
		O: Cache-Control: max-age=60 / ETag: "v2"
		C: => If-None-Match: "v1" -> miss
		C: -> hit 2`},
	{"R3", `private="x" is for nobody else, or without x`, `
		O: Cache-Control: private="x-user", max-age=60 / X-User: ann
		C: -> miss / X-User: ann
		C: -> 200 / miss`},
	{"R3", `no-cache="x" is asked about, or without x`, `
		O: Cache-Control: no-cache="x-user", max-age=60 / X-User: ann / ETag: "v1"
		C: -> miss / X-User: ann
		C: => If-None-Match: "v1" -> miss`},
	{"R4", "an answer to Authorization is not for others", `
		O: Cache-Control: max-age=60
		C: Authorization: q => Authorization: q -> miss
		C: -> miss`},
	{"R4", "nor for the same", `
		O: Cache-Control: max-age=60
		C: Authorization: q -> miss
		C: Authorization: q -> miss`},
	{"R4", "nor with Expires", `
		O: Expires: D(+60)
		C: Authorization: q -> miss
		C: -> miss`},
	{"R4", "public shares it", `
		O: Cache-Control: max-age=60, public
		C: Authorization: q -> miss
		C: -> hit
		C: Authorization: q -> hit`},
	{"R4", "must-revalidate shares it", `
		O: Cache-Control: max-age=60, must-revalidate
		C: Authorization: q -> miss
		C: -> hit`},
	{"R4", "s-maxage shares it", `
		O: Cache-Control: s-maxage=60
		C: Authorization: q -> miss
		C: -> hit`},
	{"R4", "proxy-revalidate does not", `
		O: Cache-Control: max-age=60, proxy-revalidate
		C: Authorization: q -> miss
		C: -> miss`},
	{"R4", "what is stored is no answer to Authorization", `
		O: Cache-Control: max-age=60
		C: -> miss
		C: Authorization: q => Authorization: q -> miss
		C: -> hit 1`},
	{"R4", "unless it is public", `
		O: Cache-Control: max-age=60, public
		C: -> miss
		C: Authorization: q -> hit`},
	{"R4", "an answer to Authorization does not take the place of what is stored", `
		O: Cache-Control: max-age=60
		C: -> miss
		O: Cache-Control: max-age=60, no-store
		C: Authorization: q -> miss
		C: -> hit 1`},
	{"R5", "must-revalidate changes nothing while fresh", `
		O: Cache-Control: max-age=60, must-revalidate
		C: -> miss
		T+59 C: -> hit
		T+61 C: -> miss`},
	{"R5", "must-revalidate alone makes nothing fresh", `
		O: Cache-Control: must-revalidate
		C: -> miss
		C: -> miss`},
	{"R5", "proxy-revalidate changes nothing while fresh", `
		O: Cache-Control: max-age=60, proxy-revalidate
		C: -> miss
		T+59 C: -> hit`},
	{"R6", "a cookie changes nothing", `
		O: Cache-Control: max-age=60
		C: Cookie: a=1 => Cookie: a=1 -> miss
		C: Cookie: a=2 -> hit
		C: -> hit`},
	{"R6", "a cookie matters where Vary names it", `
		O: Cache-Control: max-age=60 / Vary: Cookie
		C: Cookie: a=1 -> miss
		C: Cookie: a=2 -> miss
		C: Cookie: a=1 -> hit 1`},
	{"R6", "Set-Cookie is stored and replayed", `
		O: Cache-Control: max-age=60 / Set-Cookie: a=1
		C: -> miss / Set-Cookie: a=1
		C: -> hit / Set-Cookie: a=1`},
	{"R6", "several Set-Cookie stay apart", `
		O: Cache-Control: max-age=60 / Set-Cookie: a=1 / Set-Cookie: b=2; Path=/
		C: -> miss
		C: -> hit / Set-Cookie: a=1 / Set-Cookie: b=2; Path=/`},
	{"R1", "no-transform and immutable forbid nothing", `
		O: Cache-Control: max-age=60, no-transform, immutable
		C: -> miss
		C: -> hit`},
	{"16", "Pragma in an answer means nothing", `
		O: Cache-Control: max-age=60 / Pragma: no-cache
		C: -> miss
		C: -> hit / Pragma: no-cache`},
	{"16", "Pragma alone does not forbid Expires", `
		O: Expires: D(+60) / Pragma: no-cache
		C: -> miss
		C: -> hit`},
}

// What becomes of Set-Cookie is a choice (R6).
var cookiesStripped = []row{
	{"R6", "Set-Cookie is left out where it is stripped", `
		O: Cache-Control: max-age=60 / Set-Cookie: a=1 / X-Test: yes
		C: -> miss
		C: -> hit / no Set-Cookie / X-Test: yes`},
}

var cookiesBypass = []row{
	{"R6", "an answer with Set-Cookie is passed on where they bypass", `
		O: Cache-Control: max-age=60 / Set-Cookie: a=1
		C: -> miss / Set-Cookie: a=1
		C: -> miss / Set-Cookie: a=1`},
}
