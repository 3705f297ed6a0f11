package plugins

import (
	"context"
	"net/url"
	"strings"
	"sync"
	"time"

	"weirkeep/abi"
)

const (
	callsAtOnce  = 4 // http calls of one attachment whose answers were not delivered
	shortestCall = 1
	longestCall  = 30_000 // ms
)

// Request is an http call that a guest wants made. The bytes are its own.
type Request struct {
	Method, URL string // the URL begins with http://, https:// or cluster://NAME
	Headers     []abi.Field
	Body        []byte
}

// Answer is what came of one.
type Answer struct {
	Code    abi.Code // 0, or Timeout; all else counts as Unreachable
	Status  int
	Headers []abi.Field // without those that end at a hop
	Body    []byte
	Whole   bool // the body is all of it
}

// Fetch begins an http call. It does not wait. The call is made by the function that
// it returns, which must be called, and ends when its context does; or there is an
// error code, and none is made. At most that many bytes of the answer's body are of
// use.
type Fetch func(r *Request, most int) (call func(context.Context) Answer, code abi.Code)

// error is the code that the guest is told: the contract has two.
func (a *Answer) error() abi.Code {
	if a.Code != 0 && a.Code != abi.Timeout {
		return abi.Unreachable
	}
	return a.Code
}

// caller makes the http calls of one instance, and keeps the answers until they can
// be delivered.
type caller struct {
	a    *Attachment
	ctx  context.Context // of the instance
	stop context.CancelFunc

	mu      sync.Mutex
	token   int32
	open    int32 // calls whose answers were not delivered
	answers []answered
	closed  bool
}

type answered struct {
	token int32
	Answer
}

// callsOut reports whether the guests can make http calls.
func (a *Attachment) callsOut() bool {
	return a.fetch != nil && len(a.plugin.config.HTTP) > 0 && a.plugin.has(answerExport)
}

// newCaller is that of a new instance; nil if its plugin calls nobody.
func (a *Attachment) newCaller() *caller {
	if !a.callsOut() {
		return nil
	}
	c := &caller{a: a}
	c.ctx, c.stop = context.WithCancel(context.Background())
	return c
}

// call begins an http call: it returns a token, or an error code.
func (c *caller) call(blob []byte, timeout int32) int32 {
	ops, err := abi.ReadOps(blob, int32(len(blob)), nil)
	if err != nil || timeout < shortestCall || timeout > longestCall {
		return int32(abi.BadArgument)
	}
	if abi.CheckOps(ops, abi.Where{Call: abi.HTTPCall, MaxBody: c.a.plugin.limits.Body}) != nil {
		return int32(abi.BadArgument)
	}
	r := requestOf(ops)
	switch {
	case !c.granted(r.URL):
		return int32(abi.Denied)
	case c.a.calling.Add(1) > callsAtOnce:
		c.a.calling.Add(-1)
		return int32(abi.Busy)
	}
	p := c.a.plugin
	call, code := c.a.fetch(r, abi.ResultArea(p.limits.View)+abi.ResultArea(p.needs.body(p.limits)))
	if code != 0 {
		c.a.calling.Add(-1)
		return int32(code)
	}
	c.mu.Lock()
	c.token++
	c.open++
	token := c.token
	c.mu.Unlock()
	go c.fetch(call, token, time.Duration(timeout)*time.Millisecond)
	return token
}

// fetch makes a call. Its answer is kept, unless the instance is closed: then
// nobody hears of it.
func (c *caller) fetch(call func(context.Context) Answer, token int32, timeout time.Duration) {
	ctx, cancel := context.WithTimeout(c.ctx, timeout)
	defer cancel()
	answer := call(ctx)
	c.mu.Lock()
	kept := !c.closed
	if kept {
		c.answers = append(c.answers, answered{token, answer})
	} else {
		c.a.calling.Add(-1)
	}
	c.mu.Unlock()
	if kept {
		c.a.answered()
	}
}

// answered says that there is an answer to be delivered.
func (a *Attachment) answered() {
	select {
	case a.arrived <- struct{}{}:
	default:
	}
}

// close ends the calls, and forgets the answers.
func (c *caller) close() {
	c.stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.a.calling.Add(-int32(len(c.answers)))
	c.answers, c.closed = nil, true
}

// busy reports whether there are answers to come. A caller that is not there has none.
func (c *caller) busy() bool {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open > 0
}

// next takes the answer that came first.
func (c *caller) next() (a answered, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.answers) == 0 {
		return a, false
	}
	a = c.answers[0]
	c.answers = c.answers[1:]
	c.open--
	c.a.calling.Add(-1)
	return a, true
}

// requestOf is what the operations ask for. They are the guest's memory: it copies.
func requestOf(ops []abi.Op) *Request {
	r := &Request{Method: "GET"}
	for _, o := range ops {
		switch o.Code {
		case abi.OpMethod:
			r.Method = string(o.Value)
		case abi.OpURL:
			r.URL = string(o.Value)
		case abi.OpAddHeader:
			r.Headers = append(r.Headers, abi.Field{Name: []byte(string(o.Key)), Value: []byte(string(o.Value))})
		case abi.OpSetBody:
			r.Body = []byte(string(o.Value))
		}
	}
	return r
}

// granted reports whether the plugin may reach a URL.
func (c *caller) granted(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil {
		return false
	}
	for _, grant := range c.a.plugin.config.HTTP {
		if name, isCluster := strings.CutPrefix(grant, "cluster:"); isCluster {
			if u.Scheme == "cluster" && u.Host == name {
				return true
			}
			continue
		}
		if g, err := url.Parse(grant); err == nil && strings.EqualFold(g.Scheme, u.Scheme) && strings.EqualFold(hostPort(g), hostPort(u)) {
			return true
		}
	}
	return false
}

// hostPort is the authority of a URL, with the scheme's port if it has none.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Hostname() + " " + port
}
