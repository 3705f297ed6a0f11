package wazero

import (
	"github.com/tetratelabs/wazero/experimental"
	"golang.org/x/sys/unix"
)

// reserved is a linear memory: address space for all it may ever be, of which
// the begin can be used. Growing is one system call, without copying, and the
// memory stays where it is. Pages cost nothing until they are touched, the Go
// heap knows nothing of them, and the rest cannot be read: an access that a
// bounds check lets through by mistake ends the process instead of reading
// another guest.
type reserved struct {
	all  []byte
	used uint64
}

// reserve maps address space for a memory of at most max bytes, as wazero asks
// for it. Where there is none the memory is one that cannot have a page; for a
// module that needs one wazero panics then, which [instantiate] catches.
func (r *reserved) reserve(_, max uint64) experimental.LinearMemory {
	if max == 0 {
		return r
	}
	all, err := unix.Mmap(-1, 0, int(max), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err == nil {
		r.all = all
	}
	return r
}

// Reallocate makes the first size bytes usable, and returns them; nil if the
// system has no memory. What was usable stays so.
func (r *reserved) Reallocate(size uint64) []byte {
	if size > uint64(len(r.all)) {
		return nil
	}
	if size > r.used {
		if unix.Mprotect(r.all[r.used:size], unix.PROT_READ|unix.PROT_WRITE) != nil {
			return nil
		}
		r.used = size
	}
	return r.all[:size:size]
}

// Free gives all of it back.
func (r *reserved) Free() {
	if r.all != nil {
		_ = unix.Munmap(r.all) // it was mapped whole, so it is unmapped whole
	}
	*r = reserved{}
}
