package origin

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"weirkeep/gateway/wire"
)

const (
	leaveBytes = 64 << 10               // of an answer's content that a check reads away
	lookBytes  = 64 << 10               // and in which it looks for a text
	leaveTime  = 100 * time.Millisecond // for which it does
)

func (c *Check) appendRequest(dst []byte) []byte {
	host := c.o.Host
	if host == "" {
		host = c.pool.origin.Address
	}
	dst = append(dst, "GET "+c.o.Path+" HTTP/1.1\r\nHost: "+host...)
	dst = append(dst, "\r\nUser-Agent: weirkeep-check\r\nAccept: */*\r\n"...)
	if c.o.ClusterInfo {
		dst = append(dst, "X-WebLogic-Request-ClusterInfo: true\r\n"...)
	}
	return append(dst, "Connection: close\r\n\r\n"...)
}

// once asks once and judges the answer. What failed because of this machine says
// nothing of the origin.
func (c *Check) once(ctx context.Context) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	nc, a, err := c.ask(ctx)
	defer nc.discard()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) && err != nil {
		err = ErrTimeout
	}
	what := "GET " + c.o.Path + ": "
	switch {
	case err == nil:
		wrong := c.wrong(a)
		if wrong == "" {
			c.hear(a.head)
		}
		c.pool.origin.tell(c.judge(wrong == "", what+strconv.Itoa(a.code)+wrong, began))
		nc.leave()
	case !isLocal(err):
		c.pool.origin.tell(c.judge(false, what+brief(err), began))
	}
}

// answer is what came of a check's request.
type answer struct {
	code    int
	head    []byte
	content []byte // some of it, if the check looks at it
}

// ask makes a connection and returns it with what came. With an error it may still
// return what was opened.
func (c *Check) ask(ctx context.Context) (nc *conn, a answer, err error) {
	if nc, err = c.pool.connect(ctx); err != nil {
		return nc, a, err
	}
	stop := context.AfterFunc(ctx, func() { nc.SetDeadline(past) })
	defer stop()
	if _, err = nc.Write(c.request); err != nil {
		return nc, a, err
	}
	in := bufio.NewReader(nc)
	if a.code, a.head, err = readFinal(in); err == nil && c.o.Contains != "" && c.accepts(a.code) {
		a.content, err = readContent(a.head, in)
	}
	return nc, a, err
}

// readContent is the beginning of the content behind a head.
func readContent(head []byte, in io.Reader) ([]byte, error) {
	r, err := http.ReadResponse(bufio.NewReader(io.MultiReader(bytes.NewReader(head), in)), nil)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(r.Body, lookBytes))
}

// wrong is what is wrong with an answer, to be said behind its status; empty: nothing.
func (c *Check) wrong(a answer) string {
	switch {
	case !c.accepts(a.code):
		return ", expected " + c.expected()
	case !bytes.Contains(a.content, []byte(c.o.Contains)):
		return fmt.Sprintf(", without the text %q", c.o.Contains)
	}
	return ""
}

// accepts reports whether a status is that of a good answer (D-WC-06).
func (c *Check) accepts(code int) bool {
	if len(c.o.Expect) == 0 {
		return code != 500 && code != 502 && code != 503 && code != 504
	}
	for _, r := range c.o.Expect {
		if r[0] <= code && code <= r[1] {
			return true
		}
	}
	return false
}

// expected says which statuses are good.
func (c *Check) expected() string {
	if len(c.o.Expect) == 0 {
		return "any but 500, 502, 503, 504"
	}
	var b strings.Builder
	for _, r := range c.o.Expect {
		fmt.Fprintf(&b, ",%d", r[0])
		if r[1] != r[0] {
			fmt.Fprintf(&b, "-%d", r[1])
		}
	}
	return b.String()[1:]
}

// readFinal reads heads until the final one and returns it with its status.
func readFinal(in io.Reader) (code int, head []byte, err error) {
	for range maxInterims + 1 {
		if code, head, err = readHead(in); err != nil || code >= 200 || code == 101 {
			return code, head, err
		}
	}
	return 0, nil, ErrInterims
}

// readHead reads a head byte by byte, so that what follows stays, and returns it
// with its status.
func readHead(in io.Reader) (code int, head []byte, err error) {
	var one [1]byte
	for !bytes.HasSuffix(head, headEnd) {
		if len(head) >= maxHeadBytes {
			return 0, nil, ErrHeadLarge
		}
		if _, err := io.ReadFull(in, one[:]); err != nil {
			return 0, nil, err
		}
		head = append(head, one[0])
	}
	line, _, _ := bytes.Cut(head, headEnd[:2])
	status, err := wire.ParseStatusLine(line)
	return status.Code, head, err
}

// leave reads some of the content away: an origin that is still sending when
// its connection is closed sees a reset, and would log one a check.
func (c *conn) leave() {
	c.SetReadDeadline(time.Now().Add(leaveTime))
	io.CopyN(io.Discard, c, leaveBytes)
}
