package gateway

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"weirkeep/gateway/cache/store"
)

// get asks for a path with further header lines, on a connection of its own.
func (s *shop) get(t *testing.T, path string, lines ...string) string {
	t.Helper()
	head := "GET " + path + " HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n"
	for _, line := range lines {
		head += line + "\r\n"
	}
	return send(t, s.addr, head+"\r\n")
}

// at sets the clock, in seconds.
func (s *shop) at(seconds int64) { s.clock.Store(seconds) }

// wants reports an answer that lacks something.
func wants(t *testing.T, what, got string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(got, part) {
			t.Errorf("%s: no %q in\n%s", what, part, got)
		}
	}
}

// CF-02: what is no lifetime, or contradicts itself, makes nothing fresh; a huge one is a
// long one.
func TestReportInvalidMaxAge(t *testing.T) {
	t.Parallel()
	s := newShop(t, ", client_directives: ignore")
	for path, control := range map[string]string{"/minus": "max-age=-1", "/word": "max-age=abc", "/twice": "max-age=0, max-age=60", "/decimal": "max-age=60.5"} {
		s.answer = func(string) (string, string) { return "ETag: \"1\"\r\nCache-Control: " + control + "\r\n", "page" }
		before := s.heads.Load()
		s.get(t, path)
		s.get(t, path)
		if n := s.heads.Load() - before; n != 2 {
			t.Errorf("%s: the origin was asked %d times, want twice", control, n)
		}
	}
	s.answer = func(string) (string, string) { return "Cache-Control: max-age=99999999999999\r\n", "page" }
	s.get(t, "/huge")
	s.at(1 << 30)
	wants(t, "a huge lifetime", s.get(t, "/huge"), "; hit")
}

// CF-04: on a miss the client's condition is ours to judge: the whole is fetched and stored,
// and the client hears that it has it. Later the gateway asks with its own tag.
func TestReportConditionOnAMiss(t *testing.T) {
	t.Parallel()
	s := newShop(t, "")
	var asked atomic.Pointer[string]
	s.answer = func(head string) (string, string) {
		asked.Store(&head)
		return "ETag: \"v1\"\r\nCache-Control: max-age=10\r\n", "page"
	}
	wants(t, "a miss", s.get(t, "/x", `If-None-Match: "v1"`), "HTTP/1.1 304 ", "; stored")
	if strings.Contains(*asked.Load(), "If-None-Match") {
		t.Errorf("the origin was asked with the client's condition: %s", *asked.Load())
	}
	wants(t, "the next", s.get(t, "/x"), "HTTP/1.1 200 ", "; hit", "page")
	s.at(20)
	s.get(t, "/x", `If-None-Match: "other"`)
	wants(t, "what is asked after it has expired", *asked.Load(), `If-None-Match: "v1"`)
}

// CV-01: what an answer varies by is looked at; "*" fits nobody.
func TestReportVaryIsHeld(t *testing.T) {
	t.Parallel()
	s := newShop(t, "")
	s.answer = func(head string) (string, string) {
		vary := "X-Svc"
		if strings.HasPrefix(head, "GET /star") {
			vary = "*"
		}
		return "Cache-Control: max-age=60\r\nVary: " + vary + "\r\n", "for " + fieldIn(head, "X-Svc")
	}
	for _, svc := range []string{"a", "b", "a"} {
		if got := s.get(t, "/x", "X-Svc: "+svc); !strings.HasSuffix(got, "for "+svc) {
			t.Errorf("X-Svc: %s got %s", svc, got)
		}
	}
	s.get(t, "/star")
	s.get(t, "/star")
	if n := s.heads.Load(); n != 4 {
		t.Errorf("the origin was asked %d times, want 4", n)
	}
}

// CV-02, CV-03: however many variants a URL has, few are kept, other URLs are found as fast
// as before, and what clients sent is in no answer.
func TestReportManyVariants(t *testing.T) {
	t.Parallel()
	s := newShop(t, "")
	s.answer = func(head string) (string, string) {
		if strings.HasPrefix(head, "GET /plain") {
			return "Cache-Control: max-age=60\r\n", "plain"
		}
		return "Cache-Control: max-age=60\r\nVary: Cookie\r\n", "page"
	}
	s.get(t, "/plain")
	for i := range 300 {
		got := s.get(t, "/x", fmt.Sprintf("Cookie: session=secret%d", i))
		if strings.Contains(got, "secret") {
			t.Fatalf("an answer shows what a client sent: %s", got)
		}
	}
	if n := s.g.cache.Stats().Objects; n > 66 {
		t.Errorf("%d answers are kept, want at most 64 variants and one more", n)
	}
	wants(t, "another URL", s.get(t, "/plain"), "; hit")
}

// CV-04: codings that are not known never stand for one that is, in whatever mixture.
func TestReportEncodingsAreCompared(t *testing.T) {
	t.Parallel()
	s := newShop(t, "")
	s.answer = func(head string) (string, string) {
		return "Cache-Control: max-age=60\r\nVary: Accept-Encoding\r\n", "for " + fieldIn(head, "Accept-Encoding")
	}
	for _, list := range []string{"plumless, buckeroo", "xgzip", "gzi, p", "gzip;q=0", "g, zip", "identity", "*;q=0", "a, b, c"} {
		s.get(t, "/x", "Accept-Encoding: "+list)
		if got := s.get(t, "/x", "Accept-Encoding: gzip"); !strings.HasSuffix(got, "for gzip") {
			t.Errorf("after %q, gzip got %s", list, got)
		}
	}
}

// CV-06: mappings that strip different prefixes share nothing, though their origins see the
// same path.
func TestReportStrippedPrefixes(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b")
	for _, h := range hs {
		h.script = func(string) (string, string) { return "Cache-Control: max-age=60\r\n", "of " + h.name }
	}
	addr, _ := start(t, plainListener+fmt.Sprintf(`
clusters: { a: { origins: [{ address: %q }] }, b: { origins: [{ address: %q }] } }
sites: { shop: { hosts: ["**"] } }
mappings:
  - { site: shop, prefix: /one, strip_prefix: true, cluster: a }
  - { site: shop, prefix: /two, strip_prefix: true, cluster: b }
cache: { enabled: true }
`, hs[0].addr, hs[1].addr), Options{})
	s := &shop{addr: addr}
	for range 2 {
		wants(t, "/one/f", s.get(t, "/one/f"), "of a")
		wants(t, "/two/f", s.get(t, "/two/f"), "of b")
	}
}

// CR-01, CR-03, CR-04: a range is answered with just these bytes: cold, warm, and when what
// is stored must first be validated or has been replaced; and what is stored stays whole.
func TestReportRangesAreExact(t *testing.T) {
	t.Parallel()
	s := newShop(t, "")
	body := strings.Repeat("0123456789", 500_000)
	var unchanged atomic.Bool
	s.home.status = func() string {
		if unchanged.Load() {
			return "304 Not Modified"
		}
		return "200 OK"
	}
	s.answer = func(string) (string, string) {
		if unchanged.Load() {
			return "ETag: \"v1\"\r\nCache-Control: max-age=10\r\n", ""
		}
		return "ETag: \"v1\"\r\nCache-Control: max-age=10\r\n", body
	}
	check := func(what string) {
		t.Helper()
		got := s.get(t, "/x", "Range: bytes=0-3000000")
		head, sent, _ := strings.Cut(got, "\r\n\r\n")
		wants(t, what, head, "HTTP/1.1 206 ", "Content-Range: bytes 0-3000000/5000000", "Content-Length: 3000001")
		if sent != body[:3000001] {
			t.Errorf("%s: %d bytes, want the first 3000001", what, len(sent))
		}
	}
	s.get(t, "/x")
	check("warm")
	s.at(20)
	unchanged.Store(true)
	check("after it was validated")
	unchanged.Store(false)
	if got := s.get(t, "/x"); !strings.HasSuffix(got, "\r\n\r\n"+body) {
		t.Error("what is stored is not whole any more")
	}
}

// CR-06: the answer to a range is no answer to who asks for the whole.
func TestReportPartsAreNoWhole(t *testing.T) {
	t.Parallel()
	s := newShop(t, "")
	s.home.status = func() string { return "200 OK" }
	var part atomic.Bool
	part.Store(true)
	s.home.status = func() string {
		if part.Load() {
			return "206 Partial Content"
		}
		return "200 OK"
	}
	s.answer = func(string) (string, string) {
		if part.Load() {
			return "Cache-Control: max-age=60\r\nContent-Range: bytes 0-3/10\r\n", "0123"
		}
		return "Cache-Control: max-age=60\r\n", "0123456789"
	}
	wants(t, "cold", s.get(t, "/x", "Range: bytes=0-3"), "HTTP/1.1 206 ", "bytes 0-3/10")
	part.Store(false)
	if got := s.get(t, "/x"); !strings.HasPrefix(got, "HTTP/1.1 200 ") || !strings.HasSuffix(got, "\r\n0123456789") {
		t.Errorf("the whole: %s", got)
	}
	wants(t, "a range of the whole", s.get(t, "/x", "Range: bytes=8-"), "HTTP/1.1 206 ", "bytes 8-9/10")
}

// CC-01, CC-04: many who ask at once for what is missing, or has just expired, cause one
// fetch, and every one gets an answer.
func TestReportManyAskAtOnce(t *testing.T) {
	t.Parallel()
	s := newShop(t, "")
	var n atomic.Int64
	s.answer = func(string) (string, string) {
		time.Sleep(50 * time.Millisecond) // long enough for all to come
		return "Cache-Control: max-age=10\r\n", fmt.Sprint("page ", n.Add(1))
	}
	for round := range int64(3) {
		s.at(round * 100)
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if got := s.get(t, "/x"); !strings.HasSuffix(got, fmt.Sprint("page ", round+1)) {
					t.Errorf("round %d: %s", round, got)
				}
			})
		}
		all.Wait()
		if n.Load() != round+1 {
			t.Fatalf("round %d: the origin was asked %d times, want once a round", round, n.Load())
		}
	}
}

// CC-01: an answer that is for one client alone lets all go at once, and those who come
// after wait for nobody.
func TestReportWhatIsNotForAllHoldsNobody(t *testing.T) {
	t.Parallel()
	s := newShop(t, "")
	var now, most atomic.Int64
	s.answer = func(string) (string, string) {
		at := now.Add(1)
		for seen := most.Load(); at > seen && !most.CompareAndSwap(seen, at); seen = most.Load() {
		}
		until(t, "others are let through", func() bool { return most.Load() > 1 || s.heads.Load() == 1 })
		now.Add(-1)
		return "Cache-Control: private\r\n", "yours"
	}
	s.get(t, "/x")
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() { wants(t, "a private page", s.get(t, "/x"), "yours") })
	}
	all.Wait()
	if n := s.heads.Load(); n != 11 {
		t.Errorf("the origin was asked %d times, want 11", n)
	}
}

// SL-01, SL-02: how long a stale answer may be used counts from when it expired, for every
// request alike, whatever its lifetime was.
func TestReportStaleWindow(t *testing.T) {
	t.Parallel()
	s := newShop(t, ", stale: { disconnected: false }")
	s.answer = func(string) (string, string) { return "Cache-Control: max-age=10, stale-if-error=5\r\n", "page" }
	s.get(t, "/x")
	s.home.status = func() string { return "502 Bad Gateway" }
	s.answer = func(string) (string, string) { return "", "error" }
	for at := int64(11); at <= 14; at++ {
		s.at(at)
		wants(t, fmt.Sprintf("at %d s", at), s.get(t, "/x"), "HTTP/1.1 200 ", fmt.Sprintf("Age: %d\r\n", at), "page")
	}
	s.at(17)
	wants(t, "at 17 s", s.get(t, "/x"), "HTTP/1.1 502 ", "error")
}

// CI-02: a purge by tag takes what has that tag, and nothing whose tag begins the same; that
// can still be purged by its own.
func TestReportTagsAreWhole(t *testing.T) {
	t.Parallel()
	s := newShop(t, "")
	s.answer = func(head string) (string, string) {
		tag := "routes//2026"
		if strings.HasPrefix(head, "GET /programme") {
			tag += "/programme"
		}
		return "Cache-Control: max-age=60\r\nSurrogate-Key: " + tag + "\r\n", "page"
	}
	s.get(t, "/year")
	s.get(t, "/programme")
	purge := func(tag string) int {
		sel, err := store.ParseSelector("tag:"+tag, false, nil)
		if err != nil {
			t.Fatal(err)
		}
		return int(s.g.cache.Purge(sel, store.Hard, false).Count)
	}
	if n := purge("routes//2026"); n != 1 {
		t.Errorf("the first purge took %d answers, want 1", n)
	}
	wants(t, "the other", s.get(t, "/programme"), "; hit")
	if n := purge("routes//2026/programme"); n != 1 {
		t.Errorf("the second purge took %d answers, want 1", n)
	}
	wants(t, "the other, purged", s.get(t, "/programme"), "uri-miss")
}

// A site whose hosts are a pattern has tenants: none gets the page of another, nor of what a
// trusted proxy says of the host that was asked for. Aliases that are written one by one share
// (M-SITE-03, X-34).
func TestHostsOfPatternsShareNothing(t *testing.T) {
	t.Parallel()
	h := newHomes(t, "a")[0]
	h.script = func(head string) (string, string) {
		return "Cache-Control: max-age=60\r\n", "for " + fieldIn(head, "Host") + " " + fieldIn(head, "X-Forwarded-Host")
	}
	addr, _ := start(t, plainListener+fmt.Sprintf(`
trusted_proxies: [127.0.0.1]
clusters: { a: { origins: [{ address: %q }] } }
sites: { tenants: { hosts: ["*.shop.example"] }, company: { hosts: [www.company.example, company.example] } }
mappings: [{ site: tenants, cluster: a }, { site: company, cluster: a }]
cache: { enabled: true }
`, h.addr), Options{})
	ask := func(host, more string) string {
		return send(t, addr, "GET /x HTTP/1.1\r\nHost: "+host+"\r\n"+more+"Connection: close\r\n\r\n")
	}
	for range 2 {
		for _, host := range []string{"one.shop.example", "two.shop.example"} {
			wants(t, host, ask(host, ""), "for "+host)
			wants(t, host+" behind a proxy", ask(host, "X-Forwarded-Host: evil.example\r\n"), "for "+host+" evil.example")
		}
	}
	ask("www.company.example", "")
	wants(t, "an alias", ask("company.example", ""), "; hit")
	wants(t, "an alias with another host forwarded", ask("company.example", "X-Forwarded-Host: evil.example\r\n"), "evil.example")
}
