package wire

import (
	"bytes"
	"io"
)

// Source is where a body is read from: bytes that have arrived, and a way to get
// more. It must be able to hold 8 KiB at once.
type Source interface {
	// Window returns the bytes that have arrived and were not passed over. It
	// may be empty.
	Window() []byte

	// Fill waits for at least one more byte at the end of the window, or returns
	// an error: io.EOF if there will be none. The window may move.
	Fill() error

	// Advance passes over the first n bytes of the window.
	Advance(n int)
}

// wholeSteps bounds how far Whole looks: so many chunks or trailer lines.
const wholeSteps = 256

// Body reads the body of one message, whatever its framing. The zero value is an
// empty body.
type Body struct {
	// Limit is the most content in bytes: more is ErrBodyLarge, as soon as a
	// length says so. Zero means no limit. Reset leaves it alone.
	Limit int64

	// Underscores says what becomes of trailer fields whose name has a "_", as
	// [Rules] says of header fields.
	Underscores Underscore

	src     Source
	length  int64
	left    uint64 // of a body of known length, bytes still to come
	chunks  chunks // of a chunked one
	view    int    // bytes of the view that Next gave
	read    int64
	open    bool // its end was not met yet
	err     error
	trailer []byte

	held   []byte // content that Hold has taken ahead, or Replace has put there
	at     int    // of it, bytes that were consumed
	due    bool   // Hold has met the end, which Next has still to tell
	beyond bool   // content that is not held was consumed, or its framing
}

// Reset makes b the body of length bytes, or of a length that is Chunked or
// UntilClose, at the start of the source's window. 0 and NoLength mean that
// there is none. Buffers are kept.
func (b *Body) Reset(src Source, length int64) {
	*b = Body{
		Limit:       b.Limit,
		Underscores: b.Underscores,
		src:         src,
		length:      length,
		open:        length != 0 && length != NoLength,
		trailer:     b.trailer[:0],
	}
	if length > 0 {
		b.left = uint64(length)
	}
}

// Next returns a view of content that follows what was consumed: at least a
// byte, and all that has arrived of it in one piece. It stays valid until
// Consume or Next. At the end the error is io.EOF; if the source ends before the
// body, io.ErrUnexpectedEOF. An error stays.
func (b *Body) Next() ([]byte, error) {
	if b.at < len(b.held) {
		return b.nextHeld(), nil
	}
	b.beyond = b.beyond || b.open && b.length == Chunked // its framing is not held
	view, err := b.arriving()
	b.view = len(view)
	b.due = b.due && err != io.EOF
	return view, err
}

// arriving is a view of content that was not taken from the source.
func (b *Body) arriving() ([]byte, error) {
	if b.err == nil && b.open {
		view, err := b.next()
		if err == nil && b.open {
			return view, nil
		}
		b.err = truncated(err)
	}
	if b.err != nil {
		return nil, b.err
	}
	return nil, io.EOF
}

// Consume passes over the first n bytes of the view that Next returned.
func (b *Body) Consume(n int) {
	if n < 0 || n > b.view {
		panic("wire: Consume of more than Next returned")
	}
	if n == 0 {
		return
	}
	b.view = 0
	if b.at < len(b.held) {
		b.at += n
		return
	}
	b.beyond = true
	b.take(n)
}

// take takes n bytes of content from the source.
func (b *Body) take(n int) {
	b.read += int64(n)
	b.src.Advance(n)
	switch b.length {
	case UntilClose:
	case Chunked:
		b.chunks.took(n)
	default:
		b.left -= uint64(n)
		b.open = b.left > 0
	}
}

// Done reports whether the body was read to its end, trailer included. That of
// a chunked body, or one that ends with the connection, is met by the Next that
// returns io.EOF.
func (b *Body) Done() bool { return b.Arrived() && b.at == len(b.held) && !b.due }

// Arrived reports whether all of the body was taken from the source, trailer
// included: what follows there is another message's.
func (b *Body) Arrived() bool { return !b.open && b.err == nil }

// Length returns the length as given to Reset, or that of what Replace was given.
func (b *Body) Length() int64 { return b.length }

// Read returns how many bytes of content were taken from the source.
func (b *Body) Read() int64 { return b.read }

// Err returns the error that reading ended with, nil if there was none. The end
// of the body is no error.
func (b *Body) Err() error { return b.err }

// Trailer returns the trailer fields of a body that is done, as lines that
// [AppendField] could have written. They may be sent on as they are.
func (b *Body) Trailer() []byte { return b.trailer }

// Whole reports whether all that is left of the body is held, or in the source's window,
// so that reading it to its end needs no Fill and meets no error of its coding.
// It looks at 256 chunks at most.
func (b *Body) Whole() bool {
	switch {
	case b.err != nil:
		return false
	case !b.open:
		return true
	case b.length == UntilClose:
		return false
	case b.length == Chunked:
		return wholeChunks(b.chunks, b.src.Window())
	}
	return b.left <= uint64(len(b.src.Window()))
}

// Broken returns the error of a body whose coding is broken by what is in the
// source's window already, before any more content. It does not read.
func (b *Body) Broken() error {
	if b.err != nil || !b.open || b.length != Chunked {
		return b.err
	}
	c := b.chunks
	_, _, err := c.next(b.src.Window())
	return err
}

// wholeChunks decodes without reading, from the state c.
func wholeChunks(c chunks, w []byte) bool {
	for range 3 * wholeSteps {
		p, n, err := c.next(w)
		switch {
		case err != nil || p == pieceShort:
			return false
		case p == pieceEnd:
			return true
		case p == pieceData:
			c.took(n)
		}
		w = w[n:]
	}
	return false
}

// next returns the next view, or clears open at the end.
func (b *Body) next() ([]byte, error) {
	switch b.length {
	case Chunked:
		return b.nextChunk()
	case UntilClose:
		return b.nextUntilClose()
	}
	if err := b.allow(b.left); err != nil {
		return nil, err
	}
	w, err := b.window()
	return w[:min(uint64(len(w)), b.left)], err
}

func (b *Body) nextUntilClose() ([]byte, error) {
	w, err := b.window()
	if err == io.EOF {
		b.open = false
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if b.Limit > 0 { // what is below the limit does not depend on how it arrives
		w = w[:min(int64(len(w)), max(0, b.Limit-b.read))]
	}
	return w, b.allow(1)
}

// truncated turns an end of the source inside a body into the error it is.
func truncated(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (b *Body) nextChunk() ([]byte, error) {
	for {
		w := b.src.Window()
		p, n, err := b.chunks.next(w)
		if err != nil {
			return nil, err
		}
		switch p {
		case pieceData:
			return w[:n], b.allow(b.chunks.left)
		case pieceEnd:
			b.open = false
			return nil, nil
		case pieceShort:
			if err := b.fill(); err != nil {
				return nil, err
			}
		case pieceTrailer:
			if err := b.keepTrailer(w[:n]); err != nil {
				return nil, err
			}
			b.src.Advance(n)
		case pieceFraming:
			b.src.Advance(n)
		}
	}
}

// keepTrailer keeps a trailer line that was checked, unless its name has an
// underscore and those are not wanted.
func (b *Body) keepTrailer(line []byte) error {
	f, _, _ := cutField(line)
	if b.Underscores != Pass && bytes.IndexByte(f.Name, '_') >= 0 {
		if b.Underscores == Refuse {
			return ErrTrailer
		}
		return nil
	}
	b.trailer = AppendField(b.trailer, f.Name, f.Value)
	return nil
}

// allow refuses to let n more bytes of content in if that passes a limit.
func (b *Body) allow(n uint64) error {
	if b.Limit > 0 && uint64(b.read)+n > uint64(b.Limit) {
		return ErrBodyLarge
	}
	return nil
}

// window returns the source's window, filled if it was empty.
func (b *Body) window() ([]byte, error) {
	if w := b.src.Window(); len(w) > 0 {
		return w, nil
	}
	if err := b.fill(); err != nil {
		return nil, err
	}
	return b.src.Window(), nil
}

// fill asks the source for more, and does not believe one that gives nothing.
func (b *Body) fill() error {
	before := len(b.src.Window())
	err := b.src.Fill()
	if err == nil && len(b.src.Window()) <= before {
		return io.ErrNoProgress
	}
	return err
}
