package corpus

import (
	"crypto/tls"
	"fmt"
	"sync"
	"testing"
	"time"
)

// crowd is how many cases run side by side. They wait more than they compute.
const crowd = 24

// A worker plays cases one after the other against a proxy of its own.
type worker struct {
	id     int
	origin *origin
	addr   string // of the proxy
	tls    *tls.Config
	asked  int // nonces so far
}

// startWorkers starts n proxies with their origins. They end with t.
func startWorkers(t testing.TB, opts Options, target Target, n int) []*worker {
	t.Helper()
	var ws []*worker
	for id := range n {
		o, err := newOrigin()
		if err != nil {
			t.Fatal(err)
		}
		go o.accept()
		t.Cleanup(o.close)
		ws = append(ws, &worker{id: id, origin: o, addr: target(t, o.ln.Addr().String()), tls: opts.TLS})
	}
	return ws
}

// spread has the workers play all specs, each taking the next when it is free.
func spread(ws []*worker, specs []*spec, play func(*worker, *spec)) {
	queue := make(chan *spec, len(specs))
	for _, s := range specs {
		queue <- s
	}
	close(queue)
	var done sync.WaitGroup
	for _, w := range ws {
		done.Go(func() {
			for s := range queue {
				play(w, s)
			}
		})
	}
	done.Wait()
}

// try plays one case and judges it.
func (w *worker) try(s *spec) ruling {
	tr := newTrial(s)
	w.origin.begin(tr)
	defer tr.end()
	e := evidence{secure: w.tls != nil}
	start := time.Now()
	bystander, lost := dial(w.addr, w.tls)
	e.err = w.perform(s, &e.reception)
	w.settle(tr, len(e.finals) > 0)
	e.next = w.canary()
	e.cut = lost != nil || bystander.cut(start)
	e.msgs, e.raw = tr.seen()
	return judge(s, e)
}

// perform plays the client's side. Without a connection, the outcome is a reset.
func (w *worker) perform(s *spec, into *reception) error {
	c, err := dial(w.addr, w.tls)
	if err != nil {
		*into = reception{end: "rst"}
		return err
	}
	*into = perform(s, c)
	return nil
}

// cut reports whether the proxy has ended the bystander's connection, and
// closes it. After two seconds the proxy may: nothing was ever sent on it.
func (c *client) cut(start time.Time) bool {
	defer c.close()
	return time.Since(start) < 2*time.Second && c.ended() != ""
}

// settle lets the origin finish reading what was already forwarded.
func (w *worker) settle(tr *trial, answered bool) {
	tr.pause(20*time.Millisecond + time.Duration(tr.spec.Settle))
	if tr.spec.Rep == nil && !answered && tr.unread() {
		tr.pause(300 * time.Millisecond)
	}
	for end := time.Now().Add(1500 * time.Millisecond); time.Now().Before(end) && tr.busy(); {
		tr.pause(20 * time.Millisecond)
	}
}

// What a canary finds.
const (
	alive    = "ok"
	poisoned = "poison" // the answer was another one's
	down     = "down"
)

// canary asks the proxy for a fresh nonce, several times if it is refused.
func (w *worker) canary() string {
	found := down
	for range 6 {
		switch got, retry := w.ask(); {
		case !retry:
			return got
		case got == poisoned:
			found = poisoned
		}
		<-time.After(30 * time.Millisecond)
	}
	return found
}

// ask asks once. retry says that what was found may not be the last word.
func (w *worker) ask() (found string, retry bool) {
	c, err := dial(w.addr, w.tls)
	if err != nil {
		return down, true
	}
	defer c.close()
	w.asked++
	nonce := fmt.Sprintf("n%d-%d", w.id, w.asked)
	c.send([]byte("GET " + canaryPath + nonce + " HTTP/1.1\r\nHost: canary.example\r\nConnection: close\r\n\r\n"))
	c.pump(time.Now().Add(4*time.Second), nil)
	finals, _, _ := parseResponses(c.received(), []string{"GET"}, c.ended())
	switch {
	case len(finals) == 0:
		return down, true
	case finals[0].status == 200 && string(finals[0].body) == "canary:"+nonce:
		return alive, false
	case finals[0].status == 200:
		return poisoned, false
	case finals[0].status < 400:
		return poisoned, true
	}
	return down, true
}
