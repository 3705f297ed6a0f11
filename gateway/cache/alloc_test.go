package cache

import (
	"testing"
)

const browser = "Host: shop.example / User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0 / " +
	"Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8 / Accept-Language: en-US,en;q=0.5 / " +
	"Accept-Encoding: gzip, deflate, br, zstd / Cookie: a=1; b=2 / Upgrade-Insecure-Requests: 1 / Sec-Fetch-Dest: document / " +
	"Cache-Control: max-age=0"

// Budget: nothing that is done for a request that the store answers allocates, however
// the request is written.
func TestHitsAllocateNothing(t *testing.T) {
	p := policies()["conformance"]
	p.Codings = all
	was := request(t, browser)
	a := answer(t, "Content-Type: text/html / Cache-Control: max-age=600 / ETag: \"v1\" / Last-Modified: D(-900) / Vary: Accept-Encoding, Accept-Language, X-List")
	a.Length = 2000
	s := stored(t, p, was, a)
	for _, tt := range []string{
		browser,
		"Accept-Encoding: zstd;q=0.5 / Accept-Encoding: br, x-gzip, deflate / Accept-Language: en;q=0.5, EN-us",
		`If-None-Match: "a", W/"v1" / If-Modified-Since: D(0)`,
		`If-Modified-Since: Sunday, 01-Mar-26 12:00:00 GMT`,
		"Range: bytes=1-2, 8-9, -5, 3-4 / If-Range: \"v1\"",
	} {
		r, list := request(t, tt), fields(t, tt)
		var buffer [1 << 10]byte
		status := Status{Cache: "weirkeep", Hit: true, HasTTL: true, Key: []byte("/a\"b"), Detail: "two words"}
		steps := map[string]func(){
			"Read":        func() { r.Read([]byte("GET"), list) },
			"Fits":        func() { s.Fits(r, p) },
			"Use":         func() { p.Use(s, r, at(7)) },
			"MayUseStale": func() { p.MayUseStale(s, r, at(7), Disconnected) },
			"Reply": func() {
				y := s.Reply(r, s.Length)
				y.Coding = s.Coding(r)
				s.AppendReply(buffer[:0], &y)
				for _, span := range y.Parts() {
					s.AppendPart(buffer[:0], &y, span)
				}
			},
			"Age":    func() { AppendAge(buffer[:0], s.AgeAt(at(7))) },
			"Status": func() { status.Append(buffer[:0]) },
		}
		for name, step := range steps {
			if n := testing.AllocsPerRun(100, step); n > 0 {
				t.Errorf("%s of %q allocates %v times", name, tt, n)
			}
		}
	}
}

// Budget: what is looked at of an answer is copied in two pieces, its head and the list
// of its fields; the rest is the answer itself, its tag, and what it varies by.
func TestStoreAllocates(t *testing.T) {
	p := policies()[""]
	r := request(t, browser)
	for _, tt := range []struct {
		answer string
		budget float64
	}{
		{"Cache-Control: max-age=60 / Content-Type: text/html / X: 1 / Y: 2", 4},
		{"Cache-Control: max-age=60 / Content-Type: text/html / ETag: \"v1\" / Vary: Accept-Encoding", 10},
		{"Cache-Control: no-store / Content-Type: text/html / ETag: \"v1\" / Vary: Accept-Encoding", 0},
	} {
		a := answer(t, tt.answer)
		if n := testing.AllocsPerRun(100, func() { p.Store(r, a, Override{}) }); n > tt.budget {
			t.Errorf("Store of %q allocates %v times, want %v", tt.answer, n, tt.budget)
		}
	}
}

// BenchmarkHit is what the semantics of a hit cost, but for the rendered head. It has a
// budget of 250 ns/op and 0 allocs/op.
func BenchmarkHit(b *testing.B) {
	p := policies()[""]
	list := fields(b, browser)
	r := new(Request)
	r.Read([]byte("GET"), list)
	s := stored(b, p, r, answer(b, "Content-Type: text/html / Cache-Control: max-age=600 / ETag: \"v1\" / Vary: Accept-Encoding"))
	now := at(7)
	b.ReportAllocs()
	for b.Loop() {
		r.Read([]byte("GET"), list)
		if !s.Fits(r, p) || p.Use(s, r, now) != UseFresh {
			b.Fatal("a miss")
		}
		if y := s.Reply(r, s.Length); y.Status != 200 {
			b.Fatal(y.Status)
		}
	}
}

// BenchmarkStore has a budget of 5 µs/op.
func BenchmarkStore(b *testing.B) {
	p := policies()[""]
	r := request(b, browser)
	a := answer(b, "Content-Type: text/html / Cache-Control: max-age=600 / ETag: \"v1\" / Vary: Accept-Encoding / Last-Modified: D(-900) / Server: x / Via: 1.1 y")
	b.ReportAllocs()
	for b.Loop() {
		if s, why := p.Store(r, a, Override{}); s == nil {
			b.Fatal(why)
		}
	}
}
