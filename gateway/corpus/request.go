package corpus

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A message is one request as the origin read it.
type message struct {
	head     []byte
	body     []byte
	trailer  []byte
	method   string
	target   string
	lint     []string // findings of a strict reader
	complete bool     // its end was seen
}

// lineLimit bounds a chunk-size or trailer line.
const lineLimit = 70000

// read takes the next request off the connection: its head within idle of its
// first byte, then its body with at most idle between bytes. It calls onHead
// between the two, and returns nil if no byte comes within first.
func (c *originConn) read(first, idle time.Duration, onHead func(*message, fields)) *message {
	if len(c.buf) == 0 && !c.more(time.Now().Add(first), 0) {
		return nil
	}
	m := &message{}
	if !c.cutHead(m, time.Now().Add(idle)) {
		m.head, c.buf = c.buf, nil
		m.found("no-head-end")
		readHead(m)
		return m
	}
	fs, f := readHead(m)
	onHead(m, fs)
	b := body{originConn: c, m: m, end: time.Now().Add(idle), idle: idle}
	b.read(f)
	return m
}

// cutHead moves the head from the buffer to m. A head that ends in bare LFs is
// taken too, once nothing more comes.
func (c *originConn) cutHead(m *message, end time.Time) bool {
	for !bytes.Contains(c.buf, []byte("\r\n\r\n")) && c.more(end, 0) {
	}
	for _, blank := range []string{"\r\n\r\n", "\n\n"} {
		if i := bytes.Index(c.buf, []byte(blank)); i >= 0 {
			m.head, c.buf = c.buf[:i+len(blank)], c.buf[i+len(blank):]
			return true
		}
	}
	return false
}

// body reads the body of m.
type body struct {
	*originConn
	m    *message
	end  time.Time // until then in any case
	idle time.Duration
}

func (b *body) read(f framing) {
	switch f.kind {
	case "length":
		b.readLength(f.length)
	case "chunked":
		for b.readChunk() {
		}
	case "until-close":
		for b.more(b.end, 0) {
		}
		b.m.body, b.buf = b.buf, nil
		b.m.complete = b.ended()
	default:
		b.m.complete = true
	}
}

func (b *body) readLength(n int) {
	for len(b.buf) < n && b.more(b.end, b.idle) {
	}
	k := min(n, len(b.buf))
	b.m.body, b.buf = b.buf[:k:k], b.buf[k:]
	b.m.complete = k == n
}

// readChunk takes one chunk and reports whether another follows.
func (b *body) readChunk() bool {
	line, ok := b.line()
	if !ok {
		return false
	}
	part := chunkLine.FindSubmatch(line)
	if part == nil {
		b.m.found("bad-chunk")
		return false
	}
	if len(part[2]) > 0 {
		b.m.found("chunk-ext")
	}
	size := chunkSize(part[1])
	if size == 0 {
		b.readTrailer()
		return false
	}
	return b.readChunkData(size)
}

func (b *body) readChunkData(size int) bool {
	for len(b.buf) < size+2 {
		if !b.more(b.end, b.idle) {
			return false
		}
	}
	b.m.body = append(b.m.body, b.buf[:size]...)
	if string(b.buf[size:size+2]) != "\r\n" {
		b.m.found("bad-chunk")
		return false
	}
	b.buf = b.buf[size+2:]
	return true
}

// readTrailer takes what follows the last chunk.
func (b *body) readTrailer() {
	for {
		line, ok := b.line()
		if !ok {
			return
		}
		if len(line) == 0 {
			b.m.complete = true
			return
		}
		b.m.trailer = append(append(b.m.trailer, line...), '\n')
		name, _, _ := strings.Cut(string(line), ":")
		if slices.Contains(notInTrailers, lower(trim(name))) {
			b.m.found("bad-trailer")
		}
	}
}

// line takes a line without its end; one that ends in a bare LF is noted.
func (b *body) line() ([]byte, bool) {
	for bytes.IndexByte(b.buf, '\n') < 0 {
		if len(b.buf) > lineLimit || !b.more(b.end, b.idle) {
			return nil, false
		}
	}
	line, rest, _ := bytes.Cut(b.buf, []byte("\n"))
	b.buf = rest
	cut, crlf := bytes.CutSuffix(line, []byte("\r"))
	if !crlf {
		b.m.found("bare-lf-in-chunk")
	}
	return cut, true
}

// chunkSize reads at most 15 hexadecimal digits, which always fit.
func chunkSize(hex []byte) int {
	n, _ := strconv.ParseInt(string(hex), 16, 64)
	return int(n)
}

// has reports whether the reader noted the finding.
func (m *message) has(finding string) bool { return slices.Contains(m.lint, finding) }
