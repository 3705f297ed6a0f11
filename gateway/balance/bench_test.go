package balance

import (
	"fmt"
	"testing"
	"time"
)

// standingGroup are n members of different weights, metrics and times, on n/2
// hosts, all usable, with different loads.
func standingGroup(n int) (members []Member, cs []Candidate) {
	members = equals(n)
	for i := range members {
		m := &members[i]
		m.Host, m.HostWeight, m.Weight, m.Live = fmt.Sprint("host-", i/2), 1+i/2%5, 1+i%5, new(Live)
		m.Live.SetMetric(20 + i%5*10)
		m.Live.Observe(time.Duration(1+i)*time.Millisecond, time.Unix(1e9, 0))
		cs = append(cs, Candidate{Usable: true, Load: int64(i % 7), Capacity: 100})
	}
	return members, cs
}

// BenchmarkPick has a budget of 60 ns/op over 3 origins, 1 µs/op over 100, and 0
// allocs/op, uncontended. Hash has a key, and its bound is on in hash-bounded.
func BenchmarkPick(b *testing.B) {
	for _, n := range []int{3, 8, 100} {
		for _, name := range append(Names(), "hash-bounded") {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) { benchmarkPick(b, name, n) })
		}
	}
}

func benchmarkPick(b *testing.B, name string, n int) {
	members, cs := standingGroup(n)
	balancer := newNamed(b, name, members)
	for range 10_000 { // so that tables are there
		balancer.Pick(cs, 1)
	}
	b.ReportAllocs()
	key := uint64(1)
	for b.Loop() {
		key++
		balancer.Pick(cs, key)
	}
}

// newNamed knows hash-bounded as well.
func newNamed(t testing.TB, name string, members []Member) Balancer {
	t.Helper()
	if name == "hash-bounded" {
		return newHashBy(t, "client", 125, members)
	}
	return newOf(t, name, members)
}

// newHashBy builds a hash with options; bound 0 is none.
func newHashBy(t testing.TB, by string, bound int, members []Member) *hash {
	t.Helper()
	b, err := New("hash", members, func(into any) error {
		o := into.(*hashOptions)
		o.By = by
		if bound > 0 {
			o.BoundedLoad = &bound
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.(*hash)
}

// BenchmarkPickWithoutTable is the price of a pick for a set that has no table, and
// none is affordable: it has a budget of 1 µs/op over 100 origins.
func BenchmarkPickWithoutTable(b *testing.B) {
	for _, name := range []string{"weighted-round-robin", "weight-based", "metric"} {
		b.Run(name, func(b *testing.B) {
			members, cs := standingGroup(100)
			balancer := newOf(b, name, members)
			s := sharesOf(balancer)
			b.ReportAllocs()
			for b.Loop() {
				s.credit.Store(0)
				balancer.Pick(cs, 0)
			}
		})
	}
}

func sharesOf(b Balancer) *shares {
	if m, ok := b.(*metric); ok {
		return m.shares
	}
	return b.(*shares)
}

// BenchmarkTable is the price of a table: 100 origins with weights from 1 to 5.
func BenchmarkTable(b *testing.B) {
	members, cs := standingGroup(100)
	s := newOf(b, "weight-based", members).(*shares)
	for b.Loop() {
		s.build(cs)
	}
}

// BenchmarkPickParallel is what picking costs when all cores do it at once.
func BenchmarkPickParallel(b *testing.B) {
	for _, name := range Names() {
		b.Run(name, func(b *testing.B) {
			members, _ := standingGroup(3)
			balancer := newOf(b, name, members)
			b.RunParallel(func(pb *testing.PB) {
				_, cs := standingGroup(3)
				for key := uint64(1); pb.Next(); key++ {
					balancer.Pick(cs, key)
				}
			})
		})
	}
}
