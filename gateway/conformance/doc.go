// Package conformance holds the cache of a running gateway to RFC 9111 and to what a
// gateway's cache needs beyond it, row by row. It has tests only.
//
// A row is a fact, with steps that show it. Each section is a table of them, run in the
// profile that is made for conformance, and in the default one: rows that are not what
// happens there are listed with the reason (differences_test.go).
//
//	F  how long an answer is fresh              freshness_test.go
//	P  how Cache-Control is read                parsing_test.go
//	A  how old an answer is                     age_test.go
//	D  how dates are read                       dates_test.go
//	H  answers that say only their age          heuristics_test.go
//	S  statuses                                 statuses_test.go
//	R  what may be stored, and for whom         storing_test.go
//	V  which answer is for which request        vary_test.go
//	C  validation                               validation_test.go, updates_test.go
//	G  ranges                                   ranges_test.go
//	M  methods and invalidation                 methods_test.go
//	K  the fields that are stored               fields_test.go
//	I  interim answers                          interim_test.go
//	T  targeted fields                          targeted_test.go
//	Z  stale answers                            stale_test.go, silence_test.go
//	16 what clients may ask for                 requests_test.go
//	17 what no RFC asks for                     collapse_test.go, keys_test.go, purge_test.go, beyond_test.go
//
// Beside the rows, a naive model of RFC 9111 says of every answer to random requests whether
// a cache may give it (model_test.go); -soak asks a million times.
//
// Steps are lines. T is the row's first moment, an hour of the gateway's clock; only
// steps move that, and nothing sleeps. In a line, @ is the row's own path and D(-5) the
// date 5 s before T; 850(-5) and asctime(-5) are that in other forms. Between " / " stand
// items.
//
//	O: 404 / Cache-Control: max-age=60     what the origin answers from now on
//	C: Tier: gold                          a client asks; GET @, unless a method and a target stand first
//	C: => If-None-Match: "v1" -> hit       => what the origin was asked, -> what the client got
//	T+3 C: -> hit                          the clock goes to 3 s after T first
//	until C: -> hit                        asks until it is so
//	=> HEAD                                the origin is asked, sooner or later
//	C1: => GET                             C1 asks, and is not waited for
//	C1 -> miss                             what C1 got; with "so far" at the end: by now
//	gone C1                                C1 closes its connection
//	purge tag:a                            an operator removes what a selector selects
//	expire tag:a                           or makes it stale
//	waiting 2                              two exchanges wait for the fetch of another
//	go                                     the origin goes on where it holds
//
// An answer is 200 with Date, Content-Length and the body "answer 1", "answer 2" and so
// on, unless items say otherwise: a status (one of 1xx begins an interim answer), fields,
// no Date, reason, body, and
//
//	then      what follows is its answer to the next request
//	hold      it waits for go, before the head or behind a piece of the body
//	late 5    5 s pass before it answers
//	drop      it closes the connection; reset: with a reset; refuse: there is none
//
// What a client got is compared with items too: a status (1xx are compared in their
// order), all lines of a field, no Name, Name ~ part of the value, Name !~ part, body, cut,
// and who answered:
//
//	hit          the store: the origin was not asked, and it is an answer that it gave before
//	miss         the origin: it was asked once, and it is its newest answer
//	revalidated  the store, after the origin said 304
//	stale        the store, whether or not the origin was asked
//
// with a number: it is that answer of the origin. The origin's part is compared alike; a number
// there says how many requests came, nothing says none. No request may come that no step
// looks at.
package conformance
