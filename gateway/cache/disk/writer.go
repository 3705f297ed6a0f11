package disk

import (
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"
)

// A Writer takes the body of an object that is to be. It is of one goroutine. It ends
// with Commit or Abort.
type Writer struct {
	s    *Store
	said int64 // length that Create was told; -1: unknown
	d    description
	buf  []byte // room for a frame's head, then what is not yet in the log
	err  error  // of an earlier call
	from *place // what it copies: it is committed only if that is still the object; nil: whatever is
}

// buffers are those of writers, each as long as a chunk with its frame at least once
// it has held one.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// Create begins an object. Its length is that of the body, or -1 if it is not known
// yet. The label is cloned. Nothing of it is seen before Commit: until then there is
// the object that was there before, if any.
func (s *Store) Create(id ID, label Label, length int64) (*Writer, error) {
	if length > s.maxObject || len(label.Summary) > MaxSummary || len(label.Meta) > MaxMeta {
		return nil, ErrTooLarge
	}
	s.mu.Lock()
	err := s.resting()
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	w := &Writer{s: s, said: length, d: description{id: id, label: cloneLabel(label)}}
	w.buf = append((*buffers.Get().(*[]byte))[:0], make([]byte, frameHead)...)
	return w, nil
}

// resting is why nothing is written now, nil if something is. The caller holds the log.
func (s *Store) resting() error {
	if s.closed {
		return ErrClosed
	}
	if s.now().Before(s.rest) {
		return s.why
	}
	return nil
}

func cloneLabel(l Label) Label {
	both := append(append(make([]byte, 0, l.size()), l.Summary...), l.Meta...)
	summary, meta := cut(both, int64(len(l.Summary)))
	return Label{Flags: l.Flags, Summary: summary, Meta: meta}
}

// Write adds to the body. After an error the object can only be aborted.
func (w *Writer) Write(p []byte) (n int, err error) {
	if w.err != nil {
		return 0, w.err
	}
	if err := w.mayHave(int64(len(p))); err != nil {
		w.err = err
		return 0, err
	}
	for len(p) > 0 {
		m := min(len(p), frameHead+chunkSize-len(w.buf))
		w.buf = append(w.buf, p[:m]...)
		p, n = p[m:], n+m
		if len(w.buf) == frameHead+chunkSize {
			if w.err = w.flush(); w.err != nil {
				return n, w.err
			}
		}
	}
	return n, nil
}

// mayHave reports whether the body may have so many bytes more.
func (w *Writer) mayHave(more int64) error {
	length := w.length() + more
	switch {
	case w.said >= 0 && length > w.said:
		return ErrLength
	case length > w.s.maxObject:
		return ErrTooLarge
	}
	return nil
}

// length is that of the body so far.
func (w *Writer) length() int64 { return w.d.length + int64(len(w.buf)-frameHead) }

// flush appends a chunk to the log.
func (w *Writer) flush() error {
	w.sum()
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	var at place
	err := w.s.append(int64(len(w.buf)), func(g *segment) []byte {
		at = w.place(g)
		return w.buf
	})
	w.d.chunks = w.d.chunks.append(at)
	w.buf = w.buf[:frameHead]
	return err
}

// sum takes what is in the buffer into account.
func (w *Writer) sum() {
	w.d.length = w.length()
	for b := w.buf[frameHead:]; len(b) > 0; {
		n := min(len(b), blockSize)
		w.d.sums = w.d.sums.append(xxhash.Sum64(b[:n]))
		b = b[n:]
	}
}

// place makes the buffer a frame at the end of g, and says where its payload is.
func (w *Writer) place(g *segment) place {
	closeFrame(w.buf, data, g.secret, g.end)
	return place{g.number, uint32(g.end + frameHead)}
}

// Abort forgets the object. After Commit it does nothing.
func (w *Writer) Abort() {
	if w.buf != nil {
		b := w.buf[:0]
		buffers.Put(&b)
	}
	w.buf, w.err = nil, ErrClosed
}

// Commit makes the object what its id names.
func (w *Writer) Commit() error {
	defer w.Abort()
	if w.err != nil {
		return w.err
	}
	if w.said >= 0 && w.length() != w.said {
		return ErrLength
	}
	rest := len(w.buf) - frameHead
	w.sum()
	w.buf = slices.Grow(w.buf, int(recordSize(&w.d.label, w.d.length)))
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	return w.s.commit(w, rest)
}

// commit appends the last chunk, which has so many bytes, and the record, in one write.
func (s *Store) commit(w *Writer, rest int) error {
	was, ok := s.index.find(w.d.id)
	if w.from != nil {
		if !ok || was.at != *w.from {
			return ErrNotFound
		}
		w.d.label.Flags = was.flags
	}
	chunks, head := w.d.chunks, 0
	if rest > 0 {
		head = frameHead + rest
	}
	size := int64(head) + recordSize(&w.d.label, w.d.length)
	return s.appendRecord(&w.d, size, int64(head), func(g *segment) []byte {
		w.buf = w.buf[:frameHead+rest]
		if w.d.chunks = chunks; rest > 0 {
			w.d.chunks = chunks.append(w.place(g))
		}
		return w.buf[:head]
	})
}

// appendRecord appends a record, with head bytes before it that begin makes, and makes it
// what the index says. The caller holds the log.
func (s *Store) appendRecord(d *description, size, head int64, begin func(*segment) []byte) error {
	var at place
	err := s.append(size, func(g *segment) []byte {
		at = place{g.number, uint32(g.end + head)}
		b := begin(g)
		b = d.append(append(b, make([]byte, frameHead)...))
		closeFrame(b[head:], record, g.secret, int64(at.off))
		return b
	})
	if err != nil {
		return err
	}
	i := recordItemOf(d, at, uint32(size-head))
	s.active.note(&i)
	e := entry{at: at, size: i.size, oldest: i.oldest, flags: i.flags}
	s.index.set(d.id, e)
	if e.oldest < s.table.first(s.next) {
		s.index.remove(d.id)
		return ErrOvertaken
	}
	return nil
}
