package conformance

// Which answer is for which request (RFC 9111 2, 4.1).
var varying = []row{
	{"V1", "another query is another target", `
		O: Cache-Control: max-age=60
		C: @?x=1 => @?x=1 -> miss
		C: @?x=2 -> miss
		C: @?x=1 -> hit 1`},
	{"V1", "no query, and an empty one", `
		O: Cache-Control: max-age=60
		C: -> miss
		C: @? -> miss`},
	{"V1", "the order of parameters", `
		O: Cache-Control: max-age=60
		C: @?a=1&b=2 -> miss
		C: @?b=2&a=1 -> miss
		C: @?a=1&b=2 -> hit 1`},
	{"V1", "letters of a path have case", `
		O: Cache-Control: max-age=60
		C: @/a -> miss
		C: @/A -> miss`},
	{"V1", "a slash at the end matters", `
		O: Cache-Control: max-age=60
		C: @/a -> miss
		C: @/a/ -> miss`},
	{"V1", "a fresh answer of one target is no answer of another", `
		O: Cache-Control: max-age=60
		C: @/a -> miss
		C: @/b -> miss
		C: @/a -> hit 1
		C: @/b -> hit 2`},
	{"V2", "the same value fits", `
		O: Cache-Control: max-age=60 / Vary: Tier
		C: Tier: gold -> miss
		C: Tier: gold -> hit`},
	{"V2", "another value does not fit", `
		O: Cache-Control: max-age=60 / Vary: Tier
		C: Tier: gold -> miss
		C: Tier: iron -> miss`},
	{"V2", "no value does not fit", `
		O: Cache-Control: max-age=60 / Vary: Tier
		C: Tier: gold -> miss
		C: -> miss`},
	{"V2", "a value does not fit none", `
		O: Cache-Control: max-age=60 / Vary: Tier
		C: -> miss
		C: Tier: gold -> miss`},
	{"V2", "none fits none", `
		O: Cache-Control: max-age=60 / Vary: Tier
		C: -> miss
		C: -> hit`},
	{"V2", "all variants are kept", `
		O: Cache-Control: max-age=60 / Vary: Tier
		C: Tier: gold -> miss
		C: Tier: iron -> miss
		C: -> miss
		C: Tier: gold -> hit 1
		C: Tier: iron -> hit 2
		C: -> hit 3`},
	{"V2", "an empty value is not none", `
		O: Cache-Control: max-age=60 / Vary: Tier
		C: Tier: -> miss
		C: -> miss`},
	{"V2", "all of several fields must fit", `
		O: Cache-Control: max-age=60 / Vary: Tier, Size
		C: Tier: gold / Size: 3 -> miss
		C: Tier: gold / Size: 4 -> miss
		C: Tier: iron / Size: 3 -> miss
		C: Tier: gold -> miss
		C: Tier: gold / Size: 3 -> hit 1`},
	{"V2", "three fields", `
		O: Cache-Control: max-age=60 / Vary: Tier, Size, Hue
		C: Tier: gold / Size: 3 / Hue: red -> miss
		C: Hue: red / Size: 3 / Tier: gold -> hit
		C: Tier: gold / Size: 3 -> miss`},
	{"V2", "values have case", `
		O: Cache-Control: max-age=60 / Vary: Tier
		C: Tier: gold -> miss
		C: Tier: Gold -> miss`},
	{"V2", "names have none", `
		O: Cache-Control: max-age=60 / Vary: tIER
		C: TIER: gold -> miss
		C: tier: gold -> hit
		C: tier: iron -> miss`},
	{"V2", "a variant of a new kind does not hide the old", `
		O: Cache-Control: max-age=60 / Vary: Tier
		C: Tier: gold -> miss
		O: Cache-Control: max-age=60 / Vary: Size
		C: Tier: iron / Size: 3 -> miss
		C: Tier: gold -> hit 1
		C: Size: 3 -> hit 2`},
	{"V3", "fields that are not named do not matter", `
		O: Cache-Control: max-age=60 / Vary: Tier
		C: Tier: gold / Size: 3 -> miss
		C: Tier: gold / Size: 4 / Hue: red -> hit`},
	{"V3", "several lines are one set", `
		O: Cache-Control: max-age=60 / Vary: Tier / Vary: Size
		C: Tier: gold / Size: 3 -> miss
		C: Tier: gold / Size: 3 -> hit
		C: Tier: gold / Size: 4 -> miss
		C: Tier: iron / Size: 3 -> miss`},
	{"V3", "the order of names does not matter", `
		O: Cache-Control: max-age=60 / Vary: Size, Tier
		C: Tier: gold / Size: 3 -> miss
		C: Size: 3 / Tier: gold -> hit`},
	{"V3", "a name that stands there twice", `
		O: Cache-Control: max-age=60 / Vary: Tier, Tier
		C: Tier: gold -> miss
		C: Tier: gold -> hit`},
	{"V3", "empty members are skipped", `
		O: Cache-Control: max-age=60 / Vary: , Tier,,
		C: Tier: gold -> miss
		C: Tier: gold -> hit
		C: -> miss`},
	{"V4", "*", `
		O: Cache-Control: max-age=60 / Vary: *
		C: -> miss
		C: -> miss`},
	{"V4", "*, *", `
		O: Cache-Control: max-age=60 / Vary: *, *
		C: -> miss
		C: -> miss`},
	{"V4", "* on two lines", `
		O: Cache-Control: max-age=60 / Vary: * / Vary: *
		C: -> miss
		C: -> miss`},
	{"V4", "* behind an empty member", `
		O: Cache-Control: max-age=60 / Vary: , *
		C: -> miss
		C: -> miss`},
	{"V4", "* behind an empty line", `
		O: Cache-Control: max-age=60 / Vary: / Vary: *
		C: -> miss
		C: -> miss`},
	{"V4", "* behind a name", `
		O: Cache-Control: max-age=60 / Vary: Tier, *
		C: Tier: gold -> miss
		C: Tier: gold -> miss`},
	{"V4", "* before a name", `
		O: Cache-Control: max-age=60 / Vary: *, Tier
		C: Tier: gold -> miss
		C: Tier: gold -> miss`},
	{"V4", "* on a line behind a name", `
		O: Cache-Control: max-age=60 / Vary: Tier / Vary: *
		C: -> miss
		C: -> miss`},
	{"V4", "* does not hide a variant that fits", `
		O: Cache-Control: max-age=60 / Vary: Tier
		C: Tier: gold -> miss
		O: Cache-Control: max-age=60 / Vary: *
		C: Tier: iron -> miss
		C: Tier: gold -> hit 1`},
	{"V5", "blanks round commas do not matter", `
		O: Cache-Control: max-age=60 / Vary: Tier
		C: Tier: 1,2 -> miss
		C: Tier: 1, 2 -> hit
		C: Tier:   1 ,	2   -> hit`},
	{"V5", "two lines are a list", `
		O: Cache-Control: max-age=60 / Vary: Tier
		C: Tier: 1,2 -> miss
		C: Tier: 1 / Tier: 2 -> hit`},
	{"V5", "a list is two lines", `
		O: Cache-Control: max-age=60 / Vary: Tier
		C: Tier: 1 / Tier: 2 -> miss
		C: Tier: 1, 2 -> hit`},
	{"V5", "the order in a list matters", `
		O: Cache-Control: max-age=60 / Vary: Tier
		C: Tier: 1, 2 -> miss
		C: Tier: 2, 1 -> miss`},
	{"V5", "blanks within a quoted string matter", `
		O: Cache-Control: max-age=60 / Vary: Tier
		C: Tier: "1,2" -> miss
		C: Tier: "1, 2" -> miss
		C: Tier: "1,2" -> hit 1`},
	{"V5", "languages have no case", `
		O: Cache-Control: max-age=60 / Vary: Accept-Language
		C: Accept-Language: en, de -> miss
		C: Accept-Language: EN, De -> hit`},
	{"V5", "blanks round languages do not matter", `
		O: Cache-Control: max-age=60 / Vary: Accept-Language
		C: Accept-Language: en, de -> miss
		C: Accept-Language: en,de -> hit
		C: Accept-Language:  en ,  de  -> hit`},
	{"V5", "the order of languages of equal weight does not matter", `
		O: Cache-Control: max-age=60 / Vary: Accept-Language
		C: Accept-Language: en, de -> miss
		C: Accept-Language: de, en -> hit`},
	{"V5", "the weight of languages matters", `
		O: Cache-Control: max-age=60 / Vary: Accept-Language
		C: Accept-Language: en, de;q=0.5 -> miss
		C: Accept-Language: en;q=0.5, de -> miss`},
	{"V5", "weights may be anywhere", `
		O: Cache-Control: max-age=60 / Vary: Accept-Language
		C: Accept-Language: en;q=0.5, de -> miss
		C: Accept-Language: de, en;q=0.5 -> hit`},
	{"V6", "an answer in the language that is wanted most", `
		O: Cache-Control: max-age=60 / Vary: Accept-Language / Content-Language: de
		C: Accept-Language: en, de -> miss
		C: Accept-Language: de -> hit`},
	{"V6", "an answer in the language that is wanted most of several", `
		O: Cache-Control: max-age=60 / Vary: Accept-Language / Content-Language: it
		C: Accept-Language: it, en -> miss
		C: Accept-Language: fr;q=0.2, it -> hit`},
	{"V6", "an answer in a language that is wanted less", `
		O: Cache-Control: max-age=60 / Vary: Accept-Language / Content-Language: it
		C: Accept-Language: it, en -> miss
		C: Accept-Language: fr, it;q=0.2 -> miss`},
	{"V6", "an answer in one of two that are wanted most", `
		O: Cache-Control: max-age=60 / Vary: Accept-Language / Content-Language: it
		C: Accept-Language: it -> miss
		C: Accept-Language: fr, it -> miss`},
	{"V7", "codings in another order", `
		O: Cache-Control: max-age=60 / Vary: Accept-Encoding
		C: Accept-Encoding: gzip, br -> miss
		C: Accept-Encoding: br, gzip -> hit`},
	{"V7", "codings have no case", `
		O: Cache-Control: max-age=60 / Vary: Accept-Encoding
		C: Accept-Encoding: gzip, br -> miss
		C: Accept-Encoding: GZIP,BR -> hit`},
	{"V7", "codings that are refused", `
		O: Cache-Control: max-age=60 / Vary: Accept-Encoding
		C: Accept-Encoding: gzip, br -> miss
		C: Accept-Encoding: gzip, br;q=0 -> miss`},
	{"V7", "no coding is not gzip", `
		O: Cache-Control: max-age=60 / Vary: Accept-Encoding / Content-Encoding: gzip
		C: Accept-Encoding: gzip -> miss
		C: -> miss`},
	{"V8", "of several variants the newest", `
		O: Cache-Control: max-age=900 / Vary: Tier / Date: D(-20)
		C: Tier: gold / Size: 3 -> miss
		O: Cache-Control: max-age=900 / Vary: Size / Date: D(-10)
		C: Tier: iron / Size: 4 -> miss
		C: Tier: gold / Size: 4 -> hit 2`},
	{"V8", "of several variants the newest, which came first", `
		O: Cache-Control: max-age=900 / Vary: Tier / Date: D(-10)
		C: Tier: gold / Size: 3 -> miss
		O: Cache-Control: max-age=900 / Vary: Size / Date: D(-20)
		C: Tier: iron / Size: 4 -> miss
		C: Tier: gold / Size: 4 -> hit 1`},
}
