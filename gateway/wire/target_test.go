package wire

import (
	"bytes"
	"errors"
	"net/url"
	"testing"

	"pgregory.net/rapid"
)

func TestPathIsCanonical(t *testing.T) {
	for _, tt := range []struct {
		raw, path string
	}{
		{"/", "/"},
		{"/a/b.html", "/a/b.html"},
		{"/a//b/", "/a//b/"},
		{"//b.example/x", "//b.example/x"},
		{"/%61%7e%2D%5f%2E5", "/a~-_.5"},
		{"/a%2fb%5cc%3b", "/a%2Fb%5Cc%3B"},
		{"/a%25b", "/a%25b"},
		{"/%252e%252e/b", "/%252e%252e/b"},
		{"/caf\xc3\xa9", "/caf%C3%A9"},
		{"/caf%c3%a9", "/caf%C3%A9"},
		{"/<{|}>\"^`", "/%3C%7B%7C%7D%3E%22%5E%60"},
		{"/a+b(c)[d]!$&'*,;=:@", "/a+b(c)[d]!$&'*,;=:@"},
		{"/.well-known/x", "/.well-known/x"},
		{"/.../a..b/..c/d..", "/.../a..b/..c/d.."},
		{"/a%0d%0ab", "/a%0D%0Ab"},
		{"/%e0%a0%80%f0%90%80%80", "/%E0%A0%80%F0%90%80%80"},
	} {
		var target Target
		if err := target.Parse([]byte(tt.raw)); err != nil || string(target.Path) != tt.path || string(target.Raw) != tt.raw {
			t.Errorf("Parse(%q) = %v, path %q, raw %q; want path %q", tt.raw, err, target.Path, target.Raw, tt.path)
		}
	}
}

func TestQueryIsKept(t *testing.T) {
	for _, tt := range []struct {
		raw   string
		query string
		none  bool
	}{
		{raw: "/q", none: true},
		{raw: "/q?", query: ""},
		{raw: "/q?a=1&b=%20+&c=/../x?y", query: "a=1&b=%20+&c=/../x?y"},
		{raw: "/q?a[]=%zz;%00\\{|}\xff", query: "a[]=%zz;%00\\{|}\xff"},
		{raw: "http://a.example?x", query: "x"},
	} {
		var target Target
		if err := target.Parse([]byte(tt.raw)); err != nil || string(target.Query) != tt.query || (target.Query == nil) != tt.none {
			t.Errorf("Parse(%q) = %v, query %q (nil: %v); want %q", tt.raw, err, target.Query, target.Query == nil, tt.query)
		}
	}
}

func TestAbsoluteTargets(t *testing.T) {
	for _, tt := range []struct {
		in                        string
		scheme, authority, rawOut string
	}{
		{"http://a.example/x?y=1", "http", "a.example", "/x?y=1"},
		{"HTTPS://A.example:8443/", "HTTPS", "A.example:8443", "/"},
		{"http://a.example", "http", "a.example", "/"},
		{"http://a.example?x=1", "http", "a.example", "/?x=1"},
		{"http://[::1]//x", "http", "[::1]", "//x"},
	} {
		var target Target
		err := target.Parse([]byte(tt.in))
		if err != nil || !target.Absolute || string(target.Scheme) != tt.scheme || string(target.Authority) != tt.authority || string(target.Raw) != tt.rawOut {
			t.Errorf("Parse(%q) = %v, %q %q %q", tt.in, err, target.Scheme, target.Authority, target.Raw)
		}
	}
}

func TestTargetsThatAreRefused(t *testing.T) {
	for _, tt := range []struct {
		raw  string
		want error
	}{
		{"", ErrTarget},
		{"*", ErrAsterisk},
		{"**", ErrTarget},
		{"?x=1", ErrTarget},
		{"a.example:80", ErrTarget},
		{"http:/a", ErrTarget},
		{"://a.example/", ErrTarget},
		{"ftp://a.example/", ErrScheme},
		{"file:///etc/passwd", ErrScheme},
		{"http:///x", ErrScheme},
		{"http://?x", ErrScheme},
		{"http://u:p@a.example/", ErrAuthority},
		{"http://a.example@b.example/", ErrAuthority},
		{"http://a.example\\@b.example/", ErrAuthority},
		{"http://a.example:x/", ErrAuthority},
		{"http://a.example#x", ErrAuthority},
		{"http://a.example/a/../b", ErrTarget},
		{"/a b", ErrTarget},
		{"/a\tb", ErrTarget},
		{"/a\x00b", ErrTarget},
		{"/a\x7fb", ErrTarget},
		{"/a?b c", ErrTarget},
		{"/a?\r", ErrTarget},
		{"/a#b", ErrTarget},
		{"/a?b#c", ErrTarget},
		{"/a\\b", ErrTarget},
		{"/a%", ErrTarget},
		{"/a%4", ErrTarget},
		{"/a%zz", ErrTarget},
		{"/a%%41", ErrTarget},
		{"/a%00b", ErrTarget},
		{"/.", ErrTarget},
		{"/..", ErrTarget},
		{"/./a", ErrTarget},
		{"/a/../b", ErrTarget},
		{"/a/%2e%2E/b", ErrTarget},
		{"/a/.%2e", ErrTarget},
		{"/a/..%2fb", ErrTarget},
		{"/a%2F../b", ErrTarget},
		{"/a%5c..%5cb", ErrTarget},
		{"/a/..;x/b", ErrTarget},
		{"/a/..%3bx/b", ErrTarget},
		{"/a/..%3Fx", ErrTarget},
		{"/a/.%23", ErrTarget},
		{"/a/..?x", ErrTarget},
		{"/%c0%ae%c0%ae/b", ErrTarget},
		{"/\xc0\xae/b", ErrTarget},
		{"/%C1%81", ErrTarget},
		{"/%e0%80%ae", ErrTarget},
		{"/%e0\x9f", ErrTarget},
		{"/%f0%80%80%ae", ErrTarget},
	} {
		var target Target
		if err := target.Parse([]byte(tt.raw)); !errors.Is(err, tt.want) {
			t.Errorf("Parse(%q) = %v, want %v", tt.raw, err, tt.want)
		}
	}
}

func TestRawAt(t *testing.T) {
	for _, tt := range []struct {
		raw  string
		n    int
		want int
	}{
		{"/api/x", 4, 4},
		{"/%61pi/x", 4, 6},
		{"/%61pi/x?y", 6, 8},
		{"/%61pi/x?y", 100, 8},
		{"/caf\xc3\xa9/x", 10, 6},
		{"/caf\xc3\xa9/x", 5, 4}, // inside an escape: where it begins
		{"http://a.example/%61pi/x", 4, 6},
		{"http://a.example?y", 1, 1},
	} {
		var target Target
		if err := target.Parse([]byte(tt.raw)); err != nil {
			t.Fatal(err)
		}
		if got := target.RawAt(tt.n); got != tt.want {
			t.Errorf("%q: RawAt(%d) = %d, want %d", tt.raw, tt.n, got, tt.want)
		}
	}
}

func TestTargetForgets(t *testing.T) {
	var target Target
	for _, raw := range []string{"http://a.example/%61?x", "/b"} {
		if err := target.Parse([]byte(raw)); err != nil {
			t.Fatal(err)
		}
	}
	if target.Absolute || target.Scheme != nil || target.Authority != nil || target.Query != nil || string(target.Path) != "/b" {
		t.Errorf("reused target %+v", target)
	}
}

// checkTarget states what holds for every target that is accepted.
func checkTarget(t fatal, raw []byte) {
	var a, b Target
	if a.Parse(raw) != nil || len(raw) > 512 { // checkCuts is quadratic
		return
	}
	if err := b.Parse(a.Path); err != nil || !bytes.Equal(b.Path, a.Path) {
		t.Fatalf("%q: path %q is not its own canonical form: %v, %q", raw, a.Path, err, b.Path)
	}
	if err := b.Parse(a.Raw); err != nil || !bytes.Equal(b.Path, a.Path) || !bytes.Equal(b.Query, a.Query) {
		t.Fatalf("%q: what is sent on, %q, reads differently: %v", raw, a.Raw, err)
	}
	rawPath, _, _ := bytes.Cut(a.Raw, []byte("?"))
	want, err1 := url.PathUnescape(string(rawPath))
	got, err2 := url.PathUnescape(string(a.Path))
	if err1 != nil || err2 != nil || want != got {
		t.Fatalf("%q: path %q means %q, not %q", raw, a.Path, got, want)
	}
	checkCuts(t, &a, len(rawPath))
}

// checkCuts: RawAt moves forward only, and what it cuts off is what was asked
// for: the two halves of the raw path are those of the canonical one.
func checkCuts(t fatal, a *Target, end int) {
	for n, last := 0, 0; n <= len(a.Path); n++ {
		at := a.RawAt(n)
		if at < last || at > end {
			t.Fatalf("%q: RawAt(%d) = %d after %d, path ends at %d", a.Raw, n, at, last, end)
		}
		last = at
		if n < len(a.Path) && a.Path[n] != '/' {
			continue
		}
		before, _ := url.PathUnescape(string(a.Path[:n]))
		if got, err := url.PathUnescape(string(a.Raw[:at])); err != nil || got != before {
			t.Fatalf("%q: RawAt(%d) = %d cuts off %q, want %q", a.Raw, n, at, got, before)
		}
	}
}

// fatal is what rapid.T and testing.T have in common here.
type fatal interface{ Fatalf(string, ...any) }

func TestTargetProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{
			"/", "a", ".", "..", "%2e", "%2F", "%2f", "%41", "%zz", "%", ";", "?", "%3f", "\xc3\xa9", "%c3%a9", "%c0", "\xae", "|", "http://", "A.b:8",
		})
		raw := []byte(rapid.SampledFrom([]string{"/", "", "http://a.example"}).Draw(t, "start"))
		for _, p := range rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces") {
			raw = append(raw, p...)
		}
		checkTarget(t, raw)
	})
}

// FuzzTarget: what is accepted has one reading, see checkTarget.
func FuzzTarget(f *testing.F) {
	for _, c := range readCorpus(f) {
		if line, _, ok := bytes.Cut(script(f, c.Req), []byte("\r\n")); ok && len(line) < 1000 {
			if words := bytes.Fields(line); len(words) == 3 {
				f.Add(words[1])
			}
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) { checkTarget(t, raw) })
}

// Budget: no allocation for any accepted form.
func TestTargetAllocs(t *testing.T) {
	target := new(Target)
	for _, raw := range [][]byte{[]byte("/catalogue/garden.html?page=2"), []byte("/caf\xc3\xa9/%61"), []byte("http://a.example?x=1")} {
		if err := target.Parse(raw); err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(1000, func() { target.Parse(raw) }); n != 0 {
			t.Errorf("Parse(%q) allocates %v times, want 0", raw, n)
		}
	}
}

// BenchmarkTargetParse has a budget of 100 ns/op and 0 allocs/op.
func BenchmarkTargetParse(b *testing.B) {
	target, raw := new(Target), []byte("/catalogue/garden/tools.html?page=2&sort=price")
	b.ReportAllocs()
	for b.Loop() {
		if err := target.Parse(raw); err != nil {
			b.Fatal(err)
		}
	}
}
