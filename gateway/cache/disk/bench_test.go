package disk

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
	"time"
)

// fill writes n small objects, such as a million of which are 0.9 GB, and closes the store.
func fill(t testing.TB, dir string, n int) {
	t.Helper()
	s := open(t, dir, bigOptions)
	meta, body := bodyOf(1, 1, 400), bodyOf(2, 2, 300)
	for i := range uint64(n) {
		summary := fmt.Appendf(nil, "shop.example https /products/%020d?colour=green tag:product tag:shop", i)
		w, err := s.Create(hashID(i), Label{Summary: summary, Meta: meta}, int64(len(body)))
		if err != nil {
			t.Fatal(err)
		}
		w.Write(body)
		if err := w.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

var bigOptions = Options{Size: 4 << 30}

// hashID is an id as a hash would be.
func hashID(n uint64) (id ID) {
	r := rand.NewPCG(n, 1)
	binary.LittleEndian.PutUint64(id[:], r.Uint64())
	binary.LittleEndian.PutUint64(id[8:], r.Uint64())
	return id
}

// load opens a folder and has all objects told. It returns how long that took.
func load(t testing.TB, dir string, n int) time.Duration {
	t.Helper()
	began, cpu := time.Now(), processor()
	s, err := Open(dir, bigOptions)
	if err != nil {
		t.Fatal(err)
	}
	opened := time.Since(began)
	told := 0
	if err := s.All(func(Item) bool { told++; return true }); err != nil || told != n {
		t.Fatalf("told of %d objects, want %d: %v", told, n, err)
	}
	took := time.Since(began)
	t.Logf("%d objects: open after %v, told after %v, with %v of processor", n, opened, took, processor()-cpu)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return took
}

// processor is the processor time that this process has used.
func processor() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkOpen has a budget of 2 s for a million objects: the index is back and All has
// told of each.
func BenchmarkOpen(b *testing.B) {
	const n = 1_000_000
	dir := folder(b)
	fill(b, dir, n)
	b.ResetTimer()
	for b.Loop() {
		load(b, dir, n)
	}
}

// BenchmarkOpenAfterKill is BenchmarkOpen for a process that was killed: the last segment
// has no list, and is read from front to end.
func BenchmarkOpenAfterKill(b *testing.B) {
	const n = 1_000_000
	dir := folder(b)
	fill(b, dir, n)
	b.ResetTimer()
	for b.Loop() {
		b.StopTimer()
		cutLast(b, dir)
		b.StartTimer()
		load(b, dir, n)
	}
}

// cutLast takes the list from the last segment.
func cutLast(t testing.TB, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	name := dir + "/" + entries[len(entries)-2].Name() // the last one is the lock
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, info.Size()-tailSize); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkPut has a budget of 10 µs for an object of 2 KB, on one core.
func BenchmarkPut(b *testing.B) {
	for _, size := range []int{2 << 10, 64 << 10, 1 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			s := open(b, folder(b), Options{Size: 1 << 30})
			body, label := bodyOf(1, 1, size), labelOf(1, 1, size)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			n := uint64(0)
			for b.Loop() {
				n++
				w, err := s.Create(idOf(n), label, int64(size))
				if err != nil {
					b.Fatal(err)
				}
				w.Write(body)
				if err := w.Commit(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRead has a budget of 10 µs for an object of 2 KB that the page cache has: one
// Open, one ReadAt, one Close.
func BenchmarkRead(b *testing.B) {
	for _, size := range []int{2 << 10, 64 << 10, 1 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			s := open(b, folder(b), Options{Size: 1 << 30})
			for n := range uint64(64) {
				mustPut(b, s, n, 1, size)
			}
			p := make([]byte, size)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			n := uint64(0)
			for b.Loop() {
				n++
				o, err := s.Open(idOf(n % 64))
				if err != nil {
					b.Fatal(err)
				}
				if _, err := o.ReadAt(p, 0); err != nil && err != io.EOF {
					b.Fatal(err)
				}
				o.Close()
			}
		})
	}
}
