package gateway

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// line is what the access log tells of one exchange.
type line struct {
	Site, Mapping, Cluster, Origin string
	Attempts, Status               int
	Method, Target, Host, Protocol string
	Reason, Cache, Client, Peer    string
	UserAgent                      string `json:"user_agent"`
	Referer                        string
	RequestID                      string   `json:"request_id"`
	Duration                       float64  `json:"duration_ms"`
	FirstByte                      *float64 `json:"first_byte_ms"`
	In                             int64    `json:"bytes_in"`
	Out                            int64    `json:"bytes_out"`
	TLS                            bool
}

// lines reads an access log, which must be complete.
func lines(t *testing.T, text string) (all []line) {
	t.Helper()
	for s := range strings.Lines(text) {
		var l line
		if err := json.Unmarshal([]byte(s), &l); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		all = append(all, l)
	}
	return all
}

// loggedLines sends requests, each on its own connection, and returns what the
// log tells of them, in order.
func loggedLines(t *testing.T, text string, requests ...string) []line {
	t.Helper()
	log := new(lockedBuffer)
	addr, g := start(t, text, Options{Stderr: log})
	for i, raw := range requests {
		send(t, addr, raw)
		until(t, "the exchange is recorded", func() bool { return strings.Count(log.String(), "\n") > i })
	}
	g.Close()
	all := lines(t, log.String())
	if len(all) != len(requests) {
		t.Fatalf("%d lines for %d exchanges:\n%s", len(all), len(requests), log.String())
	}
	return all
}

// A line tells who decided what, and which origin answered after how many
// attempts.
func TestAccessLineTellsTheWalk(t *testing.T) {
	t.Parallel()
	o := newTeller(t, "up")
	text := fmt.Sprintf(`
listeners: [{ address: "127.0.0.1:0" }]
clusters:
  twin: { origins: [{ name: down, address: %q }, { name: up, address: %q }] }
  app: { origins: [{ name: up, address: %q }] }
  dead: { origins: [{ name: dead, address: %q }], retry: { retries: 0 } }
sites: { shop: { hosts: [a.example] } }
mappings:
  - { site: shop, prefix: /dead, cluster: dead }
  - { site: shop, prefix: /app, cluster: app }
  - { site: shop, prefix: /twin, cluster: twin }
`, closedAddress(t), o.addr, o.addr, closedAddress(t))
	const end = " HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n"
	got := loggedLines(t, text,
		"POST /twin/x?y"+end+"User-Agent: ua\r\nReferer: ref\r\nX-Request-Id: id-1\r\nContent-Length: 5\r\n\r\nhello",
		"GET /dead"+end+"\r\n",
		"GET /none"+end+"\r\n",
		"GET / HTTP/1.1\r\nHost: b.example:81\r\nConnection: close\r\n\r\n",
		"GET /app HTTP/1.0\r\nHost: a.example\r\n\r\n",
		"HEAD /app"+end+"\r\n",
		"GET /\x01"+end+"\r\n",
		"nonsense\r\n\r\n",
		"GET /app HTTP/1.1\r\nHost: a.example\r\nX: "+strings.Repeat("x", 40<<10)+"\r\n\r\n",
	)
	for i, want := range []line{
		{Site: "shop", Mapping: "2", Cluster: "twin", Origin: "up", Attempts: 2, Status: 200, Method: "POST", Target: "/twin/x?y", Host: "a.example", Protocol: "HTTP/1.1", UserAgent: "ua", Referer: "ref", RequestID: "id-1", In: 5},
		{Site: "shop", Mapping: "0", Cluster: "dead", Origin: "dead", Attempts: 1, Status: 502, Reason: "connect_refused", Method: "GET", Target: "/dead", Host: "a.example", Protocol: "HTTP/1.1"},
		{Site: "shop", Status: 404, Reason: "no_mapping", Method: "GET", Target: "/none", Host: "a.example", Protocol: "HTTP/1.1"},
		{Status: 421, Reason: "no_site", Method: "GET", Target: "/", Host: "b.example:81", Protocol: "HTTP/1.1"},
		{Site: "shop", Mapping: "1", Cluster: "app", Origin: "up", Attempts: 1, Status: 200, Method: "GET", Target: "/app", Host: "a.example", Protocol: "HTTP/1.0"},
		{Site: "shop", Mapping: "1", Cluster: "app", Origin: "up", Attempts: 1, Status: 200, Method: "HEAD", Target: "/app", Host: "a.example", Protocol: "HTTP/1.1"},
		{Status: 400, Reason: "*"},
		{Status: 400, Reason: "*"},
		{Status: 431, Reason: "head_too_large"},
	} {
		checkLine(t, got[i], want)
	}
}

// checkLine compares what is known beforehand; the rest must make sense.
func checkLine(t *testing.T, got, want line) {
	t.Helper()
	ok := got.Client == "127.0.0.1" && got.Peer == "127.0.0.1" && !got.TLS && got.Duration >= 0
	ok = ok && (got.FirstByte != nil) == (want.Reason == "") && (got.FirstByte == nil || *got.FirstByte <= got.Duration)
	ok = ok && regexp.MustCompile(`^([0-9a-f]{32}|id-1)$`).MatchString(got.RequestID)
	ok = ok && (got.Out > 0) == (got.Method != "HEAD")
	if want.Reason == "*" || want.Method == "" {
		ok = ok && got.Status == want.Status && got.Reason != "" && (want.Reason == "*" || got.Reason == want.Reason) && got.Site == "" && got.Origin == ""
	} else {
		want.Client, want.Peer, want.Duration, want.FirstByte, want.Out = got.Client, got.Peer, got.Duration, got.FirstByte, got.Out
		if want.RequestID == "" {
			want.RequestID = got.RequestID
		}
		ok = ok && got == want
	}
	if !ok {
		t.Errorf("the log tells %+v, want %+v", got, want)
	}
}

// The combined format is the one that others read.
func TestAccessLineCombined(t *testing.T) {
	t.Parallel()
	log := new(lockedBuffer)
	addr, g := start(t, strings.Replace(plainListener, "off", "combined", 1)+"clusters: { app: { origins: "+inline(newTeller(t, "o"))+" } }\n", Options{Stderr: log})
	ask(t, addr, "GET /a?\"b HTTP/1.1\r\nHost: a.example\r\nUser-Agent: u \"a\"\r\nReferer: http://r/")
	got := ask(t, addr, "GET /c HTTP/1.0")
	g.Close()
	want := regexp.MustCompile(`^127\.0\.0\.1 - - \[\d\d/\w{3}/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}\] "GET /a\?\\"b HTTP/1\.1" 200 \d+ "http://r/" "u \\"a\\""
127\.0\.0\.1 - - \[[^]]+\] "GET /c HTTP/1\.0" 200 ` + fmt.Sprint(len(got.body)) + ` "-" "-"
$`)
	if !want.MatchString(log.String()) {
		t.Errorf("the log is\n%s\nwant\n%s", log.String(), want)
	}
}

// A client that has gone before its answer is 499 client_gone; one that leaves
// in the middle keeps the status that it was told.
func TestClientGoneIsRecorded(t *testing.T) {
	t.Parallel()
	release, arrived := make(chan struct{}), make(chan struct{}, 1)
	defer close(release)
	o := rawOrigin(t, func(c net.Conn) {
		head, err := readRawHead(bufio.NewReader(c))
		if err != nil {
			return
		}
		if strings.HasPrefix(head, "GET /begun") {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n"+strings.Repeat("x", 1000))
		}
		arrived <- struct{}{}
		<-release
	})
	log := new(lockedBuffer)
	addr, g := start(t, "listeners: [{ address: \"127.0.0.1:0\" }]\nclusters: { app: { origins: [{ name: o, address: \""+o.Addr().String()+"\" }] } }\n", Options{Stderr: log})
	for _, target := range []string{"/before", "/begun"} {
		c := dialTo(t, addr)
		io.WriteString(c, "GET "+target+" HTTP/1.1\r\nHost: a.example\r\n\r\n")
		<-arrived
		if target == "/begun" {
			c.SetReadDeadline(time.Now().Add(20 * time.Second))
			io.ReadFull(c, make([]byte, 500))
		}
		c.SetLinger(0)
		c.Close()
		until(t, target+" is recorded", func() bool { return strings.Contains(log.String(), target) })
	}
	g.Close()
	got := lines(t, log.String())
	if l := got[0]; l.Status != 499 || l.Reason != "client_gone" || l.Origin != "o" || l.Attempts != 1 || l.FirstByte != nil || l.Out != 0 {
		t.Errorf("gone before the answer: %+v, want 499 client_gone", l)
	}
	if l := got[1]; l.Status != 200 || l.Reason != "client_gone" || l.FirstByte == nil || l.Out < 500 {
		t.Errorf("gone in the middle: %+v, want 200 client_gone", l)
	}
}

// An origin that breaks off is told too.
func TestCutAnswerIsRecorded(t *testing.T) {
	t.Parallel()
	o := broken(t, map[string]string{"/cut": "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"})
	log := new(lockedBuffer)
	addr, g := start(t, "listeners: [{ address: \"127.0.0.1:0\" }]\nclusters: { app: { origins: [{ address: \""+o+"\" }] } }\n", Options{Stderr: log})
	c := dialTo(t, addr)
	io.WriteString(c, "GET /cut HTTP/1.1\r\nHost: a.example\r\n\r\n")
	if _, err := readTold(bufio.NewReader(c), "GET"); err == nil {
		t.Error("the client did not see the answer break off")
	}
	until(t, "it is recorded", func() bool { return log.String() != "" })
	g.Close()
	if l := lines(t, log.String())[0]; l.Status != 200 || l.Reason != "answer_cut" || l.Out != 4 {
		t.Errorf("%+v, want 200 answer_cut with 4 bytes", l)
	}
}

// Times are from the head of the request on, over all attempts.
func TestAccessTimesCoverAllAttempts(t *testing.T) {
	t.Parallel()
	const pause = 150 * time.Millisecond
	var first atomic.Bool
	o := rawOrigin(t, func(c net.Conn) {
		if _, err := readRawHead(bufio.NewReader(c)); err != nil {
			return
		}
		if !first.Swap(true) {
			<-time.After(pause)
			return
		}
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
	})
	got := loggedLines(t, "listeners: [{ address: \"127.0.0.1:0\" }]\nclusters: { app: { origins: [{ address: \""+o.Addr().String()+"\" }] } }\n",
		"GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n")[0]
	if got.Attempts != 2 || got.FirstByte == nil || *got.FirstByte < 150 || got.Duration < *got.FirstByte {
		t.Errorf("%+v, want a first byte after 2 attempts and %v", got, pause)
	}
}

// Losses are counted.
func TestLostRecordsAreCounted(t *testing.T) {
	t.Parallel()
	full := new(brokenWriter)
	addr, g := start(t, strings.Replace(plainListener, "off", "json", 1)+"clusters: { app: { origins: "+inline(newTeller(t, "o"))+" } }\n", Options{Stderr: full})
	for range 7 {
		if got := askFor(t, addr, "a.example", "/"); got.status != 200 {
			t.Fatalf("a log that cannot be written costs an exchange: %d", got.status)
		}
	}
	g.Close()
	if m := &g.Metrics().Process.AccessLog; m.Lost.Load() != 7 || m.Written.Load() != 0 {
		t.Errorf("lost %d, written %d, want all 7 lost", m.Lost.Load(), m.Written.Load())
	}
}

// brokenWriter is a disk that takes nothing.
type brokenWriter struct{}

func (*brokenWriter) Write([]byte) (int, error) { return 0, io.ErrShortWrite }
