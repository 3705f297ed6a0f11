package gateway

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// replay is a client's connection that always sends the same request and takes
// every answer; it ends after a number of requests.
type replay struct {
	request []byte
	at      int
	left    int
	writes  int
	got     []byte
}

func (r *replay) Read(p []byte) (int, error) {
	if r.at == len(r.request) {
		if r.left--; r.left <= 0 {
			return 0, io.EOF
		}
		r.at = 0
	}
	n := copy(p, r.request[r.at:])
	r.at += n
	return n, nil
}

func (r *replay) Write(p []byte) (int, error) {
	r.writes++
	r.got = append(r.got[:0], p...)
	return len(p), nil
}

func (r *replay) Close() error                     { return nil }
func (r *replay) LocalAddr() net.Addr              { return nil }
func (r *replay) RemoteAddr() net.Addr             { return nil }
func (r *replay) SetDeadline(time.Time) error      { return nil }
func (r *replay) SetReadDeadline(time.Time) error  { return nil }
func (r *replay) SetWriteDeadline(time.Time) error { return nil }

// echoOrigin is an origin's connection that answers each write, which must be a
// whole request, with the same bytes.
type echoOrigin struct {
	replay
	answer []byte
	writes int
	unread int
}

func (o *echoOrigin) Write(p []byte) (int, error) {
	o.writes++
	o.unread = len(o.answer)
	return len(p), nil
}

func (o *echoOrigin) Read(p []byte) (int, error) {
	n := copy(p, o.answer[len(o.answer)-o.unread:])
	o.unread -= n
	return n, nil
}

const browserGET = "GET /shop/cart?item=7 HTTP/1.1\r\nHost: shop.example\r\n" +
	"User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r\n" +
	"Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n" +
	"Accept-Language: en-US,en;q=0.5\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n" +
	"Cookie: JSESSIONID=7GhQ2x; theme=dark\r\nConnection: keep-alive\r\n\r\n"

var exchanges1K = []struct {
	name, request string
}{
	{"GET", browserGET},
	{"POST of 1 KB", "POST /form HTTP/1.1\r\nHost: shop.example\r\nContent-Type: text/plain\r\nContent-Length: 1024\r\n\r\n" + strings.Repeat("p", 1024)},
	{"POST of 1 KB, chunked", "POST /form HTTP/1.1\r\nHost: shop.example\r\nTransfer-Encoding: chunked\r\n\r\n400\r\n" + strings.Repeat("p", 1024) + "\r\n0\r\n\r\n"},
}

var answer1K = []byte("HTTP/1.1 200 OK\r\nDate: Sun, 29 Nov 2026 12:00:00 GMT\r\nContent-Type: text/plain\r\n" +
	"Cache-Control: no-store\r\nETag: \"abc\"\r\nServer: origin\r\nContent-Length: 1024\r\n\r\n" + strings.Repeat("a", 1024))

// Budget (design, section 8): a whole pass-through exchange, from the read of
// its head to the write of its answer, costs no allocation, one write to the
// origin and one to the client.
func TestExchangeAllocs(t *testing.T) {
	for _, tt := range exchanges1K {
		t.Run(tt.name, func(t *testing.T) {
			g, o := replayGateway(t)
			client := &replay{request: []byte(tt.request)}
			run := func(n int) {
				client.left, client.at, client.writes, o.writes = n+1, len(client.request), 0, 0
				if err := g.ServeConn(client); err != nil {
					t.Fatal(err)
				}
			}
			run(10)
			one := testing.AllocsPerRun(20, func() { run(1) })
			many := testing.AllocsPerRun(20, func() { run(1001) })
			if per := (many - one) / 1000; per >= 0.01 && !raceDetector {
				t.Errorf("an exchange allocates %.3f times, want 0", per)
			}
			run(100)
			if client.writes != 100 || o.writes != 100 {
				t.Errorf("100 exchanges took %d writes to the client and %d to the origin, want 100 each", client.writes, o.writes)
			}
			if !bytes.HasSuffix(client.got, []byte(strings.Repeat("a", 1024))) {
				t.Errorf("the answer was %q", client.got)
			}
		})
	}
}

// Budget: so does an exchange that is balanced by capacity over three origins
// which are checked and could take over from each other, and one of a session that is
// bound to one of them, also if the answer sets its cookie again.
func TestBoundExchangeAllocs(t *testing.T) {
	request := "GET /shop/cart;jsessionid=%[1]s?item=7 HTTP/1.1\r\nHost: shop.example\r\nCookie: theme=dark; JSESSIONID=%[1]s\r\n\r\n"
	again := bytes.Replace(answer1K, []byte("ETag:"), []byte("Set-Cookie: JSESSIONID=7GhQ2x; Path=/; HttpOnly\r\nETag:"), 1)
	page := bytes.Replace(answer1K, []byte("text/plain"), []byte("text/html"), 1)
	answer := answer1K
	g := checkedGateway(t, &answer)
	counts := sessionCounts(g, "JSESSIONID")
	for _, p := range g.current.Load().sessions {
		p.bindings.Bind([]byte("7GhQ2x"), "b", time.Now())
	}
	for _, tt := range []struct {
		name, request string
		answer        []byte
		bound         uint64 // requests of 1000
	}{
		{"balanced", browserGETWithoutCookie, answer1K, 0},
		{"of a session that is not known", fmt.Sprintf(request, "unknown"), answer1K, 0},
		{"bound by cookie", browserGET, answer1K, 1000},
		{"bound by path parameter", strings.Replace(fmt.Sprintf(request, "7GhQ2x"), "Cookie:", "X-Cookie:", 1), answer1K, 1000},
		{"bound, the cookie is set again", browserGET, again, 1000},
		{"bound, links are read", browserGET, page, 1000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			answer = tt.answer
			client := &replay{request: []byte(tt.request)}
			run := func(n int) {
				client.left, client.at = n+1, len(client.request)
				if err := g.ServeConn(client); err != nil {
					t.Fatal(err)
				}
			}
			run(10)
			if !raceDetector {
				one := testing.AllocsPerRun(20, func() { run(1) })
				many := testing.AllocsPerRun(20, func() { run(1001) })
				if per := (many - one) / 1000; per >= 0.01 {
					t.Errorf("an exchange allocates %.3f times, want 0", per)
				}
			}
			before := counts.Bound.Load()
			run(1000)
			if n := counts.Bound.Load() - before; n != tt.bound || !bytes.HasPrefix(client.got, []byte("HTTP/1.1 200 OK\r\n")) {
				t.Errorf("%d of 1000 were bound, want %d; the answer was %q", n, tt.bound, client.got)
			}
		})
	}
}

var browserGETWithoutCookie = strings.Replace(browserGET, "JSESSIONID", "SOMETHING", 1)

// checkedGateway is a gateway in front of three origins in memory, which answer
// what answer says, have been checked, and will not be for an hour.
func checkedGateway(tb testing.TB, answer *[]byte) *Gateway {
	checked := new(atomic.Int64)
	g := New(Options{Dial: func(context.Context, string, string) (net.Conn, error) {
		return &checkedOrigin{answer: answer, closed: sync.OnceFunc(func() { checked.Add(1) })}, nil
	}})
	tb.Cleanup(func() { g.Close() })
	apply(tb, g, checkedConfig)
	until(tb, "every origin was checked", func() bool { return checked.Load() == 3 })
	return g
}

// checkedOrigin is an echoOrigin whose answer may change, which ends behind it, and
// which tells that it is closed: only checks do that.
type checkedOrigin struct {
	echoOrigin
	answer *[]byte
	closed func()
}

func (o *checkedOrigin) Write(p []byte) (int, error) {
	o.echoOrigin.answer = *o.answer
	return o.echoOrigin.Write(p)
}

func (o *checkedOrigin) Read(p []byte) (int, error) {
	if o.unread == 0 {
		return 0, io.EOF
	}
	return o.echoOrigin.Read(p)
}

func (o *checkedOrigin) Close() error { o.closed(); return nil }

const checkedConfig = `
listeners: [{ address: "127.0.0.1:0" }]
clusters:
  app:
    origins:
      - { name: a, address: "127.0.0.1:9001", capacity: 150 }
      - { name: b, address: "127.0.0.1:9002", capacity: 50 }
      - { name: c, address: "127.0.0.1:9003", capacity: 50 }
    health: { path: /health, interval: 1h }
    session: JSESSIONID
    keep_alive: 1h
    retry: { statuses: [502, 503], per_try_timeout: 10s, idempotency_key: true }
sessions: { JSESSIONID: { cookie: JSESSIONID, url_param: jsessionid, learn_from_links: true } }
access_log: { format: off }
`

// replayGateway is a gateway in front of an origin in memory.
func replayGateway(tb testing.TB) (*Gateway, *echoOrigin) {
	o := &echoOrigin{answer: answer1K}
	g := New(Options{Dial: func(context.Context, string, string) (net.Conn, error) { return o, nil }})
	apply(tb, g, replayConfig)
	return g, o
}

const replayConfig = `
listeners: [{ address: "127.0.0.1:0" }]
clusters: { app: { origins: [{ address: "127.0.0.1:9001" }], keep_alive: 1h } }
access_log: { format: off }
`

// BenchmarkExchange has a budget of 0 allocs/op; its time is compared, not
// bounded: without sockets it is the walk's own cost.
func BenchmarkExchange(b *testing.B) {
	for _, tt := range exchanges1K {
		b.Run(tt.name, func(b *testing.B) {
			g, _ := replayGateway(b)
			b.ReportAllocs()
			client := &replay{request: []byte(tt.request), at: len(tt.request), left: b.N + 1}
			b.ResetTimer()
			g.ServeConn(client)
		})
	}
}

// Budget: so does an exchange whose bodies are shown to a filter that changes nothing,
// as long as they are short.
func TestHeldBodyAllocs(t *testing.T) {
	for _, needs := range []string{"[query]", "[query, body]", "[query, body-prefix]"} {
		g, _ := replayGateway(t)
		text := fmt.Sprintf("plugins: { edit: { kind: filter, module: %q, needs: %s, on_error: skip } }\n", guestFile(puppet), needs)
		apply(t, g, replayConfig+text+"sites: { w: { hosts: [\"**\"], filters: [{ plugin: edit }] } }\nmappings: [{ site: w, cluster: app }]\n")
		for _, tt := range exchanges1K {
			client := &replay{request: []byte(tt.request)}
			run := func(n int) {
				client.left, client.at = n+1, len(client.request)
				if err := g.ServeConn(client); err != nil {
					t.Fatal(err)
				}
			}
			run(10)
			one := testing.AllocsPerRun(10, func() { run(1) })
			many := testing.AllocsPerRun(10, func() { run(501) })
			if per := (many - one) / 500; per >= 0.01 && !raceDetector {
				t.Errorf("needs %s, %s: an exchange allocates %.3f times, want 0", needs, tt.name, per)
			}
		}
		if g.Plugins()[0].Counters.Calls.Load() == 0 {
			t.Error("the filter was not called")
		}
	}
}
