package disk

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

// faults are what a disk does to a store.
var faults = []struct {
	name, op string
	err      error
}{
	{"full", "write", syscall.ENOSPC},
	{"over quota", "write", syscall.EDQUOT},
	{"files too long", "write", syscall.EFBIG},
	{"writes fail", "write", syscall.EIO},
	{"reads fail", "read", syscall.EIO},
	{"reads flip a bit", "read", errFlip},
	{"syncs fail", "sync", syscall.EIO},
	{"no room for a file", "create", syscall.ENOSPC},
	{"no descriptors", "create", syscall.EMFILE},
	{"read-only", "create", syscall.EROFS},
	{"nothing can be removed", "remove", syscall.EACCES},
	{"nothing can be cut", "truncate", syscall.EIO},
}

// Whatever fails, once or from then on: no wrong byte, no half an object, never more than
// the folder may have; and when it works again so does the store.
func TestDisksFail(t *testing.T) {
	for _, tt := range faults {
		t.Run(tt.name, func(t *testing.T) {
			for seed := range uint64(either(4, 100)) {
				t.Run(fmt.Sprint(seed), func(t *testing.T) { failOnce(t, seed, tt.op, tt.err, seed%2 == 0) })
			}
		})
	}
}

func failOnce(t *testing.T, seed uint64, op string, fault error, once bool) {
	d, c := newRAMDisk(), new(clock)
	o := Options{Size: MinSize, Now: c.now}
	w := newWorker(t, seed, nil)
	w.lost = true
	w.reopen(d, o)
	var failures atomic.Int64
	at := rand.New(rand.NewPCG(seed, 2)).Int64N(60)
	left := at
	d.set(func(did, _ string) error {
		if did != op {
			return nil
		}
		if left--; left >= 0 || once && failures.Load() > 0 {
			return nil
		}
		failures.Add(1)
		return fault
	})
	for range 15 {
		w.work(10)
		c.pass()
		if n := d.total(); n > o.Size {
			t.Fatalf("%d bytes in the folder, %d are allowed", n, o.Size)
		}
	}
	w.expectAll()
	d.set(nil)
	worksAgain(t, w, c)
	counted(t, w.s.Stats(), op, fault, failures.Load())
	w.reopen(d.copy(), o)
	w.expectAll()
}

// worksAgain fails the test unless a store works whose disk is well again.
func worksAgain(t *testing.T, w *worker, c *clock) {
	t.Helper()
	c.pass()
	mustPut(t, w.s, 100, 1, 2*chunkSize)
	expect(t, w.s, 100, 1)
	w.expectAll()
}

// counted fails the test unless failures of an operation are in the statistics.
func counted(t *testing.T, s Stats, op string, fault error, failures int64) {
	t.Helper()
	n := map[string]int64{"write": s.WriteErrors, "create": s.WriteErrors, "read": s.ReadErrors, "sync": s.SyncErrors, "remove": s.RemoveErrors}[op]
	if fault == errFlip {
		n = s.Corrupt
	}
	if failures > 0 && n == 0 && op != "truncate" {
		t.Errorf("%d failures of %s, none is counted: %+v", failures, op, s)
	}
}

// set changes what fails.
func (d *ramDisk) set(fail func(op, name string) error) {
	d.mu.Lock()
	d.fail = fail
	d.mu.Unlock()
}

// A full disk costs old objects, not the store: it does with the room that there is, and
// takes more again when there is more.
func TestFullDisk(t *testing.T) {
	d, room := newRAMDisk(), int64(20<<20)
	s := openOn(t, d, Options{Size: 8 * MinSize})
	d.set(func(op, _ string) error {
		if op == "write" && d.length() > room {
			return syscall.ENOSPC
		}
		return nil
	})
	for n := range uint64(1000) {
		put(s, n, 1, 50_000)
	}
	expect(t, s, 999, 1)
	c := s.Stats()
	if c.Objects < 200 || c.Bytes > room+minSegment || c.WriteErrors == 0 || c.Limit >= 8*MinSize {
		t.Errorf("on a disk with room for %d bytes: %+v", room, c)
	}
	d.set(nil)
	for n := range uint64(2000) {
		mustPut(t, s, n, 2, 50_000)
	}
	if c := s.Stats(); c.Objects < 1000 {
		t.Errorf("with room again there are %d objects", c.Objects)
	}
}

// length is total for one who holds the lock.
func (d *ramDisk) length() (n int64) {
	for _, f := range d.files {
		n += int64(len(f.b))
	}
	return n
}

func openOn(t testing.TB, d *ramDisk, o Options) *Store {
	t.Helper()
	o.FS = d
	return open(t, "/cache", o)
}

// A disk that fails is not asked for each object, and what the error says is for people.
func TestFailingDiskIsLeftAlone(t *testing.T) {
	d, c := newRAMDisk(), new(clock)
	s := openOn(t, d, Options{Size: MinSize, Now: c.now})
	mustPut(t, s, 1, 1, 100)
	asked := 0
	d.set(func(op, _ string) error {
		if op == "write" || op == "create" {
			asked++
			return syscall.EIO
		}
		return nil
	})
	var err error
	for n := range uint64(100) {
		err = put(s, 2+n, 1, 100)
		expectError(t, err, syscall.EIO)
	}
	if asked > 4 {
		t.Errorf("the disk was asked %d times for 100 objects", asked)
	}
	const want = "cache folder /cache: write: 0000000001.segment: input/output error; the disk fails: see the kernel's log, replace it, or name another folder"
	if err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
	expect(t, s, 1, 1)
	d.set(nil)
	c.pass()
	mustPut(t, s, 2, 1, 100)
}

// What is deleted while the disk takes nothing does not come back with the next process.
func TestDeletedOnAFullDisk(t *testing.T) {
	for _, err := range []error{syscall.ENOSPC, syscall.EIO} {
		d := newRAMDisk()
		s := openOn(t, d, options())
		mustPut(t, s, 1, 1, 100)
		mustPut(t, s, 2, 1, 100)
		first := true
		d.set(func(op, name string) error {
			if op == "create" || op == "write" && first {
				first = false // later the file takes what is where something was
				return err
			}
			return nil
		})
		if err := s.Delete(idOf(1)); err != nil {
			t.Fatal(err)
		}
		expect(t, s, 1, none)
		d.set(nil)
		expect(t, openOn(t, d.copy(), options()), 1, none)
	}
}

// What cannot be read is dropped: the next one who asks misses, also after a restart.
func TestUnreadableObjectsAreDropped(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
		want error
	}{
		{"bit flipped", errFlip, ErrCorrupt},
		{"disk fails", syscall.EIO, syscall.EIO},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newRAMDisk()
			s := openOn(t, d, options())
			mustPut(t, s, 1, 1, 5000)
			o, err := s.Open(idOf(1))
			if err != nil {
				t.Fatal(err)
			}
			defer o.Close()
			d.set(func(op, _ string) error {
				if op == "read" {
					return tt.err
				}
				return nil
			})
			n, err := o.ReadAt(make([]byte, 5000), 0)
			expectError(t, err, tt.want)
			if n != 0 {
				t.Errorf("%d bytes were given out", n)
			}
			d.set(nil)
			_, err = s.Open(idOf(1))
			expectError(t, err, ErrNotFound)
			expect(t, openOn(t, d.copy(), options()), 1, none)
			if c := s.Stats(); c.Corrupt+c.ReadErrors != 1 || strings.Contains(err.Error(), "%!") {
				t.Errorf("%+v, %v", c, err)
			}
		})
	}
}
