package gateway

import (
	"fmt"
	"iter"
	"runtime"
	"slices"

	"weirkeep/abi"
	"weirkeep/gateway/cache"
	"weirkeep/gateway/cache/coding"
	"weirkeep/gateway/cache/store"
	"weirkeep/gateway/metrics"
)

// choose chooses the form that the client is sent a stored answer in: a coding that it is kept in,
// or as it came. One that it is not kept in yet is made behind the clients' backs, by the
// first GET that finds it stored; until it is there, all get what came.
func (g *Gateway) choose(x *Exchange) cache.Coding {
	c := &x.cached
	c.coded = nil
	as := c.entry.Stored().Coding(&c.request)
	if as == cache.Identity || x.site.readsAnswers() {
		return cache.Identity
	}
	if c.coded = c.entry.Coded(as); c.coded != nil {
		return as
	}
	if c.request.Method == cache.Get && c.entry.Hits() > 0 && c.entry.Untried(as) {
		g.encode(c.entry, as, x.site.cache.metrics)
	}
	return cache.Identity
}

// formOf says in which form the client is sent an entry; empty: it can be sent in no other
// than it came in.
func (x *Exchange) formOf(e *store.Entry) string {
	as := e.Stored().Coding(&x.cached.request)
	switch {
	case len(e.Stored().Codings) == 0:
		return ""
	case x.site.readsAnswers():
		return "as it came: a filter reads bodies of answers"
	case as == cache.Identity:
		return "as it came: the client takes none of the codings, or likes none better"
	case e.Coded(as) != nil:
		return "in " + as.String()
	case e.Useless(as):
		return fmt.Sprintf("as it came: in %s it is hardly shorter, or found no room", as)
	}
	return fmt.Sprintf("as it came, until it is encoded in %s: the next one that finds it has that begin", as)
}

// readsAnswers reports whether a filter reads bodies of answers: it is shown what came.
func (s *site) readsAnswers() bool {
	for i := range s.filters {
		if a := s.filters[i].attachment; a.Serves(abi.OnResponse) && a.Plugin().BodyLimit() > 0 {
			return true
		}
	}
	return false
}

// chosen is the form that was chosen: its head, its body, nil where that is not here in
// one piece, and how long that is; -1: not known.
func (x *Exchange) chosen() (head, whole []byte, length int64) {
	c := &x.cached
	if c.coded != nil {
		return c.coded.Head(), c.coded.Body(), int64(len(c.coded.Body()))
	}
	b := c.entry.Body()
	length = c.entry.Stored().Length
	if n, all := b.Size(); all {
		length = n
	}
	return c.entry.Head(), b.Whole(), length
}

// countCoded counts an answer that is sent in a coding.
func (x *Exchange) countCoded() {
	c := &x.cached
	if c.coded == nil || c.reply.Status != c.entry.Stored().Status || c.request.Method != cache.Get {
		return
	}
	came, _ := c.entry.Body().Size()
	m := x.site.cache.metrics
	m.Coded.Inc()
	m.Saved.Add(uint64(came - c.reply.Length))
}

// encodersOf is how many bodies are encoded at once: that takes a quarter of the processors at
// most, but for one. Further ones are left to who asks next.
func encodersOf(processors int) int64 { return int64(max(1, processors/4)) }

// encode has a body encoded in the background, if nobody has done so and an encoder is free.
func (g *Gateway) encode(e *store.Entry, as cache.Coding, m *metrics.Cache) {
	if g.encodings.Add(1) > encodersOf(runtime.GOMAXPROCS(0)) || !g.cache.Encodes(e, as) {
		g.encodings.Add(-1)
		return
	}
	g.fills.Go(func() {
		defer g.encodings.Add(-1)
		if g.cache.KeepCoded(e, as, g.encoded(e.Body(), as)) {
			m.Encoded.Inc()
		}
	})
}

// encoded is a complete body in a coding; nil: it is not worth it, or the gateway was closed. A
// fault of ours costs the coding and no more.
func (g *Gateway) encoded(b *store.Body, as cache.Coding) (body []byte) {
	defer func() {
		if fault := recover(); fault != nil {
			g.tellPanic(fault)
			body = nil
		}
	}()
	size, _ := b.Size()
	read := int64(0)
	body = coding.Encode(as, size, g.piecesOf(b, &read))
	if read != size {
		return nil
	}
	return body
}

// encodedPiece is how much of a body is encoded between two looks at whether the gateway is closed.
const encodedPiece = 64 << 10

// piecesOf are the pieces of a complete body, until the gateway is closed. It counts what was
// read of it.
func (g *Gateway) piecesOf(b *store.Body, read *int64) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		r := b.Reader(0, -1)
		defer r.Close()
		for {
			view, err := r.Next(nobody{g})
			if err != nil {
				return
			}
			for p := range slices.Chunk(view, encodedPiece) {
				if g.cut.Load() || !yield(p) {
					return
				}
				*read += int64(len(p))
			}
		}
	}
}
