package coding

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"weirkeep/gateway/cache"
)

// ErrCorrupt means that bytes are no body in their coding, or not all of one.
var ErrCorrupt = errors.New("body is corrupt or cut short")

// errClosed is what a reader or a writer says after its end.
var errClosed = errors.New("closed already")

// decoder is what the decoders of all libraries do. Reset may read.
type decoder interface {
	io.Reader
	Reset(io.Reader) error
}

// decodedWindow is the most that a body may refer back, in bytes: what RFC 9659 lets one in zstd ask for.
const decodedWindow = 8 << 20

// decoders have those that are not at work.
var decoders = [cache.Codings]*sync.Pool{
	cache.Gzip:   {New: func() any { return new(gzip.Reader) }},
	cache.Brotli: {New: func() any { return new(brotli.Reader) }},
	cache.Zstd:   {New: func() any { return newZstdReader() }},
}

// newZstdReader makes a decoder that works in the goroutine that calls it.
func newZstdReader() decoder {
	r, err := zstd.NewReader(nil, zstd.WithDecoderMaxWindow(decodedWindow), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
	if err != nil {
		panic(err) // there are such options
	}
	return r
}

// NewReader returns what reads the body that src is in a coding; Identity reads src itself. It reads
// nothing before it is read from. Of a body that is no such coding, or not all of it, the error is
// ErrCorrupt; errors of src come as they are. A body of no bytes is empty, whatever coding it is
// said to be in. Whatever follows the end of a body is an error, unless it is another member
// of gzip or another frame of zstd: those are one body together.
//
// Close gives the decoder back, and does not close src.
func NewReader(c cache.Coding, src io.Reader) (io.ReadCloser, error) {
	switch {
	case c == cache.Identity:
		return io.NopCloser(src), nil
	case c >= cache.Codings:
		return nil, fmt.Errorf("there is no coding %d", c)
	}
	return &reader{coding: c, source: source{src: src}, decoder: decoders[c].Get().(decoder)}, nil
}

type reader struct {
	coding  cache.Coding
	source  source
	decoder decoder // nil: closed
	begun   bool
	err     error // that reading has ended with
}

// Read implements io.Reader.
func (r *reader) Read(p []byte) (n int, err error) {
	if r.err == nil && !r.begun {
		r.begun = true
		r.err = r.judge(r.decoder.Reset(&r.source))
	}
	if r.err != nil {
		return 0, r.err
	}
	n, err = r.decoder.Read(p)
	r.err = r.judge(err)
	return n, r.err
}

// judge is what an error of the decoder means.
func (r *reader) judge(err error) error {
	switch {
	case err == nil:
		return nil
	case r.source.err != nil && r.source.err != io.EOF:
		return r.source.err
	case r.source.read == 0, err == io.EOF && !r.source.short(r.coding):
		return io.EOF
	}
	return fmt.Errorf("%w: %v in %v", ErrCorrupt, err, r.coding)
}

// Close implements io.Closer.
func (r *reader) Close() error {
	if r.decoder == nil {
		return errClosed
	}
	r.decoder.Reset(nothing{}) // the pool keeps no body
	decoders[r.coding].Put(r.decoder)
	r.decoder, r.err = nil, errClosed
	return nil
}

// nothing is an empty source.
type nothing struct{}

func (nothing) Read([]byte) (int, error) { return 0, io.EOF }

// source is what a decoder reads. It has no other method that a decoder could know, and takes all
// for its own that way.
type source struct {
	src  io.Reader
	read int64
	err  error // that ended it
}

// Read implements io.Reader.
func (s *source) Read(p []byte) (int, error) {
	n, err := s.src.Read(p)
	s.read += int64(n)
	if err != nil {
		s.err = err
	}
	return n, err
}

// short reports whether less came than the shortest body has.
func (s *source) short(c cache.Coding) bool { return s.read < shortest[c] }

// shortest is how long a body is at least, in bytes.
var shortest = [cache.Codings]int64{cache.Gzip: 18, cache.Brotli: 1, cache.Zstd: 8}
