package session

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// bound is the origin that an id is bound to, "" if to none.
func bound(t *Table, id string, now time.Time) string {
	origin, ok := t.Bound([]byte(id), now)
	if !ok && origin != "" {
		return "not ok, but " + origin
	}
	return origin
}

func TestIDsAreBoundUntilTheyIdleOut(t *testing.T) {
	table, now := New(Options{IdleTimeout: time.Minute}), noon
	table.Bind([]byte("a"), "web1", now)
	for _, tt := range []struct {
		name  string
		after time.Duration // of the last step
		want  string
	}{
		{"at once", 0, "web1"},
		{"just before it would idle out", time.Minute - 1, "web1"},
		{"used again, it has as long again", time.Minute - 1, "web1"},
		{"an exchange that began earlier sees it too", -30 * time.Second, "web1"},
		{"and does not shorten its time", 30*time.Second + time.Minute - 1, "web1"},
		{"idle", time.Minute, ""},
		{"idle for ever", 0, ""},
	} {
		now = now.Add(tt.after)
		if got := bound(table, "a", now); got != tt.want {
			t.Errorf("%s: bound to %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestPeekIsNoUse(t *testing.T) {
	table := New(Options{IdleTimeout: time.Minute})
	table.Bind([]byte("a"), "web1", noon)
	if origin, ok := table.Peek([]byte("a"), noon.Add(59*time.Second)); origin != "web1" || !ok {
		t.Errorf("Peek() = %q, %v", origin, ok)
	}
	if origin, ok := table.Peek([]byte("a"), noon.Add(61*time.Second)); ok {
		t.Errorf("Peek() = %q: it has made the id last longer", origin)
	}
}

// The time stands still: what was used before what does not hang on it.
func TestFullTableDropsTheLeastRecentlyUsed(t *testing.T) {
	table := New(Options{Entries: 3})
	for _, id := range []string{"a", "b", "c"} {
		table.Bind([]byte(id), "web1", noon)
	}
	bound(table, "a", noon)
	table.Bind([]byte("b"), "web2", noon)
	if table.Evicted() != 0 {
		t.Errorf("%d evicted while there was room", table.Evicted())
	}
	table.Bind([]byte("d"), "web1", noon)
	table.Peek([]byte("a"), noon)
	table.Bind([]byte("e"), "web1", noon)
	for id, want := range map[string]string{"a": "", "b": "web2", "c": "", "d": "web1", "e": "web1"} {
		if got := bound(table, id, noon); got != want {
			t.Errorf("%s is bound to %q, want %q", id, got, want)
		}
	}
	if table.Len() != 3 || table.Evicted() != 2 {
		t.Errorf("%d bound, %d evicted; want 3, 2", table.Len(), table.Evicted())
	}
}

func TestIdleBindingsGoFirstAndAreNoEvictions(t *testing.T) {
	table := New(Options{Entries: 2, IdleTimeout: time.Minute})
	table.Bind([]byte("idle"), "web1", noon)
	table.Bind([]byte("live"), "web1", noon.Add(time.Minute))
	table.Bind([]byte("new"), "web1", noon.Add(time.Minute))
	if got := bound(table, "live", noon.Add(time.Minute)); got != "web1" {
		t.Errorf("a live binding had to go for an idle one")
	}
	if table.Evicted() != 0 {
		t.Errorf("%d evicted, want 0", table.Evicted())
	}
}

func TestSessionsMoveBetweenOrigins(t *testing.T) {
	table := New(Options{IdleTimeout: time.Minute})
	for i := range 100 {
		table.Bind(fmt.Append(nil, i), "web1", noon)
	}
	for i := range 40 {
		table.Bind(fmt.Append(nil, i), "web2", noon.Add(time.Second))
	}
	checkCount(t, table, map[string]int{"web1": 60, "web2": 40})
	table.Expire(noon.Add(time.Minute - 1))
	checkCount(t, table, map[string]int{"web1": 60, "web2": 40})
	table.Expire(noon.Add(time.Minute))
	checkCount(t, table, map[string]int{"web2": 40})
	table.Expire(noon.Add(time.Hour))
	checkCount(t, table, map[string]int{})
}

func checkCount(t *testing.T, table *Table, want map[string]int) {
	t.Helper()
	if got := table.Count(); !maps.Equal(got, want) {
		t.Errorf("Count() = %v, want %v", got, want)
	}
	sum := 0
	for _, n := range want {
		sum += n
	}
	if table.Len() != sum {
		t.Errorf("Len() = %d, want %d", table.Len(), sum)
	}
}

func TestIDsOutOfBoundsAreNotBound(t *testing.T) {
	for _, tt := range []struct {
		name string
		id   string
		want string
	}{
		{"empty", "", ""},
		{"longest", strings.Repeat("x", 512), "web1"},
		{"too long", strings.Repeat("x", 513), ""},
	} {
		table := New(Options{})
		table.Bind([]byte(tt.id), "web1", noon)
		if got := bound(table, tt.id, noon); got != tt.want || (table.Len() == 0) != (tt.want == "") {
			t.Errorf("%s: bound to %q, %d bound; want %q", tt.name, got, table.Len(), tt.want)
		}
	}
}

func TestBoundIDIsACopy(t *testing.T) {
	table, id := New(Options{}), []byte("abc")
	table.Bind(id, "web1", noon)
	copy(id, "xyz")
	if bound(table, "abc", noon) != "web1" || bound(table, "xyz", noon) != "" {
		t.Error("what the caller did to its bytes has changed the table")
	}
}

func TestOptionsChangeInPlace(t *testing.T) {
	table := New(Options{})
	for i := range 1000 {
		table.Bind(fmt.Append(nil, i), "web1", noon.Add(time.Duration(i)))
	}
	table.SetOptions(Options{Entries: 10, IdleTimeout: time.Minute})
	if table.Len() != 10 || table.Evicted() != 990 {
		t.Errorf("%d bound, %d evicted; want 10, 990", table.Len(), table.Evicted())
	}
	for i := range 1000 {
		want := ""
		if i >= 990 {
			want = "web1"
		}
		if got := bound(table, fmt.Sprint(i), noon.Add(time.Second)); got != want {
			t.Errorf("%d is bound to %q, want %q", i, got, want)
		}
	}
	if got := bound(table, "999", noon.Add(2*time.Minute)); got != "" {
		t.Errorf("bound to %q after the new idle time-out", got)
	}
}

func TestZeroOptionsAreTheDefaults(t *testing.T) {
	table := New(Options{})
	table.Bind([]byte("a"), "web1", noon)
	if bound(table, "a", noon.Add(30*time.Minute-1)) != "web1" {
		t.Error("not bound for 30 minutes")
	}
	if bound(table, "a", noon.Add(time.Hour)) != "" {
		t.Error("bound for ever")
	}
	for i := range defaultEntries + 1 {
		table.Bind(fmt.Append(nil, i), "web1", noon)
	}
	if table.Len() != 100_000 {
		t.Errorf("%d bound, want 100000", table.Len())
	}
}

// TestHammerTable: whoever does what, an id is bound to no origin but its own,
// there are never many more bindings than may be, and the counts are right in
// the end.
func TestHammerTable(t *testing.T) {
	const callers, ids, entries = 8, 400, 100
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(callers / 2))
	table := New(Options{Entries: entries, IdleTimeout: time.Second})
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for i := range 3000 {
				n := rand.IntN(ids)
				hammer(t, table, n, noon.Add(time.Duration(i)*time.Millisecond))
				if held := table.Len(); held > entries+callers {
					t.Errorf("%d bound", held)
					return
				}
			}
		})
	}
	wg.Wait()
	sum := 0
	for _, n := range table.Count() {
		sum += n
	}
	if sum != table.Len() || sum > entries {
		t.Errorf("%d counted, %d held, want the same and at most %d", sum, table.Len(), entries)
	}
	table.Expire(noon.Add(time.Hour))
	checkCount(t, table, map[string]int{})
}

// hammer does something with id n, whose origin is n%3.
func hammer(t *testing.T, table *Table, n int, now time.Time) {
	id, own := fmt.Append(nil, "id", n), fmt.Sprint("web", n%3)
	switch rand.IntN(16) {
	case 0, 1:
		table.Expire(now)
	case 2:
		table.SetOptions(Options{Entries: 50 + rand.IntN(51), IdleTimeout: time.Second})
	case 3:
		table.Count()
	case 4, 5, 6, 7:
		table.Bind(id, own, now)
	default:
		if origin, ok := table.Bound(id, now); ok && origin != own {
			t.Errorf("%s is bound to %q, want %q", id, origin, own)
		}
	}
}
