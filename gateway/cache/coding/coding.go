// Package coding makes bodies smaller, in the content codings of the web, and reads them back.
//
// [Encode] is for bodies that are encoded once and sent often, by a goroutine that nobody
// waits for. It says if that is not worth it, as early as it knows. A [Writer] encodes what is
// made for one client while that waits, and [NewReader] decodes what came in a coding, as
// it comes. Encoders and decoders are reused; what a body is, and who may be sent which
// coding, is for others to know.
package coding

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"weirkeep/gateway/cache"
)

// leastSaved is the part of a body that a coding has to save, one of so many: what it is kept
// in takes room beside what came.
const leastSaved = 16

// encoder is what the encoders of all libraries do.
type encoder interface {
	io.WriteCloser
	Reset(io.Writer)
}

// Levels: all take 0.01 to 0.15 s of a processor for a MiB of text; see RATIONALE.md.
const (
	gzipLevel   = gzip.BestCompression
	brotliLevel = 7
	zstdLevel   = zstd.SpeedBetterCompression
	zstdWindow  = 4 << 20 // bytes; RFC 9659 lets a client be asked for 8 MiB
)

// pools have encoders that are not at work.
var pools = [cache.Codings]*sync.Pool{
	cache.Gzip:   {New: func() any { return newGzip() }},
	cache.Brotli: {New: func() any { return brotli.NewWriterLevel(nil, brotliLevel) }},
	cache.Zstd:   {New: func() any { return newZstd() }},
}

func newGzip() encoder {
	w, err := gzip.NewWriterLevel(nil, gzipLevel)
	if err != nil {
		panic(err) // there is such a level
	}
	return w
}

// newZstd makes an encoder that works in the goroutine that calls it.
func newZstd() encoder {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstdLevel), zstd.WithWindowSize(zstdWindow), zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // there are such options
	}
	return w
}

// Encode returns a body of so many bytes in a coding, in a piece of its own without room to
// spare. The pieces are the body; they must not change meanwhile. nil: it is not worth it,
// as it would hardly be shorter.
func Encode(c cache.Coding, size int64, pieces iter.Seq[[]byte]) []byte {
	w := pools[c].Get().(encoder)
	out := bounded{most: size - size/leastSaved}
	w.Reset(&out)
	ok := writeAll(w, pieces)
	w.Reset(nil) // the pool keeps no body, and nothing that has met a fault
	pools[c].Put(w)
	if !ok {
		return nil
	}
	return bytes.Clone(out.b)
}

// writeAll reports whether all of a body has been written.
func writeAll(w encoder, pieces iter.Seq[[]byte]) bool {
	for p := range pieces {
		if _, err := w.Write(p); err != nil {
			return false
		}
	}
	return w.Close() == nil
}

// bounded takes so many bytes at most.
type bounded struct {
	b    []byte
	most int64
}

var errLong = errors.New("not worth it")

// Write implements io.Writer.
func (o *bounded) Write(p []byte) (int, error) {
	if int64(len(o.b)+len(p)) > o.most {
		return 0, errLong
	}
	o.b = append(o.b, p...)
	return len(p), nil
}
