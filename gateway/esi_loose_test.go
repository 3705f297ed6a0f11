package gateway

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"weirkeep/gateway/cache/store"
)

// unstored is an exchange for a path of a shop, whose answer is here and is not stored.
func unstored(t *testing.T, s *shop, path string) *Exchange {
	t.Helper()
	x, err := s.g.acquire().requestFor(s.g, "http://a.example"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	reason := s.g.decide(x)
	if reason == Served {
		reason = s.g.lookup(x)
	}
	if reason == Served {
		reason = s.g.keep(x, s.g.obtain(x))
	}
	if reason != Served || x.cached.entry != nil {
		t.Fatalf("%s: %v, stored: %v", path, reason, x.cached.entry != nil)
	}
	return x
}

// TestLooseAnswersFreeTheSlot as soon as the origin has sent all of what must not be stored,
// also if it is never read; what is read then is what came, and nobody else is given it.
func TestLooseAnswersFreeTheSlot(t *testing.T) {
	s := newShop(t, "")
	long := strings.Repeat("0123456789abcdef", 40<<10)
	s.answer = func(head string) (string, string) {
		return "Cache-Control: no-store\r\nSurrogate-Control: content=\"ESI/1.0\"\r\nSet-Cookie: a=1\r\n", long
	}
	for n := range 20 {
		x := unstored(t, s, fmt.Sprint("/", n))
		e := s.g.loose(x)
		slots := s.g.current.Load().clusters[0].members[0].state.slots
		until(t, "the slot is free", func() bool { return slots.Load() == 0 })
		if got := e.Stored(); got.Status != 200 || got.Content != "ESI/1.0" || got.Length != int64(len(long)) {
			t.Fatalf("%+v", got)
		}
		r := e.Body().Reader(0, -1)
		var all []byte
		p, err := r.Next(x)
		for ; err == nil; p, err = r.Next(x) {
			all = append(all, p...)
		}
		r.Close()
		if err != io.EOF || !bytes.Equal(all, []byte(long)) {
			t.Errorf("%d of %d bytes are read, %v", len(all), len(long), err)
		}
		x.release()
	}
	if st := s.g.cache.Stats(); st.Objects+st.Filling != 0 || len(s.g.cache.List(&store.Selector{}, store.ByHits, 1)) != 0 {
		t.Errorf("something is stored: %+v", st)
	}
}
