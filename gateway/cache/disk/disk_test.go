package disk

import (
	"bytes"
	"io"
	"maps"
	"testing"
)

// lengths are around all that the store cuts bodies by.
var lengths = []int{0, 1, 1000, blockSize - 1, blockSize, blockSize + 1, 3*blockSize + 7,
	chunkSize - 1, chunkSize, chunkSize + 1, 2*chunkSize + blockSize, 3*chunkSize + 1}

func TestObjectsAreReadAsTheyWereWritten(t *testing.T) {
	dir := folder(t)
	s := open(t, dir, options())
	for i, n := range lengths {
		mustPut(t, s, uint64(i), 1, n)
		expect(t, s, uint64(i), 1)
	}
	s.Close()
	s = open(t, dir, options())
	for i := range lengths {
		expect(t, s, uint64(i), 1)
	}
}

func TestAnyPartIsRead(t *testing.T) {
	s := open(t, folder(t), options())
	const length = 2*chunkSize + 3*blockSize + 100
	mustPut(t, s, 1, 1, length)
	want := bodyOf(1, 1, length)
	o, err := s.Open(idOf(1))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	ends := []int{0, 1, blockSize - 1, blockSize, blockSize + 1, 2 * blockSize, chunkSize - 1, chunkSize, chunkSize + 1,
		2 * chunkSize, length - 101, length - 100, length - 1, length}
	for _, from := range ends {
		for _, to := range ends {
			if from > to {
				continue
			}
			b := make([]byte, to-from)
			if n, err := o.ReadAt(b, int64(from)); n != len(b) || err != nil || !bytes.Equal(b, want[from:to]) {
				t.Errorf("ReadAt(%d bytes, %d) = %d, %v; equal %t", len(b), from, n, err, bytes.Equal(b, want[from:to]))
			}
		}
	}
	b := make([]byte, 200)
	if n, err := o.ReadAt(b, length-100); n != 100 || err != io.EOF || !bytes.Equal(b[:n], want[length-100:]) {
		t.Errorf("ReadAt past the end = %d, %v, want 100 bytes and io.EOF", n, err)
	}
	if n, err := o.ReadAt(b, length+1); n != 0 || err != io.EOF {
		t.Errorf("ReadAt behind the end = %d, %v, want io.EOF", n, err)
	}
	if n, err := o.ReadAt(b, -1); n != 0 || err == nil {
		t.Errorf("ReadAt before the beginning = %d, %v, want an error", n, err)
	}
}

func TestNothingIsSeenBeforeCommit(t *testing.T) {
	s := open(t, folder(t), options())
	w, err := s.Create(idOf(1), labelOf(1, 2, 3*chunkSize), -1)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(bodyOf(1, 2, 3*chunkSize))
	expect(t, s, 1, none)
	mustPut(t, s, 1, 1, 10)
	expect(t, s, 1, 1)
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	expect(t, s, 1, 2)
	expectError(t, w.Commit(), ErrClosed)
	w.Abort()
	expect(t, s, 1, 2)
}

func TestAbortedObjectsAreNotThere(t *testing.T) {
	dir := folder(t)
	s := open(t, dir, options())
	mustPut(t, s, 1, 1, 10)
	w, err := s.Create(idOf(1), labelOf(1, 2, chunkSize), -1)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(bodyOf(1, 2, chunkSize))
	w.Abort()
	expect(t, s, 1, 1)
	s.Close()
	expect(t, open(t, dir, options()), 1, 1)
}

func TestLengthsMustBeAsSaid(t *testing.T) {
	s := open(t, folder(t), options())
	for _, tt := range []struct {
		name         string
		length, said int64
		want         error
	}{
		{"as said", 100, 100, nil},
		{"not said", 100, -1, nil},
		{"less", 99, 100, ErrLength},
		{"more", 101, 100, ErrLength},
		{"the most", MinSize / 8, MinSize / 8, nil},
		{"too much, said", MinSize/8 + 1, MinSize/8 + 1, ErrTooLarge},
		{"too much, not said", MinSize/8 + 1, -1, ErrTooLarge},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.Delete(idOf(1))
			expectError(t, putSaid(s, 1, 1, int(tt.length), tt.said), tt.want)
			if tt.want == nil {
				expect(t, s, 1, 1)
			} else {
				expect(t, s, 1, none)
			}
		})
	}
}

// What was done last is what holds, before and after the folder is opened again.
func TestChangesLast(t *testing.T) {
	for _, tt := range []struct {
		name  string
		do    func(s *Store) error
		want  uint64 // version
		flags uint32
	}{
		{"nothing", func(*Store) error { return nil }, 1, 1},
		{"replaced", func(s *Store) error { return put(s, 1, 2, 500) }, 2, 2},
		{"deleted", func(s *Store) error { return s.Delete(idOf(1)) }, none, 0},
		{"flagged", func(s *Store) error { return s.SetFlags(idOf(1), 77) }, 1, 77},
		{"labelled", func(s *Store) error {
			l := labelOf(1, 1, 2*chunkSize+5)
			l.Flags = 99
			return relabel(s, 1, l)
		}, 1, 99},
		{"cleared", func(s *Store) error { return s.Clear() }, none, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := folder(t)
			s := open(t, dir, options())
			mustPut(t, s, 1, 1, 2*chunkSize+5)
			if err := tt.do(s); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				expect(t, s, 1, tt.want)
				if o, err := s.Open(idOf(1)); err == nil {
					if got := o.Label().Flags; got != tt.flags {
						t.Errorf("flags %d, want %d", got, tt.flags)
					}
					o.Close()
				}
				s.Close()
				s = open(t, dir, options())
			}
		})
	}
}

func relabel(s *Store, n uint64, l Label) error {
	o, err := s.Open(idOf(n))
	if err != nil {
		return err
	}
	defer o.Close()
	return o.SetLabel(l)
}

// A label is of one body: it never comes to another one that took its place meanwhile.
func TestLabelsStayWithTheirBody(t *testing.T) {
	s := openOn(t, newRAMDisk(), options())
	for _, tt := range []struct {
		name  string
		do    func()
		want  error
		flags uint32
	}{
		{"nothing happens", func() {}, nil, 99},
		{"it has moved", func() { s.rescue(1) }, nil, 99},
		{"it has another label", func() { relabel(s, 1, labelOf(1, 1, 1000)) }, nil, 99},
		{"it is replaced", func() { put(s, 1, 2, 1000) }, ErrNotFound, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			mustPut(t, s, 1, 1, 1000)
			o, err := s.Open(idOf(1))
			if err != nil {
				t.Fatal(err)
			}
			defer o.Close()
			tt.do()
			l := labelOf(1, 1, 1000)
			l.Flags = 99
			expectError(t, o.SetLabel(l), tt.want)
			if now, err := s.Open(idOf(1)); err != nil || now.Label().Flags != tt.flags {
				t.Errorf("flags %v, %v, want %d", now.Label().Flags, err, tt.flags)
			}
		})
	}
}

func TestChangingWhatIsNotThere(t *testing.T) {
	s := open(t, folder(t), options())
	expectError(t, s.SetFlags(idOf(1), 1), ErrNotFound)
	expectError(t, s.Delete(idOf(1)), nil)
	_, err := s.Open(idOf(1))
	expectError(t, err, ErrNotFound)
}

func TestNothingIsDoneAfterClose(t *testing.T) {
	s := open(t, folder(t), options())
	mustPut(t, s, 1, 1, 10)
	w, _ := s.Create(idOf(2), Label{}, -1)
	o, _ := s.Open(idOf(1))
	s.Close()
	_, err := s.Create(idOf(3), Label{}, -1)
	for _, err := range []error{err, w.Commit(), s.SetFlags(idOf(1), 2), s.Delete(idOf(1)), s.Clear(), s.Sync(), s.Close()} {
		expectError(t, err, ErrClosed)
	}
	if _, err := o.ReadAt(make([]byte, 10), 0); err != nil {
		t.Errorf("an object that was open cannot be read: %v", err)
	}
	o.Close()
}

// all are the objects that All tells of, by number, with their versions.
func all(t testing.TB, s *Store) map[uint64]uint64 {
	t.Helper()
	m := make(map[uint64]uint64)
	err := s.All(func(i Item) bool {
		n, version, length, err := parseSummary(i.Summary)
		if err != nil || i.ID != idOf(n) || i.Length != int64(length) || i.Flags != uint32(version) {
			t.Errorf("told of %+v, %v", i, err)
		}
		if _, twice := m[n]; twice {
			t.Errorf("object %d was told twice", n)
		}
		m[n] = version
		return true
	})
	if err != nil {
		t.Error(err)
	}
	return m
}

func TestAllAreTold(t *testing.T) {
	dir := folder(t)
	s := open(t, dir, Options{Size: 4 * MinSize})
	want := make(map[uint64]uint64)
	for n := range uint64(300) {
		mustPut(t, s, n, 1, int(n)*40)
		want[n] = 1
	}
	for n := uint64(0); n < 300; n += 3 {
		mustPut(t, s, n, 2, 30_000)
		want[n] = 2
	}
	for n := uint64(0); n < 300; n += 7 {
		s.Delete(idOf(n))
		delete(want, n)
	}
	for range 2 {
		if got := all(t, s); !maps.Equal(got, want) {
			t.Errorf("told of %d objects, want %d", len(got), len(want))
		}
		s.Close()
		s = open(t, dir, Options{Size: 4 * MinSize})
	}
	told := 0
	s.All(func(Item) bool { told++; return told < 10 })
	if told != 10 {
		t.Errorf("told of %d objects after the tenth was enough", told)
	}
}
