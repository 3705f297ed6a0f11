package route

import (
	"time"

	"weirkeep/gateway/session"
	"weirkeep/rules"
)

// OnPrimaryDown says where the requests of a session go whose origin is out.
type OnPrimaryDown uint8

// The choices (D-WL-08).
const (
	ToSecondary OnPrimaryDown = iota // to the replica that the session names, else anywhere
	ToAny                            // anywhere: another origin takes the session over
	ToNone                           // nowhere
)

// bind finds the origin that the request goes to by its session, if there is one
// in the best set.
func (t *Table) bind(d *Decision, r *Request, v View, now time.Time) {
	r.Session = rules.Session{New: true}
	s := d.Session
	if s == nil {
		return
	}
	if d.ID, d.Carrier = s.Find(r.Fields, r.Path, r.Query); d.ID != nil {
		r.Session = rules.Session{ID: d.ID}
		r.Session.Primary, r.Session.Secondary = s.Parts(d.ID)
	}
	t.tie(d, r, v, now)
	d.Home = t.home(d, v)
}

// tie finds out to which origins the session is bound.
func (t *Table) tie(d *Decision, r *Request, v View, now time.Time) {
	if r.Seal != nil && v != nil { // what the id says is sealed: the view has it from the log
		if d.Bound = v.Bound(d.Session, d.ID, now); d.Bound != "" {
			d.Primary = t.named(d.Bound)
			return
		}
	}
	switch s := d.Session; s.Binding {
	case session.Passive:
		d.Primary, d.Secondary = t.withID(r.Session.Primary), t.withID(r.Session.Secondary)
		d.Bound = t.nameOf(d.set, d.Primary)
	case session.GatewayCookie:
		d.Bound = s.Gateway.Find(r.Fields)
		d.Primary = t.named(d.Bound)
	default:
		if d.ID != nil && v != nil {
			d.Bound = v.Bound(s, d.ID, now)
			d.Primary = t.named(d.Bound)
		}
	}
}

// withID is the identity of the origin that an id of a session names.
func (t *Table) withID(id []byte) int {
	if identity, ok := t.byID[string(id)]; ok {
		return identity
	}
	return -1
}

func (t *Table) named(name string) int {
	if identity, ok := t.byName[name]; ok {
		return identity
	}
	return -1
}

// nameOf is the BindName of an origin of a best set; empty: it is not there.
func (t *Table) nameOf(set, identity int) string {
	if identity < 0 {
		return ""
	}
	for _, m := range t.sets[set].members {
		if t.origin(m).Identity == identity {
			return t.BindName(m)
		}
	}
	return ""
}

// home is the origin that the request goes to by its binding: that of the
// session, or its replica, if it is of the best set and can be used.
func (t *Table) home(d *Decision, v View) int {
	set, policy := &t.sets[d.set], t.mappings[d.Mapping].onDown
	usable := func(identity int) bool {
		return set.has.contains(identity) && (v == nil || v.Usable(identity))
	}
	switch {
	case usable(d.Primary):
		return d.Primary
	case policy == ToNone && set.has.contains(d.Primary):
		return d.Primary
	case policy == ToSecondary && usable(d.Secondary):
		return d.Secondary
	}
	return -1
}
