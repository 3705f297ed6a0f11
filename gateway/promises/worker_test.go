package promises

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// A worker is an origin that takes a while for each errand, and counts how many
// it has at once. Pings are answered too, and not counted: they take no slot.
type worker struct {
	name    string
	arrived func(e errand) (answer bool) // called for each errand; nil: all are answered
	report  func(error)                  // what is wrong with them

	work      atomic.Int64 // nanoseconds for each errand and ping
	now, most atomic.Int64 // errands at once
	all       atomic.Int64
}

func newWorker(name string, work time.Duration, report func(error)) *worker {
	w := &worker{name: name, report: report}
	w.work.Store(int64(work))
	return w
}

// serve answers what comes on a connection.
func (w *worker) serve(c *net.TCPConn) {
	requests(c, func(r *http.Request) bool {
		if r.URL.Path == "/ping" {
			w.toil()
			return answerPing(c)
		}
		return w.answer(c, r)
	})
}

func (w *worker) answer(c *net.TCPConn, r *http.Request) bool {
	w.enter()
	e, err := errandOf(r)
	if err == nil && r.Body != nil {
		err = ownBody(e, r.Body)
	}
	if err != nil {
		w.report(err)
	}
	answers := err == nil && (w.arrived == nil || w.arrived(e))
	if answers {
		w.toil()
	}
	w.now.Add(-1) // before the end of the answer: then the slot is another's
	if !answers {
		reset(c)
		return false
	}
	_, err = c.Write(append(headOf(e, lengthOf(e)+"X-Origin: "+w.name+"\r\n"), contentOf(e)...))
	return err == nil
}

// ownBody reads a body and sees that it is the errand's own. One that breaks off
// is nobody's fault.
func ownBody(e errand, body io.Reader) error {
	got, err := io.ReadAll(body)
	if err == nil && !bytes.Equal(got, content(nil, e.nonce, len(got))) {
		return fmt.Errorf("the body of %016x reached the origin with bytes of another", e.nonce)
	}
	return nil
}

func (w *worker) enter() {
	w.all.Add(1)
	n := w.now.Add(1)
	for most := w.most.Load(); n > most && !w.most.CompareAndSwap(most, n); {
		most = w.most.Load()
	}
}

// toil takes the time that an errand takes.
func (w *worker) toil() { time.Sleep(time.Duration(w.work.Load())) }

// What the process of an origin is told by its environment.
const childOrigin = "PROMISES_ORIGIN" // its name and address

// usual is how long the process of an origin takes for an errand: long enough that
// slots are busy without the machine being so.
const usual = 20 * time.Millisecond

// restartable is where those listen that stop and start again at one address:
// no connection has this address at its client's end, so nobody else gets the
// port in between.
const restartable = "127.0.0.2:0"

// runOrigin is a worker in a process of its own. It says where it listens, then
// every errand before it answers, and takes commands until its input ends.
func runOrigin(nameAndAddress string) error {
	name, addr, _ := strings.Cut(nameAndAddress, " ")
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	w := newWorker(name, usual, func(err error) { fmt.Println("!", err) })
	w.arrived = func(e errand) bool {
		fmt.Printf("+ %s %x\n", e.method, e.nonce)
		return true
	}
	o := &origin{open: make(map[*net.TCPConn]bool)}
	go o.accept(l, w.serve)
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		work, err := time.ParseDuration(in.Text())
		if err != nil {
			return err
		}
		w.work.Store(int64(work))
	}
	return nil
}

// arrivals are which origins got an errand, over all processes.
type arrivals struct {
	mu    sync.Mutex
	at    map[uint64][]string // names of origins by nonce
	wrong []string
}

// note takes a line of an origin's process.
func (a *arrivals) note(origin, line string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var method string
	var nonce uint64
	if _, err := fmt.Sscanf(line, "+ %s %x", &method, &nonce); err != nil {
		a.wrong = append(a.wrong, origin+": "+line)
		return
	}
	if a.at == nil {
		a.at = make(map[uint64][]string)
	}
	a.at[nonce] = append(a.at[nonce], origin)
}

// of are the origins that got an errand.
func (a *arrivals) of(nonce uint64) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.at[nonce]
}

// expectOnce fails the test if an errand that must not be repeated was.
func (a *arrivals) expectOnce(t *testing.T, all []outcome) {
	t.Helper()
	for _, o := range all {
		if at := a.of(o.nonce); o.method == "POST" && len(at) > 1 {
			t.Errorf("POST %016x reached origins %v", o.nonce, at)
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, line := range a.wrong {
		t.Error(line)
	}
}

// A process is an origin that can be killed and frozen: a worker in a process of
// its own.
type process struct {
	t    *testing.T
	name string
	addr string

	arrivals *arrivals
	cmd      *exec.Cmd
	in       io.WriteCloser
	heard    chan struct{} // closed: everything that it said was noted
}

// startProcess runs an origin until the test ends.
func startProcess(t *testing.T, name string, a *arrivals) *process {
	t.Helper()
	p := &process{t: t, name: name, addr: restartable, arrivals: a}
	p.start()
	t.Cleanup(p.kill)
	return p
}

// start runs it, also after kill, at the address that it had.
func (p *process) start() {
	p.t.Helper()
	p.cmd = exec.Command(os.Args[0])
	p.cmd.Env = append(os.Environ(), childOrigin+"="+p.name+" "+p.addr)
	p.cmd.Stderr = os.Stderr
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // who is frozen sees no end of its input
	in, err := p.cmd.StdinPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.in = in
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		p.t.Fatal("the origin's process has ended")
	}
	p.addr = lines.Text()
	p.heard = make(chan struct{})
	go p.listen(lines, p.heard)
}

func (p *process) listen(lines *bufio.Scanner, heard chan struct{}) {
	defer close(heard)
	for lines.Scan() {
		p.arrivals.note(p.name, lines.Text())
	}
}

// kill ends it without a word, as kill -9 does.
func (p *process) kill() {
	if p.cmd == nil {
		return
	}
	p.cmd.Process.Kill()
	<-p.heard
	p.cmd.Wait()
	p.in.Close()
	p.cmd = nil
}

func (p *process) signal(s syscall.Signal) {
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Error(err)
	}
}

// toils makes it take so long for what comes from now on.
func (p *process) toils(work time.Duration) {
	if _, err := fmt.Fprintln(p.in, work); err != nil {
		p.t.Error(err)
	}
}
