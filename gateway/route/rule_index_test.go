package route

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weirkeep/rules"
)

// found are the positions that the index gives for a request.
func found(x *ruleIndex, r *Request) (all []int) {
	var c ruleCursor
	x.begin(&c, r)
	for {
		i, ok := x.next(&c)
		if !ok {
			return all
		}
		all = append(all, i)
	}
}

// The index gives the rules whose requirements hold, in their order, and no others.
func TestIndexFindsWhatFits(t *testing.T) {
	paths := []string{"", "/", "/a", "/a/", "/a/b", "/a/b/c", "/ab", "/b", "/a/b/c/d/e"}
	rapid.Check(t, func(t *rapid.T) {
		some := func(name string, from ...string) []string {
			return rapid.SampledFrom([][]string{nil, from[:1], from, nil}).Draw(t, name)
		}
		var all []rules.Requires
		for range rapid.IntRange(0, 60).Draw(t, "rules") {
			all = append(all, rules.Requires{
				Methods: some("methods", "GET", "POST"), Hosts: some("hosts", "h", "i"),
				Path: rapid.SampledFrom(paths).Draw(t, "path"), PathIs: rapid.Bool().Draw(t, "whole"),
			})
		}
		r := &Request{
			Method: []byte(rapid.SampledFrom([]string{"GET", "POST", "PUT"}).Draw(t, "method")),
			Host:   []byte(rapid.SampledFrom([]string{"h", "i", "j", ""}).Draw(t, "host")),
			Path:   []byte(rapid.SampledFrom(paths).Draw(t, "of") + rapid.SampledFrom([]string{"", "x", "/x"}).Draw(t, "rest")),
		}
		var want []int
		for i := range all {
			if fits(&all[i], r) {
				want = append(want, i)
			}
		}
		if got := found(newRuleIndex(all), r); !slices.Equal(got, want) {
			t.Errorf("found %v, want %v, for %s %s%s of %+v", got, want, r.Method, r.Host, r.Path, all)
		}
	})
}

// A path that begins with more texts than a cursor holds is looked up one by one.
func TestIndexOfManyNestedPaths(t *testing.T) {
	var all []rules.Requires
	path := ""
	for range 3 * cursorLists {
		path += "/x"
		all = append(all, rules.Requires{Path: path})
	}
	if got := found(newRuleIndex(all), &Request{Path: []byte(path)}); len(got) != len(all) || !slices.IsSorted(got) {
		t.Errorf("found %v of %d", got, len(all))
	}
}

// many are n rules for paths of their own and 5 that fit every request's.
func many(n int) *ruleIndex {
	all := make([]rules.Requires, 0, n+5)
	for i := range n {
		all = append(all, rules.Requires{Path: fmt.Sprintf("/app%d/", i)})
	}
	return newRuleIndex(append(all, make([]rules.Requires, 5)...))
}

// 10,000 rules cost no more than twice what 10 do (measured in turns, since
// machines are noisy).
func TestManyRulesCostAsFew(t *testing.T) {
	few, lots := many(10), many(10_000)
	r := &Request{Path: []byte("/app7/cart")}
	took := func(x *ruleIndex) time.Duration {
		began := time.Now()
		for range 2000 {
			if len(foundInto(x, r)) != 6 {
				t.Fatal("not all were found")
			}
		}
		return time.Since(began)
	}
	best := 100.0
	for range 20 {
		a, b := took(few), took(lots)
		best = min(best, float64(b)/float64(a))
	}
	if best > 2 {
		t.Errorf("10,000 rules take %.1f times as long as 10", best)
	}
}

var foundBuffer [64]int

// foundInto is found without an allocation.
func foundInto(x *ruleIndex, r *Request) []int {
	all := foundBuffer[:0]
	var c ruleCursor
	x.begin(&c, r)
	for i, ok := x.next(&c); ok; i, ok = x.next(&c) {
		all = append(all, i)
	}
	return all
}

// Budget: 0 allocations, 10,000 rules within 2 times of 10.
func BenchmarkRuleIndex(b *testing.B) {
	r := &Request{Path: []byte("/app7/cart")}
	for _, n := range []int{10, 10_000} {
		x := many(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				foundInto(x, r)
			}
		})
	}
}
