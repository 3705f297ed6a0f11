package promises

import (
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// G5: whatever an origin sends without end, the gateway's memory grows by less
// than 32 MB, with eight such answers under way.
func TestHostileOriginCostsLittleMemory(t *testing.T) {
	t.Parallel()
	const head = "HTTP/1.1 200 OK\r\n"
	for _, tt := range []struct {
		name         string
		begin, again string // what the origin sends once, and then without end
		status       string // of what the client gets: one of these
	}{
		{"fields without end", head, "X-A: " + strings.Repeat("a", 100) + "\r\n", "502"},
		{"one field without end", head + "X-A: ", strings.Repeat("a", 1000), "502"},
		{"a status line without end", "HTTP/1.1 200 ", strings.Repeat("a", 1000), "502"},
		{"interim answers without end", "", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", "103"},
		{"continues without end", "", "HTTP/1.1 100 Continue\r\n\r\n", "502"},
		{"chunks of a byte without end", head + "Transfer-Encoding: chunked\r\n\r\n", strings.Repeat("1\r\na\r\n", 200), "200"},
		{"chunks without end", head + "Transfer-Encoding: chunked\r\n\r\n", "8000\r\n" + strings.Repeat("a", 32768) + "\r\n", "200"},
		{"a chunk of 2^60", head + "Transfer-Encoding: chunked\r\n\r\n1000000000000000\r\n", strings.Repeat("a", 32768), "200"},
		{"a chunk extension without end", head + "Transfer-Encoding: chunked\r\n\r\n1;a=", strings.Repeat("a", 1000), "200 502"},
		{"trailers without end", head + "Transfer-Encoding: chunked\r\n\r\n0\r\n", "X-A: " + strings.Repeat("a", 100) + "\r\n", "200"},
		{"a length of 2^60", head + "Content-Length: 1152921504606846976\r\n\r\n", strings.Repeat("a", 32768), "200"},
		{"content without end", head + "\r\n", strings.Repeat("a", 32768), "200"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := startOrigin(t, flood(tt.begin, []byte(strings.Repeat(tt.again, 1+32768/len(tt.again)))))
			c := startChild(t, configure(o.addr, "", ""))
			c.tell("gc")
			base := c.rss()
			c.forgetPeak()
			var read atomic.Int64
			var wg sync.WaitGroup
			for range 8 {
				client := dial(t, c.addr)
				client.SetDeadline(time.Now().Add(either(20*time.Second, 5*time.Minute)))
				io.WriteString(client, "GET /x HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n")
				wg.Go(func() {
					start := make([]byte, 12)
					if io.ReadFull(client, start); !strings.Contains(tt.status, strings.TrimPrefix(string(start), "HTTP/1.1 ")) {
						t.Errorf("the client got %q, want status %s", start, tt.status)
					}
					n, _ := io.CopyN(io.Discard, client, either[int64](8*mib, 64*mib))
					read.Add(n)
					client.Close()
				})
			}
			wg.Wait()
			grown := c.peak() - base
			t.Logf("%s: %.1f MiB more, %d MiB passed on", tt.name, float64(grown)/mib, read.Load()/mib)
			if grown > 32*mib && !raced {
				t.Errorf("memory grew by %d bytes, want at most 32 MiB", grown)
			}
			c.await("the end of all exchanges", func(k counts) bool { return k.exchanges == 0 })
			if n := c.count().panics; n != 0 {
				t.Errorf("%d panics", n)
			}
		})
	}
}

// flood answers the first read with begin, and then with again until nobody
// takes it any more.
func flood(begin string, again []byte) func(*net.TCPConn) {
	return func(c *net.TCPConn) {
		c.Read(make([]byte, 4*kib))
		io.WriteString(c, begin)
		for {
			if _, err := c.Write(again); err != nil {
				return
			}
		}
	}
}
