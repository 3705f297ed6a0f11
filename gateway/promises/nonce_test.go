package promises

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// An errand is one request with what must come back for it. Its content, both
// ways, is made from its nonce: a byte that belongs to another is seen.
type errand struct {
	method string
	nonce  uint64
	way    string // how the origin answers: a key of ways
	size   int    // of the answer's content
	body   int    // of the request's
	chunks bool   // the request is chunked
}

// nonces never repeat within a process.
var nonces atomic.Uint64

// content is size bytes that belong to a nonce. It reuses buf.
func content(buf []byte, nonce uint64, size int) []byte {
	buf = buf[:0]
	for i := uint64(0); len(buf) < size; i++ {
		x := (nonce<<20 + i) * 0x9e3779b97f4a7c15
		x = (x ^ x>>29) * 0xbf58476d1ce4e5b9
		buf = binary.LittleEndian.AppendUint64(buf, x^x>>32)
	}
	return buf[:size]
}

// appendTo appends the whole request.
func (e errand) appendTo(dst []byte) []byte {
	dst = fmt.Appendf(dst, "%s /%016x/%s/%d HTTP/1.1\r\nHost: a.example\r\nX-Nonce: %016x\r\n", e.method, e.nonce, e.way, e.size, e.nonce)
	if e.method == "GET" || e.method == "HEAD" {
		return append(dst, "\r\n"...)
	}
	body := content(nil, e.nonce, e.body)
	if !e.chunks {
		return append(fmt.Appendf(dst, "Content-Length: %d\r\n\r\n", e.body), body...)
	}
	dst = append(dst, "Transfer-Encoding: chunked\r\n\r\n"...)
	for len(body) > 0 {
		n := min(len(body), 1+e.body/3)
		dst = fmt.Appendf(dst, "%x\r\n%s\r\n", n, body[:n])
		body = body[n:]
	}
	return append(dst, "0\r\n\r\n"...)
}

// errandOf is the errand that a request says it is.
func errandOf(r *http.Request) (e errand, err error) {
	parts := strings.Split(r.URL.Path, "/")
	if len(parts) != 4 {
		return e, fmt.Errorf("the origin was asked for %q", r.URL.Path)
	}
	e.method, e.way = r.Method, parts[2]
	if e.nonce, err = strconv.ParseUint(parts[1], 16, 64); err != nil {
		return e, err
	}
	if e.size, err = strconv.Atoi(parts[3]); err != nil {
		return e, err
	}
	if got := r.Header.Get("X-Nonce"); got != parts[1] {
		return e, fmt.Errorf("the origin got the target of %s with the fields of %s", parts[1], got)
	}
	return e, nil
}

// Ways an origin answers. Those that are sound must always succeed.
var ways = map[string]struct {
	sound  bool
	answer func(c *net.TCPConn, e errand) (goOn bool)
}{
	"length":  {true, answerLength},
	"chunked": {true, answerChunked},
	"eof":     {true, answerToTheEnd},
	"slow":    {true, answerSlowly},
	"closing": {true, answerAndClose},
	"interim": {true, answerAfterInterims},
	"surplus": {true, answerWithSurplus},
	"early":   {true, nil}, // see serveErrands: answered before the body is read
	"reset":   {false, func(c *net.TCPConn, _ errand) bool { reset(c); return false }},
	"silent":  {false, func(*net.TCPConn, errand) bool { return false }},
	"cut":     {false, answerCut},
	"torn":    {false, answerTorn},
}

func headOf(e errand, framing string) []byte {
	return fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nX-Nonce: %016x\r\n%s\r\n", e.nonce, framing)
}

func lengthOf(e errand) string { return fmt.Sprintf("Content-Length: %d\r\n", e.size) }

func answerLength(c *net.TCPConn, e errand) bool {
	_, err := c.Write(append(headOf(e, lengthOf(e)), contentOf(e)...))
	return err == nil
}

// contentOf is what follows the head: nothing after HEAD.
func contentOf(e errand) []byte {
	if e.method == "HEAD" {
		return nil
	}
	return content(nil, e.nonce, e.size)
}

func answerChunked(c *net.TCPConn, e errand) bool {
	out := headOf(e, "Transfer-Encoding: chunked\r\n")
	if e.method != "HEAD" {
		for body := contentOf(e); len(body) > 0; {
			n := min(len(body), 1+e.size/2)
			out = fmt.Appendf(out, "%x\r\n%s\r\n", n, body[:n])
			body = body[n:]
		}
		out = append(out, "0\r\n\r\n"...)
	}
	_, err := c.Write(out)
	return err == nil
}

func answerToTheEnd(c *net.TCPConn, e errand) bool {
	c.Write(append(headOf(e, ""), contentOf(e)...))
	return false
}

func answerSlowly(c *net.TCPConn, e errand) bool {
	if _, err := c.Write(headOf(e, lengthOf(e))); err != nil {
		return false
	}
	for body := contentOf(e); len(body) > 0; {
		time.Sleep(time.Millisecond) // being slow is the point
		n := min(len(body), 1+e.size/3)
		if _, err := c.Write(body[:n]); err != nil {
			return false
		}
		body = body[n:]
	}
	return true
}

// answerAndClose closes a connection that it said nothing against keeping.
func answerAndClose(c *net.TCPConn, e errand) bool {
	answerLength(c, e)
	return false
}

func answerAfterInterims(c *net.TCPConn, e errand) bool {
	io.WriteString(c, "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n")
	return answerLength(c, e)
}

// forged is an answer that nobody asked for.
const forged = "HTTP/1.1 200 OK\r\nX-Nonce: 66666666\r\nContent-Length: 6\r\n\r\nforged"

// answerWithSurplus sends one answer too many, in the same packet.
func answerWithSurplus(c *net.TCPConn, e errand) bool {
	out := append(headOf(e, lengthOf(e)), contentOf(e)...)
	_, err := c.Write(append(out, forged...))
	return err == nil
}

func answerCut(c *net.TCPConn, e errand) bool {
	body := contentOf(e)
	c.Write(append(headOf(e, lengthOf(e)), body[:len(body)/2]...))
	return false
}

func answerTorn(c *net.TCPConn, e errand) bool {
	body := contentOf(e)
	c.Write(fmt.Appendf(headOf(e, "Transfer-Encoding: chunked\r\n"), "%x\r\n%s", e.size, body[:len(body)/2]))
	if e.nonce%2 == 0 {
		reset(c)
	}
	return false
}

// serveErrands is an origin that answers errands as they ask, after it has seen
// that their content is their own. What is wrong goes to report.
func serveErrands(report func(error)) func(*net.TCPConn) {
	return func(c *net.TCPConn) {
		requests(c, func(r *http.Request) bool {
			if r.URL.Path == "/ping" {
				return answerPing(c)
			}
			e, err := errandOf(r)
			if err != nil {
				report(err)
				return false
			}
			if e.way == "early" {
				answerLength(c, e)
				c.CloseWrite()
				io.Copy(io.Discard, c)
				return false
			}
			got, err := io.ReadAll(r.Body)
			if err != nil {
				return false // the client broke off
			}
			if !bytes.Equal(got, content(nil, e.nonce, len(got))) {
				report(fmt.Errorf("the body of %016x reached the origin with bytes of another", e.nonce))
			}
			return ways[e.way].answer(c, e)
		})
	}
}

// answerPing answers the gateway's own question.
func answerPing(c *net.TCPConn) bool {
	_, err := io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
	return err == nil
}

// verdict is what became of an errand.
type verdict int

const (
	right   verdict = iota // the whole answer came
	refused                // the gateway answered in the origin's place
	broken                 // the answer broke off, visibly
)

// judge reads what comes back for e. An error means that it is wrong.
func (e errand) judge(r *http.Response, buf *[]byte) (verdict, error) {
	got, err := readAll(r.Body, buf)
	nonce := r.Header.Get("X-Nonce")
	if r.StatusCode >= 400 && nonce == "" {
		return refused, nil
	}
	if want := fmt.Sprintf("%016x", e.nonce); nonce != want || r.StatusCode != 200 {
		return 0, fmt.Errorf("%d with nonce %q for %s", r.StatusCode, nonce, want)
	}
	size := e.size
	if e.method == "HEAD" {
		size = 0
	}
	whole := content(nil, e.nonce, size)
	if err != nil {
		if !bytes.HasPrefix(whole, got) {
			return 0, fmt.Errorf("wrong bytes before the cut of %016x (%s)", e.nonce, e.way)
		}
		return broken, nil
	}
	if !bytes.Equal(got, whole) {
		return 0, fmt.Errorf("%d bytes for %016x (%s), want its own %d", len(got), e.nonce, e.way, size)
	}
	return right, nil
}

func readAll(r io.Reader, buf *[]byte) ([]byte, error) {
	b := bytes.NewBuffer((*buf)[:0])
	_, err := b.ReadFrom(r)
	*buf = b.Bytes()
	return *buf, err
}

// randomErrand is one of the given ways, with all else left to chance.
func randomErrand(r *rand.Rand, ways []string) errand {
	e := errand{method: "GET", nonce: nonces.Add(1), way: ways[r.IntN(len(ways))], size: randomSize(r)}
	switch n := r.IntN(10); {
	case n < 4:
		e.method, e.body, e.chunks = "POST", randomSize(r), r.IntN(2) == 0
	case n < 5 && ways[0] == "length":
		e.method = "HEAD"
	}
	if e.way == "surplus" {
		e.size = min(e.size, 2000)
	}
	if e.method == "HEAD" && e.way == "cut" || e.way == "torn" {
		e.method = "GET"
	}
	return e
}

// randomSize is mostly small, now and then larger than every buffer.
func randomSize(r *rand.Rand) int {
	switch n := r.IntN(100); {
	case n < 80:
		return 1 + r.IntN(1000)
	case n < 97:
		return 1 + r.IntN(20_000)
	}
	return 1 + r.IntN(200_000)
}
