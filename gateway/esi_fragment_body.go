package gateway

import (
	"io"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/cache/coding"
	"weirkeep/gateway/cache/store"
	"weirkeep/gateway/esi"
)

// fragmentBody reads what is stored of a fragment, or still comes, out of its content coding.
type fragmentBody struct {
	f       *fragmentExchange
	entry   *store.Entry
	reader  store.Reader
	rest    []byte        // of a piece, which the decoder has not had
	decoder io.ReadCloser // nil: it is in no coding
	room    []byte        // for what is decoded
	made    []byte        // what was decoded, as long as that may be kept
	keeps   bool
	given   int64
}

// open begins to read a body.
func (f *fragmentExchange) open(e *store.Entry) esi.Fragment {
	got := esi.Fragment{Status: e.Stored().Status}
	c, known := cache.CodingOf(e.Stored().Fields)
	if !known {
		f.drop()
		got.Failure = esi.BadBody
		return got
	}
	b := &f.body
	*b = fragmentBody{f: f, entry: e, room: b.room}
	if w := f.x.cached.slices; w != nil {
		w.open(0, -1)
	} else {
		b.reader = e.Body().Reader(0, -1)
	}
	if c == cache.Identity {
		got.Body = b
		return got
	}
	decoder, err := coding.NewReader(c, b)
	if err != nil {
		b.Close()
		got.Failure = esi.BadBody
		return got
	}
	b.decoder, b.keeps = decoder, f.x.cached.slices == nil
	got.Body = b
	return got
}

// Next implements esi.Body.
func (b *fragmentBody) Next() (p []byte, err error) {
	if b.decoder == nil {
		p, err = b.piece()
	} else {
		p, err = b.decoded()
	}
	b.given += int64(len(p))
	return p, err
}

// piece is the next bytes as they are stored.
func (b *fragmentBody) piece() ([]byte, error) {
	if w := b.f.x.cached.slices; w != nil {
		return w.next()
	}
	return b.reader.Next(b)
}

// Read implements io.Reader, for the decoder.
func (b *fragmentBody) Read(p []byte) (n int, err error) {
	if len(b.rest) == 0 {
		if b.rest, err = b.piece(); err != nil {
			return 0, err
		}
	}
	n = copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

// decodedAtOnce is how much is decoded at once, and mostKept how long a decoded body is that
// is kept beside the one that is stored, in bytes.
const (
	decodedAtOnce = 16 << 10
	mostKept      = 256 << 10
)

// decoded is the next bytes out of the coding. At the end all of them are kept with what is
// stored, so that the next page need not decode them.
func (b *fragmentBody) decoded() ([]byte, error) {
	if b.room == nil {
		b.room = make([]byte, decodedAtOnce)
	}
	n, err := b.decoder.Read(b.room)
	if b.keeps = b.keeps && len(b.made)+n <= mostKept; b.keeps {
		b.made = append(b.made, b.room[:n]...)
	}
	if err == io.EOF && b.keeps {
		b.keeps = false
		b.f.of.g.cache.KeepMade(b.entry, append([]byte{}, b.made...), int64(len(b.made)))
	}
	return b.room[:n], err
}

// Gone implements store.Waiter. What is longer than pages hold back is read by the page's goroutine:
// then its client may be looked at.
func (b *fragmentBody) Gone() bool {
	page := b.f.of.page
	held := max(int64(page.site.esi.options.Hold), 2)
	return b.f.x.Gone() || b.given > held && page.Gone()
}

// Close implements esi.Body.
func (b *fragmentBody) Close() {
	if b.decoder != nil {
		b.decoder.Close()
		b.decoder = nil
	}
	if w := b.f.x.cached.slices; w != nil {
		w.shut()
	} else {
		b.reader.Close()
	}
	b.made, b.rest, b.entry = nil, nil, nil
}

var _ esi.Body = (*fragmentBody)(nil)
