package main

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Who reads the log may leave, or stop reading: the gateway goes on, and ends
// when it is told to.
func TestLogWithoutAReader(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		leave bool
	}{{"the reader leaves", true}, {"the reader sleeps", false}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			log, stderr, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer log.Close()
			addr, weirkeep := startWithLog(ctx, t, stderr)
			if _, err := bufio.NewReader(log).ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			if tt.leave {
				log.Close()
			}
			for range 400 { // more than a pipe holds
				askUntilAnswered(ctx, t, addr)
			}
			weirkeep.Process.Signal(syscall.SIGTERM)
			if err := weirkeep.Wait(); err != nil {
				t.Errorf("the gateway ended with %v, want exit 0", err)
			}
		})
	}
}

// startWithLog runs the program with its log going to stderr.
func startWithLog(ctx context.Context, t *testing.T, stderr *os.File) (addr string, c *exec.Cmd) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr = l.Addr().String()
	l.Close()
	file := filepath.Join(t.TempDir(), "weirkeep.yaml")
	text := "node: { state_dir: state }\nlisteners: [{ address: \"" + addr + "\" }]\nadmin: { address: \"off\" }\n" +
		"drain: { delay: 0s, timeout: 2s }\nclusters: { app: { origins: [{ address: \"127.0.0.1:1\" }] } }\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c = exec.CommandContext(ctx, exe, "serve", "-c", file)
	c.Args[0] = "weirkeep" // the test binary is the program under this name
	c.Stderr, c.Env = stderr, append(os.Environ(), "LOG=/dev/null/none")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	stderr.Close()
	return addr, c
}

func askUntilAnswered(ctx context.Context, t *testing.T, addr string) {
	t.Helper()
	for {
		r, _ := http.NewRequestWithContext(ctx, "GET", "http://"+addr+"/", nil)
		res, err := http.DefaultClient.Do(r)
		if err == nil {
			res.Body.Close()
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("no answer: %v", err)
		}
	}
}
