package gateway

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
)

// RFC 9110, 12.5.3: what is stored is sent in the coding that the client likes best, and of those
// it likes alike in the operator's first. The first client gets what came, and whoever comes
// until it is encoded; the origin is asked once.
func TestStoredIsSentInTheClientsCoding(t *testing.T) {
	t.Parallel()
	s := newShop(t, everyCoding)
	s.answer = pages
	for i, tt := range []struct{ accepts, want string }{
		{"gzip, deflate, br, zstd", "br"},
		{"gzip, deflate", "gzip"},
		{"zstd, gzip;q=0.9", "zstd"},
		{"br;q=0.1, gzip;q=0.2", "gzip"},
		{"*", "br"},
		{"identity;q=0, gzip", "gzip"},
		{"deflate", ""},
		{"gzip;q=0", ""},
		{"identity, gzip;q=0.5", ""},
		{"gzip;q=high", ""},
	} {
		path := fmt.Sprint("/", i)
		before := s.heads.Load()
		first := s.form(t, "GET", path, "Accept-Encoding: "+tt.accepts)
		if first.coding() != "" || string(first.body) != linesOf(path, 20_000) || first.Header.Get("Etag") != `"v1"` || first.Header.Get("Accept-Ranges") != "bytes" {
			t.Errorf("%s: the first is %v", tt.accepts, first.Header)
		}
		f := s.inCoding(t, tt.want, path, "Accept-Encoding: "+tt.accepts)
		if f.decoded(t) != linesOf(path, 20_000) || int64(len(f.body)) != f.ContentLength {
			t.Errorf("%s: %d bytes in %q are not the page", tt.accepts, len(f.body), f.coding())
		}
		for _, f := range []form{first, f} {
			if got := strings.Join(f.Header.Values("Vary"), ", "); got != "X-Tier, Accept-Encoding" {
				t.Errorf("%s: Vary is %s", tt.accepts, got)
			}
		}
		if tt.want != "" && (f.Header.Get("Etag") != `W/"v1"` || f.Header.Get("Accept-Ranges") != "" || len(f.body) > 2000) {
			t.Errorf("%s: %d bytes, %v", tt.accepts, len(f.body), f.Header)
		}
		if !strings.Contains(f.Header.Get("Cache-Status"), "edge; hit; ttl=") {
			t.Errorf("%s: Cache-Status is %s", tt.accepts, f.Header.Get("Cache-Status"))
		}
		if n := s.heads.Load() - before; n != 1 {
			t.Errorf("%s: the origin was asked %d times", tt.accepts, n)
		}
	}
}

// What is in a coding, small, no text, or forbids to be changed comes as it came, without a
// word of what it would depend on; so does everything where no coding is configured.
func TestWhatStaysAsItCame(t *testing.T) {
	t.Parallel()
	const text = "Content-Type: text/html\r\n"
	for _, tt := range []struct {
		name, fields, body, config, status string
		vary                               bool
	}{
		{name: "in a coding", fields: text + "Content-Encoding: gzip\r\n", body: linesOf("a", 5000)},
		{name: "small", fields: text, body: linesOf("a", 1000)},
		{name: "a picture", fields: "Content-Type: image/jpeg\r\n", body: linesOf("a", 5000)},
		{name: "not to be changed", fields: text + "Cache-Control: no-transform\r\n", body: linesOf("a", 5000)},
		{name: "known by its digest", fields: text + "Repr-Digest: sha-256=:x:\r\n", body: linesOf("a", 5000)},
		{name: "an error", fields: text, body: linesOf("a", 5000), status: "404 Not Found"},
		{name: "no shorter", fields: text, body: chance(5000), vary: true},
		{name: "no codings", fields: text, body: linesOf("a", 5000), config: ", compress: []"},
		{name: "nothing said of codings", fields: text, body: linesOf("a", 5000), config: " "},
		{name: "a rule that says none", fields: text, body: linesOf("a", 5000), config: everyCoding + ", rules: [{ name: a, compress: [] }]"},
		{name: "too long to be stored", fields: text, body: linesOf("a", 5000), config: everyCoding + ", max_object: 4KiB"},
		{name: "not stored", fields: text + "Cache-Control: no-store\r\n", body: linesOf("a", 5000)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			config := everyCoding
			if tt.config != "" {
				config = tt.config
			}
			s := newShop(t, config)
			s.home.status = func() string { return map[bool]string{true: "200 OK", false: tt.status}[tt.status == ""] }
			s.answer = func(string) (string, string) { return "Cache-Control: max-age=60\r\n" + tt.fields, tt.body }
			if f := s.form(t, "HEAD", "/a", "Accept-Encoding: gzip, br, zstd"); f.Header.Get("Vary") == "Accept-Encoding" != tt.vary {
				t.Errorf("HEAD: %v", f.Header)
			}
			for range 3 {
				f := s.form(t, "GET", "/a", "Accept-Encoding: gzip, br, zstd")
				if string(f.body) != tt.body || f.Header.Get("Vary") == "Accept-Encoding" != tt.vary {
					t.Errorf("%d bytes, %v", len(f.body), f.Header)
				}
				until(t, "nothing is encoded", func() bool { return s.g.encodings.Load() == 0 })
			}
		})
	}
}

// A HEAD of what is not stored says of codings what a GET of it says (RFC 9110, 9.3.2), once.
func TestHeadOnAMissVariesLikeGet(t *testing.T) {
	t.Parallel()
	for _, vary := range []string{"", "Vary: X-Tier\r\n", "Vary: accept-encoding\r\n", "Vary: X-Tier, Accept-Encoding\r\n", "Vary: *\r\n"} {
		for _, config := range []string{"", everyCoding, ", ranges: { above: 4KiB, slice: 4KiB }" + everyCoding} {
			s := newShop(t, config)
			s.answer = func(string) (string, string) {
				return "Cache-Control: max-age=60\r\nContent-Type: text/html\r\nETag: \"v1\"\r\nAccept-Ranges: bytes\r\n" + vary, linesOf("a", 20_000)
			}
			head, get := s.form(t, "HEAD", "/a"), s.form(t, "GET", "/a")
			if h, g := head.Header.Values("Vary"), get.Header.Values("Vary"); !slices.Equal(h, g) || head.ContentLength != 20_000 {
				t.Errorf("%q with %q: HEAD says %q, GET %q", vary, config, h, g)
			}
		}
	}
}

// Conditions, HEAD and ranges are about the form that GET gets, and ranges about what came.
func TestRepliesInCodings(t *testing.T) {
	t.Parallel()
	s := newShop(t, everyCoding)
	s.answer = pages
	const accepts = "Accept-Encoding: gzip"
	whole := s.inCoding(t, "gzip", "/a", accepts)
	for _, tt := range []struct {
		name, method string
		lines        []string
		want         string // status, coding, tag
		body         string
	}{
		{"its weak tag", "GET", []string{accepts, `If-None-Match: W/"v1"`}, `304 "" W/"v1"`, ""},
		{"the strong one", "GET", []string{accepts, `If-None-Match: "v0", "v1"`}, `304 "" W/"v1"`, ""},
		{"the weak one of another coding", "GET", []string{"Accept-Encoding: br, gzip;q=0", `If-None-Match: W/"v1"`}, `304 "" "v1"`, ""},
		{"another tag", "GET", []string{accepts, `If-None-Match: W/"v2"`}, `200 "gzip" W/"v1"`, string(whole.body)},
		{"as it came", "GET", nil, `200 "" "v1"`, linesOf("/a", 20_000)},
		{"HEAD", "HEAD", []string{accepts}, `200 "gzip" W/"v1"`, ""},
		{"HEAD with its tag", "HEAD", []string{accepts, `If-None-Match: W/"v1"`}, `304 "" W/"v1"`, ""},
		{"HEAD as it came", "HEAD", nil, `200 "" "v1"`, ""},
		{"a range", "GET", []string{accepts, "Range: bytes=5-8"}, `206 "" "v1"`, linesOf("/a", 20_000)[5:9]},
		{"a range of the strong tag", "GET", []string{accepts, "Range: bytes=5-8", `If-Range: "v1"`}, `206 "" "v1"`, linesOf("/a", 20_000)[5:9]},
		{"a range of the weak tag", "GET", []string{accepts, "Range: bytes=5-8", `If-Range: W/"v1"`}, `200 "" "v1"`, linesOf("/a", 20_000)},
		{"no range", "GET", []string{accepts, "Range: bytes=30000-"}, `416 "" "v1"`, ""},
		{"not to be changed", "GET", []string{accepts, "Cache-Control: no-transform"}, `200 "" "v1"`, linesOf("/a", 20_000)},
	} {
		f := s.form(t, tt.method, "/a", tt.lines...)
		got := fmt.Sprintf("%d %q %s", f.StatusCode, f.coding(), f.Header.Get("Etag"))
		if got != tt.want || string(f.body) != tt.body || !strings.Contains(f.raw, "Vary: Accept-Encoding\r\n") {
			t.Errorf("%s: %s, %d bytes, %v; want %s", tt.name, got, len(f.body), f.Header, tt.want)
		}
	}
	head, get := s.form(t, "HEAD", "/a", accepts), s.form(t, "GET", "/a", accepts)
	if a, _, _ := strings.Cut(get.raw, "\r\n\r\n"); a != strings.TrimSuffix(head.raw, "\r\n\r\n") {
		t.Errorf("HEAD gets %q, GET %q", head.raw, a)
	}
	if n := s.heads.Load(); n != 1 {
		t.Errorf("the origin was asked %d times", n)
	}
}

// What an origin says still holds stays encoded, and gets the fields of the 304. The origin is
// asked with its own tag; if it is another answer, that is encoded.
func TestEncodedIsRevalidated(t *testing.T) {
	t.Parallel()
	s := newShop(t, everyCoding)
	const accepts = "Accept-Encoding: zstd"
	s.answer = pages
	s.inCoding(t, "zstd", "/a", accepts)
	s.at(100)
	var asked string
	s.home.status = func() string { return "304 Not Modified" }
	s.answer = func(head string) (string, string) {
		asked = head
		return "Cache-Control: max-age=60\r\nX-New: 1\r\n", ""
	}
	f := s.form(t, "GET", "/a", accepts, `If-None-Match: W/"v0"`)
	if !strings.Contains(asked, "If-None-Match: \"v1\"\r\n") {
		t.Errorf("the origin was asked %q", asked)
	}
	if f.coding() != "zstd" || f.decoded(t) != linesOf("/a", 20_000) || f.Header.Get("X-New") != "1" || f.Header.Get("Etag") != `W/"v1"` {
		t.Errorf("after a 304: %v", f.Header)
	}
	m := s.g.metrics.Current().Cache("default")
	if n := m.Encoded.Load(); n != 1 {
		t.Errorf("%d bodies were encoded, want 1", n)
	}
	s.at(200)
	s.home.status = nil
	s.answer = func(head string) (string, string) {
		fields, _ := pages(head)
		return strings.Replace(fields, "v1", "v2", 1), linesOf("another", 5000)
	}
	if f := s.form(t, "GET", "/a", accepts); f.coding() != "" || string(f.body) != linesOf("another", 5000) {
		t.Errorf("after another answer: %v", f.Header)
	}
	if f := s.inCoding(t, "zstd", "/a", accepts); f.decoded(t) != linesOf("another", 5000) || f.Header.Get("Etag") != `W/"v2"` {
		t.Errorf("another answer in zstd: %v", f.Header)
	}
}

// A purge takes all codings along; what they took is free again.
func TestEncodedIsPurged(t *testing.T) {
	t.Parallel()
	s := newShop(t, everyCoding)
	s.answer = pages
	s.form(t, "GET", "/a")
	alone := s.g.cache.Stats().Bytes
	for _, c := range []string{"gzip", "br", "zstd"} {
		s.inCoding(t, c, "/a", "Accept-Encoding: "+c)
	}
	if more := s.g.cache.Stats().Bytes - alone; more < 3*300 || more > 10_000 {
		t.Errorf("three codings take %d bytes", more)
	}
	if _, err := s.g.PurgeStored(StoredPurge{StoredSelection: StoredSelection{All: true}}); err != nil {
		t.Fatal(err)
	}
	if n := s.g.cache.Stats().Bytes; n != 0 {
		t.Errorf("after the purge %d bytes are counted", n)
	}
	s.answer = func(head string) (string, string) {
		fields, _ := pages(head)
		return fields, linesOf("new", 3000)
	}
	for _, c := range []string{"gzip", "br", "zstd"} {
		if f := s.form(t, "GET", "/a", "Accept-Encoding: "+c); f.decoded(t) != linesOf("new", 3000) {
			t.Errorf("after the purge %s gets %.60q", c, f.decoded(t))
		}
	}
}

// Rules decide, also by what the answer says; a site's codings come before all sites'.
func TestRulesDecideOnCodings(t *testing.T) {
	t.Parallel()
	s := newShop(t, `, compress: [gzip], rules: [
  { name: plain, when: 'path startsWith "/plain"', compress: [] },
  { name: api, when: 'content_type == "application/json"', compress: [zstd, br] },
  { name: long, when: 'path startsWith "/long"', ttl: 1h }]`)
	s.answer = func(head string) (string, string) {
		kind := "text/html"
		if strings.HasPrefix(targetOfHead(head), "/api") {
			kind = "application/json"
		}
		return "Cache-Control: max-age=60\r\nContent-Type: " + kind + "\r\n", linesOf("page", 5000)
	}
	for _, tt := range []struct{ path, want string }{{"/plain", ""}, {"/api", "zstd"}, {"/long", "gzip"}, {"/", "gzip"}} {
		if f := s.inCoding(t, tt.want, tt.path, "Accept-Encoding: br, gzip, zstd"); f.decoded(t) != linesOf("page", 5000) {
			t.Errorf("%s: %v", tt.path, f.Header)
		}
	}
}

// Bodies whose length is not known before their end, and those that are not kept in one
// piece, are encoded like others; who reads while they come gets what came.
func TestLongBodiesAreEncoded(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1023, 5000, 3 << 20} {
		s := newShop(t, ", compress: [gzip]")
		s.answer = func(string) (string, string) { return "", "" }
		origin := rawOrigin(t, chunkedOrigin("Cache-Control: max-age=60\r\nContent-Type: text/css\r\n", linesOf("style", size)))
		apply(t, s.g, strings.Replace(s.text, s.home.addr, origin.Addr().String(), 1))
		if f := s.form(t, "GET", "/a", "Accept-Encoding: gzip"); string(f.body) != linesOf("style", size) || f.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("the first of %d bytes: %d, %v", size, len(f.body), f.Header)
		}
		if size < 1024 {
			if f := s.form(t, "GET", "/a", "Accept-Encoding: gzip"); f.coding() != "" || s.g.encodings.Load() != 0 {
				t.Errorf("%d bytes: %v", size, f.Header)
			}
			continue
		}
		if f := s.inCoding(t, "gzip", "/a", "Accept-Encoding: gzip"); f.decoded(t) != linesOf("style", size) {
			t.Errorf("%d bytes in gzip: %v", size, f.Header)
		}
	}
}

// What comes back from disk knows in which codings it may be sent, and is encoded anew.
func TestEncodedAnewFromDisk(t *testing.T) {
	t.Parallel()
	s := newShop(t, everyCoding+diskOf(t.TempDir()+"/cache"))
	s.answer = pages
	s.inCoding(t, "br", "/a", "Accept-Encoding: br")
	s.written(t)
	s.restart(t)
	if f := s.form(t, "GET", "/a", "Accept-Encoding: br"); f.coding() != "" || !strings.Contains(f.raw, "Vary: Accept-Encoding\r\n") || string(f.body) != linesOf("/a", 20_000) {
		t.Errorf("the first after the restart: %v", f.Header)
	}
	if f := s.inCoding(t, "br", "/a", "Accept-Encoding: br"); f.decoded(t) != linesOf("/a", 20_000) {
		t.Errorf("after the restart: %v", f.Header)
	}
	if n := s.heads.Load(); n != 1 {
		t.Errorf("the origin was asked %d times", n)
	}
}

// Answers that an origin itself sends in codings, by Vary, stay as they are beside those that
// are encoded here.
func TestOriginsCodingsStay(t *testing.T) {
	t.Parallel()
	s := newShop(t, everyCoding)
	s.answer = func(head string) (string, string) {
		fields := "Cache-Control: max-age=60\r\nContent-Type: text/html\r\nVary: Accept-Encoding\r\n"
		if strings.Contains(head, "gzip") {
			var b bytes.Buffer
			w := gzip.NewWriter(&b)
			io.WriteString(w, linesOf("/a", 20_000))
			w.Close()
			return fields + "Content-Encoding: gzip\r\n", b.String()
		}
		return fields, linesOf("/a", 20_000)
	}
	for range 3 {
		if f := s.form(t, "GET", "/a", "Accept-Encoding: gzip, br"); f.coding() != "gzip" || f.decoded(t) != linesOf("/a", 20_000) || len(f.Header.Values("Vary")) != 1 {
			t.Errorf("the origin's: %v", f.Header)
		}
	}
	if f := s.inCoding(t, "br", "/a", "Accept-Encoding: br"); f.decoded(t) != linesOf("/a", 20_000) || len(f.Header.Values("Vary")) != 1 {
		t.Errorf("ours: %v", f.Header)
	}
	if n := s.heads.Load(); n != 2 {
		t.Errorf("the origin was asked %d times, want once for each variant", n)
	}
}
