package promises

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// A hundred swaps of a router's and a filter's module under load fail no request. The
// new ones are what runs when the configuration is applied, the old ones are closed,
// and when it is over memory is what it was.
func TestGuestModulesAreSwapped(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		s := newSwaps(t, engine)
		s.swap(t, 10) // what is made once is there
		before := s.rest(t)
		s.swap(t, 100)
		after := s.rest(t)
		t.Logf("%s: after 10 swaps %s; after 100 more %s", engine, before, after)
		if after.guests != before.guests {
			t.Errorf("guests have %d bytes, before %d", after.guests, before.guests)
		}
		if (after.heap > before.heap+before.heap/10+mib || after.rss > before.rss+before.rss/10+4*mib) && !raced {
			t.Errorf("memory has grown by more than a tenth: %s, before %s", after, before)
		}
	})
}

// swaps is a gateway with a router and a filter whose files are replaced.
type swaps struct {
	c              *child
	text           string
	router, filter string // the files
	done           int
}

func newSwaps(t *testing.T, engine string) *swaps {
	dir := t.TempDir()
	s := &swaps{router: filepath.Join(dir, "router.wasm"), filter: filepath.Join(dir, "filter.wasm")}
	o := startOrigin(t, serveErrands(func(err error) { t.Error(err) }))
	s.text = fmt.Sprintf(`listeners: [{ address: "127.0.0.1:0" }]
access_log: { format: off }
plugins:
  router: { kind: router, module: %q, on_error: reject, limits: { wait: 1s } }
  filter: { kind: filter, module: %q, on_error: reject, needs: [query], limits: { wait: 1s } }
clusters: { app: { origins: [{ address: %q }], router: router } }
sites: { all: { hosts: ["**"], filters: [{ plugin: filter }] } }
mappings: [{ site: all, cluster: app }]
`, s.router, s.filter, o.addr)
	s.replace(t)
	s.c = startGuests(t, engine, s.text)
	return s
}

// replace puts modules into the files that were never there before, as a build does:
// whole or not at all.
func (s *swaps) replace(t *testing.T) {
	t.Helper()
	s.done++
	for file, guest := range map[string]string{s.router: "good/abstain", s.filter: "good/puppet"} {
		write(t, file+".new", edition(read(t, wasmFile(t, guest)), s.done))
		if err := os.Rename(file+".new", file); err != nil {
			t.Fatal(err)
		}
	}
}

// edition is a module with a number in a section that means nothing.
func edition(wasm []byte, n int) []byte {
	section := fmt.Appendf([]byte{byte(len("edition"))}, "edition%06d", n)
	return append(append(wasm, 0, byte(len(section))), section...)
}

// swap replaces both modules n times while clients are at work.
func (s *swaps) swap(t *testing.T, n int) {
	t.Helper()
	w := startCrew(t, 6, to(s.c.addr), paced(getsAndPosts))
	for range n {
		w.await(t, 5, 0)
		s.replace(t)
		s.c.mustReload(s.text)
		s.expectNew(t)
	}
	w.await(t, 5, 0)
	all := w.end()
	w.expectNothingWrong(t)
	bad := selected(all, isNotRight)
	show(t, bad)
	s.c.expectOnlyAttached(2)
	t.Logf("%d swaps, %d errands, %d failed", n, len(all), len(bad))
}

// expectNew fails the test unless what runs is what is in the files.
func (s *swaps) expectNew(t *testing.T) {
	t.Helper()
	now := s.c.guests().Plugins
	for name, file := range map[string]string{"router": s.router, "filter": s.filter} {
		sum := sha256.Sum256(read(t, file))
		if got := now[name]; got.SHA256 != hex.EncodeToString(sum[:]) {
			t.Errorf("%s is %s, its file is another one", name, got.SHA256)
		}
	}
}

// burden is the memory of a gateway at rest.
type burden struct{ heap, rss, guests int64 }

func (b burden) String() string {
	return fmt.Sprintf("heap %.1f MiB, RSS %.1f MiB, guests %.1f MiB", float64(b.heap)/mib, float64(b.rss)/mib, float64(b.guests)/mib)
}

// rest is the burden with an instance of each module.
func (s *swaps) rest(t *testing.T) burden {
	t.Helper()
	s.c.await("rest", func(n counts) bool { return n.connections == 0 && n.exchanges == 0 })
	s.replace(t)
	s.c.mustReload(s.text)
	s.c.expectOnlyAttached(2)
	s.c.tell("gc")
	return burden{int64(s.c.count().heap), s.c.rss(), s.c.guests().Reserved}
}
