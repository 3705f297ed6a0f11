package gateway

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"

	"weirkeep/abi"
	"weirkeep/gateway/cache"
	"weirkeep/gateway/wire"
	"weirkeep/plugins"
)

// storeFilters are the filters of a site that act before answers are stored, in the
// order of the file. They see no request, and what they make goes to all clients.
type storeFilters struct {
	all    []filter
	bodies bool   // one of them is shown bodies
	mark   []byte // tells what they have made from what others have, as a part of the key; nil: there are none
}

// add adds a filter; made is all that makes the plugin different from others.
func (s *storeFilters) add(f filter, made string) {
	p := f.attachment.Plugin()
	s.all = append(s.all, f)
	s.bodies = s.bodies || p.BodyLimit() > 0
	sum := sha256.Sum256([]byte(made))
	s.mark = fmt.Appendf(s.mark, "filter %s@%x\n", p.Info().Name, sum[:8])
}

// draft is an answer that filters are making what is stored of.
type draft struct {
	status int
	fields []wire.Field
	length int64      // of the body
	body   *wire.Body // nil: it is stored already, and stays
	edited bool
}

// filterToStore lets the site's filters of stage store edit the origin's answer, in reverse
// order, whether it is stored afterwards or not: what clients see does not depend on that.
// One that fails and does not reject leaves the answer as it is, and that is not stored.
func (g *Gateway) filterToStore(x *Exchange) Reason {
	t, s := x.trip, &x.site.toStore
	x.cached.source, x.cached.raw = nil, false
	if len(s.all) == 0 || t.Status.Code == 101 {
		return Served
	}
	x.learn() // what the origin says of the session is not the filters' to change
	for i := range s.all {
		if reason := x.holdAnswer(s.all[i].attachment.Plugin()); reason != Served {
			return g.dropDraft(x, reason)
		}
	}
	d := draft{status: t.Status.Code, fields: t.Answer.Fields, length: t.Body.Length(), body: &t.Body}
	if reason := x.filterDraft(&d); reason != Served {
		return g.dropDraft(x, reason)
	}
	if d.edited {
		x.cached.source, t.Answer.Fields = t.Answer.Fields, d.fields
	}
	if s.bodies && string(x.Method) == "HEAD" {
		t.Answer.Length = wire.NoLength // of what they would make of the body, which is not here
	}
	return Served
}

// filterRenewed is filterToStore for an answer of which the origin has sent no more than what
// has changed: its body is stored, and stays.
func (g *Gateway) filterRenewed(x *Exchange, whole *cache.Answer) Reason {
	x.cached.raw = false
	if len(x.site.toStore.all) == 0 {
		return Served
	}
	d := draft{status: whole.Status, fields: whole.Fields, length: whole.Length}
	if d.length < 0 {
		d.length = wire.UntilClose
	}
	if reason := x.filterDraft(&d); reason != Served {
		return g.dropDraft(x, reason)
	}
	if d.edited {
		whole.Source, whole.Fields = whole.Fields, d.fields
	}
	return Served
}

// dropDraft ends a trip whose answer nobody is given, for it broke off or a filter refuses it.
func (g *Gateway) dropDraft(x *Exchange, reason Reason) Reason {
	x.trip.End(x.trip.Body.Arrived())
	x.conclude(reason)
	x.leave()
	x.endFlight()
	return reason
}

// filterDraft has all filters make what they make.
func (x *Exchange) filterDraft(d *draft) Reason {
	all := x.site.toStore.all
	for i := len(all) - 1; i >= 0; i-- {
		f := &all[i]
		failure := x.filterDraftOnce(f, d)
		if reason := x.filterFailed(f, failure); reason != Served {
			return reason
		}
		x.cached.raw = x.cached.raw || failure != nil
	}
	return Served
}

// filterDraftOnce asks one filter and does what it says.
func (x *Exchange) filterDraftOnce(f *filter, d *draft) *plugins.Failure {
	w, p := x.work(), f.attachment.Plugin()
	v := w.showDraft(p.Needs(), d)
	where := abi.Where{Call: abi.OnStore, Status: v.Status, MaxBody: p.BodyLimit()}
	if d.body != nil {
		w.showAnswerBody(p)
		where.WholeBody = w.settable(p)
	}
	ops, kept, failure := f.attachment.Filter(v, nil, where, w.ops[:0], w.kept)
	w.ops, w.kept = ops, kept
	if failure != nil || len(ops) == 0 {
		return failure
	}
	fields := editHead(d.fields, ops)
	if err := x.snap.fits(fields); err != nil {
		return f.attachment.Invalid(callOfAnswer, x.number, err)
	}
	d.fields, d.edited = fields, true
	if string(x.Method) != "HEAD" {
		setBody(&x.trip.Body, &x.trip.Answer, find(ops, abi.OpSetBody))
	}
	return nil
}

// showDraft is the view of an answer without its request.
func (w *pluginWork) showDraft(n *plugins.Needs, d *draft) *abi.View {
	x, v := w.exchange, &w.view
	if d.body != nil {
		d.length = d.body.Length()
	}
	*v = abi.View{
		Args: v.Args[:0], Cookies: w.cookies[:0], Origins: w.origins[:0],
		Now: uint64(x.Now.UnixNano()), Granted: n.Granted, Status: uint16(d.status), BodyLength: bodyLength(d.length),
	}
	if d.length != 0 {
		v.Flags |= abi.FlagBody
	}
	if n.Shows(plugins.NeedSite) {
		v.Site = x.site.shown
	}
	w.showAnswerFields(n, d.fields)
	return v
}

// allFilters attaches the filters that sites name.
func (c *compiler) allFilters() {
	for i := range c.snap.sites {
		s := &c.snap.sites[i]
		for j, cfg := range c.cfg.Sites[s.name].Filters {
			path := fmt.Sprintf("sites.%s.filters[%d]", s.name, j)
			a := c.attach(path, cfg.Plugin, plugins.AttachOptions{Place: plugins.Place{Site: s.name}})
			if a == nil {
				continue
			}
			f := filter{attachment: a, rejects: cmp.Or(cfg.OnError, a.Plugin().OnError()) == "reject"}
			c.stage(a, cfg.Stage)
			switch {
			case cfg.Stage != "store":
				s.filters = append(s.filters, f)
			case a.Serves(abi.OnStore):
				s.toStore.add(f, c.made[cfg.Plugin])
			default:
				c.fail(path+".stage", "E513", "%s.stage is store, and plugin %s has no gw_on_response: it would see nothing", path, cfg.Plugin)
			}
		}
	}
}

// stage notes at which stage an attachment is.
func (c *compiler) stage(a *plugins.Attachment, stage string) {
	for i := range c.snap.attachments {
		if at := &c.snap.attachments[i]; at.Attachment == a && !slices.Contains(at.stages, stage) {
			at.stages = append(at.stages, stage)
		}
	}
}
