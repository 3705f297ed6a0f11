package cache

import "testing"

func TestMethods(t *testing.T) {
	p := policies()[""]
	check(t, p, []row{
		{id: "V1", answer: "Cache-Control: max-age=60", next: "HEAD ", want: "fresh"},
		{id: "C10", answer: "Cache-Control: max-age=2 / ETag: \"v1\"", next: "HEAD ", after: 3, want: "fetch"},
		{id: "V1", was: "HEAD ", answer: "Cache-Control: max-age=60", want: "refused: method"},
		{id: "M1", was: "POST ", answer: "Cache-Control: max-age=60", want: "refused: method"},
		{id: "M1", was: "BREW ", answer: "Cache-Control: max-age=60", want: "refused: method"},
		{id: "M5", was: "OPTIONS ", answer: "Cache-Control: max-age=60", want: "refused: method"},
		{id: "M1", answer: "Cache-Control: max-age=60", next: "POST ", want: "fetch"},
		{id: "M5", answer: "Cache-Control: max-age=60", next: "OPTIONS ", want: "fetch"},
		{id: "methods have one case", answer: "Cache-Control: max-age=60", next: "get ", want: "fetch"},
		{id: "content may decide", was: "Content-Length: 3", answer: "Cache-Control: max-age=60", want: "refused: method"},
		{id: "content may decide", answer: "Cache-Control: max-age=60", next: "Transfer-Encoding: chunked", want: "fetch"},
		{id: "no content", was: "Content-Length: 0", answer: "Cache-Control: max-age=60", want: "fresh"},
	})
	for method, want := range map[string]Method{
		"GET": Get, "HEAD": Head, "OPTIONS": Safe, "TRACE": Safe, "PROPFIND": Safe, "REPORT": Safe, "SEARCH": Safe, "QUERY": Safe,
		"POST": Unsafe, "PUT": Unsafe, "DELETE": Unsafe, "PATCH": Unsafe, "BREW": Unsafe, "get": Unsafe, "LOCK": Unsafe,
	} {
		if got := request(t, method+" ").Method; got != want {
			t.Errorf("M1, M5: %s is of kind %v, want %v", method, got, want)
		}
	}
}

// TestStale says what is done with stale answers (Z1 to Z4): how they are used when
// nothing is wrong, when no origin answers, and when one answers with 503.
func TestStale(t *testing.T) {
	configured := Default()
	configured.WhileRevalidate, configured.IfError = 10e9, 20e9
	connected := Default()
	connected.Disconnected = false
	both := policies()
	both["configured"], both["connected"] = &configured, &connected
	for _, tt := range []struct {
		id, policy, answer string
		after              float64
		want               string // use, then for which failures it is used
	}{
		{"Z1", "", "Cache-Control: max-age=2", 3, "fetch, disconnected"},
		{"Z1", "", "Cache-Control: max-age=2", 99999, "fetch, disconnected"},
		{"Z1", "", "Expires: D(2)", 3, "fetch, disconnected"},
		{"Z1 off", "connected", "Cache-Control: max-age=2", 3, "fetch"},
		{"Z1 never fresh", "", "ETag: \"v1\"", 3, "validate"},
		{"Z1 never fresh", "", "Cache-Control: max-age=0 / ETag: \"v1\"", 3, "validate"},
		{"Z2", "", "Cache-Control: max-age=1, stale-while-revalidate=30", 3, "while, disconnected"},
		{"Z2", "", "Cache-Control: max-age=1, stale-while-revalidate=30", 30.9, "while, disconnected"},
		{"Z2", "", "Cache-Control: max-age=1, stale-while-revalidate=30", 31, "fetch, disconnected"},
		{"Z2", "", "Cache-Control: max-age=1, stale-while-revalidate=30 / ETag: \"v1\"", 31, "validate, disconnected"},
		{"Z2", "", "Cache-Control: max-age=0, stale-while-revalidate=30", 3, "while"},
		{"Z2", "", "Cache-Control: max-age=1, stale-while-revalidate=x", 3, "fetch, disconnected"},
		{"Z2", "", "Cache-Control: max-age=1, stale-while-revalidate=1152921504606846976", 9e8, "while, disconnected"},
		{"Z2", "configured", "Cache-Control: max-age=1", 10.9, "while, disconnected, 503"},
		{"Z2", "configured", "Cache-Control: max-age=1", 11, "fetch, disconnected, 503"},
		{"Z2", "configured", "Cache-Control: max-age=1, stale-while-revalidate=0", 3, "fetch, disconnected, 503"},
		{"Z2 never fresh", "configured", "ETag: \"v1\"", 3, "validate"},
		{"Z3", "", "Cache-Control: max-age=2, must-revalidate", 3, "fetch"},
		{"Z3", "", "Cache-Control: max-age=2, proxy-revalidate", 3, "fetch"},
		{"Z3", "", "Cache-Control: s-maxage=2", 3, "fetch"},
		{"Z3", "", "Cache-Control: max-age=2, no-cache / ETag: \"v1\"", 1, "validate"},
		{"Z3", "", "Cache-Control: max-age=2, must-revalidate, stale-while-revalidate=60, stale-if-error=60", 3, "fetch"},
		{"Z3", "", "CDN-Cache-Control: s-maxage=2", 3, "fetch"},
		{"Z3", "configured", "Cache-Control: max-age=2, must-revalidate", 3, "fetch"},
		{"Z4", "connected", "Cache-Control: max-age=2, stale-if-error=60", 3, "fetch, disconnected, 503"},
		{"Z4", "connected", "Cache-Control: max-age=2, stale-if-error=60", 62, "fetch, disconnected, 503"},
		{"Z4", "connected", "Cache-Control: max-age=2, stale-if-error=60", 62.1, "fetch"},
		{"Z4", "configured", "Cache-Control: max-age=2, stale-if-error=0", 12, "fetch, disconnected"},
		{"Z4", "configured", "Cache-Control: max-age=2", 22, "fetch, disconnected, 503"},
		{"Z4", "configured", "Cache-Control: max-age=2", 23, "fetch, disconnected"},
		{"Z4 never fresh", "connected", "Cache-Control: max-age=0, stale-if-error=60", 3, "fetch, disconnected, 503"},
	} {
		p := both[tt.policy]
		r := request(t, "")
		s := stored(t, p, r, answer(t, tt.answer))
		got := uses[p.Use(s, r, at(tt.after))]
		if p.MayUseStale(s, r, at(tt.after), Disconnected) {
			got += ", disconnected"
		}
		if p.MayUseStale(s, r, at(tt.after), 503) {
			got += ", 503"
		}
		if got != tt.want {
			t.Errorf("%s: %q after %v s: %s, want %s", tt.id, tt.answer, tt.after, got, tt.want)
		}
	}
}

// TestWhoWantsNothingOlder: a limit of whoever asks is beside what the answer says, and never
// makes it fresh for longer.
func TestWhoWantsNothingOlder(t *testing.T) {
	p := policies()[""]
	for _, tt := range []struct {
		answer              string
		fresh, stale, after float64
		want                string
	}{
		{"Cache-Control: max-age=60", 10, 0, 9, "fresh"},
		{"Cache-Control: max-age=60", 10, 0, 10, "fetch"},
		{"Cache-Control: max-age=60 / Age: 30", 10, 0, 9, "fresh"},
		{"Cache-Control: max-age=60 / ETag: \"v1\"", 10, 0, 10, "validate"},
		{"Cache-Control: max-age=60", 10, 5, 14, "while"},
		{"Cache-Control: max-age=60", 10, 5, 15, "fetch"},
		{"Cache-Control: max-age=60, must-revalidate", 10, 5, 14, "fetch"},
		{"Cache-Control: max-age=1", 10, 5, 2, "fetch"},
		{"Cache-Control: max-age=1, stale-while-revalidate=60", 10, 5, 9, "while"},
		{"Cache-Control: max-age=1, stale-while-revalidate=60", 10, 5, 15, "fetch"},
		{"Cache-Control: max-age=60, no-cache / ETag: \"v1\"", 10, 5, 1, "validate"},
	} {
		r := request(t, "")
		s := stored(t, p, r, answer(t, tt.answer))
		if got := uses[p.UseWithin(s, r, at(tt.after), at(tt.fresh).Sub(epoch), at(tt.stale).Sub(epoch))]; got != tt.want {
			t.Errorf("%q within %v and %v s after %v s: %s, want %s", tt.answer, tt.fresh, tt.stale, tt.after, got, tt.want)
		}
	}
}

func TestWhichErrorsAreReplaced(t *testing.T) {
	p := policies()[""]
	s := stored(t, p, request(t, ""), answer(t, "Cache-Control: max-age=2, stale-if-error=60"))
	for f, want := range map[Failure]bool{
		Disconnected: true, 500: true, 502: true, 503: true, 504: true, 501: false, 505: false, 404: false, 200: false, 429: false,
	} {
		if got := p.MayUseStale(s, request(t, ""), at(3), f); got != want {
			t.Errorf("Z4: %d: %v, want %v", f, got, want)
		}
	}
	for _, r := range []string{"POST ", "Authorization: q", `If-Match: "v1"`} {
		if p.MayUseStale(s, request(t, r), at(3), Disconnected) {
			t.Errorf("%q is answered with what it must not have", r)
		}
	}
}

// TestWhoWaitedShares: not what may be another client's own.
func TestWhoWaitedShares(t *testing.T) {
	for _, tt := range []struct {
		answer, request string
		want            bool
	}{
		{"Cache-Control: max-age=60", "", true},
		{"Cache-Control: max-age=0 / ETag: \"v1\"", "", true},
		{"Expires: 0 / ETag: \"v1\"", "", true},
		{"Cache-Control: max-age=0, stale-while-revalidate=9", "", true},
		{"ETag: \"v1\"", "", false},
		{"Last-Modified: D(-900)", "", false},
		{"Cache-Control: public / ETag: \"v1\"", "", false},
		{"Cache-Control: no-cache / ETag: \"v1\"", "", false},
		{"Cache-Control: no-cache, max-age=60 / ETag: \"v1\"", "", false},
		{"Cache-Control: max-age=0, must-revalidate / ETag: \"v1\"", "", false},
		{"Cache-Control: s-maxage=0 / ETag: \"v1\"", "", false},
		{"Cache-Control: max-age=60", "Authorization: q", false},
		{"Cache-Control: max-age=60", "If-Match: x", false},
	} {
		p := policies()[""]
		s := stored(t, p, request(t, ""), answer(t, tt.answer))
		if got := p.Shares(s, request(t, tt.request), at(0)); got != tt.want {
			t.Errorf("%q is shared with %q: %v", tt.answer, tt.request, got)
		}
	}
}

// TestSoftPurge: what is expired by hand is stale, and used as what is stale may be.
func TestSoftPurge(t *testing.T) {
	p := policies()[""]
	for _, tt := range []struct{ answer, want string }{
		{"Cache-Control: max-age=60", "fetch"},
		{"Cache-Control: max-age=60 / ETag: \"v1\"", "validate"},
		{"Cache-Control: max-age=60, stale-while-revalidate=9", "while"},
		{"Cache-Control: max-age=60, must-revalidate, stale-while-revalidate=9", "fetch"},
	} {
		s := stored(t, p, request(t, ""), answer(t, tt.answer)).Expire()
		if got := uses[p.Use(s, request(t, ""), at(1))]; got != tt.want {
			t.Errorf("%q: %s, want %s", tt.answer, got, tt.want)
		}
	}
}

// TestClientsAsk is section 16: by default what clients say is ignored.
func TestClientsAsk(t *testing.T) {
	const tagged = "Cache-Control: max-age=60 / ETag: \"v1\""
	rows := []row{
		{id: "no-cache", answer: tagged, next: "Cache-Control: no-cache", want: "validate"},
		{id: "Pragma", answer: tagged, next: "Pragma: no-cache", want: "validate"},
		{id: "Pragma", answer: tagged, next: "Pragma: x, No-Cache", want: "validate"},
		{id: "Pragma beside Cache-Control", answer: tagged, next: "Pragma: no-cache / Cache-Control: x", want: "fresh"},
		{id: "other Pragma", answer: tagged, next: "Pragma: foo / Cache-Control: nothing-to-see-here", want: "fresh"},
		{id: "max-age", answer: tagged, next: "Cache-Control: max-age=5", after: 6, want: "validate"},
		{id: "max-age", answer: tagged, next: "Cache-Control: max-age=5", after: 5, want: "fresh"},
		{id: "max-age", answer: tagged, next: "Cache-Control: max-age=x", after: 5, want: "fresh"},
		{id: "min-fresh", answer: tagged, next: "Cache-Control: min-fresh=50", after: 11, want: "validate"},
		{id: "min-fresh", answer: tagged, next: "Cache-Control: min-fresh=50", after: 10, want: "fresh"},
		{id: "max-stale", answer: tagged, next: "Cache-Control: max-stale=9", after: 69, want: "fresh"},
		{id: "max-stale", answer: tagged, next: "Cache-Control: max-stale=9", after: 70, want: "validate"},
		{id: "max-stale", answer: tagged, next: "Cache-Control: max-stale", after: 9999, want: "fresh"},
		{id: "max-stale", answer: tagged, next: "Cache-Control: max-stale=x", after: 70, want: "validate"},
		{id: "max-stale and must-revalidate", answer: tagged + " / Cache-Control: must-revalidate", next: "Cache-Control: max-stale", after: 70, want: "validate"},
		{id: "no-store", was: "Cache-Control: no-store", answer: tagged, want: "refused: request no-store"},
		{id: "no-store", answer: tagged, next: "Cache-Control: no-store", want: "fresh"},
	}
	check(t, policies()["conformance"], rows)
	for i := range rows {
		rows[i].want = "fresh"
		if rows[i].after > 60 {
			rows[i].want = "validate"
		}
	}
	check(t, policies()[""], rows)
}

func TestClientsThatAskDoNotGetStale(t *testing.T) {
	p := policies()["conformance"]
	s := stored(t, p, request(t, ""), answer(t, "Cache-Control: max-age=2"))
	if p.MayUseStale(s, request(t, "Cache-Control: no-cache"), at(3), Disconnected) {
		t.Error("who asks for a new answer gets a stale one")
	}
	if !p.MayUseStale(s, request(t, "Cache-Control: stale-if-error=9"), at(3), 503) {
		t.Error("who takes a stale answer instead of an error does not get one")
	}
	if !request(t, "Cache-Control: only-if-cached").OnlyIfCached || request(t, "Cache-Control: x").OnlyIfCached {
		t.Error("only-if-cached is read wrongly")
	}
}
