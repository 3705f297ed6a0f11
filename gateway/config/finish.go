package config

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"
)

// finish completes what was written: defaults, parts of addresses, references;
// and finds what is missing or does not fit together.
func (l *loader) finish() {
	l.complete(reflect.ValueOf(l.cfg).Elem(), "")
	l.cfg.RulesAuthority = cmp.Or(l.cfg.RulesAuthority, l.cfg.Node.Cell)
	l.implySite()
	l.fillClusters()
	l.check()
	if l.problems.Errors() == 0 {
		l.names()
	}
	l.lint()
}

// complete fills in the defaults of fields that were not written, and reports
// those that had to be.
func (l *loader) complete(v reflect.Value, path string) {
	switch v.Kind() {
	case reflect.Struct:
		l.completeFields(v, path)
	case reflect.Slice:
		for i := range v.Len() {
			l.complete(v.Index(i), index(path, i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			elem := reflect.New(v.Type().Elem()).Elem()
			elem.Set(v.MapIndex(key))
			l.complete(elem, join(path, key.String()))
			v.SetMapIndex(key, elem)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			l.complete(v.Elem(), path)
		}
	}
}

// completeFields completes a struct, unless it is one that has no keys or was
// no map in the file.
func (l *loader) completeFields(v reflect.Value, path string) {
	if o, ok := v.Addr().Interface().(*Origin); ok && o.shared != "" || isText(v) || l.bad[path] {
		return
	}
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if key := keyOf(field); key != "" {
			l.completeField(v.Field(i), rulesOf(field.Tag), path, key)
		}
	}
}

// completeField completes one field of the struct at a path.
func (l *loader) completeField(v reflect.Value, f rules, path, key string) {
	child := join(path, key)
	_, written := l.cfg.places[child]
	switch {
	case l.bad[child] && (f.hasStandard || isEmpty(v)):
	case f.or != "" && isEmpty(v) && !written:
		l.either(path, key, f.or)
	case f.present && isEmpty(v):
		l.missing(path, key, child, written)
	case !written && f.hasStandard, f.hasStandard && isEmptyText(v):
		setStandard(v, f.standard)
	default:
		l.complete(v, child)
	}
}

// missing reports a key that must be written, or a list or map without entries.
func (l *loader) missing(path, key, child string, written bool) {
	switch {
	case written:
		l.fail(child, "E106", child+" is empty, must have at least one entry", "")
	case path == "":
		l.fail(child, "E106", key+" is missing", "")
	default:
		l.fail(child, "E106", fmt.Sprintf("%s has no %s", path, key), "")
	}
}

// either reports keys of which one must be written, and none is; but not in what
// nobody wrote.
func (l *loader) either(path, key, others string) {
	if !l.written(path) || l.bad[join(path, key)] {
		return
	}
	all := strings.Split(others, "|")
	for _, other := range all {
		if b := join(path, other); l.written(b) || l.bad[b] {
			return
		}
	}
	l.fail(join(path, key), "E106", fmt.Sprintf("%s has neither %s nor %s", path, key, strings.Join(all, " nor ")), "")
}

func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.String:
		return v.Len() == 0
	}
	return false
}

func isEmptyText(v reflect.Value) bool { return v.Kind() == reflect.String && v.Len() == 0 }

// setStandard sets a field to its default.
func setStandard(v reflect.Value, text string) {
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if v.Kind() == reflect.Slice {
		for entry := range strings.SplitSeq(text, "|") {
			one := reflect.New(v.Type().Elem()).Elem()
			setStandard(one, entry)
			v.Set(reflect.Append(v, one))
		}
		return
	}
	if _, reason := assign(v, text); reason != "" {
		panic("config: default " + text + " " + reason)
	}
}

// implySite makes the smallest form of a file whole: with no sites and exactly
// one cluster, a site for every host is mapped to it.
func (l *loader) implySite() {
	c := l.cfg
	if len(c.Sites) > 0 || l.bad["sites"] || l.bad["clusters"] || len(c.Clusters) == 0 {
		return
	}
	if len(c.Clusters) > 1 {
		l.fail("clusters", "E208", fmt.Sprintf("there are %d clusters and no sites: nothing says which cluster answers for which host", len(c.Clusters)),
			"add sites, and mappings from them to the clusters")
		return
	}
	c.Sites = map[string]Site{impliedSite: {Kind: "public", Hosts: []string{"**"}, PathPrefix: "/"}}
	if l.cfg.DefaultSite == "" {
		c.DefaultSite = impliedSite
	}
	if len(c.Mappings) == 0 {
		c.Mappings = []Mapping{{Cluster: l.clusterNames()[0]}}
	}
	for i := range c.Mappings {
		if c.Mappings[i].Site == "" {
			c.Mappings[i].Site = impliedSite
		}
	}
}

// fillClusters makes the short form of mappings the long one.
func (l *loader) fillClusters() {
	for i := range l.cfg.Mappings {
		m := &l.cfg.Mappings[i]
		if m.Cluster != "" && !l.written(index("mappings", i)+".clusters") {
			m.Clusters = []string{m.Cluster}
		}
		for j := range m.Clusters {
			m.Clusters[j] = l.clusterKey(m.Clusters[j])
		}
		for j := range m.Failover {
			m.Failover[j] = l.clusterKey(m.Failover[j])
		}
	}
}

// impliedSite is the name of the site that is implied when there is none.
const impliedSite = "default"

// names gives names to what has none, and the node its own.
func (l *loader) names() {
	c := l.cfg
	if c.Node.Name == "" {
		c.Node.Name = l.host.nodeName()
	}
	if c.Node.Host == "" {
		c.Node.Host = l.host.nodeName()
	}
	if c.Node.StateDir == "" {
		c.Node.StateDir = l.host.stateDir()
	}
}
