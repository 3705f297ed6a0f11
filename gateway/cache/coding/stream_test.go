package coding

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"testing"
	"testing/iotest"

	"weirkeep/gateway/cache"
)

// live encodes a body by a Writer, flushed after each piece or not.
func live(t testing.TB, c cache.Coding, body []byte, size int, flushed bool) []byte {
	t.Helper()
	var out bytes.Buffer
	w := NewWriter(c, &out)
	for p := range pieces(body, size) {
		if n, err := w.Write(p); n != len(p) || err != nil {
			t.Fatalf("Write of %d bytes in %v: %d, %v", len(p), c, n, err)
		}
		if flushed && w.Flush() != nil {
			t.Fatal("Flush failed")
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// decoded reads a body by a Reader.
func decoded(t testing.TB, c cache.Coding, src io.Reader) ([]byte, error) {
	t.Helper()
	r, err := NewReader(c, src)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	return io.ReadAll(r)
}

// TestStreamsAreReadBack, whatever their pieces, by ours and by others' decoders, and empty
// ones too.
func TestStreamsAreReadBack(t *testing.T) {
	for _, tt := range []struct {
		name string
		body []byte
		size int
	}{
		{"nothing", nil, 1}, {"a byte", []byte("a"), 1}, {"text", words(70_000), 999}, {"noise", noise(70_000), 4096}, {"more than a window", words(2 << 20), 64 << 10},
	} {
		for c := cache.Gzip; c < cache.Codings; c++ {
			for _, flushed := range []bool{false, true} {
				coded := live(t, c, tt.body, tt.size, flushed)
				if back, err := decode(c, coded); err != nil || !bytes.Equal(back, tt.body) {
					t.Errorf("%s in %v, flushed %v: others read %d bytes, %v", tt.name, c, flushed, len(back), err)
				}
				for _, src := range []io.Reader{bytes.NewBuffer(bytes.Clone(coded)), iotest.HalfReader(bytes.NewReader(coded)), iotest.DataErrReader(bytes.NewReader(coded))} {
					if back, err := decoded(t, c, src); err != nil || !bytes.Equal(back, tt.body) {
						t.Errorf("%s in %v, flushed %v: %d bytes of %d, %v", tt.name, c, flushed, len(back), len(tt.body), err)
					}
				}
			}
		}
	}
	for c := range cache.Codings {
		if back, err := decoded(t, c, bytes.NewReader(nil)); len(back) != 0 || err != nil {
			t.Errorf("no bytes in %v: %q, %v", c, back, err)
		}
	}
	if back, err := decoded(t, cache.Identity, bytes.NewReader(live(t, cache.Identity, words(100), 7, true))); err != nil || !bytes.Equal(back, words(100)) {
		t.Errorf("identity: %q, %v", back, err)
	}
}

// TestCutBodiesAreErrors at every byte, and so is whatever follows the end; what was read before is
// the beginning of the body.
func TestCutBodiesAreErrors(t *testing.T) {
	for c := cache.Gzip; c < cache.Codings; c++ {
		for _, body := range [][]byte{nil, words(3000)} {
			for _, coded := range [][]byte{live(t, c, body, 700, true), live(t, c, body, 3000, false)} {
				for n := 1; n < len(coded); n++ {
					back, err := decoded(t, c, bytes.NewReader(coded[:n]))
					if !errors.Is(err, ErrCorrupt) || !bytes.HasPrefix(body, back) {
						t.Errorf("%d of %d bytes in %v: %d bytes, %v", n, len(coded), c, len(back), err)
					}
				}
				for _, more := range []string{"\x00", "x", "\x00\x00\x00\x00\x00", "<html>text"} {
					for _, src := range []io.Reader{bytes.NewReader(append(bytes.Clone(coded), more...)), io.MultiReader(bytes.NewReader(coded), bytes.NewReader([]byte(more)))} {
						if _, err := decoded(t, c, src); !errors.Is(err, ErrCorrupt) {
							t.Errorf("%q after the end in %v: %v", more, c, err)
						}
					}
				}
			}
		}
		if _, err := decoded(t, c, bytes.NewReader([]byte("<html>no coding at all</html>"))); !errors.Is(err, ErrCorrupt) {
			t.Errorf("text as %v: %v", c, err)
		}
		fault := errors.New("fault")
		if _, err := decoded(t, c, io.MultiReader(bytes.NewReader(live(t, c, words(3000), 3000, false)[:20]), iotest.ErrReader(fault))); err != fault {
			t.Errorf("the source's error in %v is %v", c, err)
		}
	}
}

// Members of gzip, and frames of zstd, are one body together.
func TestMembersAreOneBody(t *testing.T) {
	for _, c := range []cache.Coding{cache.Gzip, cache.Zstd} {
		one, two := live(t, c, words(1000), 1000, false), live(t, c, []byte("end"), 3, false)
		if back, err := decoded(t, c, bytes.NewReader(append(bytes.Clone(one), two...))); err != nil || string(back) != string(words(1000))+"end" {
			t.Errorf("two in %v: %d bytes, %v", c, len(back), err)
		}
		for n := 1; n < len(two); n++ {
			if _, err := decoded(t, c, bytes.NewReader(append(bytes.Clone(one), two[:n]...))); !errors.Is(err, ErrCorrupt) {
				t.Errorf("%d bytes of a second one in %v: %v", n, c, err)
			}
		}
	}
}

// hose is what one end reads of what the other has written, and waits for if there is none.
type hose struct {
	pieces chan []byte
	rest   []byte
}

func (h *hose) Write(p []byte) (int, error) {
	h.pieces <- bytes.Clone(p)
	return len(p), nil
}

func (h *hose) Read(p []byte) (int, error) {
	for len(h.rest) == 0 {
		h.rest = <-h.pieces
	}
	n := copy(p, h.rest)
	h.rest = h.rest[n:]
	return n, nil
}

// TestFlushedIsDecoded: all that was written before Flush can be read, and Flush without
// anything new writes nothing.
func TestFlushedIsDecoded(t *testing.T) {
	for c := range cache.Codings {
		h := &hose{pieces: make(chan []byte, 100)}
		w := NewWriter(c, h)
		r, err := NewReader(c, h)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []string{"<p>one", "two", "\n"} {
			w.Write([]byte(p))
			w.Write(nil)
			w.Flush()
			before := len(h.pieces)
			if w.Flush(); len(h.pieces) != before {
				t.Errorf("in %v nothing is flushed as something", c)
			}
			got := make([]byte, len(p))
			if _, err := io.ReadFull(r, got); err != nil || string(got) != p {
				t.Errorf("in %v: %q, %v; want %q", c, got, err, p)
			}
		}
		w.Abort()
		r.Close()
	}
}

// What ended is of no more use, and an encoder that was given back in the middle makes the next
// body like a new one.
func TestEndedWritersAreReused(t *testing.T) {
	for c := cache.Gzip; c < cache.Codings; c++ {
		want := live(t, c, words(3000), 500, true)
		for range 3 {
			var out bytes.Buffer
			w := NewWriter(c, &out)
			w.Write(noise(5000))
			w.Abort()
			before := out.Len()
			if _, err := w.Write([]byte("a")); err == nil || w.Flush() == nil || w.Close() == nil || out.Len() != before {
				t.Errorf("%v is written to after its end", c)
			}
			bad := NewWriter(c, faulty{})
			bad.Write(noise(1 << 20))
			if bad.Flush() == nil || bad.Close() == nil {
				t.Errorf("%v does not tell that nothing was written", c)
			}
			if got := live(t, c, words(3000), 500, true); !bytes.Equal(got, want) {
				t.Errorf("the next body in %v is another one", c)
			}
		}
		r, _ := NewReader(c, bytes.NewReader(want))
		r.Read(make([]byte, 10))
		r.Close()
		if _, err := r.Read(make([]byte, 10)); err != errClosed || r.Close() != errClosed {
			t.Errorf("%v is read after its end: %v", c, err)
		}
	}
	if _, err := NewReader(cache.Codings, nil); err == nil {
		t.Error("there is a coding of no name")
	}
}

type faulty struct{}

func (faulty) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// TestWindowIsBounded: a body in zstd that needs more memory than a client may be asked for is refused.
func TestWindowIsBounded(t *testing.T) {
	frame := func(exponent byte) io.Reader { // of a window of so many powers of two KiB, and an empty last block
		return bytes.NewReader([]byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, exponent << 3, 0x01, 0x00, 0x00})
	}
	if back, err := decoded(t, cache.Zstd, frame(13)); len(back) != 0 || err != nil {
		t.Errorf("a window of 8 MiB: %q, %v", back, err)
	}
	if _, err := decoded(t, cache.Zstd, frame(15)); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a window of 32 MiB: %v", err)
	}
}

// TestHammerStreams: many at once do not mix.
func TestHammerStreams(t *testing.T) {
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 12 {
				c := cache.Gzip + cache.Coding(n%int(cache.Codings-1))
				body := append([]byte{byte(i), byte(n)}, words(2000+500*n)...)
				if n%4 == 3 {
					decoded(t, c, bytes.NewReader(body))
				}
				if back, err := decoded(t, c, bytes.NewReader(live(t, c, body, 999, n%2 == 0))); err != nil || !bytes.Equal(back, body) {
					t.Errorf("%d of %d in %v: %v", n, i, c, err)
				}
			}
		})
	}
	all.Wait()
}

// BenchmarkWriter has a budget of 0.06 s for a MiB of text.
func BenchmarkWriter(b *testing.B) {
	body := words(1 << 20)
	for c := cache.Gzip; c < cache.Codings; c++ {
		b.Run(c.String(), func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				live(b, c, body, 16<<10, false)
			}
		})
	}
}

// FuzzReader: what any bytes are read as does not depend on how they come: the same bytes, and
// then the end, or that they are corrupt.
func FuzzReader(f *testing.F) {
	for c := cache.Gzip; c < cache.Codings; c++ {
		coded := live(f, c, words(300), 100, true)
		f.Add(byte(c), coded)
		f.Add(byte(c), coded[:len(coded)-1])
		f.Add(byte(c), append(bytes.Clone(coded), 0))
	}
	f.Fuzz(func(t *testing.T, n byte, coded []byte) {
		c := cache.Gzip + cache.Coding(n)%(cache.Codings-1)
		var got [2][]byte
		var errs [2]error
		for i, src := range []io.Reader{bytes.NewReader(coded), iotest.OneByteReader(bytes.NewReader(coded))} {
			r, err := NewReader(c, src)
			if err != nil {
				t.Fatal(err)
			}
			got[i], errs[i] = io.ReadAll(io.LimitReader(r, 1<<20))
			r.Close()
		}
		if errs[0] != nil && !errors.Is(errs[0], ErrCorrupt) || (errs[0] == nil) != (errs[1] == nil) {
			t.Fatalf("in %v: %v, and byte by byte %v", c, errs[0], errs[1])
		}
		if errs[0] == nil && !bytes.Equal(got[0], got[1]) {
			t.Fatalf("in %v: %d bytes, and byte by byte %d", c, len(got[0]), len(got[1]))
		}
	})
}
