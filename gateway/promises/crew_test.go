package promises

import (
	"bufio"
	"bytes"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"
)

// An outcome is what became of one errand.
type outcome struct {
	errand
	began, ended time.Time
	verdict      verdict
	status       int    // 0: no answer came
	origin       string // who answered
	reason       string // why the gateway did, in its place
	retryAfter   string
	closing      bool  // the answer says that its connection ends
	err          error // no answer came, for this reason
}

func (o outcome) took() time.Duration { return o.ended.Sub(o.began) }

// A crew are clients that each send one errand after the other and keep their
// connections while answers let them: as many as are in the crew are under way
// at any time. Unlike a [load] it files every outcome, and it never says what is
// a failure.
type crew struct {
	connect func() (*net.TCPConn, error)
	errand  func(*rand.Rand) errand

	quit    chan struct{}
	stop    sync.Once
	working sync.WaitGroup

	mu    sync.Mutex
	filed []outcome
	wrong []error
}

// startCrew sets n clients to work until end, or the test's.
func startCrew(t *testing.T, n int, connect func() (*net.TCPConn, error), errand func(*rand.Rand) errand) *crew {
	w := &crew{connect: connect, errand: errand, quit: make(chan struct{})}
	for i := range n {
		w.working.Go(func() { w.work(uint64(i)) })
	}
	t.Cleanup(func() { w.end() })
	return w
}

// to connects to one address.
func to(addr string) func() (*net.TCPConn, error) {
	return func() (*net.TCPConn, error) { return dialed(addr) }
}

// getsAndPosts is what most crews do.
func getsAndPosts(r *rand.Rand) errand {
	e := errand{method: "GET", nonce: nonces.Add(1), way: "length", size: 1 + r.IntN(2000)}
	if r.IntN(2) == 0 {
		e.method, e.body, e.chunks = "POST", 1+r.IntN(2000), r.IntN(4) == 0
	}
	return e
}

// paced are errands of clients that have time: they leave the machine some.
func paced(errands func(*rand.Rand) errand) func(*rand.Rand) errand {
	return func(r *rand.Rand) errand {
		time.Sleep(2 * time.Millisecond)
		return errands(r)
	}
}

// work sends errands. Who is refused waits a moment, as clients do.
func (w *crew) work(seed uint64) {
	k := &hand{crew: w, rand: rand.New(rand.NewPCG(seed, 3)), in: bufio.NewReader(nil)}
	defer k.hangUp()
	for !w.ended() {
		o, wrong := k.do(w.errand(k.rand))
		w.file(o, wrong)
		if o.verdict != right {
			w.pause(20 * time.Millisecond)
		}
	}
}

func (w *crew) ended() bool {
	select {
	case <-w.quit:
		return true
	default:
		return false
	}
}

func (w *crew) pause(d time.Duration) {
	select {
	case <-w.quit:
	case <-time.After(d):
	}
}

func (w *crew) file(o outcome, wrong error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.filed = append(w.filed, o)
	if wrong != nil {
		w.wrong = append(w.wrong, wrong)
	}
}

func (w *crew) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.filed)
}

// await waits until n more errands are done, and at least so long.
func (w *crew) await(t *testing.T, n int, least time.Duration) {
	t.Helper()
	time.Sleep(least)
	n += w.count()
	if !within(30*time.Second, func() bool { return w.count() >= n }) {
		t.Fatalf("the clients stand still: %d errands are done, want %d", w.count(), n)
	}
}

// end lets the clients end what they do, and returns every outcome.
func (w *crew) end() []outcome {
	w.stop.Do(func() { close(w.quit) })
	w.working.Wait()
	return w.filed
}

// expectNothingWrong fails the test if bytes came that belong to others.
func (w *crew) expectNothingWrong(t *testing.T) {
	t.Helper()
	for _, err := range w.wrong[:min(len(w.wrong), 10)] {
		t.Error(err)
	}
}

// A hand is one client of a crew.
type hand struct {
	crew *crew
	rand *rand.Rand
	c    *net.TCPConn
	in   *bufio.Reader
	buf  []byte
}

func (k *hand) hangUp() {
	if k.c != nil {
		k.c.Close()
		k.c = nil
	}
}

// do sends one errand and reads its answer. An error means that it is wrong.
func (k *hand) do(e errand) (o outcome, wrong error) {
	o = outcome{errand: e, verdict: broken}
	if o.err = k.connected(); o.err != nil {
		o.began, o.ended = time.Now(), time.Now()
		return o, nil
	}
	o.began = time.Now()
	k.c.SetDeadline(o.began.Add(time.Minute))
	k.c.Write(e.appendTo(nil)) // who is cut off sees it when reading
	r, err := http.ReadResponse(k.in, &http.Request{Method: e.method})
	for err == nil && r.StatusCode < 200 {
		r, err = http.ReadResponse(k.in, &http.Request{Method: e.method})
	}
	if err != nil {
		k.hangUp()
		o.ended, o.err = time.Now(), err
		return o, nil
	}
	o.verdict, wrong = e.judge(r, &k.buf)
	o.ended, o.status, o.closing = time.Now(), r.StatusCode, r.Close
	o.origin, o.retryAfter = r.Header.Get("X-Origin"), r.Header.Get("Retry-After")
	if o.verdict == refused {
		o.reason = reasonIn(k.buf)
	}
	if o.closing || o.verdict == broken || wrong != nil {
		k.hangUp()
	}
	return o, wrong
}

func (k *hand) connected() error {
	if k.c != nil {
		return nil
	}
	c, err := k.crew.connect()
	if err != nil {
		return err
	}
	k.c = c
	k.in.Reset(c)
	return nil
}

// reasonIn is the reason that a refusal's page names.
func reasonIn(page []byte) string {
	_, after, _ := bytes.Cut(page, []byte("reason: "))
	reason, _, _ := bytes.Cut(after, []byte("\n"))
	return string(reason)
}

// selected are the outcomes that are so.
func selected(all []outcome, so func(outcome) bool) []outcome {
	return slices.DeleteFunc(slices.Clone(all), func(o outcome) bool { return !so(o) })
}

func isRight(o outcome) bool { return o.verdict == right }

func isNotRight(o outcome) bool { return o.verdict != right }

// ninetyNinthOf is the 99th percentile of how long they took.
func ninetyNinthOf(all []outcome) time.Duration {
	if len(all) == 0 {
		return 0
	}
	took := make([]time.Duration, len(all))
	for i, o := range all {
		took[i] = o.took()
	}
	slices.Sort(took)
	return took[len(took)*99/100]
}

// show logs the first few of them.
func show(t *testing.T, all []outcome) {
	t.Helper()
	for _, o := range all[:min(len(all), 10)] {
		t.Errorf("%s %016x: %d %s from %q after %v: %v", o.method, o.nonce, o.status, o.reason, o.origin, o.took().Round(time.Millisecond), o.err)
	}
}
