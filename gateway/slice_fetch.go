package gateway

import (
	"bytes"
	"fmt"
	"time"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/cache/store"
)

// sliceFetch gets one slice from the disk or from an origin, by an exchange without a
// client: what is fetched is stored also if the one who has asked goes.
type sliceFetch struct {
	g     *Gateway
	x     *Exchange // that asks for it
	whole *cache.Stored
	n     int64
	key   store.Key

	done  chan struct{} // closed when what follows is set
	slice *store.Entry  // may still be filled; nil: there is none
	err   *sliceError   // why; nil: somebody else gets it
}

// fetchSlice begins to get the slice that the walk has named, for all who wait for the
// flight. nil: for the walk alone, ahead of its need, unless somebody else does.
func (g *Gateway) fetchSlice(w *sliceWalk, n int64, flight *store.Flight) *sliceFetch {
	x := g.cloneAsking(w.x)
	c := &x.cached
	c.asking, c.flight = askSlice, flight
	c.request.Range = w.whole.Slices.AppendRange(nil, n)
	f := &sliceFetch{g: g, x: x, whole: w.whole, n: n, key: c.key, done: make(chan struct{})}
	f.key.Parts = bytes.Clone(w.key.Parts)
	g.fills.Go(f.run)
	return f
}

// sliceLook is how often is looked whether the client is still there that waits.
const sliceLook = 100 * time.Millisecond

// wait waits for the outcome, and reports whether the client has, too.
func (f *sliceFetch) wait(x *Exchange) bool {
	look := time.NewTicker(sliceLook)
	defer look.Stop()
	for {
		select {
		case <-f.done:
			return true
		case <-look.C:
			if x.Gone() {
				return false
			}
		}
	}
}

// run gets the slice. A fault of ours costs the slice and no more.
func (f *sliceFetch) run() {
	x := f.x
	defer close(f.done)
	defer func() {
		fault := recover()
		if fault != nil {
			f.slice, f.err = nil, &sliceError{Panicked, fmt.Errorf("%v", fault)}
		}
		f.g.endClientless(x, fault)
	}()
	if x.cached.flight == nil && !f.lead() {
		return
	}
	if reason := f.g.obtain(x); reason != Served {
		f.err = &sliceError{reason, x.cause}
		return
	}
	f.keep()
}

// lead looks on the disk, and leads the fetch of what is not there, unless somebody does.
func (f *sliceFetch) lead() bool {
	c, p := &f.x.cached, &f.x.site.cache.policy
	if !f.g.tier.Recall(f.g.cache, &f.key, &c.request, p, f.x.Now) {
		c.flight = f.g.cache.Lead(&f.key, &c.request, p)
	}
	if f.slice = f.g.cache.Lookup(&f.key, &c.request, p).Entry; f.slice != nil {
		f.x.leaveFlight()
	}
	return c.flight != nil
}

// keep looks at what the origin has answered.
func (f *sliceFetch) keep() {
	x := f.x
	if x.changedSides() || !x.chosenAs() {
		f.refuse(errSliceStatus) // it is no answer to what was asked
		return
	}
	a := x.answerToKeep(f.g)
	whole := a
	whole.Status = f.whole.Status // to rules a slice is what it is a part of
	slice, why, is := x.site.cache.policy.Slice(f.whole, f.n, &x.cached.request, &a, x.override(&whole))
	switch {
	case is == cache.PieceWanted:
		f.store(slice, why)
	case is == cache.PieceChanged:
		f.refuse(errSliceChanged)
	case a.Status >= 500:
		f.refuse(errSliceStatus)
	default:
		f.refuse(errSliceOther)
	}
}

// store stores the slice. One that must not be stored, or finds no room, is for those
// alone who have asked for it.
func (f *sliceFetch) store(slice *cache.Stored, why cache.Refusal) {
	x, c := f.x, &f.x.cached
	x.site.cache.metrics.SlicesFetched.Inc()
	var fill *store.Fill
	if why == 0 {
		fill = c.flight.Store(slice, nil)
		c.flight = nil
	}
	if fill == nil {
		x.passFlight(0)
		fill = f.g.cache.Loose(&f.key, slice)
	}
	f.g.fill(x, fill, nil)
	f.slice = fill.Entry()
}

// refuse gives up an answer that is no slice of the version.
func (f *sliceFetch) refuse(why error) {
	f.g.dropAnswer(f.x)
	f.err = &sliceError{AnswerCut, why}
}
