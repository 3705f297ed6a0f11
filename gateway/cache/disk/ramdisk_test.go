package disk

import (
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"
)

// A ramDisk is a file system in memory that knows what a loss of power may take, and fails
// when it is told to.
type ramDisk struct {
	mu    sync.Mutex
	files map[string]*ramFile
	fail  func(op, name string) error // nil: nothing fails
	power bool                        // may be lost: what is not synced is noted
	gone  []*ramFile                  // that were removed since the folder was synced
}

func newRAMDisk() *ramDisk { return &ramDisk{files: make(map[string]*ramFile)} }

// A ramFile is a file. What was written since it was synced may be lost.
type ramFile struct {
	d       *ramDisk
	name    string
	b       []byte
	pending []pending
	durable []byte
}

// A pending change is of the file from a place on; cut says that the file ends there.
type pending struct {
	at  int64
	b   []byte
	cut bool
}

// ask says whether an operation fails. The caller holds the lock.
func (d *ramDisk) ask(op, name string) error {
	if d.fail == nil {
		return nil
	}
	if err := d.fail(op, filepath.Base(name)); err != nil {
		return &fs.PathError{Op: op, Path: name, Err: err}
	}
	return nil
}

func (d *ramDisk) OpenFile(name string, flag int, _ fs.FileMode) (File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	op := "open"
	if flag&os.O_CREATE != 0 {
		op = "create"
	}
	if err := d.ask(op, name); err != nil {
		return nil, err
	}
	f := d.files[name]
	switch {
	case filepath.Ext(name) == "":
		return &ramFile{d: d, name: name}, nil // the folder
	case f == nil && op == "open":
		return nil, &fs.PathError{Op: op, Path: name, Err: syscall.ENOENT}
	case f != nil && op == "create":
		return nil, &fs.PathError{Op: op, Path: name, Err: syscall.EEXIST}
	case f == nil:
		f = &ramFile{d: d, name: name}
		d.files[name] = f
	}
	return f, nil
}

func (d *ramDisk) ReadDir(name string) (all []fs.DirEntry, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for n, f := range d.files {
		all = append(all, fs.FileInfoToDirEntry(ramInfo{filepath.Base(n), int64(len(f.b)), 0o600}))
	}
	return all, d.ask("readdir", name)
}

func (d *ramDisk) Stat(name string) (fs.FileInfo, error) {
	return ramInfo{filepath.Base(name), 0, fs.ModeDir | 0o700}, nil
}

func (d *ramDisk) MkdirAll(string, fs.FileMode) error  { return nil }
func (d *ramDisk) Lock(name string) (io.Closer, error) { return io.NopCloser(nil), nil }

func (d *ramDisk) Remove(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.ask("remove", name); err != nil {
		return err
	}
	if f := d.files[name]; f != nil && d.power {
		d.gone = append(d.gone, f)
	}
	delete(d.files, name)
	return nil
}

// total is how long all files are together.
func (d *ramDisk) total() (n int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range d.files {
		n += int64(len(f.b))
	}
	return n
}

// copy is the disk as it is now: what a process that is killed leaves.
func (d *ramDisk) copy() *ramDisk {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := newRAMDisk()
	for name, f := range d.files {
		c.files[name] = &ramFile{d: c, name: name, b: append([]byte(nil), f.b...)}
	}
	return c
}

// powerLoss is what may be left of the disk if its power goes now: of each file what was
// synced, and any of what was written since; and any of the files that were made or removed
// since the folder was synced.
func (d *ramDisk) powerLoss(r *rand.Rand) *ramDisk {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := newRAMDisk()
	for name, f := range d.files {
		if f.durable != nil || r.IntN(4) > 0 {
			c.files[name] = f.powerLoss(c, r)
		}
	}
	for _, f := range d.gone {
		if r.IntN(2) > 0 {
			c.files[f.name] = f.powerLoss(c, r)
		}
	}
	return c
}

func (f *ramFile) powerLoss(c *ramDisk, r *rand.Rand) *ramFile {
	g := &ramFile{d: c, name: f.name, b: append([]byte(nil), f.durable...)}
	for _, p := range f.pending {
		if r.IntN(3) > 0 {
			g.change(p)
		}
	}
	return g
}

// change applies a change to the content.
func (f *ramFile) change(p pending) {
	if p.cut {
		f.b = append(f.b[:min(p.at, int64(len(f.b)))], make([]byte, max(0, p.at-int64(len(f.b))))...)
		return
	}
	end := int(p.at) + len(p.b)
	if end > cap(f.b) {
		f.b = slices.Grow(f.b, max(end, minSegment)-len(f.b))
	}
	f.b = f.b[:max(end, len(f.b))]
	copy(f.b[p.at:], p.b)
}

// note notes a change that may be lost.
func (f *ramFile) note(p pending) {
	if f.d.power {
		p.b = append([]byte(nil), p.b...)
		f.pending = append(f.pending, p)
	}
}

// errFlip is no error that is returned: a bit of what is read is another one.
var errFlip = errors.New("flip a bit")

func (f *ramFile) ReadAt(p []byte, at int64) (int, error) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	err := f.d.ask("read", f.name)
	if err != nil && !errors.Is(err, errFlip) {
		return 0, err
	}
	n := copy(p, f.b[min(at, int64(len(f.b))):])
	if err != nil && n > 0 {
		p[rand.IntN(n)] ^= 1 << rand.IntN(8)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// WriteAt writes a half of it and then fails, if it is to fail.
func (f *ramFile) WriteAt(p []byte, at int64) (int, error) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	err := f.d.ask("write", f.name)
	if err != nil {
		p = p[:len(p)/2]
	}
	c := pending{at: at, b: p}
	f.change(c)
	f.note(c)
	return len(p), err
}

func (f *ramFile) Truncate(size int64) error {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if err := f.d.ask("truncate", f.name); err != nil {
		return err
	}
	c := pending{at: size, cut: true}
	f.change(c)
	f.note(c)
	return nil
}

func (f *ramFile) Sync() error {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if err := f.d.ask("sync", f.name); err != nil {
		return err
	}
	if f.d.power {
		f.durable, f.pending = append(f.durable[:0], f.b...), nil
	}
	if filepath.Ext(f.name) == "" {
		f.d.gone = nil // it is the folder
	}
	return nil
}

func (f *ramFile) Close() error { return nil }

func (f *ramFile) Stat() (fs.FileInfo, error) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	return ramInfo{filepath.Base(f.name), int64(len(f.b)), 0o600}, f.d.ask("stat", f.name)
}

type ramInfo struct {
	name string
	size int64
	mode fs.FileMode
}

func (i ramInfo) Name() string       { return i.name }
func (i ramInfo) Size() int64        { return i.size }
func (i ramInfo) Mode() fs.FileMode  { return i.mode }
func (i ramInfo) ModTime() time.Time { return time.Time{} }
func (i ramInfo) IsDir() bool        { return i.mode.IsDir() }
func (i ramInfo) Sys() any           { return nil }
