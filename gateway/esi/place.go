package esi

import (
	"errors"
	"strings"
)

// place is an include in a document that is run.
type place struct {
	in      *document
	element *include
	job     *job // what it waits for or got; nil: there was nothing to ask for
	second  bool // that is for alt
	settled bool
	failure Failure   // for good, if settled
	inner   *document // what it got, if that is a template
}

// ask asks for the fragment of an include.
func (a *assembly) ask(d *document, i uint32) {
	p := &d.places[i]
	*p = place{in: d, element: &d.program.includes[i]}
	if p.element.src == nil {
		a.lost(p, BadTarget)
		return
	}
	a.aim(p, p.element.src)
}

// aim asks for what src or alt names.
func (a *assembly) aim(p *place, m mixed) {
	d := p.in
	u, ok := d.resolve(m, p.element.params)
	switch {
	case !ok:
		a.lost(p, BadTarget)
	case d.depth >= a.options.Depth || d.is(u):
		a.lost(p, TooDeep)
	case a.report.Includes >= a.options.Includes:
		a.lost(p, TooMany)
	default:
		a.report.Includes++
		a.join(p, u)
	}
}

// resolve is the URL that src or alt names. Values that are in it were copied.
func (d *document) resolve(m mixed, params []param) (URL, bool) {
	defer d.reader.forget(len(d.reader.buf))
	text, ok := d.reader.expand(m, d.program.variables)
	if ok && len(params) > 0 {
		text, ok = d.reader.withParams(text, params, d.program.variables)
	}
	if !ok {
		return URL{}, false
	}
	return d.url.Resolve(text)
}

// withParams adds parameters to the query of a reference.
func (r *reader) withParams(text string, params []param, variables []variable) (string, bool) {
	text, _, _ = strings.Cut(text, "#")
	out := []byte(text)
	separator := byte('?')
	if strings.Contains(text, "?") {
		separator = '&'
	}
	for _, p := range params {
		out, _ = appendEncoded(append(out, separator), []byte(p.name))
		out = append(out, '=')
		for _, s := range p.value {
			value := []byte(s.text)
			if s.variable > 0 {
				value = r.value(&variables[s.variable-1])
			}
			var ok bool
			if out, ok = appendEncoded(out, value); !ok {
				return "", false
			}
		}
		separator = '&'
	}
	return string(out), true
}

// is reports whether a document or one that it is in has that URL. The variables are the
// same, so the include would go on for ever.
func (d *document) is(u URL) bool {
	for ; d != nil; d = d.within {
		if d.url == u {
			return true
		}
	}
	return false
}

// lost deals with a failure: alt is asked for, if there is one.
func (a *assembly) lost(p *place, f Failure) {
	a.report.Failures[f]++
	if p.element.hasAlt && !p.second {
		p.second = true
		p.settled, p.inner = false, nil
		a.aim(p, p.element.alt)
		return
	}
	p.settled, p.failure, p.inner = true, f, nil
}

// took deals with the end of what a place waited for.
func (a *assembly) took(p *place) {
	j := p.job
	if j.failure != None {
		a.lost(p, j.failure)
		return
	}
	p.settled = true
	if j.program != nil {
		p.inner = a.document(j.program, j.include.URL, p.in)
		a.scout(p.inner, p.inner.all())
	}
}

func (d *document) all() span { return span{0, uint32(len(d.program.code))} }

// include writes what an include stands for.
func (a *assembly) include(p *place) error {
	for {
		if err := a.await(p); err != nil {
			return err
		}
		if p.failure != None {
			return a.failed(p)
		}
		before := p.second
		again, err := a.insert(p)
		if !again {
			if before && err == nil {
				a.report.Recovered++
			}
			return err
		}
	}
}

// failed deals with an include that has failed for good.
func (a *assembly) failed(p *place) error {
	if p.element.continues {
		a.report.Recovered++
		return nil
	}
	return a.unanswered(&Error{URL: p.url(), Failure: p.failure})
}

// unanswered deals with a failure that the markup around it does nothing about: in an
// attempt it is the attempt's, else the site's policy says.
func (a *assembly) unanswered(err *Error) error {
	switch {
	case a.attempts > 0 || a.options.OnError == Fail:
		return err
	case a.options.OnError == UseFallback:
		a.report.Lost++
		return a.emit(a.options.Fallback)
	}
	a.report.Lost++
	return nil
}

// url is what was asked for last.
func (p *place) url() string {
	if p.job == nil {
		return ""
	}
	return p.job.include.URL.String()
}

// insert writes the fragment that a place got. If that turns out to be none, and nothing of
// it was sent, the place has to be looked at again.
func (a *assembly) insert(p *place) (again bool, err error) {
	if p.inner == nil {
		return a.insertBody(p)
	}
	if !p.guarded() {
		return false, a.run(p.inner, p.inner.all())
	}
	h := a.hold(guarding)
	err = a.run(p.inner, p.inner.all())
	a.release()
	if err == nil {
		return false, a.commit(h)
	}
	failed, ok := errors.AsType[*Error](err)
	switch {
	case !ok:
		return false, err
	case h.open:
		return false, ErrCut
	}
	a.lost(p, failed.Failure)
	return true, nil
}

// guarded reports whether something is left that would make good a failure.
func (p *place) guarded() bool {
	return p.element.continues || p.element.hasAlt && !p.second
}
