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

// The rows of this file run in bubbles: their time is not the machine's, so
// minutes are nothing and every figure is exact.

func TestHeadTimes(t *testing.T) {
	for _, tt := range []struct {
		name string
		send func(net.Conn)
		took time.Duration
		want string // beginning of the answer
	}{
		{"no byte", func(net.Conn) {}, 10 * time.Second, ""},
		{"a byte a second", func(c net.Conn) { drip(c, bubbleGET, 1, time.Second) }, 11 * time.Second, "HTTP/1.1 408 "},
		{"a byte a second, later", func(c net.Conn) { time.Sleep(8 * time.Second); drip(c, bubbleGET, 1, time.Second) }, 19 * time.Second, "HTTP/1.1 408 "},
		{"stops in the head", func(c net.Conn) { io.WriteString(c, bubbleGET[:20]) }, 10 * time.Second, "HTTP/1.1 408 "},
		{"stops after the head but for a byte", func(c net.Conn) { io.WriteString(c, bubbleGET[:len(bubbleGET)-1]) }, 10 * time.Second, "HTTP/1.1 408 "},
		{"a slow second head", func(c net.Conn) {
			io.WriteString(c, bubbleGET)
			time.Sleep(58 * time.Second)
			drip(c, bubbleGET, 1, time.Second)
		}, 69 * time.Second, "HTTP/1.1 408 "},
		{"a second head cut by the first's read", func(c net.Conn) { io.WriteString(c, bubbleGET+bubbleGET[:9]) }, 10 * time.Second, "HTTP/1.1 408 "},
		{"no second head", func(c net.Conn) { io.WriteString(c, bubbleGET) }, 60 * time.Second, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, "", answerOK, func(t *testing.T, b *bubble) {
				c := b.client()
				b.running.Go(func() { tt.send(c) })
				got, _ := io.ReadAll(c)
				onTime(t, "the connection was closed", b.took(), tt.took)
				if last := strings.TrimPrefix(string(got), afterFirst(got)); !strings.HasPrefix(last, tt.want) || tt.want == "" && last != "" {
					t.Errorf("the last answer was %q, want %q", last, tt.want)
				}
			})
		})
	}
}

// afterFirst is the first answer if it is the origin's.
func afterFirst(got []byte) string {
	if s := string(got); strings.HasPrefix(s, "HTTP/1.1 200 ") {
		return s[:strings.Index(s, "\r\n\r\nok")+6]
	}
	return ""
}

// A connection is kept for keep_alive after an exchange has ended, however long
// that took.
func TestKeepAliveBeginsAtTheEnd(t *testing.T) {
	slow := func(r *bufio.Reader, w net.Conn) {
		for readHead(r) != "" {
			time.Sleep(50 * time.Second)
			io.WriteString(w, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
			time.Sleep(50 * time.Second)
			io.WriteString(w, "ok")
		}
	}
	inBubble(t, "", slow, func(t *testing.T, b *bubble) {
		c := b.client()
		r := bufio.NewReader(c)
		exchangeOK(t, c, r) // 100 s
		time.Sleep(50 * time.Second)
		exchangeOK(t, c, r) // 250 s
		io.ReadAll(r)
		onTime(t, "the connection was closed", b.took()-250*time.Second, 60*time.Second)
	})
}

func post(length int) string {
	return fmt.Sprintf("POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: %d\r\n\r\n", length)
}

// takeBody reads a request's body of n bytes, at a pace, and answers.
func takeBody(n, piece int, every time.Duration) func(*bufio.Reader, net.Conn) {
	return func(r *bufio.Reader, w net.Conn) {
		readHead(r)
		buf := make([]byte, piece)
		for n > 0 {
			time.Sleep(every)
			k, err := io.ReadFull(r, buf[:min(piece, n)])
			if err != nil {
				return
			}
			n -= k
		}
		io.WriteString(w, bubbleOK)
		readHead(r)
	}
}

func TestBodyTimes(t *testing.T) {
	const size = 24_000
	body := strings.Repeat("b", size)
	for _, tt := range []struct {
		name   string
		origin func(*bufio.Reader, net.Conn)
		send   func(net.Conn)
		took   time.Duration
		want   string
	}{
		{"silent, no byte came", takeBody(size, size, 0), func(net.Conn) {}, 10 * time.Second, "HTTP/1.1 408 "},
		{"slow", takeBody(size, size, 0), func(c net.Conn) { drip(c, body, 100, time.Second) }, 10 * time.Second, "HTTP/1.1 408 "},
		{"a byte a second", takeBody(size, size, 0), func(c net.Conn) { drip(c, body, 1, time.Second) }, 10 * time.Second, "HTTP/1.1 408 "},
		{"fast, then slow", takeBody(size, size, 0), func(c net.Conn) {
			drip(c, body[:15_000], 1000, time.Second)
			drip(c, body, 1, time.Second)
		}, 30 * time.Second, "HTTP/1.1 408 "},
		{"fast enough", takeBody(size, size, 0), func(c net.Conn) { drip(c, body, 300, time.Second) }, 80 * time.Second, "HTTP/1.1 200 "},
		{"fast enough in bursts", takeBody(size, size, 0), func(c net.Conn) { drip(c, body, 2400, 9*time.Second) }, 90 * time.Second, "HTTP/1.1 200 "},
		{"the origin is slow to read", takeBody(size, 400, time.Second), func(c net.Conn) { io.WriteString(c, body) }, 60 * time.Second, "HTTP/1.1 200 "},
		{"both slow, the origin slower", takeBody(size, 250, time.Second), func(c net.Conn) { drip(c, body, 300, time.Second) }, 96 * time.Second, "HTTP/1.1 200 "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, "", tt.origin, func(t *testing.T, b *bubble) {
				c := b.client()
				io.WriteString(c, post(size))
				b.running.Go(func() { tt.send(c) })
				head := readHead(bufio.NewReader(c))
				onTime(t, "the answer came", b.took(), tt.took)
				if !strings.HasPrefix(head, tt.want) {
					t.Errorf("got %q, want %q", head, tt.want)
				}
			})
		})
	}
}

// Without a least rate, or below its window, the idle limit holds.
func TestBodyIdle(t *testing.T) {
	for _, tt := range []struct {
		name string
		send func(net.Conn)
		took time.Duration
	}{
		{"silent from the start", func(net.Conn) {}, 4 * time.Second},
		{"silent after a piece", func(c net.Conn) { drip(c, "hello", 5, 3*time.Second) }, 7 * time.Second},
		{"silent after some", func(c net.Conn) { drip(c, "hello", 1, 3*time.Second) }, 10 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, "", takeBody(9, 9, 0), func(t *testing.T, b *bubble) {
				b.g.current.Load().times.bodyIdle = 4 * time.Second
				c := b.client()
				io.WriteString(c, post(9))
				b.running.Go(func() { tt.send(c) })
				head := readHead(bufio.NewReader(c))
				onTime(t, "the answer came", b.took(), tt.took)
				if !strings.HasPrefix(head, "HTTP/1.1 408 ") {
					t.Errorf("got %q, want 408", head)
				}
			})
		})
	}
}

func TestOriginTimes(t *testing.T) {
	const settings = ", first_byte_timeout: 20s, body_idle_timeout: 5s"
	say := func(parts ...any) func(*bufio.Reader, net.Conn) {
		return func(r *bufio.Reader, w net.Conn) {
			readHead(r)
			for _, part := range parts {
				switch part := part.(type) {
				case time.Duration:
					time.Sleep(part)
				case string:
					io.WriteString(w, part)
				}
			}
			readHead(r)
		}
	}
	for _, tt := range []struct {
		name   string
		origin func(*bufio.Reader, net.Conn)
		took   time.Duration
		want   string // of the status line
		cut    string // content after which the answer breaks off
	}{
		{"never answers", say(), 20 * time.Second, "504", ""},
		{"answers late", say(19*time.Second, bubbleOK), 19 * time.Second, "200", ""},
		{"dribbles its head", func(r *bufio.Reader, w net.Conn) { readHead(r); drip(w, bubbleOK, 1, time.Second) }, 20 * time.Second, "504", ""},
		{"stops in its content", say("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"), 5 * time.Second, "200", "hello"},
		{"stops before its content", say("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"), 5 * time.Second, "200", ""},
		{"stops in its chunks", say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"), 5 * time.Second, "200", "5\r\nhello\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, settings, tt.origin, func(t *testing.T, b *bubble) {
				c := b.client()
				io.WriteString(c, "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n")
				got, _ := io.ReadAll(c)
				head, content, _ := strings.Cut(string(got), "\r\n\r\n")
				onTime(t, "the answer ended", b.took(), tt.took)
				if !strings.HasPrefix(head, "HTTP/1.1 "+tt.want+" ") || tt.cut != "" && content != tt.cut {
					t.Errorf("got %q and %q, want %s and %q", head, content, tt.want, tt.cut)
				}
			})
		})
	}
}

// An answer may go on for as long as it brings something now and then: longer
// than any limit between two pieces.
func TestLongAnswers(t *testing.T) {
	for _, framing := range []string{"Content-Length: 600", "Transfer-Encoding: chunked"} {
		t.Run(framing, func(t *testing.T) {
			event := strings.Repeat("e", 10)
			if framing[0] == 'T' {
				event = "a\r\n" + event + "\r\n"
			}
			events := func(r *bufio.Reader, w net.Conn) {
				readHead(r)
				io.WriteString(w, "HTTP/1.1 200 OK\r\n"+framing+"\r\n\r\n")
				drip(w, strings.Repeat(event, 60), len(event), 20*time.Second)
				if framing[0] == 'T' {
					io.WriteString(w, "0\r\n\r\n")
				}
			}
			inBubble(t, "", events, func(t *testing.T, b *bubble) {
				c := b.client()
				io.WriteString(c, "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n")
				got, _ := io.ReadAll(c)
				onTime(t, "the answer ended", b.took(), 1200*time.Second)
				if n := strings.Count(string(got), "eeeeeeeeee"); n != 60 {
					t.Errorf("%d of 60 events arrived", n)
				}
			})
		})
	}
}

// A client that does not take its answer is let go after one to two times the
// idle limit of a body.
func TestClientThatDoesNotRead(t *testing.T) {
	endless := func(r *bufio.Reader, w net.Conn) {
		readHead(r)
		io.WriteString(w, "HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
		drip(w, strings.Repeat("x", 1<<20), 1<<10, time.Millisecond)
	}
	inBubble(t, "", endless, func(t *testing.T, b *bubble) {
		c := b.client()
		io.WriteString(c, bubbleGET)
		await := make([]byte, 1)
		c.Read(await)
		for {
			time.Sleep(time.Second)
			if open, _ := b.g.openConns(); open == 0 {
				break
			}
			if b.took() > time.Hour {
				t.Fatal("the connection is still open after an hour")
			}
		}
		if took := b.took(); took < 30*time.Second || took > 66*time.Second {
			t.Errorf("the connection was closed after %v, want 30 to 60 s", took)
		}
	})
}

// An origin that says nothing to an expectation gets the body after a second,
// and the client is told to send it then.
func TestExpectFallback(t *testing.T) {
	inBubble(t, "", takeBody(4, 4, 0), func(t *testing.T, b *bubble) {
		c := b.client()
		io.WriteString(c, "POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
		r := bufio.NewReader(c)
		if head := readHead(r); head != "HTTP/1.1 100 Continue\r\n\r\n" {
			t.Errorf("got %q, want 100", head)
		}
		onTime(t, "100 came", b.took(), time.Second+50*time.Millisecond)
		io.WriteString(c, "body")
		if head := readHead(r); !strings.HasPrefix(head, "HTTP/1.1 200 ") {
			t.Errorf("got %q, want 200", head)
		}
	})
}

// An answer that ends before the request's body does is whole at the client at
// once; 50 ms later the body counts as unfinished and the connection ends.
func TestEarlyAnswerTimes(t *testing.T) {
	for _, tt := range []struct {
		name string
		rest time.Duration // when the rest of the body comes
		kept bool
	}{
		{"the rest comes soon", 40 * time.Millisecond, true},
		{"the rest comes late", 60 * time.Millisecond, false},
		{"the rest never comes", time.Hour, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			early := func(r *bufio.Reader, w net.Conn) {
				readHead(r)
				io.WriteString(w, "HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno")
				io.Copy(io.Discard, r)
			}
			inBubble(t, "", early, func(t *testing.T, b *bubble) {
				c := b.client()
				io.WriteString(c, post(9)+"hell")
				r := bufio.NewReader(c)
				head := readHead(r)
				r.Discard(2)
				if !strings.HasPrefix(head, "HTTP/1.1 413 ") || b.took() != 0 {
					t.Errorf("got %q after %v, want 413 at once", head, b.took())
				}
				b.running.Go(func() {
					time.Sleep(tt.rest)
					io.WriteString(c, "o you")
				})
				io.Copy(io.Discard, r)
				switch ended := b.took(); {
				case tt.kept:
					onTime(t, "the connection ended", ended, 60*time.Second)
				case ended < 50*time.Millisecond || ended > 2*time.Second:
					t.Errorf("the connection ended after %v, want 50 ms", ended)
				}
			})
		})
	}
}

// An origin that answers before it has the body, and says that it closes, takes no more
// of it: the client is told that its connection ends, too, or it would send its next
// request into one that is about to.
func TestEarlyAnswersSayWhetherTheConnectionEnds(t *testing.T) {
	for _, tt := range []struct {
		name, answer string
		want         bool
	}{
		{"the origin closes", "HTTP/1.1 413 No\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno", true},
		{"the origin closes to end it", "HTTP/1.1 413 No\r\n\r\nno", true},
		{"the origin is of HTTP/1.0", "HTTP/1.0 413 No\r\nContent-Length: 2\r\n\r\nno", true},
		{"the origin reads on", "HTTP/1.1 413 No\r\nContent-Length: 2\r\n\r\nno", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			early := func(r *bufio.Reader, w net.Conn) {
				readHead(r)
				io.WriteString(w, tt.answer)
				io.CopyN(io.Discard, r, 9)
			}
			inBubble(t, "", early, func(t *testing.T, b *bubble) {
				c := b.client()
				io.WriteString(c, post(9)+"hell")
				r := bufio.NewReader(c)
				head := readHead(r)
				if got := strings.Contains(head, "\r\nConnection: close\r\n"); got != tt.want || !strings.HasPrefix(head, "HTTP/1.1 413 ") {
					t.Errorf("the answer begins %q, want close: %v", head, tt.want)
				}
				io.WriteString(c, "o you")
			})
		})
	}
}

// Connections to an origin are closed once they have been idle for keep_alive.
func TestOriginKeepAlive(t *testing.T) {
	var ended atomic.Int64
	var begun time.Time
	origin := func(r *bufio.Reader, w net.Conn) {
		answerOK(r, w)
		ended.CompareAndSwap(0, int64(time.Since(begun)))
	}
	inBubble(t, ", keep_alive: 4s", origin, func(t *testing.T, b *bubble) {
		begun = b.begun
		c := b.client()
		r := bufio.NewReader(c)
		for range 3 {
			exchangeOK(t, c, r)
			time.Sleep(3 * time.Second)
		}
		time.Sleep(5 * time.Second)
		onTime(t, "the origin's connection was closed", time.Duration(ended.Load())-6*time.Second, 4*time.Second)
		exchangeOK(t, c, r)
	})
}

// A tunnel may be silent for as long as it likes.
func TestTunnelsDoNotTimeOut(t *testing.T) {
	echo := func(r *bufio.Reader, w net.Conn) {
		readHead(r)
		io.WriteString(w, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		io.Copy(w, r)
	}
	inBubble(t, ", upgrades: [websocket]", echo, func(t *testing.T, b *bubble) {
		c := b.client()
		io.WriteString(c, "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		r := bufio.NewReader(c)
		if head := readHead(r); !strings.HasPrefix(head, "HTTP/1.1 101 ") {
			t.Fatalf("got %q, want 101", head)
		}
		for range 3 {
			time.Sleep(5 * time.Hour)
			io.WriteString(c, "ping")
			if got := make([]byte, 4); true {
				if _, err := io.ReadFull(r, got); string(got) != "ping" {
					t.Fatalf("the tunnel brought %q, %v", got, err)
				}
			}
		}
	})
}
