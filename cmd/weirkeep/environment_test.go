package main

import (
	"fmt"
	"net"
	"syscall"
	"testing"
	"time"
)

// A service manager that takes nothing, its socket full, holds nobody up: not the
// start, not a reload, not an upgrade, not the end.
func TestDeafServiceManagerHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	p := newProcess(t, echo(t), "drain: { delay: 0s, timeout: 10s }\n")
	newManager(t, p.file("notify"))
	fill(t, p.file("notify"))
	p.start("", nil, "NOTIFY_SOCKET="+p.file("notify"))
	p.signal(syscall.SIGHUP)
	p.await(`"msg":"configuration applied"`, 1)
	p.signal(syscall.SIGUSR2)
	p.follow(1)
	if err := p.get(); err != nil {
		t.Error(err)
	}
	p.signal(syscall.SIGTERM)
	p.ends()
}

// fill sends datagrams to a socket until it takes no more.
func fill(t *testing.T, socket string) {
	t.Helper()
	c, err := net.Dial("unixgram", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for err == nil {
		c.SetWriteDeadline(time.Now().Add(50 * time.Millisecond))
		_, err = c.Write([]byte("X=1"))
	}
}

// What an environment says of descriptors that did not come with the process, or
// are of another kind, costs a warning and never one of its own.
func TestEnvironmentCannotTakeDescriptors(t *testing.T) {
	t.Parallel()
	for _, env := range [][]string{
		{"LISTEN_FDS=8"}, {"LISTEN_FDS=1024"}, {"LISTEN_FDS=-1"}, {"LISTEN_FDS=many"},
		{"LISTEN_FDS=20", readyFD + "=x"},
		{readyFD + "=2"}, {readyFD + "=4"}, {readyFD + "=6"}, {readyFD + "=999"},
		{bindingsFD + "=2"}, {bindingsFD + "=6"}, {readyFD + "=5", bindingsFD + "=6"},
	} {
		t.Run(fmt.Sprint(env), func(t *testing.T) {
			t.Parallel()
			p := newProcess(t, echo(t), "drain: { delay: 0s, timeout: 10s }\n")
			p.start("LISTEN_PID=$$", nil, env...)
			if err := p.get(); err != nil {
				t.Error(err)
			}
			p.signal(syscall.SIGTERM)
			p.ends()
		})
	}
}
