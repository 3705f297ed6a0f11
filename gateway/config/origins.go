package config

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// resolveOrigins fills in the parts of every origin, replaces names of shared
// ones by what they stand for, and refuses that one address or one name is
// defined in two ways: load, health and state belong to the address.
func (l *loader) resolveOrigins() {
	d := definitions{loader: l, byAddress: map[string]defined{}, byName: map[string]defined{}}
	for _, name := range l.inFileOrder("origins", sortedKeys(l.cfg.Origins)) {
		o, path := l.cfg.Origins[name], join("origins", name)
		if o.Name != "" && o.Name != name && !l.bad[path+".name"] {
			l.fail(path+".name", "E203", fmt.Sprintf("%s has the name %s; a shared origin's name is its key", path, l.shown(path+".name", o.Name)), "")
		}
		o.Name = name
		d.define(&o, path)
		l.cfg.Origins[name] = o
	}
	for _, name := range l.inFileOrder("clusters", l.clusterNames()) {
		d.cluster(l.cfg.Clusters[name].Origins, join("clusters", name))
	}
}

// defined is an origin with the path of its definition.
type defined struct {
	origin Origin
	path   string
}

// definitions are the origins seen so far.
type definitions struct {
	*loader
	byAddress, byName map[string]defined
}

// cluster resolves the origins of one cluster in place.
func (d *definitions) cluster(origins []Origin, path string) {
	listed := map[string]string{}
	for i := range origins {
		o, at := &origins[i], index(path+".origins", i)
		if o.shared != "" {
			d.look(o, at)
		} else {
			d.define(o, at)
		}
		if first, again := listed[o.identity()]; again && o.HostPort != "" && !d.bad[at] {
			d.fail(at, "E206", fmt.Sprintf("%s lists the origin %s twice, first as %s", path, o.Name, first), "")
		}
		listed[o.identity()] = at
	}
}

// look replaces the name of a shared origin by its definition.
func (d *definitions) look(o *Origin, path string) {
	shared, ok := d.cfg.Origins[o.shared]
	if !ok {
		d.refer(path, path, "origin", o.shared, sortedKeys(d.cfg.Origins))
		return
	}
	*o = shared
}

// define fills in an origin and compares it with those of its address and name.
func (d *definitions) define(o *Origin, path string) {
	if o.Name == "" {
		o.Name = o.Address
	}
	o.Scheme, o.HostPort, _ = splitOrigin(o.Address)
	if host, _, ok := splitPort(o.HostPort); ok && o.Host == "" {
		o.Host = strings.Trim(host, "[]")
	}
	if o.HostPort == "" || d.bad[path] {
		return
	}
	if d.bad[path+".name"] {
		return
	}
	for _, f := range originFacts {
		if d.bad[path+"."+f.key] {
			return
		}
	}
	d.compare(o, path)
	d.note(o, path)
}

// originFacts are what belongs to the address of an origin, in every cluster.
var originFacts = []struct {
	key string
	of  func(*Origin) string
}{
	{"kind", func(o *Origin) string { return o.Kind }},
	{"capacity", func(o *Origin) string { return o.Capacity.String() }},
	{"weight", func(o *Origin) string { return strconv.Itoa(o.Weight) }},
	{"state", func(o *Origin) string { return o.State }},
	{"host", func(o *Origin) string { return o.Host }},
	{"user_dir", func(o *Origin) string { return cmp.Or(o.UserDir, "none") }},
	{"ids", func(o *Origin) string { return cmp.Or(strings.Join(o.IDs, ", "), "none") }},
}

// compare refuses an origin that has the address or the name of another.
func (d *definitions) compare(o *Origin, path string) {
	first, sameAddress := d.byAddress[o.identity()]
	named, sameName := d.byName[o.Name]
	switch {
	case sameAddress && first.origin.Name != o.Name:
		d.differs(path, first.path, fmt.Sprintf("the name of %s is %s", d.shown(path+".address", o.Address), d.shown(path+".name", o.Name)), d.shown(first.path+".name", first.origin.Name))
	case sameAddress:
		d.compareFacts(o, path, first)
	case sameName:
		d.differs(path, named.path, fmt.Sprintf("the address of %s is %s", d.shown(path+".name", o.Name), d.shown(path+".address", o.Address)), d.shown(named.path+".address", named.origin.Address))
	}
}

// compareFacts refuses a second definition of an address that says something else.
func (d *definitions) compareFacts(o *Origin, path string, first defined) {
	for _, f := range originFacts {
		if value, other := f.of(o), f.of(&first.origin); value != other {
			d.disagree(o, path, first, f.key, value, other)
			return
		}
	}
}

// disagree refuses a second definition of an address in which one key differs.
func (d *definitions) disagree(o *Origin, path string, first defined, key, value, other string) {
	d.differs(path, first.path, fmt.Sprintf("the %s of %s is %s", key, d.shown(path+".address", o.Address), value+d.byDefault(path+"."+key)),
		other+d.byDefault(first.path+"."+key))
}

// note remembers the first definition of an address and of a name.
func (d *definitions) note(o *Origin, path string) {
	if _, ok := d.byAddress[o.identity()]; !ok {
		d.byAddress[o.identity()] = defined{*o, path}
	}
	if _, ok := d.byName[o.Name]; !ok {
		d.byName[o.Name] = defined{*o, path}
	}
}

// differs refuses a second definition: what it says, and what the first does.
func (d *definitions) differs(path, first, says, other string) {
	at := d.cfg.places.at(first).span()
	d.fail(path, "E203", fmt.Sprintf("in %s %s, in %s (%s:%d:%d) it is %s", path, says, first, at.src.name, at.line, at.col, other),
		`define it once, under "origins", and name it where it is used`)
}

// identity is what makes two definitions the same origin.
func (o Origin) identity() string { return o.Scheme + "://" + o.HostPort }

func comparePlaces(a, b span) int {
	if a.src == nil || b.src == nil {
		return 0
	}
	return cmp.Or(cmp.Compare(a.src.rank, b.src.rank), cmp.Compare(a.line, b.line), cmp.Compare(a.col, b.col))
}
