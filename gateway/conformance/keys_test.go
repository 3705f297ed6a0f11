package conformance

// What tells stored answers apart, so that nobody is given what another has planted
// (RFC 9111 2).
var keys = []row{
	{"17", "aliases of a site share", `
		O: Cache-Control: max-age=60
		C: => Host: shop.example -> miss
		C: Host: www.shop.example -> hit`},
	{"17", "the port and the case of a host do not matter", `
		O: Cache-Control: max-age=60
		C: -> miss
		C: Host: SHOP.example -> hit`},
	{"17", "a whole URL is the path in it", `
		O: Cache-Control: max-age=60
		C: -> miss
		C: GET http://shop.example@ -> hit
		C: GET http://other.example@ Host: other.example -> miss`},
	{"17", "http and https do not share", `
		O: Cache-Control: max-age=60
		C: => X-Forwarded-Proto: http -> miss
		C: https => X-Forwarded-Proto: https -> miss
		C: -> hit 1
		C: https -> hit 2`},
	{"17", "what is removed by http is so by https", `
		O: Cache-Control: max-age=60
		C: https -> miss
		purge site:shop path:@
		C: https -> miss`},
	{"17", "sites do not share", `
		O: Cache-Control: max-age=60
		C: -> miss
		C: Host: other.example -> miss
		C: -> hit 1
		C: Host: other.example -> hit 2`},
	{"17", "X-Forwarded-Host of a client reaches nobody", `
		O: Cache-Control: max-age=60
		C: X-Forwarded-Host: evil.example => X-Forwarded-Host: shop.example -> miss
		C: -> hit`},
	{"17", "X-Forwarded-Proto of a client reaches nobody", `
		O: Cache-Control: max-age=60
		C: X-Forwarded-Proto: https => X-Forwarded-Proto: http -> miss
		C: -> hit`},
	{"17", "Forwarded and X-Original-URL of a client reach nobody", `
		O: Cache-Control: max-age=60
		C: Forwarded: host=evil.example / X-Original-URL: /evil / X-Rewrite-URL: /evil => no X-Original-URL / no X-Rewrite-URL / Forwarded !~ evil -> miss
		C: -> hit`},
	{"17", "fields that override the method reach nobody", `
		O: Cache-Control: max-age=60
		C: X-HTTP-Method-Override: POST / X-HTTP-Method: POST / X-Method-Override: POST => no X-HTTP-Method-Override / no X-HTTP-Method / no X-Method-Override -> miss
		C: -> hit`},
	{"17", "a GET with content is no GET", `
		O: Cache-Control: max-age=60
		C: GET body evil => body evil -> miss
		C: -> miss
		C: GET body evil -> miss
		C: -> hit 2`},
	{"17", "two hosts", `
		O: Cache-Control: max-age=60
		C: Host: shop.example / Host: evil.example => nothing -> 400
		C: -> miss`},
	{"17", "a host that is none", `
		O: Cache-Control: max-age=60
		C: Host: shop.example:x => nothing -> 400
		C: -> miss`},
	{"17", "two lengths", `
		O: Cache-Control: max-age=60
		C: Content-Length: 0 / Content-Length: 1 => nothing -> 400
		C: -> miss`},
	{"17", "a request for a range does not spoil the whole", `
		O: 206 / Content-Range: bytes 0-0/10 / Cache-Control: max-age=60 / body a
		C: Range: bytes=0-0 -> miss / 206
		O: Cache-Control: max-age=60 / body abcdefghij
		C: -> 200 / body abcdefghij`},
	{"17", "an error of the gateway is not stored", `
		O: drop
		C: => GET -> 502
		O: Cache-Control: max-age=60
		C: -> miss / 200`},
	{"17", "a path is stored as it was sent to the origin", `
		O: Cache-Control: max-age=60
		C: @/%61 => @/%61 -> miss
		C: @/a -> miss
		C: @/%61 -> hit 1
		C: @/a -> hit 2`},
	{"17", "an escaped slash is no slash", `
		O: Cache-Control: max-age=60
		C: @/a/b -> miss
		C: @/c -> miss
		C: @/a/b -> hit 1`},
	{"17", "a fragment of a path is no other path", `
		O: Cache-Control: max-age=60
		C: @/a.css -> miss
		C: @/a.css;x -> miss
		C: @/a.css -> hit 1`},
}

// What a configuration adds: key: { ignore_params: [utm_source], sort_params: true,
// headers: [X-Tier], cookies: [tier] }.
var configuredKeys = []row{
	{"17", "a parameter that does not matter", `
		O: Cache-Control: max-age=60
		C: @?a=1&utm_source=x => @?a=1&utm_source=x -> miss
		C: @?a=1 -> hit
		C: @?utm_source=y&a=1 -> hit
		C: @?a=2 -> miss`},
	{"17", "the order of parameters does not matter", `
		O: Cache-Control: max-age=60
		C: @?a=1&b=2 -> miss
		C: @?b=2&a=1 -> hit
		C: @?b=1&a=2 -> miss`},
	{"17", "a field that matters", `
		O: Cache-Control: max-age=60
		C: X-Tier: gold -> miss
		C: X-Tier: iron -> miss
		C: -> miss
		C: X-Tier: gold -> hit 1`},
	{"17", "a cookie that matters", `
		O: Cache-Control: max-age=60
		C: Cookie: a=1; tier=gold -> miss
		C: Cookie: tier=gold; b=2 -> hit
		C: Cookie: tier=iron -> miss
		C: Cookie: a=1 -> miss`},
	{"17", "parameters that do not matter are removed with their target", `
		O: Cache-Control: max-age=60
		C: @?a=1&utm_source=x -> miss
		O: 204
		C: DELETE @?utm_source=z&a=1 -> 204
		O: Cache-Control: max-age=60
		C: @?a=1&utm_source=x -> miss`},
	{"17", "all that a field tells apart is removed with its target", `
		O: Cache-Control: max-age=60
		C: X-Tier: gold -> miss
		C: X-Tier: iron -> miss
		O: 204
		C: DELETE -> 204
		O: Cache-Control: max-age=60
		C: X-Tier: gold -> miss
		C: X-Tier: iron -> miss`},
}
