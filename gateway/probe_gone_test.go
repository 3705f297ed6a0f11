package gateway

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"weirkeep/gateway/probe"
)

// noticed is how soon a gateway knows that a client has gone (design, section
// 5). A loaded machine may take longer once, but not every time.
const (
	noticed       = 500 * time.Millisecond
	noticedWithin = 5 // tries
)

const goneLimits = `, first_byte_timeout: 1m, body_idle_timeout: 1m`

// secureListen is what makes a listener speak TLS.
func secureListen(tb testing.TB) string {
	tb.Helper()
	p := newAuthority(tb).issue(tb, "127.0.0.1")
	return fmt.Sprintf(", tls: { certificates: [{ cert: %q, key: %q }] }", p.cert, p.key)
}

// endTLS is a client's TLS connection.
func endTLS(tb testing.TB, addr string) *tls.Conn {
	tb.Helper()
	c := tls.Client(endDial(tb, addr), &tls.Config{InsecureSkipVerify: true})
	if err := c.Handshake(); err != nil {
		tb.Fatal(err)
	}
	return c
}

// rst ends a client's connection with a reset.
func rst(c net.Conn) {
	tcp := socketOf(c).(*net.TCPConn)
	tcp.SetLinger(0)
	tcp.Close()
}

func closes(c net.Conn) { c.Close() }

func endsWithoutAWord(c net.Conn) { socketOf(c).Close() }

// A client that goes away while the origin is silent is noticed, and the
// origin's work with it.
func TestClientsThatGoAreNoticed(t *testing.T) {
	t.Parallel()
	const (
		get    = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
		get10  = "GET / HTTP/1.0\r\nHost: a\r\n\r\n"
		upload = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nhalf"
		behind = "GET /behind HTTP/1.1\r\nHost: a\r\n\r\n"
	)
	secured := secureListen(t)
	for _, tt := range []struct {
		name   string
		secure bool
		sends  string
		then   string // sent once the origin has the request
		goes   func(net.Conn)
	}{
		{"closes", false, get, "", closes},
		{"resets", false, get, "", rst},
		{"resets, HTTP/1.0", false, get10, "", rst},
		{"closes behind a pipelined request", false, get + behind, "", closes},
		{"closes behind a request that nobody has read", false, get, behind, closes},
		{"closes behind half a head", false, get, behind[:9], closes},
		{"resets behind a request that nobody has read", false, get, behind, rst},
		{"closes with its body under way", false, upload, "more", closes},
		{"resets with its body under way", false, upload, "more", rst},
		{"TLS, says goodbye and closes", true, get, "", closes},
		{"TLS, closes without a word", true, get, "", endsWithoutAWord},
		{"TLS, resets", true, get, "", rst},
		{"TLS, resets, HTTP/1.0", true, get10, "", rst},
		{"TLS, closes behind a request that nobody has read", true, get, behind, closes},
		{"TLS, resets behind a request that nobody has read", true, get, behind, rst},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ended := make(chan time.Time, noticedWithin)
			o := newEndOrigin(t, func(_ int, c *endConn) {
				c.head()
				io.Copy(io.Discard, c.in)
				ended <- time.Now()
			})
			listener := ""
			if tt.secure {
				listener = secured
			}
			addr, g := start(t, endText(o, listener, goneLimits, endNoLog), Options{})
			var took time.Duration
			for range noticedWithin {
				c := endDialMaybe(t, addr, tt.secure)
				io.WriteString(c, tt.sends)
				endHead(t, o)
				io.WriteString(c, tt.then)
				gone := time.Now()
				tt.goes(c)
				if took = (<-ended).Sub(gone); took <= noticed {
					break
				}
			}
			if took > noticed {
				t.Errorf("noticed after %v, %d times; want %v at least once", took, noticedWithin, noticed)
			}
			endUntil(t, "no exchange is left", func() bool { return g.Status().Exchanges == 0 })
		})
	}
}

func endDialMaybe(tb testing.TB, addr string, secure bool) net.Conn {
	if secure {
		return endTLS(tb, addr)
	}
	return endDial(tb, addr)
}

// A client that has ended only its half gets what it asked for.
func TestHalfClosingClientsAreAnswered(t *testing.T) {
	t.Parallel()
	secured := secureListen(t)
	const get, behind = "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n", "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n"
	for _, tt := range []struct {
		name        string
		secure      bool
		sends, then string // then comes once the origin has the first request
		answers     int
	}{
		{"one request", false, get, "", 1},
		{"pipelined requests", false, get + behind, "", 2},
		{"a request that nobody has read", false, get, behind, 2},
		{"HTTP/1.0", false, "GET /1 HTTP/1.0\r\nHost: a\r\n\r\n", "", 1},
		{"TLS", true, get, "", 1},
		{"TLS, a request that nobody has read", true, get, behind, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			looked := make(chan bool)
			o := newEndOrigin(t, func(_ int, c *endConn) {
				for n := 0; c.head() != ""; n++ {
					if n == 0 {
						<-looked
					}
					c.say(endOK)
				}
			})
			listener := ""
			if tt.secure {
				listener = secured
			}
			addr, _ := start(t, endText(o, listener, goneLimits, endNoLog), Options{})
			c := endDialMaybe(t, addr, tt.secure)
			io.WriteString(c, tt.sends)
			endHead(t, o)
			io.WriteString(c, tt.then)
			c.(interface{ CloseWrite() error }).CloseWrite()
			r := bufio.NewReader(c)
			if !tt.secure && !strings.Contains(tt.sends, "1.0") {
				r.Peek(1) // 102: the gateway has looked
			}
			close(looked)
			for n := range tt.answers {
				if status, body, err := endAnswer(r); status != 200 || body != "ok" || err != nil {
					t.Fatalf("answer %d: %d %q (%v)", n+1, status, body, err)
				}
			}
		})
	}
}

// What a look sees when several things are true of a socket: the end counts
// more than the bytes before it, and a break more than either.
func TestAnEndIsSeenBehindUnreadBytes(t *testing.T) {
	t.Parallel()
	say := func(c *net.TCPConn) { io.WriteString(c, "unread") }
	for _, tt := range []struct {
		name string
		do   func(ours, theirs *net.TCPConn)
		want probe.Sight
	}{
		{"bytes", func(_, theirs *net.TCPConn) { say(theirs) }, probe.Readable},
		{"bytes, then the end of its half", func(_, theirs *net.TCPConn) { say(theirs); theirs.CloseWrite() }, probe.Finished},
		{"bytes, then its end", func(_, theirs *net.TCPConn) { say(theirs); theirs.Close() }, probe.Finished},
		{"bytes, then a reset", func(_, theirs *net.TCPConn) { say(theirs); rst(theirs) }, probe.Broken},
		{"its end, answered", func(ours, theirs *net.TCPConn) { theirs.Close(); say(ours) }, probe.Broken},
		{"both halves ended", func(ours, theirs *net.TCPConn) { theirs.CloseWrite(); ours.CloseWrite() }, probe.Broken},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			theirs := endDial(t, l.Addr().String())
			ours, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer ours.Close()
			p := probe.New(ours)
			tt.do(ours.(*net.TCPConn), theirs)
			endUntil(t, fmt.Sprintf("sight %d", tt.want), func() bool { return p.Look() == tt.want })
		})
	}
}

// endLine is what these tests read of an access record.
type endLine struct {
	Status   int
	Reason   string
	Target   string
	BytesOut int64 `json:"bytes_out"`
}

// endLines are the access records of a log.
func endLines(tb testing.TB, log *endLog) (all []endLine) {
	tb.Helper()
	for text := range strings.Lines(log.String()) {
		var l endLine
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			tb.Fatalf("%q: %v", text, err)
		}
		all = append(all, l)
	}
	return all
}

// endLog keeps what is written to it.
type endLog struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *endLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *endLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// An answer that did not get out was not given, however small it was. A refusal
// keeps its reason: what the origin did is worth knowing all the same.
func TestAnswersThatDidNotGetOutAreNotServed(t *testing.T) {
	t.Parallel()
	secured := secureListen(t)
	gone := endLine{Status: 499, Reason: "client_gone", Target: "/"}
	for _, tt := range []struct {
		name   string
		secure bool
		answer string
		want   endLine
	}{
		{"small", false, endOK, gone},
		{"no content", false, "HTTP/1.1 204 No Content\r\n\r\n", gone},
		{"chunked", false, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", gone},
		{"large", false, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + strings.Repeat("x", 100000), gone},
		{"refused by the origin's fault", false, "nonsense\r\n\r\n", endLine{Status: 502, Reason: "bad_answer", Target: "/"}},
		{"TLS", true, endOK, gone},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			left := make(chan bool)
			o := newEndOrigin(t, func(_ int, c *endConn) {
				c.head()
				<-left
				c.say(tt.answer)
				io.Copy(io.Discard, c.in)
			})
			listener, log := "", new(endLog)
			if tt.secure {
				listener = secured
			}
			addr, g := start(t, endText(o, listener, goneLimits, ""), Options{Stderr: log})
			c := endDialMaybe(t, addr, tt.secure)
			io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
			endHead(t, o)
			rst(c)
			close(left)
			endUntil(t, "the exchange is recorded", func() bool { return log.String() != "" })
			g.Close()
			if got := endLines(t, log); len(got) != 1 || got[0] != tt.want {
				t.Errorf("the log tells %+v, want %+v", got, tt.want)
			}
		})
	}
}

// What Close or a drain cuts is recorded like everything else.
func TestExchangesThatAreCutAreRecorded(t *testing.T) {
	t.Parallel()
	requests := []string{
		"GET /silent HTTP/1.1\r\nHost: a\r\n\r\n",
		"POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nhalf",
		"GET /half HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET /tunnel HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
	}
	for _, tt := range []struct {
		name string
		end  func(*Gateway)
	}{
		{"Close", func(g *Gateway) { g.Close() }},
		{"Drain", func(g *Gateway) { g.Drain(context.Background()) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := newEndOrigin(t, cutScript)
			log := new(endLog)
			addr, g := start(t, endText(o, "", goneLimits, "drain: { delay: 0s, timeout: 0s }"), Options{Stderr: log})
			for _, raw := range requests {
				for range 3 {
					io.WriteString(endDial(t, addr), raw)
					endHead(t, o)
				}
			}
			tt.end(g)
			if got := endLines(t, log); len(got) != 3*len(requests) {
				t.Errorf("%d records of %d exchanges:\n%s", len(got), 3*len(requests), log)
			}
			if n := g.metrics.Process.AccessLog.Lost.Load(); n != 0 {
				t.Errorf("%d records are lost", n)
			}
		})
	}
}

// cutScript keeps every exchange in the middle of something.
func cutScript(_ int, c *endConn) {
	switch head := c.head(); {
	case strings.HasPrefix(head, "GET /half"):
		c.say("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nha")
	case strings.HasPrefix(head, "GET /tunnel"):
		c.say("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
	}
	io.Copy(io.Discard, c.in)
}
