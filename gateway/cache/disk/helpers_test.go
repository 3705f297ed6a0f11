package disk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// options are those of most tests: eight segments of a megabyte.
func options() Options { return Options{Size: MinSize} }

// open opens a folder until the test ends.
func open(t testing.TB, dir string, o Options) *Store {
	t.Helper()
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// folder is one that is not there yet.
func folder(t testing.TB) string { return filepath.Join(t.TempDir(), "cache") }

// idOf is the id of the object of that number.
func idOf(n uint64) (id ID) {
	binary.LittleEndian.PutUint64(id[:], n)
	return id
}

// bodyOf is what an object has when it was written for the version-th time: a part of
// noise, in which no two places look alike, so that a byte at the wrong place is seen. It
// is not to be changed.
func bodyOf(n, version uint64, length int) []byte {
	at := rand.New(rand.NewPCG(n, version)).IntN(len(noise()) - length)
	return noise()[at:][:length:length]
}

var noise = sync.OnceValue(func() []byte {
	b := make([]byte, 12<<20)
	rand.NewChaCha8([32]byte{7}).Read(b)
	return b
})

// labelOf says all that is needed to check an object.
func labelOf(n, version uint64, length int) Label {
	return Label{
		Flags:   uint32(version),
		Summary: fmt.Appendf(nil, "%d %d %d", n, version, length),
		Meta:    bodyOf(n, ^version, 10+int(n%300)),
	}
}

// put writes an object.
func put(s *Store, n, version uint64, length int) error {
	return putSaid(s, n, version, length, int64(length))
}

// putSaid writes an object whose length was said to be that.
func putSaid(s *Store, n, version uint64, length int, said int64) error {
	w, err := s.Create(idOf(n), labelOf(n, version, length), said)
	if err != nil {
		return err
	}
	defer w.Abort()
	if _, err := w.Write(bodyOf(n, version, length)); err != nil {
		return err
	}
	return w.Commit()
}

// mustPut is put in a test where that has to work.
func mustPut(t testing.TB, s *Store, n, version uint64, length int) {
	t.Helper()
	if err := put(s, n, version, length); err != nil {
		t.Fatalf("object %d of %d bytes: %v", n, length, err)
	}
}

// A version that get found: none is a miss.
const none = ^uint64(0)

// get reads an object and returns which version of it is there. The error is of content
// that no version has; what the disk says is a miss.
func get(s *Store, n uint64) (version uint64, err error) {
	o, err := s.Open(idOf(n))
	if err != nil {
		return none, nil
	}
	defer o.Close()
	b := make([]byte, o.Length())
	if m, err := o.ReadAt(b, 0); err != nil && err != io.EOF {
		return none, prefixOf(o, b[:m])
	}
	return check(o, n, b)
}

// prefixOf reports an error if b is not how the body of o begins.
func prefixOf(o *Object, b []byte) error {
	n, version, length, err := parseSummary(o.Label().Summary)
	if err == nil && !bytes.HasPrefix(bodyOf(n, version, length), b) {
		return fmt.Errorf("object %d, version %d: wrong bytes before an error", n, version)
	}
	return err
}

func parseSummary(b []byte) (n, version uint64, length int, err error) {
	_, err = fmt.Sscanf(string(b), "%d %d %d", &n, &version, &length)
	return n, version, length, err
}

// check compares an object with what its summary says that it is.
func check(o *Object, n uint64, body []byte) (version uint64, err error) {
	m, version, length, err := parseSummary(o.Label().Summary)
	switch {
	case err != nil:
		return none, fmt.Errorf("object %d: summary %q: %v", n, o.Label().Summary, err)
	case m != n:
		return none, fmt.Errorf("object %d: it is object %d", n, m)
	case !bytes.Equal(o.Label().Meta, labelOf(n, version, length).Meta):
		return none, fmt.Errorf("object %d, version %d: wrong meta", n, version)
	case !bytes.Equal(body, bodyOf(n, version, length)):
		return none, fmt.Errorf("object %d, version %d: wrong body of %d bytes, want %d", n, version, len(body), length)
	}
	return version, nil
}

// expect fails the test unless that version of an object is there.
func expect(t testing.TB, s *Store, n, version uint64) {
	t.Helper()
	got, err := get(s, n)
	if err != nil {
		t.Fatal(err)
	}
	if got != version {
		t.Fatalf("object %d: version %d is there, want %d", n, int64(got), int64(version))
	}
}

// until waits for something that happens in the background.
func until(t testing.TB, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !so(); {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
		time.Sleep(time.Millisecond)
	}
}

// expectError fails the test unless an error is that one.
func expectError(t testing.TB, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Fatalf("error %v, want %v", got, want)
	}
}
