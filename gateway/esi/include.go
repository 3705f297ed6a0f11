package esi

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// include is an include element.
type include struct {
	src, alt   mixed
	hasAlt     bool
	continues  bool // onerror="continue"
	params     []param
	attributes Attributes
}

// param is a parameter that is added to the query.
type param struct {
	name  string
	value mixed
}

// Attributes are what an include says of how its fragment is to be had. They stand in the
// template, are the same for all requests, and must not be changed.
type Attributes struct {
	// TTL is how long the fragment is fresh, and Stale how long after that it may be used
	// while it is fetched anew. They hold for this use, and never for what is not to be
	// stored (C7).
	TTL, Stale time.Duration
	HasTTL     bool

	// Longer says that the longer one of TTL and the answer's own lifetime holds, not TTL.
	Longer bool

	NoStore  bool          // the answer is not to be stored
	Timeout  time.Duration // to wait for it; 0: the page's options say
	Template bool          // the fragment is a template, whatever its head says (dca="esi")
	Plain    bool          // the fragment is none, whatever its head says (dca="none")
	Redirect bool          // a redirect is to be followed
	Tags     []string      // that the stored answer is to have
}

// openInclude takes an include. One that cannot be meant is dropped; one whose src alone is
// of no use still has its alt.
func (b *builder) openInclude(t *tag) {
	src, ok := t.value("src")
	if !ok || t.bad {
		b.tell(Attribute, "it needs attributes that stand once each, src among them; it is dropped")
		return
	}
	if len(b.program.includes) == maxIncludes {
		b.tell(Excess, "the template has too many includes; it is dropped")
		return
	}
	var i include
	alt, hasAlt := t.value("alt")
	i.src, i.alt, i.hasAlt = b.target("src", src), b.target("alt", alt), hasAlt
	if i.alt == nil {
		i.hasAlt = false
	}
	if i.src == nil && !i.hasAlt {
		return
	}
	onerror, _ := t.value("onerror")
	i.continues = onerror == "continue"
	for _, a := range t.attrs {
		if take := includeAttributes[a.name]; take != nil && !take(&i.attributes, a.value) {
			b.tell(Attribute, a.name+" has no value that it can have, and is ignored")
		}
	}
	b.program.includes = append(b.program.includes, i)
	b.emit(instruction{op: opInclude, a: uint32(len(b.program.includes) - 1)})
}

// target reads src or alt, nil if it is no URL whatever the request.
func (b *builder) target(name, s string) mixed {
	m := b.mix(s)
	if text, fixed := m.literal(); fixed && !valid(text) {
		if s != "" || name == "src" {
			b.tell(Target, name+" is no http or https URL; it is never fetched")
		}
		return nil
	}
	return m
}

// openParam takes a parameter of the include around it.
func (b *builder) openParam(t *tag) {
	around := b.top().include
	if around == 0 {
		return
	}
	i := &b.program.includes[around-1]
	name, ok := t.value("name")
	value, _ := t.value("value")
	if !ok || t.bad || len(i.params) == maxParameters {
		b.tell(Attribute, "it needs a name and a value; it is dropped")
		return
	}
	i.params = append(i.params, param{name, b.mix(value)})
}

// includeAttributes are those of an include that are the same for all requests. What they
// return is whether the value was one.
var includeAttributes = map[string]func(a *Attributes, value string) bool{
	"ttl":       (*Attributes).takeTTL,
	"max-age":   (*Attributes).takeMaxAge,
	"no-store":  func(a *Attributes, v string) (ok bool) { a.NoStore, ok = onOff(v); return ok },
	"redirect":  func(a *Attributes, v string) (ok bool) { a.Redirect, ok = onOff(v); return ok },
	"maxwait":   func(a *Attributes, v string) (ok bool) { a.Timeout, ok = times(v, time.Millisecond); return ok },
	"timeout":   func(a *Attributes, v string) (ok bool) { a.Timeout, ok = times(v, time.Second); return ok },
	"dca":       (*Attributes).takeKind,
	"cache-tag": (*Attributes).takeTags,
}

// ttlUnits are the units of ttl.
var ttlUnits = map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour}

func (a *Attributes) takeTTL(v string) (ok bool) {
	unit := time.Second
	if n := len(v); n > 0 && ttlUnits[v[n-1]] != 0 {
		unit, v = ttlUnits[v[n-1]], v[:n-1]
	}
	a.TTL, a.HasTTL = times(v, unit)
	return a.HasTTL
}

func (a *Attributes) takeMaxAge(v string) bool {
	fresh, stale, both := strings.Cut(v, "+")
	f, ok := times(fresh, time.Second)
	s, ok2 := times(stale, time.Second)
	if !ok || both && !ok2 {
		return false
	}
	a.TTL, a.Stale, a.HasTTL, a.Longer = f, s, true, true
	return true
}

func (a *Attributes) takeKind(v string) bool {
	a.Template, a.Plain = v == "esi", v == "none"
	return a.Template || a.Plain
}

func (a *Attributes) takeTags(v string) bool {
	a.Tags = strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' })
	if len(a.Tags) > maxTags {
		a.Tags = nil
	}
	return len(a.Tags) > 0
}

func onOff(v string) (on, ok bool) {
	switch v {
	case "on", "yes", "true", "1":
		return true, true
	case "off", "no", "false", "0":
		return false, true
	}
	return false, false
}

// times returns so many units, at most what a duration can be.
func times(v string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseUint(v, 10, 63)
	if err != nil {
		return 0, false
	}
	return time.Duration(min(n, uint64(math.MaxInt64/unit))) * unit, true
}

func (i *include) size() int {
	n := i.src.size() + i.alt.size() + sizeOf(i.params) + sizeOf(i.attributes.Tags)
	for _, p := range i.params {
		n += len(p.name) + p.value.size()
	}
	for _, tag := range i.attributes.Tags {
		n += len(tag)
	}
	return n
}
