package coding

import (
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"weirkeep/gateway/cache"
)

// flusher is an encoder that can be told to write all that it has been given.
type flusher interface {
	encoder
	Flush() error
}

// Levels for bodies that are encoded while somebody waits; see RATIONALE.md.
const (
	liveGzip       = 5
	liveBrotli     = 3
	liveBrotliBits = 18 // of its window: 256 KiB
	liveZstd       = zstd.SpeedFastest
	liveZstdWindow = 256 << 10 // bytes
)

// writers have encoders that are not at work.
var writers = [cache.Codings]*sync.Pool{
	cache.Gzip:   {New: func() any { return newLiveGzip() }},
	cache.Brotli: {New: func() any { return newLiveBrotli() }},
	cache.Zstd:   {New: func() any { return newLiveZstd() }},
}

func newLiveGzip() flusher {
	w, err := gzip.NewWriterLevel(nil, liveGzip)
	if err != nil {
		panic(err) // there is such a level
	}
	return w
}

func newLiveBrotli() flusher {
	return brotli.NewWriterOptions(nil, brotli.WriterOptions{Quality: liveBrotli, LGWin: liveBrotliBits})
}

// newLiveZstd makes an encoder that works in the goroutine that calls it, and makes something also of
// nothing.
func newLiveZstd() flusher {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(liveZstd), zstd.WithWindowSize(liveZstdWindow),
		zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true), zstd.WithZeroFrames(true))
	if err != nil {
		panic(err) // there are such options
	}
	return w
}

// Writer encodes a body while it comes, for somebody who waits. Close or Abort must end it. After an
// error of what it writes to, all that follows is that error.
type Writer struct {
	coding  cache.Coding
	dst     io.Writer
	encoder flusher // nil: there is none, or it was given back
	behind  bool    // bytes were written that Flush has not written on
	err     error
}

// NewWriter begins a body in a coding; Identity writes what it is given.
func NewWriter(c cache.Coding, dst io.Writer) *Writer {
	w := &Writer{coding: c, dst: dst}
	if c != cache.Identity {
		w.encoder = writers[c].Get().(flusher)
		w.encoder.Reset(dst)
	}
	return w
}

// Write encodes p. It may be written on at any later time, Flush at the latest.
func (w *Writer) Write(p []byte) (n int, err error) {
	switch {
	case w.err != nil:
		return 0, w.err
	case len(p) == 0:
		return 0, nil
	case w.encoder == nil:
		n, w.err = w.dst.Write(p)
	default:
		w.behind = true
		n, w.err = w.encoder.Write(p)
	}
	return n, w.err
}

// Flush writes on all that was given to Write, so that it can be decoded by who has what was
// written so far. If nothing is left it does nothing.
func (w *Writer) Flush() error {
	if w.err == nil && w.behind {
		w.behind = false
		w.err = w.encoder.Flush()
	}
	return w.err
}

// Close writes the end of the body, and gives the encoder back.
func (w *Writer) Close() error {
	err := w.err
	if err == nil && w.encoder != nil {
		err = w.encoder.Close()
	}
	w.giveBack()
	return err
}

// Abort gives the encoder back, and leaves the body without an end.
func (w *Writer) Abort() { w.giveBack() }

func (w *Writer) giveBack() {
	if w.encoder != nil {
		w.encoder.Reset(nil) // the pool keeps no body, and nothing that has met a fault
		writers[w.coding].Put(w.encoder)
	}
	w.encoder, w.behind, w.err = nil, false, errClosed
}
