package esi

import "context"

// Planned is an include that a page would come to.
type Planned struct {
	// Include is what is asked for; nil: nothing is, and Failure says why.
	*Include
	Failure Failure

	Level     int    // 1: it stands in the page itself
	Alternate bool   // what src names cannot be asked for, so alt is
	Shared    bool   // an include before has asked for the same
	Alt       string // URL that is asked for if there is no fragment; empty: none is
	Continues bool   // and then nothing stands in its place, if that fails too
}

// Plan returns the includes that a page is sure to come to for its request, those of fragments
// behind the one that they stand in. What depends on fragments, as what is in an except, is not
// among them. Templates that are fragments themselves are planned as far as programs has
// them: it is asked about each URL once, and returns nil for what is no template, or not
// known. Nothing is fetched.
func Plan(p *Page, programs func(*Include) *Program) []Planned {
	a := assembly{page: p, options: p.Options, fetcher: planner(programs)}
	d := a.document(p.Template, p.URL, nil)
	a.scout(d, d.all())
	return d.planned(nil)
}

// planner is a fetcher that has everything at once.
type planner func(*Include) *Program

// Ready implements Fetcher.
func (f planner) Ready(i *Include) (Fragment, bool) {
	return Fragment{Status: 200, Program: f(i)}, true
}

// Fetch implements Fetcher. It is never called.
func (f planner) Fetch(_ context.Context, i *Include) Fragment {
	got, _ := f.Ready(i)
	return got
}

// planned appends what was asked for by a document.
func (d *document) planned(dst []Planned) []Planned {
	for i := range d.places {
		p := &d.places[i]
		if p.in == nil {
			continue // it stands in a branch that is not taken
		}
		dst = append(dst, p.planned())
		if p.inner != nil {
			dst = p.inner.planned(dst)
		}
	}
	return dst
}

func (p *place) planned() Planned {
	e := p.element
	out := Planned{Failure: p.failure, Level: p.in.depth + 1, Alternate: p.second, Continues: e.continues}
	if p.failure == None {
		out.Include, out.Shared = &p.job.include, p.job.users[0] != p
	}
	if e.hasAlt && !p.second {
		if u, ok := p.in.resolve(e.alt, e.params); ok {
			out.Alt = u.String()
		}
	}
	return out
}
