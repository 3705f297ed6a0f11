package gateway

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"weirkeep/gateway/cache/store"
	"weirkeep/gateway/config"
)

// diskOf is the part of a configuration that keeps answers in a folder.
func diskOf(path string) string { return fmt.Sprintf(", disk: { path: %q, size: 16MiB }", path) }

// ask asks a shop for a target, and returns all of the answer.
func (s *shop) ask(t *testing.T, target string) string {
	t.Helper()
	return send(t, s.addr, "GET "+target+" HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n")
}

// restart closes the gateway of a shop, and starts another one with the same configuration.
func (s *shop) restart(t *testing.T) {
	t.Helper()
	if err := s.g.Close(); err != nil {
		t.Fatal(err)
	}
	s.addr, s.g = start(t, s.text, s.g.opts)
}

// written waits until nothing is left to be written.
func (s *shop) written(t *testing.T) {
	t.Helper()
	until(t, "all is written", func() bool { return s.g.tier.Stats().Waiting == 0 })
}

// TestDiskOutlastsTheProcess: what was stored is there after a restart: answers as they
// were, by variant, with a body or without, and what had expired with its validator.
func TestDiskOutlastsTheProcess(t *testing.T) {
	s := newShop(t, diskOf(filepath.Join(t.TempDir(), "cache")))
	asked := 0
	s.answer = func(head string) (string, string) {
		asked++
		target, _, _ := strings.Cut(strings.TrimPrefix(head, "GET "), " ")
		if target == "/empty" {
			return "Cache-Control: max-age=60\r\n", ""
		}
		return "Cache-Control: max-age=60\r\nX-Of: " + target + "\r\n", strings.Repeat(target, 3000)
	}
	targets := []string{"/a", "/b?x=1", "/empty"}
	for _, target := range targets {
		s.ask(t, target)
	}
	for round := range 3 {
		s.restart(t)
		s.clock.Add(5)
		for _, target := range targets {
			got := s.ask(t, target)
			want := strings.Repeat(target, 3000)
			if target == "/empty" {
				want = ""
			}
			if _, body, _ := strings.Cut(got, "\r\n\r\n"); body != want || !strings.Contains(got, fmt.Sprintf("edge; hit; ttl=%d", 60-5*(round+1))) {
				t.Errorf("after restart %d %s: %.300s", round+1, target, got)
			}
		}
	}
	if asked != len(targets) {
		t.Errorf("the origin was asked %d times, want %d", asked, len(targets))
	}
	if st := s.g.tier.Stats(); st.Hits != 3 || st.Failed+st.Errors+st.Corrupt+st.Dropped != 0 {
		t.Errorf("%+v", st)
	}
}

// TestDiskHearsOfPurges: what is only on the disk goes with a purge, an invalidation and
// what an operator makes stale, and does not come back after a restart.
func TestDiskHearsOfPurges(t *testing.T) {
	purge := func(text string, how store.How) func(*testing.T, *shop) {
		return func(t *testing.T, s *shop) {
			sel, err := store.ParseSelector(text, text == "", nil)
			if err != nil {
				t.Fatal(err)
			}
			preview := s.g.cache.Purge(sel, how, true)
			r := s.g.cache.Purge(sel, how, false)
			if r.Count != 0 || r.Behind.Count != 1 || r.Behind.Bytes != 4 || r.Behind.Err != nil {
				t.Errorf("%+v", r)
			}
			if preview.Behind != r.Behind {
				t.Errorf("preview: %+v", preview)
			}
		}
	}
	for _, tt := range []struct {
		name string
		do   func(t *testing.T, s *shop)
		want string // of Cache-Status then
		kept bool   // the other answer
	}{
		{"by site and path", purge("site:default path:/x", store.Hard), "fwd=uri-miss", true},
		{"by tag", purge("tag:news", store.Hard), "fwd=uri-miss", true},
		{"soft", purge("path:/x*", store.Soft), "fwd=stale", true},
		{"by an unsafe method", func(t *testing.T, s *shop) {
			send(t, s.addr, "DELETE /x HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n")
		}, "fwd=uri-miss", true},
	} {
		for _, again := range []bool{false, true} {
			t.Run(fmt.Sprint(tt.name, ", then restarted: ", again), func(t *testing.T) {
				s := newShop(t, diskOf(filepath.Join(t.TempDir(), "cache")))
				s.answer = func(head string) (string, string) {
					if strings.Contains(head, " /x ") {
						return "Cache-Control: max-age=60\r\nETag: \"v\"\r\nSurrogate-Key: news\r\n", "page"
					}
					return "Cache-Control: max-age=60\r\n", "other"
				}
				s.ask(t, "/x")
				s.ask(t, "/other")
				s.restart(t)
				tt.do(t, s)
				if again {
					s.restart(t)
				}
				if got := s.ask(t, "/x"); !strings.Contains(got, tt.want) {
					t.Error(got)
				}
				if got := s.ask(t, "/other"); strings.Contains(got, "edge; hit") != tt.kept {
					t.Error(got)
				}
			})
		}
	}
}

// TestDiskIsTakenOver: a gateway that takes another one's place has the folder as soon as
// that lets go of it, and what was invalidated meanwhile does not come back.
func TestDiskIsTakenOver(t *testing.T) {
	s := newShop(t, diskOf(filepath.Join(t.TempDir(), "cache")))
	s.answer = func(string) (string, string) { return "Cache-Control: max-age=60\r\n", "page" }
	for _, target := range []string{"/x", "/y", "/z"} {
		s.ask(t, target)
	}
	s.written(t)
	var bindings bytes.Buffer
	if err := s.g.WriteBindings(&bindings); err != nil {
		t.Fatal(err)
	}
	before := s.g
	o := before.opts
	o.Bindings = &bindings
	s.addr, s.g = start(t, s.text, o)
	send(t, s.addr, "DELETE /x HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n")
	sel, _ := store.ParseSelector("path:/y", false, nil)
	s.g.cache.Purge(sel, store.Hard, false)
	apply(t, s.g, s.text)
	if s.g.tier.Volume() != nil {
		t.Fatal("two gateways have one folder")
	}
	ctx, hurry := context.WithCancel(t.Context())
	var drained sync.WaitGroup
	drained.Go(func() { before.Drain(ctx) })
	until(t, "the folder is taken over", func() bool { return s.g.tier.Volume() != nil })
	hurry()
	drained.Wait()
	for target, want := range map[string]string{"/x": "fwd=uri-miss", "/y": "fwd=uri-miss", "/z": "edge; hit"} {
		if got := s.ask(t, target); !strings.Contains(got, want) {
			t.Errorf("%s: %s", target, got)
		}
	}
}

// TestDiskThatCannotBeUsed: a folder that cannot be used is an error by name at the start
// and when a configuration is applied, and then all stays as it was. Check sees what can be
// seen, and makes nothing.
func TestDiskThatCannotBeUsed(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	good := filepath.Join(dir, "cache")
	s := newShop(t, diskOf(good))
	s.answer = func(string) (string, string) { return "Cache-Control: max-age=60\r\n", "page" }
	s.ask(t, "/x")
	for _, tt := range []struct{ path, want string }{
		{file, "E808: cache.disk.path: cache folder " + file},
		{filepath.Join(file, "in"), "E808: cache.disk.path: cache folder " + file},
	} {
		cfg := load(t, strings.Replace(s.text, fmt.Sprintf("%q", good), fmt.Sprintf("%q", tt.path), 1))
		for what, problems := range map[string]config.Problems{"Check": Check(cfg), "Apply": s.g.Apply(cfg), "the first Apply": firstApply(t, cfg)} {
			if problems.Errors() != 1 || !strings.Contains(problems[0].String(), tt.want) {
				t.Errorf("%s, %s: %v", what, tt.path, problems)
			}
		}
	}
	if v := s.g.tier.Volume(); v == nil || v.Path() != good {
		t.Error("the folder is not the one that it was")
	}
	s.restart(t)
	if got := s.ask(t, "/x"); !strings.Contains(got, "edge; hit") {
		t.Error(got)
	}
	fresh := filepath.Join(dir, "a", "b")
	if problems := Check(load(t, strings.Replace(s.text, good, fresh, 1))); problems.Errors() > 0 {
		t.Error(problems)
	}
	if _, err := os.Stat(filepath.Dir(fresh)); err == nil {
		t.Error("Check has made a folder")
	}
}

func firstApply(t *testing.T, cfg *config.Config) config.Problems {
	g := New(Options{})
	defer g.Close()
	return g.Apply(cfg)
}

// TestDiskIsGivenUp: a folder that is not named any more has nothing in it afterwards, and
// one that is named with another size keeps what it has.
func TestDiskIsGivenUp(t *testing.T) {
	dir := t.TempDir()
	one, two := diskOf(filepath.Join(dir, "one")), diskOf(filepath.Join(dir, "two"))
	s := newShop(t, one)
	s.answer = func(string) (string, string) { return "Cache-Control: max-age=60\r\n", "page" }
	s.ask(t, "/x")
	s.written(t)
	first := s.text
	apply(t, s.g, strings.Replace(first, "16MiB", "24MiB", 1))
	if st := s.g.tier.Stats(); st.Objects != 1 || st.Limit != 24<<20 {
		t.Errorf("%+v", st)
	}
	for _, text := range []string{strings.Replace(first, one, two, 1), first, strings.Replace(first, one, "", 1), first} {
		apply(t, s.g, text)
		if st := s.g.tier.Stats(); st.Objects != 0 || (st.Limit > 0) != strings.Contains(text, "disk") {
			t.Errorf("%s: %+v", text, st)
		}
	}
}

// TestDiskDoesNotTrustClocks: what was stored while the clock was wrong is asked for anew when
// that has been set right, in whichever direction, and is fresh no longer than other answers.
func TestDiskDoesNotTrustClocks(t *testing.T) {
	for _, wrong := range []int64{1e9, 4000, -1e9} {
		s, asked := newShop(t, diskOf(filepath.Join(t.TempDir(), "cache"))), 0
		s.answer = func(string) (string, string) {
			asked++
			return "Cache-Control: max-age=60\r\nETag: \"v\"\r\n", "hello"
		}
		s.clock.Store(wrong)
		s.ask(t, "/x")
		s.written(t)
		s.clock.Store(0)
		s.restart(t)
		for _, want := range []string{"edge; fwd=stale", "edge; hit; ttl=60"} {
			if got := s.ask(t, "/x"); !strings.Contains(got, want) {
				t.Errorf("stored %d s ahead: %s, want %s", wrong, got, want)
			}
		}
		if s.clock.Store(70); !strings.Contains(s.ask(t, "/x"), "edge; fwd=stale") {
			t.Errorf("stored %d s ahead: it is fresh for longer than 60 s", wrong)
		}
	}
}

// TestDiskKeepsWhatIsKnown: what a 304 says is known after a restart; variants are told apart.
func TestDiskKeepsWhatIsKnown(t *testing.T) {
	s := newShop(t, diskOf(filepath.Join(t.TempDir(), "cache")))
	s.answer = func(head string) (string, string) {
		if strings.Contains(head, "If-None-Match: ") {
			return "Cache-Control: max-age=100\r\nX-Gen: 2\r\nETag: \"v\"\r\n", ""
		}
		body := "german"
		if strings.Contains(head, "Accept-Language: en") {
			body = "english"
		}
		return "Cache-Control: max-age=60\r\nVary: Accept-Language\r\nX-Gen: 1\r\nETag: \"v\"\r\n", body
	}
	in := func(language string) string {
		return send(t, s.addr, "GET /x HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\nAccept-Language: "+language+"\r\n\r\n")
	}
	in("de")
	in("en")
	s.written(t)
	s.clock.Store(80)
	s.home.status = func() string { return "304 Not Modified" }
	in("en")
	s.restart(t)
	s.home.down.Store(true)
	if got := in("en"); !strings.Contains(got, "edge; hit; ttl=100") || !strings.Contains(got, "X-Gen: 2") || !strings.HasSuffix(got, "\r\n\r\nenglish") {
		t.Error(got)
	}
	if got := in("de"); !strings.Contains(got, "fwd=stale") || !strings.HasSuffix(got, "\r\n\r\ngerman") {
		t.Error(got) // it has expired, and no origin can be reached
	}
}
