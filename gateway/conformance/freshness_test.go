package conformance

// How long an answer is fresh (RFC 9111 4.2.1, 5.2.2, 5.3).
var freshness = []row{
	{"F1", "max-age hides an Expires that has passed", `
		O: Cache-Control: max-age=900 / Expires: D(-3600)
		C: -> miss
		T+3 C: -> hit`},
	{"F1", "max-age hides an Expires that is invalid", `
		O: Cache-Control: max-age=900 / Expires: 0
		C: -> miss
		T+3 C: -> hit`},
	{"F1", "max-age=0 hides an Expires to come", `
		O: Cache-Control: max-age=0 / Expires: D(+3600)
		C: -> miss
		C: -> miss`},
	{"F1", "max-age hides an Expires that is sooner", `
		O: Cache-Control: max-age=900 / Expires: D(+60)
		C: -> miss
		T+100 C: -> hit`},
	{"F1", "max-age hides an Expires that is later", `
		O: Cache-Control: max-age=60 / Expires: D(+900)
		C: -> miss
		T+100 C: -> miss`},
	{"F1", "an invalid max-age hides an Expires to come", `
		O: Cache-Control: max-age=soon / Expires: D(+3600)
		C: -> miss
		C: -> miss`},
	{"F1", "Expires hides what Last-Modified would give", `
		O: Expires: D(+60) / Last-Modified: D(-864000)
		C: -> miss
		T+59 C: -> hit
		T+61 C: => If-Modified-Since: D(-864000) -> miss`},
	{"F1", "the order of fields does not matter", `
		O: Expires: D(-3600) / Cache-Control: max-age=900
		C: -> miss
		T+3 C: -> hit`},
	{"F2", "s-maxage shortens max-age", `
		O: Cache-Control: s-maxage=2, max-age=900
		C: -> miss
		T+3 C: -> miss`},
	{"F2", "s-maxage shortens max-age, behind it", `
		O: Cache-Control: max-age=900, s-maxage=2
		C: -> miss
		T+3 C: -> miss`},
	{"F2", "s-maxage lengthens max-age", `
		O: Cache-Control: s-maxage=900, max-age=2
		C: -> miss
		T+3 C: -> hit`},
	{"F2", "s-maxage lengthens max-age, behind it", `
		O: Cache-Control: max-age=2, s-maxage=900
		C: -> miss
		T+3 C: -> hit`},
	{"F2", "s-maxage on a line before", `
		O: Cache-Control: s-maxage=900 / Cache-Control: max-age=2
		C: -> miss
		T+3 C: -> hit`},
	{"F2", "s-maxage on a line behind", `
		O: Cache-Control: max-age=900 / Cache-Control: s-maxage=2
		C: -> miss
		T+3 C: -> miss`},
	{"F2", "s-maxage outranks max-age=0 and an Expires that has passed", `
		O: Expires: D(-9) / Cache-Control: max-age=0, s-maxage=900
		C: -> miss
		T+3 C: -> hit`},
	{"F2", "s-maxage alone", `
		O: Cache-Control: s-maxage=60
		C: -> miss
		T+59 C: -> hit
		T+61 C: -> miss`},
	{"F2", "s-maxage=0 outranks max-age", `
		O: Cache-Control: max-age=900, s-maxage=0
		C: -> miss
		C: -> miss`},
	{"F2", "s-maxage outranks an Expires to come", `
		O: Expires: D(+900) / Cache-Control: s-maxage=2
		C: -> miss
		T+3 C: -> miss`},
	{"F3", "an answer is fresh for max-age", `
		O: Cache-Control: max-age=900
		C: -> miss
		C: -> hit
		T+899 C: -> hit
		T+901 C: -> miss`},
	{"F3", "an answer as old as its lifetime is stale", `
		O: Cache-Control: max-age=2
		C: -> miss
		T+1.999 C: -> hit
		T+2 C: -> miss`},
	{"F3", "max-age=0 is never fresh", `
		O: Cache-Control: max-age=0
		C: -> miss
		C: -> miss`},
	{"F3", "Expires equal to Date is never fresh", `
		O: Date: D(+0) / Expires: D(+0)
		C: -> miss
		C: -> miss`},
	{"F3", "stale is stale for all later requests", `
		O: Cache-Control: max-age=2
		C: -> miss
		T+3 C: -> miss
		T+4 C: -> hit 2`},
	{"F4", "Expires to come", `
		O: Expires: D(+60)
		C: -> miss
		T+59 C: -> hit
		T+61 C: -> miss`},
	{"F4", "Expires that has passed", `
		O: Expires: D(-60)
		C: -> miss
		C: -> miss`},
	{"F4", "Expires before Date, though both are to come", `
		O: Date: D(+400) / Expires: D(+300)
		C: -> miss
		C: -> miss`},
	{"F4", "Expires and Date both ahead of our clock", `
		O: Date: D(+400) / Expires: D(+460)
		C: -> miss
		T+59 C: -> hit
		T+61 C: -> miss`},
	{"F4", "Expires where Date cannot be read", `
		O: Date: zzz / Expires: D(+60)
		C: -> miss
		T+59 C: -> hit`},
	{"F4", "Expires without Date counts from when it came", `
		O: no Date / Expires: D(+60)
		C: -> miss
		T+59 C: -> hit
		T+61 C: -> miss`},
	{"F5", "Age is taken off max-age", `
		O: Cache-Control: max-age=500 / Age: 490
		C: -> miss
		T+9 C: -> hit
		T+11 C: -> miss`},
	{"F5", "Age beyond max-age", `
		O: Cache-Control: max-age=500 / Age: 501
		C: -> miss
		C: -> miss`},
	{"F5", "Age equal to max-age", `
		O: Cache-Control: max-age=500 / Age: 500
		C: -> miss
		C: -> miss`},
	{"F5", "Age is taken off s-maxage", `
		O: Cache-Control: s-maxage=500 / Age: 490
		C: -> miss
		T+9 C: -> hit
		T+11 C: -> miss`},
	{"F5", "Age beyond Expires with a fast Date", `
		O: Date: D(+30) / Expires: D(+50) / Age: 40
		C: -> miss
		C: -> miss`},
	{"F5", "Age beyond Expires with a slow Date", `
		O: Date: D(-30) / Expires: D(-10) / Age: 40
		C: -> miss
		C: -> miss`},
	{"F5", "Age is taken off Expires", `
		O: Expires: D(+60) / Age: 50
		C: -> miss
		T+9 C: -> hit
		T+11 C: -> miss`},
	{"F6", "names of directives have no case", `
		O: Cache-Control: S-MaxAge=60
		C: -> miss
		T+59 C: -> hit`},
	{"F6", "MAX-AGE", `
		O: Cache-Control: MAX-AGE=60
		C: -> miss
		T+59 C: -> hit
		T+61 C: -> miss`},
	{"F6", "the name of the field has no case", `
		O: cache-CONTROL: max-age=60
		C: -> miss
		T+59 C: -> hit`},
	{"F6", "unknown directives are ignored", `
		O: Cache-Control: zork, max-age=60, blip="x,y"
		C: -> miss
		T+59 C: -> hit`},
	{"F6", "unknown directives make nothing fresh", `
		O: Cache-Control: zork=60, x-max-age=60
		C: -> miss
		C: -> miss`},
	{"F7", "max-age of 2^31-1", `
		O: Cache-Control: max-age=2147483647
		C: -> miss
		T+900 C: -> hit`},
	{"F7", "max-age of 2^31", `
		O: Cache-Control: max-age=2147483648
		C: -> miss
		T+900 C: -> hit`},
	{"F7", "max-age of 2^31+1", `
		O: Cache-Control: max-age=2147483649
		C: -> miss
		T+900 C: -> hit`},
	{"F7", "max-age beyond 2^31", `
		O: Cache-Control: max-age=4000000000
		C: -> miss
		T+900 C: -> hit`},
	{"F7", "max-age beyond 2^64", `
		O: Cache-Control: max-age=99999999999999999999999
		C: -> miss
		T+900 C: -> hit`},
	{"F7", "max-age below 0", `
		O: Cache-Control: max-age=-60
		C: -> miss
		C: -> miss`},
	{"F8", "nothing is said of freshness", `
		O: 200
		C: -> miss
		C: -> miss`},
	{"F8", "public alone says nothing of it", `
		O: Cache-Control: public
		C: -> miss
		C: -> miss`},
	{"F8", "an ETag alone does not make an answer fresh", `
		O: ETag: "v1"
		C: -> miss
		C: -> miss`},
}
