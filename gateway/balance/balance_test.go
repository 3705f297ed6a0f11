package balance

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// mustNew builds a balancer of n equal members, each on a host of its own.
func mustNew(t testing.TB, name string, n int) Balancer {
	t.Helper()
	return newOf(t, name, equals(n))
}

func newOf(t testing.TB, name string, members []Member) Balancer {
	t.Helper()
	b, err := New(name, members, nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// equals are n members of which none is anything special.
func equals(n int) (members []Member) {
	for i := range n {
		name := string(rune('a' + i))
		members = append(members, Member{
			Name: name, Key: fmt.Sprintf("http://10.0.0.%d:80", i), Host: fmt.Sprint("host-", i), HostWeight: 1, Weight: 1,
		})
	}
	return members
}

// group makes idle candidates of one size from a word: "u" is usable, "-" is not.
func group(word string) []Candidate {
	var cs []Candidate
	for _, c := range word {
		cs = append(cs, Candidate{Usable: c == 'u', Capacity: 100})
	}
	return cs
}

// Each step of a row is a group as it stands at one pick.
func TestRoundRobinTakesOriginsInTurn(t *testing.T) {
	for _, tt := range []struct {
		name   string
		groups string
		want   []int
	}{
		{name: "starts at the first and comes round", groups: "uuu uuu uuu uuu", want: []int{0, 1, 2, 0}},
		{name: "one origin", groups: "u u u", want: []int{0, 0, 0}},
		{name: "no origin", groups: "-", want: []int{-1}},
		{name: "first one down at the start", groups: "-uu -uu -uu", want: []int{1, 2, 1}},
		{name: "one down for a while", groups: "uuu u-u uuu uuu", want: []int{0, 2, 0, 1}},
		{name: "two neighbours down", groups: "uuuu u--u u--u uuuu uuuu", want: []int{0, 3, 0, 1, 2}},
		{name: "none usable leaves the turn where it is", groups: "uuu --- uuu", want: []int{0, -1, 1}},
		{name: "only the one chosen last", groups: "uuu u-- uuu", want: []int{0, 0, 1}},
		{name: "group grows by one at the end", groups: "uu uu uuu", want: []int{0, 1, 2}},
		{name: "group shrinks below the turn", groups: "uuu uuu u u", want: []int{0, 1, 0, 0}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := mustNew(t, "round-robin", 3)
			var got []int
			for word := range strings.FieldsSeq(tt.groups) {
				got = append(got, b.Pick(group(word), 0))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("picks %v, want %v", got, tt.want)
			}
		})
	}
}

func TestEmptyGroupHasNoPick(t *testing.T) {
	for _, name := range Names() {
		if got := mustNew(t, name, 0).Pick(nil, 0); got != -1 {
			t.Errorf("%s: Pick(nil) = %d, want -1", name, got)
		}
	}
}

// The bound is generous: with 30 000 picks one origin's count has a standard
// deviation of 82, and each may be 500 off, six of them.
func TestRandomIsUniformOverTheUsable(t *testing.T) {
	b, cs := mustNew(t, "random", 5), group("u-uu-")
	counts := make([]int, len(cs))
	for range 30000 {
		counts[b.Pick(cs, 0)]++
	}
	for i, c := range cs {
		if want := 10000; c.Usable && (counts[i] < want-500 || counts[i] > want+500) {
			t.Errorf("origin %d: %d picks, want %d ± 500", i, counts[i], want)
		}
		if !c.Usable && counts[i] != 0 {
			t.Errorf("origin %d is not usable and was picked %d times", i, counts[i])
		}
	}
}

// With one usable among many, most picks fail to draw it and have to count.
func TestRandomFindsTheOnlyUsable(t *testing.T) {
	b, cs := mustNew(t, "random", 16), group("--------------u-")
	for range 200 {
		if i := b.Pick(cs, 0); i != 14 {
			t.Fatalf("Pick() = %d, want 14", i)
		}
	}
}

func TestRandomPicksDoNotFollowATurn(t *testing.T) {
	b, cs := mustNew(t, "random", 2), group("uu")
	repeats, last := 0, -1
	for range 1000 {
		i := b.Pick(cs, 0)
		if i == last {
			repeats++
		}
		last = i
	}
	if repeats < 350 || repeats > 650 {
		t.Errorf("%d of 1000 picks repeat the one before, want about 500", repeats)
	}
}

func TestUnknownBalancerListsThoseThereAre(t *testing.T) {
	_, err := New("round-robbin", nil, nil)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range slices.Concat(Names(), Aliases(), []string{`"round-robbin"`}) {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not name %s", err, want)
		}
	}
}

func TestDefaultIsCapacity(t *testing.T) {
	if b := mustNew(t, Default, 3); reflect.TypeOf(b) != reflect.TypeFor[*capacity]() {
		t.Errorf("the default is a %T, want a *capacity", b)
	}
}

// An option that no balancer has stands for any that one of them has not: what
// refuses it is the callback, which has to be asked.
func TestEveryBalancerDecodesItsOptionsOnce(t *testing.T) {
	refusal := errors.New("unknown key")
	for _, name := range Names() {
		var asked []any
		b, err := New(name, nil, func(into any) error {
			asked = append(asked, into)
			return refusal
		})
		if err != refusal || b != nil {
			t.Errorf("%s: New() = %v, %v, want the error of decode", name, b, err)
		}
		if len(asked) != 1 || reflect.TypeOf(asked[0]).Elem().Kind() != reflect.Struct {
			t.Errorf("%s: decode was given %v, want one pointer to a struct", name, asked)
		}
	}
}

// No turn is given twice or left out, however many pick.
func TestHammerTurns(t *testing.T) {
	for _, name := range []string{"round-robin", "capacity", "least-load", "weighted-round-robin", "weight-based", "metric"} {
		t.Run(name, func(t *testing.T) { hammerTurns(t, mustNew(t, name, 5)) })
	}
}

func hammerTurns(t *testing.T, b Balancer) {
	const goroutines, each = 8, 50_000 // long enough for them to overtake one another
	cs := group("uu-uu")
	counts := make([]atomic.Int64, len(cs))
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for range each {
				counts[b.Pick(cs, 0)].Add(1)
			}
		})
	}
	wg.Wait()
	for i, c := range cs {
		want := int64(0)
		if c.Usable {
			want = goroutines * each / 4
		}
		if got := counts[i].Load(); got != want {
			t.Errorf("origin %d: %d picks, want %d", i, got, want)
		}
	}
}

// TestHammerChangingGroup: while origins come and go in each caller's view, a
// pick is always one that this caller said is usable.
func TestHammerChangingGroup(t *testing.T) {
	for _, name := range Names() {
		members := equals(6)
		b := newOf(t, name, completed(members))
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() { hammerView(t, name, b, g) })
		}
		wg.Wait()
	}
}

func hammerView(t *testing.T, name string, b Balancer, g int) {
	cs := make([]Candidate, 6)
	for n := g; n < 3000; n++ {
		usable := 0
		for i := range cs {
			cs[i] = Candidate{Usable: (n>>i)&1 == 1, Load: int64(n % (i + 2)), Capacity: int64(1 + n%7)}
			if cs[i].Usable {
				usable++
			}
		}
		i := b.Pick(cs, uint64(n%5))
		if usable == 0 && i != -1 || usable > 0 && (i < 0 || !cs[i].Usable) {
			t.Errorf("%s: picked %d of %v", name, i, cs)
			return
		}
	}
}

func TestPickAllocatesNothing(t *testing.T) {
	cs := group("uu-uu-uu")
	for _, name := range Names() {
		b := mustNew(t, name, len(cs))
		for _, key := range []uint64{0, 1} {
			if n := testing.AllocsPerRun(1000, func() { b.Pick(cs, key) }); n != 0 {
				t.Errorf("%s: Pick allocates %v times, want 0", name, n)
			}
		}
	}
}

// What an operator is told of a balancer names its options and their defaults.
func TestEveryBalancerIsExplained(t *testing.T) {
	for _, name := range Names() {
		about := About(name)
		if about == "" {
			t.Errorf("nothing is said of %s", name)
		}
		New(name, nil, func(into any) error {
			for f := range reflect.TypeOf(into).Elem().Fields() {
				key, fallback := f.Tag.Get("yaml"), f.Tag.Get("default")
				if !strings.Contains(about, "  "+key+": "+fallback) {
					t.Errorf("%s: nothing is said of the option %s and its default, %s", name, key, fallback)
				}
			}
			return nil
		})
	}
}
