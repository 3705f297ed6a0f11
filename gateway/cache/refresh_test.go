package cache

import (
	"strings"
	"testing"

	"weirkeep/gateway/wire"
)

// without returns fields as they are written in tests, but for Date.
func without(list []wire.Field) string {
	var kept []wire.Field
	for _, f := range list {
		if nameOf(f.Name) != nameDate {
			kept = append(kept, f)
		}
	}
	return written(kept)
}

// TestA304Updates is C7.
func TestA304Updates(t *testing.T) {
	p := policies()["conformance"]
	const first = "X-Gen: 7 / Cache-Control: max-age=1 / ETag: \"v1\" / Content-Foo: a / Content-Encoding: gzip / A: 1 / A: 2"
	for _, tt := range []struct{ update, want string }{
		{"X-Gen: 8 / Cache-Control: max-age=60", "ETag: \"v1\" / Content-Foo: a / Content-Encoding: gzip / A: 1 / A: 2 / X-Gen: 8 / Cache-Control: max-age=60"},
		{"content-foo: b / x-new: 1", "X-Gen: 7 / Cache-Control: max-age=1 / ETag: \"v1\" / Content-Encoding: gzip / A: 1 / A: 2 / content-foo: b / x-new: 1"},
		{"A: 3", "X-Gen: 7 / Cache-Control: max-age=1 / ETag: \"v1\" / Content-Foo: a / Content-Encoding: gzip / A: 3"},
		{"A: 3 / A: 4 / A: 5", "X-Gen: 7 / Cache-Control: max-age=1 / ETag: \"v1\" / Content-Foo: a / Content-Encoding: gzip / A: 3 / A: 4 / A: 5"},
		{"Content-Encoding: br / Content-Range: bytes 0-1/2 / Content-Length: 3 / Connection: x-hop / X-Hop: 1 / Age: 5", first},
		{"Set-Cookie: a=1", first + " / Set-Cookie: a=1"},
	} {
		s := stored(t, p, request(t, ""), answer(t, first))
		fresh, why := refresh(p, s, request(t, ""), answer(t, "304 "+tt.update).later(30), Override{})
		if fresh == nil || why != 0 {
			t.Errorf("%q: %v, %v", tt.update, fresh, why)
			continue
		}
		if got := without(fresh.Fields); got != tt.want {
			t.Errorf("%q makes\n%s, want\n%s", tt.update, got, tt.want)
		}
		if fresh.Length != 10 || fresh.Status != 200 || without(s.Fields) != first {
			t.Errorf("%q: status %d, length %d, before %s", tt.update, fresh.Status, fresh.Length, without(s.Fields))
		}
	}
}

func TestA304IsAsOldAsItself(t *testing.T) {
	p := policies()[""]
	s := stored(t, p, request(t, ""), answer(t, "Cache-Control: max-age=60 / ETag: \"v1\" / Age: 50"))
	for _, tt := range []struct {
		update string
		after  float64
		want   string // use, age
	}{
		{"Date: D(100)", 100, "fresh 0"},
		{"No-Date: yes / X: 1", 100, "fresh 0"},
		{"Date: D(100)", 159, "fresh 59"},
		{"Date: D(100)", 160, "validate 60"},
		{"Date: D(100) / Age: 20", 130, "fresh 50"},
		{"Date: D(100) / Age: 20", 140, "validate 60"},
		{"Date: D(100) / Cache-Control: max-age=9", 109, "validate 9"},
		{"Date: D(40)", 100, "validate 60"},
	} {
		fresh, why := refresh(p, s.Expire(), request(t, ""), answer(t, "304 "+tt.update).later(100), Override{})
		if fresh == nil || why != 0 {
			t.Fatalf("%q: %v", tt.update, why)
		}
		age := string(AppendAge(nil, fresh.AgeAt(at(tt.after))))
		if got := uses[p.Use(fresh, request(t, ""), at(tt.after))] + " " + age; got != tt.want {
			t.Errorf("%q after %v s: %s, want %s", tt.update, tt.after, got, tt.want)
		}
	}
}

// TestA304OfAnotherVersion is not used, and what forbids to store is heeded.
func TestA304OfAnotherVersion(t *testing.T) {
	p := policies()[""]
	for _, tt := range []struct{ first, update, want string }{
		{"ETag: \"v1\"", "ETag: \"v1\"", "stored"},
		{"ETag: \"v1\"", "ETag: W/\"v1\"", "stored"},
		{"ETag: W/\"v1\"", "ETag: \"v1\"", "stored"},
		{"ETag: \"v1\"", "X: 1", "stored"},
		{"Last-Modified: D(-9)", "ETag: \"v1\"", "none: other validator"},
		{"Last-Modified: D(-9)", "Last-Modified: D(-9)", "stored"},
		{"ETag: \"v1\"", "ETag: \"v2\"", "none: other validator"},
		{"ETag: \"v1\"", "Cache-Control: no-store", "once: no-store"},
		{"ETag: \"v1\"", "Cache-Control: private", "once: private"},
		{"ETag: \"v1\"", "Vary: *", "once: vary *"},
		{"ETag: \"v1\"", "Set-Cookie: a=1", "once: set-cookie"},
		{"ETag: \"v1\"", "Cache-Control: no-cache", "stored"},
	} {
		s := stored(t, p, request(t, ""), answer(t, tt.first))
		fresh, why := refresh(p, s, request(t, ""), answer(t, "304 "+tt.update), Override{})
		got := "stored"
		switch {
		case fresh == nil:
			got = "none: " + why.String()
		case why != 0:
			got = "once: " + why.String()
		}
		if got != tt.want {
			t.Errorf("%q, then %q: %s, want %s", tt.first, tt.update, got, tt.want)
		}
	}
	if fresh, _ := refresh(p, stored(t, p, request(t, ""), answer(t, "ETag: \"v1\"")), request(t, ""),
		answer(t, "304 Set-Cookie: a=1"), Override{}); !strings.Contains(written(fresh.Fields), "Set-Cookie: a=1") {
		t.Error("the client that it is for does not get the cookie")
	}
}

// TestVaryOfA304: the variant stays the one that was asked for.
func TestVaryOfA304(t *testing.T) {
	p := policies()["conformance"]
	first := answer(t, "ETag: \"v1\" / Vary: Accept-Language / Content-Language: it")
	s := stored(t, p, request(t, "Accept-Language: it, en"), first)
	other := request(t, "Accept-Language: it / Tier: gold")
	same, _ := refresh(p, s, other, answer(t, "304 Vary: Accept-Language"), Override{})
	if !same.SameVariant(s) {
		t.Errorf("variant %q becomes %q", s.Vary.Values, same.Vary.Values)
	}
	more, _ := refresh(p, s, other, answer(t, "304 Vary: Accept-Language, Tier"), Override{})
	if !more.Fits(other, p) || more.Fits(request(t, "Accept-Language: it / Tier: iron"), p) {
		t.Errorf("it varies by %q of %q", more.Vary.Names, more.Vary.Values)
	}
}

// TestWhoHasWhatA304Names is the end of C6.
func TestWhoHasWhatA304Names(t *testing.T) {
	for _, tt := range []struct {
		request, update string
		want            bool
	}{
		{`If-None-Match: "v2"`, `304 ETag: "v2"`, true},
		{`If-None-Match: "a", W/"v2"`, `304 ETag: "v2"`, true},
		{`If-None-Match: "v1"`, `304 ETag: "v2"`, false},
		{`If-None-Match: "v1"`, `304 X: 1`, false},
		{``, `304 ETag: "v2"`, false},
	} {
		if got := request(t, tt.request).Has(answer(t, tt.update)); got != tt.want {
			t.Errorf("%q has %q: %v", tt.request, tt.update, got)
		}
	}
}

// TestClientsGetTheirOwn304 is C6: what a client has is looked at after the update.
func TestClientsGetTheirOwn304(t *testing.T) {
	p := policies()[""]
	s := stored(t, p, request(t, ""), answer(t, "Last-Modified: D(-50) / Cache-Control: max-age=1"))
	r := request(t, "If-Modified-Since: D(-50)")
	fresh, _ := refresh(p, s, r, answer(t, "304 Date: D(9)").later(9), Override{})
	if got := replyTo(fresh, r); got != "304" {
		t.Errorf("who has it gets %s", got)
	}
	changed, _ := refresh(p, s, r, answer(t, "304 Date: D(9) / Last-Modified: D(1)").later(9), Override{})
	if got := replyTo(changed, r); got != "200" {
		t.Errorf("who has an older one gets %s", got)
	}
}

// TestHEADUpdates is C10.
func TestHEADUpdates(t *testing.T) {
	p := policies()[""]
	for _, tt := range []struct{ first, head, want string }{
		{"ETag: \"v1\"", "ETag: \"v1\" / X: 8", "fresh 8"},
		{"ETag: \"v1\"", "ETag: \"v1\" / X: 8 / Content-Length: 10", "fresh 8"},
		{"Last-Modified: D(-9)", "Last-Modified: D(-9) / X: 8", "fresh 8"},
		{"ETag: \"v1\"", "ETag: \"v2\" / X: 8", "stale 7"},
		{"ETag: \"v1\"", "ETag: \"v1\" / X: 8 / Content-Length: 11", "stale 7"},
		{"ETag: \"v1\" / Last-Modified: D(-9)", "ETag: \"v1\" / X: 8 / Last-Modified: D(-8)", "stale 7"},
		{"ETag: \"v1\"", "X: 8", "stale 7"},
		{"Last-Modified: D(-9)", "Last-Modified: D(-8) / X: 8", "stale 7"},
		{"Last-Modified: D(-9)", "ETag: \"v1\" / X: 8", "stale 7"},
		{"Last-Modified: D(-9)", "ETag: \"v1\" / Last-Modified: D(-9) / X: 8", "stale 7"},
		{"ETag: \"v1\"", "ETag: \"v1\" / Last-Modified: D(-9) / X: 8", "stale 7"},
		{"A: 1", "X: 8", "stale 7"},
		{"ETag: \"v1\"", "404 ETag: \"v1\" / X: 8", "as it was 7"},
		{"ETag: \"v1\"", "503 X: 8", "as it was 7"},
	} {
		s := stored(t, p, request(t, ""), answer(t, tt.first+" / X: 7 / Cache-Control: max-age=60"))
		fresh, why := p.RefreshHead(s, request(t, "HEAD "), answer(t, tt.head).later(30), Override{})
		if why != 0 {
			t.Errorf("%q: %v", tt.head, why)
		}
		got := "fresh "
		switch {
		case fresh.Fresh.Expired:
			got = "stale "
		case fresh == s:
			got = "as it was "
		}
		if got += string(valueOf(fresh.Fields, "x")); got != tt.want {
			t.Errorf("%q, then %q: %s, want %s", tt.first, tt.head, got, tt.want)
		}
	}
}

// TestHEADOfWhatIsEmpty: no length is a length too.
func TestHEADOfWhatIsEmpty(t *testing.T) {
	p := policies()[""]
	a := answer(t, "ETag: \"v1\" / Cache-Control: max-age=60")
	a.Length = 0
	s := stored(t, p, request(t, ""), a)
	for length, want := range map[string]bool{"0": false, "1": true} {
		fresh, _ := p.RefreshHead(s, request(t, "HEAD "), answer(t, "ETag: \"v1\" / Content-Length: "+length), Override{})
		if fresh.Fresh.Expired != want {
			t.Errorf("C10: nothing is stored, and HEAD says %s: expired %v", length, !want)
		}
	}
}
