package gateway

import (
	"bytes"
	"context"
	"errors"
	"sync"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/esi"
	"weirkeep/gateway/wire"
)

// assemble sends the page that a template makes. The site's filters see the template: what they
// make of it is what the page is made of (design, section 4). The template's origin is free before the
// first fragment is asked for.
func (g *Gateway) assemble(x *Exchange) Reason {
	x.assembled.on = true
	if x.site.esi.detects && x.holdsMarkup() {
		x.site.esi.metrics.Injected.Inc()
		return g.refuseTemplate(x, MarkupInjected)
	}
	if reason := x.openTemplate(); reason != Served {
		return g.refuseTemplate(x, reason)
	}
	if len(x.site.filters) > 0 {
		if reason, replaced := g.filterAnswer(x); replaced {
			return g.refuseTemplate(x, reason)
		}
	}
	program, reason := g.closeTemplate(x)
	if reason != Served {
		g.refuse(x, reason)
		return reason
	}
	return g.sendPage(x, program)
}

// refuseTemplate answers in the place of the page, before the template was read.
func (g *Gateway) refuseTemplate(x *Exchange, reason Reason) Reason {
	if e := x.cached.entry; e != nil {
		e.Body().Decline()
		return g.replaceStored(x, reason)
	}
	return g.replaceAnswer(x, reason)
}

// holdsMarkup reports whether the request has something that would be markup if the origin repeated it
// in the template (Z1). Of a body that is what was here at once.
func (x *Exchange) holdsMarkup() bool {
	if esi.HoldsMarkup(x.Line) || x.joined && esi.HoldsMarkup(x.up[x.bodyAt:]) {
		return true
	}
	for i := range x.Head.Fields {
		if esi.HoldsMarkup(x.Head.Fields[i].Value) {
			return true
		}
	}
	return false
}

// openTemplate makes the template's head that of the trip, as bytes that stay when its body is read,
// whether it is stored or comes from an origin.
func (x *Exchange) openTemplate() Reason {
	t := x.trip
	if e := x.cached.entry; e != nil {
		if err := x.readStored(e.Head()); err != nil {
			return x.because(err, BadAnswer)
		}
		if x.site.readsAnswers() {
			x.cached.reply = cache.Reply{Status: e.Stored().Status, Length: -1}
			x.openReply(&t.Body)
		}
		return Served
	}
	x.learn()
	t.Status.Reason = bytes.Clone(t.Status.Reason)
	for i := range t.Answer.Fields {
		f := &t.Answer.Fields[i]
		f.Name, f.Value = bytes.Clone(f.Name), bytes.Clone(f.Value)
	}
	return Served
}

// closeTemplate reads the template, and has nothing of its origin in hand when it returns. Without a
// body (HEAD) there is no program.
func (g *Gateway) closeTemplate(x *Exchange) (*esi.Program, Reason) {
	s, e := x.site.esi, x.cached.entry
	switch {
	case e != nil && x.site.readsAnswers():
		p, err := g.readTemplate(&arrivingSource{body: &x.trip.Body}, x.trip.Answer.Fields, -1, s, x.url)
		x.cached.close()
		return p, x.reasonOfTemplate(err)
	case e != nil:
		p, err := g.programOf(x, e, s, x.url)
		return p, x.reasonOfTemplate(err)
	case string(x.Method) == "HEAD":
		g.endTemplate(x, Served)
		return nil, Served
	}
	p, err := g.readTemplate(&arrivingSource{body: &x.trip.Body}, x.trip.Answer.Fields, x.trip.Body.Length(), s, x.url)
	reason := x.reasonOfTemplate(err)
	g.endTemplate(x, reason)
	return p, reason
}

// endTemplate gives the origin's connection back, and with it the slot.
func (g *Gateway) endTemplate(x *Exchange, reason Reason) {
	t := x.trip
	if t.Expect && !x.continued || t.Unheard() {
		x.w.Close()
	}
	if t.End(reason == Served) && !x.Body.Arrived() {
		x.w.Close()
	}
	x.conclude(reason)
	x.leave()
}

// reasonOfTemplate is why a template could not be read.
func (x *Exchange) reasonOfTemplate(err error) Reason {
	if err == nil {
		return Served
	}
	if _, bad := errors.AsType[*templateError](err); bad {
		return x.because(err, BadTemplate)
	}
	return x.reasonOfCut(err)
}

// url is the URL that the client has asked for.
func (x *Exchange) url() string { return x.pageURL().String() }

// pageURL is the URL that the page's includes are relative to.
func (x *Exchange) pageURL() esi.URL {
	return esi.URLOf(x.Secure, x.Authority.Host, x.Authority.Port, x.Target.Raw)
}

// pageWork is what it takes to assemble a page.
type pageWork struct {
	sink   pageSink
	page   esi.Page
	client esi.Client
}

// pageWorks are those that are not in use.
var pageWorks = sync.Pool{New: func() any { return new(pageWork) }}

// sendPage assembles the page and sends it as it comes together.
func (g *Gateway) sendPage(x *Exchange, program *esi.Program) Reason {
	w := pageWorks.Get().(*pageWork)
	defer w.end()
	w.sink.x, w.sink.program = x, program
	if string(x.Method) == "HEAD" {
		w.sink.begin(wire.UntilClose) // no fragment is asked for (D6)
		return Served
	}
	w.sink.fragments = g.fragmentsOf(x)
	defer x.keepLast()
	defer w.sink.fragments.end()
	x.pageOf(w, program)
	report, err := esi.Assemble(context.Background(), &w.page, w.sink.fragments, &w.sink)
	x.assembled.report = report
	if err == nil {
		err = w.sink.end()
	}
	reason := g.endPage(x, &w.sink, err)
	x.site.esi.count(&report, reason)
	return reason
}

// pageOf says what the page is assembled from.
func (x *Exchange) pageOf(w *pageWork, program *esi.Program) {
	s := x.site.esi
	w.client = esi.Client{Host: x.Authority.Raw, Query: x.Target.Query, Fields: x.Head.Fields, Shown: &s.shown}
	w.page = esi.Page{Template: program, URL: x.pageURL(), Client: &w.client, Options: &s.options}
}

// end gives back what was lent, and itself.
func (w *pageWork) end() {
	w.sink.release()
	*w = pageWork{}
	pageWorks.Put(w)
}

// count counts a page, and what became of it.
func (s *siteESI) count(r *esi.Report, reason Reason) {
	m := s.metrics
	switch reason {
	case Served:
		m.Pages.Inc()
	case ClientGone:
		m.Left.Inc()
	default:
		m.Broken.Inc()
	}
	m.Fragments.Add(uint64(r.Includes))
	m.Ready.Add(uint64(r.Includes - r.Fetches))
	m.Recovered.Add(uint64(r.Recovered))
	m.Lost.Add(uint64(r.Lost))
	for failure, n := range r.Failures {
		if n > 0 {
			m.Failures[failure].Add(uint64(n))
		}
	}
}

// endPage ends a page, or what there is of one: a client that has none of it is answered with a
// refusal, one that has some sees it break off (R2).
func (g *Gateway) endPage(x *Exchange, p *pageSink, err error) Reason {
	if err == nil {
		return Served
	}
	reason := x.reasonOfPage(err)
	if p.begun {
		x.w.Flush()
		x.w.Abort()
	} else {
		g.refuse(x, reason)
	}
	return reason
}

// reasonOfPage is why there is no page, or not all of it.
func (x *Exchange) reasonOfPage(err error) Reason {
	_, failed := errors.AsType[*esi.Error](err)
	switch {
	case failed, errors.Is(err, esi.ErrCut):
		return x.because(err, FragmentFailed)
	case errors.Is(err, esi.ErrPageTooLarge):
		return x.because(err, PageTooLarge)
	}
	return x.because(err, ClientGone)
}
