package wire

import "io"

// heldPiece is how much of what is held Next gives at once: who passes it on
// allows each piece a time of its own.
const heldPiece = 16 << 10

// Hold takes content ahead, so that it can be looked at before it is passed on: as
// much as room has capacity for. Next gives it all the same, in front of what
// follows. It reports whether that is all of the body; if not, there is more, or
// an error. Nothing may have been consumed before, of what an earlier Hold has
// taken neither, which is copied into room.
func (b *Body) Hold(room []byte) (whole bool, err error) {
	b.held = append(room[:0:cap(room)], b.held...)
	for {
		if len(b.held) == cap(room) && b.open && b.left > 0 {
			return false, nil // that more is to come is known without waiting for it
		}
		view, err := b.arriving()
		if err == io.EOF {
			b.due = b.framed()
			return true, nil
		}
		if err != nil || len(b.held) == cap(room) {
			return false, err
		}
		n := min(len(view), cap(room)-len(b.held))
		b.held = append(b.held, view[:n]...)
		b.take(n)
	}
}

// framed reports whether the body's end is something to be told, and not known
// from its length.
func (b *Body) framed() bool { return b.length == Chunked || b.length == UntilClose }

// Held returns what was taken ahead, or put there. It is not to be changed.
func (b *Body) Held() []byte { return b.held }

func (b *Body) nextHeld() []byte {
	view := b.held[b.at:min(len(b.held), b.at+heldPiece)]
	b.view = len(view)
	return view
}

// Kept reports whether all that Next has read of the body is held, so that Rewind
// gives it from its beginning. Of a chunked body that is not held as a whole that
// includes the framing behind what is held, once it was waited for.
func (b *Body) Kept() bool { return !b.beyond }

// Rewind makes a body that is kept be read from its beginning. An error that
// reading has ended with is forgotten: reading goes on where it was.
func (b *Body) Rewind() {
	b.at, b.view, b.err = 0, 0, nil
	b.due = !b.open && b.framed()
}

// Replace makes content the body, which has no trailer then. What is replaced must
// have arrived. The content is not copied.
func (b *Body) Replace(content []byte) {
	b.held, b.at, b.view, b.due = content, 0, 0, false
	b.length, b.trailer = int64(len(content)), b.trailer[:0]
}

// Drop lets go of what is held. What has arrived stays known; what was not
// consumed is lost.
func (b *Body) Drop() { b.held, b.at, b.due = nil, 0, false }
