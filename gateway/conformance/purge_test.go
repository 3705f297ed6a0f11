package conformance

// What operators remove, by tags that answers carry, and else.
var purges = []row{
	{"17", "a tag of Surrogate-Key", `
		O: Cache-Control: max-age=60 / Surrogate-Key: a@ b@
		C: @/1 -> miss
		O: Cache-Control: max-age=60 / Surrogate-Key: b@
		C: @/2 -> miss
		purge tag:a@
		C: @/1 -> miss
		C: @/2 -> hit 2`},
	{"17", "a tag of Cache-Tag", `
		O: Cache-Control: max-age=60 / Cache-Tag: a@, b@
		C: -> miss
		purge tag:b@
		C: -> miss`},
	{"17", "tags of both, on several lines", `
		O: Cache-Control: max-age=60 / Surrogate-Key: a@ / Surrogate-Key: b@ / Cache-Tag: c@
		C: -> miss
		purge tag:c@
		C: -> miss
		purge tag:b@
		C: -> miss
		purge tag:d@
		C: -> hit 3`},
	{"17", "tags have case, and are compared as a whole", `
		O: Cache-Control: max-age=60 / Surrogate-Key: news@
		C: -> miss
		purge tag:NEWS@
		purge tag:new
		C: -> hit`},
	{"17", "tags that a 304 changes", `
		O: Cache-Control: max-age=2 / ETag: "v1" / Surrogate-Key: a@
		C: -> miss
		O: 304 / Cache-Control: max-age=60 / Surrogate-Key: b@
		T+3 C: -> revalidated 1
		purge tag:a@
		C: -> hit 1
		purge tag:b@
		C: => no If-None-Match -> 304`},
	{"17", "a URL", `
		O: Cache-Control: max-age=60
		C: @/a?x=1 -> miss
		C: @/a?x=2 -> miss
		purge http://shop.example@/a?x=1
		C: @/a?x=2 -> hit 2
		C: @/a?x=1 -> miss`},
	{"17", "a URL with all its variants and parts", `
		O: Cache-Control: max-age=60 / Vary: Tier
		C: Tier: gold -> miss
		C: Tier: iron -> miss
		purge http://shop.example@
		C: Tier: gold -> miss
		C: Tier: iron -> miss`},
	{"17", "a path with what is below it", `
		O: Cache-Control: max-age=60
		C: @/img/a/1 -> miss
		C: @/css/1 -> miss
		purge site:shop path:@/img/**
		C: @/img/a/1 -> miss
		C: @/css/1 -> hit 2`},
	{"17", "a site, and no other", `
		O: Cache-Control: max-age=60
		C: -> miss
		C: Host: other.example -> miss
		purge site:other
		C: -> hit 1
		C: Host: other.example -> miss`},
	{"17", "what is expired is asked about", `
		O: Cache-Control: max-age=60 / ETag: "v1" / Surrogate-Key: a@
		C: -> miss
		expire tag:a@
		O: 304 / Cache-Control: max-age=60
		C: => If-None-Match: "v1" -> revalidated 1
		C: -> hit 1`},
	{"17", "what is expired is sent when there is no origin", `
		O: Cache-Control: max-age=60 / Surrogate-Key: a@
		C: -> miss
		expire tag:a@
		O: drop
		C: => GET -> stale 1`},
	{"17", "what is expired is sent while it is asked for anew", `
		O: Cache-Control: max-age=60, stale-while-revalidate=60 / Surrogate-Key: a@
		C: -> miss
		expire tag:a@
		O: Cache-Control: max-age=60 / Surrogate-Key: a@
		C: -> stale 1
		=> GET
		until C: -> hit 2`},
	{"17", "an answer that was asked for before is not stored behind it", `
		O: hold / Cache-Control: max-age=60 / Surrogate-Key: a@
		C1: => GET
		purge tag:a@
		go
		C1 -> 200
		O: Cache-Control: max-age=60
		C: -> miss`},
	{"17", "an answer that is on its way is not stored behind it", `
		O: Cache-Control: max-age=60 / Surrogate-Key: a@ / body abc / hold / body def
		C1: => GET
		C1 -> body abc / so far
		purge tag:a@
		go
		C1 -> body abcdef
		O: Cache-Control: max-age=60
		C: -> miss`},
	{"17", "an answer that was asked for before is stale behind one that expires", `
		O: hold / Cache-Control: max-age=60 / Surrogate-Key: a@ / ETag: "v1"
		C1: => GET
		expire tag:a@
		go
		C1 -> 200
		O: 304
		C: => GET -> 200`},
	{"17", "who waits is answered all the same", `
		O: hold / Cache-Control: max-age=60
		C1: => GET
		C2:
		waiting 1
		purge http://shop.example@
		go
		C1 -> 200 / body answer 1
		C2 -> 200 / body answer 1`},
	{"17", "what still holds is not stored behind it", `
		O: Cache-Control: max-age=2 / ETag: "v1" / Surrogate-Key: a@
		C: -> miss
		O: hold / 304 / Cache-Control: max-age=60
		T+3 C1: => If-None-Match: "v1"
		purge tag:a@
		go
		C1 -> 200
		O: 200
		C: => no If-None-Match -> miss`},
}
