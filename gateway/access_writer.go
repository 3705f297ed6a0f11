package gateway

import (
	"bytes"
	"io"
	"log/slog"
	"os"
	"runtime"
	"time"
)

const (
	// accessFlush is how many rendered bytes are written at once.
	accessFlush = 64 << 10
	// accessGather is how long the writer lets records come together after it
	// was woken: a wake-up costs the request path a system call, so that there
	// should be few.
	accessGather = 5 * time.Millisecond
	// accessWarnEvery is the least time between two warnings of losses.
	accessWarnEvery = time.Second
)

// accessWriter is the goroutine that renders and writes the records of a log.
type accessWriter struct {
	log    *accessLog
	name   string // of where it writes, in warnings
	logger *slog.Logger
	out    io.Writer
	file   *os.File // out, when it is ours to close

	buf   []byte // rendered, not yet written
	lines int    // in buf
	torn  bool   // the last write ended inside of a line
	timer *time.Timer

	now    time.Time // of the newest record
	warned time.Time // when losses were last told
	told   uint64    // losses told
	err    error     // last failure to write, not yet told
}

// run writes until the log is closed.
func (w *accessWriter) run() {
	defer close(w.log.done)
	w.timer = time.NewTimer(accessGather)
	defer w.timer.Stop()
	for w.rest() {
		w.drain()
	}
	for !w.log.full.settled() {
		w.drain()
		runtime.Gosched()
	}
	w.warn()
}

// rest waits until there is something to do. False means the log is closed.
func (w *accessWriter) rest() bool {
	l := w.log
	l.idle.Store(true)
	if !l.full.empty() {
		l.rouse()
	}
	select {
	case <-l.wake:
		return w.gather()
	case file := <-l.swap:
		w.closeFile()
		w.use(file)
		return true
	case <-l.quit:
		return false
	}
}

// gather lets records come together, unless exchanges wait for a free one.
// False means the log is closed.
func (w *accessWriter) gather() bool {
	if w.log.waiting.count.Load() > 0 {
		return true
	}
	w.timer.Reset(accessGather)
	select {
	case <-w.timer.C:
	case <-w.log.hurry:
	case <-w.log.quit:
		return false
	}
	return true
}

// drain writes what is there, up to one round of records.
func (w *accessWriter) drain() {
	for range w.log.full.places {
		r := w.log.full.take()
		if r == nil {
			break
		}
		w.render(r)
	}
	w.flush()
	if w.log.lost() != w.told && w.now.Sub(w.warned) >= accessWarnEvery {
		w.warn()
	}
}

// render appends a record to what will be written and makes it free.
func (w *accessWriter) render(r *accessRecord) {
	w.buf = w.log.format(w.buf, r)
	w.lines++
	w.now = r.time
	w.log.release(r)
	if len(w.buf) >= accessFlush {
		w.flush()
	}
}

// flush writes what was rendered. What cannot be written is lost. A line of
// which only a part went out is ended, so that the next one stands alone.
func (w *accessWriter) flush() {
	if w.lines == 0 {
		return
	}
	n, err := w.out.Write(w.buf)
	lost := 0
	if err != nil {
		w.err = err
		lost = min(w.lines, bytes.Count(w.buf[n:], []byte{'\n'}))
		w.log.lose(uint64(lost))
		w.torn = n > 0 && w.buf[n-1] != '\n' || n == 0 && w.torn
	} else {
		w.torn = false
	}
	w.log.metrics.Written.Add(uint64(w.lines - lost))
	w.restart()
}

// restart empties the buffer.
func (w *accessWriter) restart() {
	w.buf, w.lines = w.buf[:0], 0
	if w.torn {
		w.buf = append(w.buf, '\n')
	}
}

// warn tells how many records were lost since it was last told.
func (w *accessWriter) warn() {
	lost := w.log.lost()
	if lost == w.told {
		return
	}
	attrs := []any{"path", w.name, "lost", lost - w.told}
	if w.err != nil {
		attrs = append(attrs, "error", w.err)
	}
	w.logger.Warn("access log lost records", attrs...)
	w.told, w.warned, w.err = lost, w.now, nil
}

// use makes file the one to write.
func (w *accessWriter) use(file *os.File) {
	w.file, w.out, w.torn = file, file, false
	w.restart()
}

// closeFile closes the file in use, if it is ours.
func (w *accessWriter) closeFile() error {
	if w.file == nil {
		return nil
	}
	return w.file.Close()
}
