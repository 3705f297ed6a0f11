package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Import is a function that a module imports.
type Import struct {
	Module, Name    string
	Params, Results []ValueType
}

// Link is for engines: it returns the host function of each import, or an
// error that names every import for which there is none, or one of another
// type.
func Link(imports []Import, host []HostFunction) ([]*HostFunction, error) {
	linked := make([]*HostFunction, len(imports))
	var errs []error
	for n, i := range imports {
		f, err := find(i, host)
		linked[n] = f
		errs = append(errs, err)
	}
	return linked, errors.Join(errs...)
}

// find returns the host function of one import.
func find(i Import, host []HostFunction) (*HostFunction, error) {
	at := slices.IndexFunc(host, func(h HostFunction) bool { return h.Module == i.Module && h.Name == i.Name })
	if at < 0 {
		return nil, fmt.Errorf("the module imports %s.%s, which does not exist here", i.Module, i.Name)
	}
	h := &host[at]
	if !slices.Equal(h.Params, i.Params) || !slices.Equal(h.Results, i.Results) {
		return nil, fmt.Errorf("the module imports %s.%s as %s, but it is %s", i.Module, i.Name, signature(i.Params, i.Results), signature(h.Params, h.Results))
	}
	return h, nil
}

// signature writes a type as (i32, i64) -> i32.
func signature(params, results []ValueType) string {
	return "(" + names(params) + ") -> " + cmp.Or(names(results), "nothing")
}

func names(types []ValueType) string {
	var all []string
	for _, t := range types {
		all = append(all, t.String())
	}
	return strings.Join(all, ", ")
}
