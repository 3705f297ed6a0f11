package store

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// model is what a cache with room enough must do, told naively: a list of answers and
// a list of flights.
type model struct {
	t       *rapid.T
	c       *Cache
	answers []*told
	flights []*flown
	n       uint64
}

// told is an answer that should be in the cache.
type told struct {
	key     Key
	tier    string
	tags    []string
	body    []byte
	known   bool // how long it is
	written int
	seen    int // of that: not what may be the last before it is said to be
	done    bool
	expired bool
	fill    *Fill
}

// flown is a flight, with what has come since it began.
type flown struct {
	flight     *Flight
	key        Key
	hard, soft []func(*told) bool
}

var (
	modelTargets = []string{"/a", "/a?q", "/img/b", "/img/c/d"}
	modelTags    = []string{"x", "y", "z"}
	modelTiers   = []string{"gold", "iron"}
	modelWords   = []string{"site:shop", "site:blog", "tag:x", "tag:y", "path:/img/**", "path:/a", "path:/*", "path:/a?q", "path:**"}
)

func (m *model) key() Key {
	return Key{
		Site:    rapid.SampledFrom([]string{"shop", "blog"}).Draw(m.t, "site"),
		Secure:  rapid.Bool().Draw(m.t, "secure"),
		Variant: rapid.SampledFrom([]string{"", "v"}).Draw(m.t, "variant"),
		Target:  []byte(rapid.SampledFrom(modelTargets).Draw(m.t, "target")),
	}
}

func (m *model) begin(*rapid.T) {
	f := &flown{key: m.key()}
	f.flight = m.c.Alone(&f.key)
	m.flights = append(m.flights, f)
}

// land ends a flight with an answer, of which nothing is written yet.
func (m *model) land(*rapid.T) {
	if len(m.flights) == 0 {
		return
	}
	i := rapid.IntRange(0, len(m.flights)-1).Draw(m.t, "flight")
	f := m.flights[i]
	m.flights = slices.Delete(m.flights, i, i+1)
	m.n++
	a := &told{key: f.key, tier: rapid.SampledFrom(modelTiers).Draw(m.t, "tier")}
	a.tags = rapid.SliceOfNDistinct(rapid.SampledFrom(modelTags), 0, 2, rapid.ID[string]).Draw(m.t, "tags")
	a.body = noise(m.n, rapid.IntRange(0, 3*leastPiece).Draw(m.t, "length"))
	s := varied(with("tier", a.tier), "tier")
	s.Tags = a.tags
	if a.known = rapid.Bool().Draw(m.t, "known"); a.known {
		s.Length = int64(len(a.body))
	}
	a.fill = f.flight.Store(s, []byte(fmt.Sprint(m.n)))
	m.keep(a, f)
}

func (m *model) keep(a *told, f *flown) {
	says := func(fs []func(*told) bool) bool {
		return slices.ContainsFunc(fs, func(f func(*told) bool) bool { return f(a) })
	}
	if says(f.hard) {
		a.finish() // it can still be written, for nobody
		return
	}
	a.expired = says(f.soft)
	m.drop(func(b *told) bool { return a.key.Equal(&b.key) && a.tier == b.tier })
	m.answers = append(m.answers, a)
}

func (a *told) finish() {
	if !a.done {
		a.fill.Write(a.body[a.written:])
		a.fill.Done()
	}
}

// drop takes answers out. Those that were being filled are filled to the end, for nobody.
func (m *model) drop(which func(*told) bool) {
	m.answers = slices.DeleteFunc(m.answers, func(a *told) bool {
		if !which(a) {
			return false
		}
		a.finish()
		return true
	})
}

func (m *model) pick(t *rapid.T) *told {
	if len(m.answers) == 0 {
		return nil
	}
	return rapid.SampledFrom(m.answers).Draw(t, "answer")
}

func (m *model) write(t *rapid.T) {
	a := m.pick(t)
	if a == nil || a.done {
		return
	}
	n := rapid.IntRange(0, len(a.body)-a.written).Draw(t, "bytes")
	if err := a.fill.Write(a.body[a.written : a.written+n]); err != nil {
		t.Fatalf("Write: %v", err)
	}
	if a.written += n; !a.known || a.written < len(a.body) {
		a.seen = a.written
	}
}

func (m *model) complete(t *rapid.T) {
	if a := m.pick(t); a != nil {
		a.finish()
		a.done, a.written, a.seen = true, len(a.body), len(a.body)
	}
}

func (m *model) fail(t *rapid.T) {
	a := m.pick(t)
	if a == nil || a.done {
		return
	}
	a.fill.Fail()
	a.done = true
	m.drop(func(b *told) bool { return b == a })
}

// update is a 304: other metadata, no longer expired, with other tags.
func (m *model) update(t *rapid.T) {
	a := m.pick(t)
	if a == nil {
		return
	}
	e := m.c.Lookup(&a.key, with("tier", a.tier), policy).Entry
	s := *e.Stored()
	s.Fresh.Expired = false
	s.Tags = []string{rapid.SampledFrom(modelTags).Draw(t, "tag")}
	m.c.Alone(&a.key).Update(e, &s, bytes.Repeat([]byte("h"), rapid.IntRange(0, 100).Draw(t, "head")))
	a.tags, a.expired = s.Tags, false
}

func (m *model) invalidate(t *rapid.T) {
	k := m.key()
	hit := func(a *told) bool { return a.key.SameTarget(&k) }
	want := 0
	for _, a := range m.answers {
		if hit(a) {
			want++
		}
	}
	if n := m.c.InvalidateTarget(k.Site, k.Secure, k.Target); n != want {
		t.Fatalf("InvalidateTarget: %d, want %d", n, want)
	}
	m.drop(hit)
	for _, f := range m.flights {
		f.hard = append(f.hard, hit)
	}
}

func (m *model) purge(t *rapid.T) {
	words := rapid.SliceOfN(rapid.SampledFrom(modelWords), 0, 3).Draw(t, "words")
	sel, err := ParseSelector(strings.Join(words, " "), true, nil)
	if err != nil {
		t.Fatal(err)
	}
	hit := naively(words)
	how := rapid.SampledFrom([]How{Hard, Soft}).Draw(t, "how")
	preview := rapid.Bool().Draw(t, "preview")
	want := 0
	for _, a := range m.answers {
		if hit(a) {
			want++
		}
	}
	if r := m.c.Purge(sel, how, preview); r.Count != want || len(r.Items) != want {
		t.Fatalf("purge %v: %d with %d items, want %d", words, r.Count, len(r.Items), want)
	}
	if !preview {
		m.purged(hit, how)
	}
}

func (m *model) purged(hit func(*told) bool, how How) {
	for _, f := range m.flights {
		if how == Hard {
			f.hard = append(f.hard, hit)
		} else {
			f.soft = append(f.soft, hit)
		}
	}
	if how == Hard {
		m.drop(hit)
		return
	}
	for _, a := range m.answers {
		a.expired = a.expired || hit(a)
	}
}

// naively is what words of a selector mean, each on its own.
func naively(words []string) func(*told) bool {
	return func(a *told) bool {
		said := map[string]bool{}
		for _, w := range words {
			name, value, _ := strings.Cut(w, ":")
			said[name] = said[name] || a.is(name, value)
		}
		for _, yes := range said {
			if !yes {
				return false
			}
		}
		return true
	}
}

func (a *told) is(name, value string) bool {
	switch name {
	case "site":
		return a.key.Site == value
	case "tag":
		return slices.Contains(a.tags, value)
	}
	target := string(a.key.Target)
	if !strings.Contains(value, "?") {
		target, _, _ = strings.Cut(target, "?")
	}
	return naiveGlob(value).MatchString(target)
}

// check compares all that can be asked for, and what is counted.
func (m *model) check(t *rapid.T) {
	found := 0
	for _, a := range m.answers {
		e := m.c.Lookup(&a.key, with("tier", a.tier), policy).Entry
		if e == nil {
			t.Fatalf("%s for %s is not found", a.key.Target, a.tier)
		}
		if e.Stored().Fresh.Expired != a.expired || !slices.Equal(e.Stored().Tags, a.tags) {
			t.Fatalf("expired %v, tags %v, want %v and %v", e.Stored().Fresh.Expired, e.Stored().Tags, a.expired, a.tags)
		}
		r := e.Body().Reader(0, int64(a.seen))
		got := drain(t, &r, a.seen)
		if n, all := e.Body().Size(); !bytes.Equal(got, a.body[:a.seen]) || n != int64(a.seen) || all != a.done {
			t.Fatalf("%s for %s has another body", a.key.Target, a.tier)
		}
		if size := e.weigh() + footprint(int64(len(a.body))); a.done && e.Bytes() != size {
			t.Fatalf("%s for %s counts %d bytes, want %d", a.key.Target, a.tier, e.Bytes(), size)
		}
		found++
	}
	st := m.c.Stats()
	if st.Objects+st.Filling != found {
		t.Fatalf("%d objects and %d that are filled, want %d", st.Objects, st.Filling, found)
	}
	if n := len(m.c.List(&Selector{}, ByHits, 1000)); n != found {
		t.Fatalf("%d are listed, want %d", n, found)
	}
	if int(st.Flights) != len(m.flights) {
		t.Fatalf("%d flights, want %d", st.Flights, len(m.flights))
	}
}

// drain reads so many bytes that have come.
func drain(t *rapid.T, r *Reader, n int) (all []byte) {
	defer r.Close()
	for len(all) < n {
		p, err := r.Next(patient{})
		if err != nil {
			t.Fatalf("after %d of %d bytes: %v", len(all), n, err)
		}
		all = append(all, p...)
	}
	return all
}

func TestStoreIsLikeItsModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &model{t: t, c: newCache(64<<20, 1<<20)}
		t.Repeat(map[string]func(*rapid.T){
			"":           m.check,
			"begin":      m.begin,
			"land":       m.land,
			"write":      m.write,
			"complete":   m.complete,
			"fail":       m.fail,
			"update":     m.update,
			"invalidate": m.invalidate,
			"purge":      m.purge,
		})
		m.empty()
	})
}

// empty ends all there is, after which nothing may be left but ghosts.
func (m *model) empty() {
	for _, f := range m.flights {
		f.flight.Fail()
	}
	m.drop(func(*told) bool { return true })
	m.c.Purge(&Selector{}, Hard, false)
	st := m.c.Stats()
	if st.Bytes != int64(st.Ghosts)*overheadOfGhost || st.Objects+st.Filling != 0 || st.Flights != 0 {
		m.t.Fatalf("in the end there is left: %+v", st)
	}
	for i := range m.c.shards {
		s := &m.c.shards[i]
		if len(s.keys)+len(s.targets)+len(s.tags) != 0 {
			m.t.Fatalf("in the end the index has %d keys, %d targets, %d tags", len(s.keys), len(s.targets), len(s.tags))
		}
	}
}
