package origin

import (
	"fmt"
	"io"
	"runtime/debug"
	"sync/atomic"
	"time"

	"weirkeep/gateway/wire"
)

// upload sends a request's body while the answer is waited for. One goroutine
// runs it; the trip's own goroutine starts, watches and stops it. Its parts are
// made once and live as long as the trip, so that an upload costs no
// allocation.
type upload struct {
	started bool
	ended   bool  // the result has been taken from done
	err     error // valid once ended
	done    chan error
	run     func()
	stopped atomic.Bool
	buf     []byte
}

func (u *upload) reset() {
	u.started, u.ended, u.err = false, false, nil
	u.stopped.Store(false)
}

func (u *upload) start(t *Trip) {
	if u.done == nil {
		u.done = make(chan error, 1)
		u.run = func() {
			err := t.carry()
			if _, ours := err.(fault); ours || isBodyError(err) {
				t.conn.SetReadDeadline(past) // wakes who waits for the answer
			}
			u.done <- err
		}
	}
	u.started = true
	go u.run()
}

// fault is a panic in the upload's goroutine. There it would end the process:
// so it is carried over to the trip's own goroutine, which goes on with it.
type fault struct{ value any }

func (f fault) Error() string { return fmt.Sprint(f.value) }

// carry is sendBody with a fault made an error.
func (t *Trip) carry() (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fault{fmt.Sprintf("%v\n%s", value, debug.Stack())}
		}
	}()
	return t.sendBody()
}

// take notes how the upload has ended.
func (u *upload) take(err error) {
	u.err, u.ended = err, true
	if _, ours := err.(fault); ours {
		panic(err)
	}
}

// poll reports whether the upload has ended, and how.
func (u *upload) poll() (done bool, err error) {
	if !u.ended {
		select {
		case err := <-u.done:
			u.take(err)
		default:
		}
	}
	return u.ended, u.err
}

// wait is poll with patience.
func (u *upload) wait(d time.Duration) (done bool, err error) {
	if done, err = u.poll(); done {
		return done, err
	}
	patience := time.NewTimer(d)
	defer patience.Stop()
	select {
	case err := <-u.done:
		u.take(err)
	case <-patience.C:
	}
	return u.ended, u.err
}

// stop ends the goroutine, wherever it is blocked, and waits for it.
func (u *upload) stop(t *Trip) {
	u.stopped.Store(true)
	t.Sender.Interrupt()
	t.conn.SetWriteDeadline(past)
	u.take(<-u.done)
}

// sendBody sends the request's body, chunked if it came so. It runs in the
// upload's goroutine.
func (t *Trip) sendBody() error {
	for {
		p, err := t.Content.Next()
		if err == io.EOF {
			return t.sendBodyEnd()
		}
		if err != nil {
			return &BodyError{err}
		}
		if err := t.sendPiece(p); err != nil {
			return err
		}
		t.Content.Consume(len(p))
	}
}

func (t *Trip) sendPiece(p []byte) error {
	if t.Content.Length() != wire.Chunked {
		return t.writeBody(p)
	}
	t.upload.buf = wire.AppendChunk(t.upload.buf[:0], p)
	return t.writeBody(t.upload.buf)
}

func (t *Trip) sendBodyEnd() error {
	if t.Content.Length() != wire.Chunked {
		return nil
	}
	t.upload.buf = wire.AppendLastChunk(t.upload.buf[:0], t.Content.Trailer())
	return t.writeBody(t.upload.buf)
}

func (t *Trip) writeBody(p []byte) error {
	t.conn.armWrite(time.Now(), t.Timeouts.BodyIdle)
	if t.upload.stopped.Load() { // after arming: the past must not be overwritten
		return io.ErrClosedPipe
	}
	_, err := t.conn.Write(p)
	return err
}
