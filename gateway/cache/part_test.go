package cache

import (
	"testing"

	"weirkeep/gateway/wire"
)

// partOf returns an answer with a part that has so many bytes.
func partOf(t testing.TB, text string, length int64) *Answer {
	t.Helper()
	a := answer(t, "206 Cache-Control: max-age=60 / "+text)
	a.Length = length
	return a
}

// outcomeOfPart says what becomes of a request once a part is stored for "bytes=0-4".
func outcomeOfPart(t *testing.T, p *Policy, asked, part string, length int64, next string, after float64) string {
	t.Helper()
	s, why := p.Store(request(t, "Range: "+asked), partOf(t, part, length), Override{})
	r := request(t, next)
	switch {
	case s == nil:
		return "refused: " + why.String()
	case !s.Fits(r, p):
		return "miss"
	}
	use := uses[p.Use(s, r, at(after))]
	if use != "fresh" {
		return use
	}
	return replyTo(s, r)
}

func TestParts(t *testing.T) {
	const strong = "Content-Range: bytes 0-4/10 / ETag: \"v1\""
	for _, tt := range []struct {
		id, part, next string
		after          float64
		want           string
	}{
		{"G2", "Content-Range: bytes 0-4/10", "Range: bytes=0-4", 0, "206"},
		{"G2", "Content-Range: bytes 0-4/10", "Range: bytes=1-2", 0, "206 1-2"},
		{"G2", "Content-Range: bytes 0-4/10", "Range: Bytes=0-4", 0, "206 0-4"},
		{"G2", "Content-Range: bytes 0-4/*", "Range: bytes=1-2", 0, "206 1-2"},
		{"G2", "Content-Range: bytes 0-4/10", "Range: bytes=3-5", 0, "miss"},
		{"G2", "Content-Range: bytes 0-4/10", "Range: bytes=6-", 0, "miss"},
		{"G2", "Content-Range: bytes 0-4/10", "Range: bytes=3-", 0, "miss"},
		{"G2", "Content-Range: bytes 0-4/10", "Range: bytes=-3", 0, "miss"},
		{"G2", "Content-Range: bytes 0-4/10", "Range: bytes=0-0,2-2", 0, "miss"},
		{"G2", "Content-Range: bytes 0-4/10", "Range: lines=0-4", 0, "miss"},
		{"G2", "Content-Range: bytes 0-4/*", "Range: bytes=3-", 0, "miss"},
		{"G2", "Content-Range: bytes 0-4/*", "Range: bytes=-3", 0, "miss"},
		{"G2", "Content-Range: bytes 5-9/10", "Range: bytes=6-", 0, "206 6-9"},
		{"G2", "Content-Range: bytes 5-9/10", "Range: bytes=6-99", 0, "206 6-9"},
		{"G2", "Content-Range: bytes 5-9/10", "Range: bytes=-3", 0, "206 7-9"},
		{"G2", "Content-Range: bytes 5-9/10", "Range: bytes=-6", 0, "miss"},
		{"G2", "Content-Range: bytes 5-9/10", "Range: bytes=4-6", 0, "miss"},
		{"G2", "Content-Range: bytes 5-9/10", "Range: bytes=12-", 0, "miss"},
		{"G2", "Content-Range: bytes 5-9/10", "", 0, "miss"},
		{"G2", "Content-Range: bytes 5-9/10", "HEAD ", 0, "miss"},
		{"G2", "Content-Range: bytes 0-4/10", "HEAD ", 0, "miss"},
		{"G2", strong, "Range: bytes=1-2 / If-Range: \"v1\"", 0, "206 1-2"},
		{"G2", strong, "Range: bytes=1-2 / If-Range: \"v2\"", 0, "miss"},
		{"G2", strong, "Range: bytes=1-2", 61, "fetch"},
		{"C1", strong, "Range: bytes=1-2 / If-None-Match: \"v1\"", 0, "304"},
		{"G4", strong, "", 0, "rest"},
		{"G4", "Content-Range: bytes 0-4/10", "", 0, "fetch"},
		{"G4", "Content-Range: bytes 0-4/10 / ETag: W/\"v1\"", "", 0, "fetch"},
		{"G4", strong, "", 61, "fetch"},
		{"C1 of a part", strong, "If-None-Match: \"v1\"", 0, "304"},
		{"C1 of a part", strong, "If-None-Match: \"v2\"", 0, "rest"},
		{"all that there is", "Content-Range: bytes 0-4/5", "", 0, "200"},
		{"all that there is", "Content-Range: bytes 0-4/5", "Range: bytes=-2", 0, "206 3-4"},
		{"0.4-2 another length", "Content-Range: bytes 0-5/10", "Range: bytes=0-4", 0, "refused: part"},
		{"contradictory", "Content-Range: bytes 0-4/3", "Range: bytes=0-4", 0, "refused: part"},
		{"two", "Content-Range: bytes 0-4/10 / Content-Range: bytes 0-4/10", "Range: bytes=0-4", 0, "refused: part"},
		{"none", "X: 1", "Range: bytes=0-4", 0, "refused: part"},
		{"several", "Content-Type: Multipart/byteranges; boundary=x", "Range: bytes=0-4", 0, "refused: part"},
		{"several", "Content-Type: multipart/byteranges / Content-Range: bytes 0-4/10", "Range: bytes=0-4", 0, "refused: part"},
	} {
		if got := outcomeOfPart(t, policies()[""], "bytes=0-4", tt.part, 5, tt.next, tt.after); got != tt.want {
			t.Errorf("%s: %q, then %q after %v s: %s, want %s", tt.id, tt.part, tt.next, tt.after, got, tt.want)
		}
	}
}

// TestPartsOfAnotherLength is 0.4-2: five bytes that are said to be 4 to 9.
func TestPartsOfAnotherLength(t *testing.T) {
	for _, tt := range []struct{ next, want string }{
		{"Range: bytes=-5", "206"},
		{"Range: bytes=6-8", "206 6-8"},
		{"Range: bytes=6-", "206 6-8"},
		{"Range: bytes=7-99", "206 7-8"},
		{"Range: bytes=-1", "206 8-8"},
		{"Range: bytes=-99", "206 4-8"},
		{"Range: bytes=2-6", "miss"},
		{"Range: bytes=9-", "miss"},
		{"", "miss"},
	} {
		part := "Content-Range: bytes 4-9/10"
		if got := outcomeOfPart(t, policies()["conformance"], "bytes=-5", part, 5, tt.next, 0); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.next, got, tt.want)
		}
		if got := outcomeOfPart(t, policies()[""], "bytes=-5", part, 5, tt.next, 0); got != "refused: part" {
			t.Errorf("not lenient: %q: %s", tt.next, got)
		}
	}
	// Without a length the one that is stated is promised, and kept to by whoever fills.
	s, _ := policies()["conformance"].Store(request(t, "Range: bytes=-5"), partOf(t, "Content-Range: bytes 4-9/10", wire.Chunked), Override{})
	if s == nil || s.Length != 6 || s.Part.Loose {
		t.Errorf("a part without a length: %+v", s)
	}
}

func TestPartsOnTheWire(t *testing.T) {
	p := policies()[""]
	const date = "Date: Sun, 01 Mar 2026 12:00:00 GMT\nCache-Control: max-age=60\n"
	s := stored(t, p, request(t, "Range: bytes=5-9"), partOf(t, "Content-Range: bytes 5-9/10", 5))
	for _, tt := range []struct{ request, want string }{
		{"Range: bytes=5-9", "HTTP/1.1 206 Partial Content\n" + date + "Content-Range: bytes 5-9/10\n\nfghij"},
		{"Range: bytes=-2", "HTTP/1.1 206 Partial Content\n" + date + "Content-Range: bytes 8-9/10\n\nij"},
	} {
		if got := render(s, request(t, tt.request), "fghij"); got != tt.want {
			t.Errorf("%q:\n%s\nwant\n%s", tt.request, got, tt.want)
		}
	}
	all := stored(t, p, request(t, "Range: bytes=0-"), partOf(t, "Content-Range: bytes 0-4/5", 5))
	if got, want := render(all, request(t, ""), "abcde"), "HTTP/1.1 200 OK\n"+date+"\nabcde"; got != want {
		t.Errorf("all that there is:\n%s\nwant\n%s", got, want)
	}
}

func TestTheRestIsAskedFor(t *testing.T) {
	for _, tt := range []struct{ part, want string }{
		{"Content-Range: bytes 0-4/10 / ETag: \"v1\"", "Range: bytes=5- / If-Range: \"v1\""},
		{"Content-Range: bytes 0-4/10 / ETag: W/\"v1\"", "Range: bytes=5-"},
		{"Content-Range: bytes 0-4/*", "Range: bytes=5-"},
	} {
		p := policies()["conformance"]
		s := stored(t, p, request(t, "Range: bytes=0-4"), partOf(t, tt.part, 5))
		if got := uses[p.Use(s, request(t, ""), at(0))] + " " + written(s.AppendRest(nil)); got != "rest "+tt.want {
			t.Errorf("G4: %q: %q, want %q", tt.part, got, tt.want)
		}
	}
}

// TestPartsAreJoined is G3.
func TestPartsAreJoined(t *testing.T) {
	const first, rest = "Content-Range: bytes 0-4/10 / ETag: \"v1\" / X: 1 / Y: 1", "Content-Range: bytes 5-9/10 / ETag: \"v1\" / X: 2"
	for _, tt := range []struct {
		part, rest string
		length     int64
		want       string
	}{
		{first, rest, 5, "200 10 Cache-Control: max-age=60 / ETag: \"v1\" / X: 2 / Y: 1"},
		{first, rest, -1, "200 10 Cache-Control: max-age=60 / ETag: \"v1\" / X: 2 / Y: 1"},
		{"Content-Range: bytes 0-4/* / ETag: \"v1\"", rest, 5, "200 10 Cache-Control: max-age=60 / ETag: \"v1\" / X: 2"},
		{first, rest, 4, "part"},
		{first, rest, 0, "part"},
		{first, "Content-Range: bytes 5-9/10 / ETag: \"v2\"", 5, "other validator"},
		{first, "Content-Range: bytes 5-9/10", 5, "other validator"},
		{first, "Content-Range: bytes 5-9/10 / ETag: W/\"v1\"", 5, "other validator"},
		{"Content-Range: bytes 0-4/10 / ETag: W/\"v1\"", "Content-Range: bytes 5-9/10 / ETag: W/\"v1\"", 5, "other validator"},
		{first, "ETag: \"v1\"", 5, "other validator"},
		{first, "Content-Range: bytes 5-9/11 / ETag: \"v1\"", 5, "part"},
		{first, "Content-Range: bytes 5-8/10 / ETag: \"v1\"", 4, "part"},
		{first, "Content-Range: bytes 6-9/10 / ETag: \"v1\"", 4, "part"},
		{first, "Content-Range: bytes 5-9/* / ETag: \"v1\"", 5, "part"},
		{"Content-Range: bytes 1-5/10 / ETag: \"v1\"", "Content-Range: bytes 6-9/10 / ETag: \"v1\"", 4, "part"},
	} {
		p := policies()[""]
		s := stored(t, p, request(t, "Range: bytes=0-4"), partOf(t, tt.part, 5))
		joined, why := p.Join(s, request(t, ""), partOf(t, tt.rest, tt.length), Override{})
		got := why.String()
		if joined != nil {
			got = replyTo(joined, request(t, "")) + " " + fmtLength(joined) + " " + sorted(joined.Fields)
		}
		if got != tt.want {
			t.Errorf("G3: %q and %q: %s, want %s", tt.part, tt.rest, got, tt.want)
		}
	}
	p := policies()[""]
	s := stored(t, p, request(t, "Range: bytes=0-4"), partOf(t, first, 5))
	if joined, _ := p.Join(s, request(t, ""), answer(t, "200 ETag: \"v1\" / Content-Range: bytes 5-9/10"), Override{}); joined != nil {
		t.Error("a 200 is joined to a part")
	}
}
