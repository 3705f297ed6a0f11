package popular

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// While there is room all is counted, to the last request; sites are told apart.
func TestFewAreCountedExactly(t *testing.T) {
	c := New()
	for n := range 50 {
		for i := range n {
			c.Add("shop", fmt.Append(nil, "/", n), fmt.Sprint("why ", i), epoch.Add(time.Duration(i)*time.Second))
		}
	}
	c.Add("blog", []byte("/49"), "", epoch)
	c.Add("shop", []byte("/"+strings.Repeat("x", longest)), "", epoch)
	all := c.List()
	if len(all) != 50 {
		t.Fatalf("%d are counted", len(all))
	}
	if want := (Path{"shop", "/49", 49, 0, epoch.Add(48 * time.Second), "why 48"}); all[0] != want {
		t.Errorf("%+v, want %+v", all[0], want)
	}
	if last := all[48:]; last[0].Site != "blog" || last[1].Path != "/1" || last[1].Requests != 1 {
		t.Errorf("%+v", last)
	}
}

// Whatever comes, memory is bounded, what is asked for most is on top, and no count is less
// than what it stands for, or more by more than it says.
func TestManyAreBounded(t *testing.T) {
	c, r := New(), rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(r, 1.2, 1, 1<<20)
	asked := make(map[string]uint64)
	for range 300_000 {
		path := fmt.Sprint("/", zipf.Uint64())
		asked[path]++
		c.Add("shop", []byte(path), "", epoch)
	}
	all := c.List()
	if len(all) > shardCount*perShard {
		t.Errorf("%d are kept", len(all))
	}
	var most []string
	for path := range asked {
		most = append(most, path)
	}
	slices.SortFunc(most, func(a, b string) int { return int(asked[b]) - int(asked[a]) })
	for i := range 20 {
		if !slices.ContainsFunc(all[:30], func(p Path) bool { return p.Path == most[i] }) {
			t.Errorf("%s, which is number %d with %d requests, is not among the first 30", most[i], i, asked[most[i]])
		}
	}
	for _, p := range all {
		if p.Requests > asked[p.Path]+p.Over {
			t.Errorf("%+v, and was asked for %d times", p, asked[p.Path])
		}
	}
}

// TestAddAllocs: what is known is counted without an allocation.
func TestAddAllocs(t *testing.T) {
	c, path := New(), []byte("/a/path/that/is/known")
	if n := testing.AllocsPerRun(100, func() { c.Add("shop", path, "private", epoch) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestHammer(t *testing.T) {
	c := New()
	var busy sync.WaitGroup
	for g := range 4 {
		busy.Go(func() {
			for n := range 20_000 {
				c.Add("shop", fmt.Append(nil, "/", (n*(g+1))%5000), "", epoch)
				if n%5000 == 0 {
					c.List()
				}
			}
		})
	}
	busy.Wait()
}

// BenchmarkAdd has a budget of 150 ns and no allocation.
func BenchmarkAdd(b *testing.B) {
	c, path := New(), []byte("/a/path/that/is/known")
	b.ReportAllocs()
	for b.Loop() {
		c.Add("shop", path, "private", epoch)
	}
}
