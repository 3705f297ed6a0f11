package cache

import (
	"bytes"
	"testing"

	"weirkeep/gateway/wire"
)

// TestWhatIsKeptInSlices is what is long enough, has a name for its version, and comes from
// an origin that sends ranges.
func TestWhatIsKeptInSlices(t *testing.T) {
	const strong, fresh = "ETag: \"v1\" / ", "Cache-Control: max-age=60"
	for _, tt := range []struct {
		name, request, answer string
		length                int64
		want                  string // its version; empty: it is not kept so
	}{
		{"a whole with a strong tag", "", "Accept-Ranges: bytes / " + strong + fresh, 101, `"v1"`},
		{"no longer than above", "", "Accept-Ranges: bytes / " + strong + fresh, 100, ""},
		{"of no known length", "", "Accept-Ranges: bytes / " + strong + fresh, -1, ""},
		{"a whole without a word of ranges", "", strong + fresh, 101, ""},
		{"one that has none", "", "Accept-Ranges: none / " + strong + fresh, 101, ""},
		{"a weak tag", "", "Accept-Ranges: bytes / ETag: W/\"v1\" / " + fresh, 101, ""},
		{"a weak tag and an old time", "", "Accept-Ranges: bytes / ETag: W/\"v1\" / Last-Modified: D(-900) / " + fresh, 101, ""},
		{"an old time", "", "Accept-Ranges: bytes / Last-Modified: D(-60) / " + fresh, 101, "modified 1772366340"},
		{"a time that may be two versions'", "", "Accept-Ranges: bytes / Last-Modified: D(-59) / " + fresh, 101, ""},
		{"no validator", "", "Accept-Ranges: bytes / " + fresh, 101, ""},
		{"an error", "", "404 Accept-Ranges: bytes / " + strong + fresh, 101, ""},
		{"a part", "Range: bytes=0-9", "206 Content-Range: bytes 0-9/101 / " + strong + fresh, 10, `"v1"`},
		{"a part that is all", "Range: bytes=0-", "206 Content-Range: bytes 0-100/101 / " + strong + fresh, 101, `"v1"`},
		{"a part of little", "Range: bytes=0-9", "206 Content-Range: bytes 0-9/100 / " + strong + fresh, 10, ""},
		{"a part of nobody knows what", "Range: bytes=0-9", "206 Content-Range: bytes 0-9/* / " + strong + fresh, 10, ""},
		{"a part that may lack fields", "Range: bytes=0-9 / If-Range: \"v1\"", "206 Content-Range: bytes 0-9/101 / " + strong + fresh, 10, ""},
		{"a part of another length", "Range: bytes=0-9", "206 Content-Range: bytes 0-9/101 / " + strong + fresh, 9, ""},
	} {
		r, a := request(t, tt.request), answer(t, tt.answer)
		a.Length = tt.length
		whole := stored(t, policies()["conformance"], r, a).InSlices(r, a, 10, 100)
		got := ""
		if whole != nil {
			got = string(whole.Slices.Version)
			if whole.Status != 200 || whole.Length != 0 || whole.isPart() || whole.Slices.Size != 101 || valueOf(whole.Fields, "content-range") != nil {
				t.Errorf("%s: %+v", tt.name, whole)
			}
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// sliced is the head of a representation of 25 bytes in slices of 10.
func sliced(t testing.TB) *Stored {
	r, a := request(t, ""), answer(t, "Accept-Ranges: bytes / ETag: \"v1\" / Surrogate-Key: film / Cache-Control: max-age=60")
	a.Length = 25
	return stored(t, policies()[""], r, a).InSlices(r, a, 10, 20)
}

// TestSlicesAreExact: a slice is what was asked for, of the version that was asked about, or
// it is none.
func TestSlicesAreExact(t *testing.T) {
	words := [...]string{PieceWanted: "wanted", PieceChanged: "changed", PieceOther: "other"}
	for _, tt := range []struct {
		name   string
		n      int64
		answer string
		length int64
		want   string
	}{
		{"the first", 0, `206 Content-Range: bytes 0-9/25 / ETag: "v1" / Cache-Control: max-age=9`, 10, "wanted"},
		{"the last", 2, `206 Content-Range: bytes 20-24/25 / ETag: "v1" / Cache-Control: max-age=9`, 5, "wanted"},
		{"chunked", 1, `206 Content-Range: bytes 10-19/25 / ETag: "v1" / Cache-Control: max-age=9`, -1, "wanted"},
		{"for one client", 0, `206 Content-Range: bytes 0-9/25 / ETag: "v1" / Cache-Control: private`, 10, "wanted: private"},
		{"of another version", 0, `206 Content-Range: bytes 0-9/25 / ETag: "v2" / Cache-Control: max-age=9`, 10, "changed"},
		{"of another length", 0, `206 Content-Range: bytes 0-9/26 / ETag: "v1" / Cache-Control: max-age=9`, 10, "changed"},
		{"of one that has shrunk", 2, `206 Content-Range: bytes 20-21/22 / ETag: "v2" / Cache-Control: max-age=9`, 2, "changed"},
		{"of a weak version", 0, `206 Content-Range: bytes 0-9/25 / ETag: W/"v1" / Cache-Control: max-age=9`, 10, "other"},
		{"of no version", 0, `206 Content-Range: bytes 0-9/25 / Cache-Control: max-age=9`, 10, "other"},
		{"the whole", 0, `Content-Range: bytes 0-9/25 / ETag: "v1" / Cache-Control: max-age=9`, 25, "other"},
		{"another slice", 0, `206 Content-Range: bytes 10-19/25 / ETag: "v1" / Cache-Control: max-age=9`, 10, "other"},
		{"a shorter one", 0, `206 Content-Range: bytes 0-8/25 / ETag: "v1" / Cache-Control: max-age=9`, 9, "other"},
		{"less than it says", 0, `206 Content-Range: bytes 0-9/25 / ETag: "v1" / Cache-Control: max-age=9`, 9, "other"},
		{"of nobody knows how much", 0, `206 Content-Range: bytes 0-9/* / ETag: "v1" / Cache-Control: max-age=9`, 10, "other"},
		{"without a word of where", 0, `206 ETag: "v1" / Cache-Control: max-age=9`, 10, "other"},
		{"several", 0, `206 Content-Range: bytes 0-9/25 / Content-Type: multipart/byteranges; boundary=b / ETag: "v1"`, 10, "other"},
	} {
		whole := sliced(t)
		r, a := request(t, ""), answer(t, tt.answer)
		r.Range, a.Length = whole.Slices.AppendRange(nil, tt.n), tt.length
		slice, why, is := policies()[""].Slice(whole, tt.n, r, a, Override{})
		got := words[is]
		if why != 0 {
			got += ": " + why.String()
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
		if is == PieceWanted && (slice.Length != whole.Slices.Span(tt.n).Len() || slice.isPart() || len(slice.Tags) != 1) {
			t.Errorf("%s: %+v", tt.name, slice)
		}
	}
}

// TestSlicesCoverTheWhole, each byte once.
func TestSlicesCoverTheWhole(t *testing.T) {
	for size := int64(1); size < 40; size++ {
		l, next := Slices{Each: 10, Size: size}, int64(0)
		for n := range l.Count() {
			span := l.Span(n)
			if span.First != next || span.Len() < 1 || span.Len() > 10 {
				t.Fatalf("%d bytes: slice %d is %v", size, n, span)
			}
			next = span.Last + 1
		}
		if next != size {
			t.Errorf("%d bytes: the last slice ends at %d", size, next)
		}
	}
	l := Slices{Each: 10, Size: 25}
	if got := string(l.AppendRange(nil, 2)); got != "bytes=20-24" {
		t.Error(got)
	}
}

// TestSliceNamesAreReadBack, whatever stands in a tag, and nothing else is a name.
func TestSliceNamesAreReadBack(t *testing.T) {
	for _, version := range []string{`"v1"`, `"a b /\"`, "modified 1772366340"} {
		l := Slices{Each: 10, Size: 25, Version: []byte(version)}
		name := l.AppendName(nil, 2)
		span, size, v, ok := ParseSliceName(name[:len(name)-1])
		if !ok || span != l.Span(2) || size != 25 || string(v) != version {
			t.Errorf("%q is read as %v %d %q %v", name, span, size, v, ok)
		}
	}
	for _, name := range []string{"", "slice", "slice 1", "slice 1 bytes 0-9/25", "slice 1 bytes 0-9/25 ", "slice 1 lines 0-9/25 v", "slice 1 bytes 9-0/25 v", "field x y z v"} {
		if _, _, _, ok := ParseSliceName([]byte(name)); ok {
			t.Errorf("%q is read as a name", name)
		}
	}
}

// TestSlicedIsValidatedLikeAnyOther: a 304 and a HEAD say what holds of the whole, whose
// length is not that of what is stored with its head.
func TestSlicedIsValidatedLikeAnyOther(t *testing.T) {
	p, whole := policies()[""], sliced(t)
	merged, same := whole.Renewed(answer(t, "304 ETag: W/\"v1\" / Cache-Control: max-age=99").later(50))
	again, why := p.Renew(whole, request(t, ""), &merged, Override{})
	if !same || why != 0 || again.Slices.Size != 25 || string(again.Slices.Version) != `"v1"` || again.TTLAt(at(50)) != 49e9 {
		t.Errorf("after a 304: %v %+v", why, again)
	}
	for length, want := range map[string]bool{"25": true, "26": false, "0": false} {
		head, why := p.RefreshHead(whole, request(t, "HEAD"), answer(t, "ETag: \"v1\" / Cache-Control: max-age=99 / Content-Length: "+length).later(50), Override{})
		if why != 0 || head.Fresh.Expired == want {
			t.Errorf("after a HEAD with %s bytes: %v, expired %v", length, why, head.Fresh.Expired)
		}
	}
}

// TestAgeCountsFromTheSlice that came last, if the whole came before.
func TestAgeCountsFromTheSlice(t *testing.T) {
	whole := sliced(t)
	slice := &Stored{Fresh: Freshness{Received: at(20), Age: 3e9}}
	if age := whole.Since(slice).AgeAt(at(25)); age != 8e9 {
		t.Errorf("it is %v old", age)
	}
	slice.Fresh.Received = at(-20)
	if age := whole.Since(slice).AgeAt(at(25)); age != 25e9 {
		t.Errorf("with an older slice it is %v old", age)
	}
}

// TestWhatIsSlicedIsNotEncoded, also where the site encodes what it stores.
func TestWhatIsSlicedIsNotEncoded(t *testing.T) {
	p := Default()
	p.Codings = []Coding{Gzip}
	r, a := request(t, "Accept-Encoding: gzip"), answer(t, "Accept-Ranges: bytes / Content-Type: text/plain / ETag: \"v1\" / Cache-Control: max-age=60")
	a.Length = 1 << 20
	s := stored(t, &p, r, a)
	if s.Coding(r) != Gzip {
		t.Error("it would not be encoded in any case")
	}
	if whole := s.InSlices(r, a, 10, 20); whole.Coding(r) != Identity || valueOf(fieldsOfHead(t, whole), "vary") != nil {
		t.Errorf("it may be encoded: %s", whole.AppendHead(nil))
	}
}

func fieldsOfHead(t *testing.T, s *Stored) []wire.Field {
	t.Helper()
	_, block, _ := bytes.Cut(s.AppendHead(nil), []byte("\r\n"))
	var h wire.Head
	if err := h.ParseResponse(block, 1, &wire.Rules{}); err != nil {
		t.Fatal(err)
	}
	return h.Fields
}
