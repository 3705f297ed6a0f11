package gateway

import (
	"context"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

// A refresh that brings nothing, in whatever way, is no fault of ours; what is stored stays, and is
// not asked for anew at once (Z6).
func TestRefreshThatBringsNothing(t *testing.T) {
	for _, tt := range []struct{ name, status, fields string }{
		{"the origin is gone", "", ""},
		{"it is about another version, and then the origin is gone", "304 Not Modified", "ETag: \"v2\"\r\nConnection: close\r\n"},
		{"it is about another version, each time", "304 Not Modified", "ETag: \"v2\"\r\n"},
		{"it is for one client", "200 OK", "Cache-Control: private\r\n"},
		{"it is an error", "500 No", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var gone atomic.Bool
			s := newShopOf(t, ", stale: { while_revalidate: 1h }", Options{Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
				if gone.Load() {
					return nil, &net.OpError{Op: "dial", Net: network, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
				}
				return dialTCP(ctx, network, address)
			}})
			s.answer = func(string) (string, string) { return stored60 + "ETag: \"v1\"\r\nConnection: close\r\n", "page" }
			s.get(t, "/x")
			s.status = func() string { return tt.status }
			s.answer = func(string) (string, string) {
				gone.Store(strings.Contains(tt.fields, "close"))
				return tt.fields, ""
			}
			gone.Store(tt.status == "")
			s.at(100)
			wants(t, "what there is", s.get(t, "/x"), "\r\n\r\npage")
			until(t, "the refresh has ended", func() bool { return s.g.refreshes.Load() == 0 })
			asked := s.heads.Load()
			wants(t, "what there is", s.get(t, "/x"), "\r\n\r\npage")
			if n := s.g.metrics.Process.Panics.Load(); n != 0 || s.g.refreshes.Load() != 0 || s.heads.Load() != asked {
				t.Errorf("%d panics; the origin was asked %d times, then %d", n, asked, s.heads.Load())
			}
			until(t, "no slot is taken", func() bool { return s.g.Status().Origins[0].Load == 0 })
		})
	}
}

// Who has found what was refreshed meanwhile does not have it refreshed again.
func TestWhatWasRefreshedIsNotRefreshedAgain(t *testing.T) {
	s := newShopOf(t, ", stale: { while_revalidate: 1h }", Options{})
	s.answer = func(string) (string, string) { return stored60, "old" }
	snap, _, err := s.g.hold()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.release()
	x, err := snap.requestFor(s.g, "http://shop.example/x", nil)
	if err != nil {
		t.Fatal(err)
	}
	snap.users.Add(1)
	defer s.g.endClientless(x, nil)
	if err := s.g.walkToStore(x); err != nil {
		t.Fatal(err)
	}
	found := x.cached.entry
	s.answer = func(string) (string, string) { return stored60, "new" }
	s.at(100)
	until(t, "it is refreshed", func() bool { return strings.HasSuffix(s.get(t, "/x"), "new") })
	until(t, "the refresh has ended", func() bool { return s.g.refreshes.Load() == 0 })
	begun := x.site.cache.metrics.Refreshes.Load()
	s.g.refresh(x, found)
	if n := x.site.cache.metrics.Refreshes.Load() - begun; n != 0 || s.g.refreshes.Load() != 0 || s.g.cache.Stats().Flights != 0 {
		t.Errorf("%d refreshes have begun, %d run, %d fetches are under way", n, s.g.refreshes.Load(), s.g.cache.Stats().Flights)
	}
}
