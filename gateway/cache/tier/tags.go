package tier

import (
	"hash/maphash"
	"math/rand/v2"
	"slices"
	"sync"

	"weirkeep/gateway/cache/disk"
)

// tagIndex says what on the disk may have a tag: what had it once, and is there. Whether it
// still has it is to be read. It takes 16 to 32 bytes for each tag of each answer, and some
// 40 for each tag. What answers had that have other tags now stays, until that is too much:
// then it is made anew.
type tagIndex struct {
	seed maphash.Seed

	mu       sync.Mutex // no shard waits for it
	ids      map[uint64][]disk.ID
	pairs    int  // ids in all lists
	over     bool // there were too many: it knows nothing
	hopeless bool // there were, also when it was made anew
}

// mostPairs is how many ids there may be in all lists, a tag counting as so many: 128 MiB at
// most.
const (
	mostPairs = 4 << 20
	tagWeight = 3
)

func newTagIndex() *tagIndex {
	return &tagIndex{seed: maphash.MakeSeed(), ids: make(map[uint64][]disk.ID)}
}

// load adds an answer that is told once, by its summary.
func (x *tagIndex) load(id disk.ID, summary []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	eachTag(summary, func(tag []byte) {
		sum := maphash.Bytes(x.seed, tag)
		x.putLocked(sum, append(x.ids[sum], id), 1)
	})
}

// add adds an answer, which may be known already. Has reports whether one is still there.
func (x *tagIndex) add(id disk.ID, tags []string, has func(disk.ID) bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, tag := range tags {
		sum := maphash.String(x.seed, tag)
		list := x.ids[sum]
		before := len(list)
		if len(list) == cap(list) {
			list = tidied(list, has)
		}
		list = append(list, id)
		x.putLocked(sum, list, len(list)-before)
	}
	x.tidyLocked(has)
}

// tidied is a list that is full without what is twice in it or not there any more, and
// with as much room again as that takes: so each id is looked at once for each time that
// another one is added.
func tidied(list []disk.ID, has func(disk.ID) bool) []disk.ID {
	slices.SortFunc(list, compareIDs)
	list = slices.DeleteFunc(slices.Compact(list), func(id disk.ID) bool { return !has(id) })
	if len(list) > cap(list)/2 {
		list = slices.Grow(list, max(len(list), 1))
	}
	return list
}

func compareIDs(a, b disk.ID) int { return slices.Compare(a[:], b[:]) }

// tidyLocked looks at one id of one tag, whichever they are: tags that nothing is given any
// more go in time.
func (x *tagIndex) tidyLocked(has func(disk.ID) bool) {
	for sum, list := range x.ids {
		if i := rand.IntN(len(list)); !has(list[i]) {
			list[i] = list[len(list)-1]
			x.putLocked(sum, list[:len(list)-1], -1)
		}
		return
	}
}

// putLocked sets a list that has become so much longer.
func (x *tagIndex) putLocked(sum uint64, list []disk.ID, more int) {
	if x.pairs += more; x.pairs+tagWeight*len(x.ids) > mostPairs {
		x.ids, x.pairs, x.over = nil, 0, true
	}
	switch {
	case x.over:
	case len(list) == 0:
		delete(x.ids, sum)
	default:
		x.ids[sum] = list
	}
}

// of is what may have one of some tags; false: it is not known, or so many ids that another
// way is as good.
func (x *tagIndex) of(tags []string, most int) (ids []disk.ID, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over || len(tags) == 0 {
		return nil, false
	}
	for _, tag := range tags {
		if ids = append(ids, x.ids[maphash.String(x.seed, tag)]...); len(ids) > 4*most {
			return nil, false
		}
	}
	slices.SortFunc(ids, compareIDs)
	ids = slices.Compact(ids)
	return ids, len(ids) <= most
}

// clear forgets all of it.
func (x *tagIndex) clear() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.ids, x.pairs, x.over, x.hopeless = make(map[uint64][]disk.ID), 0, false, false
}

// wantsAll reports whether it has to be made anew to know anything, and may.
func (x *tagIndex) wantsAll() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.over && !x.hopeless
}

// replace makes it one that was made anew.
func (x *tagIndex) replace(by *tagIndex) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.ids, x.pairs, x.over, x.hopeless = by.ids, by.pairs, by.over, by.over
}

// reindex makes the index of tags anew. Nothing is being written.
func (v *Volume) reindex() error {
	fresh := &tagIndex{seed: v.tags.seed, ids: make(map[uint64][]disk.ID)}
	err := v.disk.All(func(i disk.Item) bool {
		if v.has(i.ID) {
			fresh.load(i.ID, i.Summary)
		}
		return true
	})
	if err == nil {
		v.tags.replace(fresh)
	}
	return err
}

// eachTag calls f with the tags of a summary, which are views of it.
func eachTag(summary []byte, f func(tag []byte)) {
	if len(summary) < summaryHead || summary[0] != summaryVersion {
		return
	}
	b := summary[summaryHead:]
	for n := 0; len(b) > 0; n++ {
		part, rest, ok := cutPart(b)
		if !ok {
			return
		}
		if b = rest; n >= summaryParts {
			f(part)
		}
	}
}
