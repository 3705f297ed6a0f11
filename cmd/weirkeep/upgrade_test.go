package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// echo is an origin that answers with what it was sent.
func echo(t *testing.T) (address string) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		fmt.Fprintf(w, "%s %s", r.Method, body)
	}))
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// Three times the program is replaced while clients send requests, on new
// connections and on kept ones: not one fails.
func TestUpgradesUnderLoad(t *testing.T) {
	p := newProcess(t, echo(t), "drain: { delay: 300ms, timeout: 10s }\n")
	p.start("", nil)
	load := startLoad(t, p.gateway)
	load.clients.Go(func() { load.probe("tcp", p.admin) })
	load.clients.Go(func() { load.probe("unix", p.file("admin.sock")) })
	for n := 1; n <= 3; n++ {
		load.more(100)
		p.install("")
		p.signal(syscall.SIGUSR2)
		p.follow(n)
	}
	load.more(100)
	load.end()
	p.signal(syscall.SIGTERM)
	p.ends()
}

// load is clients that send requests until it ends.
type load struct {
	t       *testing.T
	stop    chan struct{}
	clients sync.WaitGroup
	served  atomic.Int64
}

func startLoad(t *testing.T, address string) *load {
	l := &load{t: t, stop: make(chan struct{})}
	for i := range 8 {
		l.clients.Go(func() { l.run(address, []string{http.MethodGet, http.MethodPost}[i%2], i < 4) })
	}
	return l
}

// more waits until so many more requests were answered.
func (l *load) more(n int64) {
	l.t.Helper()
	before := l.served.Load()
	if err := eventually(func() error {
		if now := l.served.Load(); now < before+n {
			return fmt.Errorf("%d requests were served, want %d", now-before, n)
		}
		return nil
	}); err != nil {
		l.t.Fatal(err)
	}
}

func (l *load) end() {
	close(l.stop)
	l.clients.Wait()
	l.t.Logf("%d requests were served", l.served.Load())
}

func (l *load) run(address, method string, keeps bool) {
	for i := 0; !l.over(); i++ {
		c, err := net.Dial("tcp", address)
		if err != nil {
			l.t.Errorf("connect: %v", err)
			return
		}
		c.SetDeadline(time.Now().Add(time.Minute))
		for r := bufio.NewReader(c); l.ask(c, r, method, fmt.Sprint(i)) && keeps && !l.over(); i++ {
		}
		c.Close()
	}
}

func (l *load) over() bool {
	select {
	case <-l.stop:
		return true
	default:
		return false
	}
}

// probe asks an admin API whether it is ready, on a new connection each time.
func (l *load) probe(network, address string) {
	for !l.over() {
		if err := ask(network, address, "/readyz"); err != nil {
			l.t.Errorf("admin API by %s: %v", network, err)
		}
	}
}

// ask reports whether the connection can be used again.
func (l *load) ask(c net.Conn, r *bufio.Reader, method, body string) (again bool) {
	if method == http.MethodGet {
		body = ""
	}
	_, sent := fmt.Fprintf(c, "%s / HTTP/1.1\r\nHost: a.example\r\nContent-Length: %d\r\n\r\n%s", method, len(body), body)
	answer, err := http.ReadResponse(r, &http.Request{Method: method})
	if err != nil {
		l.t.Errorf("%s: sent %v, answered %v", method, sent, err)
		return false
	}
	text, err := io.ReadAll(answer.Body)
	if want := method + " " + body; err != nil || answer.StatusCode != 200 || string(text) != want {
		l.t.Errorf("%s: %s %q, %v; want %q", method, answer.Status, text, err, want)
	}
	l.served.Add(1)
	return !answer.Close
}

// A new program that does not become ready changes nothing.
func TestUpgradesThatFail(t *testing.T) {
	for _, tt := range []struct {
		name    string
		prepare func(p *process)
		log     string
	}{
		{"the configuration is bad", func(p *process) { p.write("weirkeep.yaml", "listners: []\n", 0o600) }, `no upgrade.*ended before it was ready; it ended with exit status 3`},
		{"the program crashes", func(p *process) { p.install("#!/bin/sh\nkill -9 $$\n") }, `no upgrade.*ended before it was ready; it ended with signal: killed`},
		{"there is no program", func(p *process) { os.Remove(p.file("bin/weirkeep")) }, `no upgrade.*bin/weirkeep: no such file`},
		{"it is no program", func(p *process) { p.install("nothing") }, `no upgrade.*bin/weirkeep: exec format error`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newProcess(t, echo(t), "drain: { delay: 0s, timeout: 10s }\n")
			p.start("", nil)
			tt.prepare(p)
			p.signal(syscall.SIGUSR2)
			p.await(tt.log, 1)
			if err := p.get(); err != nil {
				t.Errorf("after that the gateway: %v", err)
			}
			if err := eventually(func() error { return ask("tcp", p.admin, "/healthz") }); err != nil {
				t.Errorf("after that the admin API: %v", err)
			}
			p.signal(syscall.SIGTERM)
			p.ends()
		})
	}
}

// While a new process starts, a second upgrade is refused, and the end of the
// gateway is that of both.
func TestUpgradeIsOneAtATime(t *testing.T) {
	t.Parallel()
	p := newProcess(t, echo(t), "drain: { delay: 0s, timeout: 10s }\n")
	p.start("", nil)
	p.install("#!/bin/sh\necho $$ >pid.new; mv pid.new pid; exec sleep 1000\n")
	p.signal(syscall.SIGUSR2)
	if err := eventually(func() error { _, err := os.Stat(p.file("pid")); return err }); err != nil {
		t.Fatal(err)
	}
	p.signal(syscall.SIGUSR2)
	p.await(`no upgrade: one is under way already`, 1)
	if err := p.get(); err != nil {
		t.Errorf("meanwhile the gateway: %v", err)
	}
	p.signal(syscall.SIGTERM)
	p.ends()
	pid, err := os.ReadFile(p.file("pid"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("/proc/" + strings.TrimSpace(string(pid))); err == nil {
		t.Errorf("process %s, which was to take over, is still there", pid)
	}
}

// A new process that does not say in time that it is ready is ended.
func TestUpgradePatienceEnds(t *testing.T) {
	t.Parallel()
	p := newProcess(t, "127.0.0.1:1", "")
	p.install("#!/bin/sh\nexec sleep 1000\n")
	s := successor{program: p.file("bin/weirkeep"), patience: 50 * time.Millisecond}
	pid, err := s.start(t.Context())
	if want := "was not ready in time; it ended with signal: killed"; pid != 0 || err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%d, %v; want %q", pid, err, want)
	}
}

func TestUpgradesThatDoNotBegin(t *testing.T) {
	for _, tt := range []struct {
		name          string
		path, program string
		pid           int
		underWay      bool
		want          string
	}{
		{"all is well", "w.yaml", "/bin/weirkeep", 7, false, ""},
		{"one is under way", "w.yaml", "/bin/weirkeep", 7, true, "under way"},
		{"the demo", "", "/bin/weirkeep", 7, false, "no file"},
		{"no known program", "w.yaml", "", 7, false, "not known"},
		{"a container's first process", "w.yaml", "/bin/weirkeep", 1, false, "container"},
	} {
		u := upgrade{k: &keeper{program: tt.program, source: &source{path: tt.path}}, underWay: tt.underWay}
		if got := u.refused(tt.pid); !strings.Contains(got, tt.want) || (got == "") != (tt.want == "") {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// What is under way ends where it began, on the next program's watch.
func TestUpgradeLetsAnswersEnd(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan struct{}), make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			close(arrived)
			<-release
		}
		io.WriteString(w, "whole")
	}))
	defer slow.Close()
	p := newProcess(t, slow.Listener.Addr().String(), "drain: { delay: 0s, timeout: 20s }\n")
	p.start("", nil)
	answered := make(chan error, 1)
	go func() { answered <- ask("tcp", p.gateway, "/slow") }()
	<-arrived
	p.signal(syscall.SIGUSR2)
	p.await(`"msg":"upgrade done`, 1)
	if err := p.get(); err != nil {
		t.Errorf("the next program: %v", err)
	}
	close(release)
	if err := <-answered; err != nil {
		t.Errorf("the answer that was under way: %v", err)
	}
	p.follow(1)
	p.signal(syscall.SIGTERM)
	p.ends()
}
