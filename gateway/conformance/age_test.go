package conformance

// How old an answer is (RFC 9111 4.2.3, 5.1).
var age = []row{
	{"A1", "the first of two ages, the higher", `
		O: Cache-Control: max-age=600 / Age: 900, 0
		C: -> miss
		C: -> miss`},
	{"A1", "the first of two ages, the lower", `
		O: Cache-Control: max-age=600 / Age: 0, 900
		C: -> miss
		C: -> hit`},
	{"A1", "the first of two lines, the higher", `
		O: Cache-Control: max-age=600 / Age: 900 / Age: 0
		C: -> miss
		C: -> miss`},
	{"A1", "the first of two lines, the lower", `
		O: Cache-Control: max-age=600 / Age: 0 / Age: 900
		C: -> miss
		C: -> hit`},
	{"A1", "twice the same that is beyond the lifetime", `
		O: Cache-Control: max-age=600 / Age: 900 / Age: 900
		C: -> miss
		C: -> miss`},
	{"A1", "twice the same that is within the lifetime", `
		O: Cache-Control: max-age=600 / Age: 30, 30
		C: -> miss
		C: -> hit / Age: 30`},
	{"A1", "leading zeros", `
		O: Cache-Control: max-age=600 / Age: 0030
		C: -> miss
		C: -> hit / Age: 30`},
	{"A2", "a word", `
		O: Cache-Control: max-age=600 / Age: abc
		C: -> miss
		C: -> hit / Age: 0`},
	{"A2", "a negative number", `
		O: Cache-Control: max-age=600 / Age: -5
		C: -> miss
		C: -> hit / Age: 0`},
	{"A2", "a decimal", `
		O: Cache-Control: max-age=600 / Age: 900.0
		C: -> miss
		C: -> hit / Age: 0`},
	{"A2", "a parameter", `
		O: Cache-Control: max-age=600 / Age: 900;a=b
		C: -> miss
		C: -> hit / Age: 0`},
	{"A2", "an empty field", `
		O: Cache-Control: max-age=600 / Age:
		C: -> miss
		C: -> hit / Age: 0`},
	{"A2", "a quoted number", `
		O: Cache-Control: max-age=600 / Age: "900"
		C: -> miss
		C: -> hit / Age: 0`},
	{"A2", "an invalid member before a valid one", `
		O: Cache-Control: max-age=600 / Age: abc, 900
		C: -> miss
		C: -> hit`},
	{"A3", "2^31-1", `
		O: Cache-Control: max-age=600 / Age: 2147483647
		C: -> miss
		C: -> miss`},
	{"A3", "2^31", `
		O: Cache-Control: max-age=600 / Age: 2147483648
		C: -> miss
		C: -> miss`},
	{"A3", "2^31+1", `
		O: Cache-Control: max-age=600 / Age: 2147483649
		C: -> miss
		C: -> miss`},
	{"A3", "beyond 2^64", `
		O: Cache-Control: max-age=600 / Age: 99999999999999999999
		C: -> miss
		C: -> miss`},
	{"A4", "a Date two hours back is that old", `
		O: Cache-Control: max-age=3600 / Date: D(-7200)
		C: -> miss
		C: -> miss`},
	{"A4", "a Date half a minute back is that old", `
		O: Cache-Control: max-age=3600 / Date: D(-30)
		C: -> miss
		T+7 C: -> hit / Age: 37`},
	{"A4", "a Date to come is no age", `
		O: Cache-Control: max-age=3600 / Date: D(+30)
		C: -> miss
		T+7 C: -> hit / Age: 7`},
	{"A4", "Age counts where it is more than Date says", `
		O: Cache-Control: max-age=3600 / Date: D(-30) / Age: 100
		C: -> miss
		T+7 C: -> hit / Age: 107`},
	{"A4", "Date counts where it says more than Age", `
		O: Cache-Control: max-age=3600 / Date: D(-100) / Age: 30
		C: -> miss
		T+7 C: -> hit / Age: 107`},
	{"A4", "the time on the way is part of the age", `
		O: Cache-Control: max-age=3600 / late 5 / Age: 30
		C: -> miss
		T+12 C: -> hit / Age: 42`},
	{"A4", "the time on the way is part of the age without Age", `
		O: Cache-Control: max-age=10 / late 5
		C: -> miss
		T+9 C: -> hit / Age: 9
		T+11 C: -> miss`},
	{"A5", "a stored answer says its age", `
		O: Cache-Control: max-age=600
		C: -> miss
		T+7 C: -> hit / Age: 7`},
	{"A5", "at once it is 0", `
		O: Cache-Control: max-age=600
		C: -> miss
		C: -> hit / Age: 0`},
	{"A5", "whole seconds, rounded down once", `
		O: Cache-Control: max-age=600
		C: -> miss
		T+2.999 C: -> hit / Age: 2
		T+3 C: -> hit / Age: 3`},
	{"A5", "Age that came is added to", `
		O: Cache-Control: max-age=600 / Age: 30
		C: -> miss
		T+7 C: -> hit / Age: 37`},
	{"A5", "also where Expires says how long it is fresh", `
		O: Expires: D(+600) / Age: 30
		C: -> miss
		T+7 C: -> hit / Age: 37`},
	{"A5", "also where s-maxage does", `
		O: Cache-Control: s-maxage=600 / Age: 30
		C: -> miss
		T+7 C: -> hit / Age: 37`},
	{"A5", "a list of ages becomes one", `
		O: Cache-Control: max-age=600 / Age: 30, 20 / Age: 10
		C: -> miss
		T+7 C: -> hit / Age: 37`},
	{"A5", "an answer on its way keeps its Age", `
		O: Age: 30
		C: -> miss / Age: 30`},
	{"A6", "Date is passed on and replayed", `
		O: Cache-Control: max-age=600 / Date: D(-11)
		C: -> miss / Date: D(-11)
		T+7 C: -> hit / Date: D(-11)`},
	{"A6", "Expires is passed on and replayed", `
		O: Expires: D(+600)
		C: -> miss / Expires: D(+600)
		T+7 C: -> hit / Expires: D(+600)`},
	{"A6", "an Expires that cannot be read is passed on and replayed", `
		O: Cache-Control: max-age=600 / Expires: 0
		C: -> miss / Expires: 0
		T+7 C: -> hit / Expires: 0`},
	{"A6", "an answer without Date gets that of its coming", `
		O: no Date / Cache-Control: max-age=600
		C: -> miss / Date: D(+0)
		T+7 C: -> hit / Date: D(+0)`},
	{"A6", "Cache-Control is replayed as it came", `
		O: Cache-Control: Public,  max-age=600 / Cache-Control: zork
		C: -> miss
		C: -> hit / Cache-Control: Public,  max-age=600 / Cache-Control: zork`},
}
