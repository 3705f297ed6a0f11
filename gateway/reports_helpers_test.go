package gateway

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http/httputil"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// reportPatience is how long a test of a report waits for anything.
const reportPatience = 30 * time.Second

// reportConn is one end of a connection over which a test speaks HTTP as bytes.
type reportConn struct {
	*net.TCPConn
	in     *bufio.Reader
	number int // of an origin's connections, from 1
	origin *reportOrigin
}

func newReportConn(c net.Conn) *reportConn {
	c.SetDeadline(time.Now().Add(reportPatience))
	return &reportConn{TCPConn: c.(*net.TCPConn), in: bufio.NewReader(c)}
}

func (c *reportConn) say(text string) error {
	_, err := io.WriteString(c.TCPConn, text)
	return err
}

// head reads a head with its blank line; empty means that the other side ended.
func (c *reportConn) head() string {
	var head strings.Builder
	for {
		line, err := c.in.ReadString('\n')
		if err != nil {
			return ""
		}
		head.WriteString(line)
		if line == "\r\n" {
			return head.String()
		}
	}
}

var reportLength = regexp.MustCompile(`(?i)\r\ncontent-length: *(\d+)\r\n`)

// content reads what a head announces, and reports whether it came whole.
func (c *reportConn) content(head string, untilClose bool) (string, error) {
	if strings.Contains(strings.ToLower(head), "\r\ntransfer-encoding: chunked\r\n") {
		body, err := io.ReadAll(httputil.NewChunkedReader(c.in))
		for line := ""; err == nil && line != "\r\n"; {
			line, err = c.in.ReadString('\n') // trailers
		}
		return string(body), err
	}
	if m := reportLength.FindStringSubmatch(head); m != nil {
		n, _ := strconv.Atoi(m[1])
		body := make([]byte, n)
		k, err := io.ReadFull(c.in, body)
		return string(body[:k]), err
	}
	if !untilClose {
		return "", nil
	}
	body, err := io.ReadAll(c.in)
	return string(body), err
}

// request reads a request, as an origin, and files its head. The head is empty
// when there is none.
func (c *reportConn) request() (head, body string) {
	if head = c.head(); head == "" {
		return "", ""
	}
	c.origin.file(head)
	body, err := c.content(head, false)
	if err != nil {
		return "", ""
	}
	return head, body
}

// reportAnswer is what a client got.
type reportAnswer struct {
	code int // 0: nothing
	head string
	body string
	err  error // how the body broke off
}

// answer reads one answer, interim ones too, to a request of the given method.
func (c *reportConn) answer(method string) (a reportAnswer) {
	if a.head = c.head(); a.head == "" {
		return a
	}
	fmt.Sscanf(a.head, "HTTP/1.1 %d", &a.code)
	if method != "HEAD" && a.code >= 200 && a.code != 204 && a.code != 304 {
		a.body, a.err = c.content(a.head, true)
	}
	return a
}

// ended reports whether the other side has ended, without a byte more.
func (c *reportConn) ended() bool {
	_, err := c.in.ReadByte()
	return err == io.EOF
}

// reportOrigin is an origin that a test scripts.
type reportOrigin struct {
	addr string

	mu           sync.Mutex
	heads        []string // of requests, in the order they came
	opened, open int      // connections
}

// newReportOrigin runs serve for each connection, which ends with it.
func newReportOrigin(tb testing.TB, serve func(c *reportConn)) *reportOrigin {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	o := &reportOrigin{addr: l.Addr().String()}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { o.serve(nc, serve) })
		}
	})
	tb.Cleanup(func() { l.Close(); all.Wait() })
	return o
}

func (o *reportOrigin) serve(nc net.Conn, serve func(c *reportConn)) {
	c := newReportConn(nc)
	c.origin = o
	o.mu.Lock()
	o.opened++
	o.open++
	c.number = o.opened
	o.mu.Unlock()
	serve(c)
	c.Close()
	o.mu.Lock()
	o.open--
	o.mu.Unlock()
}

func (o *reportOrigin) file(head string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.heads = append(o.heads, head)
}

// seen are the heads of all requests that came.
func (o *reportOrigin) seen() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]string(nil), o.heads...)
}

// conns is how many connections there were, and how many there are.
func (o *reportOrigin) conns() (opened, open int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.opened, o.open
}

// reportAnswering is an origin's script: every request is answered, until one side ends.
func reportAnswering(answer func(head, body string) string) func(c *reportConn) {
	return func(c *reportConn) {
		for {
			head, body := c.request()
			if head == "" || c.say(answer(head, body)) != nil {
				return
			}
		}
	}
}

const reportOK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

// newReportOKOrigin answers everything with reportOK.
func newReportOKOrigin(tb testing.TB) *reportOrigin {
	return newReportOrigin(tb, reportAnswering(func(string, string) string { return reportOK }))
}

// reportGateway is a gateway under test.
type reportGateway struct {
	*Gateway
	addr string
	log  *reportLog
}

// startReport runs a gateway in front of one origin: cluster are further keys of
// its cluster, beginning with a comma, and top are further lines.
func startReport(tb testing.TB, o *reportOrigin, cluster, top string) *reportGateway {
	tb.Helper()
	return startReportYAML(tb, reportYAML(o, cluster, top))
}

func reportYAML(o *reportOrigin, cluster, top string) string {
	return fmt.Sprintf(reportConfig, o.addr, cluster, top)
}

// reportConfig gives the origin a long time to be connected to: on a busy machine
// hundreds of connects at once may take seconds, and are no failure then.
const reportConfig = `
listeners: [{ address: "127.0.0.1:0" }]
access_log: { path: stderr }
clusters: { app: { connect_timeout: 20s, origins: [{ address: %q }]%s } }
%s
`

func startReportYAML(tb testing.TB, text string) *reportGateway {
	tb.Helper()
	log := new(reportLog)
	addr, g := start(tb, text, Options{Stderr: log})
	return &reportGateway{g, addr, log}
}

// client opens a connection.
func (g *reportGateway) client(tb testing.TB) *reportConn {
	tb.Helper()
	c, err := net.Dial("tcp", g.addr)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { c.Close() })
	return newReportConn(c)
}

// do sends a request on a connection of its own and reads one answer.
func (g *reportGateway) do(tb testing.TB, raw string) reportAnswer {
	tb.Helper()
	c := g.client(tb)
	defer c.Close()
	c.say(raw)
	method, _, _ := strings.Cut(raw, " ")
	return c.answer(method)
}

// logged waits for the access record of a target.
func (g *reportGateway) logged(tb testing.TB, target string) map[string]any {
	tb.Helper()
	var found map[string]any
	awaitReport(tb, "an access record of "+target, func() bool {
		for _, line := range g.log.lines() {
			var r map[string]any
			if json.Unmarshal([]byte(line), &r) == nil && r["target"] == target {
				found = r
				return true
			}
		}
		return false
	})
	return found
}

// awaitReport waits until a condition holds.
func awaitReport(tb testing.TB, what string, holds func() bool) {
	tb.Helper()
	for end := time.Now().Add(reportPatience); !holds(); {
		if time.Now().After(end) {
			tb.Fatalf("waited in vain for %s", what)
		}
		time.Sleep(time.Millisecond)
	}
}

// reportLog keeps what is written to it.
type reportLog struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *reportLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

// lines are the whole lines so far.
func (l *reportLog) lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := strings.Split(l.buf.String(), "\n")
	return all[:len(all)-1]
}

// reportGET is a request without a body.
func reportGET(target string) string {
	return "GET " + target + " HTTP/1.1\r\nHost: example.com\r\n\r\n"
}
