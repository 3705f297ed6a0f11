package wire

import (
	"bytes"
	"net/http"
	"testing"
)

func TestWriters(t *testing.T) {
	for _, tt := range []struct {
		name string
		got  []byte
		want string
	}{
		{"standard phrase", AppendStatusLine([]byte("<"), 404, nil), "<HTTP/1.1 404 Not Found\r\n"},
		{"own phrase", AppendStatusLine(nil, 404, []byte("Gone fishing")), "HTTP/1.1 404 Gone fishing\r\n"},
		{"empty phrase", AppendStatusLine(nil, 404, []byte{}), "HTTP/1.1 404 \r\n"},
		{"no standard phrase", AppendStatusLine(nil, 299, nil), "HTTP/1.1 299 \r\n"},
		{"no standard phrase, beyond the table", AppendStatusLine(nil, 599, nil), "HTTP/1.1 599 \r\n"},
		{"field", AppendField([]byte("<"), []byte("X-A"), []byte("b")), "<X-A: b\r\n"},
		{"length", AppendLength([]byte("<"), 1<<63-1), "<Content-Length: 9223372036854775807\r\n"},
	} {
		if string(tt.got) != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, tt.got, tt.want)
		}
	}
}

// The pre-rendered lines say what the standard library knows each code as. It
// has the names of some codes as they were before RFC 9110, and a joke.
func TestStatusLinesAreTheRegisteredOnes(t *testing.T) {
	differs := map[int]string{413: "Content Too Large", 414: "URI Too Long", 418: "", 416: "Range Not Satisfiable", 422: "Unprocessable Content"}
	for code := 100; code < 600; code++ {
		want := http.StatusText(code)
		if phrase, ok := differs[code]; ok {
			want = phrase
		}
		s, err := ParseStatusLine(bytes.TrimSuffix(AppendStatusLine(nil, code, nil), []byte("\r\n")))
		if err != nil || s.Code != code || s.Minor != 1 || string(s.Reason) != want {
			t.Errorf("line of %d: %+v, %v; want %q", code, s, err, want)
		}
	}
}

// Budget: writing into a buffer that is large enough costs no allocation.
func TestWriterAllocs(t *testing.T) {
	buf := make([]byte, 0, 512)
	data, name, value := []byte("hello"), []byte("X-A"), []byte("b")
	n := testing.AllocsPerRun(1000, func() {
		b := AppendStatusLine(buf[:0], 200, nil)
		b = AppendStatusLine(b, 299, value)
		b = AppendField(b, name, value)
		b = AppendLength(b, 1234567)
		b = AppendChunk(b, data)
		AppendLastChunk(b, nil)
	})
	if n != 0 {
		t.Errorf("the writers allocate %v times, want 0", n)
	}
}

// BenchmarkWriteHead has a budget of 60 ns/op and 0 allocs/op for a status line
// and three fields.
func BenchmarkWriteHead(b *testing.B) {
	buf := make([]byte, 0, 512)
	name, value := []byte("Content-Type"), []byte("text/html; charset=utf-8")
	b.ReportAllocs()
	for b.Loop() {
		out := AppendStatusLine(buf, 200, nil)
		out = AppendField(out, name, value)
		out = AppendField(out, name, value)
		AppendLength(out, 1234567)
	}
}
