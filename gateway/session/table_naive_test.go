package session

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// naive is a table as a list, least recently used first. It drops what is idle
// as soon as the time comes.
type naive struct {
	o    Options
	list []naiveBinding
}

type naiveBinding struct {
	id, origin string
	used       time.Time
}

func (n *naive) tick(now time.Time) {
	n.list = slices.DeleteFunc(n.list, func(b naiveBinding) bool { return now.Sub(b.used) >= n.o.IdleTimeout })
}

// take takes a binding out of the list.
func (n *naive) take(id string) (b naiveBinding, ok bool) {
	i := slices.IndexFunc(n.list, func(b naiveBinding) bool { return b.id == id })
	if i < 0 {
		return b, false
	}
	b = n.list[i]
	n.list = slices.Delete(n.list, i, i+1)
	return b, true
}

func (n *naive) put(b naiveBinding) (dropped int) {
	n.list = append(n.list, b)
	return n.trim()
}

func (n *naive) trim() (dropped int) {
	dropped = max(0, len(n.list)-n.o.Entries)
	n.list = n.list[dropped:]
	return dropped
}

func (n *naive) count() map[string]int {
	counts := make(map[string]int)
	for _, b := range n.list {
		counts[b.origin]++
	}
	return counts
}

var drawOptions = rapid.Custom(func(t *rapid.T) Options {
	return Options{
		Entries:     rapid.IntRange(1, 8).Draw(t, "entries"),
		IdleTimeout: time.Duration(rapid.IntRange(1, 20).Draw(t, "idle")) * time.Second,
	}
})

// Whatever is done with it, a table binds what a list would bind, and has evicted
// as many live bindings.
func TestTableIsAListInOrderOfUse(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := &pair{now: noon, list: naive{o: drawOptions.Draw(rt, "options")}}
		p.table = New(p.list.o)
		rt.Repeat(map[string]func(*rapid.T){
			"bind":    p.bind,
			"use":     p.use,
			"wait":    p.wait,
			"expire":  func(*rapid.T) { p.table.Expire(p.now) },
			"options": p.options,
			"move":    p.move,
			"":        p.check,
		})
	})
}

// pair is a table and what it has to be equal to.
type pair struct {
	now     time.Time
	table   *Table
	list    naive
	evicted int
}

func drawID(t *rapid.T) string { return fmt.Sprint(rapid.IntRange(0, 12).Draw(t, "id")) }

func (p *pair) bind(t *rapid.T) {
	b := naiveBinding{drawID(t), rapid.SampledFrom([]string{"web1", "web2"}).Draw(t, "origin"), p.now}
	p.list.take(b.id)
	p.evicted += p.list.put(b)
	p.table.Bind([]byte(b.id), b.origin, p.now)
}

func (p *pair) use(t *rapid.T) {
	id := drawID(t)
	b, want := p.list.take(id)
	if want {
		p.list.put(naiveBinding{id, b.origin, p.now})
	}
	if origin, ok := p.table.Bound([]byte(id), p.now); origin != b.origin || ok != want {
		t.Fatalf("Bound(%s) = %q, %v, want %q, %v", id, origin, ok, b.origin, want)
	}
}

func (p *pair) wait(t *rapid.T) {
	p.now = p.now.Add(time.Duration(rapid.IntRange(1, 5000).Draw(t, "ms")) * time.Millisecond)
	p.list.tick(p.now)
}

// options expires first: what is idle but still held could live again.
func (p *pair) options(t *rapid.T) {
	p.table.Expire(p.now)
	p.list.o = drawOptions.Draw(t, "options")
	p.table.SetOptions(p.list.o)
	p.evicted += p.list.trim()
	p.list.tick(p.now)
}

// move gives all that is bound to a new table, by way of a stream.
func (p *pair) move(t *rapid.T) {
	moved := restream(t, []Bindings{{"s", p.table.Entries(p.now)}})
	p.table, p.evicted = New(p.list.o), 0
	p.table.Restore(moved[0].Entries, p.now)
}

func (p *pair) check(t *rapid.T) {
	if held := p.table.Len(); held < len(p.list.list) || held > p.list.o.Entries {
		t.Fatalf("%d held, want %d to %d", held, len(p.list.list), p.list.o.Entries)
	}
	for _, b := range p.list.list {
		if origin, ok := p.table.Peek([]byte(b.id), p.now); origin != b.origin || !ok {
			t.Fatalf("%s is bound to %q, %v, want %q", b.id, origin, ok, b.origin)
		}
	}
	if got := p.table.Evicted(); got != uint64(p.evicted) {
		t.Fatalf("%d evicted, want %d", got, p.evicted)
	}
	if got, want := p.table.Count(), p.list.count(); len(p.list.list) == p.table.Len() && !maps.Equal(got, want) {
		t.Fatalf("Count() = %v, want %v", got, want)
	}
}
