package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
)

// maxLogLine is the longest line of a log that is read.
const maxLogLine = 1 << 20

// logLine is a line of a log, or what is wrong with it.
type logLine struct {
	file   string
	number int // from 1
	text   []byte
	fault  string
}

// errTooLong is that a line is longer than maxLogLine.
var errTooLong = errors.New("line too long")

// logFiles are logs that are read one after the other.
type logFiles struct {
	open []openLog
	size int64 // of all together, as they lie on the disk; 0: not known
	read atomic.Int64
}

type openLog struct {
	name string
	from io.ReadCloser
}

// openLogs opens every log before any is read. "-" is the standard input.
func (a *app) openLogs(names []string) (*logFiles, error) {
	l := &logFiles{}
	known := true
	for _, name := range names {
		if name == "-" {
			l.open, known = append(l.open, openLog{name, io.NopCloser(a.stdin)}), false
			continue
		}
		f, err := os.Open(name)
		if err != nil {
			l.close()
			return nil, err
		}
		l.open = append(l.open, openLog{name, f})
		info, err := f.Stat()
		switch {
		case err == nil && info.IsDir():
			l.close()
			return nil, fmt.Errorf("%s is a directory", name)
		case err == nil && info.Mode().IsRegular():
			l.size += info.Size()
		default:
			known = false
		}
	}
	if !known {
		l.size = 0
	}
	return l, nil
}

func (l *logFiles) close() {
	for _, o := range l.open {
		o.from.Close()
	}
}

// lines sends every line, until all are read or the context is done. A log that
// breaks off is a line with a fault.
func (l *logFiles) lines(ctx context.Context) <-chan logLine {
	lines := make(chan logLine, 256)
	go func() {
		defer close(lines)
		defer l.close()
		send := func(line logLine) bool {
			select {
			case lines <- line:
				return true
			case <-ctx.Done():
				return false
			}
		}
		for _, o := range l.open {
			if !l.linesOf(o, send) {
				return
			}
		}
	}()
	return lines
}

// linesOf sends the lines of one log, and reports whether more are wanted.
func (l *logFiles) linesOf(o openLog, send func(logLine) bool) bool {
	line := logLine{file: o.name}
	r, err := unpacked(&counted{o.from, &l.read})
	for err == nil {
		line.number++
		line.fault = ""
		switch line.text, err = readLine(r); {
		case errors.Is(err, errTooLong):
			line.fault, err = fmt.Sprintf("it is longer than %d bytes", maxLogLine), nil
		case err != nil && len(line.text) == 0:
			continue
		}
		if !send(line) {
			return false
		}
	}
	if errors.Is(err, io.EOF) {
		return true
	}
	line.text, line.fault = nil, "the log cannot be read any further: "+err.Error()
	return send(line)
}

// unpacked reads a log, whether it is packed by gzip or not.
func unpacked(r io.Reader) (*bufio.Reader, error) {
	plain := bufio.NewReaderSize(r, 64<<10)
	if magic, _ := plain.Peek(2); string(magic) != "\x1f\x8b" {
		return plain, nil
	}
	z, err := gzip.NewReader(plain)
	if err != nil {
		return nil, err
	}
	return bufio.NewReaderSize(z, 64<<10), nil
}

// readLine reads a line without its end; a last one need not have one. Of one that
// is too long the rest is skipped.
func readLine(r *bufio.Reader) (line []byte, err error) {
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > maxLogLine {
			long, line = true, nil
		}
		if !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case long && (err == nil || errors.Is(err, io.EOF)):
			return nil, errTooLong
		case err == nil:
			return trimEnd(line), nil
		}
		return trimEnd(line), err
	}
}

func trimEnd(line []byte) []byte {
	for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r') {
		line = line[:len(line)-1]
	}
	return line
}

// counted counts what is read of a log as it lies on the disk.
type counted struct {
	io.Reader
	n *atomic.Int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n.Add(int64(n))
	return n, err
}
