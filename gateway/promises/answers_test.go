package promises

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"weirkeep/gateway"
)

// A load is many errands at once, with what became of them.
type load struct {
	addr  string
	until time.Time
	least int64        // errands that are answered right, or it goes on for a minute more
	left  atomic.Int64 // errands still to be begun

	asked, right, refused, broken, gone atomic.Int64
	lost                                atomic.Int64 // sound errands that were not answered

	mu    sync.Mutex
	wrong []error
}

func newLoad(n int64, most time.Duration) *load {
	l := &load{until: time.Now().Add(most)}
	l.left.Store(n)
	return l
}

func (l *load) report(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wrong = append(l.wrong, err)
}

// more reports whether n further errands are to be begun.
func (l *load) more(n int64) bool {
	if l.left.Add(-n) < 0 || l.over() {
		return false
	}
	l.asked.Add(n)
	return true
}

// over reports whether the time is over. Where a machine does little in it, there is more.
func (l *load) over() bool {
	late := time.Since(l.until)
	return late > 0 && (l.right.Load() >= l.least || late > time.Minute)
}

// note counts what became of e.
func (l *load) note(e errand, v verdict, err error) {
	sound := ways[e.way].sound
	switch {
	case err != nil:
		l.report(err)
	case v == right && (e.way == "cut" || e.way == "torn") && e.method != "HEAD":
		l.report(fmt.Errorf("an answer that was cut looked whole (%016x, %s)", e.nonce, e.way))
	case v == right:
		l.right.Add(1)
	case v == refused:
		l.refused.Add(1)
	case v == broken:
		l.broken.Add(1)
	}
	if sound && v != right {
		l.lost.Add(1)
	}
}

// A caller runs errands over one connection after the other.
type caller struct {
	*load
	rand *rand.Rand
	c    *net.TCPConn
	in   *bufio.Reader
	out  []byte
	buf  []byte
}

func (l *load) caller(seed uint64) *caller {
	return &caller{load: l, rand: rand.New(rand.NewPCG(seed, 7)), in: bufio.NewReader(nil)}
}

// connect makes sure that there is a connection.
func (k *caller) connect() bool {
	if k.c != nil {
		k.c.SetDeadline(time.Now().Add(time.Minute))
		return true
	}
	c, err := dialed(k.addr)
	if err != nil {
		k.report(err)
		return false
	}
	k.c = c
	k.in.Reset(c)
	return true
}

func (k *caller) hangUp() {
	if k.c != nil {
		k.c.Close()
		k.c = nil
	}
}

// send writes requests beside the reading of answers: an answer may come before
// its request is out.
func (k *caller) send(errands []errand) (sent chan struct{}) {
	k.out = k.out[:0]
	for _, e := range errands {
		k.out = e.appendTo(k.out)
	}
	sent = make(chan struct{})
	if len(k.out) < 10_000 {
		k.c.Write(k.out)
		close(sent)
		return sent
	}
	c := k.c
	go func() {
		c.Write(k.out)
		close(sent)
	}()
	return sent
}

// run sends errands one after the other on one connection, all at once, and
// reads their answers.
func (k *caller) run(errands []errand) {
	if !k.connect() {
		return
	}
	sent := k.send(errands)
	for i, e := range errands {
		r, err := http.ReadResponse(k.in, &http.Request{Method: e.method})
		for err == nil && r.StatusCode < 200 {
			r, err = http.ReadResponse(k.in, &http.Request{Method: e.method})
		}
		if err != nil {
			k.closedBefore(errands[i:], err)
			k.hangUp()
			break
		}
		v, wrong := e.judge(r, &k.buf)
		k.note(e, v, wrong)
		if r.Close || v == broken {
			k.gone.Add(int64(len(errands) - i - 1)) // pipelined behind a close: not answered, by right
			k.hangUp()
			break
		}
	}
	<-sent
}

// closedBefore notes that the connection ended before the errands' answers.
func (k *caller) closedBefore(errands []errand, err error) {
	if _, ok := errors.AsType[net.Error](err); !ok && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		k.report(fmt.Errorf("an answer to %016x that is none: %w", errands[0].nonce, err))
	}
	k.note(errands[0], broken, nil)
	k.gone.Add(int64(len(errands) - 1))
}

// abort begins an errand and leaves in the middle of it.
func (k *caller) abort(e errand) {
	k.hangUp()
	if !k.connect() {
		return
	}
	k.out = e.appendTo(k.out[:0])
	k.c.Write(k.out[:1+k.rand.IntN(len(k.out))])
	if k.rand.IntN(2) == 0 {
		k.c.SetReadDeadline(time.Now().Add(time.Duration(k.rand.IntN(3)) * time.Millisecond))
		io.CopyN(io.Discard, k.c, int64(1+k.rand.IntN(3000)))
	}
	if k.rand.IntN(2) == 0 {
		reset(k.c)
	}
	k.hangUp()
	k.gone.Add(1)
}

var (
	soundWays = []string{"length", "length", "length", "chunked", "chunked", "eof", "slow", "closing", "interim", "surplus", "early"}
	allWays   = append([]string{"reset", "silent", "cut", "torn"}, soundWays...)
)

// alone goes over one connection, one errand after the other.
func (k *caller) alone() {
	for k.more(1) {
		k.run([]errand{randomErrand(k.rand, soundWays)})
	}
}

// pipelined sends several at once.
func (k *caller) pipelined() {
	for k.more(4) {
		batch := make([]errand, 4)
		for i := range batch {
			batch[i] = randomErrand(k.rand, []string{"length", "chunked", "interim", "surplus"})
		}
		k.run(batch)
	}
}

// unlucky meets origins that fail.
func (k *caller) unlucky() {
	for k.more(1) {
		k.run([]errand{randomErrand(k.rand, allWays)})
	}
}

// fickle leaves in the middle.
func (k *caller) fickle() {
	for k.more(1) {
		k.abort(randomErrand(k.rand, allWays))
	}
}

// G2: no answer, and no request, ever has a byte of another, whatever clients
// and origins do.
func TestNoAnswerGoesToTheWrongRequest(t *testing.T) {
	watchLeaks(t)
	l := newLoad(either[int64](100_000, 10_000_000), either(3*time.Second, 25*time.Minute))
	o := startOrigin(t, serveErrands(l.report))
	addr, g := start(t, configure(o.addr, "", ""), gateway.Options{})
	l.addr = addr

	var wg sync.WaitGroup
	for i, goOn := range []func(*caller){
		(*caller).alone, (*caller).alone, (*caller).alone, (*caller).alone, (*caller).alone,
		(*caller).pipelined, (*caller).pipelined, (*caller).unlucky, (*caller).unlucky, (*caller).fickle,
	} {
		wg.Go(func() {
			k := l.caller(uint64(i))
			defer k.hangUp()
			goOn(k)
		})
	}
	wg.Wait()

	asked, answered := l.asked.Load(), l.right.Load()
	t.Logf("%d requests: %d right, %d refused, %d broken off, %d given up; %d sound ones lost; %d wrong",
		asked, answered, l.refused.Load(), l.broken.Load(), l.gone.Load(), l.lost.Load(), len(l.wrong))
	for _, err := range l.wrong[:min(len(l.wrong), 10)] {
		t.Error(err)
	}
	if asked < 1000 || answered < asked/2 {
		t.Errorf("%d of %d requests were answered, want half of at least 1000", answered, asked)
	}
	if lost := l.lost.Load(); lost > 2+asked/1000 {
		t.Errorf("%d of %d requests to origins that answered were lost", lost, asked)
	}
	if n := g.Metrics().Process.Panics.Load(); n != 0 {
		t.Errorf("%d panics", n)
	}
}

// G2: what an origin says while nobody asks is nobody's answer.
func TestLateBytesAreNobodysAnswer(t *testing.T) {
	watchLeaks(t)
	said := make(chan struct{})
	var mu sync.Mutex
	o := startOrigin(t, func(c *net.TCPConn) {
		requests(c, func(r *http.Request) bool {
			e, err := errandOf(r)
			if err != nil || !answerLength(c, e) {
				return false
			}
			mu.Lock()
			defer mu.Unlock()
			<-said // the client has its answer
			io.WriteString(c, forged)
			said <- struct{}{}
			return true
		})
	})
	l := newLoad(1<<30, time.Minute)
	l.addr, _ = start(t, configure(o.addr, "", ""), gateway.Options{})
	k := l.caller(1)
	defer k.hangUp()
	for range either(500, 20_000) {
		k.run([]errand{randomErrand(k.rand, []string{"length"})})
		said <- struct{}{}
		<-said
	}
	for _, err := range l.wrong {
		t.Error(err)
	}
	if n := l.right.Load(); n != int64(either(500, 20_000)) {
		t.Errorf("%d of %d requests were answered", n, either(500, 20_000))
	}
}
