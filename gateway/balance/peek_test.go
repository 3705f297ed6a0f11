package balance

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Whatever was picked before and however the group stands: a peek that is sure
// says what the next pick is, and moves nothing.
func TestPeekSaysWhatPickWillDo(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				members := drawMembers(r)
				b := newOf(t, name, members)
				for range rapid.IntRange(1, 30).Draw(r, "picks") {
					peekThenPick(r, b, drawGroup(r, members))
				}
			})
		})
	}
}

// drawMembers are up to five members on up to three hosts.
func drawMembers(r *rapid.T) []Member {
	members := equals(rapid.IntRange(0, 5).Draw(r, "size"))
	for i := range members {
		m := &members[i]
		host := rapid.IntRange(1, 3).Draw(r, "host")
		m.Host, m.HostWeight, m.Live = fmt.Sprint("host-", host), host, new(Live)
		m.Weight = rapid.IntRange(1, 100).Draw(r, "weight")
	}
	return members
}

// drawGroup is how the members stand at one moment; some have told a metric or
// answered just before.
func drawGroup(r *rapid.T, members []Member) (cs []Candidate) {
	for _, m := range members {
		c := Candidate{Usable: rapid.Bool().Draw(r, "usable"), Capacity: int64(rapid.IntRange(1, 4).Draw(r, "capacity"))}
		c.Load = int64(rapid.IntRange(0, int(c.Capacity)).Draw(r, "load"))
		cs = append(cs, c)
		switch rapid.IntRange(0, 3).Draw(r, "told") {
		case 0:
			m.Live.SetMetric(rapid.IntRange(0, 100).Draw(r, "metric"))
		case 1:
			m.Live.Observe(time.Duration(rapid.IntRange(0, 1e9).Draw(r, "took")), time.Unix(1e9+int64(rapid.IntRange(0, 60).Draw(r, "now")), 0))
		}
	}
	return cs
}

func peekThenPick(r *rapid.T, b Balancer, cs []Candidate) {
	before := slices.Clone(cs)
	key := rapid.Uint64Range(0, 3).Draw(r, "key")
	peeked, sure := b.Peek(cs, key)
	again, sureAgain := b.Peek(cs, key)
	picked := b.Pick(cs, key)
	switch {
	case peeked != again || sure != sureAgain || !slices.Equal(before, cs):
		r.Fatalf("a peek at %v moved something: %d and %v, then %d and %v", before, peeked, sure, again, sureAgain)
	case sure && peeked != picked:
		r.Fatalf("peeked %d of %v and was sure, picked %d", peeked, cs, picked)
	case (peeked < 0) != (picked < 0) || peeked >= 0 && !cs[peeked].Usable:
		r.Fatalf("peeked %d of %v, picked %d", peeked, cs, picked)
	}
}

// byChance are the balancers that nobody can foretell.
var byChance = []string{"p2c", "peak-ewma", "random", "weighted-random"}

// Only chance makes a peek unsure, and only where there is a choice.
func TestPeekIsUnsureWhereChanceDecides(t *testing.T) {
	for _, tt := range []struct {
		group   string
		chances bool
	}{{"", false}, {"---", false}, {"-u-", false}, {"uu", true}, {"u-u-u", true}} {
		for _, name := range Names() {
			want := !slices.Contains(byChance, name) || !tt.chances
			if i, sure := mustNew(t, name, len(tt.group)).Peek(group(tt.group), 0); sure != want {
				t.Errorf("%s of %q: %d, sure %v, want %v", name, tt.group, i, sure, want)
			}
		}
	}
}

func TestPeekAllocatesNothing(t *testing.T) {
	cs := group("uu-uu-uu")
	for _, name := range Names() {
		b := mustNew(t, name, len(cs))
		if n := testing.AllocsPerRun(1000, func() { b.Peek(cs, 0) }); n != 0 {
			t.Errorf("%s: Peek allocates %v times, want 0", name, n)
		}
	}
}
