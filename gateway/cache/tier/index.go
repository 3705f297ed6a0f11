package tier

import (
	"encoding/binary"
	"slices"

	"weirkeep/gateway/cache/disk"
)

// index is the ids of what may be read, by target. It takes some 80 bytes for one, beside
// the 70 of package disk.
type index map[uint64][]uint64

// mostVariants is how many answers of one key are kept.
const mostVariants = 64

// halves are the target's part of an id, and the rest.
func halves(id []byte) (target, rest uint64) {
	return binary.BigEndian.Uint64(id), binary.BigEndian.Uint64(id[8:])
}

func idFrom(target, rest uint64) (id disk.ID) {
	binary.BigEndian.PutUint64(id[:], target)
	binary.BigEndian.PutUint64(id[8:], rest)
	return id
}

func (x index) add(id disk.ID) {
	target, rest := halves(id[:])
	if !slices.Contains(x[target], rest) {
		x[target] = append(x[target], rest)
	}
}

func (x index) remove(id disk.ID) {
	target, rest := halves(id[:])
	i := slices.Index(x[target], rest)
	switch {
	case i < 0:
	case len(x[target]) == 1:
		delete(x, target)
	default:
		x[target] = slices.Delete(x[target], i, i+1)
	}
}

func (x index) has(id disk.ID) bool {
	target, rest := halves(id[:])
	return slices.Contains(x[target], rest)
}

// of are the ids of a key, the oldest first.
func (x index) of(k keySum) (ids []disk.ID) {
	target := binary.BigEndian.Uint64(k[:])
	for _, rest := range x[target] {
		if uint32(rest>>32) == binary.BigEndian.Uint32(k[8:]) {
			ids = append(ids, idFrom(target, rest))
		}
	}
	return ids
}

// ofTarget are the ids of a key's target.
func (x index) ofTarget(k keySum) (ids []disk.ID) {
	target := binary.BigEndian.Uint64(k[:])
	for _, rest := range x[target] {
		ids = append(ids, idFrom(target, rest))
	}
	return ids
}

// tidyBy is at how many targets tidy looks.
const tidyBy = 4

// tidy forgets what the disk has let go, of a few targets, whichever they are. Done once
// for each id that is added, it keeps those that are there for nothing to a part.
func (x index) tidy(has func(disk.ID) bool) {
	looked := 0
	for target, list := range x {
		if looked++; looked > tidyBy {
			return
		}
		left := slices.DeleteFunc(list, func(rest uint64) bool { return !has(idFrom(target, rest)) })
		if x[target] = left; len(left) == 0 {
			delete(x, target)
		}
	}
}
