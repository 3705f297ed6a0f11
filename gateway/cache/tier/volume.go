package tier

import (
	"errors"
	"sync"
	"sync/atomic"

	"weirkeep/gateway/cache/disk"
	"weirkeep/gateway/cache/store"
)

// mostHeld is how many bytes of bodies may wait to be written: they are in memory, also
// when the cache has let them go. A longer one may, if it is alone.
const mostHeld = 32 << 20

// mostWaiting is how many answers may wait to be written.
const mostWaiting = 4096

// Volume is a folder with answers.
type Volume struct {
	path    string
	disk    *disk.Store
	size    atomic.Int64
	longest atomic.Int64
	counts  atomic.Pointer[counts] // of the tier
	tags    *tagIndex

	// work is held by who writes: the writer for one answer, a purge while it lasts. It is
	// taken before mu.
	work sync.Mutex

	mu      sync.Mutex
	ids     index                    // of what is on the disk, is true, and may be read
	pending map[disk.ID]*store.Entry // what is to be written; nil: deleted
	line    []disk.ID                // of what is pending, in order; some may not be any more
	held    int64                    // bytes of bodies that are pending
	entries int                      // of what is pending, to be written
	writing disk.ID                  // what the writer has in hand; zero: nothing
	closed  bool

	wake   chan struct{}
	writer sync.WaitGroup
}

// Open opens a folder, and makes it if there is none. All of its answers can be recalled
// when it returns. The error is for people, or what Options.Size is about.
func Open(path string, o Options) (*Volume, error) {
	d, err := disk.Open(path, disk.Options{Size: o.Size, Told: o.Told, FS: o.FS})
	if err != nil {
		return nil, err
	}
	v := &Volume{path: path, disk: d, tags: newTagIndex(), ids: make(index), pending: make(map[disk.ID]*store.Entry), wake: make(chan struct{}, 1)}
	v.counts.Store(new(counts))
	v.Resize(o.Size, o.Longest)
	err = d.All(func(i disk.Item) bool {
		v.ids.add(i.ID)
		v.tags.load(i.ID, i.Summary)
		return true
	})
	if err != nil {
		d.Close()
		return nil, err
	}
	v.writer.Go(v.write)
	return v, nil
}

// Path is that of the folder.
func (v *Volume) Path() string { return v.path }

// Resize sets Options.Size and Options.Longest anew.
func (v *Volume) Resize(size, longest int64) {
	if longest <= 0 || longest > size/8 {
		longest = size / 8
	}
	v.longest.Store(longest)
	if v.size.Swap(size) != size {
		v.disk.Resize(size)
	}
}

// Close writes what waits, and closes the folder.
func (v *Volume) Close() error {
	v.mu.Lock()
	v.closed = true
	v.mu.Unlock()
	v.nudge()
	v.writer.Wait()
	return v.disk.Close()
}

// Clear closes the folder and leaves nothing in it, since from now on nobody tells it of
// what is true no more.
func (v *Volume) Clear() error {
	v.mu.Lock()
	clear(v.pending)
	v.line, v.held, v.entries = nil, 0, 0
	v.ids = make(index)
	v.closed = true
	v.mu.Unlock()
	v.nudge()
	v.writer.Wait()
	return errors.Join(v.disk.Clear(), v.disk.Close())
}

// waiting is how many answers are still to be written, the one in hand among them.
func (v *Volume) waiting() int64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.writing != (disk.ID{}) {
		return int64(v.entries) + 1
	}
	return int64(v.entries)
}

func (v *Volume) nudge() {
	select {
	case v.wake <- struct{}{}:
	default: // it knows
	}
}
