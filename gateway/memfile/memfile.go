// Package memfile keeps bytes in a file that is memory, from where the kernel sends
// them to sockets without a copy through the process.
//
// A [File] has no name and no disk. [File.Keep] writes bytes to a place in it that was
// never used and never will be again, and returns a [Span]. A span is good for as long as
// somebody holds it, like any other value: when nobody does, the garbage collector has
// its pages let go. So who sends one needs no count of who else does, and nothing is ever
// written where something was: the kernel keeps pages of what is on its way to a client,
// not bytes, and would send what stands in them by then.
//
// What waits for the collector is memory, too, and memory that it does not see. So who has
// kept a span and has no use for it says so ([Span.Drop]): a file has the collector run when
// too much waits for it, and keeps nothing where it does not keep up.
//
// Where the system has no such files, or does not send from them, or would take a huge
// page for a small span, [New] says so.
//
// It knows nothing of what the bytes are.
package memfile

import (
	"errors"
	"io"
	"iter"
	"math"
	"os"
	"runtime"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// File is memory as a file. It is safe for concurrent use. It is closed when nobody has it
// or a span of it.
type File struct {
	file   *os.File
	fd     int
	each   int64        // where spans begin: at multiples of it
	end    atomic.Int64 // nothing was written from here on
	held   atomic.Int64 // bytes of pages
	litter litter
}

// Span is bytes of a file. They never change.
type Span struct {
	file    *File
	at, n   int64
	dropped *atomic.Bool
}

// Socket is what a span can be sent to.
type Socket interface {
	// SendFile sends n bytes of a file from one place on, and says how many it has.
	SendFile(fd int, at, n int64) (int64, error)
}

var (
	// errFull means that all places of a file have been used, which takes a century of a
	// thousand spans a second.
	errFull = errors.New("all places of the file have been used")

	// errLitter means that too much has been dropped and not yet let go.
	errLitter = errors.New("too much waits for the garbage collector")
)

// New makes an empty file, after it has tried whether it would serve.
func New() (*File, error) {
	fd, err := create()
	if err != nil {
		return nil, err
	}
	f := &File{file: os.NewFile(uintptr(fd), "memfile"), fd: fd, each: hugePage(int64(os.Getpagesize()))}
	if err := f.try(); err != nil {
		f.file.Close()
		return nil, err
	}
	f.end.Store(f.each) // behind what was tried
	return f, nil
}

// hugePage is how long the largest page is that the kernel may give a file instead of many
// small ones. No two spans share one: to let go of a part of a page is to clear it, and it
// may be on its way to a client.
func hugePage(page int64) int64 { return page * (page / 8) }

// Keep writes pieces that are n bytes together. The pieces are the caller's.
func (f *File) Keep(n int64, pieces iter.Seq[[]byte]) (*Span, error) {
	if f.litter.bytes.Load() > 2*f.mostLitter() {
		return nil, errLitter
	}
	at := f.end.Add(f.places(n)) - f.places(n)
	if at > math.MaxInt64/2 {
		return nil, errFull
	}
	f.held.Add(pages(n))
	s := &Span{file: f, at: at, n: n, dropped: new(atomic.Bool)}
	runtime.AddCleanup(s, f.letGo, extent{at, pages(n), s.dropped})
	for p := range pieces {
		if _, err := f.file.WriteAt(p, at); err != nil {
			return nil, err
		}
		at += int64(len(p))
	}
	if at != s.at+n {
		return nil, io.ErrUnexpectedEOF
	}
	return s, nil
}

// places is how much of the file's length n bytes take.
func (f *File) places(n int64) int64 { return (n + f.each - 1) / f.each * f.each }

// extent is where a span was.
type extent struct {
	at, len int64
	dropped *atomic.Bool
}

// letGo gives the pages of a span back. Those that are on their way to a client stay until they
// are out.
func (f *File) letGo(e extent) {
	if unix.Fallocate(f.fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, e.at, e.len) == nil {
		f.held.Add(-e.len)
		if e.dropped.Load() {
			f.litter.remove(e.len)
		}
	}
	runtime.KeepAlive(f)
}

// pages is how many bytes the pages have that n bytes lie in.
func pages(n int64) int64 {
	page := int64(os.Getpagesize())
	return (n + page - 1) / page * page
}

// Held is how many bytes of memory the file has.
func (f *File) Held() int64 { return f.held.Load() }

// Len is how many bytes there are.
func (s *Span) Len() int64 { return s.n }

// ReadAt implements io.ReaderAt.
func (s *Span) ReadAt(p []byte, from int64) (n int, err error) {
	if from >= s.n {
		return 0, io.EOF
	}
	if rest := s.n - from; int64(len(p)) > rest {
		p, err = p[:rest], io.EOF
	}
	n, failed := s.file.file.ReadAt(p, s.at+from)
	runtime.KeepAlive(s)
	if failed != nil {
		err = failed
	}
	return n, err
}

// SendTo sends the n bytes from one on to a socket, and says how many it has sent.
func (s *Span) SendTo(c Socket, from, n int64) (int64, error) {
	n, err := c.SendFile(s.file.fd, s.at+from, min(n, s.n-from))
	runtime.KeepAlive(s)
	return n, err
}
