package plugins

import (
	"slices"
	"strconv"

	"weirkeep/abi"
)

// Permits says which positions of the cluster table a request may go to.
type Permits interface {
	Permits(position uint16) bool
}

// Unknowns is implemented by Permits that want to know what else a router lists:
// origins that are not there, by name or position.
type Unknowns interface {
	Unknown(name string)
}

// Route asks a router where a request goes. It appends to dst the positions of the
// origins that the guest listed, best first, without repeats and without those that
// are not there or not of the request's group. Listed is false where the guest
// abstains, or where the view's generation is not known any more: then the balancer
// decides; a list of which nothing is left is none such. It allocates nothing where
// the guest answers.
func (a *Attachment) Route(v *abi.View, of Properties, group Permits, dst []uint16) (list []uint16, listed bool, failure *Failure) {
	if a.cutBody(v) {
		return dst, false, a.refuse(BodyTooLarge)
	}
	t, failure := a.enter(v.Generation, a.plugin.limits.Wait)
	if failure != nil {
		return dst, false, failure
	}
	if t.table == nil || t.table.t.Generation != v.Generation {
		t.unused() // the request knows other positions than the guest
		return dst, false, nil
	}
	size, err := v.PutWithin(t.buffer(), a.viewLimit())
	if err != nil {
		return dst, false, t.tooLarge()
	}
	export := callRoute
	if t.functions[callRoute] == nil {
		export = callNames
	}
	n, err := t.call(ask{export: export, phase: serving, now: v.Now, of: of, size: size})
	switch {
	case err != nil:
		return dst, false, t.fail(faultOf(err), export, v.RequestID)
	case n < 0:
		return dst, false, t.negative(n)
	}
	list, err = t.read(export, n, size, group, dst)
	if err != nil {
		return dst, false, t.fail(invalid("%v", err), export, v.RequestID)
	}
	t.leave()
	return list, n > 0, nil
}

// cutBody reports whether the plugin is shown whole bodies only, and this one is not.
func (a *Attachment) cutBody(v *abi.View) bool {
	return a.plugin.needs.WholeBody && v.Flags&abi.FlagBody != 0 && v.Flags&abi.FlagWhole == 0
}

// viewLimit is how many bytes a view may have.
func (a *Attachment) viewLimit() int {
	return abi.ResultArea(a.plugin.limits.View) + abi.ResultArea(a.plugin.needs.body(a.plugin.limits))
}

// read reads the list that the guest wrote.
func (t turn) read(export call, n int32, size int, group Permits, dst []uint16) ([]uint16, error) {
	area, from := t.buffer()[abi.ResultArea(size):], len(dst)
	if export == callNames {
		return t.readNames(area, n, group, dst)
	}
	list, err := abi.ReadRoute(area, n, dst)
	if err != nil {
		return dst, err
	}
	kept := from
	for _, p := range list[from:] {
		if t.takes(p, group, list[from:kept]) {
			list[kept] = p
			kept++
		}
	}
	return list[:kept], nil
}

// readNames reads a list in the names form.
func (t turn) readNames(area []byte, n int32, group Permits, dst []uint16) ([]uint16, error) {
	from, counters := len(dst), t.a.plugin.counters
	err := abi.ReadNames(area, n, func(name []byte) {
		p, known := t.table.find(name)
		switch {
		case !known:
			counters.Unlisted[notThere].Inc()
			if u, ok := group.(Unknowns); ok {
				u.Unknown(visible(string(name)))
			}
		case t.takes(p, group, dst[from:]):
			dst = append(dst, p)
		}
	})
	return dst, err
}

// takes reports whether a position that the guest listed counts.
func (t turn) takes(p uint16, group Permits, before []uint16) bool {
	switch {
	case int(p) >= len(t.table.t.Entries):
		t.a.plugin.counters.Unlisted[notThere].Inc()
		if u, ok := group.(Unknowns); ok {
			u.Unknown("position " + strconv.Itoa(int(p)))
		}
		return false
	case slices.Contains(before, p):
		return false
	case !group.Permits(p):
		t.a.plugin.counters.Unlisted[notInGroup].Inc()
		return false
	}
	return true
}
