package coding

import (
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"weirkeep/gateway/cache"
)

type flusher interface {
	io.WriteCloser
	Flush() error
}
type Writer struct{ w flusher }

func NewWriter(c cache.Coding, dst io.Writer) *Writer {
	switch c {
	case cache.Gzip:
		return &Writer{gzip.NewWriter(dst)}
	case cache.Brotli:
		return &Writer{brotli.NewWriterLevel(dst, 4)}
	}
	z, _ := zstd.NewWriter(dst)
	return &Writer{z}
}
func (w *Writer) Write(p []byte) (int, error) { return w.w.Write(p) }
func (w *Writer) Flush() error                { return w.w.Flush() }
func (w *Writer) Close() error                { return w.w.Close() }
func (w *Writer) Abort()                      {}

func NewReader(c cache.Coding, src io.Reader) (io.ReadCloser, error) {
	switch c {
	case cache.Gzip:
		r, err := gzip.NewReader(src)
		return r, err
	case cache.Brotli:
		return io.NopCloser(brotli.NewReader(src)), nil
	case cache.Zstd:
		z, err := zstd.NewReader(src)
		if err != nil {
			return nil, err
		}
		return z.IOReadCloser(), nil
	}
	return io.NopCloser(src), nil
}
