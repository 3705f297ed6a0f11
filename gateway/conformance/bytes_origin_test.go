package conformance

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// A nonce names one answer of a bytes origin, and is all that its body is made from.
type nonce struct {
	path, tier, coding string
	serial             uint64
	size               int
}

func (n nonce) String() string {
	return fmt.Sprintf("%s|%s|%s|%d|%d", n.path, n.tier, n.coding, n.serial, n.size)
}

func parseNonce(text string) (n nonce, ok bool) {
	parts := strings.Split(text, "|")
	if len(parts) != 5 {
		return n, false
	}
	n.path, n.tier, n.coding = parts[0], parts[1], parts[2]
	n.serial, _ = strconv.ParseUint(parts[3], 10, 64)
	n.size, _ = strconv.Atoi(parts[4])
	return n, true
}

// text reports whether the answer is text, which gets shorter in a coding.
func (n nonce) text() bool { return n.path >= "/b4" }

// body is that of the answer: no two are alike, nor at any other place.
func (n nonce) body() []byte {
	var seed [32]byte
	copy(seed[:], fmt.Sprint(n.serial, n.path, n.tier, n.coding))
	b := make([]byte, n.size)
	rand.NewChaCha8(seed).Read(b)
	if n.text() {
		return fmt.Appendf(nil, "%x", b)[:n.size]
	}
	return b
}

// codingOf is what a client is given: the first of two that it takes.
func codingOf(accepts string) string {
	for _, coding := range []string{"gzip", "br"} {
		if strings.Contains(accepts, coding) {
			return coding
		}
	}
	return ""
}

// A bytesOrigin answers with bytes that tell whose they are, and fails in many ways.
type bytesOrigin struct {
	net.Listener
	serial atomic.Uint64
	weak   atomic.Int64 // questions with a tag that it has never given
	wg     sync.WaitGroup
}

func startBytesOrigin(t *testing.T) *bytesOrigin {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o := &bytesOrigin{Listener: l}
	o.wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			o.wg.Go(func() { defer c.Close(); o.serve(c.(*net.TCPConn)) })
		}
	})
	return o
}

func (o *bytesOrigin) end() {
	o.Close()
	o.wg.Wait()
}

// serve answers one request.
func (o *bytesOrigin) serve(c *net.TCPConn) {
	r, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return
	}
	io.Copy(io.Discard, r.Body)
	n := nonce{r.URL.Path, r.Header.Get("Tier"), codingOf(strings.ToLower(r.Header.Get("Accept-Encoding"))), o.serial.Add(1), 0}
	n.size = []int{0, 1, 900, 20_000, 20_000, 150_000, 300_000}[rand.IntN(7)]
	tag := strings.Trim(r.Header.Get("If-None-Match")+r.Header.Get("If-Range"), `"`)
	known, names := parseNonce(tag)
	if strings.Contains(tag, "W/") {
		o.weak.Add(1)
	}
	switch chance := rand.IntN(20); {
	case chance == 0:
		c.SetLinger(0)
	case chance == 1:
		o.write(c, n, "500 Broken", "Cache-Control: no-store\r\n", n.body(), false)
	case names && r.Header.Get("If-None-Match") != "" && chance < 12:
		fmt.Fprintf(c, "HTTP/1.1 304 Same\r\nETag: %q\r\n%s\r\n", tag, lifetimes[rand.IntN(len(lifetimes))])
	case r.Header.Get("Range") != "" && chance < 12:
		if names {
			n = known
		}
		o.part(c, n, r.Header.Get("Range"))
	default:
		o.write(c, n, "200 OK", lifetimes[rand.IntN(len(lifetimes))], n.body(), chance > 16)
	}
}

var lifetimes = []string{
	"Cache-Control: max-age=1\r\n", "Cache-Control: max-age=60\r\n", "Cache-Control: max-age=1, stale-while-revalidate=5, stale-if-error=9\r\n",
	"Cache-Control: no-cache\r\n", "Cache-Control: no-store\r\n", "Cache-Control: max-age=0, must-revalidate\r\n",
}

func (o *bytesOrigin) part(c *net.TCPConn, n nonce, asked string) {
	first, last, ok := oneRange(asked)
	if last = min(last, n.size-1); !ok || first > last {
		o.write(c, n, "200 OK", lifetimes[1], n.body(), false)
		return
	}
	head := fmt.Sprintf("%sContent-Range: bytes %d-%d/%d\r\n", lifetimes[1], first, last, n.size)
	o.write(c, n, "206 Part", head, n.body()[first:last+1], rand.IntN(8) == 0)
}

// write sends an answer in pieces, framed in one of two ways. If it is cut it ends in the middle.
func (o *bytesOrigin) write(c *net.TCPConn, n nonce, status, head string, body []byte, cut bool) {
	chunked := rand.IntN(2) == 0
	if n.text() {
		head += "Content-Type: text/plain\r\n"
	}
	framing := fmt.Sprintf("Content-Length: %d\r\n", len(body))
	if chunked {
		framing = "Transfer-Encoding: chunked\r\n"
	}
	fmt.Fprintf(c, "HTTP/1.1 %s\r\nX-Nonce: %s\r\nETag: \"%s\"\r\nVary: Tier, Accept-Encoding\r\nCache-Tag: t%d\r\n%s%s\r\n", status, n, n, n.serial%4, head, framing)
	if cut = cut && len(body) > 1; cut {
		body = body[:len(body)/2]
	}
	for len(body) > 0 {
		p := body[:min(len(body), 1+rand.IntN(60_000))]
		body = body[len(p):]
		var err error
		if chunked {
			_, err = fmt.Fprintf(c, "%x\r\n%s\r\n", len(p), p)
		} else {
			_, err = c.Write(p)
		}
		if err != nil {
			return
		}
		runtime.Gosched()
	}
	if chunked && !cut {
		io.WriteString(c, "0\r\n\r\n")
	}
}
