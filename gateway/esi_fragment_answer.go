package gateway

import (
	"bytes"
	"time"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/cache/store"
	"weirkeep/gateway/esi"
)

// hasBody reports whether an answer of that status is a fragment with content.
func hasBody(status int) bool { return status == 200 || status == 203 }

// answer makes the answer that the exchange has come to a fragment. What is not stored is read
// ahead of the page, so that no origin waits for how fast that is sent.
func (f *fragmentExchange) answer() esi.Fragment {
	x := &f.x
	status, _ := f.head()
	if !hasBody(status) {
		f.drop()
		return esi.Fragment{Status: status}
	}
	if x.cached.entry == nil {
		f.loose, x.cached.entry = true, f.of.g.loose(x)
	}
	e := x.cached.entry
	if e == nil { // a filter has given the request a body, which is still being sent
		f.drop()
		return esi.Fragment{Failure: esi.BadAnswer}
	}
	f.tellCharset(e.Stored().Fields)
	if got, ok := f.inMemory(e); ok {
		return got
	}
	if s := f.templates(e.Stored()); s != nil {
		return f.program(e, s)
	}
	return f.open(e)
}

// inMemory is the fragment, if all of it is here as it is needed.
func (f *fragmentExchange) inMemory(e *store.Entry) (got esi.Fragment, ok bool) {
	s := e.Stored()
	if got.Status = s.Status; !hasBody(s.Status) {
		return got, !f.include.Redirect
	}
	if s.Sliced() || s.Part.Size != 0 {
		return got, false
	}
	if f.templates(s) != nil {
		got.Program = programIn(e)
		return got, got.Program != nil
	}
	if c, known := cache.CodingOf(s.Fields); known && c == cache.Identity {
		got.Whole = e.Body().Whole()
	} else if known {
		got.Whole, _ = e.Made().([]byte)
	}
	return got, got.Whole != nil
}

// templates is by which site's options the fragment is read as a template; nil: it is none, but
// data. It is one if its origin says so, or the include does (Z1).
func (f *fragmentExchange) templates(s *cache.Stored) *siteESI {
	site := f.x.site
	switch {
	case f.include.Plain:
		return nil
	case f.include.Template:
		return f.of.page.site.esi
	case site != nil && site.esi != nil && !f.astray && needsESI(s.Content):
		return site.esi
	}
	return nil
}

// program reads the fragment as a template.
func (f *fragmentExchange) program(e *store.Entry, s *siteESI) esi.Fragment {
	p, err := f.of.g.programOf(&f.x, e, s, f.url.String)
	if err != nil {
		return esi.Fragment{Status: e.Stored().Status, Failure: esi.BadBody}
	}
	return esi.Fragment{Status: e.Stored().Status, Program: p}
}

// left is for how long the fragment is fresh, if any client gets the same: it is stored, told apart by
// nothing that a client says of itself, and markup in it looks at nothing. 0: it is not.
func (f *fragmentExchange) left(got *esi.Fragment) time.Duration {
	x, e := &f.x, f.x.cached.entry
	if e == nil || f.loose || !x.cached.asked || x.site == nil || x.site.cache == nil || got.Program != nil && got.Program.Uses() != 0 {
		return 0
	}
	s := e.Stored()
	if !hasBody(s.Status) || s.Fresh.Validate || !variesByCodingAlone(s.Vary.Names) || x.tellsApart() {
		return 0
	}
	return max(s.TTLAt(x.Now), 0)
}

func variesByCodingAlone(names []string) bool {
	return len(names) == 0 || len(names) == 1 && names[0] == "accept-encoding"
}

// givenByFilter is the fragment that a filter has answered with. What it gave goes with the exchange.
func (f *fragmentExchange) givenByFilter() esi.Fragment {
	return esi.Fragment{Status: f.x.given.status, Whole: bytes.Clone(f.x.given.body)}
}
