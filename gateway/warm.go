package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"weirkeep/gateway/cache/store"
	"weirkeep/gateway/metrics"
)

// Warmed is what became of a URL that was to be stored.
type Warmed struct {
	URL    string `json:"url"`
	Done   string `json:"done"`             // fetched, fresh or stale (it was stored already), or failed
	Status int    `json:"status,omitempty"` // of the answer
	Length int64  `json:"length,omitempty"` // of its body, in bytes
	TTL    int64  `json:"ttl,omitempty"`    // seconds for which it is fresh
	Why    string `json:"why,omitempty"`    // it failed, or is stale
}

// warmAtOnce is how many URLs are fetched at the same time.
const warmAtOnce = 8

// WarmStored asks for URLs, with header fields, as clients would, to have the answers
// stored. What is stored and fresh is not fetched. The result is in the order of the URLs;
// what has not begun when ctx is done has failed.
func (g *Gateway) WarmStored(ctx context.Context, urls, fields []string) ([]Warmed, error) {
	snap, _, err := g.hold()
	if err != nil {
		return nil, err
	}
	defer snap.release()
	if snap.stored.Memory == 0 {
		return nil, ErrNoCache
	}
	all := make([]Warmed, len(urls))
	room := make(chan struct{}, warmAtOnce)
	var running sync.WaitGroup
	for i, url := range urls {
		room <- struct{}{}
		running.Go(func() {
			defer func() { <-room }()
			all[i] = g.warmOne(ctx, snap, url, fields)
		})
	}
	running.Wait()
	return all, nil
}

func (g *Gateway) warmOne(ctx context.Context, snap *snapshot, url string, fields []string) Warmed {
	w := Warmed{URL: url, Done: "failed"}
	err := ctx.Err()
	if err == nil {
		err = g.warm(ctx, snap, &w, fields)
	}
	if err != nil {
		w.Done, w.Why = "failed", err.Error()
	}
	return w
}

// warm walks an exchange without a client to the store, and waits until all of the answer
// is there.
func (g *Gateway) warm(ctx context.Context, snap *snapshot, w *Warmed, fields []string) (err error) {
	x, err := snap.requestFor(g, w.URL, fields)
	if err != nil {
		return err
	}
	snap.users.Add(1)
	defer func() {
		fault := recover()
		if fault != nil {
			err = errors.New("this is a bug of weirkeep; the log has more")
		}
		g.endClientless(x, fault)
	}()
	if err := g.walkToStore(x); err != nil {
		return err
	}
	e := x.cached.entry
	w.Done, w.Why = x.warmedBy()
	if err := readAll(ctx, e.Body()); err != nil {
		return err
	}
	w.Status, w.TTL = e.Stored().Status, wholeSeconds(e.Stored().TTLAt(g.now(time.Now())))
	if w.Length, _ = e.Body().Size(); e.Stored().Sliced() {
		w.Length, w.Why = e.Stored().Slices.Size, "it is stored in slices, which are fetched when they are asked for"
	}
	return nil
}

// warmedBy says how it has come that an answer is stored, and why, if that is no matter of course.
func (x *Exchange) warmedBy() (done, why string) {
	switch c := &x.cached; {
	case c.outcome == metrics.CacheHit:
		return "fresh", ""
	case c.outcome == metrics.CacheStale && c.status.Hit:
		return "stale", "it may be used stale while it is asked for anew, which has begun"
	case c.outcome == metrics.CacheStale:
		return "stale", "it could not be asked for anew: " + c.status.Detail
	}
	return "fetched", ""
}

// walkToStore is the walk of an exchange whose answer nobody gets: x.cached.entry is what
// is stored afterwards.
func (g *Gateway) walkToStore(x *Exchange) error {
	reason := g.decide(x)
	if reason == Served {
		reason = g.walkToLookup(x)
	}
	if reason == Served && x.cached.entry == nil {
		if x.site.cache == nil {
			return fmt.Errorf("it is of site %s, which has no cache", x.site.name)
		}
		if reason = g.keep(x, g.obtain(x)); reason == Served && x.cached.entry == nil {
			return g.notStored(x)
		}
	}
	switch {
	case reason == Served:
		return nil
	case x.causeText() != "":
		return fmt.Errorf("%v: %s", reason, x.causeText())
	}
	return fmt.Errorf("%v: %s", reason, reasonTable[reason].text)
}

// walkToLookup is the walk of an exchange of our own from the decision to where it is known what is
// stored.
func (g *Gateway) walkToLookup(x *Exchange) Reason {
	if len(x.site.filters) > 0 {
		if reason := g.filterRequest(x); reason != Served {
			return reason
		}
	}
	return g.lookup(x)
}

// notStored ends a trip whose answer is not stored, and says why that is.
func (g *Gateway) notStored(x *Exchange) error {
	code, why := x.trip.Status.Code, x.cached.refusal
	x.trip.End(false)
	x.conclude(Served)
	if why == 0 {
		return fmt.Errorf("answered %d, and not stored: %s", code, x.whyPassed())
	}
	return fmt.Errorf("answered %d, and not stored: %s", code, why.Sentence())
}

// readAll waits until all of a body is here.
func readAll(ctx context.Context, b *store.Body) error {
	r := b.Reader(0, -1)
	defer r.Close()
	for {
		switch _, err := r.Next(waitsFor{ctx}); {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("the answer broke off, or is too long to be stored: %w", err)
		}
	}
}

// waitsFor is a waiter who is gone when a context is done.
type waitsFor struct{ context.Context }

// Gone implements store.Waiter.
func (w waitsFor) Gone() bool { return w.Err() != nil }
