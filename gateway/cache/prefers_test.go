package cache

import "testing"

// A body that is made for one request goes out in what the client likes best, and of what it
// likes alike in what is offered first.
func TestPrefers(t *testing.T) {
	for _, tt := range []struct {
		request string
		offered []Coding
		want    Coding
	}{
		{"", all, Identity},
		{"Accept-Encoding: gzip, br", []Coding{Brotli, Gzip}, Brotli},
		{"Accept-Encoding: gzip, br", []Coding{Gzip, Brotli}, Gzip},
		{"Accept-Encoding: gzip, br", []Coding{Zstd}, Identity},
		{"Accept-Encoding: gzip, br", nil, Identity},
		{"Accept-Encoding: br;q=0.5, x-gzip", []Coding{Brotli, Gzip}, Gzip},
		{"Accept-Encoding: *", []Coding{Zstd, Gzip}, Zstd},
		{"Accept-Encoding: gzip;q=0, *", []Coding{Gzip, Zstd}, Zstd},
		{"Accept-Encoding: *;q=0", all, Identity},
		{"Accept-Encoding: br, *;q=0", all, Brotli},
		{"Accept-Encoding: identity;q=0, gzip;q=0.1", all, Gzip},
		{"Accept-Encoding: identity;q=0", all, Identity},
		{"Accept-Encoding: identity, gzip;q=0.5", all, Identity},
		{"Accept-Encoding: gzip, \"br", all, Identity},
		{"Accept-Encoding: gzip / Range: bytes=0-3", []Coding{Gzip}, Gzip},
		{"Accept-Encoding: gzip / Cache-Control: no-transform", []Coding{Gzip}, Identity},
		{"HEAD Accept-Encoding: gzip", []Coding{Gzip}, Gzip},
		{"POST Accept-Encoding: gzip", []Coding{Gzip}, Gzip},
	} {
		r := request(t, tt.request)
		if got := r.Prefers(tt.offered); got != tt.want {
			t.Errorf("%s, of %v: %v, want %v", tt.request, tt.offered, got, tt.want)
		}
		if n := testing.AllocsPerRun(10, func() { r.Prefers(tt.offered) }); n > 0 {
			t.Errorf("%s allocates %v times", tt.request, n)
		}
	}
}

func TestCodingOf(t *testing.T) {
	for _, tt := range []struct {
		answer string
		want   Coding
		ok     bool
	}{
		{"Content-Type: text/html", Identity, true},
		{"Content-Encoding: gzip", Gzip, true},
		{"CONTENT-ENCODING: X-GZip", Gzip, true},
		{"Content-Encoding: br", Brotli, true},
		{"Content-Encoding: zstd", Zstd, true},
		{"Content-Encoding: ", Identity, true},
		{"Content-Encoding: identity", Identity, true},
		{"Content-Encoding: identity, , gzip", Gzip, true},
		{"Content-Encoding: identity / Content-Encoding: br", Brotli, true},
		{"Content-Encoding: gzip, br", Identity, false},
		{"Content-Encoding: gzip, gzip", Identity, false},
		{"Content-Encoding: gzip / Content-Encoding: gzip", Identity, false},
		{"Content-Encoding: deflate", Identity, false},
		{"Content-Encoding: gzip, dcb", Identity, false},
		{"Content-Encoding: gzip;q=1", Identity, false},
	} {
		if got, ok := CodingOf(answer(t, tt.answer).Fields); got != tt.want || ok != tt.ok {
			t.Errorf("%s: %v, %v; want %v, %v", tt.answer, got, ok, tt.want, tt.ok)
		}
	}
}
