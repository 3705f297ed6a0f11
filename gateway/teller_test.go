package gateway

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// teller is an origin that answers every request with its own name, in
// X-Origin, and with the head and body it received, as content.
type teller struct {
	name, addr string
	socket     net.Listener
	conns      atomic.Int64 // accepted, ever
	heads      atomic.Int64 // requests, ever
	fields     string       // further lines of the answer's head
}

func newTeller(tb testing.TB, name string) *teller {
	o := &teller{name: name}
	o.socket = rawOrigin(tb, func(c net.Conn) {
		o.conns.Add(1)
		o.serve(c)
	})
	o.addr = o.socket.Addr().String()
	return o
}

// rawOrigin gives every connection to serve, in a goroutine of its own.
func rawOrigin(tb testing.TB, serve func(net.Conn)) net.Listener {
	tb.Helper()
	return rawOriginAt(tb, "127.0.0.1:0", serve)
}

// tellAt makes a teller at an address, where there was nobody.
func tellAt(tb testing.TB, address, name string) {
	tb.Helper()
	rawOriginAt(tb, address, (&teller{name: name}).serve)
}

func rawOriginAt(tb testing.TB, address string, serve func(net.Conn)) net.Listener {
	tb.Helper()
	socket, err := net.Listen("tcp", address)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { socket.Close() })
	go func() {
		for {
			c, err := socket.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				serve(c)
			}()
		}
	}()
	return socket
}

func (o *teller) serve(c net.Conn) {
	r := bufio.NewReader(c)
	for {
		head, err := readRawHead(r)
		if err != nil {
			return
		}
		o.heads.Add(1)
		body := readRawBody(r, head)
		if _, err := fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nX-Origin: %s\r\n%sContent-Length: %d\r\n\r\n", o.name, o.fields, len(head)+len(body)); err != nil {
			return
		}
		if !strings.HasPrefix(head, "HEAD ") {
			io.WriteString(c, head+body)
		}
	}
}

// readRawHead reads up to and with the blank line.
func readRawHead(r *bufio.Reader) (string, error) {
	var head strings.Builder
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return "", err
		}
		head.WriteString(line)
		if line == "\r\n" {
			return head.String(), nil
		}
	}
}

func readRawBody(r *bufio.Reader, head string) string {
	var body []byte
	if fieldIn(head, "Transfer-Encoding") != "" {
		body, _ = io.ReadAll(httputil.NewChunkedReader(r))
		readRawHead(r) // the trailer
	} else if n, err := strconv.Atoi(fieldIn(head, "Content-Length")); err == nil {
		body = make([]byte, n)
		io.ReadFull(r, body)
	}
	return string(body)
}

// fieldsIn are the values of a field in a raw head, one for each line of it.
func fieldsIn(head, name string) (values []string) {
	for line := range strings.SplitSeq(head, "\r\n") {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.EqualFold(k, name) {
			values = append(values, strings.TrimSpace(v))
		}
	}
	return values
}

// fieldIn is fieldsIn joined as one list.
func fieldIn(head, name string) string { return strings.Join(fieldsIn(head, name), ", ") }

// told is an answer as a client sees it.
type told struct {
	status int
	header http.Header
	body   string // of a teller: what it received
	close  bool   // it says that the connection ends with it
}

// origin is the name of the teller that answered.
func (a told) origin() string { return a.header.Get("X-Origin") }

// line is the request line that a teller received.
func (a told) line() string {
	line, _, _ := strings.Cut(a.body, "\r\n")
	return line
}

// ask sends a request on a fresh connection, which ends with the answer. Head is
// the request's without blank line and without Connection.
func ask(tb testing.TB, addr, head string) told {
	tb.Helper()
	return parseTold(tb, head, send(tb, addr, head+"\r\nConnection: close\r\n\r\n"))
}

// askFor is ask for a GET of a target at a host.
func askFor(tb testing.TB, addr, host, target string) told {
	tb.Helper()
	return ask(tb, addr, "GET "+target+" HTTP/1.1\r\nHost: "+host)
}

func parseTold(tb testing.TB, request, raw string) told {
	tb.Helper()
	method, _, _ := strings.Cut(request, " ")
	a, err := readTold(bufio.NewReader(strings.NewReader(raw)), method)
	if err != nil {
		tb.Fatalf("after %q came %q: %v", request, raw, err)
	}
	return a
}

func readTold(r *bufio.Reader, method string) (told, error) {
	res, err := http.ReadResponse(r, &http.Request{Method: method})
	if err != nil {
		return told{}, err
	}
	body, err := io.ReadAll(res.Body)
	return told{res.StatusCode, res.Header, string(body), res.Close}, err
}

// until waits for a condition, for three times as long as the longest pause of
// the gateway's own, 10 s, between two trials of an origin.
func until(tb testing.TB, what string, holds func() bool) {
	tb.Helper()
	for end := time.Now().Add(30 * time.Second); !holds(); {
		if time.Now().After(end) {
			tb.Fatalf("waited in vain until %s", what)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// inline is a YAML list of origins, in flow style.
func inline(origins ...*teller) string {
	var list []string
	for _, o := range origins {
		list = append(list, fmt.Sprintf("{ name: %s, address: %q }", o.name, o.addr))
	}
	return "[" + strings.Join(list, ", ") + "]"
}

const plainListener = "listeners: [{ address: \"127.0.0.1:0\" }]\naccess_log: { format: off }\n"
