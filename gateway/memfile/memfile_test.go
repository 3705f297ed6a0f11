package memfile

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func newFile(t *testing.T) *File {
	t.Helper()
	f, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// noise is bytes that look like no others of another seed.
func noise(seed byte, n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{seed}).Read(b)
	return b
}

// keep keeps bytes, in pieces of some length.
func keep(t *testing.T, f *File, p []byte) *Span {
	t.Helper()
	s, err := f.Keep(int64(len(p)), slices.Chunk(p, 10_000))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// untilLetGo collects garbage until a file has so many bytes.
func untilLetGo(t *testing.T, f *File, n int64) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); f.Held() != n; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("the file has %d bytes, want %d", f.Held(), n)
		}
		runtime.GC()
	}
}

// raw sends with the system's call alone, what the socket takes.
type raw struct{ c *net.TCPConn }

func (r raw) SendFile(fd int, at, n int64) (sent int64, err error) {
	c, err := r.c.SyscallConn()
	if err != nil {
		return 0, err
	}
	c.Write(func(socket uintptr) bool {
		k, failed := unix.Sendfile(int(socket), fd, &at, int(n))
		sent, err = int64(k), failed
		return true
	})
	return sent, err
}

// pair are the two ends of a TCP connection; one end reads into little room.
func pair(t *testing.T) (ours, theirs *net.TCPConn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	a, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	b, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close(); b.Close() })
	a.(*net.TCPConn).SetReadBuffer(4096)
	return b.(*net.TCPConn), a.(*net.TCPConn)
}

func TestSpansAreReadAsTheyWereKept(t *testing.T) {
	f, page := newFile(t), os.Getpagesize()
	for _, size := range []int{0, 1, page - 1, page, page + 1, 100_000, 3 << 20} {
		want := noise(byte(size), size)
		s := keep(t, f, want)
		if s.Len() != int64(size) {
			t.Errorf("%d bytes: Len() = %d", size, s.Len())
		}
		for _, from := range []int{0, 1, size / 2, size - 1, size, size + 1} {
			if from < 0 {
				continue
			}
			got, err := io.ReadAll(io.NewSectionReader(s, int64(from), int64(size)+9))
			if rest := want[min(from, size):]; !bytes.Equal(got, rest) || err != nil {
				t.Errorf("%d bytes from %d on: %d others, %v", size, from, len(got), err)
			}
		}
	}
}

func TestPiecesMustBeAsLongAsWasSaid(t *testing.T) {
	f := newFile(t)
	for _, n := range []int64{0, 99, 101} {
		if s, err := f.Keep(n, slices.Chunk(make([]byte, 100), 10)); err == nil {
			t.Errorf("100 bytes are kept as %d: %v", n, s)
		}
	}
	untilLetGo(t, f, 0)
}

// What nobody has any more costs no memory, and what somebody has stays.
func TestWhatNobodyHasIsLetGo(t *testing.T) {
	f := newFile(t)
	want := noise(1, 100_000)
	kept := keep(t, f, want)
	for range 50 {
		keep(t, f, noise(2, 70_000))
	}
	untilLetGo(t, f, pages(100_000))
	var st unix.Stat_t
	if err := unix.Fstat(f.fd, &st); err != nil || st.Blocks*512 != pages(100_000) {
		t.Errorf("the file has %d bytes of memory, %v; want %d", st.Blocks*512, err, pages(100_000))
	}
	got := make([]byte, len(want))
	if _, err := kept.ReadAt(got, 0); err != nil || !bytes.Equal(got, want) {
		t.Errorf("what is held has changed, %v", err)
	}
}

// What was dropped is let go before it is much, though the collector sees nothing of it and
// nothing comes to the heap.
func TestLitterIsBounded(t *testing.T) {
	f, bytes := newFile(t), make([]byte, 1<<20)
	var used []*Span
	for range 32 {
		used = append(used, keep(t, f, bytes))
	}
	refused := 0
	for range 2000 {
		s, err := f.Keep(1<<20, slices.Values([][]byte{bytes}))
		switch {
		case err == errLitter:
			refused++
			runtime.Gosched()
			continue
		case err != nil:
			t.Fatal(err)
		}
		s.Drop()
		s.Drop() // says nothing new
		if most := 32<<20 + 2*f.mostLitter() + 2<<20; f.Held() > most {
			t.Fatalf("the file has %d bytes, want no more than %d", f.Held(), most)
		}
	}
	if refused == 2000 {
		t.Error("all was refused")
	}
	runtime.KeepAlive(used)
}

// The collector costs what the heap is long, so beside a long one there may be more litter.
func TestLitterIsCollectedAtThePriceOfTheHeap(t *testing.T) {
	f, heap, bytes := newFile(t), make([]byte, 400<<20), make([]byte, 1<<20)
	f.collect()
	for end := time.Now().Add(30 * time.Second); f.litter.collecting.Load() || f.litter.heap.Load() < int64(len(heap)); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("the heap is %d bytes", f.litter.heap.Load())
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 150 {
		keep(t, f, bytes).Drop()
	}
	if runtime.ReadMemStats(&after); after.NumForcedGC != before.NumForcedGC {
		t.Errorf("150 MiB of litter beside 400 MiB were collected %d times", after.NumForcedGC-before.NumForcedGC)
	}
	runtime.KeepAlive(heap)
}

// What was dropped and is still sent costs no collection each time that something else is.
func TestLitterThatStaysIsCollectedOnce(t *testing.T) {
	f, small := newFile(t), make([]byte, 1)
	sent := keep(t, f, make([]byte, slack+1))
	sent.Drop()
	settled := func() bool { return !f.litter.collecting.Load() && f.litter.left.Load() == pages(slack+1) }
	for end := time.Now().Add(30 * time.Second); !settled(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("%d bytes are left, want %d", f.litter.left.Load(), pages(slack+1))
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 1000 {
		keep(t, f, small).Drop()
	}
	if runtime.ReadMemStats(&after); after.NumForcedGC != before.NumForcedGC {
		t.Errorf("it was collected %d times more", after.NumForcedGC-before.NumForcedGC)
	}
	runtime.KeepAlive(sent)
}

// Where much that was dropped is still sent nothing more is kept, until it is not.
func TestNothingIsKeptAboveTheLitter(t *testing.T) {
	f := newFile(t)
	sent := keep(t, f, make([]byte, 4*slack))
	sent.Drop()
	if _, err := f.Keep(1, slices.Values([][]byte{{1}})); err != errLitter {
		t.Errorf("Keep() = %v, want %v", err, errLitter)
	}
	runtime.KeepAlive(sent)
	untilLetGo(t, f, 0)
	keep(t, f, []byte("more"))
}

// What is on its way to a client is what was sent, though it was let go since, and other
// spans have come.
func TestWhatIsOnItsWayIsNeverWrittenOver(t *testing.T) {
	f := newFile(t)
	type sending struct {
		to   *net.TCPConn
		want []byte
	}
	var all []sending
	for i := range byte(8) {
		ours, theirs := pair(t)
		want := noise(i, 20_000+10_001*int(i))
		n, err := keep(t, f, want).SendTo(raw{ours}, 1, int64(len(want)))
		if err != nil {
			t.Fatal(err)
		}
		ours.Close()
		all = append(all, sending{theirs, want[1 : 1+n]})
	}
	untilLetGo(t, f, 0)
	for i := range byte(20) {
		keep(t, f, noise(100+i, 100_000))
	}
	for i, s := range all {
		if got, err := io.ReadAll(s.to); err != nil || !bytes.Equal(got, s.want) {
			t.Errorf("span %d: %d other bytes arrived, %v; want %d", i, len(got), err, len(s.want))
		}
	}
}

// To let go of a part of a page clears it, so spans never share one, however large the
// kernel makes it.
func TestSpansShareNoPage(t *testing.T) {
	for page, huge := range map[int64]int64{4 << 10: 2 << 20, 16 << 10: 32 << 20, 64 << 10: 512 << 20} {
		if got := hugePage(page); got != huge {
			t.Errorf("a huge page of pages of %d bytes is %d, want %d", page, got, huge)
		}
	}
	f := newFile(t)
	end := int64(0)
	for _, size := range []int{1, 70_000, int(f.each), int(f.each) + 1, 0, 5} {
		s := keep(t, f, make([]byte, size))
		if s.at%f.each != 0 || s.at < end {
			t.Errorf("%d bytes are at %d, want a multiple of %d from %d on", size, s.at, f.each, end)
		}
		end = s.at + int64(size)
	}
}

func TestAFileThatIsFullKeepsNothing(t *testing.T) {
	f := newFile(t)
	f.end.Store(1<<62 - f.each)
	keep(t, f, []byte("the last"))
	for range 2 {
		if _, err := f.Keep(1, slices.Values([][]byte{{1}})); !errors.Is(err, errFull) {
			t.Errorf("Keep() = %v, want %v", err, errFull)
		}
	}
}

func TestHugePagesAreRefused(t *testing.T) {
	for _, tt := range []struct {
		file, text string
		refused    bool
	}{
		{"shmem_enabled", "always within_size advise [never] deny force", false},
		{"shmem_enabled", "always within_size [advise] never deny force", false},
		{"shmem_enabled", "[always] within_size advise never deny force", true},
		{"shmem_enabled", "always [within_size] advise never deny force", true},
		{"shmem_enabled", "always within_size advise never deny [force]", true},
		{"hugepages-64kB/shmem_enabled", "always [inherit] within_size advise never", false},
		{"hugepages-64kB/shmem_enabled", "[always] inherit within_size advise never", true},
		{"enabled", "[always] madvise never", false},
	} {
		root := t.TempDir()
		name := filepath.Join(root, tt.file)
		os.MkdirAll(filepath.Dir(name), 0o755)
		if err := os.WriteFile(name, []byte(tt.text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := smallPages(root); (err != nil) != tt.refused {
			t.Errorf("%s is %q: %v, want refused %v", tt.file, tt.text, err, tt.refused)
		}
	}
	if err := smallPages(filepath.Join(t.TempDir(), "none")); err != nil {
		t.Errorf("where there is no such setting: %v", err)
	}
}

// Many keep, read and drop spans at once: none has a byte of another.
func TestHammerSpans(t *testing.T) {
	f := newFile(t)
	var all sync.WaitGroup
	for w := range byte(8) {
		all.Go(func() {
			var last *Span
			for i := range byte(40) {
				want := noise(w^i, 1+int(i)*1_999)
				s, err := f.Keep(int64(len(want)), slices.Chunk(want, 7_000))
				if err != nil {
					t.Error(err)
					return
				}
				if i%8 == 0 {
					runtime.GC()
				}
				got := make([]byte, len(want))
				if _, err := s.ReadAt(got, 0); err != nil || !bytes.Equal(got, want) {
					t.Errorf("worker %d, span %d: other bytes, %v", w, i, err)
				}
				last = s
			}
			runtime.KeepAlive(last)
		})
	}
	all.Wait()
	untilLetGo(t, f, 0)
}

// Budget: reading and sending cost no allocation.
func TestReadAllocs(t *testing.T) {
	s := keep(t, newFile(t), make([]byte, 100_000))
	p := make([]byte, 1000)
	if n := testing.AllocsPerRun(100, func() { s.ReadAt(p, 50_000); s.SendTo(nowhere{}, 0, 10) }); n != 0 {
		t.Errorf("reading and sending allocate %v times, want 0", n)
	}
}

// nowhere takes all.
type nowhere struct{}

func (nowhere) SendFile(fd int, at, n int64) (int64, error) { return n, nil }
