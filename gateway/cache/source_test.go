package cache

import "testing"

// madeOf is what is stored of an answer that was made of what the origin sent.
func madeOf(t *testing.T, p *Policy, source, made string) *Stored {
	t.Helper()
	a := answer(t, made)
	a.Source = answer(t, source).Fields
	return stored(t, p, request(t, ""), a)
}

const (
	sourceFields = "Cache-Control: max-age=1 / ETag: \"v1\" / Last-Modified: D(-9) / X-Secret: s"
	madeFields   = "Cache-Control: max-age=60 / ETag: \"made\""
)

// The origin is asked by what it sent, and clients by what they were sent.
func TestAnswersMadeHereAreAskedForAsTheyCame(t *testing.T) {
	p := policies()[""]
	s := madeOf(t, p, sourceFields, madeFields)
	if got, want := written(s.AppendConditions(nil)), dated("If-None-Match: \"v1\" / If-Modified-Since: D(-9)"); got != want {
		t.Errorf("asked by %s, want %s", got, want)
	}
	if got := p.Use(s, request(t, ""), at(59)); got != UseFresh {
		t.Errorf("its lifetime is not the one that was made: %v", got)
	}
	for text, want := range map[string]int{`If-None-Match: "made"`: 304, `If-None-Match: "v1"`: 200} {
		if reply := s.Reply(request(t, text), 10); reply.Status != want {
			t.Errorf("%s: %d, want %d", text, reply.Status, want)
		}
	}
	if s = madeOf(t, p, "ETag: \"v1\"", "Cache-Control: no-cache"); p.Use(s, request(t, ""), at(1)) != UseValidate {
		t.Error("one whose tag is not sent on is not validated")
	}
}

// A 304 is about what the origin sent, and renews that; what was made is not mixed with it.
func TestAnswersMadeHereAreRenewedAsTheyCame(t *testing.T) {
	p := policies()[""]
	s := madeOf(t, p, sourceFields, madeFields)
	if _, same := s.Renewed(answer(t, "304 ETag: \"made\"")); same {
		t.Error("the tag that was made is taken for the origin's")
	}
	whole, same := s.Renewed(answer(t, "304 ETag: \"v1\" / X-New: 1").later(9))
	if got, want := without(whole.Fields), dated("Cache-Control: max-age=1 / Last-Modified: D(-9) / X-Secret: s / ETag: \"v1\" / X-New: 1"); !same || got != want {
		t.Fatalf("%v, %s, want %s", same, got, want)
	}
	whole.Source, whole.Fields = whole.Fields, answer(t, madeFields+" / X-Made: 2").Fields
	fresh, why := p.Renew(s, request(t, ""), &whole, Override{})
	if why != 0 || without(fresh.Fields) != madeFields+" / X-Made: 2" || written(fresh.AppendConditions(nil)) != written(s.AppendConditions(nil)) {
		t.Errorf("%v, %s, asked for by %s", why, without(fresh.Fields), written(fresh.AppendConditions(nil)))
	}
}

// C10: an answer to HEAD is compared with what the origin sent; and its length with nothing, as the
// body may have been made here too.
func TestHeadIsComparedWithWhatCame(t *testing.T) {
	p := policies()[""]
	s := madeOf(t, p, sourceFields, madeFields)
	for _, tt := range []struct {
		head string
		same bool
	}{
		{"200 ETag: \"v1\" / Content-Length: 7", true},
		{"200 ETag: \"v1\" / Last-Modified: D(-9)", true},
		{"200 ETag: \"made\"", false},
		{"200 ETag: \"v2\"", false},
		{"200 Last-Modified: D(-9)", false},
		{"404 ETag: \"v2\"", true}, // says nothing of it
	} {
		if got := s.AfterHead(answer(t, tt.head)); (got == s) != tt.same || !tt.same && !got.Fresh.Expired {
			t.Errorf("%s: same %v, want %v", tt.head, got == s, tt.same)
		}
	}
}
