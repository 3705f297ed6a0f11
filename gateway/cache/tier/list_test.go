package tier

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"weirkeep/gateway/cache/store"
)

// TestLists: what is on the disk and not in memory is listed by what selects it, in order,
// and what is in both places is known to be.
func TestLists(t *testing.T) {
	w := newTwo(t, 4<<20)
	for n := range 6 { // the longest came last
		s := answer(int64(n+1), []string{"even", "odd"}[n%2])
		s.Fresh.Received = epoch.Add(time.Duration(n-10) * time.Second)
		w.put(keyOf(fmt.Sprint("/", n)), s, strings.Repeat("x", n+1))
	}
	w.settle(t)
	w.forgetMemory(4 << 20)
	if _, ok := w.find(keyOf("/3")); !ok {
		t.Fatal("/3 is not found")
	}
	w.tier.Volume().longest.Store(1)
	w.put(keyOf("/new"), answer(3), "new") // is in memory alone
	for _, tt := range []struct {
		name, match string
		where       func(*store.Entry) bool
		by          store.Order
		limit       int
		count       int
		bytes       int64
		want        string
	}{
		{"all", "", nil, store.ByAge, 9, 5, 17, "/0 /1 /2 /4 /5"},
		{"the oldest", "", nil, store.ByAge, 2, 5, 17, "/0 /1"},
		{"the longest", "", nil, store.BySize, 2, 5, 17, "/5 /4"},
		{"none of them", "", nil, store.BySize, 0, 5, 17, ""},
		{"with a tag", "tag:odd", nil, store.BySize, 9, 2, 8, "/5 /1"},
		{"by what the label says", "", func(e *store.Entry) bool { return e.Bytes() > 2 }, store.BySize, 9, 3, 14, "/5 /4 /2"},
		{"of another site", "site:other", nil, store.BySize, 9, 0, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sel, err := store.ParseSelector(tt.match, true, nil)
			if err != nil {
				t.Fatal(err)
			}
			sel.Where = tt.where
			l := w.tier.List(w.Cache, sel, tt.by, tt.limit)
			if got := targets(l.First); got != tt.want || l.Count != tt.count || l.Bytes != tt.bytes || l.Err != nil {
				t.Errorf("%q of %d with %d bytes, %v", got, l.Count, l.Bytes, l.Err)
			}
		})
	}
	for path, want := range map[string]bool{"/3": true, "/new": false} {
		if e := w.Lookup(keyOf(path), get(), nil).Entry; e == nil || w.tier.Has(e) != want {
			t.Errorf("%s is on the disk: %t", path, !want)
		}
	}
}

// targets are those of entries that are listed.
func targets(all []*store.Entry) string {
	var texts []string
	for _, e := range all {
		if n, whole := e.Body().Size(); !whole || n != e.Bytes() || !e.IsApart() {
			return fmt.Sprintf("%s is of %d bytes, complete: %t", e.Key().Target, n, whole)
		}
		texts = append(texts, string(e.Key().Target))
	}
	return strings.Join(texts, " ")
}

// TestAt: what is on the disk of a target is found by it, but for what memory has.
func TestAt(t *testing.T) {
	w := newTwo(t, 4<<20)
	for _, variant := range []string{"one", "two"} {
		w.put(&store.Key{Site: "shop", Variant: variant, Target: []byte("/x")}, answer(3), variant)
	}
	w.put(&store.Key{Site: "shop", Secure: true, Target: []byte("/x")}, answer(3), "tls")
	w.settle(t)
	if got := w.tier.At(keyOf("/x"), w.List(store.SelectAll(), store.ByHits, 9)); len(got) != 0 {
		t.Errorf("%s is not in memory", targets(got))
	}
	w.forgetMemory(4 << 20)
	var variants []string
	for _, e := range w.tier.At(keyOf("/x"), nil) {
		variants = append(variants, e.Key().Variant)
	}
	if slices.Sort(variants); !slices.Equal(variants, []string{"one", "two"}) {
		t.Errorf("%q", variants)
	}
}
