package store

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/wire"
)

var (
	epoch  = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	policy = &cache.Policy{}
	plain  = &cache.Request{}
)

// patient never goes.
type patient struct{}

func (patient) Gone() bool { return false }

// key is the key of a path at the site "shop".
func key(path string) *Key { return &Key{Site: "shop", Target: []byte(path)} }

// answer is a stored answer, with a body of so many bytes.
func answer(length int64) *cache.Stored {
	return &cache.Stored{
		Status: 200,
		Fields: []wire.Field{{Name: []byte("Content-Type"), Value: []byte("text/plain")}},
		Length: length,
		Date:   epoch,
		Fresh:  cache.Freshness{Received: epoch, Lifetime: time.Hour},
	}
}

// lead begins a flight, which must be the first.
func lead(t testing.TB, c *Cache, k *Key, r *cache.Request) *Flight {
	t.Helper()
	f, leads := c.Fetch(k, r, policy)
	if !leads {
		t.Fatalf("somebody else leads the flight for %s", k.Target)
	}
	return f
}

// put stores a whole body under a key and returns the entry.
func put(t testing.TB, c *Cache, k *Key, s *cache.Stored, body []byte) *Entry {
	t.Helper()
	return putAs(t, c, k, s, []byte("HTTP/1.1 200 OK\r\n"), body)
}

// headed is put with the head that a gateway renders.
func headed(t testing.TB, c *Cache, k *Key, s *cache.Stored, body []byte) *Entry {
	t.Helper()
	return putAs(t, c, k, s, bytes.Clone(s.AppendHead(nil)), body)
}

func putAs(t testing.TB, c *Cache, k *Key, s *cache.Stored, head, body []byte) *Entry {
	t.Helper()
	f := c.Alone(k).Store(s, head)
	if f == nil {
		t.Fatalf("%s found no room", k.Target)
	}
	if err := f.Write(body); err != nil {
		t.Fatalf("writing %s: %v", k.Target, err)
	}
	f.Done()
	return f.Entry()
}

// find is the entry that a lookup finds, or nil.
func find(c *Cache, k *Key, r *cache.Request) *Entry { return c.Lookup(k, r, policy).Entry }

// read reads a part of a body to its end.
func read(b *Body, from, to int64) ([]byte, error) {
	r := b.Reader(from, to)
	defer r.Close()
	var all []byte
	for {
		p, err := r.Next(patient{})
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		all = append(all, p...)
	}
}

// noise is bytes that look like no others of another seed.
func noise(seed uint64, n int) []byte {
	var key [32]byte
	for i := range 8 {
		key[i] = byte(seed >> (8 * i))
	}
	b := make([]byte, n)
	rand.NewChaCha8(key).Read(b)
	return b
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func bubble(t *testing.T, do func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, do)
}

// with is a request with one field.
func with(name, value string) *cache.Request {
	return &cache.Request{Fields: []wire.Field{{Name: []byte(name), Value: []byte(value)}}}
}

// varied is an answer that was chosen by a field of a request.
func varied(r *cache.Request, name string) *cache.Stored {
	s := answer(-1)
	s.Vary = policy.VaryBy([]string{name}, r)
	return s
}

// reporter is what testing and rapid have in common.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
}

// balanced fails if what the space counts is not the sum of what is in it.
func balanced(t reporter, c *Cache) {
	t.Helper()
	s := &c.space
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := s.held + int64(s.ghosts.len())*overheadOfGhost
	marks := 0
	for _, q := range []*queue{&s.small, &s.main} {
		n, bytes := 0, int64(0)
		for o := q.newest; o != nil; o = o.next {
			n++
			bytes += o.bytes.Load()
			if o.marks {
				marks++
			}
		}
		if n != q.len || bytes != q.bytes {
			t.Errorf("a queue has %d objects of %d bytes, and says %d of %d", n, bytes, q.len, q.bytes)
		}
		sum += bytes
	}
	if marks != s.marks {
		t.Errorf("%d marks are counted, there are %d", s.marks, marks)
	}
	if sum != s.used {
		t.Errorf("%d bytes are counted, there are %d", s.used, sum)
	}
	if s.used > max(s.limit, s.held) {
		t.Errorf("%d bytes are used of %d, %d of them by fills", s.used, s.limit, s.held)
	}
}

func same(t testing.TB, what string, got, want []byte) {
	t.Helper()
	if !bytes.Equal(got, want) {
		t.Errorf("%s: %d bytes, want %d: %s", what, len(got), len(want), firstDifference(got, want))
	}
}

func firstDifference(a, b []byte) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("they differ at %d", i)
		}
	}
	return "one is longer"
}
