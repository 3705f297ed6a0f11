package conformance

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// An origin answers requests as the scene says that their path belongs to, with bytes
// that are written as they are. Each connection has one request.
type origin struct {
	addr string

	mu     sync.Mutex
	scenes map[string]*scene
	ended  bool
	open   map[net.Conn]bool
	wg     sync.WaitGroup
}

func startOrigin(t *testing.T) *origin {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o := &origin{addr: l.Addr().String(), scenes: make(map[string]*scene), open: make(map[net.Conn]bool)}
	o.wg.Go(func() { o.accept(l) })
	t.Cleanup(func() {
		l.Close()
		o.end()
		o.wg.Wait()
	})
	return o
}

func (o *origin) accept(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		o.wg.Go(func() {
			defer c.Close()
			if o.opened(c) {
				o.serve(c)
				o.closed(c)
			}
		})
	}
}

func (o *origin) opened(c net.Conn) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open[c] = true
	return !o.ended
}

func (o *origin) closed(c net.Conn) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.open, c)
}

func (o *origin) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
	for c := range o.open {
		c.Close()
	}
	for _, s := range o.scenes {
		s.release(ever)
	}
}

// scene makes the one of a path.
func (o *origin) scene(path string, tick func(time.Duration) time.Time) *scene {
	s := &scene{tick: tick, changed: make(chan struct{}), gate: make(chan struct{})}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.scenes[path] = s
	return s
}

// sceneOf finds the one of a request: the first segment of its path is its name.
func (o *origin) sceneOf(path string) *scene {
	segment, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.scenes["/"+segment]
}

func (o *origin) serve(c net.Conn) {
	r, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return
	}
	body, _ := io.ReadAll(r.Body)
	s := o.sceneOf(r.URL.Path)
	if s == nil {
		io.WriteString(c, "HTTP/1.1 500 No Such Row\r\nContent-Length: 0\r\n\r\n")
		return
	}
	for _, act := range s.answer(r, string(body)) {
		if !act(c) {
			return
		}
	}
}

// A scene is what the origin knows of a row.
type scene struct {
	tick func(time.Duration) time.Time // moves the clock on, and tells the time

	mu       sync.Mutex
	scripts  [][]string    // what is answered, one after the other; the last stays
	requests []asking      // that have come
	given    []given       // answers
	changed  chan struct{} // closed when a request has come
	goes     int           // so often those who hold were told to go on
	gate     chan struct{} // closed when they are
}

// An asking is a request that has come to the origin.
type asking struct {
	*http.Request
	body string
}

// given is an answer of the origin.
type given struct {
	status int
	body   string
}

// say changes what is answered from now on: "then" divides one answer from the next.
func (s *scene) say(script []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scripts = nil
	for i := slices.Index(script, "then"); i >= 0; i = slices.Index(script, "then") {
		s.scripts, script = append(s.scripts, script[:i]), script[i+1:]
	}
	s.scripts = append(s.scripts, script)
}

// script is what is answered next.
func (s *scene) script() (next []string) {
	if len(s.scripts) > 0 {
		next = s.scripts[0]
	}
	if len(s.scripts) > 1 {
		s.scripts = s.scripts[1:]
	}
	return next
}

// release lets those go on that hold, n times.
func (s *scene) release(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.goes += n
	close(s.gate)
	s.gate = make(chan struct{})
}

// ever is more often than an answer holds.
const ever = 1 << 20

// hold waits until those who hold were told n times to go on.
func (s *scene) hold(n int) {
	for {
		s.mu.Lock()
		goes, gate := s.goes, s.gate
		s.mu.Unlock()
		if goes >= n {
			return
		}
		<-gate
	}
}

// answer notes a request, and returns what is to be done to answer it.
func (s *scene) answer(r *http.Request, body string) []act {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, asking{r, body})
	a := &writing{scene: s, method: r.Method, goes: s.goes, status: 200, text: fmt.Sprint("answer ", len(s.requests))}
	for _, item := range s.script() {
		a.item(item)
	}
	a.end()
	s.given = append(s.given, given{a.status, a.text})
	close(s.changed)
	s.changed = make(chan struct{})
	return a.acts
}

// since returns the requests from the one numbered n on, waiting until there is one if
// patience is not 0.
func (s *scene) since(n int, patience time.Duration) []asking {
	limit := time.After(patience)
	for {
		s.mu.Lock()
		all, changed := s.requests[n:], s.changed
		s.mu.Unlock()
		if len(all) > 0 || patience == 0 {
			return all
		}
		select {
		case <-changed:
		case <-limit:
			return nil
		}
	}
}

// answers returns those that were given.
func (s *scene) answers() []given {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.given
}

// An act is a part of an answer. It reports whether there may be a next one.
type act func(c net.Conn) bool

// writing makes acts of a script's items.
type writing struct {
	*scene
	method string
	goes   int // before it goes on where it holds next
	acts   []act

	status int
	reason string
	fields []field
	left   map[string]bool // fields that are not added by themselves
	text   string          // of the whole body
	pieces []func()        // what follows the head
	bodied bool            // the script says what the body is
	silent bool            // there is no answer
}

// item adds one.
func (a *writing) item(item string) {
	if code, err := strconv.Atoi(item); err == nil {
		a.interim()
		a.status = code
		return
	}
	if f, ok := fieldOf(item); ok {
		a.fields = append(a.fields, f)
		return
	}
	verb, rest, _ := strings.Cut(item, " ")
	a.verb(verb, rest)
}

func (a *writing) verb(verb, rest string) {
	switch verb {
	case "no":
		a.leave(rest)
	case "reason":
		a.reason = rest
	case "body":
		a.body(text(rest))
	case "hold":
		a.interim()
		a.goes++
		n := a.goes
		a.then(func(net.Conn) bool { a.hold(n); return true })
	case "late":
		seconds, _ := strconv.Atoi(rest)
		a.tick(time.Duration(seconds) * time.Second)
	case "drop", "refuse":
		a.silent = true
	case "reset":
		a.silent = true
		a.act(func(c net.Conn) bool { c.(*net.TCPConn).SetLinger(0); return false })
	default:
		panic("the origin cannot " + verb)
	}
}

func (a *writing) act(f act) { a.acts = append(a.acts, f) }

// then acts in its turn: before the head, or after the piece of the body that stands
// before it.
func (a *writing) then(f act) {
	if a.bodied {
		a.pieces = append(a.pieces, func() { a.act(f) })
	} else {
		a.act(f)
	}
}

func (a *writing) leave(name string) {
	if a.left == nil {
		a.left = make(map[string]bool)
	}
	a.left[name] = true
}

func (a *writing) body(piece string) {
	if !a.bodied {
		a.text, a.bodied = "", true
	}
	a.text += piece
	a.pieces = append(a.pieces, func() { a.write(piece) })
}

// interim writes what stands before a final answer, if anything does.
func (a *writing) interim() {
	if a.status/100 == 1 {
		a.write(a.head())
		a.status, a.fields = 200, nil
	}
}

func (a *writing) write(text string) {
	a.act(func(c net.Conn) bool { _, err := io.WriteString(c, text); return err == nil })
}

// end adds the head, with what every answer has, and the body.
func (a *writing) end() {
	if a.silent {
		return
	}
	bare := a.status == 204 || a.status == 304
	if bare {
		a.text = ""
	}
	a.usual("Date", a.date())
	if !bare && !a.has("Transfer-Encoding") {
		a.usual("Content-Length", strconv.Itoa(len(a.text)))
	}
	a.write(a.head())
	if a.method == "HEAD" || bare {
		return
	}
	if !a.bodied {
		a.write(a.text)
	}
	for _, piece := range a.pieces {
		piece()
	}
}

// date is the time when the answer begins.
func (a *writing) date() string { return a.tick(0).UTC().Format(layouts["D"]) }

// usual adds a field that is not there.
func (a *writing) usual(name, value string) {
	if !a.has(name) && !a.left[name] {
		a.fields = append(a.fields, field{name, value})
	}
}

func (a *writing) has(name string) bool {
	for _, f := range a.fields {
		if strings.EqualFold(f.name, name) {
			return true
		}
	}
	return false
}

func (a *writing) head() string {
	reason := a.reason
	if reason == "" {
		reason = http.StatusText(a.status)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", a.status, reason)
	for _, f := range a.fields {
		b.WriteString(f.name + ": " + f.value + "\r\n")
	}
	return b.String() + "\r\n"
}
