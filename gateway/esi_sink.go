package gateway

import (
	"sync"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/cache/coding"
	"weirkeep/gateway/esi"
	"weirkeep/gateway/wire"
)

// pageSink sends a page to the client. What comes before the first wait is held back, up to
// joinBytes: a page that is ready by then is sent with its length, and one that fails can still
// be refused.
type pageSink struct {
	x         *Exchange
	program   *esi.Program // nil: there is none, for HEAD
	fragments *fragments
	offered   []cache.Coding // that the page may be sent in beside none
	as        cache.Coding   // in which it is
	coder     *coding.Writer // nil: it is sent in none, or all was written
	opened    bool           // these are known
	begun     bool           // its head was given to the client
	held      *[joinBytes]byte
	n         int // of held, bytes that are used
}

// heldPages are rooms for what is held back.
var heldPages = sync.Pool{New: func() any { return new([joinBytes]byte) }}

// Write implements esi.Sink.
func (p *pageSink) Write(b []byte) error {
	if p.open(); p.coder == nil {
		return p.pass(b)
	}
	_, err := p.coder.Write(b)
	return err
}

// open chooses the coding: one that the client takes of those that the template came in, or may be
// sent in (D4).
func (p *pageSink) open() {
	if p.opened {
		return
	}
	p.opened = true
	if p.offered = p.x.pageCodings(); len(p.offered) > 0 {
		p.as = p.x.cached.request.Prefers(p.offered)
	}
	if p.as != cache.Identity {
		p.coder = coding.NewWriter(p.as, encoded{p})
	}
}

// encoded is where a coder writes to.
type encoded struct{ *pageSink }

// Write implements io.Writer.
func (e encoded) Write(b []byte) (int, error) {
	if err := e.pass(b); err != nil {
		return 0, err
	}
	return len(b), nil
}

// pass holds back what the client is sent, or sends it.
func (p *pageSink) pass(b []byte) error {
	if p.begun {
		return p.x.w.Write(b)
	}
	if p.held == nil {
		p.held = heldPages.Get().(*[joinBytes]byte)
	}
	if p.n+len(b) <= len(p.held) {
		p.n += copy(p.held[p.n:], b)
		return nil
	}
	if err := p.sendHeld(wire.UntilClose); err != nil {
		return err
	}
	return p.x.w.Write(b)
}

// sendHeld sends the page's head, and what was held back.
func (p *pageSink) sendHeld(length int64) error {
	p.begin(length)
	n := p.n
	if p.n = 0; n == 0 {
		return nil
	}
	return p.x.w.Write(p.held[:n])
}

// Flush implements esi.Sink.
func (p *pageSink) Flush() error {
	if p.coder != nil {
		if err := p.coder.Flush(); err != nil {
			return err
		}
	}
	if !p.begun {
		if err := p.sendHeld(wire.UntilClose); err != nil {
			return err
		}
	}
	return p.x.w.Flush()
}

// Gone implements esi.Sink.
func (p *pageSink) Gone() bool { return p.x.Gone() }

// end sends the rest of a page that is complete.
func (p *pageSink) end() error {
	p.open()
	if p.coder != nil {
		if err := p.coder.Close(); err != nil {
			return err
		}
		p.coder = nil
	}
	if p.begun {
		return nil
	}
	return p.sendHeld(int64(p.n))
}

// begin sends the page's head.
func (p *pageSink) begin(length int64) {
	p.open()
	p.begun = true
	x := p.x
	x.w.Head(x.trip.Status.Code, reasonPhrase(x.trip.Status), x.pageFields(p), length)
}

// release gives back what is lent.
func (p *pageSink) release() {
	if p.coder != nil {
		p.coder.Abort()
		p.coder = nil
	}
	if p.held != nil {
		heldPages.Put(p.held)
		p.held = nil
	}
}
