package gateway

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// namedOrigin is an origin that an operation is about.
type namedOrigin struct{ cell, cluster, name, address string }

// named are the origins that an operation names, each once.
func (g *Gateway) named(o Operation) (all []namedOrigin, err error) {
	if len(o.Origins) == 0 {
		return nil, fmt.Errorf("%w: none is named", ErrNoOrigin)
	}
	snap := g.current.Load()
	for _, name := range o.Origins {
		found, err := snap.originsCalled(name)
		if len(found) == 0 && o.takesBack() {
			found = g.present.settings.called(name)
		}
		if err == nil && len(found) == 0 {
			err = snap.noOrigin(name)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return firstOfEach(all), nil
}

// firstOfEach drops what is named again.
func firstOfEach(all []namedOrigin) (once []namedOrigin) {
	for _, n := range all {
		if !slices.ContainsFunc(once, func(o namedOrigin) bool { return o.address == n.address }) {
			once = append(once, n)
		}
	}
	return once
}

// originsCalled are the origins of a name, or else of a pattern. A name is of one
// origin, in however many clusters it is.
func (s *snapshot) originsCalled(name string) ([]namedOrigin, error) {
	exact := s.originsOf(func(m *member) bool { return m.isCalled(name) || m.address == name })
	switch {
	case len(exact) > 1:
		return nil, fmt.Errorf("%q is more than one origin: say which of %s", name, fullNames(exact))
	case len(exact) == 1:
		return exact, nil
	}
	if _, err := path.Match(name, ""); err != nil {
		return nil, fmt.Errorf("%w %q: as a pattern it is malformed", ErrNoOrigin, name)
	}
	return s.originsOf(func(m *member) bool { return m.fits(name) }), nil
}

// originsOf are the origins of which a fact is true, each once, by the first cluster
// that has it.
func (s *snapshot) originsOf(is func(*member) bool) (all []namedOrigin) {
	for _, cl := range s.clusters {
		for _, m := range cl.members {
			if is(m) {
				all = append(all, namedOrigin{cl.cell, cl.short, m.name, m.address})
			}
		}
	}
	return firstOfEach(all)
}

// fits reports whether a pattern is one of the origin's names.
func (m *member) fits(pattern string) bool {
	return slices.ContainsFunc([]string{m.name, m.state.origin.Address, m.cluster.short + "/" + m.name, m.path()}, func(name string) bool {
		fits, _ := path.Match(pattern, name)
		return fits
	})
}

// called are the origins of a name for which something is set, whether or not they
// are there.
func (ss settings) called(name string) (all []namedOrigin) {
	for _, address := range sortedKeys(ss) {
		if s := ss[address]; name == s.Name || name == address || name == hostPortOf(address) {
			all = append(all, namedOrigin{name: s.Name, address: address})
		}
	}
	return all
}

// noOrigin says that there is no origin of a name, and what there is instead.
func (s *snapshot) noOrigin(name string) error {
	for _, cl := range s.clusters {
		if name == cl.short || name == cl.cell+"/"+cl.short {
			return fmt.Errorf("%w %q: it is a cluster, and %s/* are its origins", ErrNoOrigin, name, name)
		}
	}
	return fmt.Errorf("%w %q: an origin's name is one, cluster/origin, cell/cluster/origin, its address, or a pattern of these", ErrNoOrigin, name)
}

func fullNames(all []namedOrigin) string {
	var names []string
	for _, n := range all {
		names = append(names, n.cell+"/"+n.cluster+"/"+n.name+" ("+n.address+")")
	}
	return strings.Join(names, ", ")
}
