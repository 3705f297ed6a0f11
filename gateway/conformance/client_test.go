package conformance

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"time"
)

// patience is how long a client waits for anything, and a row for a request that must
// reach the origin.
const patience = 30 * time.Second

// A got is what a client got.
type got struct {
	interims []*http.Response
	final    *http.Response
	body     string
	err      error // the answer broke off, or there was none
}

// A request is what a client sends.
type request struct {
	method, target, version string
	fields                  []field
	body                    string
}

// A token is a method, and begins the items of a request.
var methodOf = regexp.MustCompile(`^([A-Z-]+)(\s+|$)`)

// requestOf reads a request's items: the first may begin with a method and a target.
func requestOf(says []string, path string) request {
	r := request{method: "GET", target: path, version: "HTTP/1.1"}
	for i, item := range says {
		if i == 0 {
			item = r.line(item)
		}
		if f, ok := fieldOf(item); ok {
			r.fields = append(r.fields, f)
		} else if body, ok := word(item, "body"); ok {
			r.body = text(body)
		} else if strings.HasPrefix(item, "HTTP/") {
			r.version = item
		} else if item != "" {
			panic("a client cannot say " + item)
		}
	}
	return r
}

// line takes a method and a target off the first item.
func (r *request) line(item string) (rest string) {
	if m := methodOf.FindStringSubmatch(item); m != nil {
		r.method, item = m[1], item[len(m[0]):]
	}
	if strings.HasPrefix(item, "/") {
		r.target, item, _ = strings.Cut(item, " ")
	}
	return item
}

func (r *request) bytes() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s\r\n", r.method, r.target, r.version)
	if !r.has("Host") {
		b.WriteString("Host: shop.example\r\n")
	}
	if r.body != "" && !r.has("Content-Length") && !r.has("Transfer-Encoding") {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(r.body))
	}
	for _, f := range r.fields {
		b.WriteString(f.name + ": " + f.value + "\r\n")
	}
	return b.String() + "Connection: close\r\n\r\n" + r.body
}

func (r *request) has(name string) bool {
	for _, f := range r.fields {
		if strings.EqualFold(f.name, name) {
			return true
		}
	}
	return false
}

// A client has one connection and sends one request.
type client struct {
	net.Conn
	came chan got
}

// send begins an exchange.
func send(addr string, r request) (*client, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	c.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(c, r.bytes()); err != nil {
		c.Close()
		return nil, err
	}
	k := &client{c, make(chan got, 1)}
	go k.read(r.method)
	return k, nil
}

// read reads what comes, to its end.
func (c *client) read(method string) {
	defer c.Close()
	in, g := bufio.NewReader(c), got{}
	for g.final == nil && g.err == nil {
		var r *http.Response
		if r, g.err = http.ReadResponse(in, &http.Request{Method: method}); g.err == nil && r.StatusCode/100 == 1 {
			g.interims = append(g.interims, r)
		} else {
			g.final = r
		}
	}
	if g.err == nil {
		var body []byte
		body, g.err = io.ReadAll(g.final.Body)
		g.body = string(body)
	}
	c.came <- g
}
