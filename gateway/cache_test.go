package gateway

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// shop is an origin whose answers are stored, behind a gateway whose clock the test
// winds.
type shop struct {
	*home
	addr   string // of the gateway
	g      *Gateway
	text   string       // its configuration
	clock  atomic.Int64 // seconds
	answer func(head string) (fields, body string)
}

// stored60 is what makes an answer fresh for a minute.
const stored60 = "Cache-Control: max-age=60\r\n"

func newShop(t *testing.T, cache string) *shop { return newShopOf(t, cache, Options{}) }

// newShopOf is a shop whose gateway has options. If these have a Stderr, it has the log.
func newShopOf(t *testing.T, cache string, o Options) *shop {
	s := &shop{}
	hs := newHomes(t, "a")
	s.home = hs[0]
	s.home.script = func(head string) (string, string) { return s.answer(head) }
	began := time.Now()
	o.Now = func() time.Time { return began.Add(time.Duration(s.clock.Load()) * time.Second) }
	listener := plainListener
	if o.Stderr != nil {
		listener = "listeners: [{ address: \"127.0.0.1:0\" }]\naccess_log: { path: stderr }\n"
	}
	s.text = listener + "node: { name: edge }\nclusters: { a: { origins: [{ address: \"" + s.home.addr + "\" }] } }\ncache: { enabled: true" + cache + " }"
	s.addr, s.g = start(t, s.text, o)
	return s
}

// TestCacheServesWhatIsFresh: a first request is a miss, the next ones are hits with an
// age, until what is stored has expired.
func TestCacheServesWhatIsFresh(t *testing.T) {
	s := newShop(t, "")
	n := 0
	s.answer = func(string) (string, string) { n++; return "Cache-Control: max-age=60\r\n", fmt.Sprint("page ", n) }
	for _, tt := range []struct {
		at         int64
		body, want string
	}{
		{0, "page 1", "edge; fwd=uri-miss; fwd-status=200; ttl=60; stored"},
		{10, "page 1", "edge; hit; ttl=50"},
		{59, "page 1", "edge; hit; ttl=1"},
		{61, "page 2", "edge; fwd=stale; fwd-status=200; ttl=60; stored"},
	} {
		s.clock.Store(tt.at)
		got := send(t, s.addr, "GET /x HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n")
		if !strings.Contains(got, tt.want+"\r\n") || !strings.HasSuffix(got, tt.body) {
			t.Errorf("at %d s: %s", tt.at, got)
		}
	}
}

// TestCacheRevalidates: what has expired is asked for with its tag, and what a 304 says of
// it holds from then on.
func TestCacheRevalidates(t *testing.T) {
	s := newShop(t, "")
	s.home.status = func() string { return "200 OK" }
	s.answer = func(string) (string, string) { return "Cache-Control: max-age=60\r\nETag: \"v1\"\r\n", "page" }
	ask := func(more string) string {
		return send(t, s.addr, "GET /x HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n"+more+"\r\n")
	}
	ask("")
	if got := ask("If-None-Match: \"v1\"\r\n"); !strings.HasPrefix(got, "HTTP/1.1 304 ") || !strings.Contains(got, "ETag: \"v1\"") {
		t.Error(got)
	}
	if got := ask("Range: bytes=1-2\r\n"); !strings.HasPrefix(got, "HTTP/1.1 206 ") || !strings.HasSuffix(got, "\r\n\r\nag") {
		t.Error(got)
	}
	if got := ask("Range: bytes=0-0,3-3\r\n"); !strings.HasPrefix(got, "HTTP/1.1 206 ") || strings.Count(got, "Content-Range: bytes ") != 2 {
		t.Error(got)
	}
	if got := ask("Range: bytes=9-\r\n"); !strings.HasPrefix(got, "HTTP/1.1 416 ") || !strings.Contains(got, "bytes */4") {
		t.Error(got)
	}
	s.clock.Store(100)
	var asked string
	s.home.status = func() string { return "304 Not Modified" }
	s.answer = func(head string) (string, string) {
		asked = head
		return "Cache-Control: max-age=100\r\nX-Gen: 8\r\nETag: \"v1\"\r\n", ""
	}
	if got := ask(""); !strings.HasPrefix(got, "HTTP/1.1 200 ") || !strings.Contains(got, "X-Gen: 8") || !strings.HasSuffix(got, "page") {
		t.Error(got)
	}
	if !strings.Contains(asked, "If-None-Match: \"v1\"\r\n") {
		t.Error(asked)
	}
	s.clock.Store(199)
	if got := ask(""); !strings.Contains(got, "edge; hit; ttl=1\r\n") {
		t.Error(got)
	}
	s.home.down.Store(true)
}

// TestCacheIsInvalidated: an answer to an unsafe method takes away what is stored of its URL.
func TestCacheIsInvalidated(t *testing.T) {
	s := newShop(t, "")
	s.answer = func(string) (string, string) { return "Cache-Control: max-age=60\r\n", "page" }
	get := "GET /x?a HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n"
	send(t, s.addr, get)
	send(t, s.addr, "DELETE /x?a HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n")
	if got := send(t, s.addr, get); !strings.Contains(got, "fwd=uri-miss") {
		t.Error(got)
	}
}

// D-WC-19: what has expired is refreshed behind the client's back, but only where an origin
// has room to spare: no client waits for that.
func TestCacheRefreshesAsCapacityPermits(t *testing.T) {
	s := newShop(t, ", stale: { while_revalidate: 1h }")
	n := 0
	s.answer = func(head string) (string, string) {
		if strings.HasPrefix(head, "GET /hold") {
			return "", "held"
		}
		n++
		return "Cache-Control: max-age=60\r\n", fmt.Sprint("page ", n)
	}
	apply(t, s.g, strings.Replace(s.text, "address: \""+s.home.addr, "capacity: 1, address: \""+s.home.addr, 1))
	get := func() string {
		return send(t, s.addr, "GET /x HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n")
	}
	get()
	s.clock.Store(100)
	held := make(chan string)
	go func() {
		held <- send(t, s.addr, "GET /hold HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n")
	}()
	until(t, "the origin is busy", func() bool { return s.home.held.Load() == 1 })
	for range 5 {
		if got := get(); !strings.HasSuffix(got, "page 1") || !strings.Contains(got, "; hit; ttl=-40") {
			t.Fatal(got)
		}
	}
	if n := s.home.heads.Load(); n != 2 {
		t.Errorf("the origin had %d requests while it was busy, want 2", n)
	}
	s.home.letGo <- struct{}{}
	<-held
	until(t, "it is refreshed", func() bool { return strings.HasSuffix(get(), "page 2") })
}

// TestCloseEndsFills: a gateway that is closed does not go on with what it stores.
func TestCloseEndsFills(t *testing.T) {
	s := newShop(t, "")
	s.answer = func(string) (string, string) { return "", "" }
	origin := rawOrigin(t, func(c net.Conn) {
		readRawHead(bufio.NewReader(c))
		io.WriteString(c, "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 10\r\n\r\n01234")
		io.Copy(io.Discard, c) // the rest never comes
	})
	apply(t, s.g, strings.Replace(s.text, s.home.addr, origin.Addr().String(), 1))
	c, err := net.Dial("tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "GET /x HTTP/1.1\r\nHost: shop.example\r\n\r\n")
	until(t, "it is being filled", func() bool { return s.g.cache.Stats().Filling == 1 })
	c.Close()
	s.g.Close()
	until(t, "nothing is being filled", func() bool { return s.g.cache.Stats().Filling == 0 })
	if n := s.g.cache.Stats().Objects; n != 0 {
		t.Errorf("%d answers are stored that are not whole", n)
	}
}

// TestReloadTakesTheStoreAway: a request that waits to have a stored answer validated, while a
// reload takes cache and origin away, gets the answer of the new origin to what it asks itself.
func TestReloadTakesTheStoreAway(t *testing.T) {
	s := newShop(t, "")
	s.answer = func(string) (string, string) { return "Cache-Control: max-age=10\r\nETag: \"1\"\r\n", "old" }
	origin := "address: \"" + s.home.addr
	full := strings.Replace(s.text, origin, "capacity: 1, "+origin, 1)
	apply(t, s.g, full)
	s.get(t, "/x")
	s.at(20)
	held, waits := make(chan string, 1), make(chan string, 1)
	go func() { held <- s.get(t, "/hold") }()
	until(t, "the origin is busy", func() bool { return s.home.held.Load() == 1 })
	go func() { waits <- s.get(t, "/x") }()
	untilWaitingIn(t, s.g, "a")
	next := newHomes(t, "b")[0]
	var asked atomic.Int64
	next.status = func() string {
		if asked.Add(1) == 1 {
			return "304 Not Modified"
		}
		return "200 OK"
	}
	next.script = func(head string) (string, string) {
		if strings.Contains(head, "If-None-Match") {
			return "ETag: \"1\"\r\n", ""
		}
		return "", "new"
	}
	gone := strings.Replace(full, "{ capacity: 1,", "{ address: \""+next.addr+"\" }, { state: disabled, capacity: 1,", 1)
	apply(t, s.g, strings.Replace(gone, "enabled: true", "enabled: false", 1))
	if got := <-waits; !strings.HasPrefix(got, "HTTP/1.1 200 ") || !strings.HasSuffix(got, "new") || strings.Contains(got, "Cache-Status") {
		t.Errorf("who waited got %s", got)
	}
	s.home.letGo <- struct{}{}
	<-held
}

// untilWaitingIn waits until a request waits for an origin of a cluster.
func untilWaitingIn(tb testing.TB, g *Gateway, cluster string) {
	tb.Helper()
	until(tb, "a request waits", func() bool { return waiting(g, cluster) == 1 })
}
