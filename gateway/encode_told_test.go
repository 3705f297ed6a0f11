package gateway

import (
	"strings"
	"testing"
)

// A quarter of the processors encode, and one in any case.
func TestEncodersAreFew(t *testing.T) {
	for processors, want := range map[int]int64{1: 1, 2: 1, 7: 1, 8: 2, 64: 16} {
		if got := encodersOf(processors); got != want {
			t.Errorf("%d of %d processors encode, want %d", got, processors, want)
		}
	}
}

// While all encoders are at work nothing is begun, and what came is sent.
func TestBusyEncodersAreNotWaitedFor(t *testing.T) {
	t.Parallel()
	s := newShop(t, everyCoding)
	s.answer = pages
	s.g.encodings.Add(1 << 20)
	for range 3 {
		if f := s.form(t, "GET", "/a", "Accept-Encoding: gzip"); f.coding() != "" || f.decoded(t) != linesOf("/a", 20_000) {
			t.Errorf("%v", f.Header)
		}
	}
	if n := s.g.encodings.Add(-1 << 20); n != 0 {
		t.Errorf("%d are at work", n)
	}
	s.inCoding(t, "gzip", "/a", "Accept-Encoding: gzip")
}

// What a site edits of answers is edited of those in codings too.
func TestEncodedIsEdited(t *testing.T) {
	t.Parallel()
	s := newShop(t, everyCoding)
	s.answer = pages
	apply(t, s.g, s.text+"\nsites: { shop: { hosts: [\"**\"], headers: { response: { set: { X-Edited: \"yes\" } } } } }\nmappings: [{ site: shop, cluster: a }]\n")
	f := s.inCoding(t, "gzip", "/a", "Accept-Encoding: gzip")
	if f.decoded(t) != linesOf("/a", 20_000) || f.Header.Get("X-Edited") != "yes" || f.ContentLength != int64(len(f.body)) {
		t.Errorf("%v", f.Header)
	}
	if f := s.form(t, "HEAD", "/a", "Accept-Encoding: gzip"); f.coding() != "gzip" || f.ContentLength == 0 {
		t.Errorf("HEAD: %v", f.Header)
	}
	if f := s.form(t, "GET", "/a", "Accept-Encoding: gzip", `If-None-Match: "v1"`); f.StatusCode != 304 || f.Header.Get("Etag") != `W/"v1"` || f.Header.Get("X-Edited") != "yes" {
		t.Errorf("304: %v", f.Header)
	}
}

// Filters that read bodies of answers are shown what came, and that is sent; others see
// the head of what is sent.
func TestFiltersAndCodings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, needs, want string }{
		{"reads heads", "[query, headers, site]", "br"},
		{"reads bodies", "[query, headers, site, body]", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			hs := newHomes(t, "a")
			hs[0].script = pages
			text := strings.Replace(filterText(hs, puppet, ", on_error: reject", "cache: { enabled: true"+everyCoding+" }"), "[query, headers, site]", tt.needs, 1)
			addr, g := start(t, text, hs.options())
			s := &shop{addr: addr, g: g}
			for range 3 {
				s.form(t, "GET", "/a", "Accept-Encoding: br")
				until(t, "nothing is encoded", func() bool { return g.encodings.Load() == 0 })
			}
			f := s.inCoding(t, tt.want, "/a", "Accept-Encoding: br")
			if f.decoded(t) != linesOf("/a", 20_000) {
				t.Errorf("%v", f.Header)
			}
		})
	}
}

// What was sent in a coding is counted, with the bytes that it was shorter, and stands in the log.
func TestCodingsAreCounted(t *testing.T) {
	t.Parallel()
	log := &lockedBuffer{}
	s := newShopOf(t, everyCoding, Options{Stderr: log})
	s.answer = pages
	f := s.inCoding(t, "br", "/a", "Accept-Encoding: br")
	s.form(t, "GET", "/a", "Accept-Encoding: br", `If-None-Match: "v1"`)
	s.form(t, "HEAD", "/a", "Accept-Encoding: br")
	s.form(t, "GET", "/a")
	m := s.g.metrics.Current().Cache("default")
	if e, c, n := m.Encoded.Load(), m.Coded.Load(), m.Saved.Load(); e != 1 || c != 1 || n != uint64(20_000-len(f.body)) {
		t.Errorf("%d encoded, %d sent, %d bytes saved, of a body of %d", e, c, n, len(f.body))
	}
	until(t, "the log has the last", func() bool { return strings.Count(log.String(), `"method":"HEAD"`) == 1 })
	wants(t, "the log", log.String(), `"cache":"hit","coding":"br",`)
	for line := range strings.Lines(log.String()) {
		if coded := strings.Contains(line, `"coding":`); coded && strings.Contains(line, `"bytes_out":20000`) {
			t.Error(line)
		}
	}
}

// Explain and what lists stored answers say in which codings there are, and what the client is sent.
func TestCodingsAreTold(t *testing.T) {
	t.Parallel()
	s := newShop(t, ", compress: [br, gzip, zstd]")
	s.answer = func(head string) (string, string) {
		fields, body := pages(head)
		if targetOfHead(head) == "/noise" {
			body = chance(5000)
		}
		return fields, body
	}
	told := func(path, accepts string) string {
		e, err := s.g.Explain(Question{Raw: []byte("GET " + path + " HTTP/1.1\r\nHost: shop.example\r\nAccept-Encoding: " + accepts + "\r\n\r\n")})
		if err != nil {
			t.Fatal(err)
		}
		return e.Cache.Sent
	}
	s.inCoding(t, "br", "/a", "Accept-Encoding: br")
	until(t, "it is found not worth it", func() bool {
		s.form(t, "GET", "/noise", "Accept-Encoding: gzip")
		return strings.Contains(told("/noise", "gzip"), "hardly shorter")
	})
	for _, tt := range []struct{ path, accepts, want string }{
		{"/a", "gzip, br", "in br"},
		{"/a", "gzip", "as it came, until it is encoded in gzip: the next one that finds it has that begin"},
		{"/a", "deflate", "as it came: the client takes none of the codings, or likes none better"},
		{"/b", "br", ""},
	} {
		if got := told(tt.path, tt.accepts); got != tt.want {
			t.Errorf("%s by %s is sent %q, want %q", tt.path, tt.accepts, got, tt.want)
		}
	}
	s.form(t, "GET", "/once", "Accept-Encoding: br") // which is not worth to be encoded
	for path, want := range map[string]string{"/once": "br unasked, gzip unasked, zstd unasked", "/a": "br kept, gzip unasked, zstd unasked", "/noise": "br unasked, gzip useless, zstd unasked"} {
		all, err := s.g.Stored("http://shop.example" + path)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range all[0].Codings {
			got = append(got, c.Coding+" "+c.State)
			if (c.Length > 0) != (c.State == "kept") {
				t.Errorf("%s: %+v", path, c)
			}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %v, want %s", path, got, want)
		}
	}
}
