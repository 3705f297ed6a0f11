package gateway

import (
	"slices"
	"sync/atomic"
	"time"

	"weirkeep/gateway/cache/store"
	"weirkeep/gateway/esi"
)

// reading is a stored template as it was read, and is kept with its body.
type reading struct {
	program *esi.Program
	last    atomic.Pointer[lastPage] // that was made of it; nil: none was
}

// lastPage is how the fragments of a page were had.
type lastPage struct {
	at        time.Time // when its client has asked
	fragments []fragment
}

// lastEvery is how often that is kept at most: who asks for pages pays nothing for it.
const lastEvery = time.Second

// lastRoom is the bytes that the fragments of a page made of a program may take there: templates within it
// include more than it does.
func lastRoom(p *esi.Program) int { return 192 * min(4*p.Includes(), 64) }

// fitting is the first fragments that there is room for.
func fitting(all []fragment, room int) []fragment {
	const each = 120 // bytes of one, but for its texts
	for i := range all {
		u := &all[i].url
		if room -= each + len(u.Authority) + len(u.Target) + len(all[i].why); room < 0 {
			return all[:i]
		}
	}
	return all
}

// programIn is the program that is kept of a stored template; nil: it has not been read, or has
// gone.
func programIn(e *store.Entry) *esi.Program {
	if r, ok := e.Made().(*reading); ok {
		return r.program
	}
	return nil
}

// keepProgram keeps the program of a stored template.
func (g *Gateway) keepProgram(e *store.Entry, p *esi.Program) {
	g.cache.KeepMade(e, &reading{program: p}, int64(p.Size()+lastRoom(p)))
}

// lastOf is the last page that was made of a stored template; nil: none is known.
func lastOf(e *store.Entry) *lastPage {
	if r, ok := e.Made().(*reading); ok {
		return r.last.Load()
	}
	return nil
}

// keepLast keeps how the fragments of the page were had, for who explains it.
func (x *Exchange) keepLast() {
	if x.cached.entry == nil {
		return
	}
	r, ok := x.cached.entry.Made().(*reading)
	if !ok {
		return
	}
	if last := r.last.Load(); last != nil && x.Now.Sub(last.at) < lastEvery {
		return
	}
	r.last.Store(&lastPage{x.Now, slices.Clone(fitting(x.assembled.fragments, lastRoom(r.program)))})
}
