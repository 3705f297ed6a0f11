package gateway

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"weirkeep/gateway/metrics"
)

// accessOptions say where and how exchanges are recorded.
type accessOptions struct {
	Path           string             // of a file, or stderr or stdout
	Format         string             // json, combined or off
	OnFull         string             // drop or block
	Stderr, Stdout io.Writer          // for these paths; nil: the process's
	Logger         *slog.Logger       // told of losses; nil: discards
	Metrics        *metrics.AccessLog // nil: losses are counted for lost alone
	Records        int                // that may wait for the writer, a power of two; zero: 2048
}

// accessRecords is how many records may wait. At 50,000 exchanges a second they
// bridge 40 ms in which the disk takes nothing, and hold 2 MB. A client that
// sends nothing but oversized texts while the disk stands still gets them to 22 MB.
const accessRecords = 2048

// accessRoom is how many bytes of texts a new record has room for.
const accessRoom = 512

// accessLog takes records of exchanges from the request path, where it neither
// locks nor allocates nor writes, to a goroutine that renders and writes them.
//
// A record goes in a circle: take, filled by the walk, put, written, free again.
// When none is free, take counts a loss, or waits when the log is to block. A
// file that cannot be written loses records, which is counted, and nothing else.
type accessLog struct {
	format  accessFormat // nil: off
	block   bool
	metrics *metrics.AccessLog
	losses  atomic.Uint64

	free, full *recordRing
	idle       atomic.Bool   // the writer rests: who puts must wake it
	wake       chan struct{} // of one: there is something to write
	hurry      chan struct{} // of one: do not gather, none is free
	waiting    accessWaiting

	path   string        // empty: nothing to reopen
	swap   chan *os.File // to the writer: the file to use from now on
	quit   chan struct{} // closed: write what is there and end
	done   chan struct{} // closed: the writer has ended
	closed atomic.Bool   // nothing is taken or put any more

	leaving   atomic.Bool // another log has taken its place: nobody waits any more
	reopening atomic.Bool
	stop      func() error // close, once
}

// accessWaiting is where exchanges wait for a free record.
type accessWaiting struct {
	count atomic.Int32 // of those that wait or are about to
	mu    sync.Mutex
	freed sync.Cond
}

// openAccessLog opens the file and starts the writer. Format off opens nothing.
func openAccessLog(o accessOptions) (*accessLog, error) {
	l := &accessLog{format: accessFormats[o.Format], block: o.OnFull == "block", metrics: o.Metrics}
	if l.metrics == nil {
		l.metrics = &metrics.AccessLog{}
	}
	if l.format == nil {
		l.stop = l.shut
		return l, nil
	}
	w, err := l.newWriter(o)
	if err != nil {
		return nil, fmt.Errorf("open access log: %w", err)
	}
	l.fill(o.Records)
	l.stop = sync.OnceValue(func() error { return l.end(w) })
	go w.run()
	return l, nil
}

// newWriter makes the writer with its file.
func (l *accessLog) newWriter(o accessOptions) (*accessWriter, error) {
	w := &accessWriter{log: l, name: o.Path, logger: o.Logger}
	if w.logger == nil {
		w.logger = slog.New(slog.DiscardHandler)
	}
	switch o.Path {
	case "stderr":
		w.out = writerOr(o.Stderr, os.Stderr)
	case "stdout":
		w.out = writerOr(o.Stdout, os.Stdout)
	default:
		file, err := openAccessFile(o.Path)
		if err != nil {
			return nil, err
		}
		l.path = o.Path
		w.use(file)
	}
	return w, nil
}

func writerOr(w io.Writer, otherwise *os.File) io.Writer {
	if w == nil {
		return otherwise
	}
	return w
}

// openAccessFile opens the file to append to. A pipe that nobody reads is an
// error at once.
func openAccessFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|syscall.O_NONBLOCK, 0o640)
}

// fill makes n records, free, and what goes between walk and writer.
func (l *accessLog) fill(n int) {
	if n == 0 {
		n = accessRecords
	}
	l.free, l.full = newRecordRing(n), newRecordRing(n)
	records, texts := make([]accessRecord, n), make([]byte, n*accessRoom)
	for i := range records {
		from := i * accessRoom
		records[i].buf = texts[from : from : from+accessRoom]
		l.free.put(&records[i])
	}
	l.wake, l.hurry = make(chan struct{}, 1), make(chan struct{}, 1)
	l.swap, l.quit, l.done = make(chan *os.File), make(chan struct{}), make(chan struct{})
	l.waiting.freed.L = &l.waiting.mu
}

// take gives an empty record, which must come back with put. It gives nil when
// the log is off, and, as a loss that is counted, when it is closed or, unless
// it is to block, when no record is free.
func (l *accessLog) take() *accessRecord {
	if l.format == nil {
		return nil
	}
	if r := l.takeFree(); r != nil {
		return r
	}
	l.lose(1)
	return nil
}

func (l *accessLog) takeFree() *accessRecord {
	if l.closed.Load() {
		return nil
	}
	if r := l.free.take(); r != nil {
		return r
	}
	poke(l.hurry)
	if l.block {
		return l.waitForRecord()
	}
	return nil
}

// waitForRecord waits until a record is free. Nil means the log was closed.
func (l *accessLog) waitForRecord() *accessRecord {
	w := &l.waiting
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count.Add(1)
	defer w.count.Add(-1)
	for !l.closed.Load() && !l.leaving.Load() {
		if r := l.free.take(); r != nil {
			return r
		}
		w.freed.Wait()
	}
	return nil
}

// put hands a record to the writer, and with it all rights to it. One that comes
// after close is lost.
func (l *accessLog) put(r *accessRecord) {
	if l.closed.Load() {
		l.lose(1)
		return
	}
	l.full.put(r) // there are no more records than places
	l.rouse()
}

// rouse wakes the writer if it rests.
func (l *accessLog) rouse() {
	if l.idle.Load() && l.idle.CompareAndSwap(true, false) {
		poke(l.wake)
	}
}

// poke leaves a token, if there is none.
func poke(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// release makes a written record free.
func (l *accessLog) release(r *accessRecord) {
	r.reset()
	l.free.putSoon(r)
	if w := &l.waiting; w.count.Load() > 0 {
		w.mu.Lock()
		w.freed.Signal()
		w.mu.Unlock()
	}
}

func (l *accessLog) lose(n uint64) {
	l.losses.Add(n)
	l.metrics.Lost.Add(n)
}

// lost is how many records were lost since the log was opened.
func (l *accessLog) lost() uint64 { return l.losses.Load() }

// reopen goes on in a new file of the same name. When it has returned, the old
// file, wherever it was moved to, is complete. On an error the old file stays.
func (l *accessLog) reopen() error {
	if l.path == "" || !l.reopening.CompareAndSwap(false, true) {
		return nil // one that is under way will do
	}
	defer l.reopening.Store(false)
	file, err := openAccessFile(l.path)
	if err != nil {
		return fmt.Errorf("reopen access log: %w", err)
	}
	select {
	case l.swap <- file:
		return nil
	case <-l.done:
		return errors.Join(fmt.Errorf("reopen access log %s: %w", l.path, os.ErrClosed), file.Close())
	}
}

// close writes all that was put, closes the file and lets go of those that wait.
func (l *accessLog) close() error { return l.stop() }

// shut lets nothing in any more.
func (l *accessLog) shut() error {
	l.closed.Store(true)
	return nil
}

// letGo ends the waiting for a free record: the exchanges that wait are lost to
// the log, since whoever replaces it waits for them.
func (l *accessLog) letGo() {
	l.leaving.Store(true)
	l.waiting.mu.Lock()
	l.waiting.freed.Broadcast()
	l.waiting.mu.Unlock()
}

// accessEnd is how long the end of a log waits for its file.
const accessEnd = 2 * time.Second

// end shuts the log and waits for its writer.
func (l *accessLog) end(w *accessWriter) error {
	l.closed.Store(true)
	l.letGo()
	close(l.quit)
	select {
	case <-l.done:
		return w.closeFile()
	case <-time.After(accessEnd):
		return errors.Join(errors.New("close access log: its file takes nothing; what was left is lost"), w.closeFile())
	}
}
