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

const (
	// mostLast is of how many fragments of a page that is kept, and lastRoom the bytes that are counted
	// for each of them.
	mostLast, lastRoom = 64, 192

	// lastEvery is how often it is kept at most: who asks for pages pays nothing for it.
	lastEvery = time.Second
)

// lastOfMost is of how many fragments that is kept where the page is made of a program: templates
// within it include more than it does.
func lastOfMost(p *esi.Program) int { return min(4*p.Includes(), mostLast) }

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
	g.cache.KeepMade(e, &reading{program: p}, int64(p.Size()+lastRoom*lastOfMost(p)))
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
	all := x.assembled.fragments
	r.last.Store(&lastPage{x.Now, slices.Clone(all[:min(len(all), lastOfMost(r.program))])})
}
