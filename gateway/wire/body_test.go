package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestBodies(t *testing.T) {
	reset := errors.New("connection reset")
	for _, tt := range []struct {
		name    string
		src     *parts
		length  int64
		limit   int64
		content string
		err     error
		left    string // in the window afterwards
	}{
		{name: "none", src: atOnce("next"), length: NoLength, left: "next"},
		{name: "of no bytes", src: atOnce("next"), length: 0, left: "next"},
		{name: "of five bytes", src: atOnce("hellonext"), length: 5, content: "hello", left: "next"},
		{name: "of five bytes, one by one", src: arriving("h", "e", "l", "l", "onext"), length: 5, content: "hello", left: "next"},
		{name: "cut short", src: arriving("hel"), length: 5, content: "hel", err: io.ErrUnexpectedEOF},
		{name: "never begun", src: arriving(), length: 5, err: io.ErrUnexpectedEOF},
		{name: "reset", src: &parts{window: []byte("hel"), err: reset}, length: 5, content: "hel", err: reset},
		{name: "at its limit", src: atOnce("hello"), length: 5, limit: 5, content: "hello"},
		{name: "over its limit", src: atOnce("hello"), length: 5, limit: 4, err: ErrBodyLarge, left: "hello"},
		{name: "greatest length over a limit", src: atOnce("x"), length: 1<<63 - 1, limit: 1<<63 - 2, err: ErrBodyLarge, left: "x"},
		{name: "until the connection ends", src: arriving("hel", "lo"), length: UntilClose, content: "hello"},
		{name: "until it ends at once", src: arriving(), length: UntilClose},
		{name: "until it is reset", src: &parts{window: []byte("hel"), err: reset}, length: UntilClose, content: "hel", err: reset},
		{name: "until TLS is cut", src: &parts{err: io.ErrUnexpectedEOF}, length: UntilClose, err: io.ErrUnexpectedEOF},
		{name: "until it ends, over its limit", src: arriving("hel", "lo"), length: UntilClose, limit: 4, content: "hell", err: ErrBodyLarge, left: "o"},
		{name: "source that gives nothing", src: arriving(""), length: 5, err: io.ErrNoProgress},
		{name: "chunked", src: atOnce("5\r\nhello\r\n6\r\n world\r\n0\r\n\r\nnext"), length: Chunked, content: "hello world", left: "next"},
		{name: "chunks over the limit together", src: atOnce("3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n"), length: Chunked, limit: 4, content: "hel", err: ErrBodyLarge, left: "lo\r\n0\r\n\r\n"},
		{name: "chunk over the limit before it came", src: atOnce("ffff\r\nx"), length: Chunked, limit: 4, err: ErrBodyLarge, left: "x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := Body{Limit: tt.limit}
			b.Reset(tt.src, tt.length)
			content, err := readAll(&b, 0)
			if content != tt.content || !errors.Is(err, tt.err) {
				t.Errorf("read %q, %v; want %q, %v", content, err, tt.content, tt.err)
			}
			if b.Done() != (tt.err == nil) || !errors.Is(b.Err(), tt.err) || b.Read() != int64(len(content)) || b.Length() != tt.length {
				t.Errorf("Done %v, Err %v, Read %d, Length %d", b.Done(), b.Err(), b.Read(), b.Length())
			}
			if got := string(tt.src.Window()); got != tt.left {
				t.Errorf("left %q in the window, want %q", got, tt.left)
			}
		})
	}
}

func TestZeroBodyIsEmpty(t *testing.T) {
	var b Body
	if view, err := b.Next(); view != nil || err != io.EOF || !b.Done() || !b.Whole() || b.Err() != nil {
		t.Errorf("Next = %q, %v; Done %v, Whole %v, Err %v", view, err, b.Done(), b.Whole(), b.Err())
	}
}

func TestErrorsStay(t *testing.T) {
	src := atOnce("5\r\nhelloXX0\r\n\r\n")
	var b Body
	b.Reset(src, Chunked)
	if _, err := readAll(&b, 0); !errors.Is(err, ErrChunk) {
		t.Fatalf("read: %v, want ErrChunk", err)
	}
	src.window = []byte("\r\n0\r\n\r\n")
	if view, err := b.Next(); view != nil || !errors.Is(err, ErrChunk) {
		t.Errorf("Next after an error = %q, %v; want ErrChunk again", view, err)
	}
	if b.Whole() {
		t.Error("Whole after an error")
	}
}

func TestConsumeOfLessGivesTheRest(t *testing.T) {
	var b Body
	b.Reset(atOnce("5\r\nhello\r\n0\r\n\r\n"), Chunked)
	view, _ := b.Next()
	b.Consume(2)
	b.Consume(0)
	rest, err := b.Next()
	if string(view) != "hello" || string(rest) != "llo" || err != nil {
		t.Errorf("Next gave %q, then %q, %v", view, rest, err)
	}
}

func TestConsumeOfMoreIsOurBug(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Consume took more than Next returned")
		}
	}()
	var b Body
	b.Reset(atOnce("hellonext"), 5)
	b.Next()
	b.Consume(6)
}

func TestResetForgets(t *testing.T) {
	b := Body{Limit: 9}
	b.Reset(atOnce("0\r\nX: 1\r\n\r\n"), Chunked)
	readAll(&b, 0)
	b.Reset(atOnce("hi"), 2)
	if b.Limit != 9 || len(b.Trailer()) != 0 || b.Done() || b.Read() != 0 {
		t.Errorf("after Reset: Limit %d, Trailer %q, Done %v, Read %d", b.Limit, b.Trailer(), b.Done(), b.Read())
	}
	if content, err := readAll(&b, 0); content != "hi" || err != nil {
		t.Errorf("read %q, %v", content, err)
	}
}

func TestWhole(t *testing.T) {
	for _, tt := range []struct {
		window string
		length int64
		want   bool
	}{
		{"", NoLength, true},
		{"", 0, true},
		{"hell", 5, false},
		{"hello", 5, true},
		{"hello, next", 5, true},
		{"hello", UntilClose, false},
		{"5\r\nhello\r\n0\r\n\r\nnext", Chunked, true},
		{"5\r\nhello\r\n0\r\nX: 1\r\n\r\n", Chunked, true},
		{"5\r\nhello\r\n0\r\nX: 1\r\n\r", Chunked, false},
		{"5\r\nhello\r\n0\r\n", Chunked, false},
		{"5\r\nhello\r\n", Chunked, false},
		{"5\r\nhell", Chunked, false},
		{"5\r\nhelloXX0\r\n\r\n", Chunked, false},
		{"0\r\nHost: a\r\n\r\n", Chunked, false},
		{strings.Repeat("1\r\nx\r\n", 200) + "0\r\n\r\n", Chunked, true},
		{strings.Repeat("1\r\nx\r\n", 300) + "0\r\n\r\n", Chunked, false},
	} {
		var b Body
		src := atOnce(tt.window)
		b.Reset(src, tt.length)
		if got := b.Whole(); got != tt.want {
			t.Errorf("Whole of %q, length %d = %v, want %v", tt.window, tt.length, got, tt.want)
		}
		if string(src.Window()) != tt.window || src.fills > 0 {
			t.Errorf("Whole read from %q", tt.window)
		}
	}
}

func TestWholeInTheMiddle(t *testing.T) {
	var b Body
	b.Reset(atOnce("5\r\nhello\r\n0\r\n\r\n"), Chunked)
	b.Next()
	if !b.Whole() {
		t.Error("not whole with a view out")
	}
	b.Consume(5)
	if !b.Whole() {
		t.Error("not whole after the chunk")
	}
}

// outcome is all that reading a body yields.
type outcome struct {
	content, trailer string
	err              error
	left             string
}

// read reads a body to its end and says what came of it. The window keeps what
// came after the body; what the source has not given yet counts as left too.
func read(src *parts, length int64, step int) outcome {
	b := Body{Limit: 64}
	b.Reset(src, length)
	content, err := readAll(&b, step)
	out := outcome{content: content, trailer: string(b.Trailer()), err: err}
	if err == nil {
		out.left = string(src.Window()) + string(bytes.Join(src.rest, nil))
	}
	return out
}

// However a stream is cut into pieces by the network and by who reads it, the
// body, the trailer, the error and what follows are the same. If it was whole in
// the window, nothing more was asked for.
func TestPiecesDoNotMatter(t *testing.T) {
	piece := rapid.SampledFrom([]string{
		"5\r\nhello\r\n", "1\r\nx\r\n", "A;a=\"b;c\"\r\n0123456789\r\n", "0\r\n", "\r\n", "X-Sum: 9\r\n", "Host: a\r\n",
		"00\r\n\r\n", "5\r\nhel", "\r", "\n", "5", ";", "g", "next",
	})
	rapid.Check(t, func(t *rapid.T) {
		stream := strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "stream"), "")
		length := rapid.SampledFrom([]int64{Chunked, 7, UntilClose}).Draw(t, "length")
		want := read(atOnce(stream), length, 0)

		src := arriving(pieces(t, stream)...)
		if got := read(src, length, rapid.IntRange(0, 3).Draw(t, "step")); got != want {
			t.Fatalf("%q in pieces: %+v, at once: %+v", stream, got, want)
		}
		checkWhole(t, stream, length, want)
	})
}

// pieces cuts a stream into pieces of one to five bytes.
func pieces(t *rapid.T, stream string) (out []string) {
	for len(stream) > 0 {
		n := min(rapid.IntRange(1, 5).Draw(t, "piece"), len(stream))
		out, stream = append(out, stream[:n]), stream[n:]
	}
	return out
}

// checkWhole: a body is whole exactly if its content and coding can be read
// without asking for more. Its limit is another matter.
func checkWhole(t fatal, stream string, length int64, want outcome) {
	if length == UntilClose || want.err == ErrBodyLarge {
		return
	}
	src := atOnce(stream)
	var b Body
	b.Reset(src, length)
	whole := b.Whole()
	read(src, length, 0)
	if readable := want.err == nil && src.fills == 0; whole != readable {
		t.Fatalf("%q: Whole %v, but read with error %v and %d fills", stream, whole, want.err, src.fills)
	}
}

// What the writers write is read back as it was.
func TestChunksAreReadAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var stream []byte
		var content strings.Builder
		for _, p := range rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 20), 0, 5).Draw(t, "chunks") {
			stream = AppendChunk(stream, p)
			content.Write(p)
		}
		trailer := AppendField(nil, []byte("X-Sum"), []byte(rapid.StringMatching(`[!-~]{0,9}`).Draw(t, "value")))
		stream = append(AppendLastChunk(stream, trailer), "next"...)
		b := Body{}
		src := atOnce(string(stream))
		b.Reset(src, Chunked)
		got, err := readAll(&b, 0)
		if got != content.String() || err != nil || !bytes.Equal(b.Trailer(), trailer) || string(src.Window()) != "next" {
			t.Fatalf("%q: read %q, %v, trailer %q, left %q", stream, got, err, b.Trailer(), src.Window())
		}
	})
}

// replay is a source that can start again without an allocation.
type replay struct {
	all    []byte
	window []byte
}

func (r *replay) Window() []byte { return r.window }
func (r *replay) Advance(n int)  { r.window = r.window[n:] }
func (r *replay) Fill() error    { return io.EOF }

func drain(b *Body, r *replay, length int64) error {
	r.window = r.all
	b.Reset(r, length)
	if !b.Whole() {
		return fmt.Errorf("body of length %d is not whole", length)
	}
	for {
		view, err := b.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		b.Consume(len(view))
	}
}

// Budget: reading bodies costs no allocation, trailers included.
func TestBodyAllocs(t *testing.T) {
	chunked := []byte("5;a=b\r\nhello\r\n6\r\n world\r\n0\r\nX-Sum: 9\r\n\r\n")
	for length, r := range map[int64]*replay{5: {all: []byte("hello")}, Chunked: {all: chunked}} {
		var b Body
		if err := drain(&b, r, length); err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(1000, func() { drain(&b, r, length) }); n != 0 {
			t.Errorf("a body of length %d allocates %v times, want 0", length, n)
		}
	}
}

// BenchmarkBody has a budget of 300 ns/op and 0 allocs/op for four chunks of
// 4 KiB, looked over by Whole first.
func BenchmarkBody(b *testing.B) {
	r := new(replay)
	for range 4 {
		r.all = AppendChunk(r.all, make([]byte, 4<<10))
	}
	r.all = AppendLastChunk(r.all, nil)
	var body Body
	b.ReportAllocs()
	for b.Loop() {
		if err := drain(&body, r, Chunked); err != nil {
			b.Fatal(err)
		}
	}
}
