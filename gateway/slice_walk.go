package gateway

import (
	"errors"
	"io"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/cache/store"
	"weirkeep/gateway/metrics"
	"weirkeep/gateway/origin"
)

// sliceWalk reads a body that is stored in slices, from one slice to the next: each from
// the store, or else from an origin. While one is read the next is asked for.
type sliceWalk struct {
	g     *Gateway
	x     *Exchange
	head  *store.Entry  // as it was found
	whole *cache.Stored // what it says

	at, to int64        // of the representation, what is still to be read
	n      int64        // the slice in hand
	slice  *store.Entry // the same; nil: none is
	reader store.Reader // of it
	opened bool         // reader is
	again  bool         // the slice in hand broke off and was taken once more
	ahead  *sliceFetch  // of the next one; nil: none was begun

	key  store.Key // of the slice that was named last
	room []byte    // for its parts
	seen []*store.Entry
}

// sliceError is why a slice could not be had.
type sliceError struct {
	reason Reason
	cause  error // nil: nothing more is known
}

// Error implements error.
func (e *sliceError) Error() string {
	if e.cause == nil {
		return reasonTable[e.reason].text
	}
	return e.cause.Error()
}

// Unwrap is the cause.
func (e *sliceError) Unwrap() error { return e.cause }

// errSliceGone means that the client has gone while it waited for a slice.
var errSliceGone = &sliceError{ClientGone, origin.ErrGone}

// open says what is read next, from one byte of the representation to before another, or to
// its end if that is negative.
func (w *sliceWalk) open(from, to int64) {
	w.shut()
	if w.at, w.to = from, to; to < 0 {
		w.to = w.whole.Slices.Size
	}
}

// next is the next bytes, good until it is called again. At the end it is io.EOF. A slice
// that breaks off is asked for once more, and read on from where it broke off.
func (w *sliceWalk) next() ([]byte, error) {
	for w.at < w.to {
		if err := w.reach(); err != nil {
			return nil, err
		}
		p, err := w.reader.Next(w.x)
		switch {
		case err == nil:
			w.at += int64(len(p))
			return p, nil
		case err != io.EOF && (w.again || !errors.Is(err, store.ErrCut)):
			return nil, err
		}
		w.shut()
		w.again, w.slice = err != io.EOF, nil
	}
	return nil, io.EOF
}

// reach opens the slice with the byte that is to be read next. What was written goes out
// before anybody waits.
func (w *sliceWalk) reach() error {
	if w.opened && w.slice.Body().Ready() {
		return nil
	}
	if err := w.x.w.Flush(); err != nil || w.opened {
		return err
	}
	of := w.whole.Slices
	if n := w.at / of.Each; w.slice == nil || w.n != n {
		if _, err := w.take(n); err != nil {
			return err
		}
	}
	span := of.Span(w.n)
	w.reader, w.opened = w.slice.Body().Reader(w.at-span.First, min(w.to-span.First, span.Len())), true
	w.askAhead(w.n + 1)
	return nil
}

func (w *sliceWalk) shut() {
	if w.opened {
		w.reader.Close()
		w.opened = false
	}
}

// take takes a slice in hand, and says how it was come by.
func (w *sliceWalk) take(n int64) (metrics.CacheOutcome, *sliceError) {
	if f := w.ahead; f != nil && f.n == n {
		w.ahead = nil
		if !f.wait(w.x) {
			return 0, errSliceGone
		}
		if f.slice != nil && w.suits(n, f.slice) {
			return metrics.CacheHit, w.have(n, f.slice)
		}
	}
	w.name(n)
	if e := w.look(n); e != nil {
		return metrics.CacheHit, w.have(n, e)
	}
	if w.x.cached.request.OnlyIfCached {
		return 0, &sliceError{reason: NotStored}
	}
	return w.obtain(n)
}

func (w *sliceWalk) have(n int64, e *store.Entry) *sliceError {
	w.n, w.slice = n, e
	w.x.site.cache.metrics.SlicesSent.Inc()
	return nil
}

// obtain gets a slice that is not stored: with others who want the same, or by itself.
func (w *sliceWalk) obtain(n int64) (metrics.CacheOutcome, *sliceError) {
	flight, leads := w.join()
	if !leads {
		e, outcome := flight.Wait(w.x, w.x.site.cache.wait)
		switch {
		case outcome == store.Gone:
			return 0, errSliceGone
		case outcome == store.Answered && w.suits(n, e):
			return metrics.CacheCollapsed, w.have(n, e)
		case outcome == store.Answered:
			e.Body().Decline()
			flight = w.g.cache.Alone(&w.key)
		case outcome != store.Leads:
			flight = w.g.cache.Alone(&w.key)
		}
	}
	if e := w.look(n); e != nil { // it came before the lead was ours
		flight.Leave()
		return metrics.CacheHit, w.have(n, e)
	}
	f := w.g.fetchSlice(w, n, flight)
	switch {
	case !f.wait(w.x):
		return 0, errSliceGone
	case f.err != nil:
		w.giveUp(f.err.cause)
		return 0, f.err
	}
	return metrics.CacheMiss, w.have(n, f.slice)
}

// giveUp forgets the version, if there is no slice of it any more: whoever comes next would
// begin with what is stored of it, and break off here. Where there are no slices at all nobody
// looks for them for a while.
func (w *sliceWalk) giveUp(why error) {
	if why == errSliceChanged || why == errSliceOther {
		w.g.cache.Remove(w.head)
	}
	if why == errSliceOther {
		w.g.markUnsliced(w.x)
	}
}

// join joins the fetch of the slice that was named last, or leads it.
func (w *sliceWalk) join() (f *store.Flight, leads bool) {
	of := w.x.site.cache
	if of.wait == 0 {
		return w.g.cache.Alone(&w.key), true
	}
	return w.g.cache.Fetch(&w.key, &w.x.cached.request, &of.policy)
}

// look looks for the slice that was named last, in memory and on the disk. However old it is,
// it is of the version that its name says.
func (w *sliceWalk) look(n int64) *store.Entry {
	r, p := &w.x.cached.request, &w.x.site.cache.policy
	e := w.g.cache.Lookup(&w.key, r, p).Entry
	if e == nil && w.g.tier.Recall(w.g.cache, &w.key, r, p, w.x.Now) {
		e = w.g.cache.Lookup(&w.key, r, p).Entry
	}
	if e == nil || !w.suits(n, e) {
		return nil
	}
	return e
}

// suits reports whether a slice may be sent to the client.
func (w *sliceWalk) suits(n int64, e *store.Entry) bool {
	s, r := e.Stored(), &w.x.cached.request
	return s.Length == w.whole.Slices.Span(n).Len() && s.Fits(r, &w.x.site.cache.policy) && (s.Authorized || !r.Authorization)
}

// askAhead begins to get the next slice, if it is going to be read and not in memory, where
// an origin has capacity to spare.
func (w *sliceWalk) askAhead(n int64) {
	if n*w.whole.Slices.Each >= w.to || w.ahead != nil || !w.x.hasSpare() || w.x.cached.request.OnlyIfCached {
		return
	}
	w.name(n)
	w.seen = w.g.cache.AppendFitting(w.seen[:0], &w.key, &w.x.cached.request, &w.x.site.cache.policy)
	if len(w.seen) == 0 {
		w.ahead = w.g.fetchSlice(w, n, nil)
	}
}

// name makes key the one of a slice.
func (w *sliceWalk) name(n int64) {
	w.key = w.x.cached.key
	w.room = w.whole.Slices.AppendName(append(w.room[:0], w.key.Parts...), n)
	w.key.Parts = w.room
}
