package wire

import (
	"bytes"
	"math"
	"strconv"
)

// Bounds of the chunked coding. What they bound is framing, not content, so that
// a sender cannot make us read much and pass on little.
const (
	maxChunkLine  = 4 << 10  // bytes of a chunk's line
	maxChunkSize  = 16       // digits of its size
	maxExtensions = 16 << 10 // bytes of chunk extensions in one body
	maxTrailer    = 8 << 10  // bytes of the trailer section
)

// chunks decodes the chunked coding from bytes that are there: it does no
// reading, so that a copy of it can look ahead.
type chunks struct {
	state      chunkState
	left       uint64 // bytes of the current chunk that are still to come
	extensions int    // bytes of extensions so far
	trailer    int    // bytes of trailer lines so far
}

type chunkState uint8

const (
	atSize    chunkState = iota // before a chunk's line
	atData                      // in a chunk's data
	atDataEnd                   // before the CRLF after it
	atTrailer                   // before a trailer line or the final CRLF
	atEnd
)

// piece says what the first bytes of a window are.
type piece uint8

const (
	pieceShort   piece = iota // not enough of them to tell
	pieceFraming              // framing
	pieceData                 // content
	pieceTrailer              // a trailer line
	pieceEnd                  // none: the body is over
)

// next says what w begins with, and how many bytes that is. It has passed over
// them unless they are content, which is passed over with took.
func (c *chunks) next(w []byte) (p piece, n int, err error) {
	switch c.state {
	case atSize:
		return c.sizeLine(w)
	case atData:
		return c.data(w)
	case atDataEnd:
		return c.dataEnd(w)
	case atTrailer:
		return c.trailerLine(w)
	}
	return pieceEnd, 0, nil
}

// took passes over n bytes of content.
func (c *chunks) took(n int) {
	if c.left -= uint64(n); c.left == 0 {
		c.state = atDataEnd
	}
}

func (c *chunks) data(w []byte) (piece, int, error) {
	if len(w) == 0 {
		return pieceShort, 0, nil
	}
	return pieceData, int(min(uint64(len(w)), c.left)), nil
}

func (c *chunks) dataEnd(w []byte) (piece, int, error) {
	switch {
	case len(w) > 0 && w[0] != '\r', len(w) > 1 && w[1] != '\n':
		return 0, 0, ErrChunk
	case len(w) < 2:
		return pieceShort, 0, nil
	}
	c.state = atSize
	return pieceFraming, 2, nil
}

// sizeLine reads the line that a chunk, or the last chunk, begins with.
func (c *chunks) sizeLine(w []byte) (piece, int, error) {
	n := bytes.IndexByte(w, '\n') + 1
	if n > maxChunkLine || n == 0 && len(w) >= maxChunkLine {
		return 0, 0, ErrChunk
	}
	if n == 0 {
		if len(w) > 0 && hexRun(w[:1]) == 0 {
			return 0, 0, ErrChunk // whatever the rest of the line will be
		}
		return pieceShort, 0, nil
	}
	line, ok := bytes.CutSuffix(w[:n], []byte("\r\n"))
	if !ok {
		return 0, 0, ErrChunk
	}
	size, rest, ok := cutSize(line)
	if c.extensions += len(rest); !ok || !isExtensions(rest) || c.extensions > maxExtensions {
		return 0, 0, ErrChunk
	}
	if c.left, c.state = size, atData; size == 0 {
		c.state = atTrailer
	}
	return pieceFraming, n, nil
}

// cutSize reads the hexadecimal number that a chunk's line begins with.
func cutSize(line []byte) (size uint64, rest []byte, ok bool) {
	n := hexRun(line)
	if n == 0 || n > maxChunkSize {
		return 0, nil, false
	}
	for _, c := range line[:n] {
		digit, _ := unhex(c)
		size = size<<4 | uint64(digit)
	}
	return size, line[n:], size <= math.MaxInt64
}

// isExtensions reports whether b is chunk extensions, or nothing. All of them
// mean nothing here and end here. Blanks are right only before an extension.
func isExtensions(b []byte) bool {
	for len(b) > 0 {
		ok := false
		if b, ok = cutByte(b, ';'); !ok {
			return false
		}
		if b, ok = cutToken(b); !ok {
			return false
		}
		value, ok := cutByte(b, '=')
		if !ok {
			continue
		}
		if b, ok = cutWord(value); !ok {
			return false
		}
	}
	return true
}

// cutByte takes a separator and the blanks around it off b.
func cutByte(b []byte, c byte) (rest []byte, ok bool) {
	s := skipBlanks(b)
	if len(s) == 0 || s[0] != c {
		return b, false
	}
	return skipBlanks(s[1:]), true
}

func skipBlanks(b []byte) []byte {
	for len(b) > 0 && blank(b[0]) {
		b = b[1:]
	}
	return b
}

func cutToken(b []byte) (rest []byte, ok bool) {
	n := run(b, token)
	return b[n:], n > 0
}

// cutWord takes a token or a quoted string off b.
func cutWord(b []byte) (rest []byte, ok bool) {
	if len(b) == 0 || b[0] != '"' {
		return cutToken(b)
	}
	for b = b[1:]; ; {
		b = b[run(b, quoted):]
		switch {
		case len(b) > 0 && b[0] == '"':
			return b[1:], true
		case len(b) > 1 && b[0] == '\\' && IsValue(b[1:2]):
			b = b[2:]
		default:
			return b, false
		}
	}
}

// trailerLine reads a field line after the last chunk, or the empty one that
// ends the body.
func (c *chunks) trailerLine(w []byte) (piece, int, error) {
	n := bytes.IndexByte(w, '\n') + 1
	if c.trailer+n > maxTrailer || n == 0 && c.trailer+len(w) >= maxTrailer {
		return 0, 0, ErrTrailer
	}
	if n == 0 {
		return pieceShort, 0, nil
	}
	c.trailer += n
	if string(w[:n]) == "\r\n" {
		c.state = atEnd
		return pieceFraming, n, nil
	}
	if f, size, err := cutField(w[:n]); err != nil || size != n || forbiddenTrailer(f.Name) {
		return 0, 0, ErrTrailer
	}
	return pieceTrailer, n, nil
}

// forbiddenTrailer reports whether a field may not stand in a trailer: framing,
// routing, identity, credentials, conditions, and all else that has to be known
// before the body (RFC 9110, 6.5.1), also spelt with underscores.
func forbiddenTrailer(name []byte) bool { return lookAlike(name) != nil }

// AppendChunkHead appends the line before a chunk of n bytes. The caller appends
// the data and CRLF. It appends nothing if n is not positive: a chunk of no
// bytes would end the body.
func AppendChunkHead(dst []byte, n int) []byte {
	if n <= 0 {
		return dst
	}
	dst = strconv.AppendInt(dst, int64(n), 16)
	return append(dst, "\r\n"...)
}

// AppendChunk appends p as one chunk, and nothing if p is empty.
func AppendChunk(dst, p []byte) []byte {
	if len(p) == 0 {
		return dst
	}
	dst = AppendChunkHead(dst, len(p))
	dst = append(dst, p...)
	return append(dst, "\r\n"...)
}

// AppendLastChunk appends what ends a chunked body. The trailer is field lines
// as [Body.Trailer] returns them, or nothing.
func AppendLastChunk(dst, trailer []byte) []byte {
	dst = append(dst, "0\r\n"...)
	dst = append(dst, trailer...)
	return append(dst, "\r\n"...)
}
