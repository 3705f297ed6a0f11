package disk

import (
	"testing"
)

// What is old goes, what is new stays, and the folder never has more than it may.
func TestOldObjectsMakeRoom(t *testing.T) {
	d := newRAMDisk()
	s := openOn(t, d, options())
	const n = 1000
	for i := range uint64(n) {
		mustPut(t, s, i, 1, 40_000)
		if got := d.total(); got > MinSize {
			t.Fatalf("%d bytes in the folder", got)
		}
	}
	expect(t, s, 0, none)
	for i := uint64(n - 100); i < n; i++ {
		expect(t, s, i, 1)
	}
	until(t, "what is gone to be forgotten", func() bool {
		c := s.Stats()
		return c.Objects*40_000 < MinSize && c.Reclaimed > 20 && c.Objects+c.Evicted == n
	})
}

// What was opened since it was written outlives what was not, again and again.
func TestOpenedObjectsGetAnotherChance(t *testing.T) {
	s := openOn(t, newRAMDisk(), options())
	const loved = 20 // some 100 KB, of three segments' worth that go round
	for n := range uint64(loved) {
		mustPut(t, s, n, 1, 5000)
	}
	for n := uint64(1000); n < 3000; n++ {
		mustPut(t, s, n, 1, 20_000)
		for i := range uint64(loved) {
			expect(t, s, i, 1)
		}
		if n%10 == 0 {
			until(t, "the keeper to keep up", func() bool { return !s.wanting() })
		}
	}
	if c := s.Stats(); c.Rescued < loved {
		t.Errorf("%+v", c)
	}
	for n := uint64(1000); n < 2000; n++ {
		expect(t, s, n, none)
	}
}

// A copy never comes in place of what was written or deleted while it was made.
func TestCopiesDoNotOvertake(t *testing.T) {
	s := openOn(t, newRAMDisk(), options())
	for _, tt := range []struct {
		name string
		do   func() error
		want uint64 // version that is there
		err  error
	}{
		{"nothing happens", func() error { return nil }, 1, nil},
		{"it is replaced", func() error { return put(s, 1, 2, 1000) }, 2, ErrNotFound},
		{"it is deleted", func() error { return s.Delete(idOf(1)) }, none, ErrNotFound},
	} {
		t.Run(tt.name, func(t *testing.T) {
			mustPut(t, s, 1, 1, 1000)
			e, _ := s.index.find(idOf(1))
			w, err := s.Create(idOf(1), labelOf(1, 1, 1000), 1000)
			if err != nil {
				t.Fatal(err)
			}
			w.from = &e.at
			w.Write(bodyOf(1, 1, 1000))
			if err := tt.do(); err != nil {
				t.Fatal(err)
			}
			expectError(t, w.Commit(), tt.err)
			expect(t, s, 1, tt.want)
		})
	}
}

// However much is opened, the store moves on: half of a segment is copied at most.
func TestOpeningAllDoesNotStopTheStore(t *testing.T) {
	s := openOn(t, newRAMDisk(), options())
	for n := range uint64(3000) {
		mustPut(t, s, n, 1, 10_000)
		expect(t, s, n, 1)
	}
	if c := s.Stats(); c.Written > 2*3000*11_000 {
		t.Errorf("for %d bytes %d were written", 3000*10_000, c.Written)
	}
}

// An object that is open is read to its end, though it has been reclaimed.
func TestOpenObjectsOutliveTheirSegment(t *testing.T) {
	s := open(t, folder(t), options())
	mustPut(t, s, 1, 1, 300_000)
	o, err := s.Open(idOf(1))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	for n := range uint64(500) {
		mustPut(t, s, 10+n, 1, 50_000)
	}
	if err := s.Clear(); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, o.Length())
	if _, err := o.ReadAt(b, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := check(o, 1, b); err != nil {
		t.Error(err)
	}
}

// An object whose writer was overtaken by the log is not there, in parts or otherwise.
func TestSlowWritersAreOvertaken(t *testing.T) {
	s := openOn(t, newRAMDisk(), options())
	w, err := s.Create(idOf(1), Label{}, -1)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(make([]byte, chunkSize+1))
	for n := range uint64(500) {
		mustPut(t, s, 10+n, 1, 50_000)
	}
	expectError(t, w.Commit(), ErrOvertaken)
	expect(t, s, 1, none)
}

// Objects are bounded in number, too.
func TestManyObjectsMakeRoom(t *testing.T) {
	s := openOn(t, newRAMDisk(), Options{Size: 4 * MinSize, MaxObjects: 5000})
	for n := range uint64(60_000) {
		mustPut(t, s, n, 1, 10)
	}
	until(t, "the oldest to go", func() bool { return s.Stats().Objects < 12_000 }) // the active segment has some
	expect(t, s, 59_999, 1)
}

// A smaller size holds from then on; so it does for a folder that is opened again.
func TestSizesChange(t *testing.T) {
	d := newRAMDisk()
	s := openOn(t, d, Options{Size: 4 * MinSize})
	for n := range uint64(500) {
		mustPut(t, s, n, 1, 50_000)
	}
	s.Resize(2 * MinSize)
	until(t, "the folder to shrink", func() bool { return d.total() <= 2*MinSize })
	expect(t, s, 499, 1)
	s.Resize(1)
	until(t, "the folder to shrink to four segments", func() bool { return d.total() <= 4*minSegment })
	expect(t, s, 499, 1)
	s.Close()
	s = openOn(t, d, options())
	if n := d.total(); n > MinSize {
		t.Errorf("%d bytes in the folder", n)
	}
	expect(t, s, 499, 1)
}

// After Clear there is nothing, whatever happens to the disk; and what comes then stays.
func TestClear(t *testing.T) {
	for _, stuck := range []bool{false, true} {
		d := newRAMDisk()
		s := openOn(t, d, options())
		for n := range uint64(100) {
			mustPut(t, s, n, 1, 40_000)
		}
		if stuck {
			d.set(failing("remove", errFlip))
		}
		if err := s.Clear(); err != nil {
			t.Fatal(err)
		}
		mustPut(t, s, 200, 1, 10)
		if c := s.Stats(); c.Objects != 1 {
			t.Errorf("%+v", c)
		}
		d.set(nil)
		s = openOn(t, d.copy(), options())
		expect(t, s, 99, none)
		expect(t, s, 200, 1)
	}
}

// failing makes each operation of a kind fail.
func failing(op string, err error) func(string, string) error {
	return func(did, _ string) error {
		if did == op {
			return err
		}
		return nil
	}
}
