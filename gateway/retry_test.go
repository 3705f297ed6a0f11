package gateway

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// endPatience is how long these tests wait for anything that must happen.
const endPatience = 30 * time.Second

// endOrigin is an origin that a test scripts: serve gets each connection with
// its number, from 0. It writes down what it reads.
type endOrigin struct {
	addr string

	mu       sync.Mutex
	requests []string // method and body; "PUT ..." is one whose body was not read
	heads    chan string
}

// endConn is an origin's end of a connection.
type endConn struct {
	net.Conn
	in *bufio.Reader
	o  *endOrigin
	at int // of its last request in o.requests
}

func newEndOrigin(tb testing.TB, serve func(n int, c *endConn)) *endOrigin {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { l.Close() })
	o := &endOrigin{addr: l.Addr().String(), heads: make(chan string, 1024)}
	go func() {
		for n := 0; ; n++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.SetDeadline(time.Now().Add(endPatience))
			go func() {
				defer c.Close()
				serve(n, &endConn{Conn: c, in: bufio.NewReader(c), o: o})
			}()
		}
	}()
	return o
}

// head reads a head; empty means that there is none.
func (c *endConn) head() string {
	var head strings.Builder
	for {
		line, err := c.in.ReadString('\n')
		if err != nil {
			return ""
		}
		head.WriteString(line)
		if line == "\r\n" {
			break
		}
	}
	method, _, _ := strings.Cut(head.String(), " ")
	c.o.mu.Lock()
	c.at = len(c.o.requests)
	c.o.requests = append(c.o.requests, method+" ...")
	c.o.mu.Unlock()
	c.o.heads <- head.String()
	return head.String()
}

// request reads a whole request.
func (c *endConn) request() (head, body string) {
	if head = c.head(); head == "" {
		return "", ""
	}
	var b []byte
	lower := strings.ToLower(head)
	if strings.Contains(lower, "\r\ntransfer-encoding: chunked\r\n") {
		b, _ = io.ReadAll(httputil.NewChunkedReader(c.in))
		for line := ""; line != "\r\n"; {
			var err error
			if line, err = c.in.ReadString('\n'); err != nil {
				break
			}
			body += line
		}
		body = strings.TrimSuffix(body, "\r\n") // the trailer, behind the content
	} else if _, rest, ok := strings.Cut(lower, "\r\ncontent-length: "); ok {
		digits, _, _ := strings.Cut(rest, "\r\n")
		n, _ := strconv.Atoi(digits)
		b = make([]byte, n)
		k, _ := io.ReadFull(c.in, b)
		b = b[:k]
	}
	body = string(b) + body
	method, _, _ := strings.Cut(head, " ")
	c.o.mu.Lock()
	c.o.requests[c.at] = strings.TrimSpace(method + " " + body)
	c.o.mu.Unlock()
	return head, body
}

func (c *endConn) say(text string) error {
	_, err := io.WriteString(c, text)
	return err
}

// die ends the connection with a reset.
func (c *endConn) die() { c.Conn.(*net.TCPConn).SetLinger(0); c.Close() }

// serve answers every request with endOK.
func (c *endConn) serve() {
	for {
		if head, _ := c.request(); head == "" || c.say(endOK) != nil {
			return
		}
	}
}

const endOK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

// seen is what was read so far.
func (o *endOrigin) seen() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.requests)
}

// endText is a configuration with one cluster, of o; listener, cluster and top
// add to it.
func endText(o *endOrigin, listener, cluster, top string) string {
	return fmt.Sprintf("listeners: [{ address: \"127.0.0.1:0\"%s }]\nclusters: { app: { origins: [{ address: %q }]%s } }\n%s\n", listener, o.addr, cluster, top)
}

const endNoLog = "access_log: { format: off }\n"

// endDial opens a connection on which nothing takes for ever.
func endDial(tb testing.TB, addr string) *net.TCPConn {
	tb.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(endPatience))
	return c.(*net.TCPConn)
}

// endAnswer reads the next final answer.
func endAnswer(r *bufio.Reader) (status int, body string, err error) {
	for {
		res, err := http.ReadResponse(r, nil)
		if err != nil {
			return 0, "", err
		}
		b, err := io.ReadAll(res.Body)
		if res.StatusCode >= 200 {
			return res.StatusCode, string(b), err
		}
	}
}

// endUntil waits for a condition.
func endUntil(tb testing.TB, what string, holds func() bool) {
	tb.Helper()
	for end := time.Now().Add(endPatience); !holds(); {
		if time.Now().After(end) {
			tb.Fatalf("waited in vain for: %s", what)
		}
		time.Sleep(time.Millisecond)
	}
}

// endHead waits until an origin has read a head.
func endHead(tb testing.TB, o *endOrigin) string {
	tb.Helper()
	select {
	case head := <-o.heads:
		return head
	case <-time.After(endPatience):
		tb.Fatal("waited in vain for a request at the origin")
		return ""
	}
}

var hundred = strings.Repeat("b", 100)

// What an attempt has read of a body is gone: the request is not sent again,
// for its head would wait for content that is the next client's request. What
// stands in the gateway as a whole is sent again as a whole.
func TestRequestsAreRepeatedWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name       string
		head, body string // body comes once the origin has the head
		status     int
		seen       []string
	}{
		{"streamed", "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n", hundred, 502, []string{"PUT " + hundred}},
		{"streamed in part with its head", "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n" + hundred[:40], hundred[40:], 502, []string{"PUT " + hundred}},
		{"chunked, streamed", "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", "64\r\n" + hundred + "\r\n0\r\n\r\n", 502, []string{"PUT " + hundred}},
		{"chunked, empty, streamed", "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", "0\r\n\r\n", 502, []string{"PUT"}},
		{"chunked, the last chunk late", "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n", "0\r\n\r\n", 502, []string{"PUT ab"}},
		{"here with its head", "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n" + hundred, "", 200, []string{"PUT " + hundred, "PUT " + hundred}},
		{"chunked, here with its head", "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n" + hundred + "\r\n0\r\n\r\n", "", 200, []string{"PUT " + hundred, "PUT " + hundred}},
		{"chunked, empty, here with its head", "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "", 200, []string{"PUT", "PUT"}},
		{"here, but not harmless", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n" + hundred, "", 502, []string{"POST " + hundred}},
		{"empty by its length", "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", "", 200, []string{"PUT", "PUT"}},
		{"none", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "", 200, []string{"GET", "GET"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := newEndOrigin(t, func(n int, c *endConn) {
				if n == 0 {
					c.request() // and ends without an answer
					return
				}
				c.serve()
			})
			addr, _ := start(t, endText(o, "", "", endNoLog), Options{})
			c := endDial(t, addr)
			io.WriteString(c, tt.head)
			endHead(t, o)
			io.WriteString(c, tt.body)
			if status, body, err := endAnswer(bufio.NewReader(c)); status != tt.status || err != nil {
				t.Errorf("answered %d %q (%v), want %d", status, body, err, tt.status)
			}
			if got := o.seen(); !slices.Equal(got, tt.seen) {
				t.Errorf("the origin saw %q, want %q", got, tt.seen)
			}
		})
	}
}

// A body of known length of which no byte has come is as good as whole: the
// next attempt waits for it. How much of a chunked body's framing has come is
// not known once it was waited for.
func TestUntouchedBodiesAreSentLater(t *testing.T) {
	t.Parallel()
	const fixed = "PUT /late HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n"
	fin, reset := func(c *endConn) {}, (*endConn).die
	for _, tt := range []struct {
		name   string
		head   string
		fail   func(*endConn)
		reused bool // the failing connection had served a request before
		again  bool
	}{
		{"new connection ended", fixed + "\r\n", fin, false, true},
		{"new connection reset", fixed + "\r\n", reset, false, true},
		{"reused connection ended", fixed + "\r\n", fin, true, true},
		{"reused connection reset", fixed + "\r\n", reset, true, true},
		{"client waits for 100", fixed + "Expect: 100-continue\r\n\r\n", fin, false, true},
		{"client waits for 100, reused connection", fixed + "Expect: 100-continue\r\n\r\n", reset, true, true},
		{"chunked", "PUT /late HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", fin, false, false},
		{"not harmless", "POST /late HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n", fin, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := newEndOrigin(t, func(n int, c *endConn) {
				if n == 0 {
					if tt.reused {
						c.request()
						c.say(endOK)
					}
					c.head()
					tt.fail(c)
					return
				}
				c.serve()
			})
			addr, _ := start(t, endText(o, "", "", endNoLog), Options{})
			wantLateBody(t, addr, o, tt.head, tt.reused, tt.again)
		})
	}
}

// wantLateBody sends a head whose first attempt fails and, once there is another,
// the body.
func wantLateBody(t *testing.T, addr string, o *endOrigin, head string, reused, again bool) {
	t.Helper()
	c := endDial(t, addr)
	r := bufio.NewReader(c)
	if reused {
		io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		endHead(t, o)
		if status, _, err := endAnswer(r); status != 200 {
			t.Fatal(status, err)
		}
	}
	before := len(o.seen())
	io.WriteString(c, head)
	endHead(t, o)
	want := 502
	if again {
		endHead(t, o)
		io.WriteString(c, hundred)
		want = 200
	}
	if status, body, err := endAnswer(r); status != want || err != nil {
		t.Errorf("answered %d %q (%v), want %d", status, body, err, want)
	}
	seen := o.seen()[before:]
	if again && (len(seen) != 2 || seen[1] != "PUT "+hundred) || !again && len(seen) != 1 {
		t.Errorf("the origin saw %q", seen)
	}
	if again { // the connection's next head is found behind the body
		io.WriteString(c, "GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
		if status, _, err := endAnswer(r); status != 200 || err != nil {
			t.Errorf("the next request: %d, %v", status, err)
		}
	}
}

// The head of an answer that is none: whatever it is, it is the origin's fault,
// and never ours.
func TestHostileStatusHeads(t *testing.T) {
	t.Parallel()
	heads := []string{
		"\n\r\n\r\n", "\r\n\r\n", "\r\n", "\x00\r\n\r\n", "H\r\n\r\n", "HTTP/1.\r\n\r\n", "HTTP/1.1\r\n\r\n", "HTTP/1.1 \r\n\r\n",
		"HTTP/1.1 200\r\r\n\r\n", "HTTP/1.1 200\r\r\nX: y\r\n\r\n", "HTTP/1.1 200 OK\n\r\n\r\n", "HTTP/1.1 200\n\r\n\r\n", "HTTP/1.1 200 OK\nX: y\r\n\r\n",
		"HTTP/1.1\n\r\n\r\n", "HTTP/1.1 2\r\n\r\n", "HTTP/1.1 20\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 -20 OK\r\n\r\n",
		"HTTP/1.1 099 x\r\n\r\n", "HTTP/1.1 000 x\r\n\r\n", "HTTP/1.1200 OK\r\n\r\n", "HTTP/1.2 200 OK\r\n\r\n", "HTTP/2 200 OK\r\n\r\n",
		"HTTP/1.1 200 O\x00K\r\n\r\n", " HTTP/1.1 200 OK\r\n\r\n", "\r\nHTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 101\r\n\r\n",
		"HTTP/1.1 200 OK\r\n: x\r\n\r\n", "HTTP/1.1 200 OK\r\n X: y\r\n\r\n", "HTTP/1.1 103\r\n:\r\n\r\n", "HTTP/1.1 103\r\n\r\n\n\r\n\r\n",
	}
	for _, head := range heads {
		t.Run(strconv.Quote(head), func(t *testing.T) {
			t.Parallel()
			status, body, panics := answerTo(t, head)
			if status != 502 || !strings.Contains(body, "reason: bad_answer") || panics != 0 {
				t.Errorf("answered %d %q with %d panics, want 502 bad_answer", status, body, panics)
			}
		})
	}
}

// A good head that is cut short anywhere and then ended is answered, too.
func TestShortenedStatusHeads(t *testing.T) {
	t.Parallel()
	const good = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"
	for k := range len(good) {
		status, body, panics := answerTo(t, good[:k]+"\r\n\r\n")
		if status != 200 && !strings.Contains(body, "reason: bad_answer") || panics != 0 {
			t.Errorf("%q: answered %d %q with %d panics", good[:k], status, body, panics)
		}
	}
}

// answerTo is what a client gets when an origin says no more than head.
func answerTo(t *testing.T, head string) (status int, body string, panics uint64) {
	o := newEndOrigin(t, func(n int, c *endConn) {
		c.request()
		c.say(head)
		c.Conn.(*net.TCPConn).CloseWrite()
		c.in.ReadByte() // the gateway's end
	})
	addr, g := start(t, endText(o, "", "", endNoLog), Options{})
	c := endDial(t, addr)
	io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	status, body, err := endAnswer(bufio.NewReader(c))
	if err != nil {
		t.Errorf("%q: %v", head, err)
	}
	return status, body, g.metrics.Process.Panics.Load()
}

// An origin says more than was asked, in the same packet: nobody else gets it.
func TestSurplusOfAnOriginIsNobodysAnswer(t *testing.T) {
	t.Parallel()
	const poison = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison"
	server := newAuthority(t).issue(t, "127.0.0.1")
	for _, secure := range []bool{false, true} {
		t.Run(fmt.Sprintf("TLS %v", secure), func(t *testing.T) {
			t.Parallel()
			var conns sync.Map
			o := newEndOrigin(t, func(n int, c *endConn) {
				conns.Store(n, true)
				joined := &endJoined{Conn: c.Conn}
				if c.Conn = joined; secure {
					c.Conn = tls.Server(joined, &tls.Config{Certificates: []tls.Certificate{server.tls}})
				}
				c.in.Reset(c.Conn)
				for head, _ := c.request(); head != ""; head, _ = c.request() {
					joined.hold()
					c.say(endOK)
					c.say(poison)
					if joined.letGo() != nil {
						return
					}
				}
			})
			text := endText(o, "", "", endNoLog)
			if secure {
				text = strings.Replace(endText(o, "", ", tls: { verify: false }", endNoLog), o.addr, "https://"+o.addr, 1)
			}
			addr, _ := start(t, text, Options{})
			wantOKs(t, addr, 5)
			n := 0
			conns.Range(func(any, any) bool { n++; return true })
			if n != 5 {
				t.Errorf("5 requests took %d connections to the origin, want 5", n)
			}
		})
	}
}

// wantOKs asks n times on one connection.
func wantOKs(t *testing.T, addr string, n int) {
	t.Helper()
	c := endDial(t, addr)
	r := bufio.NewReader(c)
	for range n {
		io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		if status, body, err := endAnswer(r); status != 200 || body != "ok" || err != nil {
			t.Fatalf("answered %d %q (%v)", status, body, err)
		}
	}
}

// endJoined sends everything that is written between hold and letGo at once.
type endJoined struct {
	net.Conn
	holding bool
	held    []byte
}

func (j *endJoined) Write(p []byte) (int, error) {
	if !j.holding {
		return j.Conn.Write(p)
	}
	j.held = append(j.held, p...)
	return len(p), nil
}

func (j *endJoined) hold() { j.holding = true }

func (j *endJoined) letGo() error {
	_, err := j.Conn.Write(j.held)
	j.holding, j.held = false, nil
	return err
}

var errEnding = errors.New("a fault that a test makes")
