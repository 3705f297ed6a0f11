package promises

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"weirkeep/gateway"
	"weirkeep/plugins/engine/enginetest"
)

// What a child process is told by its environment.
const (
	childConfig = "PROMISES_CONFIG" // file with the configuration
	childFiles  = "PROMISES_FILES"  // limit of descriptors
	childHTTP   = "PROMISES_HTTP"   // not empty: it also listens with net/http
)

// runChild serves a configuration, says where, and answers commands until its
// input ends.
func runChild(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := limitFiles(os.Getenv(childFiles)); err != nil {
		return err
	}
	tally := new(enginetest.Tally)
	g := gateway.New(gateway.Options{Engines: tallied(cmp.Or(os.Getenv(childEngine), "wazero"), tally)})
	defer g.Close()
	addr, err := apply(g, string(text))
	if err != nil {
		return err
	}
	second, err := listenHTTP(os.Getenv(childHTTP))
	if err != nil {
		return err
	}
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM)
	go endWhen(told, g)
	fmt.Println(addr, second)
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		fmt.Println(obey(g, tally, in.Text()))
	}
	return nil
}

// endWhen ends the process when it is told to and the gateway has drained.
func endWhen(told <-chan os.Signal, g *gateway.Gateway) {
	<-told
	g.Drain(context.Background())
	os.Exit(0)
}

func limitFiles(n string) error {
	if n == "" {
		return nil
	}
	limit, err := strconv.ParseUint(n, 10, 64)
	if err != nil {
		return err
	}
	return syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: limit, Max: limit})
}

// listenHTTP stands for the administrators' listener of the same process.
func listenHTTP(wanted string) (addr string, err error) {
	if wanted == "" {
		return "-", nil
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "alive") }))
	return l.Addr().String(), nil
}

// obey does what a command says and returns one line.
func obey(g *gateway.Gateway, tally *enginetest.Tally, command string) string {
	verb, arg, _ := strings.Cut(command, " ")
	switch verb {
	case "gc":
		debug.FreeOSMemory()
	case "heap":
		f, err := os.Create(arg)
		if err != nil {
			return err.Error()
		}
		defer f.Close()
		runtime.GC()
		pprof.WriteHeapProfile(f)
	case "apply":
		return reapply(g, arg)
	case "guests":
		return guestsOf(g, tally)
	case "buggy":
		tally.Buggy.Store(arg == "yes")
	case "ready":
		return fmt.Sprint(g.Status().Ready)
	case "loads":
		return loads(g)
	case "goroutines":
		stacks := ours()
		if err := os.WriteFile(arg, []byte(strings.Join(stacks, "\n\n")), 0o600); err != nil {
			return err.Error()
		}
		return fmt.Sprint(len(stacks))
	case "count":
		s := g.Status()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return fmt.Sprint(s.Connections, s.Exchanges, runtime.NumGoroutine(), g.Metrics().Process.Panics.Load(), m.StackInuse, m.HeapInuse)
	}
	return "done"
}

// reapply makes a file current and says which revision is.
func reapply(g *gateway.Gateway, file string) string {
	text, err := os.ReadFile(file)
	if err == nil {
		_, err = apply(g, string(text))
	}
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return fmt.Sprintf("%d refused: %s", g.Status().Revision, first)
	}
	return fmt.Sprintf("%d applied", g.Status().Revision)
}

// loads are all that is under way: slots taken, waiters, tunnels.
func loads(g *gateway.Gateway) string {
	var load, waiting, tunnels int64
	for _, o := range g.Status().Origins {
		load, waiting, tunnels = load+o.Load, waiting+o.Waiting, tunnels+o.Tunnels
	}
	return fmt.Sprint(load, waiting, tunnels)
}

// ours are the goroutines that do something for the gateway: not those that
// fasthttp keeps for a while for connections to come.
func ours() []string {
	return slices.DeleteFunc(goroutines(), func(stack string) bool { return !strings.Contains(stack, "weirkeep/") })
}

// A child is a process that holds a gateway and nothing else.
type child struct {
	t    *testing.T
	addr string
	http string // of its net/http listener
	pid  int
	end  func() error // waits for its end

	mu  sync.Mutex
	in  io.Writer
	out *bufio.Scanner
}

// startChild runs a gateway in a process of its own until the test ends.
func startChild(t *testing.T, text string, env ...string) *child {
	t.Helper()
	file := filepath.Join(t.TempDir(), "promise.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), childConfig+"="+file), env...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &child{t: t, pid: cmd.Process.Pid, end: sync.OnceValue(cmd.Wait), in: in, out: bufio.NewScanner(out)}
	t.Cleanup(func() {
		in.Close()
		if err := c.end(); err != nil {
			t.Errorf("the gateway's process ended badly: %v", err)
		}
	})
	c.addr, c.http, _ = strings.Cut(c.line(), " ")
	return c
}

func (c *child) line() string {
	if !c.out.Scan() {
		c.t.Errorf("the gateway's process has ended: %v", c.out.Err())
	}
	return c.out.Text()
}

// tell sends a command and returns the answer.
func (c *child) tell(command string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprintln(c.in, command)
	return c.line()
}

// counts are what a child tells of itself.
type counts struct{ connections, exchanges, goroutines, panics, stacks, heap int }

func (c *child) count() (n counts) {
	c.t.Helper()
	line := c.tell("count")
	if _, err := fmt.Sscan(line, &n.connections, &n.exchanges, &n.goroutines, &n.panics, &n.stacks, &n.heap); err != nil {
		c.t.Fatalf("count: %q: %v", line, err)
	}
	return n
}

// await waits until the child counts what is wanted.
func (c *child) await(what string, so func(counts) bool) {
	c.t.Helper()
	var n counts
	if !within(30*time.Second, func() bool { n = c.count(); return so(n) }) {
		c.t.Fatalf("waited in vain for %s: %+v", what, n)
	}
}

// ours is how many goroutines do something for the gateway, and their stacks.
func (c *child) ours() (n int, stacks string) {
	c.t.Helper()
	file := filepath.Join(c.t.TempDir(), "stacks")
	line := c.tell("goroutines " + file)
	if _, err := fmt.Sscan(line, &n); err != nil {
		c.t.Errorf("goroutines: %q: %v", line, err)
	}
	text, _ := os.ReadFile(file)
	return n, string(text)
}

// expectAtRest fails the test unless nothing is under way any more and there are
// no more goroutines and descriptors than before.
func (c *child) expectAtRest(goroutines, files int) {
	c.t.Helper()
	c.await("rest", func(n counts) bool { return n.connections == 0 && n.exchanges == 0 })
	n, stacks := 0, ""
	if !within(8*time.Second, func() bool { n, stacks = c.ours(); return n <= goroutines && c.files() <= files }) {
		c.t.Errorf("%d goroutines and %d descriptors, %d and %d before:\n\n%s", n, c.files(), goroutines, files, stacks)
	}
	if got := c.tell("loads"); got != "0 0 0" {
		c.t.Errorf("slots, waiters and tunnels at rest: %s", got)
	}
	if n := c.count().panics; n != 0 {
		c.t.Errorf("%d panics", n)
	}
}

// rss is the memory that the process has now, in bytes.
func (c *child) rss() int64 { return c.status("VmRSS") << 10 }

// peak is the most that rss has been since forgetPeak.
func (c *child) peak() int64 { return c.status("VmHWM") << 10 }

func (c *child) forgetPeak() {
	c.t.Helper()
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", c.pid), []byte("5"), 0); err != nil {
		c.t.Fatal(err)
	}
}

// files is how many descriptors the process has open.
func (c *child) files() int {
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", c.pid))
	if err != nil {
		c.t.Error(err)
	}
	return len(entries)
}

// status is a number from the process's status file.
func (c *child) status(key string) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.pid))
	if err != nil {
		c.t.Error(err)
		return 0
	}
	_, after, _ := strings.Cut(string(text), key+":")
	n, err := strconv.ParseInt(strings.Fields(after)[0], 10, 64)
	if err != nil {
		c.t.Error(err)
	}
	return n
}

// cpu is the processor time that the process has used.
func (c *child) cpu() time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.pid))
	if err != nil {
		c.t.Error(err)
		return 0
	}
	_, after, _ := strings.Cut(string(text), ") ")
	f := strings.Fields(after)
	var ticks int64
	for _, s := range f[11:13] { // utime, stime
		n, _ := strconv.ParseInt(s, 10, 64)
		ticks += n
	}
	return time.Duration(ticks) * (time.Second / 100)
}
