package promises

import (
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

var soak = flag.Bool("soak", false, "run the long forms: up to an hour and a half for each engine")

// TestMain is also the entrance of the child processes.
func TestMain(m *testing.M) {
	if file := os.Getenv(childConfig); file != "" {
		if err := runChild(file); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if origin := os.Getenv(childOrigin); origin != "" {
		if err := runOrigin(origin); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(run(m))
}

// codeFolder is where the native code of guests is kept while the tests run: one
// written in Go takes seconds to compile.
var codeFolder string

func run(m *testing.M) int {
	above, err := os.MkdirTemp("", "promises")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(above)
	codeFolder = filepath.Join(above, "code")
	return m.Run()
}

// either is the short form's figure or, with -soak, the long one's.
func either[T any](short, long T) T {
	if *soak {
		return long
	}
	return short
}

// watchLeaks fails the test if, 5 s after all else was cleaned up, goroutines
// run or descriptors are open that did not before. It is called before anything
// is started, by tests that run alone.
func watchLeaks(t *testing.T) {
	t.Helper()
	if l, err := net.Listen("tcp", "127.0.0.1:0"); err == nil {
		l.Close() // the poller's descriptors stay open from the first socket on
	}
	before, files := goroutines(), openFiles(t)
	t.Cleanup(func() {
		clean := within(5*time.Second, func() bool {
			runtime.GC() // it closes files that nobody has
			return len(goroutines()) <= len(before) && openFiles(t) <= files
		})
		if !clean {
			t.Errorf("leak: %d descriptors, %d before; %d goroutines, %d before:\n\n%s",
				openFiles(t), files, len(goroutines()), len(before), strings.Join(goroutines(), "\n\n"))
		}
	})
}

// goroutines are the stacks of all that run, but for two of fasthttp's: one
// that looks every 10 s whether its server has ended, and one a process.
func goroutines() (stacks []string) {
	buf := make([]byte, 64<<10)
	for {
		n := runtime.Stack(buf, true)
		if n < len(buf) {
			buf = buf[:n]
			break
		}
		buf = make([]byte, 2*len(buf))
	}
	for stack := range strings.SplitSeq(string(buf), "\n\n") {
		if !strings.Contains(stack, "fasthttp.(*workerPool).Start.func2") && !strings.Contains(stack, "fasthttp.updateServerDate.func1") {
			stacks = append(stacks, stack)
		}
	}
	return stacks
}

// openFiles counts the descriptors of this process.
func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries) - 1 // the directory itself
}

// within waits until it is so, and reports whether it came to be in time.
func within(patience time.Duration, so func() bool) bool {
	for end := time.Now().Add(patience); ; time.Sleep(2 * time.Millisecond) {
		if so() {
			return true
		}
		if time.Now().After(end) {
			return false
		}
	}
}
