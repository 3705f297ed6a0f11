package cache

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestWhatIsReplayed: K1 and K2.
func TestWhatIsReplayed(t *testing.T) {
	p := policies()["conformance"]
	const cached = "Cache-Control: max-age=60"
	for _, tt := range []struct{ id, answer, want string }{
		{"K1", cached + " / X-A: 1 / Set-Cookie: a=1 / zork: , / x-a: 2 / Set-Cookie: b=2", cached + " / X-A: 1 / Set-Cookie: a=1 / zork: , / x-a: 2 / Set-Cookie: b=2"},
		{"K1", cached + " / Expires: D(9) / ETag: x / Server: y / Via: 1.1 z", dated(cached + " / Expires: D(9) / ETag: x / Server: y / Via: 1.1 z")},
		{"K2", cached + " / Connection: p, q / P: 1 / q: 2 / r: 3", cached + " / r: 3"},
		{"K2", cached + " / Keep-Alive: x / Proxy-Connection: x / TE: x / Upgrade: x / r: 3", cached + " / r: 3"},
		{"K2", cached + " / Proxy-Authenticate: x / Proxy-Authentication-Info: x / Proxy-Authorization: x / r: 3", cached + " / r: 3"},
		{"K3", cached + " / Transfer-Encoding: chunked / r: 3", cached + " / r: 3"},
		{"K4", cached + " / Content-Length: 3 / r: 3", cached + " / r: 3"},
		{"A5", cached + " / Age: 30 / Age: 40 / r: 3", cached + " / r: 3"},
		{"G6", cached + " / Content-Range: bytes 4-9/10", cached + " / Content-Range: bytes 4-9/10"},
		{"T4", cached + " / CDN-Cache-Control: max-age=1 / Surrogate-Key: a b", cached + " / CDN-Cache-Control: max-age=1 / Surrogate-Key: a b"},
	} {
		s := stored(t, p, request(t, ""), answer(t, tt.answer))
		if got := without(s.Fields); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.id, got, tt.want)
		}
	}
}

// TestDateIsReplayed is A6: as it came, and made where there is none.
func TestDateIsReplayed(t *testing.T) {
	for _, tt := range []struct{ answer, want string }{
		{"Date: D(-5)", dated("D(-5)")},
		{"Date: Sunday, 01-Mar-26 12:00:00 GMT", "Sunday, 01-Mar-26 12:00:00 GMT"},
		{"Date: zzz", "zzz"},
		{"No-Date: yes / X: 1", dated("D(3)")},
	} {
		s := stored(t, policies()[""], request(t, ""), answer(t, tt.answer+" / Cache-Control: max-age=60").later(3))
		if got := string(valueOf(s.Fields, "date")); got != tt.want {
			t.Errorf("A6: %q: %s, want %s", tt.answer, got, tt.want)
		}
	}
}

// TestNothingStoredIsAView: what is stored does not change with the buffers it came in.
func TestNothingStoredIsAView(t *testing.T) {
	p := policies()["conformance"]
	const text = "Cache-Control: max-age=60 / ETag: \"v1\" / Vary: Tier / Surrogate-Key: a b / Content-Range: bytes 0-4/10"
	r, a := request(t, "Tier: gold / Range: bytes=0-4"), answer(t, "206 "+text)
	a.Length, a.Reason = 5, []byte("Some of it")
	s := stored(t, p, r, a)
	before := fmt.Sprintf("%q", []any{s.Reason, written(s.Fields), s.ETag, s.Vary, s.Tags, s.Part.Asked})
	for _, f := range append(slices.Clone(r.Fields), a.Fields...) {
		clear(f.Name)
		clear(f.Value)
	}
	clear(a.Reason)
	if after := fmt.Sprintf("%q", []any{s.Reason, written(s.Fields), s.ETag, s.Vary, s.Tags, s.Part.Asked}); after != before {
		t.Errorf("%s\nbecomes %s", before, after)
	}
}

func TestRules(t *testing.T) {
	ttl := Override{TTL: 10 * time.Second, HasTTL: true}
	minds := Override{TTL: 10 * time.Second, HasTTL: true, Stale: 5 * time.Second, Minds: true}
	least := Override{TTL: 10 * time.Second, HasTTL: true, Stale: 5 * time.Second, Least: true}
	for _, tt := range []struct {
		was, answer string
		rule        Override
		after       float64
		want        string
	}{
		{"", "X: 1", ttl, 9, "fresh"},
		{"", "X: 1", ttl, 10, "fetch"},
		{"", "Cache-Control: max-age=60", ttl, 10, "fetch"},
		{"", "Cache-Control: max-age=1", ttl, 9, "fresh"},
		{"", "Cache-Control: no-store", ttl, 9, "fresh"},
		{"", "Cache-Control: private", ttl, 9, "fresh"},
		{"", "Cache-Control: no-cache", ttl, 9, "fresh"},
		{"", "Cache-Control: no-cache", ttl, 10, "fetch"},
		{"", "503 X: 1", ttl, 9, "fresh"},
		{"", "Expires: 0 / Age: 3600 / Date: D(-7200)", ttl, 9, "fresh"},
		{"", "Expires: 0 / Age: 3600 / Date: D(-7200)", ttl, 10, "fetch"},
		{"", "Cache-Control: must-revalidate, stale-while-revalidate=60", ttl, 10, "fetch"},
		{"", "Cache-Control: stale-while-revalidate=60", ttl, 10, "while"},
		{"", "CDN-Cache-Control: no-store", ttl, 9, "fresh"},
		{"", "Surrogate-Control: max-age=60", ttl, 59, "fresh"}, // D-WC-07
		{"", "Surrogate-Control: max-age=5", ttl, 5, "fetch"},
		{"", "Surrogate-Control: no-store", ttl, 0, "refused: no-store"},
		{"", "Surrogate-Control: content=\"ESI/1.0\" / Cache-Control: no-store", ttl, 9, "fresh"},
		{"", "Surrogate-Control: max-age=60", Override{Pass: true}, 0, "refused: rule"},
		{"", "X: 1", Override{HasTTL: true}, 0, "refused: expired"},
		{"", "ETag: \"v1\" / Cache-Control: max-age=60 / Age: 5", Override{HasTTL: true}, 0, "validate"},
		{"", "X: 1", Override{TTL: -time.Hour, HasTTL: true}, 0, "refused: expired"},
		{"", "X: 1", Override{TTL: 1<<63 - 1, HasTTL: true}, 1e9, "fresh"},
		{"", "Cache-Control: max-age=60", Override{Pass: true}, 0, "refused: rule"},
		{"", "X: 1 / Set-Cookie: a=1", ttl, 0, "refused: set-cookie"},
		{"", "X: 1 / Vary: *", ttl, 0, "refused: vary *"},
		{"Authorization: q", "X: 1", ttl, 0, "refused: authorization"},
		{"POST ", "X: 1", ttl, 0, "refused: method"},
		{"", "304 X: 1", ttl, 0, "refused: status"},
		{"", "X: 1", minds, 9, "fresh"},
		{"", "X: 1", minds, 14, "while"},
		{"", "X: 1", minds, 15, "fetch"},
		{"", "Cache-Control: max-age=1", minds, 9, "fresh"},
		{"", "Cache-Control: stale-while-revalidate=20", minds, 29, "while"},
		{"", "Cache-Control: must-revalidate", minds, 10, "fetch"},
		{"", "Cache-Control: no-store", minds, 0, "refused: no-store"},
		{"", "Cache-Control: private", minds, 0, "refused: private"},
		{"", "Cache-Control: no-cache", minds, 0, "refused: no-cache"},
		{"", "Cache-Control: no-cache / ETag: \"v1\"", minds, 0, "validate"},
		{"", "Cache-Control: max-age=1", least, 9, "fresh"},
		{"", "Cache-Control: max-age=60", least, 59, "fresh"},
		{"", "Cache-Control: max-age=60", least, 64, "while"},
		{"", "Cache-Control: max-age=60", least, 65, "fetch"},
		{"", "Surrogate-Control: max-age=5", least, 5, "fetch"},
	} {
		p := policies()[""]
		r := request(t, tt.was)
		s, why := p.Store(r, answer(t, tt.answer), tt.rule)
		got := "refused: " + why.String()
		if s != nil {
			got = uses[p.Use(s, r, at(tt.after))]
		}
		if got != tt.want {
			t.Errorf("%q by %+v after %v s: %s, want %s", tt.answer, tt.rule, tt.after, got, tt.want)
		}
	}
}

func TestTags(t *testing.T) {
	many := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "t%d ", i)
		}
		return b.String()
	}
	for _, tt := range []struct {
		answer string
		rule   []string
		want   string
	}{
		{"X: 1", nil, ""},
		{"Surrogate-Key: b a", nil, "a b"},
		{"Cache-Tag: b,a", nil, "a b"},
		{"surrogate-key: b, a,, c / CACHE-TAG: a d", nil, "a b c d"},
		{"Surrogate-Key: b", []string{"images", "b"}, "b images"},
		{"Surrogate-Key: Bb bB", nil, "Bb bB"},
		{"Surrogate-Key: " + many(MaxTags+1), nil, "refused: too many tags"},
		{"Surrogate-Key: " + many(MaxTags), []string{"more"}, "refused: too many tags"},
		{"Surrogate-Key: " + strings.Repeat("x", MaxTagBytes+1), nil, "refused: too many tags"},
		{"Surrogate-Key: " + strings.Repeat("x", MaxTagBytes), nil, strings.Repeat("x", MaxTagBytes)},
	} {
		s, why := policies()[""].Store(request(t, ""), answer(t, "Cache-Control: max-age=60 / "+tt.answer), Override{Tags: tt.rule})
		got := "refused: " + why.String()
		if s != nil {
			got = strings.Join(s.Tags, " ")
		}
		if got != tt.want {
			t.Errorf("%.60q: %.60s, want %.60s", tt.answer, got, tt.want)
		}
	}
	s, _ := policies()[""].Store(request(t, ""), answer(t, "Cache-Control: max-age=60 / Surrogate-Key: "+many(MaxTags)), Override{})
	if s == nil || len(s.Tags) != MaxTags {
		t.Errorf("%d tags are not stored", MaxTags)
	}
}

// TestHeadOfWhatIsStored is rendered once, and is what a reply with all of it begins with.
func TestHeadOfWhatIsStored(t *testing.T) {
	a := answer(t, "299 Cache-Control: max-age=60 / X: 1")
	a.Reason = []byte("Odd")
	s := stored(t, policies()[""], request(t, ""), a)
	want := "HTTP/1.1 299 Odd\r\n" + dated("Date: D(0)") + "\r\nCache-Control: max-age=60\r\nX: 1\r\n"
	if got := string(s.AppendHead(nil)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
