package conformance

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"
)

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
	last                    bool // on its connection
	secure                  bool
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
		r.item(item)
	}
	return r
}

func (r *request) item(item string) {
	f, isField := fieldOf(item)
	body, isBody := word(item, "body")
	switch {
	case isField:
		r.fields = append(r.fields, f)
	case isBody:
		r.body = text(body)
	case item == "https":
		r.secure = true
	case strings.HasPrefix(item, "HTTP/"):
		r.version = item
	case item != "":
		panic("a client cannot say " + item)
	}
}

// line takes a method and a target off the first item.
func (r *request) line(item string) (rest string) {
	if m := methodOf.FindStringSubmatch(item); m != nil {
		r.method, item = m[1], item[len(m[0]):]
	}
	if strings.HasPrefix(item, "/") || strings.HasPrefix(item, "http://") {
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
	if r.last {
		b.WriteString("Connection: close\r\n")
	}
	return b.String() + "\r\n" + r.body
}

func (r *request) has(name string) bool {
	for _, f := range r.fields {
		if strings.EqualFold(f.name, name) {
			return true
		}
	}
	return false
}

// A line is a client's connection.
type line struct {
	net.Conn
	in *bufio.Reader
}

func dial(addr string) (*line, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &line{c, bufio.NewReader(c)}, nil
}

// dialSecure is dial for TLS, whoever answers.
func dialSecure(addr string) (*line, error) {
	c, err := tls.Dial("tcp", addr, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		return nil, err
	}
	return &line{c, bufio.NewReader(c)}, nil
}

// A client is an exchange on a connection.
type client struct {
	*line

	mu      sync.Mutex
	got     got
	ended   bool          // no more comes
	changed chan struct{} // closed when more has come
}

// send begins an exchange.
func (l *line) send(r request, patience time.Duration) (*client, error) {
	l.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(l, r.bytes()); err != nil {
		return nil, err
	}
	c := &client{line: l, changed: make(chan struct{})}
	go c.read(r.method)
	return c, nil
}

// read reads what comes, to its end. A connection that cannot have another exchange is
// closed.
func (c *client) read(method string) {
	defer c.note(func(*got) { c.ended = true })
	for {
		r, err := http.ReadResponse(c.in, &http.Request{Method: method})
		switch {
		case err != nil:
			c.note(func(g *got) { g.err = err })
			c.Close()
			return
		case r.StatusCode/100 == 1:
			c.note(func(g *got) { g.interims = append(g.interims, r) })
		default:
			c.note(func(g *got) { g.final = r })
			c.readBody(r.Body)
			if r.Close || c.got.err != nil {
				c.Close()
			}
			return
		}
	}
}

func (c *client) readBody(body io.Reader) {
	for p := make([]byte, 4<<10); ; {
		n, err := body.Read(p)
		c.note(func(g *got) { g.body += string(p[:n]) })
		if err != nil {
			c.note(func(g *got) {
				if err != io.EOF {
					g.err = err
				}
			})
			return
		}
	}
}

// note changes what has come so far.
func (c *client) note(change func(*got)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.got)
	close(c.changed)
	c.changed = make(chan struct{})
}

// sofar is what has come, whether that is all, and what is closed when there is more.
func (c *client) sofar() (g got, ended bool, more chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.got, c.ended, c.changed
}

// await waits until what has come is as check wants it, or nothing more comes. At the
// deadline of the connection nothing does.
func (c *client) await(check func(*got) error) error {
	for {
		g, ended, more := c.sofar()
		if err := check(&g); err == nil || ended {
			return err
		}
		<-more
	}
}

// all waits for everything.
func (c *client) all() got {
	for {
		g, ended, more := c.sofar()
		if ended {
			return g
		}
		<-more
	}
}
