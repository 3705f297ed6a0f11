package disk

import (
	"bytes"
	"errors"
	"io"
	"os"
)

// load reads what the segments say of their objects.
func (s *Store) load() error {
	numbers, err := s.numbers()
	if err != nil {
		return err
	}
	var floor, synced uint32
	for _, n := range numbers {
		s.next = max(s.next, n+1)
		g, err := s.openSegment(n)
		if err != nil {
			return err
		}
		if g != nil {
			floor, synced = max(floor, g.floor), max(synced, g.synced)
			s.table.add(g)
		}
	}
	s.dropVoid(floor)
	s.index.make(int(s.listed()))
	s.applyAll(synced)
	s.resume()
	return nil
}

// openSegment opens a file that is named like a segment. It returns none if it is foreign,
// which counts, or was damaged so that nothing can be told of it: then it is gone.
func (s *Store) openSegment(number uint32) (*segment, error) {
	f, err := s.fs.OpenFile(s.path(number), os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	g := &segment{file: f}
	g.refs.Store(1)
	g.length.Store(info.Size())
	head := make([]byte, segmentHead)
	n, err := f.ReadAt(head, 0)
	if g.parseHead(head[:n], number) {
		return g, nil
	}
	f.Close()
	if err == nil && !ours(head) {
		s.counts.foreign.Add(1)
		return nil, nil
	}
	s.counts.damaged.Add(1)
	s.removeFile(segmentName(number))
	return nil, nil
}

// ours reports whether a head that does not pass may be one that was damaged, or one of
// another version of the store.
func ours(head []byte) bool {
	const name = len(magic) - 2
	return string(head[:name]) == magic[:name] || len(bytes.Trim(head, "\x00")) == 0
}

// dropVoid removes the segments before floor, and those that there is no room for.
func (s *Store) dropVoid(floor uint32) {
	for _, g := range s.table.snapshot() {
		if g.number >= floor && s.table.total() <= s.limit.Load() {
			return
		}
		if s.drop(g) != nil {
			s.table.remove(g) // it is void all the same
		}
	}
}

// listed is how many objects the lists tell of: room for them is made at once.
func (s *Store) listed() (n int64) {
	for _, g := range s.table.snapshot() {
		if g.readTail() {
			n += g.items
		}
	}
	return min(n, s.maxObjects)
}

// A reading is what a segment says.
type reading struct {
	*segment
	list  []byte
	whole bool // nothing is missing
}

// readAll reads what the segments say, one ahead of who takes it. Synced is the number
// before which all were on the disk.
func (s *Store) readAll(synced uint32) <-chan reading {
	ahead := make(chan reading)
	go func() {
		defer close(ahead)
		var bufs [2][]byte // one is read into while the other one is made use of
		for i, g := range s.table.snapshot() {
			ahead <- s.readSegment(g, synced, &bufs[i%2])
		}
	}()
	return ahead
}

// readSegment reads the list of a segment or, if that is missing or damaged, the frames.
func (s *Store) readSegment(g *segment, synced uint32, buf *[]byte) reading {
	if g.readTail() {
		if list, err := s.readList(g, g.length.Load(), buf); err == nil {
			g.sealed = true
			return reading{g, list, true}
		}
	}
	end, mayLack := g.length.Load(), g.number >= synced
	if g.readTail() {
		end, mayLack = g.end, true
	}
	s.scan(g)
	whole := g.end == end && mayLack
	if !whole {
		s.counts.damaged.Add(1)
	}
	return reading{g, g.list, whole}
}

// applyAll makes the index say what the segments do. One that was on the disk once, and is
// not or not all of it any more, may have said that what is before is void: that cannot be
// trusted then.
func (s *Store) applyAll(synced uint32) {
	before := s.table.first(s.next) - 1
	for r := range s.readAll(synced) {
		if missing := before + 1; r.number > missing && missing < synced {
			s.distrust(r.number)
		}
		before = r.number
		if !r.whole && r.number < synced {
			s.distrust(r.number + 1)
			continue
		}
		r.durable = r.sealed && r.number < synced
		s.apply(r.number, r.list)
	}
}

// distrust removes the segments before one.
func (s *Store) distrust(before uint32) {
	s.index.clear()
	for _, g := range s.table.snapshot() {
		if g.number >= before {
			return
		}
		if s.drop(g) != nil {
			s.table.remove(g)
		}
	}
}

// apply makes the index say what a list does.
func (s *Store) apply(segment uint32, list []byte) {
	first := s.table.first(s.next)
	var i item
	for ok := true; ok; {
		if list, ok = i.next(list); !ok {
			return
		}
		switch {
		case i.kind == flagging:
			s.index.flag(i.id, i.flags)
		case i.kind == record && i.oldest >= first:
			s.index.set(i.id, entry{at: place{segment, i.off}, size: i.size, oldest: i.oldest, flags: i.flags})
		default:
			s.index.remove(i.id)
		}
	}
}

// resume makes the last segment the one that is appended to, if there is room in it, and
// seals others that are not.
func (s *Store) resume() {
	for _, g := range s.table.snapshot() {
		goesOn := g.number == s.next-1 && g.end < s.segment/2
		if (goesOn || !g.sealed) && s.reopen(g) == nil {
			s.active = g
			if !goesOn {
				s.seal()
			}
		}
	}
}

// reopen makes a segment end where its frames do.
func (s *Store) reopen(g *segment) error {
	var buf []byte
	list, err := s.listOf(g, &buf)
	if err != nil {
		return err
	}
	if err := g.file.Truncate(g.end); err != nil {
		return s.failed(Writing, "cut "+segmentName(g.number), err)
	}
	g.list, g.sealed, g.durable = list, false, false
	g.length.Store(g.end)
	return nil
}

// scan reads a segment from front to end, makes its list, and makes it end where no frame
// follows.
func (s *Store) scan(g *segment) {
	w := window{f: g.file}
	g.end, g.items = segmentHead, 0
	for size := s.scanFrame(&w, g); size > 0; size = s.scanFrame(&w, g) {
		g.end += size
	}
	if w.err != nil && !errors.Is(w.err, io.EOF) {
		s.failed(Reading, "read "+segmentName(g.number), w.err)
	}
}

// scanFrame adds the frame at the end of g to its list. It returns how long that is, 0 if
// there is none.
func (s *Store) scanFrame(w *window, g *segment) int64 {
	head := w.at(g.end, frameHead)
	if head == nil {
		return 0
	}
	f := readHead(head)
	size := frameHead + f.size
	if g.end+size > g.length.Load() {
		return 0
	}
	b := w.at(g.end, min(f.kind.checked(f.size), size))
	if b == nil || !passes(b, g.secret, g.end) || !g.addItem(f.kind, b[frameHead:]) {
		return 0
	}
	return size
}

// addItem adds to the list what a frame says that is at the end of g.
func (g *segment) addItem(k kind, payload []byte) bool {
	var d description
	i := item{kind: k}
	switch {
	case k == data:
		return true
	case k == deletion && len(payload) == 16, k == erased && len(payload) >= 16:
		i.kind, i.id = deletion, ID(payload)
	case k == flagging && len(payload) == 20:
		i.id, i.flags = ID(payload), flagsOf(payload)
	case k == record && d.parse(payload) && len(d.label.Summary) <= MaxSummary:
		i = recordItemOf(&d, place{g.number, uint32(g.end)}, uint32(frameHead+len(payload)))
	default:
		return false
	}
	g.note(&i)
	return true
}

// A window is a part of a file, in memory, that moves forward.
type window struct {
	f     File
	start int64
	b     []byte
	buf   []byte
	err   error // of the last read
}

const windowSize = 1 << 20

// at is n bytes of the file, nil if it has them not; valid until the next call.
func (w *window) at(off, n int64) []byte {
	if off < w.start || off+n > w.start+int64(len(w.b)) {
		w.read(off, n)
	}
	if off+n > w.start+int64(len(w.b)) {
		return nil
	}
	return w.b[off-w.start:][:n]
}

func (w *window) read(off, n int64) {
	if int64(len(w.buf)) < n {
		w.buf = make([]byte, max(n, windowSize))
	}
	var m int
	m, w.err = w.f.ReadAt(w.buf, off)
	w.start, w.b = off, w.buf[:m]
}
