package admission

import "testing"

// Budget: entering and leaving a group with room costs no allocation, so that
// admission is never a reason to skip admission; nor does being turned away. See
// BenchmarkEnter and BenchmarkRefuse for time.
func TestEnterAllocs(t *testing.T) {
	free, full := newGroup(t, roomy, 150, 50, 50), newGroup(t, Options{}, 1, 1, 1)
	full.fill()
	tested := newGroup(t, roomy, 150, 50, 50)
	tested.set(1, Testers)
	for _, tt := range []struct {
		name string
		do   func(s *Seeker)
		only int
		on   *group
	}{
		{"balanced", func(s *Seeker) { enterLeave(t, free, s) }, anywhere, free},
		{"bound", func(s *Seeker) { enterLeave(t, free, s) }, 1, free},
		{"into maintenance", func(s *Seeker) { s.Tester = true; enterLeave(t, tested, s) }, 1, tested},
		{"refused", func(s *Seeker) { refuse(t, full, s) }, anywhere, full},
		{"refused, bound", func(s *Seeker) { refuse(t, full, s) }, 1, full},
	} {
		s := tt.on.seeker(tt.only)
		if n := testing.AllocsPerRun(1000, func() { tt.do(s) }); n != 0 {
			t.Errorf("%s: %v allocations, want 0", tt.name, n)
		}
	}
}

func enterLeave(t testing.TB, g *group, s *Seeker) {
	i, err := g.queue.Enter(s, g.balancer)
	if err != nil {
		t.Fatal(err)
	}
	g.slots[i].Leave()
}

func refuse(t testing.TB, g *group, s *Seeker) {
	if i, err := g.queue.Enter(s, g.balancer); err != ErrFull {
		t.Fatalf("Enter() = %d, %v", i, err)
	}
}

// BenchmarkEnter has a budget of 100 ns/op and 0 allocs/op: enter and leave a
// group of three origins with room, by capacity.
func BenchmarkEnter(b *testing.B) {
	g := newGroup(b, roomy, 150, 50, 50)
	s := g.seeker(anywhere)
	b.ReportAllocs()
	for b.Loop() {
		enterLeave(b, g, s)
	}
}

// BenchmarkEnterBound has a budget of 40 ns/op and 0 allocs/op.
func BenchmarkEnterBound(b *testing.B) {
	g := newGroup(b, roomy, 150, 50, 50)
	s := g.seeker(1)
	b.ReportAllocs()
	for b.Loop() {
		enterLeave(b, g, s)
	}
}

// BenchmarkEnterParallel is BenchmarkEnter by all processors at once, over the
// same three origins. What it costs more is cache lines that go to and fro; its
// budget is 200 ns/op of two processors together.
func BenchmarkEnterParallel(b *testing.B) {
	g := newGroup(b, roomy, 150, 50, 50)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		s := g.seeker(anywhere)
		for pb.Next() {
			enterLeave(b, g, s)
		}
	})
}

// BenchmarkRefuse has a budget of 80 ns/op and 0 allocs/op: everything is full,
// and so is the line. Whoever is overrun turns many away.
func BenchmarkRefuse(b *testing.B) {
	g := newGroup(b, Options{}, 1, 1, 1)
	g.fill()
	s := g.seeker(anywhere)
	b.ReportAllocs()
	for b.Loop() {
		refuse(b, g, s)
	}
}

// BenchmarkLeaveWithWaiters has a budget of 2 µs/op: one leaves, the oldest of
// 200 who wait for any of three origins is served, and another one takes the last
// place in line. What waking costs is not in it: nobody sleeps here.
func BenchmarkLeaveWithWaiters(b *testing.B) {
	const waiters = 200
	g := newGroup(b, Options{Size: waiters, Timeout: defaultTimeout}, 1, 1, 1)
	g.fill()
	s := g.seeker(anywhere)
	for range waiters {
		g.queue.join(s)
	}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		g.slots[n%len(g.slots)].Leave()
		if w, err := g.queue.join(s); err != nil || w.ended {
			b.Fatal(err)
		}
	}
}
