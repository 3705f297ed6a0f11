package gateway

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// wellness is an origin of a bubble that does, at any time, what it was told
// last.
type wellness struct {
	mu      sync.Mutex
	refuses bool
	checked int           // status of an answer to a check
	served  string        // status of an answer to a request; empty: it closes
	takes   time.Duration // for a request
	fields  string        // further lines of an answer's head

	connects, checks, requests int
	at                         []time.Duration // of the requests, from the beginning
	begun                      time.Time
}

// with changes or reads what is guarded.
func (o *wellness) with(f func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	f()
}

// dial answers with the origin's script; nil: it refuses.
func (o *wellness) dial() script {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.connects++
	if o.refuses {
		return nil
	}
	return o.serve
}

func (o *wellness) serve(r *bufio.Reader, w net.Conn) {
	for {
		head := readHead(r)
		if head == "" {
			return
		}
		status, fields, takes := o.react(strings.HasPrefix(head, "GET /check "))
		time.Sleep(takes)
		if status == "" {
			return
		}
		fmt.Fprintf(w, "HTTP/1.1 %s Planned\r\n%sContent-Length: 2\r\n\r\nok", status, fields)
	}
}

func (o *wellness) react(check bool) (status, fields string, takes time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if check {
		o.checks++
		return strconv.Itoa(o.checked), "", 0
	}
	o.requests++
	o.at = append(o.at, time.Since(o.begun))
	return o.served, o.fields, o.takes
}

// counts are what has reached the origin so far.
func (o *wellness) counts() (connects, checks, requests int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.connects, o.checks, o.requests
}

// wellText is a gateway with the origins s1 and s2 of a bubble.
const wellText = `
listeners: [{ address: "127.0.0.1:0" }]
clusters: { app: { origins: [{ name: s1, address: "s1.example:80", capacity: %d }, { name: s2, address: "s2.example:80", capacity: %[1]d }], keep_alive: 0s%s } }
access_log: { format: off }
`

// inWellBubble runs a test with the origins s1 and s2, both well.
func inWellBubble(t *testing.T, capacity int, settings string, o Options, test func(t *testing.T, b *bubble, s1, s2 *wellness)) {
	t.Helper()
	inWellBubbleOf(t, fmt.Sprintf(wellText, capacity, settings), o, test)
}

// inWellBubbleOf is the same with another configuration.
func inWellBubbleOf(t *testing.T, text string, o Options, test func(t *testing.T, b *bubble, s1, s2 *wellness)) {
	t.Helper()
	s1, s2 := &wellness{checked: 200, served: "200"}, &wellness{checked: 200, served: "200"}
	inBubbleOf(t, text, o, func(addr string) script {
		if addr == "s1.example:80" {
			return s1.dial()
		}
		return s2.dial()
	}, func(t *testing.T, b *bubble) {
		s1.with(func() { s1.begun = b.begun })
		s2.with(func() { s2.begun = b.begun })
		test(t, b, s1, s2)
	})
}

// get sends a request on a connection of its own and returns the status of the
// answer.
func (b *bubble) get(request string) string {
	c, theirs := net.Pipe()
	defer c.Close()
	b.running.Go(func() { b.g.ServeConn(theirs) })
	go io.WriteString(c, request)
	head := readHead(bufio.NewReader(c))
	_, status, _ := strings.Cut(head, " ")
	status, _, _ = strings.Cut(status, " ")
	return status
}

// getFor sends a request every interval, for some time, and counts the answers
// that are not 200.
func (b *bubble) getFor(d, interval time.Duration) (bad int) {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(interval) {
		if b.get(bubbleGET) != "200" {
			bad++
		}
	}
	return bad
}

// wellLog counts lines by the minute of a bubble's time.
type wellLog struct {
	mu    sync.Mutex
	begun time.Time
	lines map[int]int
	last  string
}

func (l *wellLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines[int(time.Since(l.begun)/time.Minute)]++
	l.last = string(p)
	return len(p), nil
}
