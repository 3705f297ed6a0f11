package origin

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"time"

	"weirkeep/gateway/metrics"
	"weirkeep/gateway/socket"
	"weirkeep/gateway/wire"
)

const maxInterims = 16

// Caller is what a trip asks of the exchange it is made for. It is called by
// the goroutine that runs the trip, never by the one that sends the body.
type Caller interface {
	// Interim passes on a 1xx answer other than 100 and 101. An error ends the trip.
	Interim(code int, fields []wire.Field) error
	// Flush sends what is held back for the client: the origin may now be
	// silent for a while. An error ends the trip.
	Flush() error
	// Gone is asked every 100 ms while the origin is silent: has the client
	// gone, so that nobody waits for the answer?
	Gone() bool
}

// Sender is what a trip asks of the one who has the request's body.
type Sender interface {
	// Continue tells the client that its body is wanted (100 Continue), if it
	// waits to be told.
	Continue() error
	// Interrupt ends a read of the body that is under way, and every later one.
	Interrupt()
}

// Timeouts bound the phases of a trip.
type Timeouts struct {
	FirstByte time.Duration // from the end of the request, or an interim answer, to the head of the answer
	Attempt   time.Duration // from the connection to the first byte of an answer, for attempts that somebody else could take over; 0: no limit but FirstByte
	BodyIdle  time.Duration // between two pieces of a body, either way
}

// Trip is one attempt at one origin. The caller fills in the first block, once
// a request, and may use the same trip for several requests one after the
// other; a trip's buffers are reused.
type Trip struct {
	Head      []byte     // the upstream request's head, to be written as it is; a body that was here at once may follow it
	Content   *wire.Body // what of the request's body does not stand in Head
	Method    []byte
	Authority []byte // host[:port] that was asked for; names the tunnel when the origin is a proxy and the request came by https
	Expect    bool   // the client waits for 100 before it sends its body
	Upgrade   []byte // protocols asked for; nil: none
	Secure    bool   // https through a proxy
	Caller    Caller
	Sender    Sender

	// Connecting bounds the making of a connection, beside the pool's own limit: when
	// it has ended the one who asks has gone. Nil: nothing else does.
	Connecting context.Context
	Timeouts   Timeouts
	Metrics    *metrics.Origin // of the cluster's origin that is tried

	Status wire.StatusLine // of the final answer
	Answer wire.Head       // its fields; views until Body is read
	Body   wire.Body       // its content

	pool    *Pool
	conn    *conn
	sent    time.Time // when there was a connection for it
	phase   Phase
	written int64
	heard   bool // a byte of an answer came
	beyond  bool // see Beyond
	upload  upload
	waited  int       // looks while waiting for 100
	latest  time.Time // when Timeouts.Attempt has passed; zero: it does not hold, or no longer

	untilClose bool // the answer ends with its connection, whatever stands in its place
}

// Begin makes one attempt: it takes or makes a connection, sends the request,
// and returns when the head of the final answer is there (a body may still be
// under way to the origin). After an error, which is an *[Error], the trip is
// over; otherwise [Trip.End] must be called.
//
// now is the machine's time.
func (p *Pool) Begin(t *Trip, now time.Time) error {
	t.pool, t.phase, t.written, t.heard, t.beyond, t.waited = p, metrics.Connect, 0, false, false, 0
	t.latest = time.Time{}
	t.upload.reset()
	t.Metrics.Attempts.Inc()
	for {
		c, err := p.get(t, now)
		if err != nil {
			return t.failed(err)
		}
		err = t.take(c, now)
		if err == socket.ErrSpoken {
			t.drop()
			continue
		}
		if c.reused {
			t.Metrics.Reused.Inc()
		}
		if err != nil {
			err = t.failed(err)
			t.End(false)
		}
		return err
	}
}

// take makes the attempt over a connection. It fails with socket.ErrSpoken if that has
// gone stale while it rested: nothing has happened then.
func (t *Trip) take(c *conn, now time.Time) error {
	t.conn, t.sent = c, now
	if !c.reused {
		t.sent = time.Now()
	}
	c.begin(t)
	return t.run(now)
}

// drop closes the connection that has gone stale.
func (t *Trip) drop() {
	t.conn.rest()
	t.conn.Close()
	t.conn, t.phase = nil, metrics.Connect
}

func (t *Trip) failed(err error) error {
	e := &Error{Address: t.pool.origin.Address, Phase: t.phase, Written: t.written, Answered: t.heard, Beyond: t.beyond, Err: err}
	if t.conn != nil {
		e.Reused = t.conn.reused
	}
	if t.phase == metrics.Connect && t.conn == nil && t.Connecting != nil && t.Connecting.Err() != nil {
		err, e.Err = ErrGone, ErrGone
	}
	if !errors.Is(err, ErrGone) && !isBodyError(err) {
		t.Metrics.Failures[t.phase].Inc()
		fault, _ := e.Fault()
		t.pool.origin.failure.Store(&Failure{Fault: fault, Err: e, At: time.Now(), Beyond: t.beyond})
	}
	return e
}

func (t *Trip) run(now time.Time) error {
	if err := t.send(now); err != nil {
		return t.late(err)
	}
	t.phase = metrics.Wait
	if err := t.await(); err != nil {
		return t.late(err)
	}
	t.phase = metrics.Read
	return t.openBody()
}

func (t *Trip) send(now time.Time) error {
	t.phase = metrics.Send
	if t.conn.unseen {
		return t.ask(now)
	}
	if err := t.sendRest(now); err != nil {
		return err
	}
	if !t.Content.Done() && !t.Expect {
		return t.startUpload()
	}
	return nil
}

// sendRest sends what the socket has not taken yet of the request's head, and of what
// follows it.
func (t *Trip) sendRest(now time.Time) error {
	c := t.conn
	c.armWrite(now, t.Timeouts.BodyIdle)
	n, err := c.Write(t.Head[t.written:])
	t.written += int64(n)
	if err != nil {
		return err
	}
	c.limit = t.patience(now)
	c.armRead(now)
	return nil
}

// ask sends a request that is here as a whole and waits for the first bytes of its
// answer. A socket that does not take all of it at once may have an answer already:
// the rest is sent first, as ever.
func (t *Trip) ask(now time.Time) error {
	if t.Caller.Flush() != nil {
		return ErrGone
	}
	t.conn.limit = t.patience(now)
	sent, err := t.conn.ask(t.Head, now)
	t.written = int64(sent)
	switch {
	case sent == len(t.Head):
		t.phase = metrics.Wait
		return err
	case err != nil:
		return err
	}
	return t.sendRest(time.Now())
}

// patience is when the origin has been silent for too long, after the request was
// sent. Connecting has a limit of its own.
func (t *Trip) patience(now time.Time) time.Time {
	limit := now.Add(t.Timeouts.FirstByte)
	if t.Timeouts.Attempt > 0 {
		if t.latest = time.Now().Add(t.Timeouts.Attempt); t.latest.Before(limit) {
			return t.latest
		}
		t.latest = time.Time{}
	}
	return limit
}

// late tells a time-out of the attempt from one of the origin's.
func (t *Trip) late(err error) error {
	if err == ErrTimeout && !t.latest.IsZero() {
		return ErrLate
	}
	return err
}

func (t *Trip) startUpload() error {
	if t.Sender.Continue() != nil {
		return ErrGone
	}
	t.upload.start(t)
	return nil
}

// await reads heads until the final one.
func (t *Trip) await() error {
	for range maxInterims + 1 {
		if err := t.readHead(); err != nil {
			return err
		}
		switch code := t.Status.Code; {
		case code == 101:
			return t.checkUpgrade()
		case code >= 200:
			return nil
		case code == 100:
			if err := t.continued(); err != nil {
				return err
			}
		default:
			if t.Caller.Interim(code, t.Answer.Fields) != nil {
				return ErrGone
			}
		}
		t.conn.limit, t.latest = time.Now().Add(t.Timeouts.FirstByte), time.Time{} // a sign of life
	}
	return ErrInterims
}

func (t *Trip) readHead() error {
	block, err := t.conn.readHead()
	t.heard = t.heard || len(block) > 0 || len(t.conn.Window()) > 0
	if err != nil {
		return err
	}
	i := bytes.IndexByte(block, '\n')
	if i < 1 || block[i-1] != '\r' {
		return wire.ErrStatusLine
	}
	if t.Status, err = wire.ParseStatusLine(block[:i-1]); err != nil {
		return err
	}
	return t.Answer.ParseResponse(block[i+1:], t.Status.Minor, &responseRules)
}

// responseRules bound an answer's head; its bytes are bounded by maxHeadBytes.
var responseRules = wire.Rules{NameBytes: 1 << 10, Count: 512, Underscores: wire.Pass}

// continued is the origin's 100: the body may come.
func (t *Trip) continued() error {
	if t.upload.started || t.Content.Done() { // a body under way is its goroutine's
		return nil
	}
	return t.startUpload()
}

// checkUpgrade makes sure that a 101 is for one of the protocols asked for.
func (t *Trip) checkUpgrade() error {
	got := t.Answer.Upgrade
	if len(got) == 0 || bytes.IndexByte(got, ',') >= 0 {
		return ErrUpgrade
	}
	for rest := t.Upgrade; len(rest) > 0; {
		var one []byte
		one, rest, _ = bytes.Cut(rest, comma)
		if bytes.EqualFold(bytes.TrimSpace(one), got) {
			return nil
		}
	}
	return ErrUpgrade
}

var comma = []byte(",")

// openBody makes the answer's content readable.
func (t *Trip) openBody() error {
	c := t.conn
	c.active = true // the idle limit counts from now
	if t.Status.Code == 101 {
		t.Body.Reset(c, 0)
		return nil
	}
	t.Body.Underscores = wire.Pass
	t.Body.Reset(c, t.Answer.AnswerLength(t.Method, t.Status.Code))
	t.untilClose = t.Body.Length() == wire.UntilClose
	return t.Body.Broken() // as long as nothing was passed on, that can be told
}

// lookUp is asked every 100 ms while the origin is silent.
func (t *Trip) lookUp(now time.Time) error {
	if !t.latest.IsZero() && len(t.conn.Window()) > 0 { // it has begun to answer: nobody else will
		t.conn.limit, t.latest = t.latest.Add(t.Timeouts.FirstByte-t.Timeouts.Attempt), time.Time{}
	}
	if t.upload.started {
		return t.watchUpload(now)
	}
	if t.Expect && t.phase == metrics.Wait {
		if t.waited++; t.waited > expectLooks {
			return t.continued()
		}
	}
	if t.Caller.Gone() {
		return ErrGone
	}
	return nil
}

// expectLooks is how many looks an origin has to answer an expectation with
// 100 or a final answer before the body is sent all the same: about a second
// (RFC 9110 10.1.1).
const expectLooks = 10

// watchUpload holds the limit open while the body is under way. A failure of
// the client's ends the trip; a failure of the origin's does not: its answer
// may be there to be read.
func (t *Trip) watchUpload(now time.Time) error {
	done, err := t.upload.poll()
	switch {
	case isBodyError(err):
		return err
	case !done && t.phase == metrics.Wait:
		t.conn.limit = now.Add(t.Timeouts.FirstByte)
	case !done:
		t.conn.limit = now.Add(t.Timeouts.BodyIdle)
	case done && t.Caller.Gone():
		return ErrGone
	}
	return nil
}

// End ends the trip. The connection is kept for another only if the answer was
// read to its end, nothing came after it, the whole request was sent, and
// neither side wants to close. It reports whether the request's body was left
// unfinished: an early answer, after which the client's connection cannot be
// used again.
func (t *Trip) End(whole bool) (early bool) {
	early = t.endUpload()
	c := t.conn
	t.conn = nil
	keep := whole && !early && t.reusable(c)
	c.rest()
	t.pool.put(c, keep)
	return early
}

func (t *Trip) reusable(c *conn) bool {
	return t.Body.Arrived() && len(c.Window()) == 0 && t.Status.Code != 101 && !t.closes()
}

// closes reports that the origin closes the connection after its answer.
func (t *Trip) closes() bool { return t.Status.Minor == 0 || t.Answer.Close || t.untilClose }

// endUpload waits a moment for a body that is nearly out and stops one that is
// not.
func (t *Trip) endUpload() (early bool) {
	if !t.upload.started {
		return !t.Content.Done()
	}
	if done, err := t.upload.wait(graceAfterAnswer); done {
		return err != nil
	}
	t.upload.stop(t)
	return true
}

// graceAfterAnswer is how long a body may still be under way after the answer
// has ended before the answer counts as early (design, section 5).
const graceAfterAnswer = 50 * time.Millisecond

// EndUnread ends a trip whose answer nobody wants. The connection is kept if all of
// the answer is here.
func (t *Trip) EndUnread() {
	whole := t.Body.Whole()
	for whole && !t.Body.Done() {
		p, err := t.Body.Next()
		whole = err == nil || err == io.EOF
		t.Body.Consume(len(p))
	}
	t.End(whole)
}

// Waited is how long, by a time when the head of the answer was there, the origin has
// had the request. It is not known if a body was sent piece by piece: that goes at the
// pace of who has it.
func (t *Trip) Waited(at time.Time) (d time.Duration, known bool) {
	return at.Sub(t.sent), !t.upload.started
}

// Uploading reports whether the request's body is still under way.
func (t *Trip) Uploading() bool {
	if !t.upload.started {
		return false
	}
	done, _ := t.upload.poll()
	return !done
}

// Unheard reports, once the head of the answer is there, that some of the request's
// body will not be taken: sending it has failed, or is still under way to an origin
// that has said that it closes. Who sends it has to know that before the answer ends.
func (t *Trip) Unheard() bool {
	if !t.upload.started {
		return false
	}
	done, err := t.upload.poll()
	return err != nil || !done && t.closes()
}

// Hijack gives the connection's socket to the caller after a 101, without
// deadlines, and a copy of what the origin has said after its head. End must
// still be called, once the caller is done with the socket; it closes it.
func (t *Trip) Hijack() (c net.Conn, early []byte) {
	early = bytes.Clone(t.conn.Window())
	t.conn.SetDeadline(time.Time{})
	return t.conn.Conn, early
}

// Abandon ends a trip that may be under way, after a fault of the caller.
func (t *Trip) Abandon() {
	if t.conn != nil {
		t.End(false)
	}
}

// Beyond reports whether what came, or did not come, is the word of somebody
// behind a proxy: the proxy was reached, and is not to blame. Who asks chooses
// whom it asks, and could put any proxy out by asking for what is broken.
func (t *Trip) Beyond() bool { return t.beyond }
