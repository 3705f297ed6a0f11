package gateway

import (
	"strings"
	"testing"
	"time"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/cache/store"
	"weirkeep/gateway/wire"
)

// TestWhoWaitsIsGivenWhatIsForAll: a client that has waited for the answer to another one
// gets it if that says how long it is fresh, even if that is not at all; else the origin
// is asked for it, or whether it holds. An ETag alone is no leave to show a page to others.
func TestWhoWaitsIsGivenWhatIsForAll(t *testing.T) {
	for _, tt := range []struct{ fields, want string }{
		{"Cache-Control: max-age=60", "of the other"},
		{"Cache-Control: max-age=0 / ETag: \"v1\"", "of the other"},
		{"ETag: \"v1\"", "own"},
		{"Last-Modified: Sun, 01 Mar 2026 12:00:00 GMT", "own"},
		{"Cache-Control: no-cache / ETag: \"v1\"", "own"},
		{"Cache-Control: max-age=0, must-revalidate / ETag: \"v1\"", "own"},
	} {
		t.Run(tt.fields, func(t *testing.T) {
			s := newShop(t, "")
			s.answer = func(string) (string, string) { return strings.ReplaceAll(tt.fields, " / ", "\r\n") + "\r\n", "own" }
			leader := s.lead(t)
			got := make(chan string, 1)
			go func() {
				got <- send(t, s.addr, "GET /x HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n")
			}()
			until(t, "a client waits", leader.Waited)
			s.land(t, leader, tt.fields, "of the other")
			if answer := <-got; !strings.HasSuffix(answer, "\r\n\r\n"+tt.want) {
				t.Errorf("got %s, want %s", answer, tt.want)
			}
		})
	}
}

// lead begins a fetch of /x that others wait for. What it is stored under is taken from
// an answer that was stored before.
func (s *shop) lead(t *testing.T) *store.Flight {
	t.Helper()
	before := s.answer
	s.answer = func(string) (string, string) { return "Cache-Control: max-age=60\r\n", "earlier" }
	send(t, s.addr, "GET /x HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n")
	s.answer = before
	until(t, "an answer is stored", func() bool { return s.g.cache.Stats().Objects == 1 })
	earlier := s.g.cache.List(&store.Selector{}, store.ByAge, 1)[0]
	key := *earlier.Key()
	s.g.cache.Remove(earlier)
	policy := cache.Default()
	flight, leads := s.g.cache.Fetch(&key, new(cache.Request), &policy)
	if !leads {
		t.Fatal("another one fetches /x")
	}
	return flight
}

// land ends a fetch with an answer.
func (s *shop) land(t *testing.T, f *store.Flight, fields, body string) {
	t.Helper()
	now := s.g.now(time.Now())
	policy := cache.Default()
	stored, why := policy.Store(new(cache.Request), &cache.Answer{
		Status: 200, Fields: answerFields(t, fields), Length: int64(len(body)), Sent: now, Received: now,
	}, cache.Override{})
	if stored == nil {
		t.Fatal(why)
	}
	fill := f.Store(stored, stored.AppendHead(nil))
	if err := fill.Write([]byte(body)); err != nil {
		t.Error(err)
	}
	fill.Done()
}

// answerFields are the fields of an answer that are written with " / " between them.
func answerFields(t *testing.T, text string) []wire.Field {
	t.Helper()
	var h wire.Head
	if err := h.ParseResponse([]byte(strings.ReplaceAll(text, " / ", "\r\n")+"\r\n"), 1, &wire.Rules{}); err != nil {
		t.Fatal(err)
	}
	return h.Fields
}

// TestWhatIsOutOfDateGoes: an answer that is not stored, but shows that what is stored is
// out of date, ends that: nobody gets it any longer, as stale as it might be used. What
// is for one client, or says no-store, lets it stay (R1).
func TestWhatIsOutOfDateGoes(t *testing.T) {
	for _, tt := range []struct {
		fields string
		stays  bool
	}{
		{"Cache-Control: no-cache\r\n", false},
		{"Cache-Control: max-age=0\r\n", false},
		{"Cache-Control: max-age=60\r\nVary: *\r\n", false},
		{"X-Says: nothing\r\n", false},
		{"Cache-Control: no-store\r\n", true},
		{"Cache-Control: private, max-age=60\r\n", true},
		{"Cache-Control: max-age=60\r\nSet-Cookie: a=1\r\n", true},
	} {
		t.Run(tt.fields, func(t *testing.T) {
			s := newShop(t, "")
			ask := func() string {
				return send(t, s.addr, "GET /x HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n")
			}
			s.answer = func(string) (string, string) {
				return "Cache-Control: max-age=1, stale-while-revalidate=60\r\n", "old"
			}
			ask()
			until(t, "an answer is stored", func() bool { return s.g.cache.Stats().Objects == 1 })
			s.answer = func(string) (string, string) { return tt.fields, "new" }
			s.clock.Store(3)
			if got := ask(); !strings.HasSuffix(got, "\r\n\r\nold") {
				t.Errorf("within the window: %s", got)
			}
			until(t, "the refresh is over", func() bool { return s.g.refreshes.Load() == 0 })
			if got := ask(); strings.HasSuffix(got, "\r\n\r\nold") != tt.stays {
				t.Errorf("after the refresh: %s", got)
			}
		})
	}
}
