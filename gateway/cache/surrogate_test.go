package cache

import (
	"strings"
	"testing"
	"time"
)

// TestSurrogateControl: what the origin says to the caches in front of it outranks all that
// it says to others; what it says to one of them by name is said to that one.
func TestSurrogateControl(t *testing.T) {
	p := Default()
	p.Device = "edge-1"
	check(t, &p, []row{
		{id: "over no-store", answer: "Surrogate-Control: max-age=60 / Cache-Control: no-store", after: 59, want: "fresh"},
		{id: "over private", answer: "Surrogate-Control: max-age=60 / Cache-Control: private", after: 59, want: "fresh"},
		{id: "over a longer one", answer: "Surrogate-Control: max-age=1 / Cache-Control: max-age=900", after: 3, want: "fetch"},
		{id: "over Expires", answer: "Surrogate-Control: max-age=1 / Expires: D(900)", after: 3, want: "fetch"},
		{id: "over targeted fields", answer: "Surrogate-Control: max-age=60 / Weirkeep-Cache-Control: no-store", after: 59, want: "fresh"},
		{id: "no-store", answer: "Surrogate-Control: no-store / Cache-Control: max-age=900", want: "refused: no-store"},
		{id: "Age counts", answer: "Surrogate-Control: max-age=60 / Age: 50", after: 11, want: "fetch"},
		{id: "to those who are authorized", was: "Authorization: q", answer: "Surrogate-Control: max-age=60", next: "Authorization: r", after: 3, want: "fresh"},
		{id: "not with cookies", answer: "Surrogate-Control: max-age=60 / Set-Cookie: a=1", want: "refused: set-cookie"},
		{id: "extension", answer: "Surrogate-Control: max-age=30+60", after: 29, want: "fresh"},
		{id: "extension", answer: "Surrogate-Control: max-age=30+60", after: 31, want: "while"},
		{id: "extension", answer: "Surrogate-Control: max-age=30+60", after: 91, want: "fetch"},
		{id: "infinity", answer: "Surrogate-Control: max-age=Infinity", after: 1e8, want: "fresh"},
		{id: "too large", answer: "Surrogate-Control: max-age=99999999999999999999", after: 1e8, want: "fresh"},
		{id: "no number", answer: "Surrogate-Control: max-age=abc / Cache-Control: max-age=60", want: "refused: expired"},
		{id: "no argument", answer: "Surrogate-Control: max-age / Cache-Control: max-age=60", want: "refused: expired"},
		{id: "any case", answer: "SURROGATE-control: Max-Age=60", after: 59, want: "fresh"},
		{id: "several", answer: "Surrogate-Control: content=\"ESI/1.0\", max-age=60", after: 59, want: "fresh"},
		{id: "several lines", answer: "Surrogate-Control: content=\"ESI/1.0\" / Surrogate-Control: max-age=60", after: 59, want: "fresh"},
		{id: "the first counts", answer: "Surrogate-Control: max-age=60, max-age=1", after: 59, want: "fresh"},
		{id: "nothing of storing", answer: "Surrogate-Control: content=\"ESI/1.0\", no-store-remote / Cache-Control: max-age=1", after: 3, want: "fetch"},
		{id: "in quotes", answer: "Surrogate-Control: content=\"x, max-age=60\" / Cache-Control: max-age=1", after: 3, want: "fetch"},
		{id: "quoted name", answer: "Surrogate-Control: max-age=60, content=\"a;edge-1\"", after: 59, want: "fresh"},
		{id: "to us", answer: "Surrogate-Control: max-age=60;edge-1, max-age=1", after: 59, want: "fresh"},
		{id: "to us", answer: "Surrogate-Control: max-age=1, max-age=60 ; edge-1", after: 59, want: "fresh"},
		{id: "to us", answer: "Surrogate-Control: no-store, max-age=60;edge-1", after: 59, want: "fresh"},
		{id: "to us", answer: "Surrogate-Control: no-store;edge-1, max-age=60", want: "refused: no-store"},
		{id: "to another", answer: "Surrogate-Control: no-store;edge-2 / Cache-Control: max-age=60", after: 59, want: "fresh"},
		{id: "to another", answer: "Surrogate-Control: max-age=1;edge-2, max-age=60", after: 59, want: "fresh"},
	})
}

// no-store-remote is said to caches far from the origin, and to no other (H2).
func TestNoStoreRemote(t *testing.T) {
	p := Default()
	p.Device, p.Remote = "edge-1", true
	check(t, &p, []row{
		{id: "remote", answer: "Surrogate-Control: max-age=60, no-store-remote", want: "refused: no-store"},
		{id: "to another", answer: "Surrogate-Control: max-age=60, no-store-remote;edge-2", after: 59, want: "fresh"},
	})
	p.Remote = false
	check(t, &p, []row{{id: "near", answer: "Surrogate-Control: max-age=60, no-store-remote", after: 59, want: "fresh"}})
}

// TestSurrogateControlStays with what is stored, so that a 304 that does not repeat it changes
// nothing; it is in no reply.
func TestSurrogateControlStays(t *testing.T) {
	p := Default()
	r := request(t, "")
	s := stored(t, &p, r, answer(t, "Surrogate-Control: max-age=60 / ETag: \"v1\""))
	if head := string(s.AppendHead(nil)); strings.Contains(head, "Surrogate") {
		t.Errorf("it is replayed: %s", head)
	}
	fresh, why := refresh(&p, s, r, answer(t, "304 ETag: \"v1\""), Override{})
	if why != 0 || fresh.Fresh.Lifetime != time.Minute {
		t.Errorf("refreshed: %v, %v", fresh, why)
	}
}
