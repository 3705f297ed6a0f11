package corpus

import (
	"bytes"
	"slices"
	"sync"
	"time"
)

// A trial is a case while it runs, and what the origin records of it.
type trial struct {
	spec *spec
	over chan struct{} // closed when the origin's part has to end
	done sync.WaitGroup

	mu       sync.Mutex
	ended    bool
	conns    []*originConn
	msgs     []*message
	received int  // bytes that reached the origin
	answered bool // the script has been used
}

func newTrial(s *spec) *trial {
	return &trial{spec: s, over: make(chan struct{})}
}

// join adds a connection to the trial, unless the trial is over.
func (t *trial) join(c *originConn) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return false
	}
	t.conns = append(t.conns, c)
	t.done.Add(1)
	return true
}

// end stops every connection of the trial and waits for them.
func (t *trial) end() {
	t.mu.Lock()
	if !t.ended {
		t.ended = true
		close(t.over)
	}
	t.mu.Unlock()
	t.done.Wait()
}

func (t *trial) isOver() bool {
	select {
	case <-t.over:
		return true
	default:
		return false
	}
}

// pause waits for d, or for the end of the trial.
func (t *trial) pause(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.over:
	}
}

// claim reports whether the script is to be played for this request, and takes
// it: it is played once, unless the case gives it to all.
func (t *trial) claim() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	free := !t.answered || t.spec.RepAll
	t.answered = true
	return free
}

// record adds a request that the origin has read.
func (t *trial) record(c *originConn, m *message) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.msgs = append(t.msgs, m)
	c.recorded = true
}

// busy reports whether the origin still reads what has been forwarded, or
// still looks for bytes that belong to no request.
func (t *trial) busy() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.ContainsFunc(t.conns, func(c *originConn) bool {
		return c.lingering || len(c.raw) > 0 && !c.recorded && !c.eof
	})
}

// unread reports whether bytes reached the origin, but no request yet.
func (t *trial) unread() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.msgs) == 0 && t.received > 0
}

// seen returns what the origin has recorded so far: the requests, and the bytes
// of the connections they came on, with three zero bytes between connections.
func (t *trial) seen() ([]message, []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var msgs []message
	for _, m := range t.msgs {
		msgs = append(msgs, *m)
	}
	var raw [][]byte
	for _, c := range t.conns {
		if c.recorded {
			raw = append(raw, c.raw)
		}
	}
	return msgs, bytes.Join(raw, []byte{0, 0, 0})
}
