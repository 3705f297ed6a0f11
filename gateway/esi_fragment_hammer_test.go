package gateway

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestHammerPages: pages that share fragments, while those expire and are purged, configurations come and
// go, and clients leave. Every page that ends is what it has to be, and nothing is left of the others.
func TestHammerPages(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, "")
	homes{p.a, p.b, p.c}.say(func(head string) (string, string) {
		target := requestTarget(head)
		switch {
		case strings.Contains(target, "stored"):
			return "Cache-Control: max-age=10, stale-while-revalidate=5\r\n", "[" + target + "]"
		case strings.Contains(target, "coded"):
			return stored60 + "Content-Encoding: gzip\r\n", inGzip("[" + target + "]")
		case strings.Contains(target, "inner"):
			return "Surrogate-Control: content=\"ESI/1.0\", max-age=10\r\n", include("/stored1") + include("http://b.example/stored2")
		}
		return "", "[" + target + "]"
	})
	const template = `<esi:include src="/stored1"/><esi:include src="http://b.example/stored2"/><esi:include src="/coded"/>` +
		`<esi:include src="/other"/><esi:include src="http://c.example/only/stored3"/><esi:include src="/inner"/>`
	const want = "[/stored1][/stored2][/coded][/other][/only/stored3][/stored1][/stored2]"
	until := time.Now().Add(300 * time.Millisecond)
	var running sync.WaitGroup
	for range 4 {
		running.Go(func() {
			r := rand.New(rand.NewPCG(rand.Uint64(), 1))
			for time.Now().Before(until) {
				ctx, leave := context.WithCancel(context.Background())
				if r.IntN(4) == 0 {
					time.AfterFunc(time.Duration(r.IntN(3000))*time.Microsecond, leave)
				}
				got := p.assembleFor(t, ctx, &bufferSink{}, template)
				if gone := ctx.Err() != nil; !gone && (got.err != nil || got.text != want) {
					t.Errorf("%q, %v", got.text, got.err)
				}
				leave()
			}
		})
	}
	for n := 0; time.Now().Before(until); n++ {
		p.clock.Add(3)
		switch n % 3 {
		case 0:
			p.g.PurgeStored(StoredPurge{StoredSelection: StoredSelection{Match: "site:b"}, Soft: n%2 == 0})
		case 1:
			apply(t, p.g, strings.Replace(p.text, "unmapped_providers: deny", fmt.Sprintf("unmapped_providers: deny, concurrent: %d", n%7+2), 1))
		}
		time.Sleep(time.Millisecond)
	}
	running.Wait()
	untilIdle(t, p.g)
	p.balanced(t)
}

// balanced waits until nothing is left of pages.
func (p *pageMill) balanced(t *testing.T) {
	t.Helper()
	until(t, "the configuration is held for being current alone", func() bool { return p.g.current.Load().users.Load() == 1 })
	if n := p.g.fetching.Load(); n != 0 {
		t.Errorf("%d fragments are under way", n)
	}
	if n := p.g.cache.Stats().Flights; n != 0 {
		t.Errorf("%d flights are under way", n)
	}
}
