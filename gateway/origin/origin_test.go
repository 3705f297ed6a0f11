package origin

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// strict ejects at the first failure of any kind.
var strict = Policy{Threshold: 1, Count: usual().With(FaultStatus)}

func refusal(at time.Time) Failure {
	return Failure{Fault: FaultConnect, Err: refusedErr, At: at, Cluster: "shop"}
}

// An origin of which nothing is known is up, and has no past.
func TestNewOrigin(t *testing.T) {
	o := &Origin{Address: "a.example:80"}
	if o.Health() != Up || o.LastFailure() != nil || len(o.Transitions()) != 0 || !o.Since().IsZero() || o.Due(noon, true) {
		t.Errorf("%v, failed %v, changed %v since %v", o.Health(), o.LastFailure(), o.Transitions(), o.Since())
	}
}

// A change comes with its evidence, and is told with no lock held.
func TestTransitionTellsWhy(t *testing.T) {
	var told []Transition
	o := &Origin{Address: "a.example:80", OnChange: func(o *Origin, change Transition) {
		told = append(told, change)
		if o.Health() != change.To || !o.Since().Equal(change.At) {
			t.Errorf("%v since %v, told of %+v", o.Health(), o.Since(), change)
		}
		o.Failed(refusal(noon), &strict, false) // whoever is told may ask and tell
	}}
	p := &Policy{Threshold: 2, Count: usual()}
	first := Failure{Fault: FaultStatus503, Status: 503, At: noon, Cluster: "shop"}
	second := first
	second.At = noon.Add(time.Second)
	if o.Failed(first, p, false) || !o.Failed(second, p, false) || o.Failed(second, p, false) {
		t.Error("the second failure ejects, and no other")
	}
	want := []Transition{{At: second.At, From: Up, To: Ejected, Why: "answered 503", Failures: 2, Cluster: "shop"}}
	if got := o.Transitions(); !slices.Equal(got, want) || !slices.Equal(told, want) {
		t.Errorf("got %+v, told of %+v; want %+v", got, told, want)
	}
	if f := o.LastFailure(); f == nil || f.Status != 503 {
		t.Errorf("the last failure is %+v", f)
	}
}

// flap puts the origin out and brings it back, n times, 100 ms between changes.
func flap(o *Origin, n int, each func(Transition)) {
	for i := range n {
		at := noon.Add(time.Duration(2*i) * 100 * time.Millisecond)
		o.Failed(refusal(at), &strict, false)
		each(o.history.last())
		o.mu.Lock()
		o.change(Transition{To: Up, At: at.Add(100 * time.Millisecond)})
		o.mu.Unlock()
		each(o.history.last())
	}
}

// An origin that flaps for ever is remembered in bounded room, its last changes
// and the oldest of them first.
func TestHistoryIsBounded(t *testing.T) {
	o := new(Origin)
	flap(o, 1000, func(Transition) {})
	got := o.Transitions()
	if len(got) != remembered {
		t.Fatalf("%d changes are remembered, want %d", len(got), remembered)
	}
	for i, change := range got {
		if want := noon.Add(time.Duration(2000-remembered+i) * 100 * time.Millisecond); !change.At.Equal(want) {
			t.Errorf("change %d was at %v, want %v", i, change.At, want)
		}
	}
}

// Of an origin that changes every 100 ms, 6 changes a minute are said; what was
// left out is told with the next.
func TestAnnounceIsBounded(t *testing.T) {
	o := new(Origin)
	said, unsaid := make(map[time.Duration]int), 0
	flap(o, 900, func(change Transition) { // three minutes
		say, left := o.Announce(change)
		if say {
			said[change.At.Sub(noon).Truncate(time.Minute)]++
			unsaid += left
		} else if left != 0 {
			t.Errorf("%d are told as left out in a line that is left out", left)
		}
	})
	for minute := range 3 {
		if n := said[time.Duration(minute)*time.Minute]; n != announcedPerMinute {
			t.Errorf("%d are said in minute %d, want %d", n, minute, announcedPerMinute)
		}
	}
	say, left := o.Announce(Transition{At: noon.Add(time.Hour)})
	if unsaid += left; !say || unsaid != 1800-3*announcedPerMinute {
		t.Errorf("said: %v; %d were left out in all, want %d", say, unsaid, 1800-3*announcedPerMinute)
	}
}

// However many ask at once, one is let through to an origin that is out.
func TestHammerClaim(t *testing.T) {
	t.Parallel()
	start := time.Now()
	o := new(Origin)
	o.Failed(refusal(start), &strict, false)
	for round := 1; round <= 200; round++ {
		now := start.Add(time.Duration(round) * alonePause)
		var won atomic.Int32
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if o.Due(now, true) && o.Claim(now, true) {
					won.Add(1)
				}
			})
		}
		all.Wait()
		if n := won.Load(); n != 1 {
			t.Fatalf("round %d: %d were let through, want 1", round, n)
		}
	}
}

// Everything at once: what is told is a path, each change from where the one
// before led, and ends where the origin is. Of interest under -race.
func TestHammerHealth(t *testing.T) {
	t.Parallel()
	var changes atomic.Int64
	o := &Origin{Address: "a.example:80", OnChange: func(*Origin, Transition) { changes.Add(1) }}
	p := poolOf(t, "a.example:80", func(po *PoolOptions) { po.Origin, po.Dial = o, refuse })
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 300 {
				switch (g + i) % 5 {
				case 0:
					o.Failed(refusal(time.Now()), &strict, i%2 == 0)
				case 1:
					o.Succeeded(true)
				case 2:
					o.Succeeded(false)
				case 3:
					o.Claim(time.Now().Add(time.Hour), true)
				default:
					c := p.Check(CheckOptions{Path: "/", Interval: time.Millisecond, Timeout: time.Second, WhileDown: g%2 == 0})
					o.Transitions()
					c.Stop()
				}
			}
		})
	}
	all.Wait()
	o.Succeeded(true)
	seen := o.Transitions()
	for i, change := range seen {
		if i > 0 && change.From != seen[i-1].To {
			t.Errorf("change %d leads from %v, the one before led to %v", i, change.From, seen[i-1].To)
		}
	}
	if last := seen[len(seen)-1]; o.Health() != Up || last.To != Up || changes.Load() < int64(len(seen)) {
		t.Errorf("%v, the last change led to %v; %d were told, %d are remembered", o.Health(), last.To, changes.Load(), len(seen))
	}
}

// Budget: to be told of a success costs no allocation, with or without a failure
// before it, and no lock without.
func TestHealthAllocs(t *testing.T) {
	o := new(Origin)
	row := &Policy{Threshold: 1 << 30, Count: usual()}
	o.Failed(refusal(noon), row, false)
	if n := testing.AllocsPerRun(1000, func() { o.row.Store(1); o.Succeeded(false) }); n != 0 {
		t.Errorf("ending a row allocates %v times, want 0", n)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if n := testing.AllocsPerRun(1000, func() { o.Succeeded(false); o.Health(); o.Due(noon, false) }); n != 0 {
		t.Errorf("a success allocates %v times, want 0", n)
	}
}

// BenchmarkSucceeded has a budget of 3 ns/op and 0 allocs/op.
func BenchmarkSucceeded(b *testing.B) {
	o := new(Origin)
	b.ReportAllocs()
	for b.Loop() {
		if o.Health() == Up {
			o.Succeeded(false)
		}
	}
}
