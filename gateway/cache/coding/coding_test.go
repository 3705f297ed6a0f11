package coding

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"go.uber.org/goleak"

	"weirkeep/gateway/cache"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// decode reads a body back, with at most the memory that RFC 9659 lets a client need.
func decode(c cache.Coding, b []byte) ([]byte, error) {
	switch c {
	case cache.Gzip:
		r, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(r)
	case cache.Brotli:
		return io.ReadAll(brotli.NewReader(bytes.NewReader(b)))
	}
	r, err := zstd.NewReader(bytes.NewReader(b), zstd.WithDecoderMaxWindow(8<<20), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// words is text of so many bytes.
func words(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var b []byte
	for len(b) < n {
		b = fmt.Appendf(b, "<li class=\"item\">%d of %s</li>\n", r.IntN(1e6), strings.Repeat("a", r.IntN(20)))
	}
	return b[:n]
}

// noise is bytes that no coding makes shorter.
func noise(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{7}).Read(b)
	return b
}

// pieces are the pieces that a body is cut into.
func pieces(b []byte, size int) iter.Seq[[]byte] { return slices.Chunk(b, size) }

// TestEncodedIsDecoded: what is encoded is the same when it is decoded, whatever the pieces, and
// whatever the encoder did before; what does not get shorter is not worth it.
func TestEncodedIsDecoded(t *testing.T) {
	for _, tt := range []struct {
		name   string
		body   []byte
		size   int // of pieces
		shrunk bool
	}{
		{"text", words(5000), 5000, true},
		{"noise", noise(300_000), 64 << 10, false},
		{"text in small pieces", words(70_000), 17, true},
		{"text, then noise", append(words(100_000), noise(3_000_000)...), 64 << 10, false},
		{"long text", words(9 << 20), 64 << 10, true}, // more than a window
		{"a byte", []byte("a"), 1, false},
		{"noise, then text", append(noise(100_000), words(1<<20)...), 1 << 20, true},
		{"zeros", make([]byte, 1<<20), 1 << 20, true},
		{"nothing", nil, 1, false},
	} {
		for c := cache.Gzip; c < cache.Codings; c++ {
			got := Encode(c, int64(len(tt.body)), pieces(tt.body, tt.size))
			if (got != nil) != tt.shrunk {
				t.Errorf("%s in %v: %d bytes of %d", tt.name, c, len(got), len(tt.body))
			}
			if got == nil {
				continue
			}
			if back, err := decode(c, got); err != nil || !bytes.Equal(back, tt.body) {
				t.Errorf("%s in %v is read back as %d bytes, %v", tt.name, c, len(back), err)
			}
			if len(got) > len(tt.body)*15/16 || cap(got) > len(got)+len(got)/4+64 {
				t.Errorf("%s in %v: %d bytes in a piece of %d, of %d", tt.name, c, len(got), cap(got), len(tt.body))
			}
		}
	}
}

// TestHammerEncode: many at once do not mix.
func TestHammerEncode(t *testing.T) {
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 12 {
				c := cache.Gzip + cache.Coding(n%int(cache.Codings-1))
				body := append(fmt.Appendf(nil, "%d %d", i, n), words(2000+1000*n)...)
				if n%5 == 4 {
					Encode(c, 50_000, pieces(noise(50_000), 1000)) // which breaks off
				}
				back, err := decode(c, Encode(c, int64(len(body)), pieces(body, 999)))
				if err != nil || !bytes.Equal(back, body) {
					t.Errorf("%d of %d in %v: %d bytes of %d, %v", n, i, c, len(back), len(body), err)
				}
			}
		})
	}
	all.Wait()
}

// BenchmarkEncode has a budget of 0.25 s for a MiB of text.
func BenchmarkEncode(b *testing.B) {
	body := words(1 << 20)
	for c := cache.Gzip; c < cache.Codings; c++ {
		b.Run(c.String(), func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				Encode(c, int64(len(body)), pieces(body, 64<<10))
			}
		})
	}
}
