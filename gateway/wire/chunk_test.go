package wire

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestChunkedCodings(t *testing.T) {
	for _, tt := range []struct {
		name    string
		stream  string
		content string
		err     error
	}{
		{"upper case", "A\r\n0123456789\r\n0\r\n\r\n", "0123456789", nil},
		{"lower case", "a\r\n0123456789\r\n0\r\n\r\n", "0123456789", nil},
		{"leading zeros", "00005\r\nhello\r\n000\r\n\r\n", "hello", nil},
		{"16 digits", "0000000000000005\r\nhello\r\n0\r\n\r\n", "hello", nil},
		{"extension", "5;a=b\r\nhello\r\n0;c\r\n\r\n", "hello", nil},
		{"extension in quotes", "5;a=\"b;\\\"c\"\r\nhello\r\n0\r\n\r\n", "hello", nil},
		{"blanks in an extension", "5 ; a = b\t;c\r\nhello\r\n0\r\n\r\n", "hello", nil},
		{"trailer", "0\r\nX-Sum: 9\r\n\r\n", "", nil},

		{"17 digits", "00000000000000005\r\nhello\r\n0\r\n\r\n", "", ErrChunk},
		{"2^63", "8000000000000000\r\nhello\r\n0\r\n\r\n", "", ErrChunk},
		{"2^64-1", "ffffffffffffffff\r\nhello\r\n0\r\n\r\n", "", ErrChunk},
		{"2^64+5", "10000000000000005\r\nhello\r\n0\r\n\r\n", "", ErrChunk},
		{"2^63-1, cut", "7fffffffffffffff\r\nhello", "hello", io.ErrUnexpectedEOF},
		{"no size", "\r\nhello\r\n0\r\n\r\n", "", ErrChunk},
		{"sign", "+5\r\nhello\r\n0\r\n\r\n", "", ErrChunk},
		{"prefix", "0x5\r\nhello\r\n0\r\n\r\n", "", ErrChunk},
		{"underscore", "1_0\r\nhello\r\n0\r\n\r\n", "", ErrChunk},
		{"blank before", " 5\r\nhello\r\n0\r\n\r\n", "", ErrChunk},
		{"blank after", "5 \r\nhello\r\n0\r\n\r\n", "", ErrChunk},
		{"tab after", "5\t\r\nhello\r\n0\r\n\r\n", "", ErrChunk},
		{"blank after an extension", "5;a \r\nhello\r\n0\r\n\r\n", "", ErrChunk},
		{"LF after the size", "5\nhello\r\n0\r\n\r\n", "", ErrChunk},
		{"LF in an extension", "5;a\nb\r\nhello\r\n0\r\n\r\n", "", ErrChunk},
		{"CR in an extension", "5;a\rb\r\nhello\r\n0\r\n\r\n", "", ErrChunk},
		{"NUL in an extension", "5;a\x00\r\nhello\r\n0\r\n\r\n", "", ErrChunk},
		{"extension without name", "5;\r\nhello\r\n0\r\n\r\n", "", ErrChunk},
		{"extension without value", "5;a=\r\nhello\r\n0\r\n\r\n", "", ErrChunk},
		{"open quote", "5;a=\"b\r\nhello\r\n0\r\n\r\n", "", ErrChunk},
		{"open escape", "5;a=\"\\\r\nhello\r\n0\r\n\r\n", "", ErrChunk},
		{"comma", "5,5\r\nhello\r\n0\r\n\r\n", "", ErrChunk},
		{"long line", "5;a=" + strings.Repeat("a", maxChunkLine) + "\r\nhello\r\n0\r\n\r\n", "", ErrChunk},
		{"long line without end", strings.Repeat("5", maxChunkLine), "", ErrChunk},
		{"many extensions", strings.Repeat("1;"+strings.Repeat("a", 63)+"\r\nx\r\n", 257), strings.Repeat("x", 256), ErrChunk},
		{"LF after the data", "5\r\nhello\n0\r\n\r\n", "hello", ErrChunk},
		{"data too long", "5\r\nhelloworld\r\n0\r\n\r\n", "hello", ErrChunk},
		{"no CRLF after the data", "5\r\nhello0\r\n\r\n", "hello", ErrChunk},
		{"CR and another byte after the data", "5\r\nhello\rX0\r\n\r\n", "hello", ErrChunk},
		{"no last chunk", "5\r\nhello\r\n", "hello", io.ErrUnexpectedEOF},
		{"cut after the last chunk", "0\r\n", "", io.ErrUnexpectedEOF},
		{"cut in the size", "5", "", io.ErrUnexpectedEOF},
		{"LF at the end", "0\r\n\n", "", ErrTrailer},
		{"trailer without colon", "0\r\nfoo\r\n\r\n", "", ErrTrailer},
		{"trailer with LF", "0\r\nX: y\n\nGET / HTTP/1.1\r\n", "", ErrTrailer},
		{"trailer with CR", "0\r\nX: a\rSet-Cookie: s=1\r\n\r\n", "", ErrTrailer},
		{"folded trailer", "0\r\nX: a\r\n b\r\n\r\n", "", ErrTrailer},
		{"trailer sets the length", "0\r\nContent-Length: 5\r\n\r\n", "", ErrTrailer},
		{"trailer sets the length, alike", "0\r\ncontent_length: 5\r\n\r\n", "", ErrTrailer},
		{"trailer sets the host", "0\r\nHost: b\r\n\r\n", "", ErrTrailer},
		{"trailer brings credentials", "0\r\nAuthorization: x\r\n\r\n", "", ErrTrailer},
		{"trailer says who the client is", "0\r\nX-Forwarded-For: x\r\n\r\n", "", ErrTrailer},
		{"long trailer", "0\r\n" + strings.Repeat("X: aaaaaaaaaaa\r\n", 600), "", ErrTrailer},
		{"long trailer line without end", "0\r\nX: " + strings.Repeat("a", maxTrailer), "", ErrTrailer},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, step := range []int{0, 1} {
				var b Body
				b.Reset(atOnce(tt.stream), Chunked)
				if content, err := readAll(&b, step); content != tt.content || !errors.Is(err, tt.err) {
					t.Errorf("read %q, %v; want %q, %v", content, err, tt.content, tt.err)
				}
			}
		})
	}
}

func TestBadEndOfDataIsSeenAtOnce(t *testing.T) {
	src := atOnce("5\r\nhelloX")
	var b Body
	b.Reset(src, Chunked)
	if _, err := readAll(&b, 0); !errors.Is(err, ErrChunk) || src.fills > 0 {
		t.Errorf("read: %v after waiting %d times for more, want ErrChunk at once", err, src.fills)
	}
}

func TestTrailerIsWrittenAnew(t *testing.T) {
	for _, tt := range []struct {
		name        string
		underscores Underscore
		want        string
		err         error
	}{
		{"underscores pass", Pass, "X-Sum: 9\r\ngrpc_x: \r\n", nil},
		{"underscores are dropped", Drop, "X-Sum: 9\r\n", nil},
		{"underscores are refused", Refuse, "X-Sum: 9\r\n", ErrTrailer},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := Body{Underscores: tt.underscores}
			b.Reset(atOnce("0\r\nX-Sum:9 \r\ngrpc_x:\t\r\n\r\n"), Chunked)
			if _, err := readAll(&b, 0); err != tt.err {
				t.Fatalf("read: %v, want %v", err, tt.err)
			}
			if got := string(b.Trailer()); got != tt.want {
				t.Errorf("Trailer %q, want %q", got, tt.want)
			}
		})
	}
}

func TestChunkWriters(t *testing.T) {
	for _, tt := range []struct {
		name string
		got  []byte
		want string
	}{
		{"chunk", AppendChunk([]byte("<"), []byte("0123456789abcdefg")), "<11\r\n0123456789abcdefg\r\n"},
		{"no chunk", AppendChunk([]byte("<"), nil), "<"},
		{"head", AppendChunkHead([]byte("<"), 255), "<ff\r\n"},
		{"no head", AppendChunkHead([]byte("<"), 0), "<"},
		{"last", AppendLastChunk([]byte("<"), nil), "<0\r\n\r\n"},
		{"last with a trailer", AppendLastChunk([]byte("<"), []byte("A: b\r\n")), "<0\r\nA: b\r\n\r\n"},
	} {
		if string(tt.got) != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, tt.got, tt.want)
		}
	}
}

// FuzzChunk: a stream that is accepted, written by our own writers, is accepted
// again with the same content and trailer; and an independent reader agrees on
// where it ends and what it holds.
func FuzzChunk(f *testing.F) {
	for _, c := range readCorpus(f) {
		if raw := script(f, c.Req); c.Class == "framing.chunk" || c.Class == "trailer" {
			_, body, _ := bytes.Cut(raw, []byte("\r\n\r\n"))
			f.Add(body)
		}
		for _, step := range c.Rep.Steps {
			if _, body, _ := bytes.Cut(script(f, step), []byte("\r\n\r\n")); len(body) > 0 && len(body) < 1000 {
				f.Add(body)
			}
		}
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		first := readStream(stream)
		if first.err != nil {
			return
		}
		written := AppendLastChunk(AppendChunk(nil, []byte(first.content)), []byte(first.trailer))
		if second := readStream(append(written, first.left...)); second != first {
			t.Fatalf("%q: read %+v, written and read again %+v", stream, first, second)
		}
		if naive := naiveChunks(string(stream)); naive != first {
			t.Fatalf("%q: read %+v, naive reader %+v", stream, first, naive)
		}
	})
}

// readStream reads a chunked body without limit.
func readStream(stream []byte) outcome {
	src := atOnce(string(stream))
	var b Body
	b.Reset(src, Chunked)
	content, err := readAll(&b, 0)
	return outcome{content, string(b.Trailer()), err, string(src.Window())}
}
