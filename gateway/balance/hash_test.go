package balance

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const keys = 20_000

// keyed is the key of the n-th client.
func keyed(n int) uint64 { return KeyOf(fmt.Append(nil, "client ", n)) }

// Of n origins each gets 1/n of the keys, within five standard deviations.
func TestHashSpreadsKeysEvenly(t *testing.T) {
	for _, n := range []int{2, 3, 10, 50} {
		b, cs, counts := mustNew(t, "hash", n), idle(n), make([]int, n)
		for k := range keys {
			counts[b.Pick(cs, keyed(k))]++
		}
		part := 1 / float64(n)
		off := 5 * math.Sqrt(keys*part*(1-part))
		for i, got := range counts {
			if math.Abs(float64(got)-keys*part) > off {
				t.Errorf("of %d origins %d has %d keys, want %.0f ± %.0f", n, i, got, keys*part, off)
			}
		}
	}
}

// Where one of N origins goes, its keys move and no other; where one comes, it takes
// its part of all, and no key moves between the others.
func TestHashMovesOnlyWhatItMust(t *testing.T) {
	for _, n := range []int{2, 3, 10, 50} {
		all := equals(n)
		whole := newOf(t, "hash", all)
		less := newOf(t, "hash", slices.Delete(slices.Clone(all), 1, 2))
		out := idle(n)
		out[1].Usable = false
		moved := 0
		for k := range keys {
			before, after := whole.Pick(idle(n), keyed(k)), less.Pick(idle(n-1), keyed(k))
			if after >= 1 {
				after++
			}
			if before != after {
				moved++
			}
			if before != after && before != 1 {
				t.Fatalf("of %d origins, key %d moves from %d to %d, and 1 has gone", n, k, before, after)
			}
			if got := whole.Pick(out, keyed(k)); got != after {
				t.Fatalf("key %d goes to %d while 1 is out, and to %d when it has gone", k, got, after)
			}
		}
		part := 1 / float64(n)
		if off := 5 * math.Sqrt(keys*part*(1-part)); math.Abs(float64(moved)-keys*part) > off {
			t.Errorf("of %d origins one goes: %d keys move, want %.0f ± %.0f", n, moved, keys*part, off)
		}
	}
}

// The order of the configuration does not count, nor does a restart: these are for
// ever.
func TestHashIsTheSameEverywhere(t *testing.T) {
	members := []Member{{Key: "http://10.0.0.1:80"}, {Key: "http://10.0.0.2:80"}, {Key: "https://shop.example:443"}}
	turned := []Member{members[2], members[0], members[1]}
	b, other := newOf(t, "hash", members), newOf(t, "hash", turned)
	var got strings.Builder
	for k := range 20 {
		i := b.Pick(idle(3), keyed(k))
		if j := other.Pick(idle(3), keyed(k)); turned[j].Key != members[i].Key {
			t.Errorf("key %d: %s here, %s there", k, members[i].Key, turned[j].Key)
		}
		fmt.Fprint(&got, i)
	}
	if want := "10202200201212112020"; got.String() != want {
		t.Errorf("keys go to %s, want %s", got.String(), want)
	}
}

// Who has no key is no client of one origin.
func TestHashTakesTheKeylessInTurn(t *testing.T) {
	if got := order(mustNew(t, "hash", 3), equals(3), idle(3), 7); got != "a b c a b c a" {
		t.Errorf("picks %s", got)
	}
	if KeyOf(nil) != 0 || KeyOf([]byte{}) != 0 || KeyOf([]byte{0}) == 0 {
		t.Error("the key of nothing is 0, and of nothing else")
	}
}

// With a bound of c no origin gets one more where it has c times the mean, however
// unfair the keys; and while any is usable, one is found.
func TestBoundedLoadIsNeverExceeded(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n, bound := rapid.IntRange(1, 8).Draw(r, "origins"), rapid.IntRange(101, 300).Draw(r, "bound")
		b, cs := newHashBy(t, "client", bound, equals(n)), idle(n)
		for range rapid.IntRange(1, 200).Draw(r, "requests") {
			for i := range cs {
				cs[i].Usable = rapid.IntRange(0, 9).Draw(r, "usable") > 0
			}
			key := rapid.Uint64Range(1, 3).Draw(r, "key") // three clients ask for all
			i := b.Pick(cs, key)
			if !boundHolds(cs, i, bound) {
				r.Fatalf("of %v with a bound of %d %% origin %d was picked", cs, bound, i)
			}
			if i >= 0 {
				cs[i].Load++
			}
		}
	})
}

// boundHolds says whether a pick is right: the load with the request is at most the
// bound times the mean with it, rounded up.
func boundHolds(cs []Candidate, i, bound int) bool {
	sum, usable := int64(1), 0
	for _, c := range cs {
		if c.Usable {
			sum, usable = sum+c.Load, usable+1
		}
	}
	if usable == 0 || i < 0 {
		return usable == 0 && i < 0
	}
	most := math.Ceil(float64(bound) / 100 * float64(sum) / float64(usable))
	return cs[i].Usable && float64(cs[i].Load+1) <= most
}

// While loads are even a bound moves no key.
func TestBoundedLoadMovesNothingWhileLoadsAreEven(t *testing.T) {
	bounded, plain := newHashBy(t, "client", 150, equals(5)), mustNew(t, "hash", 5)
	cs := idle(5)
	for i := range cs {
		cs[i].Load = 10
	}
	for k := range 1000 {
		if a, b := bounded.Pick(cs, keyed(k)), plain.Pick(cs, keyed(k)); a != b {
			t.Fatalf("key %d goes to %d, without a bound to %d", k, a, b)
		}
	}
}

func TestWhatHashGoesBy(t *testing.T) {
	for text, want := range map[string]By{
		"":              {What: "client"},
		"client":        {What: "client"},
		"session":       {What: "session"},
		"header:X-User": {What: "header", Name: "x-user"},
		"cookie:Id":     {What: "cookie", Name: "Id"},
	} {
		if got := newHashBy(t, text, 0, nil).KeyedBy(); got != want {
			t.Errorf("by %q is %v, want %v", text, got, want)
		}
	}
	for _, text := range []string{"ip", "header", "header:", "cookie:", "client:x", "session:a", "query:a"} {
		_, err := New("hash", nil, func(into any) error { into.(*hashOptions).By = text; return nil })
		if err == nil || !strings.Contains(err.Error(), "header:NAME") {
			t.Errorf("by %q: %v, want an error that says what there is", text, err)
		}
	}
}
