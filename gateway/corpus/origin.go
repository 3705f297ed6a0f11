package corpus

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"time"
)

const (
	// rawLimit bounds what is kept of a connection for the hazard patterns.
	rawLimit = 4 << 20
	// originWrite bounds one write of the origin.
	originWrite = 3 * time.Second
	// afterglow is how long the origin reads on after its last answer.
	afterglow = 120 * time.Millisecond
	// canaryPath begins the targets that ask for a nonce.
	canaryPath = "/__canary/"
)

// An origin accepts connections from one proxy for one trial after the other.
type origin struct {
	ln net.Listener
	mu sync.Mutex
	tr *trial
}

func newOrigin() (*origin, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return &origin{ln: ln, tr: newTrial(&spec{})}, nil
}

// begin makes tr the trial of every connection from now on.
func (o *origin) begin(tr *trial) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tr = tr
}

func (o *origin) current() *trial {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.tr
}

// accept serves until the listener is closed.
func (o *origin) accept() {
	for {
		conn, err := o.ln.Accept()
		if err != nil {
			return
		}
		tr := o.current()
		c := &originConn{TCPConn: conn.(*net.TCPConn), trial: tr, scratch: make([]byte, 64<<10)}
		if !tr.join(c) {
			conn.Close()
			continue
		}
		go c.serve()
	}
}

// close ends the trial and the origin.
func (o *origin) close() {
	o.ln.Close()
	o.current().end()
}

// An originConn is a connection from the proxy.
type originConn struct {
	*net.TCPConn
	trial   *trial
	scratch []byte
	buf     []byte    // read, not yet part of a message
	last    time.Time // of the last byte

	// Guarded by trial.mu.
	raw       []byte
	eof       bool
	recorded  bool // a request was read from it
	lingering bool
}

// more reads some bytes. It returns false at the end of the stream, when the
// trial is over, or past until, by then also idle after the last byte.
func (c *originConn) more(until time.Time, idle time.Duration) bool {
	for !c.ended() && !c.trial.isOver() {
		end := until
		if late := c.last.Add(idle); idle > 0 && late.After(end) {
			end = late
		}
		left := time.Until(end)
		if left <= 0 {
			return false
		}
		c.SetReadDeadline(time.Now().Add(min(left, 50*time.Millisecond)))
		n, err := c.Read(c.scratch)
		c.take(c.scratch[:n], err)
		if n > 0 {
			return true
		}
	}
	return false
}

// take records what a read brought.
func (c *originConn) take(p []byte, err error) {
	c.trial.mu.Lock()
	defer c.trial.mu.Unlock()
	if len(p) > 0 {
		c.buf = append(c.buf, p...)
		c.last = time.Now()
		c.trial.received += len(p)
	}
	if len(c.raw) < rawLimit {
		c.raw = append(c.raw, p...)
	}
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		c.eof = true
	}
}

func (c *originConn) ended() bool {
	c.trial.mu.Lock()
	defer c.trial.mu.Unlock()
	return c.eof
}

// write sends p whole.
func (c *originConn) write(p []byte) error {
	c.SetWriteDeadline(time.Now().Add(originWrite))
	_, err := c.Write(p)
	return err
}

// serve answers requests until the connection or the trial ends.
func (c *originConn) serve() {
	defer c.trial.done.Done()
	defer c.Close()
	s := c.trial.spec
	if s.Rep != nil && s.Rep.When == "accept" && c.trial.claim() && c.play(s.Rep.Steps) {
		return
	}
	first := 8 * time.Second
	for !c.trial.isOver() && c.serveOne(first) {
		first = 5 * time.Second
	}
}

// serveOne reads one request, answers it, and reports whether the connection
// goes on.
func (c *originConn) serveOne(first time.Duration) bool {
	turn := &turn{originConn: c}
	m := c.read(first, time.Duration(c.trial.spec.OriginIdle), turn.start)
	if m == nil {
		return false
	}
	if turn.canary {
		return c.answerCanary(m)
	}
	c.trial.record(c, m)
	return turn.finish(m)
}

// answerCanary gives the nonce back and closes.
func (c *originConn) answerCanary(m *message) bool {
	body := "canary:" + m.target[strings.LastIndexByte(m.target, '/')+1:]
	head := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\nConnection: close\r\n\r\n", len(body))
	if c.write([]byte(head+body)) == nil {
		c.linger(nil)
	}
	return false
}

// A turn is one request and its answer.
type turn struct {
	*originConn
	canary   bool
	scripted bool // the case's script answers it
	played   bool // the script has been played, at the head
	stop     bool // by the script's end the connection was gone
}

// start is called when the head is there and the body may not be.
func (t *turn) start(m *message, fs fields) {
	rep := t.trial.spec.Rep
	if strings.HasPrefix(m.target, canaryPath) {
		t.canary = true
		return
	}
	t.scripted = rep != nil && rep.When != "accept" && t.trial.claim()
	if expectsContinue(fs) && !(t.scripted && rep.No100 != 0) {
		t.write([]byte("HTTP/1.1 100 Continue\r\n\r\n"))
	}
	if t.scripted && rep.When == "head" {
		t.played = true
		t.stop = t.play(rep.Steps)
	}
}

func expectsContinue(fs fields) bool {
	all := fs.all("expect")
	return len(all) > 0 && lower(all[len(all)-1]) == "100-continue"
}

// finish answers the request that has been read, and reports whether the
// connection goes on.
func (t *turn) finish(m *message) bool {
	if !t.scripted {
		return t.answer(m)
	}
	rep := t.trial.spec.Rep
	if !t.played {
		t.stop = t.play(rep.Steps)
	}
	switch {
	case t.stop:
		return false
	case rep.Then == "keep":
		return true
	case rep.Then == "hang":
		t.trial.pause(10 * time.Second)
		return false
	}
	t.linger(m)
	return false
}

// answer is the default: 200 and the target. Half a message gets none.
func (t *turn) answer(m *message) bool {
	if !m.complete && !m.has("no-head-end") {
		return false
	}
	body := "ok " + m.target[:min(len(m.target), 200)]
	connection := "Connection: close\r\n"
	if t.trial.spec.KeepOrigin {
		connection = ""
	}
	head := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n%s\r\n", len(body), connection)
	if m.method == "HEAD" {
		body = ""
	}
	if t.write([]byte(head+body)) != nil {
		return false
	}
	if t.trial.spec.KeepOrigin {
		return true
	}
	t.linger(m)
	return false
}

// linger ends our side; what still arrives belongs to no answered message.
func (c *originConn) linger(m *message) {
	if c.CloseWrite() != nil {
		return
	}
	c.setLingering(true)
	defer c.setLingering(false)
	for end := time.Now().Add(afterglow); c.more(end, 0); {
	}
	if len(c.buf) > 0 && m != nil {
		c.trial.mu.Lock()
		defer c.trial.mu.Unlock()
		m.found("extra-bytes")
	}
}

func (c *originConn) setLingering(on bool) {
	c.trial.mu.Lock()
	defer c.trial.mu.Unlock()
	c.lingering = on
}

// play runs a script and reports whether the connection is gone, or has to go.
func (c *originConn) play(script steps) (stop bool) {
	for _, s := range script {
		if c.trial.isOver() || c.do(s) {
			return true
		}
	}
	return false
}

// do takes one step of a script.
func (c *originConn) do(s step) (stop bool) {
	switch s.verb {
	case "send":
		return c.write(s.data) != nil
	case "drip":
		return c.drip(s)
	case "sleep":
		c.trial.pause(s.pause)
	case "drain":
		for end := time.Now().Add(s.pause); c.more(end, 0); {
		}
	case "fin":
		return c.CloseWrite() != nil
	case "rst":
		c.SetLinger(0)
		fallthrough
	case "close":
		c.Close()
		return true
	}
	return false
}

// drip sends one byte at a time. A pause that took too long shortens the next ones:
// a case counts on how long all of it takes.
func (c *originConn) drip(s step) (stop bool) {
	next := time.Now()
	for i := range s.data {
		if c.write(s.data[i:i+1]) != nil {
			return true
		}
		next = next.Add(s.pause)
		c.trial.pause(time.Until(next))
	}
	return false
}
