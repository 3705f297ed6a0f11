package wire

import (
	"errors"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestHold(t *testing.T) {
	for _, tt := range []struct {
		name   string
		src    *parts
		length int64
		room   int
		held   string
		whole  bool
		err    error
	}{
		{name: "none", src: atOnce("next"), length: NoLength, room: 5, whole: true},
		{name: "shorter than the room", src: arriving("hel", "lonext"), length: 5, room: 9, held: "hello", whole: true},
		{name: "as long as the room", src: arriving("hel", "lonext"), length: 5, room: 5, held: "hello", whole: true},
		{name: "longer than the room", src: arriving("hel", "lo"), length: 5, room: 4, held: "hell"},
		{name: "longer than what will ever come", src: arriving("hell"), length: 5, room: 4, held: "hell"},
		{name: "cut short", src: arriving("hel"), length: 5, room: 5, held: "hel", err: io.ErrUnexpectedEOF},
		{name: "over its limit", src: atOnce("hello"), length: 65, room: 5, err: ErrBodyLarge},
		{name: "chunked, as long as the room", src: arriving("5\r\nhel", "lo\r\n", "0\r\n", "X: 1\r\n\r\n"), length: Chunked, room: 5, held: "hello", whole: true},
		{name: "chunked, longer than the room", src: arriving("5\r\nhel", "lo\r\n", "1\r\nx\r\n"), length: Chunked, room: 5, held: "hello"},
		{name: "chunked, of nothing", src: arriving("0\r\n", "\r\n"), length: Chunked, room: 5, whole: true},
		{name: "chunked, broken", src: arriving("3\r\nhelXX"), length: Chunked, room: 5, held: "hel", err: ErrChunk},
		{name: "until the connection ends", src: arriving("hel", "lo"), length: UntilClose, room: 5, held: "hello", whole: true},
		{name: "until it ends, longer", src: arriving("hel", "lo", "x"), length: UntilClose, room: 5, held: "hello"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := Body{Limit: 64}
			b.Reset(tt.src, tt.length)
			whole, err := b.Hold(make([]byte, 0, tt.room))
			if whole != tt.whole || !errors.Is(err, tt.err) || string(b.Held()) != tt.held || b.Arrived() != tt.whole {
				t.Errorf("Hold = %v, %v with %q held, Arrived %v; want %v, %v, %q", whole, err, b.Held(), b.Arrived(), tt.whole, tt.err, tt.held)
			}
			if empty := tt.held == "" && !b.framed(); b.Done() != (tt.whole && empty) {
				t.Errorf("Done %v before anything was read", b.Done())
			}
		})
	}
}

// Whatever is held, as often as that is extended, reading gives the same, and gives
// it again after a Rewind for as long as the body is kept.
func TestHoldingDoesNotMatter(t *testing.T) {
	piece := rapid.SampledFrom([]string{
		"5\r\nhello\r\n", "1\r\nx\r\n", "A;a=b\r\n0123456789\r\n", "0\r\n", "\r\n", "X-Sum: 9\r\n", "00\r\n\r\n", "5\r\nhel", "\r", "g", "next",
	})
	rapid.Check(t, func(t *rapid.T) {
		stream := strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "stream"), "")
		length := rapid.SampledFrom([]int64{Chunked, 7, UntilClose, 0}).Draw(t, "length")
		want := read(atOnce(stream), length, 0)

		src := arriving(pieces(t, stream)...)
		b := Body{Limit: 64}
		b.Reset(src, length)
		room := 0
		for range rapid.IntRange(1, 3).Draw(t, "holds") {
			room += rapid.IntRange(0, 12).Draw(t, "room")
			whole, err := b.Hold(make([]byte, 0, room))
			if !strings.HasPrefix(want.content, string(b.Held())) || whole && (string(b.Held()) != want.content || want.err != nil) {
				t.Fatalf("%q: %q held of %+v, whole %v", stream, b.Held(), want, whole)
			}
			if err == nil && !whole && len(b.Held()) != room {
				t.Fatalf("%q: %d held, there is room for %d", stream, len(b.Held()), room)
			}
		}
		readSome(&b, rapid.IntRange(0, 20).Draw(t, "first"))
		if b.Kept() {
			b.Rewind()
			if got := readOn(&b, src); got != want {
				t.Fatalf("%q: held and read again: %+v, want %+v", stream, got, want)
			}
		}
	})
}

// readSome reads n bytes of content, or to the end.
func readSome(b *Body, n int) {
	for n > 0 {
		view, err := b.Next()
		if err != nil {
			return
		}
		view = view[:min(n, len(view))]
		n -= len(view)
		b.Consume(len(view))
	}
}

// readOn is read for a body that has been reset.
func readOn(b *Body, src *parts) outcome {
	content, err := readAll(b, 0)
	out := outcome{content: content, trailer: string(b.Trailer()), err: err}
	if err == nil {
		out.left = string(src.Window())
		for _, p := range src.rest {
			out.left += string(p)
		}
	}
	return out
}

// The end of a body that is held is told once more after a Rewind, so that who sends
// it chunked ends it.
func TestRewindTellsTheEndAgain(t *testing.T) {
	for _, stream := range []string{"0\r\n\r\n", "2\r\nhi\r\n0\r\nX: 1\r\n\r\n"} {
		var b Body
		b.Reset(atOnce(stream), Chunked)
		if whole, err := b.Hold(make([]byte, 0, 9)); !whole || err != nil {
			t.Fatal(whole, err)
		}
		for range 2 {
			if b.Done() {
				t.Errorf("%q: done before its end was told", stream)
			}
			if _, err := readAll(&b, 0); err != nil || !b.Done() || !b.Kept() {
				t.Errorf("%q: %v, Done %v, Kept %v", stream, err, b.Done(), b.Kept())
			}
			b.Rewind()
		}
	}
}

// What is read of a body that is not held is not kept, nor is its framing.
func TestKept(t *testing.T) {
	for _, tt := range []struct {
		stream string
		length int64
		room   int
		reads  int
		want   bool
	}{
		{"hello", 5, 0, 0, true},
		{"hello", 5, 0, 1, false},
		{"hello", 5, 4, 4, true},
		{"hello", 5, 4, 5, false},
		{"", 5, 0, 1, true}, // it has waited in vain
		{"", Chunked, 0, 1, false},
		{"5\r\nhello\r\n", Chunked, 4, 4, true},
		{"5\r\nhello\r\n", Chunked, 4, 5, false},
		{"5\r\nhello\r\n0\r\n\r\n", Chunked, 5, 9, true},
	} {
		var b Body
		b.Reset(atOnce(tt.stream), tt.length)
		if tt.room > 0 {
			b.Hold(make([]byte, 0, tt.room))
		}
		readSome(&b, tt.reads)
		if b.Kept() != tt.want {
			t.Errorf("%q, %d held, %d read: Kept %v", tt.stream, tt.room, tt.reads, b.Kept())
		}
	}
}

func TestReplace(t *testing.T) {
	src := atOnce("2\r\nhi\r\n0\r\nX: 1\r\n\r\nnext")
	var b Body
	b.Reset(src, Chunked)
	b.Hold(make([]byte, 0, 9))
	b.Replace([]byte("other"))
	for range 2 {
		content, err := readAll(&b, 0)
		if content != "other" || err != nil || b.Length() != 5 || len(b.Trailer()) != 0 || !b.Done() || b.Read() != 2 || !b.Kept() {
			t.Errorf("%q, %v, Length %d, Trailer %q, Read %d", content, err, b.Length(), b.Trailer(), b.Read())
		}
		b.Rewind()
	}
	b.Replace(nil)
	if !b.Done() || b.Length() != 0 || string(src.Window()) != "next" {
		t.Errorf("of nothing: Done %v, Length %d", b.Done(), b.Length())
	}
	b.Drop()
	if !b.Arrived() || len(b.Held()) != 0 {
		t.Error("dropped, it has not arrived any more")
	}
}

// What is held is given in pieces.
func TestHeldPieces(t *testing.T) {
	var b Body
	b.Reset(atOnce(strings.Repeat("x", 40<<10)), 40<<10)
	b.Hold(make([]byte, 0, 40<<10))
	for n := 0; n < 40<<10; {
		view, err := b.Next()
		if err != nil || len(view) > heldPiece {
			t.Fatalf("a piece of %d, %v", len(view), err)
		}
		n += len(view)
		b.Consume(len(view))
	}
}
