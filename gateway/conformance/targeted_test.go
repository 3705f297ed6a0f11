package conformance

// Fields that are for caches like this one (RFC 9213).
var targeted = []row{
	{"T1", "max-age outranks no-store", `
		O: Cache-Control: no-store / CDN-Cache-Control: max-age=60
		C: -> miss
		T+59 C: -> hit
		T+61 C: -> miss`},
	{"T1", "max-age outranks private", `
		O: Cache-Control: private / CDN-Cache-Control: max-age=60
		C: -> miss
		C: -> hit`},
	{"T1", "max-age outranks no-cache", `
		O: Cache-Control: no-cache / CDN-Cache-Control: max-age=60
		C: -> miss
		C: -> hit`},
	{"T1", "max-age outranks a longer one", `
		O: CDN-Cache-Control: max-age=1 / Cache-Control: max-age=900
		C: -> miss
		T+3 C: -> miss`},
	{"T1", "max-age outranks a shorter one", `
		O: CDN-Cache-Control: max-age=60 / Cache-Control: max-age=1
		C: -> miss
		T+3 C: -> hit`},
	{"T1", "max-age outranks s-maxage", `
		O: CDN-Cache-Control: max-age=60 / Cache-Control: s-maxage=1
		C: -> miss
		T+3 C: -> hit`},
	{"T1", "max-age alone", `
		O: CDN-Cache-Control: max-age=60
		C: -> miss
		T+59 C: -> hit
		T+61 C: -> miss`},
	{"T1", "max-age outranks an Expires that has passed", `
		O: CDN-Cache-Control: max-age=60 / Expires: D(-60)
		C: -> miss
		C: -> hit`},
	{"T1", "max-age=0 outranks an Expires to come", `
		O: CDN-Cache-Control: max-age=0 / Expires: D(+60)
		C: -> miss
		C: -> miss`},
	{"T1", "private outranks max-age", `
		O: CDN-Cache-Control: private / Cache-Control: max-age=900
		C: -> miss
		C: -> miss`},
	{"T1", "no-store outranks max-age", `
		O: CDN-Cache-Control: no-store / Cache-Control: max-age=900
		C: -> miss
		C: -> miss`},
	{"T1", "no-cache outranks max-age", `
		O: CDN-Cache-Control: no-cache / Cache-Control: max-age=900 / ETag: "v1"
		C: -> miss
		O: 304
		C: => If-None-Match: "v1" -> revalidated 1`},
	{"T1", "what says nothing of freshness hides what does", `
		O: CDN-Cache-Control: public / Cache-Control: max-age=900 / Expires: D(+900)
		C: -> miss
		C: -> miss`},
	{"T1", "must-revalidate of Cache-Control means nothing then", `
		O: CDN-Cache-Control: max-age=2 / Cache-Control: must-revalidate
		C: -> miss
		O: drop
		T+3 C: => GET -> stale`},
	{"T1", "must-revalidate of its own", `
		O: CDN-Cache-Control: max-age=2, must-revalidate
		C: -> miss
		O: drop
		T+3 C: => GET -> 504`},
	{"T1", "the gateway's own field outranks it", `
		O: Weirkeep-Cache-Control: max-age=1 / CDN-Cache-Control: max-age=900
		C: -> miss
		T+3 C: -> miss`},
	{"T1", "the gateway's own field, behind it", `
		O: CDN-Cache-Control: no-store / Weirkeep-Cache-Control: max-age=900
		C: -> miss
		T+3 C: -> hit`},
	{"T1", "the next one where the first is not valid", `
		O: Weirkeep-Cache-Control: max-age=1, && / CDN-Cache-Control: max-age=900
		C: -> miss
		T+3 C: -> hit`},
	{"T1", "of other caches' fields none counts", `
		O: Cache-Control: max-age=60 / Other-CDN-Cache-Control: no-store / Surrogate-X: no-store
		C: -> miss
		C: -> hit`},
	{"T1", "the name has no case", `
		O: cdn-cache-control: max-age=60 / Cache-Control: no-store
		C: -> miss
		C: -> hit`},
	{"T1", "stale-while-revalidate of its own", `
		O: CDN-Cache-Control: max-age=1, stale-while-revalidate=30
		C: -> miss
		T+3 C: -> stale 1
		=> GET`},
	{"T2", "a mistake anywhere voids it, the shorter", `
		O: CDN-Cache-Control: max-age=1, && / Cache-Control: max-age=900
		C: -> miss
		T+3 C: -> hit`},
	{"T2", "a mistake anywhere voids it, the longer", `
		O: CDN-Cache-Control: max-age=900, && / Cache-Control: max-age=1
		C: -> miss
		T+3 C: -> miss`},
	{"T2", "a mistake before it", `
		O: CDN-Cache-Control: &&, max-age=1 / Cache-Control: max-age=900
		C: -> miss
		T+3 C: -> hit`},
	{"T2", "keys are in small letters", `
		O: CDN-Cache-Control: Max-Age=1 / Cache-Control: max-age=900
		C: -> miss
		T+3 C: -> hit`},
	{"T2", "a comma at the end is a mistake", `
		O: CDN-Cache-Control: max-age=1, / Cache-Control: max-age=900
		C: -> miss
		T+3 C: -> hit`},
	{"T2", "an empty field says nothing", `
		O: CDN-Cache-Control: / Cache-Control: max-age=900
		C: -> miss
		T+3 C: -> hit`},
	{"T2", "a string is no number", `
		O: CDN-Cache-Control: max-age="900" / Cache-Control: max-age=900
		C: -> miss
		C: -> miss`},
	{"T2", "a decimal is no integer", `
		O: CDN-Cache-Control: max-age=900.0 / Cache-Control: max-age=900
		C: -> miss
		C: -> miss`},
	{"T2", "what has the wrong type is ignored on its own", `
		O: CDN-Cache-Control: max-age=60, s-maxage="0", no-store=7
		C: -> miss`},
	{"T2", "a negative number is stale", `
		O: CDN-Cache-Control: max-age=-1 / Cache-Control: max-age=900
		C: -> miss
		C: -> miss`},
	{"T2", "15 digits", `
		O: CDN-Cache-Control: max-age=999999999999999
		C: -> miss
		T+900 C: -> hit`},
	{"T2", "16 digits are a mistake", `
		O: CDN-Cache-Control: max-age=1000000000000000 / Cache-Control: max-age=1
		C: -> miss
		T+3 C: -> miss`},
	{"T2", "parameters are ignored", `
		O: CDN-Cache-Control: max-age=60;x=1;y
		C: -> miss
		C: -> hit`},
	{"T2", "of two members the last counts", `
		O: CDN-Cache-Control: max-age=1, max-age=900
		C: -> miss
		T+3 C: -> hit`},
	{"T2", "two lines are one", `
		O: CDN-Cache-Control: zork / CDN-Cache-Control: max-age=60
		C: -> miss
		C: -> hit`},
	{"T2", "unknown members of any type are ignored", `
		O: CDN-Cache-Control: zork=(1 "a" ?1);q=2, max-age=60, blip=:aGk=:, x=*tok/en
		C: -> miss
		C: -> hit`},
	{"T2", "blanks round = are a mistake", `
		O: CDN-Cache-Control: max-age = 1 / Cache-Control: max-age=900
		C: -> miss
		T+3 C: -> hit`},
	{"T3", "Age counts", `
		O: CDN-Cache-Control: max-age=60 / Age: 61
		C: -> miss
		C: -> miss`},
	{"T3", "Age is taken off", `
		O: CDN-Cache-Control: max-age=60 / Age: 50
		C: -> miss
		T+9 C: -> hit
		T+11 C: -> miss`},
	{"T3", "an Expires that cannot be read is ignored", `
		O: CDN-Cache-Control: max-age=60 / Expires: 0
		C: -> miss
		C: -> hit`},
	{"T4", "it is passed on and replayed", `
		O: CDN-Cache-Control: max-age=60,  zork / Cache-Control: no-store
		C: -> miss / CDN-Cache-Control: max-age=60,  zork / Cache-Control: no-store
		C: -> hit / CDN-Cache-Control: max-age=60,  zork / Cache-Control: no-store`},
	{"T4", "also where nothing is stored", `
		O: CDN-Cache-Control: no-store
		C: -> miss / CDN-Cache-Control: no-store`},
	{"T5", "Age is sent though Cache-Control says that it has expired", `
		O: CDN-Cache-Control: max-age=600 / Cache-Control: max-age=1
		C: -> miss
		T+7 C: -> hit / Age: 7`},
}
