package disk

import (
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// heard is what people are told of a disk.
type heard struct {
	mu  sync.Mutex
	all []string
}

func (h *heard) told(t Trouble) {
	h.mu.Lock()
	defer h.mu.Unlock()
	line := t.Op.String() + " works again"
	if t.Err != nil {
		line = fmt.Sprintf("%s fails, %d times: %v", t.Op, t.Failures, t.Err)
	}
	h.all = append(h.all, line)
}

// expect fails the test unless that has been told since the last time it was asked.
func (h *heard) expect(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	if fmt.Sprintf("%q", h.all) != fmt.Sprintf("%q", want) {
		t.Errorf("told %q, want %q", h.all, want)
	}
	h.all = nil
}

// Whatever fails, people are told once and, if it goes on, once a minute, with a count; and
// when it works again.
func TestPeopleAreToldOfTrouble(t *testing.T) {
	const fails = "cache folder /cache: write: 0000000001.segment: input/output error; the disk fails: see the kernel's log, replace it, or name another folder"
	synctest.Test(t, func(t *testing.T) {
		d, h := newRAMDisk(), new(heard)
		s := openOn(t, d, Options{Size: MinSize, Told: h.told})
		mustPut(t, s, 1, 1, 100)
		h.expect(t)
		broken := func(op, _ string) error {
			if op == "write" {
				return syscall.EIO
			}
			return nil
		}
		d.set(broken)
		put(s, 2, 1, 100) // the object, and the end of its segment
		h.expect(t, "writing fails, 2 times: "+fails)
		for range 40 {
			time.Sleep(restAfter)
			put(s, 2, 1, 100)
		}
		h.expect(t)
		d.set(nil)
		time.Sleep(restAfter)
		mustPut(t, s, 2, 1, 100)
		h.expect(t, "writing works again")
		d.set(broken)
		put(s, 3, 1, 100)
		h.expect(t)
		time.Sleep(time.Minute)
		put(s, 3, 1, 100)
		h.expect(t, "writing fails, 43 times: "+strings.ReplaceAll(fails, "write: 0000000001", "begin a segment: 0000000003"))
	})
}

// Each op is told of by itself, and what is damaged is told of like what cannot be read.
func TestTroubleOfEachOp(t *testing.T) {
	for _, tt := range faults {
		if tt.op == "truncate" {
			continue // it is nobody's loss: what is after the end is void
		}
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var failing, working [ops]bool
				var mu sync.Mutex
				d := newRAMDisk()
				s := openOn(t, d, Options{Size: MinSize, Told: func(tr Trouble) {
					mu.Lock()
					defer mu.Unlock()
					failing[tr.Op], working[tr.Op] = tr.Err != nil, tr.Err == nil
				}})
				op := map[string]Op{"read": Reading, "write": Writing, "create": Writing, "sync": Syncing, "remove": Removing}[tt.op]
				work := func() {
					for n := range uint64(30) {
						put(s, n, 1, 1_000_000)
						if o, err := s.Open(idOf(n)); err == nil {
							o.ReadAt(make([]byte, 10), 0)
							o.Close()
						}
						synctest.Wait()
					}
				}
				work()
				if failing != [ops]bool{} || working != [ops]bool{} {
					t.Errorf("told of a disk that works")
				}
				d.set(func(did, _ string) error {
					if did == tt.op {
						return tt.err
					}
					return nil
				})
				work()
				if !failing[op] {
					t.Errorf("nobody is told that %v fails", op)
				}
				d.set(nil)
				time.Sleep(restAfter)
				work()
				if !working[op] {
					t.Errorf("nobody is told that %v works again", op)
				}
			})
		})
	}
}
