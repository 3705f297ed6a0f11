package esi

import (
	"errors"
	"io"
)

// hold is output that is not sent yet, since what makes it may fail.
type hold struct {
	kind   holdKind
	pieces []piece
	bytes  int
	open   bool // it has grown too long: it was sent, and what comes is sent at once
}

type holdKind uint8

const (
	guarding holdKind = iota // the beginning of a template in a page, up to Options.Hold
	complete                 // an attempt, with all that is in it
	deferred                 // a page, with the beginning of what is in it
)

// piece is a part of the output.
type piece struct {
	bytes []byte // of a program, a fragment or a value, which hold until the page is done
	job   *job   // a body that is to be sent as it comes; nil: bytes has it
}

// hold begins to hold output back.
func (a *assembly) hold(k holdKind) *hold {
	h := &hold{kind: k}
	a.holds = append(a.holds, h)
	return h
}

// release ends what the last hold began.
func (a *assembly) release() { a.holds = a.holds[:len(a.holds)-1] }

// innermost is the hold that output goes to; nil: it is sent.
func (a *assembly) innermost() *hold {
	if n := len(a.holds); n > 0 && !a.holds[n-1].open {
		return a.holds[n-1]
	}
	return nil
}

// holding reports whether some output is held back in a way.
func (a *assembly) holding(k holdKind) bool {
	for _, h := range a.holds {
		if h.kind == k {
			return true
		}
	}
	return false
}

// emit adds bytes to the page. They must hold until the page is done.
func (a *assembly) emit(b []byte) error {
	if len(b) == 0 {
		return nil // it would end a body that is sent in chunks (D3)
	}
	if a.made += int64(len(b)); a.made > a.options.Page {
		return ErrPageTooLarge
	}
	return a.put(piece{bytes: b})
}

// put sends a piece, or holds it back.
func (a *assembly) put(p piece) error {
	h := a.innermost()
	switch {
	case h == nil && p.job != nil:
		return a.stream(p.job)
	case h == nil:
		return a.write(p.bytes)
	}
	h.pieces = append(h.pieces, p)
	h.bytes += len(p.bytes)
	if a.heldTooMuch() {
		return a.openHolds()
	}
	return nil
}

// write sends bytes.
func (a *assembly) write(b []byte) error {
	a.unsent = true
	a.report.Bytes += int64(len(b))
	return a.out.Write(b)
}

// flush sends what the sink holds back, before a wait.
func (a *assembly) flush() error {
	if !a.unsent {
		return nil
	}
	a.unsent = false
	return a.out.Flush()
}

// commit passes on what a hold has.
func (a *assembly) commit(h *hold) error {
	if h.open {
		return nil
	}
	for _, p := range h.pieces {
		if err := a.put(p); err != nil {
			return err
		}
	}
	return nil
}

// heldTooMuch reports whether holds that are bounded have more than they may.
func (a *assembly) heldTooMuch() bool {
	n := 0
	for _, h := range a.holds {
		if h.kind != guarding {
			return false
		}
		if !h.open {
			n += h.bytes
		}
	}
	return n > a.options.Hold
}

// openHolds sends what is held back, the outermost first. From now on it cannot be taken
// back.
func (a *assembly) openHolds() error {
	for _, h := range a.holds {
		if h.open {
			continue
		}
		h.open = true
		for _, p := range h.pieces {
			if err := a.write(p.bytes); err != nil {
				return err
			}
		}
		h.pieces = nil
	}
	return nil
}

// insertBody writes a fragment that is no template.
func (a *assembly) insertBody(p *place) (again bool, err error) {
	j := p.job
	if j.rest != nil && (len(j.users) > 1 || a.holding(complete)) {
		if err := a.flush(); err != nil {
			return false, err
		}
		j.read(int(a.options.Fragment), a.options.Fragment)
	}
	switch {
	case j.failure != None: // it broke off just now, or for another place
		a.lost(p, j.failure)
		return true, nil
	case j.rest == nil:
		return false, a.emit(j.body)
	}
	j.spent = true
	if a.holding(deferred) {
		return false, a.put(piece{job: j})
	}
	if err := a.openHolds(); err != nil {
		return false, err
	}
	return false, a.stream(j)
}

// stream sends a body as it comes. It is too late for it to fail.
func (a *assembly) stream(j *job) error {
	if err := a.emit(j.body); err != nil {
		return err
	}
	for n := int64(len(j.body)); ; {
		if err := a.flush(); err != nil {
			return err
		}
		b, err := j.rest.Next()
		if n += int64(len(b)); n > a.options.Fragment {
			return ErrCut
		}
		if err := a.emit(b); err != nil {
			return err
		}
		switch {
		case errors.Is(err, io.EOF):
			j.close()
			return nil
		case err != nil:
			return ErrCut
		}
	}
}
