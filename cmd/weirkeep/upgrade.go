package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// An upgrade puts a new process in the place of this one, and no client is
// refused or cut off for it: the program is started anew, from the file that is
// at its path now, with the same arguments, with our listening sockets and with
// what we know of sessions. It reads the configuration, listens, and says
// through a pipe that it is ready; only then do we stop accepting, let exchanges
// end, and exit. If it does not get there it is ended, and we go on.

// readyFD names, for a new process, the descriptor of that pipe.
const readyFD = "WEIRKEEP_READY_FD"

// bindingsFD names the descriptor of a file with the bindings of sessions, as
// [gateway.Gateway.WriteBindings] writes them. There may be none.
const bindingsFD = "WEIRKEEP_BINDINGS_FD"

// upgradePatience is how long a new process has to become ready.
const upgradePatience = 30 * time.Second

// readyWord is what comes through the pipe.
const readyWord = "ready"

// program is the file to start a new process from: what the shell would start
// for the name that this one was started by, so that a symbolic link can be
// turned to the next release; else the very file.
func program() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	named, err := exec.LookPath(os.Args[0])
	if err != nil {
		return self, nil
	}
	if named, err = filepath.Abs(named); err == nil && sameFile(named, self) {
		return named, nil
	}
	return self, nil
}

func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// upgrade is one that may be under way. It belongs to the goroutine that hears
// signals.
type upgrade struct {
	k        *keeper
	underWay bool
	cancel   context.CancelFunc
	done     chan int // the process id of who has taken our place; 0: nobody
}

func newUpgrade(k *keeper) *upgrade { return &upgrade{k: k, done: make(chan int, 1)} }

// begin starts a new process, unless one is starting.
func (u *upgrade) begin() {
	if why := u.refused(os.Getpid()); why != "" {
		u.k.log.Error("no upgrade: " + why)
		return
	}
	var ctx context.Context
	ctx, u.cancel = context.WithCancel(context.Background())
	u.underWay = true
	go func() { u.done <- u.k.upgrade(ctx) }()
}

// refused is why no upgrade begins; empty: one may. The first process of a
// container is not left: the container would end with it.
func (u *upgrade) refused(pid int) string {
	switch {
	case u.underWay:
		return "one is under way already"
	case u.k.source.path == "":
		return u.k.source.name + " is no file that a new process could read"
	case u.k.program == "":
		return "it is not known which file this program is"
	case pid == 1:
		return "this is the first process of its container, which would end with it; replace the container"
	}
	return ""
}

// ended takes note of how an upgrade ended: whether our place is taken.
func (u *upgrade) ended(pid int) bool {
	u.cancel()
	u.underWay = false
	return pid != 0
}

// giveUp ends an upgrade that is under way: nobody takes the place of a gateway
// that was told to end.
func (u *upgrade) giveUp() {
	if !u.underWay {
		return
	}
	u.cancel()
	if pid := <-u.done; pid != 0 { // it was ready just before
		syscall.Kill(pid, syscall.SIGTERM)
	}
}

// upgrade starts a new process and returns its id once it is ready. On a
// failure, which it logs, it returns 0 and all is as before.
func (k *keeper) upgrade(ctx context.Context) (pid int) {
	began := time.Now()
	k.log.Info("upgrade begins", "program", k.program)
	k.leaving.Store(true)
	sockets, err := k.allSockets()
	if err == nil {
		defer closeAll(sockets)
		bindings := k.bindings()
		defer bindings.Close()
		s := successor{program: k.program, sockets: sockets, bindings: bindings, patience: upgradePatience}
		pid, err = s.start(ctx)
	}
	if err != nil {
		k.leaving.Store(false)
		k.log.Error("no upgrade, this gateway goes on", "because", err)
		return 0
	}
	k.leaveAdmin()
	k.notify.succeeded(pid)
	k.log.Info("upgrade done: a new process serves, this one ends", "process", pid, "seconds", time.Since(began).Seconds())
	return pid
}

// allSockets duplicates every socket that somebody listens on.
func (k *keeper) allSockets() (map[string]*os.File, error) {
	sockets, err := k.gateway.Sockets()
	if err != nil {
		return nil, err
	}
	more, err := k.server.Sockets()
	if err != nil {
		closeAll(sockets)
		return nil, err
	}
	maps.Copy(sockets, more)
	return sockets, nil
}

// bindings are those of all sessions, in a file that is in memory only: unlike a
// pipe it takes all of them before anybody reads. Without it, nil, a new process
// does its work too.
func (k *keeper) bindings() *os.File {
	f, err := memoryFile("weirkeep-bindings")
	if err == nil {
		err = errors.Join(k.gateway.WriteBindings(f), rewind(f))
	}
	if err != nil {
		k.log.Warn("sessions are not handed over", "because", err)
		f.Close()
		return nil
	}
	return f
}

func memoryFile(name string) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

func rewind(f *os.File) error {
	_, err := f.Seek(0, io.SeekStart)
	return err
}

func closeAll(files map[string]*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// successor is a new process that is to take our place.
type successor struct {
	program  string
	sockets  map[string]*os.File // by address as configured
	bindings *os.File            // of sessions; nil: none are handed over
	patience time.Duration       // until it is ready
}

// start starts it and waits until it is ready. Otherwise it has ended when start
// returns.
func (s *successor) start(ctx context.Context) (pid int, err error) {
	ready, said, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer ready.Close()
	process, err := s.fork(said)
	said.Close()
	if err != nil {
		return 0, fmt.Errorf("start %s: %w", s.program, err)
	}
	ended := make(chan string, 1)
	go func() { ended <- endOf(process) }()
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	if err := awaitReady(ctx, ready); err != nil {
		process.Kill()
		return 0, fmt.Errorf("the new process %d %w; it ended with %s", process.Pid, err, <-ended)
	}
	return process.Pid, nil
}

func endOf(p *os.Process) string {
	state, err := p.Wait()
	if err != nil {
		return err.Error()
	}
	return state.String()
}

// awaitReady waits for the word.
func awaitReady(ctx context.Context, pipe *os.File) error {
	end := context.AfterFunc(ctx, func() { pipe.SetReadDeadline(time.Unix(1, 0)) })
	defer end()
	text, err := io.ReadAll(io.LimitReader(pipe, int64(len(readyWord))))
	switch {
	case string(text) == readyWord:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return errors.New("was not ready in time")
	case err != nil:
		return fmt.Errorf("was not waited for: %w", context.Cause(ctx))
	}
	return errors.New("ended before it was ready")
}

// fork starts the process. Package exec cannot do this: it would make the
// sockets block, and so ours too.
func (s *successor) fork(said *os.File) (*os.Process, error) {
	files := []uintptr{0, 1, 2}
	addresses := slices.Sorted(maps.Keys(s.sockets))
	for _, address := range addresses {
		files = append(files, descriptor(s.sockets[address]))
	}
	files = append(files, descriptor(said))
	env := environment(addresses)
	if s.bindings != nil {
		env = append(env, bindingsFD+"="+strconv.Itoa(len(files)))
		files = append(files, descriptor(s.bindings))
	}
	pid, err := syscall.ForkExec(s.program, os.Args, &syscall.ProcAttr{Env: env, Files: files})
	if err != nil {
		return nil, err
	}
	return os.FindProcess(pid)
}

// environment is ours, and what the new process inherits. Names are escaped:
// the protocol separates them by colons.
func environment(addresses []string) []string {
	names := make([]string, len(addresses))
	for i, address := range addresses {
		names[i] = strings.ReplaceAll(url.PathEscape(address), ":", "%3A")
	}
	return append(os.Environ(),
		"LISTEN_FDS="+strconv.Itoa(len(addresses)),
		"LISTEN_FDNAMES="+strings.Join(names, ":"),
		readyFD+"="+strconv.Itoa(firstInherited+len(addresses)))
}

// descriptor is the file's, without making it block as its Fd would.
func descriptor(f *os.File) (fd uintptr) {
	raw, err := f.SyscallConn()
	if err == nil {
		raw.Control(func(n uintptr) { fd = n })
	}
	return fd
}

// predecessor is the process whose place this one takes, if there is one.
type predecessor struct {
	pipe     *os.File // nil: there is none
	bindings *os.File // of its sessions; nil: it gave none
}

// findPredecessor must be called after inherit, and takes what it finds from
// the environment.
func findPredecessor() predecessor {
	p := predecessor{pipe: inheritedFile(readyFD, unix.S_IFIFO), bindings: inheritedFile(bindingsFD, unix.S_IFREG)}
	if p.pipe == nil {
		p.bindings.Close()
		p.bindings = nil
	}
	return p
}

// inheritedFile is the file of a kind whose descriptor a variable names, nil
// without one. What is of another kind is somebody else's, and stays open.
func inheritedFile(variable string, kind uint32) *os.File {
	fd, err := strconv.Atoi(os.Getenv(variable))
	os.Unsetenv(variable)
	var stat unix.Stat_t
	if err != nil || !passedOn(fd) || unix.Fstat(fd, &stat) != nil || stat.Mode&unix.S_IFMT != kind {
		return nil
	}
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), variable)
}

// sessions are its bindings as the gateway wants them.
func (p predecessor) sessions() io.Reader {
	if p.bindings == nil {
		return nil
	}
	return p.bindings
}

// ready tells it that it may go. Without an error it does.
func (p predecessor) ready() error {
	if p.pipe == nil {
		return nil
	}
	defer p.pipe.Close()
	if _, err := io.WriteString(p.pipe, readyWord); err != nil {
		return fmt.Errorf("the gateway whose place this was to take has gone: %w", err)
	}
	return nil
}
