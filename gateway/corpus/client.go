package corpus

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

const (
	dialLimit = 3 * time.Second
	sendLimit = 20 * time.Second
	// sendPiece is small so that an answer that comes while a large body is
	// sent is known to be early.
	sendPiece = 16 << 10
)

// A client is a connection to the proxy. A goroutine of its own reads what
// comes, so that no answer waits for a script.
type client struct {
	conn net.Conn     // TCP, or TLS over it
	tcp  *net.TCPConn // below TLS
	mark int          // bytes of data that the script has looked at
	wake chan struct{}
	done chan struct{} // closed when nothing more is read

	mu    sync.Mutex
	data  []byte
	end   string // how the proxy ended the connection: "fin", "rst" or, not yet, ""
	first time.Time
	gone  bool // we closed it
}

// dial connects to the proxy, over TLS if cfg is not nil.
func dial(addr string, cfg *tls.Config) (*client, error) {
	conn, err := net.DialTimeout("tcp", addr, dialLimit)
	if err != nil {
		return nil, err
	}
	c := &client{conn: conn, tcp: conn.(*net.TCPConn), wake: make(chan struct{}, 1), done: make(chan struct{})}
	if cfg != nil {
		if err := c.secure(cfg); err != nil {
			conn.Close()
			return nil, err
		}
	}
	go c.read()
	return c, nil
}

// secure puts TLS over the connection.
func (c *client) secure(cfg *tls.Config) error {
	conn := tls.Client(noEOF{c.tcp}, cfg)
	c.conn = conn
	c.tcp.SetDeadline(time.Now().Add(dialLimit))
	defer c.tcp.SetDeadline(time.Time{})
	return conn.Handshake()
}

// errCut is an end of TCP below TLS.
var errCut = errors.New("cut without an end of TLS")

// noEOF makes the end of TCP an error: between two records, crypto/tls would
// take it for a proper end.
type noEOF struct{ net.Conn }

func (c noEOF) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err == io.EOF {
		err = errCut
	}
	return n, err
}

// read takes everything that comes until the connection ends.
func (c *client) read() {
	defer close(c.done)
	piece := make([]byte, 64<<10)
	for {
		n, err := c.conn.Read(piece)
		c.take(piece[:n], err)
		select {
		case c.wake <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// take records what a read brought. An end of TCP without an end of TLS is a
// reset: the client cannot tell it from an attack.
func (c *client) take(p []byte, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return
	}
	if len(p) > 0 && c.first.IsZero() {
		c.first = time.Now()
	}
	c.data = append(c.data, p...)
	if err == nil || c.end != "" {
		return
	}
	c.end = "rst"
	if err == io.EOF {
		c.end = "fin"
	}
}

// received returns every byte so far.
func (c *client) received() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.data[:len(c.data):len(c.data)]
}

// ended returns how the proxy ended the connection, or "".
func (c *client) ended() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.end
}

// firstByte returns when the answer began, or the zero time.
func (c *client) firstByte() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.first
}

// look remembers what has arrived by now: only what comes later is news.
func (c *client) look() { c.mark = len(c.received()) }

// pump waits for the end of the connection, or until the given time. It returns
// earlier when there is news, that is bytes since the last look, and want,
// if not nil, is content with all there is.
func (c *client) pump(until time.Time, want func([]byte) bool) {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	defer c.look()
	for c.ended() == "" && !c.gone {
		if all := c.received(); want != nil && len(all) > c.mark && want(all) {
			return
		}
		select {
		case <-c.wake:
		case <-timer.C:
			return
		}
	}
}

// send writes b. What the proxy does not take in time is not sent.
func (c *client) send(b []byte) {
	if c.gone || c.ended() == "rst" {
		return
	}
	c.conn.SetWriteDeadline(time.Now().Add(sendLimit))
	for len(b) > 0 {
		c.look()
		n, err := c.conn.Write(b[:min(len(b), sendPiece)])
		b = b[n:]
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
		if err != nil {
			c.broken()
			return
		}
	}
}

// broken records that the proxy does not read on, and lets the reader take
// what is still there.
func (c *client) broken() {
	c.mu.Lock()
	if c.end == "" {
		c.end = "rst"
	}
	c.mu.Unlock()
	select {
	case <-c.done:
	case <-time.After(time.Second):
	}
}

// finish ends our side only.
func (c *client) finish() {
	if conn, ok := c.conn.(*tls.Conn); ok {
		conn.CloseWrite()
	}
	c.tcp.CloseWrite()
}

// reset cuts the connection with a TCP reset.
func (c *client) reset() {
	c.leave()
	c.tcp.SetLinger(0)
	c.tcp.Close()
}

// close ends the connection.
func (c *client) close() {
	c.leave()
	c.conn.Close()
}

func (c *client) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone = true
}
