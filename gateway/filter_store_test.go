package gateway

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"weirkeep/abi"
)

// parrot says what the answer's X-Say says, and fails at every request.
const parrot = "good/parrot"

// newStoreShop is a shop whose answers a guest edits before they are stored. needs are what it is
// shown beside headers, each behind a comma.
func newStoreShop(t *testing.T, guest, needs, onError, cache string) *shop {
	s := newShop(t, cache)
	s.text += fmt.Sprintf(`
plugins: { edit: { kind: filter, module: %q, needs: [headers%s], limits: { instances: 16, wait: 1s } } }
sites: { w: { hosts: ["**"], filters: [{ plugin: edit, on_error: %s, stage: store }] } }
mappings: [{ site: w, cluster: a }]
`, guestFile(guest), needs, onError)
	apply(t, s.g, s.text)
	return s
}

// calls is how often the guest was called.
func (s *shop) calls() uint64 { return s.g.Plugins()[0].Counters.Calls.Load() }

// visit asks for a path, with further fields of the request.
func (s *shop) visit(t *testing.T, path string, fields ...string) told {
	t.Helper()
	return ask(t, s.addr, "GET "+path+" HTTP/1.1\r\n"+strings.Join(append([]string{"Host: w.example"}, fields...), "\r\n"))
}

// says are fields of an answer that make the parrot return these operations.
func says(ops ...abi.Op) string { return "X-Say: " + say(ops...) + "\r\n" }

// a filter of stage store is called once for what is stored, and not on hits. All clients see
// what it makes of head and body.
func TestStoreFilterIsCalledOnce(t *testing.T) {
	s := newStoreShop(t, parrot, ", body", "reject", "")
	s.answer = func(string) (string, string) {
		return stored60 + "ETag: \"o\"\r\nX-Secret: s\r\n" + says(op(abi.OpDeleteHeader, "x-secret", ""), op(abi.OpSetHeader, "X-Made", "here"), op(abi.OpSetBody, "", "made")), "secret"
	}
	before := s.calls()
	for i, did := range []string{"stored", "hit", "hit"} {
		got := s.visit(t, "/x")
		if got.status != 200 || got.body != "made" || got.header.Get("X-Made") != "here" || got.header.Get("Content-Length") != "4" {
			t.Errorf("%d: %d %q %v", i, got.status, got.body, got.header)
		}
		if got.header.Get("X-Secret") != "" || got.header.Get("ETag") != "" || !strings.Contains(got.header.Get("Cache-Status"), did) {
			t.Errorf("%d: %v, want it %s", i, got.header, did)
		}
	}
	if got := s.visit(t, "/x", "Range: bytes=1-2"); got.status != 206 || got.body != "ad" {
		t.Errorf("a range of it is %d %q", got.status, got.body)
	}
	if n := s.calls() - before; n != 1 {
		t.Errorf("it was called %d times, want 1", n)
	}
}

// Those that wait for a fetch get what the filter makes of it.
func TestStoreFilterIsCalledOnceForAllWhoWait(t *testing.T) {
	s := newStoreShop(t, parrot, "", "reject", "")
	s.answer = func(string) (string, string) {
		return stored60 + says(op(abi.OpSetHeader, "X-Made", "here")), "page"
	}
	before := s.calls()
	var all sync.WaitGroup
	one := func() {
		if got := s.visit(t, "/hold"); got.body != "page" || got.header.Get("X-Made") != "here" {
			t.Errorf("%d %q %v", got.status, got.body, got.header)
		}
	}
	all.Go(one)
	until(t, "the origin is asked", func() bool { return s.held.Load() == 1 })
	for range 4 {
		all.Go(one)
	}
	until(t, "the others wait", func() bool { return s.g.cache.Stats().Waiting == 4 })
	s.letGo <- struct{}{}
	all.Wait()
	if n := s.calls() - before; n != 1 || s.heads.Load() != 1 {
		t.Errorf("it was called %d times, the origin %d", n, s.heads.Load())
	}
}

// What an origin says anew in a 304 goes through the filter with all that it had said: the stored
// head is what the filter makes, and no mixture. The origin is asked by what it has sent itself.
func TestStoreFilterMakesWhatIsRenewed(t *testing.T) {
	s := newStoreShop(t, parrot, "", "reject", "")
	fields := func(secret string) string {
		return stored60 + "ETag: \"o\"\r\nX-Secret: " + secret + "\r\n"
	}
	s.answer = func(string) (string, string) {
		return fields("1") + says(op(abi.OpDeleteHeader, "x-secret", ""), op(abi.OpSetHeader, "ETag", `"made"`), op(abi.OpAddHeader, "X-Made", "once")), "page"
	}
	s.visit(t, "/x")
	var asked string
	s.status = func() string { return "304 Not Modified" }
	s.answer = func(head string) (string, string) {
		asked = head
		return fields("2") + "X-Gen: 8\r\n", ""
	}
	before := s.calls()
	for i, at := range []int64{100, 110} {
		s.clock.Store(at)
		got := s.visit(t, "/x")
		h := got.header
		if got.status != 200 || got.body != "page" || h.Get("X-Gen") != "8" || h.Get("ETag") != `"made"` || h.Get("X-Secret") != "" || strings.Join(h.Values("X-Made"), " ") != "once" {
			t.Errorf("%d: %d %q %v", i, got.status, got.body, h)
		}
	}
	if !strings.Contains(asked, "If-None-Match: \"o\"\r\n") || s.heads.Load() != 2 || s.calls()-before != 1 {
		t.Errorf("asked %d times, at last %q; called %d times", s.heads.Load(), asked, s.calls()-before)
	}
	if got := s.visit(t, "/x", `If-None-Match: "made"`); got.status != http.StatusNotModified {
		t.Errorf("a client that has it gets %d", got.status)
	}
}

// A filter that is shown bodies needs the body again, so that is asked for.
func TestStoreFilterOfBodiesGetsTheWhole(t *testing.T) {
	s := newStoreShop(t, parrot, ", body", "reject", "")
	var asked string
	page := "one"
	s.answer = func(head string) (string, string) {
		asked = head
		return stored60 + "ETag: \"o\"\r\n" + says(op(abi.OpSetBody, "", "made of "+page)), page
	}
	s.visit(t, "/x")
	s.clock.Store(100)
	page = "two"
	if got := s.visit(t, "/x"); got.body != "made of two" || strings.Contains(asked, "If-None-Match") {
		t.Errorf("%q, asked by %s", got.body, asked)
	}
	if got := s.visit(t, "/y", "Range: bytes=0-3"); got.status != 206 || got.body != "made" || strings.Contains(asked, "Range:") {
		t.Errorf("%d %q, asked by %s", got.status, got.body, asked)
	}
}

// What a filter fails at is not stored. Clients get what on_error says, and the next answer is
// one like the first.
func TestStoreFilterFails(t *testing.T) {
	for _, tt := range []struct {
		name, say, kind, message string
	}{
		{"a trap", "trap", "trap", ""},
		{"no end", "loop", "exhausted", ""},
		{"an error", "-4", "", ""},
		{"respond", say(op(abi.OpRespond, "200", "mine")), "invalid-result", "operation 1 (respond): not allowed in gw_on_response with stage: store"},
		{"tag", say(op(abi.OpSetHeader, "X-Made", "no"), op(abi.OpTag, "a", "b")), "invalid-result", "operation 2 (tag): not allowed in gw_on_response with stage: store"},
		{"set path", say(op(abi.OpSetPath, "", "/")), "invalid-result", "operation 1 (set path): not allowed"},
		{"set query", say(op(abi.OpSetQuery, "", "a")), "invalid-result", "operation 1 (set query): not allowed"},
		{"set host", say(op(abi.OpSetHost, "", "a")), "invalid-result", "operation 1 (set host): not allowed"},
		{"a body that it was not shown", say(op(abi.OpSetBody, "", "a")), "invalid-result", "operation 1 (set body): the plugin was not shown"},
	} {
		for _, onError := range []string{"reject", "skip"} {
			t.Run(tt.name+" "+onError, func(t *testing.T) {
				s := newStoreShop(t, parrot, "", onError, "")
				s.answer = func(string) (string, string) { return stored60 + "X-Say: " + tt.say + "\r\n", "page" }
				for range 2 {
					got := s.visit(t, "/x")
					switch rejected := got.status == 503 && strings.Contains(got.body, "reason: plugin_error"); {
					case onError == "reject" && !rejected:
						t.Errorf("%d %q", got.status, got.body)
					case onError == "skip" && (got.body != "page" || !strings.Contains(got.header.Get("Cache-Status"), `detail="filter failed"`) || got.header.Get("X-Made") != ""):
						t.Errorf("%d %q %v", got.status, got.body, got.header)
					}
				}
				if n := s.g.cache.Stats(); n.Objects != 0 || n.Flights != 0 {
					t.Errorf("%d answers are stored, %d fetches are under way", n.Objects, n.Flights)
				}
				until(t, "its slots are free", func() bool { return s.g.Status().Origins[0].Load == 0 })
				s.wantFault(t, tt.kind, tt.message)
				s.answer = func(string) (string, string) { return stored60, "good" }
				s.visit(t, "/x")
				if got := s.visit(t, "/x"); !strings.Contains(got.header.Get("Cache-Status"), "hit") {
					t.Errorf("then: %v", got.header)
				}
			})
		}
	}
}

// wantFault looks at the plugin's last fault.
func (s *shop) wantFault(t *testing.T, kind, message string) {
	t.Helper()
	faults := s.g.Plugins()[0].Faults
	switch {
	case kind == "" && len(faults) > 0:
		t.Errorf("it has faults: %v", faults[0].Error())
	case kind != "" && (len(faults) == 0 || string(faults[0].Kind) != kind || !strings.Contains(faults[0].Message, message) || faults[0].Export != "gw_on_response"):
		t.Errorf("its faults are %+v, want %s: %s", faults, kind, message)
	}
}

// What clients see does not depend on whether the answer may be stored.
func TestStoreFilterActsOnWhatIsNotStored(t *testing.T) {
	const rules = `, rules: [{ name: out, when: 'path == "/out"', pass: true }]`
	for _, tt := range []struct {
		name, request, fields, status string
		cache                         string
	}{
		{name: "no-store", request: "GET /x", fields: "Cache-Control: no-store\r\n"},
		{name: "a cookie", request: "GET /x", fields: stored60 + "Set-Cookie: a=b\r\n"},
		{name: "POST", request: "POST /x", fields: stored60},
		{name: "PURGE, which no cache knows", request: "PURGE /x", fields: stored60},
		{name: "OPTIONS", request: "OPTIONS /x", fields: stored60},
		{name: "a rule passes it", request: "GET /out", fields: stored60},
		{name: "HEAD", request: "HEAD /x", fields: stored60},
		{name: "an error", request: "GET /x", status: "500 No"},
		{name: "a 304 to the client", request: "GET /out", status: "304 Not Modified"},
		{name: "no cache", request: "GET /x", fields: stored60, cache: "off"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStoreShop(t, parrot, "", "reject", rules)
			if tt.cache != "" {
				apply(t, s.g, strings.Replace(s.text, "cache: { enabled: true", "cache: { enabled: false", 1))
			}
			if tt.status != "" {
				s.status = func() string { return tt.status }
			}
			s.answer = func(string) (string, string) {
				return tt.fields + "X-Secret: s\r\n" + says(op(abi.OpSetHeader, "X-Made", "here"), op(abi.OpDeleteHeader, "X-Secret", "")), ""
			}
			for range 2 {
				got := send(t, s.addr, tt.request+" HTTP/1.1\r\nHost: w.example\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
				if !strings.Contains(got, "X-Made: here\r\n") || strings.Contains(got, "X-Secret") {
					t.Error(got)
				}
			}
			if n := s.calls(); n < 2 {
				t.Errorf("it was called %d times", n)
			}
		})
	}
}
