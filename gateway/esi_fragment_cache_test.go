package gateway

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"weirkeep/gateway/esi"
	"weirkeep/gateway/metrics"
)

// TestFragmentsOfSitesWithoutCache are fetched for each page.
func TestFragmentsOfSitesWithoutCache(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, "")
	apply(t, p.g, strings.Replace(p.text, "b: { hosts:", "b: { cache: { enabled: false }, hosts:", 1))
	n := 0
	p.b.script = func(string) (string, string) { n++; return stored60, strings.Repeat(fmt.Sprint(n), 100<<10) }
	for n := range 2 {
		got := p.assemble(t, include("http://b.example/x"))
		if want := strings.Repeat(fmt.Sprint(n+1), 100<<10); got.err != nil || got.text != want || got.cache() != "" {
			t.Errorf("time %d: %d bytes, %q, %v", n+1, len(got.text), got.cache(), got.err)
		}
	}
	untilIdle(t, p.g)
}

// TestPartsSayHowLongTheyAreFresh: the least of them, and nothing if some are for one client.
func TestPartsSayHowLongTheyAreFresh(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, says, template string
		want                 time.Duration // 0: not for all
	}{
		{"none", "", "text", math.MaxInt64},
		{"one", stored60, include("/x"), 60 * time.Second},
		{"the shorter", stored60, include("/x") + include("/y", `ttl="10s"`), 10 * time.Second},
		{"not stored", "", include("/x"), 0},
		{"one of them", stored60, include("/x") + include("http://unknown.example/", `onerror="continue"`), 0},
		{"of several encodings", stored60 + "Vary: Accept-Encoding\r\n", include("/x"), 60 * time.Second},
		{"for some clients", stored60 + "Vary: Cookie\r\n", include("/x"), 0},
		{"with variables", "Surrogate-Control: max-age=60, content=\"ESI/1.0\"\r\n", include("/vars"), 0},
	} {
		p := newPageMill(t, "")
		p.a.script = func(head string) (string, string) { return tt.says, "<esi:vars>$(HTTP_COOKIE{a})</esi:vars>" }
		for n := range 2 { // fetched, then in memory
			x := p.page(t)
			parts := p.g.fragmentsOf(x)
			program, _, _ := esi.Parse([]byte(tt.template), esi.Limits{})
			esi.Assemble(t.Context(), &esi.Page{
				Template: program, URL: esi.URL{Authority: "a.example", Target: "/page"}, Client: &esi.Client{}, Options: &p.options,
			}, parts, &bufferSink{})
			left, ok := parts.left()
			if ok != (tt.want > 0) || ok && (left > tt.want || left < tt.want-tt.want/20) {
				t.Errorf("%s, time %d: %v, %v; want %v", tt.name, n+1, left, ok, tt.want)
			}
			parts.end()
			x.release()
		}
	}
}

// TestFragmentsAreStored: each by its own rules, and one of a page is one for all pages.
func TestFragmentsAreStored(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, "")
	n := 0
	p.a.script = func(string) (string, string) { n++; return stored60, fmt.Sprint("v", n) }
	for _, tt := range []struct {
		at          int64
		want, cache string
		fetches     int
	}{
		{0, "v1", "miss", 1},
		{30, "v1", "hit", 0},
		{59, "v1", "hit", 0},
		{61, "v2", "miss", 1},
	} {
		p.clock.Store(tt.at)
		got := p.assemble(t, include("/x"))
		wantPage(t, fmt.Sprint("at ", tt.at), got, tt.want)
		if got.cache() != tt.cache || got.report.Fetches != tt.fetches {
			t.Errorf("at %d: %s, %d fetches; want %s, %d", tt.at, got.cache(), got.report.Fetches, tt.cache, tt.fetches)
		}
	}
	outcomes := &p.site("a").cache.metrics.Outcomes
	if hits, misses := outcomes[metrics.CacheHit].Load(), outcomes[metrics.CacheMiss].Load(); hits != 2 || misses != 2 {
		t.Errorf("%d hits and %d misses are counted, want 2 and 2", hits, misses)
	}
	if got := send(t, p.addr, "GET /x HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n"); !strings.Contains(got, "edge; hit") {
		t.Errorf("a client gets %q", got)
	}
}

// TestIncludesSayHowLong: TTL, of the include, and what it must not change (C7).
func TestIncludesSayHowLong(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, src, attributes, says string
		at                          []int64
		want                        string
	}{
		{"says nothing", "/x", "", "", []int64{0, 1}, "v1 v2"},
		{"stored as the include says", "/x", `ttl="10s"`, "", []int64{0, 9, 11}, "v1 v1 v2"},
		{"longer than the answer says", "/x", `ttl="100s"`, stored60, []int64{0, 90, 101}, "v1 v1 v2"},
		{"shorter", "/x", `ttl="10s"`, stored60, []int64{0, 9, 11}, "v1 v1 v2"},
		{"never beyond private", "/x", `ttl="10s"`, "Cache-Control: private\r\n", []int64{0, 1}, "v1 v2"},
		{"never beyond no-store", "/x", `ttl="10s"`, "Cache-Control: no-store\r\n", []int64{0, 1}, "v1 v2"},
		{"not stored", "/x", `no-store="on"`, stored60, []int64{0, 1}, "v1 v2"},
		{"of another site, shorter", "http://b.example/x", `ttl="10s"`, stored60, []int64{0, 9, 11}, "v1 v1 v2"},
		{"of another site, no longer", "http://b.example/x", `ttl="100s"`, stored60, []int64{0, 59, 61}, "v1 v1 v2"},
		{"of another site, not at all", "http://b.example/x", `ttl="100s"`, "", []int64{0, 1}, "v1 v2"},
		{"of a provider", "http://c.example/only", `ttl="100s"`, stored60, []int64{0, 90, 101}, "v1 v1 v2"},
		{"the longer one", "/x", `max-age="10"`, stored60, []int64{0, 59, 61}, "v1 v1 v2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPageMill(t, "")
			n := 0
			homes{p.a, p.b, p.c}.say(func(string) (string, string) { n++; return tt.says, fmt.Sprint("v", n) })
			var all []string
			for _, at := range tt.at {
				p.clock.Store(at)
				got := p.assemble(t, include(tt.src, tt.attributes))
				if got.err != nil {
					t.Fatal(got.err)
				}
				all = append(all, got.text)
			}
			if got := strings.Join(all, " "); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// TestPurgedFragmentsAreFetched: between two pages, without the page being purged (C8); tags of the include
// are the fragment's.
func TestPurgedFragmentsAreFetched(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, "")
	n := 0
	p.a.script = func(string) (string, string) { n++; return stored60, fmt.Sprint("v", n) }
	template := include("/x", `cache-tag="menu"`)
	wantPage(t, "first", p.assemble(t, template), "v1")
	wantPage(t, "second", p.assemble(t, template), "v1")
	if done, err := p.g.PurgeStored(StoredPurge{StoredSelection: StoredSelection{Match: "tag:menu"}}); err != nil || done.Count != 1 {
		t.Errorf("%+v, %v; want one to be purged", done, err)
	}
	wantPage(t, "purged", p.assemble(t, template), "v2")
}

// TestStaleFragmentsAreRefreshed: they stand in the page, and are asked for anew behind its back.
func TestStaleFragmentsAreRefreshed(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, "")
	var n atomic.Int64
	p.a.script = func(string) (string, string) {
		return "Cache-Control: max-age=10, stale-while-revalidate=60\r\n", fmt.Sprint("v", n.Add(1))
	}
	wantPage(t, "first", p.assemble(t, include("/x")), "v1")
	p.clock.Store(20)
	got := p.assemble(t, include("/x"))
	wantPage(t, "stale", got, "v1")
	if got.cache() != "stale" || got.report.Fetches != 0 {
		t.Errorf("it was come by as %q, by %d fetches", got.cache(), got.report.Fetches)
	}
	until(t, "it is fresh", func() bool { return p.assemble(t, include("/x")).text == "v2" })
}

// TestFragmentsAreRevalidated: what has expired is asked for with its tag.
func TestFragmentsAreRevalidated(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, "")
	asked := ""
	p.a.script = func(head string) (string, string) {
		if asked = fieldIn(head, "If-None-Match"); asked != "" {
			return stored60 + "ETag: \"v1\"\r\n", ""
		}
		return stored60 + "ETag: \"v1\"\r\n", "v1"
	}
	wantPage(t, "first", p.assemble(t, include("/x")), "v1")
	p.clock.Store(61)
	p.a.status = func() string { return "304 Not Modified" }
	got := p.assemble(t, include("/x"), "If-None-Match: \"other\"")
	wantPage(t, "validated", got, "v1")
	if asked != `"v1"` || got.cache() != "revalidated" {
		t.Errorf("asked with %q, told as %q", asked, got.cache())
	}
	wantPage(t, "then fresh", p.assemble(t, include("/x")), "v1")
}

// TestIncludesOfOneFragmentAreOneFetch: of two pages at once, too (C8, 32).
func TestIncludesOfOneFragmentAreOneFetch(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, "")
	p.a.script = func(string) (string, string) { return stored60, "x" }
	p.a.letGo = make(chan struct{})
	var running sync.WaitGroup
	for range 3 {
		running.Go(func() {
			wantPage(t, "a page", p.assemble(t, include("/hold")+include("/hold")), "xx")
		})
	}
	until(t, "the origin is asked", func() bool { return p.a.held.Load() == 1 })
	close(p.a.letGo)
	running.Wait()
	if n := p.a.heads.Load(); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

// readies are pages of three fragments that are in memory.
func readies(tb testing.TB) (once func()) {
	p := newPageMill(tb, "")
	p.a.script = func(string) (string, string) { return stored60, "x" }
	p.assemble(tb, include("/x")+include("/y")+include("/z"))
	x := p.page(tb, "Cookie: a=b", "Accept: text/html", "User-Agent: of some length, as they are", "Accept-Language: de", "Referer: http://a.example/")
	tb.Cleanup(x.release)
	var all [3]esi.Include
	for i, target := range []string{"/x", "/y", "/z"} {
		all[i] = esi.Include{URL: esi.URL{Authority: "a.example", Target: target}, Own: true, Depth: 1, Attributes: &esi.Attributes{}}
	}
	return func() {
		x.assembled.fragments = x.assembled.fragments[:0]
		parts := p.g.fragmentsOf(x)
		for i := range all {
			if got, ok := parts.Ready(&all[i]); !ok || string(got.Whole) != "x" {
				tb.Fatalf("it is not ready: %+v", got)
			}
		}
		parts.end()
	}
}

// TestReadyFragmentsAllocs: fragments in memory are had without allocating.
func TestReadyFragmentsAllocs(t *testing.T) {
	if raceDetector {
		return
	}
	if n := testing.AllocsPerRun(100, readies(t)); n != 0 {
		t.Errorf("three fragments take %v allocations, want 0", n)
	}
}

// BenchmarkReadyFragments has a budget of 4 µs/op and 0 allocs/op per core, for three fragments.
func BenchmarkReadyFragments(b *testing.B) {
	once := readies(b)
	b.ReportAllocs()
	for b.Loop() {
		once()
	}
}
