package main

import (
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// notifier tells the service manager that started us how we are, in systemd's
// notification protocol (sd_notify(3)): a datagram of lines, NAME=value, to the
// unix socket that NOTIFY_SOCKET names. Where there is none it tells nobody.
type notifier struct {
	socket string
	log    *slog.Logger
}

func newNotifier(log *slog.Logger) notifier { return notifier{os.Getenv("NOTIFY_SOCKET"), log} }

// ready says that we serve, after the start or after a reload, and what.
func (n notifier) ready(status string) { n.tell("READY=1", "STATUS="+status) }

// reloading says that a reload begins; ready ends it. The time tells one
// reload's messages from another's.
func (n notifier) reloading() {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		n.log.Warn("the service manager was not told of a reload", "because", err)
		return
	}
	n.tell("RELOADING=1", fmt.Sprintf("MONOTONIC_USEC=%d", now.Nano()/1000))
}

// stopping says that the end has begun.
func (n notifier) stopping() { n.tell("STOPPING=1", "STATUS=draining") }

// succeeded says that another process has taken our place.
func (n notifier) succeeded(pid int) { n.tell(fmt.Sprintf("MAINPID=%d", pid)) }

// notifyPatience is how long a manager that takes nothing is waited for: its
// socket may be full, and whoever is told must not be held up by it.
const notifyPatience = 100 * time.Millisecond

func (n notifier) tell(lines ...string) {
	if n.socket == "" {
		return
	}
	if err := n.send(strings.Join(lines, "\n")); err != nil {
		n.log.Warn("the service manager was not told", "what", lines[0], "because", err)
	}
}

// send sends one datagram. A socket whose name begins with @ is no file but an
// abstract one, which package net names in the same way.
func (n notifier) send(text string) error {
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: n.socket, Net: "unixgram"})
	if err != nil {
		return err
	}
	defer c.Close()
	c.SetWriteDeadline(time.Now().Add(notifyPatience))
	_, err = c.Write([]byte(text))
	return err
}
