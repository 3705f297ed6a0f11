package config

import (
	"fmt"

	"weirkeep/gateway/unit"
)

// CacheRanges says which answers are stored in slices, each of which is fetched when it is
// asked for: those that have a strong validator, and whose origin sends ranges.
type CacheRanges struct {
	Slice unit.Size `yaml:"slice" default:"1MiB" range:"0B..1GiB"` // length of a slice, 4KiB at least; default 1MiB, or max_object if that is less; 0: no answer is stored in slices
	Above unit.Size `yaml:"above" default:"64MiB" range:"4KiB.."`  // longer answers are stored in slices; default 64MiB
}

// leastSlice is the shortest slice: one costs some 2 KiB beside its bytes.
const leastSlice = 4 << 10

// settleSlices looks whether a slice can be stored. The one that nobody has written is made
// to fit.
func (l *loader) settleSlices(c *Cache, path string) {
	r, most := &c.Ranges, l.cfg.Cache.MaxObject
	switch {
	case l.bad[path] || r.Slice == 0:
	case !l.written(path):
		r.Slice = min(r.Slice, most)
	case r.Slice < leastSlice:
		l.fail(path, "E110", fmt.Sprintf("%s is %v, must be 0 or at least %v", path, r.Slice, unit.Size(leastSlice)), "0 stores no answer in slices")
	case r.Slice > most:
		l.fail(path, "E207", fmt.Sprintf("%s is %v, and cache.max_object %v: no slice could be stored", path, r.Slice, most), fmt.Sprintf("write slice: %v, or less, or a larger cache.max_object", most))
	}
}
