package disk

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// A process that writes, replaces and deletes objects on several goroutines is killed at
// random points, again and again, in one folder. What it said was done is there, or newer;
// what it deleted is not; and never is a byte wrong.
func TestKilledAtAnyTime(t *testing.T) {
	for _, tt := range []struct {
		name string
		size int64
		lost bool // objects may have been reclaimed
	}{
		{"all is kept", 1 << 30, false},
		{"old is reclaimed", MinSize, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := folder(t)
			done := make(map[uint64]fact)
			for round := range either(6, 150) {
				killOnce(t, fmt.Sprintf("%d %d %s", tt.size, round, dir), done)
				survivors(t, dir, Options{Size: tt.size}, done, tt.lost)
			}
		})
	}
}

// A fact is what is known of an object: its content was at least of version done, and
// something may have begun since.
type fact struct {
	done, begun uint64
	relabelled  uint64 // when it last was
	deleted     bool   // version done is none
	deleting    bool   // or has begun to be
}

// killOnce runs a child, kills it after it has said a random number of lines, and notes what
// those say.
func killOnce(t *testing.T, task string, facts map[uint64]fact) {
	t.Helper()
	c := start(t, "write "+task, nil)
	for range 1 + rand.IntN(200) {
		if !note(c.line(), facts) {
			t.Fatal("the child has ended by itself")
		}
	}
	c.cmd.Process.Kill()
	for note(c.line(), facts) {
	}
	c.cmd.Wait()
}

// note notes what a line says; it reports whether there was one.
func note(line string, facts map[uint64]fact) bool {
	var verb string
	var n, version uint64
	if _, err := fmt.Sscan(line, &verb, &n, &version); err != nil {
		return false
	}
	f := facts[n]
	switch verb {
	case "putting":
		f.begun = version
	case "put":
		f = fact{done: version, begun: version}
	case "deleting":
		f.deleting = true
	case "deleted":
		f = fact{done: version, begun: version, deleted: true}
	}
	facts[n] = f
	return true
}

// survivors compares the objects of a folder with what is known of them.
func survivors(t *testing.T, dir string, o Options, facts map[uint64]fact, lost bool) {
	t.Helper()
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for n, f := range facts {
		version, err := get(s, n)
		if err != nil {
			t.Fatal(err)
		}
		if !f.allows(version, lost) {
			t.Fatalf("object %d: version %d is there, known is %+v", n, int64(version), f)
		}
		if version != none {
			facts[n] = fact{done: version, begun: version}
		} else if f.deleting || f.deleted {
			facts[n] = fact{done: f.begun, begun: f.begun, deleted: true}
		}
	}
	if c := s.Stats(); c.Corrupt+c.ReadErrors != 0 {
		t.Errorf("a killed process left damage: %+v", c)
	}
}

// allows reports whether that version may be there.
func (f fact) allows(version uint64, lost bool) bool {
	if version == none {
		return lost || f.deleted || f.deleting || f.done == 0
	}
	return version <= f.begun && version >= f.done && (!f.deleted || version > f.done)
}

// writers is how many goroutines a child has; each has objects of its own.
const writers = 4

// writeForever is the child: it does at random what a store is for.
func writeForever(task string) {
	var size int64
	var round uint64
	var dir string
	if _, err := fmt.Sscan(task, &size, &round, &dir); err != nil {
		fail(err)
	}
	s, err := Open(dir, Options{Size: size})
	if err != nil {
		fail(err)
	}
	for w := range uint64(writers) {
		go func() {
			r := rand.New(rand.NewPCG(round, w))
			for version := round<<32 + 1; ; version++ {
				if err := writeOne(s, r, r.Uint64N(16)*writers+w, version); err != nil {
					fail(err)
				}
			}
		}()
	}
	select {}
}

// writeOne does one thing to an object, and says so before and after.
func writeOne(s *Store, r *rand.Rand, n, version uint64) error {
	switch r.IntN(8) {
	case 0:
		say("deleting %d %d", n, version)
		if err := s.Delete(idOf(n)); err != nil {
			return err
		}
		say("deleted %d %d", n, version)
		return nil
	case 1:
		if _, err := get(s, n); err != nil {
			return err
		}
	case 2:
		s.SetFlags(idOf(n), 7)
	}
	say("putting %d %d", n, version)
	length := r.IntN(1 << (4 + r.IntN(16)))
	if err := putSaid(s, n, version, length, -1); err != nil {
		return fmt.Errorf("object %d of %d bytes: %w", n, length, err)
	}
	say("put %d %d", n, version)
	return nil
}
