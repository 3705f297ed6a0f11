package cache

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// all is every coding, in an order that is nobody's.
var all = []Coding{Zstd, Gzip, Brotli}

// offering is a policy that answers may be sent in codings with.
func offering(list ...Coding) *Policy {
	p := Default()
	p.Codings = list
	return &p
}

// long is an answer whose body is long enough.
func long(t testing.TB, text string) *Answer {
	a := answer(t, text)
	a.Length = 5000
	return a
}

// RFC 9110, 12.5.3: what the client likes best of what is offered, and of what it likes
// alike the first.
func TestCodingIsTheClientsChoice(t *testing.T) {
	s := stored(t, offering(Zstd, Brotli, Gzip), request(t, ""), long(t, "Cache-Control: max-age=60 / Content-Type: text/html"))
	for _, tt := range []struct {
		request string
		want    Coding
	}{
		{"", Identity},
		{"Accept-Encoding: gzip", Gzip},
		{"Accept-Encoding: GZip", Gzip},
		{"Accept-Encoding: x-gzip", Gzip},
		{"Accept-Encoding: gzip, x-gzip;q=0", Identity},
		{"Accept-Encoding: gzip, deflate, br, zstd", Zstd},
		{"Accept-Encoding: gzip, br", Brotli},
		{"Accept-Encoding: br;q=0.8, gzip;q=0.9, zstd;q=0.1", Gzip},
		{"Accept-Encoding: br;q=0.899, gzip;q=0.9", Gzip},
		{"Accept-Encoding: gzip / Accept-Encoding: br", Brotli},
		{"Accept-Encoding: deflate, compress", Identity},
		{"Accept-Encoding: gzip;q=0", Identity},
		{"Accept-Encoding: gzip;q=0.0, br;q=0.000", Identity},
		{"Accept-Encoding: gzip;q=0, gzip", Identity},
		{"Accept-Encoding: *", Zstd},
		{"Accept-Encoding: *, zstd;q=0", Brotli},
		{"Accept-Encoding: *;q=0", Identity},
		{"Accept-Encoding: gzip, *;q=0", Gzip},
		{"Accept-Encoding: *;q=0.5, gzip;q=0.4", Zstd},
		{"Accept-Encoding: identity", Identity},
		{"Accept-Encoding: identity, gzip", Gzip},
		{"Accept-Encoding: identity, gzip;q=0.9", Identity},
		{"Accept-Encoding: identity;q=0.5, gzip;q=0.9", Gzip},
		{"Accept-Encoding: identity;q=0, gzip;q=0.1", Gzip},
		{"Accept-Encoding: identity;q=0", Identity},
		{"Accept-Encoding: ", Identity},
		{"Accept-Encoding: , gzip ;q=1.000,", Gzip},
		{"Accept-Encoding: gzip;q=2", Identity},
		{"Accept-Encoding: gzip;q=", Identity},
		{"Accept-Encoding: gzip;level=9", Identity},
		{"Accept-Encoding: gzip br", Identity},
		{"Accept-Encoding: gzip, \"br", Identity},
		{"Accept-Encoding: gzip" + strings.Repeat(", a", 16), Identity},
		{"Accept-Encoding: gzip / Range: bytes=0-3", Identity},
		{"Accept-Encoding: gzip / Cache-Control: no-transform", Identity},
		{"HEAD Accept-Encoding: gzip", Gzip},
		{"HEAD Accept-Encoding: gzip / Range: bytes=0-3", Gzip}, // which a HEAD does not have
	} {
		if got := s.Coding(request(t, tt.request)); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.request, got, tt.want)
		}
	}
}

// What is sent in a coding is what was whole, came in none, gets smaller, and may be changed.
func TestWhatIsOfferedInCodings(t *testing.T) {
	const fresh = "Cache-Control: max-age=60 / "
	for _, tt := range []struct {
		answer string
		length int64
		want   bool
	}{
		{fresh + "Content-Type: text/html", 5000, true},
		{fresh + "Content-Type: Text/HTML; charset=utf-8", 5000, true},
		{fresh + "Content-Type: application/json", 1024, true},
		{fresh + "Content-Type: application/json", 1023, false},
		{fresh + "Content-Type: application/json", -1, true}, // it may turn out long enough
		{fresh + "Content-Type: application/problem+json ; a=b", 5000, true},
		{fresh + "Content-Type: image/svg+xml", 5000, true},
		{fresh + "Content-Type: application/wasm", 5000, true},
		{fresh + "Content-Type: font/ttf", 5000, true},
		{fresh + "Content-Type: font/woff2", 5000, false},
		{fresh + "Content-Type: image/png", 5000, false},
		{fresh + "Content-Type: application/zip", 5000, false},
		{fresh + "Content-Type: text/event-stream", 5000, false},
		{fresh + "Content-Type: texture/x", 5000, false},
		{fresh + "Content-Type: +json", 5000, false},
		{fresh + "Content-Type: " + strings.Repeat("a", longestType) + "/b+json", 5000, false},
		{fresh, 5000, false},
		{fresh + "Content-Type: text/html / Content-Type: text/plain", 5000, false},
		{fresh + "Content-Type: text/html / Content-Encoding: gzip", 5000, false},
		{fresh + "Content-Type: text/html / Content-Encoding: identity", 5000, false},
		{"404 " + fresh + "Content-Type: text/html", 5000, false},
		{fresh + "Content-Type: text/html / Content-Range: bytes 0-4999/5000", 5000, false},
		{"Cache-Control: max-age=60, no-transform / Content-Type: text/html", 5000, false},
		{"CDN-Cache-Control: max-age=60 / Cache-Control: no-transform / Content-Type: text/html", 5000, false},
		{"CDN-Cache-Control: max-age=60, no-transform / Content-Type: text/html", 5000, false},
		{fresh + "Content-Type: text/html / Surrogate-Control: compress=no", 5000, false},
		{fresh + "Content-Type: text/html / Surrogate-Control: max-age=60, compress=\"no\"", 5000, false},
		{fresh + "Content-Type: text/html / Surrogate-Control: compress=yes", 5000, true},
		{fresh + "Content-Type: text/html / Surrogate-Control: compress=perhaps, content=\"ESI/1.0\"", 5000, true},
		{fresh + "Content-Type: text/html / Content-MD5: x", 5000, false},
		{fresh + "Content-Type: text/html / Digest: sha-256=x", 5000, false},
		{fresh + "Content-Type: text/html / Content-Digest: sha-256=:x=:", 5000, false},
		{fresh + "Content-Type: text/html / Repr-Digest: sha-256=:x=:", 5000, false},
	} {
		a := answer(t, tt.answer)
		a.Length = tt.length
		s := stored(t, offering(Gzip), request(t, ""), a)
		if got := len(s.Codings) > 0; got != tt.want {
			t.Errorf("%s of %d bytes: %v, want %v", tt.answer, tt.length, got, tt.want)
		}
		if vary := bytes.Contains(s.AppendHead(nil), []byte("Vary: Accept-Encoding")); vary != tt.want {
			t.Errorf("%s of %d bytes: Vary: Accept-Encoding is %v, want %v", tt.answer, tt.length, vary, tt.want)
		}
	}
}

// A rule's codings stand in the place of the site's, and none is none. What a 304 says holds.
func TestRulesSayTheCodings(t *testing.T) {
	r, a := request(t, ""), long(t, "Cache-Control: max-age=60 / Content-Type: text/html")
	for _, tt := range []struct {
		say  Override
		want int
	}{
		{Override{}, 3},
		{Override{HasCodings: true}, 0},
		{Override{HasCodings: true, Codings: []Coding{Gzip}}, 1},
	} {
		s, why := offering(all...).Store(r, a, tt.say)
		if why != 0 || len(s.Codings) != tt.want {
			t.Errorf("%+v: %v, want %d", tt.say, s, tt.want)
		}
	}
	for text, want := range map[string]int{"compress=yes": 3, "compress=no": 0, "max-age=9": 1} { // which outranks a rule (D-WC-07)
		says := long(t, "Cache-Control: max-age=60 / Content-Type: text/html / Surrogate-Control: "+text)
		if s, why := offering(all...).Store(r, says, Override{HasCodings: true, Codings: []Coding{Gzip}}); why != 0 || len(s.Codings) != want {
			t.Errorf("Surrogate-Control: %s: %v, want %d", text, s, want)
		}
	}
	p := offering(all...)
	s := stored(t, p, r, a)
	for text, want := range map[string]int{"304 ": 3, "304 Cache-Control: no-transform, max-age=9": 0, "304 Content-Digest: x": 0, "304 Content-Encoding: gzip": 3} {
		if fresh, why := refresh(p, s, r, answer(t, text), Override{}); fresh == nil || len(fresh.Codings) != want {
			t.Errorf("after %s: %+v (%v), want %d codings", text, fresh, why, want)
		}
	}
}

// RFC 9110, 8.8.1: in a coding the tag is weak. Each reply says what it depends on, and ranges
// are only promised of what came.
func TestHeadsInCodings(t *testing.T) {
	head := "Content-Type: text/html / Accept-Ranges: bytes / ETag: \"v1\" / Cache-Control: max-age=60"
	for _, tt := range []struct {
		answer, request string
		coding          Coding
		want            string // lines that must be there
		not             string
	}{
		{head, "", Identity, `ETag: "v1"|Vary: Accept-Encoding|Accept-Ranges: bytes`, "Content-Encoding"},
		{head, "", Brotli, `ETag: W/"v1"|Vary: Accept-Encoding|Content-Encoding: br|Content-Type: text/html`, "Accept-Ranges"},
		{head, `If-None-Match: "v1"`, Zstd, `HTTP/1.1 304 Not Modified|ETag: W/"v1"|Vary: Accept-Encoding`, "Content-Encoding"},
		{head, `If-None-Match: W/"v1"`, Identity, `HTTP/1.1 304 Not Modified|ETag: "v1"|Vary: Accept-Encoding`, "Content-Encoding"},
		{head, `If-None-Match: W/"v2"`, Gzip, `HTTP/1.1 200 OK|Content-Encoding: gzip`, "304"},
		{head, `Range: bytes=0-3`, Identity, `HTTP/1.1 206 Partial Content|ETag: "v1"|Vary: Accept-Encoding`, "Content-Encoding"},
		{head, `Range: bytes=0-3 / If-Range: W/"v1"`, Identity, `HTTP/1.1 200 OK`, "Content-Range"},
		{head, `Range: bytes=9000-`, Identity, `HTTP/1.1 416 Range Not Satisfiable|Vary: Accept-Encoding`, "Content-Encoding"},
		{strings.Replace(head, `"v1"`, `W/"v1"`, 1), "", Gzip, `ETag: W/"v1"`, "W/W/"},
		{strings.Replace(head, `"v1"`, `v1`, 1), "", Gzip, `ETag: W/v1`, `ETag: v1`},
		{head + " / Vary: Tier", "", Gzip, "Vary: Tier|Vary: Accept-Encoding", "Vary: Tier, "},
		{head + " / Vary: Tier, ACCEPT-encoding", "", Gzip, "Vary: Tier, ACCEPT-encoding", "Vary: Accept-Encoding"},
	} {
		r := request(t, "")
		s := stored(t, offering(all...), r, long(t, tt.answer))
		r = request(t, tt.request)
		y := s.Reply(r, s.Length)
		y.Coding = tt.coding
		got := string(s.AppendReply(nil, &y))
		for _, line := range strings.Split(tt.want, "|") {
			if !strings.Contains(got, line+"\r\n") {
				t.Errorf("%s, %s in %v: no %q in %q", tt.answer, tt.request, tt.coding, line, got)
			}
		}
		if strings.Contains(got, tt.not) {
			t.Errorf("%s, %s in %v: %q in %q", tt.answer, tt.request, tt.coding, tt.not, got)
		}
		if asked := s.AppendConditions(nil); written(asked) != `If-None-Match: `+string(s.ETag) || bytes.HasPrefix(s.ETag, []byte("W/")) != strings.Contains(tt.answer, "W/") {
			t.Errorf("%s: the origin is asked with %s", tt.answer, written(asked))
		}
	}
}

// member is one of Accept-Encoding as RFC 9110, 12.5.3 has it.
var member = regexp.MustCompile("^([-!#$%&'*+.^_`|~0-9A-Za-z]+)(?:[ \t]*;[ \t]*[qQ]=(0(?:\\.[0-9]{0,3})?|1(?:\\.0{0,3})?))?$")

// liked are the weights of an Accept-Encoding, the least of each name, as plainly read as
// can be; false: it is malformed.
func liked(value string) (map[string]float64, bool) {
	weights := map[string]float64{}
	for _, m := range strings.Split(value, ",") {
		m = strings.Trim(m, " \t")
		if m == "" {
			continue
		}
		parts := member.FindStringSubmatch(m)
		if parts == nil {
			return nil, false
		}
		w := 1.0
		if parts[2] != "" {
			w, _ = strconv.ParseFloat(parts[2], 64)
		}
		name := strings.ToLower(parts[1])
		if name == "x-gzip" {
			name = "gzip"
		}
		if was, again := weights[name]; !again || w < was {
			weights[name] = w
		}
	}
	return weights, true
}

// FuzzCoding: whatever a client sends, it gets what came or a coding that it takes, and there is
// none that is offered and that it likes better, nor one that it likes alike and that stands
// before. What is malformed gets what came.
func FuzzCoding(f *testing.F) {
	for _, seed := range []string{"gzip, deflate, br, zstd", "*;q=0.5, gzip;q=0.4", "identity;q=0, br;q=0.001", "x-gzip", ",,gzip ;\tQ=1.", `gzip, "br`, "gzip;q=0.1234", "zstd\v", "*;q=0,zstd;q=1.000"} {
		f.Add(seed)
	}
	s := stored(f, offering(all...), request(f, ""), long(f, "Content-Type: text/html / Cache-Control: max-age=60"))
	r := request(f, "Accept-Encoding: x")
	f.Fuzz(func(t *testing.T, value string) {
		r.Fields[0].Value = []byte(value)
		got := s.Coding(r)
		weights, ok := liked(value)
		if !ok {
			if got != Identity {
				t.Fatalf("%q is malformed, and gets %v", value, got)
			}
			return
		}
		of := func(c Coding) float64 {
			w, named := weights[c.String()]
			if !named {
				w = weights["*"]
			}
			return w
		}
		if got == Identity && strings.Count(value, ",") >= 16 {
			return // it may have been too long to be looked at
		}
		if got != Identity && of(got) == 0 {
			t.Fatalf("%q gets %v, which it does not take", value, got)
		}
		for i, c := range all {
			better := of(c) > of(got) || of(c) == of(got) && of(c) > 0 && (got == Identity || i < slices.Index(all, got))
			if better && c != got {
				t.Fatalf("%q gets %v, and likes %v better", value, got, c)
			}
		}
	})
}
