package store

import (
	"cmp"
	"slices"
)

// Order is what a list begins with.
type Order uint8

// The orders.
const (
	ByHits Order = iota // what was found most often
	BySize              // what takes most bytes
	ByAge               // what was received first
)

// orders compare two entries, the one that comes first being less.
var orders = [...]func(a, b listed) int{
	ByHits: func(a, b listed) int { return cmp.Compare(b.hits, a.hits) },
	BySize: func(a, b listed) int { return cmp.Compare(b.bytes, a.bytes) },
	ByAge: func(a, b listed) int {
		return a.stored.Fresh.Received.Compare(b.stored.Fresh.Received)
	},
}

// listed is an entry with what changes of it, read once.
type listed struct {
	*Entry
	hits, bytes int64
}

// List is the entries that a selector selects, in order, so many at most. Those that are
// equal in it are in the order of their targets.
func (c *Cache) List(sel *Selector, by Order, limit int) []*Entry {
	var all []listed
	for i := range c.shards {
		for _, e := range c.shards[i].collect(sel) {
			if sel.Matches(e) {
				all = append(all, listed{e, e.Hits(), e.Bytes()})
			}
		}
	}
	return first(all, by, limit)
}

// Merge is the first of two lists together, in order.
func Merge(a, b []*Entry, by Order, limit int) []*Entry {
	var all []listed
	for _, list := range [][]*Entry{a, b} {
		for _, e := range list {
			all = append(all, listed{e, e.Hits(), e.Bytes()})
		}
	}
	return first(all, by, limit)
}

// rank puts them in order; those that are equal in it, in the order of their targets.
func rank(all []listed, by Order) {
	slices.SortFunc(all, func(a, b listed) int {
		return cmp.Or(orders[by](a, b), a.home.key.compare(&b.home.key))
	})
}

func first(all []listed, by Order, limit int) []*Entry {
	rank(all, by)
	out := make([]*Entry, min(max(limit, 0), len(all)))
	for i := range out {
		out[i] = all[i].Entry
	}
	return out
}
