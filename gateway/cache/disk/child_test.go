package disk

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

var soak = flag.Bool("soak", false, "run the long forms: some ten minutes")

// either is the short form's figure or, with -soak, the long one's.
func either[T any](short, long T) T {
	if *soak {
		return long
	}
	return short
}

// childTask is the variable that says what a child process of a test does.
const childTask = "DISK_CHILD"

// TestMain is also the entrance of the child processes.
func TestMain(m *testing.M) {
	verb, arg, _ := strings.Cut(os.Getenv(childTask), " ")
	switch verb {
	case "":
		os.Exit(m.Run())
	case "write":
		writeForever(arg)
	case "hold":
		holdFolder(arg)
	case "limited":
		writeLimited(arg)
	case "nobody":
		openAsNobody(arg)
	}
}

// A child is a process that does one thing, and says what it has done.
type child struct {
	t   *testing.T
	cmd *exec.Cmd
	out *bufio.Scanner
}

// start runs a child; it ends with the test at the latest.
func start(t *testing.T, task string, change func(*exec.Cmd)) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childTask+"="+task)
	cmd.Stderr = os.Stderr
	if change != nil {
		change(cmd)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &child{t, cmd, bufio.NewScanner(out)}
	t.Cleanup(func() {
		in.Close()
		c.kill()
	})
	return c
}

// line is the next line that the child says, empty when it has ended.
func (c *child) line() string {
	if !c.out.Scan() {
		return ""
	}
	return c.out.Text()
}

// kill ends the child at once, as the kernel would, and waits for it. What it has said
// before can still be read first.
func (c *child) kill() {
	c.cmd.Process.Kill()
	c.cmd.Wait()
}

// say says a line in one write: a killed process has said all of it or nothing.
func say(format string, args ...any) { fmt.Fprintf(os.Stdout, format+"\n", args...) }

// fail ends a child with an error.
func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
