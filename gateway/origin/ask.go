package origin

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"weirkeep/gateway/wire"
)

const (
	leaveBytes = 64 << 10               // of an answer's content that a check reads
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
	nc, code, head, err := c.ask(ctx)
	defer nc.discard()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) && err != nil {
		err = ErrTimeout
	}
	what := "GET " + c.o.Path + ": "
	switch {
	case err == nil:
		good, what := c.accepts(code), what+strconv.Itoa(code)
		if !good {
			what += ", expected " + c.expected()
		}
		if good {
			c.hear(head)
		}
		c.pool.origin.tell(c.judge(good, what, began))
		nc.leave()
	case !isLocal(err):
		c.pool.origin.tell(c.judge(false, what+brief(err), began))
	}
}

// ask makes a connection and returns it with the status and the head that came.
// With an error it may still return what was opened.
func (c *Check) ask(ctx context.Context) (nc *conn, code int, head []byte, err error) {
	if nc, err = c.pool.connect(ctx); err != nil {
		return nc, 0, nil, err
	}
	stop := context.AfterFunc(ctx, func() { nc.SetDeadline(past) })
	defer stop()
	if _, err = nc.Write(c.request); err != nil {
		return nc, 0, nil, err
	}
	code, head, err = readFinal(bufio.NewReader(nc))
	return nc, code, head, err
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
