package conformance

// How Cache-Control is read (RFC 9111 5.2, RFC 9110 5.6).
var parsing = []row{
	{"P1", "max-age within a quoted string is none", `
		O: Cache-Control: note="max-age=900", max-age=1
		C: -> miss
		T+3 C: -> miss`},
	{"P1", "max-age within a quoted string behind it is none", `
		O: Cache-Control: max-age=1, note="max-age=900"
		C: -> miss
		T+3 C: -> miss`},
	{"P1", "no-store within a quoted string is none", `
		O: Cache-Control: note="no-store, private", max-age=60
		C: -> miss
		C: -> hit`},
	{"P1", "an escaped quote does not end a quoted string", `
		O: Cache-Control: note="a\", no-store, \"b", max-age=60
		C: -> miss
		C: -> hit`},
	{"P1", "part of a name is not the name", `
		O: Cache-Control: x-no-store, no-store-x, max-age=60
		C: -> miss
		C: -> hit`},
	{"P1", "several lines are one list", `
		O: Cache-Control: public / Cache-Control: max-age=60
		C: -> miss
		C: -> hit`},
	{"P1", "no-store on a line of its own", `
		O: Cache-Control: max-age=60 / Cache-Control: no-store
		C: -> miss
		C: -> miss`},
	{"P1", "empty members are skipped", `
		O: Cache-Control: , ,max-age=60,, ,
		C: -> miss
		C: -> hit`},
	{"P1", "an empty line is skipped", `
		O: Cache-Control: / Cache-Control: max-age=60
		C: -> miss
		C: -> hit`},
	{"P1", "no blanks between members", `
		O: Cache-Control: public,max-age=60,zork
		C: -> miss
		C: -> hit`},
	{"P1", "blanks and tabs round members", `
		O: Cache-Control: public  ,	 max-age=60  , zork
		C: -> miss
		C: -> hit`},
	{"P2", "leading zeros", `
		O: Cache-Control: max-age=00060
		C: -> miss
		T+59 C: -> hit
		T+61 C: -> miss`},
	{"P3", "single quotes are no quotes", `
		O: Cache-Control: max-age='900'
		C: -> miss
		C: -> miss`},
	{"P4", "a number in quotes", `
		O: Cache-Control: max-age="60"
		C: -> miss
		T+59 C: -> hit
		T+61 C: -> miss`},
	{"P4", "a decimal is stale", `
		O: Cache-Control: max-age=900.0
		C: -> miss
		C: -> miss`},
	{"P4", "a number with a letter behind it is stale", `
		O: Cache-Control: max-age=12x
		C: -> miss
		C: -> miss`},
	{"P4", "a number with a letter before it is stale", `
		O: Cache-Control: max-age=x12
		C: -> miss
		C: -> miss`},
	{"P4", "a blank before = is stale", `
		O: Cache-Control: max-age =900
		C: -> miss
		C: -> miss`},
	{"P4", "a blank behind = is stale", `
		O: Cache-Control: max-age= 900
		C: -> miss
		C: -> miss`},
	{"P4", "max-age without a value is stale", `
		O: Cache-Control: max-age / Expires: D(+900)
		C: -> miss
		C: -> miss`},
	{"P4", "an empty max-age is stale", `
		O: Cache-Control: max-age= / Expires: D(+900)
		C: -> miss
		C: -> miss`},
	{"P4", "a negative number is stale", `
		O: Cache-Control: max-age=-1 / Expires: D(+900)
		C: -> miss
		C: -> miss`},
	{"P4", "the first of two counts, the shorter", `
		O: Cache-Control: max-age=1, max-age=900
		C: -> miss
		T+3 C: -> miss`},
	{"P4", "the first of two counts, the longer", `
		O: Cache-Control: max-age=900, max-age=1
		C: -> miss
		T+3 C: -> hit`},
	{"P4", "the first of two lines counts", `
		O: Cache-Control: max-age=900 / Cache-Control: max-age=1
		C: -> miss
		T+3 C: -> hit`},
	{"P5", "no-store outranks max-age", `
		O: Cache-Control: max-age=900, no-store
		C: -> miss
		C: -> miss`},
	{"P5", "no-store outranks public and s-maxage", `
		O: Cache-Control: no-store, public, s-maxage=900
		C: -> miss
		C: -> miss`},
	{"P5", "no-cache outranks max-age", `
		O: Cache-Control: max-age=900, no-cache
		C: -> miss
		C: -> miss`},
	{"P5", "private outranks public", `
		O: Cache-Control: public, private, max-age=900
		C: -> miss
		C: -> miss`},
}
