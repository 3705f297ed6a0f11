package esi

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Page is what a page is assembled from.
type Page struct {
	Template *Program
	URL      URL // of the page: what src and alt are relative to
	Client   *Client
	Options  *Options
}

// Report is what there is to say of an assembly, in logs and metrics.
type Report struct {
	Includes  int               // fragments that were asked for, alternatives among them
	Fetches   int               // by Fetch; the others were ready, shared or never asked for
	Failures  [FailureCount]int // of those asked for
	Recovered int               // failures that alt, onerror or except made good
	Lost      int               // failures that nothing did: the options say what stands in their place, or the page failed
	Bytes     int64             // given to the sink
	Uses      Uses              // what programs that were run look at
}

var (
	// ErrPageTooLarge means that a page is larger than its options allow.
	ErrPageTooLarge = errors.New("assembled page is too large")

	// ErrCut means that a fragment broke off, or failed, after a part of it had been sent.
	ErrCut = errors.New("fragment broke off within the page")

	// ErrGone means that the sink says that nobody waits for the page.
	ErrGone = errors.New("nobody waits for the page")
)

// Error means that an include failed, and the page with it.
type Error struct {
	URL     string // of the fragment; empty: src is none. It is no client's business
	Failure Failure
}

func (e *Error) Error() string { return "include failed: " + e.Failure.String() }

// Assemble writes the page to the sink. It returns when all of it is written or when it
// has failed, and every fetch has ended by then. Errors are *Error, ErrPageTooLarge, ErrCut,
// ErrGone, the context's and the sink's. If a byte was written before, the page has to be
// broken off.
func Assemble(ctx context.Context, p *Page, f Fetcher, out Sink) (Report, error) {
	a := assemblies.Get().(*assembly)
	a.page, a.options, a.fetcher, a.out, a.parent = p, p.Options, f, out, ctx
	defer a.end()
	err := a.whole()
	if _, failed := errors.AsType[*Error](err); failed || errors.Is(err, ErrCut) {
		a.report.Lost++
	}
	if done := ctx.Err(); err != nil && done != nil {
		err = done
	}
	return a.report, err
}

// assemblies are those that are not at work.
var assemblies = sync.Pool{New: func() any { return new(assembly) }}

// usual is how many includes of a page need no memory of their own.
const usual = 8

// assembly is the state of one. All of it is its goroutine's, but for jobs that are
// running.
type assembly struct {
	page    *Page
	options *Options
	fetcher Fetcher
	out     Sink
	report  Report
	made    int64 // bytes of the page, with what was dropped again
	values  int64 // bytes of values of variables

	holds    []*hold // what is not sent yet, the outermost first
	attempts int     // that are run
	unsent   bool    // something was written and not flushed

	jobs    []*job
	waiting []*job // in the order in which they start
	running int

	parent  context.Context
	ctx     context.Context // of fetches; nil: none was ever started
	cancel  context.CancelFunc
	late    context.Context // done when nothing more is waited for
	noLate  context.CancelFunc
	settled chan *job
	fetches sync.WaitGroup
	look    *time.Ticker

	top     document // the page itself
	places  [usual]place
	fetched [usual]job
	listed  [usual]*job
}

// whole assembles the page.
func (a *assembly) whole() error {
	d := a.document(a.page.Template, a.page.URL, nil)
	a.scout(d, d.all())
	if a.options.FirstByte == Held {
		return a.held(d)
	}
	return a.run(d, d.all())
}

// held assembles the page before any of it is sent. Of fragments that are longer than
// Hold only the beginning is here then.
func (a *assembly) held(d *document) error {
	h := a.hold(deferred)
	err := a.run(d, d.all())
	a.release()
	if err != nil {
		return err
	}
	return a.commit(h)
}

// end ends all that was begun. Nothing that it had is in use any more.
func (a *assembly) end() {
	if a.ctx != nil {
		a.noLate()
		a.cancel()
		a.fetches.Wait()
	}
	if a.look != nil {
		a.look.Stop()
	}
	for _, j := range a.jobs {
		j.close()
	}
	*a = assembly{}
	assemblies.Put(a)
}

// document is a template that is run within a page: the page itself or a fragment.
type document struct {
	program *Program
	url     URL
	depth   int
	within  *document // nil: it is the page
	places  []place   // of its includes
	reader  reader
}

// document begins one.
func (a *assembly) document(p *Program, u URL, within *document) *document {
	d := &a.top
	if within != nil {
		d = &document{depth: within.depth + 1}
	}
	d.program, d.url, d.within = p, u, within
	if n := len(p.includes); within == nil && n <= usual {
		d.places = a.places[:n]
	} else {
		d.places = make([]place, n)
	}
	d.reader.client, d.reader.query = a.page.Client, queryOf(u)
	a.report.Uses |= p.uses
	return d
}

// next returns the next instruction that does something, and where to go on after it; nil
// at the end.
func (d *document) next(pc, end uint32) (*instruction, uint32) {
	for pc < end {
		i := &d.program.code[pc]
		switch i.op {
		case opUnless:
			pc++
			if !d.program.tests[i.a].run(&d.reader, d.program.variables) {
				pc = i.b
			}
		case opJump:
			pc = i.b
		case opTry:
			return i, i.b
		default:
			return i, pc + 1
		}
	}
	return nil, end
}

// scout asks for all fragments that a part of a document is sure to need. What is needed
// does not depend on fragments, but for excepts.
func (a *assembly) scout(d *document, s span) {
	if len(d.places) == 0 {
		return
	}
	for i, pc := d.next(s.from, s.to); i != nil; i, pc = d.next(pc, s.to) {
		switch i.op {
		case opInclude:
			a.ask(d, i.a)
		case opTry:
			a.scout(d, d.program.tries[i.a].attempt)
		}
	}
}

// run writes a part of a document.
func (a *assembly) run(d *document, s span) error {
	for i, pc := d.next(s.from, s.to); i != nil; i, pc = d.next(pc, s.to) {
		if err := a.do(d, i); err != nil {
			return err
		}
	}
	return nil
}

// do does one instruction.
func (a *assembly) do(d *document, i *instruction) error {
	switch i.op {
	case opText:
		return a.emit(d.text(i))
	case opPrint:
		return a.print(d, &d.program.variables[i.a])
	case opInclude:
		return a.include(&d.places[i.a])
	}
	return a.try(d, &d.program.tries[i.a])
}

// text is a literal. The byte order mark of a fragment is none of the page's.
func (d *document) text(i *instruction) []byte {
	text := d.program.text[i.a:i.b]
	if d.depth > 0 && d.program.marked && i == &d.program.code[0] {
		return text[len(byteOrderMark):]
	}
	return text
}

// print writes the value of a variable.
func (a *assembly) print(d *document, v *variable) error {
	value := d.reader.value(v)
	if !a.options.Verbatim {
		from := len(d.reader.buf)
		d.reader.buf = appendHTML(d.reader.buf, value)
		value = d.reader.buf[from:len(d.reader.buf):len(d.reader.buf)]
	}
	if a.values += int64(len(value)); a.values > a.options.Values {
		return ErrPageTooLarge
	}
	return a.emit(value)
}

// try runs an attempt, and an except if that fails. What the attempt wrote before is
// dropped.
func (a *assembly) try(d *document, t *try) error {
	h := a.hold(complete)
	a.attempts++
	err := a.run(d, t.attempt)
	a.attempts--
	a.release()
	if err == nil {
		return a.commit(h)
	}
	failed, ok := errors.AsType[*Error](err)
	if !ok {
		return err
	}
	for _, e := range t.excepts {
		if e.failures.has(failed.Failure) {
			a.report.Recovered++
			a.scout(d, e.span)
			return a.run(d, e.span)
		}
	}
	return a.unanswered(failed)
}
