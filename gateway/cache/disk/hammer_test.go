package disk

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"
)

// Writers, readers, changes, All, Clear and reclaiming at the same time, on the same
// objects.
func TestHammerEverything(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	s := open(t, folder(t), options())
	end := time.Now().Add(either(200*time.Millisecond, time.Minute))
	var all sync.WaitGroup
	for g := range uint64(8) {
		all.Go(func() {
			r := rand.New(rand.NewPCG(g, 5))
			for i := uint64(0); time.Now().Before(end); i++ {
				if err := strike(s, r, i<<8|g); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	if c := s.Stats(); c.Corrupt+c.ReadErrors+c.WriteErrors > 0 || c.Bytes > MinSize {
		t.Errorf("%+v", c)
	}
}

// strike does one thing to an object that others are at, too.
func strike(s *Store, r *rand.Rand, version uint64) error {
	n := r.Uint64N(30)
	switch r.IntN(12) {
	case 0:
		return s.Delete(idOf(n))
	case 1:
		return unlessGone(s.SetFlags(idOf(n), uint32(version)))
	case 2:
		return relabelled(s, n)
	case 3:
		return s.All(func(Item) bool { return true })
	case 4:
		if r.IntN(50) == 0 {
			return s.Clear()
		}
		return s.Sync()
	case 5, 6, 7, 8:
		_, err := get(s, n)
		return err
	}
	return unlessGone(put(s, n, version, r.IntN(1<<(4+r.IntN(16)))))
}

// relabelled gives an object the label that it has; another may have come in between.
func relabelled(s *Store, n uint64) error {
	o, err := s.Open(idOf(n))
	if err != nil {
		return unlessGone(err)
	}
	defer o.Close()
	return unlessGone(o.SetLabel(o.Label()))
}

func unlessGone(err error) error {
	if errors.Is(err, ErrNotFound) || errors.Is(err, ErrOvertaken) {
		return nil
	}
	return err
}
