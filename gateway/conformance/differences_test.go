package conformance

// differences are the rows that are not what happens in the default profile, by the
// reason. A row that is listed and does happen is a mistake here.
var differences = []struct {
	why  string
	rows []string
}{
	{"nothing is guessed from Last-Modified unless heuristic.fraction says so", []string{
		"H1 a tenth of the time since it was modified",
		"H1 a day at most",
		"H1 Age is taken off",
		"H1 the time counts from Date",
		"H1 a part",
		"H1 status 200",
		"H1 status 203",
		"H1 status 204",
		"H1 status 300",
		"H1 status 301",
		"H1 status 308",
		"H1 status 404",
		"H1 status 405",
		"H1 status 410",
		"H1 status 414",
		"H1 status 501",
		"H3 public makes every status one that is guessed of",
		"H3 public and 201",
		"H3 public and 503",
		"H4 a query does not",
	}},
	{"answers with Set-Cookie are not stored unless set_cookie says so", []string{
		"R6 Set-Cookie is stored and replayed",
		"R6 several Set-Cookie stay apart",
		"K1 Set-Cookie",
	}},
	{"answers to POST are not stored unless post_location says so", []string{
		"M4 an answer to POST that names its target is stored",
		"M4 it takes the place of what was stored",
	}},
	{"clients cannot ask for fresh or stale answers unless client_directives says so", []string{
		"16 no-cache",
		"16 no-cache of what has a tag",
		"16 no-store",
		"16 max-age=0",
		"16 max-age less than the age",
		"16 max-age counts Age that came",
		"16 min-fresh that cannot be met",
		"16 max-stale that is enough",
		"16 max-stale without end",
		"16 Pragma: no-cache",
		"Z4 the client asks for it",
	}},
	{"languages are not compared by what they mean unless vary.normalise says so", []string{
		"V5 languages have no case",
		"V5 the order of languages of equal weight does not matter",
		"V5 weights may be anywhere",
		"V6 an answer in the language that is wanted most",
		"V6 an answer in the language that is wanted most of several",
	}},
	{"the rest of a part without a strong tag is not asked for, as it could not be joined, unless partial.lenient_length says so", []string{
		"G4 the rest is asked for without a tag, and the whole comes",
		"G4 the rest is asked for without a tag, and is not joined",
	}},
	{"parts that are shorter than they say are not kept unless partial.lenient_length says so", []string{
		"0.4 a part that is shorter than it says: the same range",
		"0.4 a part that is shorter than it says: a range within it",
		"0.4 a part that is shorter than it says: an open range",
		"0.4 a part that is shorter than it says: a suffix",
	}},
}
