package conformance

// How dates are read (RFC 9110 5.6.7).
var dates = []row{
	{"D1", "IMF-fixdate", `
		O: Expires: Fri, 05 May 2045 10:00:00 GMT
		C: -> miss
		T+900 C: -> hit`},
	{"D1", "RFC 850", `
		O: Expires: Friday, 05-May-45 10:00:00 GMT
		C: -> miss
		T+900 C: -> hit`},
	{"D1", "asctime, with a padded day", `
		O: Expires: Fri May  5 10:00:00 2045
		C: -> miss
		T+900 C: -> hit`},
	{"D1", "asctime, with a day of two digits", `
		O: Expires: Mon May 15 10:00:00 2045
		C: -> miss
		T+900 C: -> hit`},
	{"D1", "RFC 850: a year up to 50 years ahead is to come", `
		O: Expires: Friday, 01-May-70 10:00:00 GMT
		C: -> miss
		T+900 C: -> hit`},
	{"D1", "RFC 850: a year further ahead is of the last century", `
		O: Expires: Friday, 01-May-85 10:00:00 GMT
		C: -> miss
		C: -> miss`},
	{"D1", "RFC 850 that has passed", `
		O: Expires: Friday, 05-May-00 10:00:00 GMT
		C: -> miss
		C: -> miss`},
	{"D1", "asctime that has passed", `
		O: Expires: Fri May  5 10:00:00 2000
		C: -> miss
		C: -> miss`},
	{"D1", "a Date in RFC 850", `
		O: Cache-Control: max-age=60 / Date: 850(-20)
		C: -> miss
		T+7 C: -> hit / Age: 27`},
	{"D1", "a Date in asctime", `
		O: Cache-Control: max-age=60 / Date: asctime(-20)
		C: -> miss
		T+7 C: -> hit / Age: 27`},
	{"D2", "capital letters, and a small zone", `
		O: Expires: FRI, 05 MAY 2045 10:00:00 gmt
		C: -> miss
		T+900 C: -> hit`},
	{"D2", "the weekday in capital letters", `
		O: Expires: FRI, 05 May 2045 10:00:00 GMT
		C: -> miss
		T+900 C: -> hit`},
	{"D2", "the weekday in small letters", `
		O: Expires: fri, 05 May 2045 10:00:00 GMT
		C: -> miss
		T+900 C: -> hit`},
	{"D2", "the month in capital letters", `
		O: Expires: Fri, 05 MAY 2045 10:00:00 GMT
		C: -> miss
		T+900 C: -> hit`},
	{"D2", "the month in small letters", `
		O: Expires: Fri, 05 may 2045 10:00:00 GMT
		C: -> miss
		T+900 C: -> hit`},
	{"D2", "the zone in small letters", `
		O: Expires: Fri, 05 May 2045 10:00:00 gmt
		C: -> miss
		T+900 C: -> hit`},
	{"D2", "the zone in mixed letters", `
		O: Expires: Fri, 05 May 2045 10:00:00 gMT
		C: -> miss
		T+900 C: -> hit`},
	{"D3", "the weekday need not fit the date", `
		O: Expires: Mon, 05 May 2045 10:00:00 GMT
		C: -> miss
		T+900 C: -> hit`},
	{"D4", "beyond 2^31 seconds", `
		O: Expires: Thu, 11 Nov 2038 10:00:00 GMT
		C: -> miss
		T+900 C: -> hit`},
	{"D4", "beyond 10^10 seconds", `
		O: Expires: Sun, 21 Nov 2286 04:46:39 GMT
		C: -> miss
		T+900 C: -> hit`},
	{"D4", "the last year that can be written", `
		O: Expires: Fri, 31 Dec 9999 23:59:59 GMT
		C: -> miss
		T+900 C: -> hit`},
	{"D4", "before 1970", `
		O: Expires: Fri, 05 May 1933 10:00:00 GMT
		C: -> miss
		C: -> miss`},
	{"D5", "the zone UTC", `
		O: Expires: Fri, 05 May 2045 10:00:00 UTC
		C: -> miss
		C: -> miss`},
	{"D5", "another zone", `
		O: Expires: Fri, 05 May 2045 10:00:00 AEST
		C: -> miss
		C: -> miss`},
	{"D5", "a zone in digits", `
		O: Expires: Fri, 05 May 2045 10:00:00 +0000
		C: -> miss
		C: -> miss`},
	{"D5", "no zone", `
		O: Expires: Fri, 05 May 2045 10:00:00
		C: -> miss
		C: -> miss`},
	{"D5", "a year of two digits without dashes", `
		O: Expires: Fri, 05 May 45 10:00:00 GMT
		C: -> miss
		C: -> miss`},
	{"D5", "no comma", `
		O: Expires: Fri 05 May 2045 10:00:00 GMT
		C: -> miss
		C: -> miss`},
	{"D5", "a doubled blank behind the weekday", `
		O: Expires: Fri,  05 May 2045 10:00:00 GMT
		C: -> miss
		C: -> miss`},
	{"D5", "a doubled blank before the time", `
		O: Expires: Fri, 05 May 2045  10:00:00 GMT
		C: -> miss
		C: -> miss`},
	{"D5", "dashes with a year of four digits", `
		O: Expires: Fri, 05-May-2045 10:00:00 GMT
		C: -> miss
		C: -> miss`},
	{"D5", "dots in the time", `
		O: Expires: Fri, 05 May 2045 10.00.00 GMT
		C: -> miss
		C: -> miss`},
	{"D5", "an hour of one digit", `
		O: Expires: Fri, 05 May 2045 9:00:00 GMT
		C: -> miss
		C: -> miss`},
	{"D5", "a day of one digit", `
		O: Expires: Fri, 5 May 2045 10:00:00 GMT
		C: -> miss
		C: -> miss`},
	{"D5", "a day that the month does not have", `
		O: Expires: Fri, 31 Jun 2045 10:00:00 GMT
		C: -> miss
		C: -> miss`},
	{"D5", "an hour that the day does not have", `
		O: Expires: Fri, 05 May 2045 25:00:00 GMT
		C: -> miss
		C: -> miss`},
	{"D5", "something behind it", `
		O: Expires: Fri, 05 May 2045 10:00:00 GMT x
		C: -> miss
		C: -> miss`},
	{"D5", "two lines", `
		O: Expires: Fri, 05 May 2045 10:00:00 GMT / Expires: Fri, 05 May 2045 10:00:00 GMT
		C: -> miss
		C: -> miss`},
	{"D5", "two lines, the second has passed", `
		O: Expires: Fri, 05 May 2045 10:00:00 GMT / Expires: D(-60)
		C: -> miss
		C: -> miss`},
	{"D5", "the digit 0", `
		O: Expires: 0
		C: -> miss
		C: -> miss`},
	{"D5", "an empty field", `
		O: Expires:
		C: -> miss
		C: -> miss`},
	{"D5", "an invalid Expires also forbids to guess", `
		O: Expires: Fri, 5 May 2045 10:00:00 GMT / Last-Modified: D(-864000)
		C: -> miss
		C: => If-Modified-Since: D(-864000) -> miss`},
}
