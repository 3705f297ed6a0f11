package gateway

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"weirkeep/gateway/cache/disk"
	"weirkeep/gateway/config"
)

// volumeTask is the variable that names the configuration of a child process, which is a
// gateway that is killed. The other one bounds its files.
const (
	volumeTask  = "VOLUME_CHILD"
	volumeLimit = "VOLUME_CHILD_LIMIT"
)

// serveVolume is a child process. It says its address and, when its input has ended, how
// many errors the disk has had.
func serveVolume(file string) {
	if limit := os.Getenv(volumeLimit); limit != "" {
		var r syscall.Rlimit
		fmt.Sscan(limit, &r.Cur)
		r.Max = r.Cur
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &r); err != nil {
			panic(err)
		}
	}
	cfg, problems := config.Load(file)
	g := New(Options{})
	if problems = append(problems, g.Apply(cfg)...); problems.Errors() > 0 {
		panic(fmt.Sprint(problems))
	}
	for _, a := range g.Addresses() {
		fmt.Println(a)
	}
	io.Copy(io.Discard, os.Stdin)
	fmt.Println(g.tier.Stats().Errors)
}

// A volumeChild is such a process.
type volumeChild struct {
	cmd  *exec.Cmd
	in   io.Closer
	out  *bufio.Scanner
	addr string
}

func startVolumeChild(t *testing.T, text string, env ...string) *volumeChild {
	t.Helper()
	file := filepath.Join(t.TempDir(), "weirkeep.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), volumeTask+"="+file, "STATE_DIRECTORY="+t.TempDir()), env...)
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
	c := &volumeChild{cmd: cmd, in: in, out: bufio.NewScanner(out)}
	t.Cleanup(c.kill)
	c.addr = c.line()
	return c
}

func (c *volumeChild) line() string {
	c.out.Scan()
	return c.out.Text()
}

func (c *volumeChild) kill() {
	c.cmd.Process.Kill()
	c.cmd.Wait()
}

// newVault is a shop whose answers are noise of up to 200 kB, each with its sum in a field.
func newVault(t *testing.T, o Options) *shop {
	s := newShopOf(t, diskOf(filepath.Join(t.TempDir(), "cache")), o)
	s.answer = func(head string) (string, string) {
		b := make([]byte, rand.IntN(200_000))
		rand.NewChaCha8([32]byte{byte(s.heads.Load()), byte(s.heads.Load() >> 8)}).Read(b)
		return fmt.Sprintf("Cache-Control: max-age=600\r\nX-Sum: %x\r\n", sha256.Sum256(b)), string(b)
	}
	return s
}

// sound reports whether an answer is a whole and right one, and whether it is a hit.
func sound(got string) (right, hit bool) {
	head, body, _ := strings.Cut(got, "\r\n\r\n")
	right = strings.HasPrefix(head, "HTTP/1.1 200 ") && strings.Contains(head, fmt.Sprintf("X-Sum: %x", sha256.Sum256([]byte(body))))
	return right, strings.Contains(head, "edge; hit")
}

// visit asks a gateway for numbers of targets, and reports how many were hits. What is not
// right is an error; what broke off because the gateway was killed is not there.
func visitVault(t *testing.T, addr string, from, to int, killed *atomic.Bool) (hits int) {
	t.Helper()
	for n := from; n < to; n++ {
		got, err := dialAndSend(addr, fmt.Sprintf("GET /%d HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n", n))
		if killed != nil && killed.Load() {
			return hits
		}
		right, hit := sound(got)
		if err != nil || !right {
			t.Errorf("/%d: %v: %.300q", n, err, got)
		}
		if hit {
			hits++
		}
	}
	return hits
}

func dialAndSend(addr, raw string) (string, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return "", err
	}
	defer c.Close()
	if _, err := io.WriteString(c, raw); err != nil {
		return "", err
	}
	got, err := io.ReadAll(c)
	return string(got), err
}

// TestDiskSurvivesAKill: a gateway that is killed while it fills its folder serves no
// wrong and no half answer when it is started again, and still has most of what it had.
func TestDiskSurvivesAKill(t *testing.T) {
	s := newVault(t, Options{})
	s.g.Close()
	const targets = 60
	hits := 0
	for round := range 4 {
		c := startVolumeChild(t, s.text)
		hits += visitVault(t, c.addr, 0, targets/2, nil)
		var killed atomic.Bool
		var busy sync.WaitGroup
		for part := range 3 {
			busy.Go(func() { visitVault(t, c.addr, targets*(round+part), targets*(round+part+1), &killed) })
		}
		asked := s.heads.Load() + rand.Int64N(20)
		until(t, "answers are being stored", func() bool { return s.heads.Load() > asked })
		killed.Store(true)
		c.kill()
		busy.Wait()
	}
	if hits < targets/2 {
		t.Errorf("%d hits after restarts, want at least %d", hits, targets/2)
	}
}

// TestDiskOfLimitedFiles (G16): where the kernel lets no file become as long as a segment,
// answers go on, and the errors are counted.
func TestDiskOfLimitedFiles(t *testing.T) {
	s := newVault(t, Options{})
	s.g.Close()
	c := startVolumeChild(t, s.text, volumeLimit+"=300000")
	visitVault(t, c.addr, 0, 30, nil)
	visitVault(t, c.addr, 0, 30, nil)
	c.in.Close()
	if errors := c.line(); errors == "" || errors == "0" {
		t.Errorf("%q errors were counted", errors)
	}
	c.cmd.Wait()
	c = startVolumeChild(t, s.text)
	visitVault(t, c.addr, 0, 30, nil)
}

// TestDiskThatFails (G16): while a disk is full or fails, answers go on from memory and the
// origin, none of them wrong or half; failures are counted, and logged, with what to do;
// and once it works again, answers are kept again.
func TestDiskThatFails(t *testing.T) {
	for _, tt := range []struct {
		name, op string
		err      error
		do       string
	}{
		{"full", "write", syscall.ENOSPC, "free space there, or allow the cache less of it"},
		{"writes fail", "write", syscall.EIO, "the disk fails: see the kernel's log, replace it, or name another folder"},
		{"reads fail", "read", syscall.EIO, "the disk fails: see the kernel's log, replace it, or name another folder"},
		{"all fails", "", syscall.EIO, "the disk fails: see the kernel's log, replace it, or name another folder"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, log := &faultyFS{}, new(reportLog)
			s := newVault(t, Options{diskFS: f, Logger: slog.New(slog.NewTextHandler(log, nil))})
			visitVault(t, s.addr, 0, 10, nil)
			s.restart(t)
			f.fail(tt.op, tt.err)
			for range 2 {
				visitVault(t, s.addr, 0, 20, nil)
			}
			s.written(t)
			st := s.g.tier.Stats()
			if st.Errors == 0 {
				t.Errorf("nothing is counted: %+v", st)
			}
			saying := fmt.Sprintf("path=%s ", s.g.tier.Volume().Path())
			until(t, "the log says what fails", func() bool {
				return inLog(log, "level=WARN", "ing fails", saying, "means=", fmt.Sprintf("do=%q", tt.do))
			})
			f.mend()
			s.clock.Add(5)
			until(t, "answers are kept again", func() bool {
				had := s.g.tier.Stats().Objects
				visitVault(t, s.addr, int(s.heads.Load())+1000, int(s.heads.Load())+1001, nil)
				s.written(t)
				return s.g.tier.Stats().Objects > had
			})
			if tt.op != "read" { // it works once something is read again
				until(t, "the log says that it works", func() bool { return inLog(log, "level=INFO", "writing works again") })
			}
			s.restart(t)
			visitVault(t, s.addr, 0, 20, nil)
		})
	}
}

// inLog reports whether a line of a log has all of these.
func inLog(log *reportLog, parts ...string) bool {
	return slices.ContainsFunc(log.lines(), func(line string) bool {
		return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(line, part) })
	})
}

// TestDiskThatIsDamaged: what has become other bytes on the disk is a miss, and counted.
func TestDiskThatIsDamaged(t *testing.T) {
	s := newVault(t, Options{})
	visitVault(t, s.addr, 0, 10, nil)
	s.restart(t)
	files, err := filepath.Glob(filepath.Join(s.g.tier.Volume().Path(), "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		damage(t, name)
	}
	if hits := visitVault(t, s.addr, 0, 10, nil); hits != 0 {
		t.Errorf("%d hits", hits)
	}
	if st := s.g.tier.Stats(); st.Corrupt == 0 {
		t.Errorf("%+v", st)
	}
}

// damage changes a byte in each kilobyte of a file.
func damage(t *testing.T, name string) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	for at := int64(500); at < info.Size(); at += 1000 {
		var b [1]byte
		f.ReadAt(b[:], at)
		b[0] ^= 0x40
		f.WriteAt(b[:], at)
	}
}

// faultyFS is the machine's file system, with faults.
type faultyFS struct{ fault atomic.Pointer[fault] }

type fault struct {
	op  string // empty: all
	err error
}

func (f *faultyFS) fail(op string, err error) { f.fault.Store(&fault{op, err}) }
func (f *faultyFS) mend()                     { f.fault.Store(nil) }

func (f *faultyFS) ask(op, name string) error {
	if x := f.fault.Load(); x != nil && (x.op == "" || x.op == op) {
		return &fs.PathError{Op: op, Path: name, Err: x.err}
	}
	return nil
}

func (f *faultyFS) OpenFile(name string, flag int, perm fs.FileMode) (disk.File, error) {
	op := "open"
	if flag&os.O_CREATE != 0 {
		op = "create"
	}
	if err := f.ask(op, name); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return &faultyFile{file, f}, nil
}

func (f *faultyFS) ReadDir(name string) ([]fs.DirEntry, error)   { return os.ReadDir(name) }
func (f *faultyFS) Stat(name string) (fs.FileInfo, error)        { return os.Stat(name) }
func (f *faultyFS) MkdirAll(name string, perm fs.FileMode) error { return os.MkdirAll(name, perm) }
func (f *faultyFS) Lock(name string) (io.Closer, error)          { return io.NopCloser(nil), nil }

func (f *faultyFS) Remove(name string) error {
	if err := f.ask("remove", name); err != nil {
		return err
	}
	return os.Remove(name)
}

type faultyFile struct {
	*os.File
	fs *faultyFS
}

func (f *faultyFile) ReadAt(p []byte, at int64) (int, error) {
	if err := f.fs.ask("read", f.Name()); err != nil {
		return 0, err
	}
	return f.File.ReadAt(p, at)
}

// WriteAt writes half before it fails.
func (f *faultyFile) WriteAt(p []byte, at int64) (int, error) {
	if err := f.fs.ask("write", f.Name()); err != nil {
		n, _ := f.File.WriteAt(p[:len(p)/2], at)
		return n, err
	}
	return f.File.WriteAt(p, at)
}

func (f *faultyFile) Sync() error {
	if err := f.fs.ask("sync", f.Name()); err != nil {
		return err
	}
	return f.File.Sync()
}
