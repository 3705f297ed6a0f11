package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// process is the program, running in a folder of its own: bin/weirkeep with the
// configuration weirkeep.yaml, its log in log.
type process struct {
	t       *testing.T
	dir     string
	gateway string // host:port
	admin   string
	cmd     *exec.Cmd
}

// newProcess readies a folder. Origin answers; more is added to the
// configuration.
func newProcess(t *testing.T, origin, more string) *process {
	t.Helper()
	free := freeAddresses(t, 2)
	p := &process{t: t, dir: t.TempDir(), gateway: free[0], admin: free[1]}
	p.install("")
	p.configure(fmt.Sprintf("node: { state_dir: state }\nlisteners: [{ address: %q }]\nadmin: { address: %q, socket: admin.sock }\nclusters: { app: { origins: [{ address: %q }] } }\n%s",
		p.gateway, p.admin, origin, more))
	return p
}

// freeAddresses are addresses that nobody listens on. They are held until the last
// is found, so that no two are the same.
func freeAddresses(t *testing.T, n int) (addresses []string) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		addresses = append(addresses, l.Addr().String())
	}
	return addresses
}

func (p *process) file(name string) string { return filepath.Join(p.dir, name) }

func (p *process) configure(text string) { p.write("weirkeep.yaml", text, 0o600) }

// write puts a file in place, whoever uses the one before.
func (p *process) write(name, text string, mode os.FileMode) {
	p.t.Helper()
	file := p.file(name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(file+".new", []byte(text), mode); err != nil {
		p.t.Fatal(err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		p.t.Fatal(err)
	}
}

// install puts the program at its path, or the script that is given. Another
// process writes the file: what this one has open for writing, a process that it
// starts meanwhile has too, and then nobody can run it.
func (p *process) install(script string) {
	p.t.Helper()
	program, err := os.Executable() // this very program, under the name
	if err != nil {
		p.t.Fatal(err)
	}
	if script != "" {
		program = p.file("script")
		p.write("script", script, 0o755)
	}
	copying := exec.Command("sh", "-c", "mkdir -p bin && cp "+program+" bin/new && mv bin/new bin/weirkeep")
	copying.Dir = p.dir
	if out, err := copying.CombinedOutput(); err != nil {
		p.t.Fatalf("%v: %s", err, out)
	}
}

// start runs the program, by a shell command if one is given, and waits until it
// serves. Processes that come after it are this test's children too.
func (p *process) start(shell string, files []*os.File, env ...string) {
	p.t.Helper()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		p.t.Fatal(err)
	}
	log, err := os.OpenFile(p.file("log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		p.t.Fatal(err)
	}
	defer log.Close()
	p.cmd = exec.Command("sh", "-c", shell+" exec "+p.file("bin/weirkeep")+" serve -c weirkeep.yaml")
	p.cmd.Dir, p.cmd.Stderr, p.cmd.ExtraFiles = p.dir, log, files
	p.cmd.Env = append(os.Environ(), append(env, "LOG=/dev/null/none", "STATUS=")...)
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { p.cmd.Process.Kill(); p.cmd.Wait() })
	p.await(`"msg":"serving"`, 1)
}

// await waits until the log holds the pattern n times, and returns what the
// groups of the last one matched.
func (p *process) await(pattern string, n int) (groups []string) {
	p.t.Helper()
	form := regexp.MustCompile(pattern)
	err := eventually(func() error {
		text, _ := os.ReadFile(p.file("log"))
		found := form.FindAllSubmatch(text, -1)
		if len(found) < n {
			return fmt.Errorf("%d times %s, want %d, in the log:\n%s", len(found), pattern, n, text)
		}
		groups = nil
		for _, g := range found[n-1] {
			groups = append(groups, string(g))
		}
		return nil
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return groups
}

func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// follow waits until the process has ended well and left its place to another,
// the nth: from then on that is the process.
func (p *process) follow(n int) {
	p.t.Helper()
	pid, err := strconv.Atoi(p.await(`"msg":"upgrade done[^"]*","process":(\d+)`, n)[1])
	if err != nil {
		p.t.Fatal(err)
	}
	next, err := os.FindProcess(pid)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { next.Kill() })
	p.ends()
	p.cmd = &exec.Cmd{Process: next}
}

// ends waits until the process has ended, with exit status 0.
func (p *process) ends() {
	p.t.Helper()
	state, err := p.cmd.Process.Wait()
	if err != nil || !state.Success() {
		p.t.Errorf("the process ended with %v, %v", state, err)
	}
}

// get asks the gateway on a connection of its own.
func (p *process) get() error { return ask("tcp", p.gateway, "/") }

// ask wants a 200.
func ask(network, address, path string) error {
	c, err := net.Dial(network, address)
	if err != nil {
		return err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(time.Minute))
	io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
	answer, err := io.ReadAll(c)
	if err == nil && !bytes.HasPrefix(answer, []byte("HTTP/1.1 200 ")) {
		err = fmt.Errorf("the answer is %q", answer)
	}
	return err
}
