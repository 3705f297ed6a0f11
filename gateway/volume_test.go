package gateway

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"weirkeep/gateway/cache/store"
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
