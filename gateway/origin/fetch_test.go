package origin

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// What a fetch sends, by plain text and by TLS, and that it takes nothing of the pool.
func TestWhatAFetchSends(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(*PoolOptions)
		secure bool
	}{{"plain", func(*PoolOptions) {}, false}, {"by TLS", withTLS, true}, {"a proxy itself", viaProxy, false}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var heard atomic.Value
			script := func(_ int, p *peer) {
				heard.CompareAndSwap(nil, p.head())
				p.say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n42")
			}
			if tt.secure {
				script = secure(nil, script)
			}
			p := newPool(t, listen(t, script), tt.change)
			body, err := p.Fetch(t.Context(), FetchOptions{Path: "/load?a=b", Host: "shop.example", Limit: 10})
			if err != nil || string(body) != "42" {
				t.Errorf("%q, %v", body, err)
			}
			want := "GET /load?a=b HTTP/1.1\r\nHost: shop.example\r\nUser-Agent: weirkeep-metric\r\nAccept: */*\r\nConnection: close\r\n\r\n"
			if heard.Load() != want {
				t.Errorf("the origin heard %q, want %q", heard.Load(), want)
			}
			if p.Idle() != 0 {
				t.Errorf("the pool has %d connections", p.Idle())
			}
		})
	}
}

// What comes of answers; the limit is 10 bytes.
func TestFetched(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, answer, body, err string }{
		{"with a length", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n42", "42", ""},
		{"chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n4\r\n1\r\n2\r\n0\r\n\r\n", "42", ""},
		{"up to the end", "HTTP/1.0 200 OK\r\n\r\n42", "42", ""},
		{"just fitting", "HTTP/1.1 203 OK\r\nContent-Length: 10\r\n\r\n0123456789", "0123456789", ""},
		{"after others", "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n7", "7", ""},
		{"nothing", "HTTP/1.1 204 No Content\r\n\r\n", "", ""},
		{"too long", "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n01234567890", "", "GET /load: the answer has more than 10 bytes"},
		{"too long, chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n" + strings.Repeat("x", 255) + "\r\n0\r\n\r\n", "", "GET /load: the answer has more than 10 bytes"},
		{"without end", "HTTP/1.1 200 OK\r\n\r\n" + strings.Repeat("x", 1<<20), "", "GET /load: the answer has more than 10 bytes"},
		{"a head without end", "HTTP/1.1 200 OK\r\n" + strings.Repeat("X-Pad: x\r\n", 100_000), "", "GET /load: " + ErrHeadLarge.Error()},
		{"others without end", strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 100), "", "GET /load: " + ErrInterims.Error()},
		{"missing", "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n42", "", "GET /load: status 404, must be 200 to 299"},
		{"elsewhere", "HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n", "", "GET /load: status 302, must be 200 to 299"},
		{"cut", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n42", "", "GET /load: connection closed"},
		{"no HTTP", "42\r\n\r\n", "", `GET /load: malformed HTTP response "42"`},
		{"closed", "", "", "GET /load: connection closed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPool(t, listen(t, func(_ int, p *peer) { p.head(); p.say(tt.answer) }))
			body, err := p.Fetch(t.Context(), FetchOptions{Path: "/load", Limit: 10})
			if string(body) != tt.body || (err == nil) != (tt.err == "") || err != nil && err.Error() != tt.err {
				t.Errorf("%q, %v; want %q, %s", body, err, tt.body, tt.err)
			}
		})
	}
}

func TestFetchOfNobody(t *testing.T) {
	p := newPool(t, "127.0.0.1:1", func(o *PoolOptions) { o.Dial = refuse })
	if _, err := p.Fetch(t.Context(), FetchOptions{Path: "/", Limit: 10}); err == nil || err.Error() != "GET /: connection refused" {
		t.Errorf("got %v", err)
	}
}

// A fetch lasts no longer than its context, wherever it is then.
func TestFetchEndsInTime(t *testing.T) {
	for name, says := range map[string]string{"silent": "", "in its head": "HTTP/1.1 200 OK\r\nX-", "in its body": "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n4"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, end := inMemory(t, func(_ int, p *peer) { p.head(); p.say(says); p.in.ReadByte() })
				defer end()
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
				defer cancel()
				began := time.Now()
				_, err := p.Fetch(ctx, FetchOptions{Path: "/", Limit: 10})
				if took := time.Since(began); err == nil || err.Error() != "GET /: "+ErrTimeout.Error() || took != 2*time.Second {
					t.Errorf("%v after %v", err, took)
				}
			})
		})
	}
}
