package provider

import (
	"context"
	"errors"
	"io"
	"time"
)

// errLarge means more bytes than Options.MaxBytes.
var errLarge = errors.New("it is larger than may be")

// body is an answer's body, bounded in bytes and in the time for which it stands still.
type body struct {
	url      string
	src      io.ReadCloser
	ctx      context.Context
	cancel   context.CancelCauseFunc
	patience *time.Timer // ends the request
	idle     time.Duration
	left     int64 // bytes that may still come
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left {
		p = p[:b.left+1] // one more shows that it is too large
	}
	b.patience.Reset(b.idle)
	n, err := b.src.Read(p)
	b.patience.Stop()
	if int64(n) > b.left {
		n, err = int(b.left), errLarge
	}
	b.left -= int64(n)
	if err == nil || err == io.EOF {
		return n, err
	}
	kind := waitedFor(b.ctx)
	if kind == nil {
		kind = ErrBody
	}
	return n, &Error{b.url, kind, err}
}

// Close implements io.Closer. It may be called while Read waits, which ends then.
func (b *body) Close() error {
	b.cancel(nil)
	return b.src.Close()
}
