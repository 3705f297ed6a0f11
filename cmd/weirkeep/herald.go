package main

import (
	"fmt"
	"log/slog"
	"strings"
	"time"
)

// herald says what becomes of a running gateway: in lines to people, as
// records of the log to programs.
type herald struct {
	app    *app
	log    *slog.Logger
	people bool
	title  string   // what is served: a file, or the demo
	advice []string // what to try next; may be empty
}

// serving says what listens where.
func (h herald) serving(listeners []string, admin, token string) {
	if !h.people {
		h.log.Info("serving", "version", version, "config", h.title, "listeners", listeners, "admin", admin, "token", token)
		return
	}
	ink := h.app.paint(h.app.stderr)
	h.app.say("%s    %s", ink.bold(thisBuild().String()), h.title)
	for _, url := range listeners {
		h.app.say("  gateway    %s", openable(url))
	}
	h.app.say("  admin      %-26s  token in %s", openable(admin), token)
	for _, line := range h.advice {
		h.app.say("%s", line)
	}
}

// openable is a URL as a browser on this machine opens it, which 0.0.0.0 is not.
func openable(url string) string {
	scheme, address, _ := strings.Cut(url, "://")
	if scheme != "http" && scheme != "https" {
		return url
	}
	return scheme + "://" + dialable(address)
}

// draining says that no more clients are let in, and how many are left.
func (h herald) draining(connections int) {
	if !h.people {
		h.log.Info("draining", "connections", connections)
		return
	}
	if !h.app.quiet {
		fmt.Fprintf(h.app.stderr, "draining %s… ", plural(connections, "connection"))
	}
}

// drained says that the gateway has ended; err is why not all exchanges have.
func (h herald) drained(took time.Duration, err error) {
	switch {
	case !h.people && err == nil:
		h.log.Info("drained", "seconds", took.Seconds())
	case !h.people:
		h.log.Warn("drained, not everything ended by itself", "seconds", took.Seconds(), "because", err)
	case err == nil:
		h.app.say("done (%.1f s)", took.Seconds())
	default:
		h.app.say("cut after %.1f s: %v", took.Seconds(), err)
	}
}

// interrupted says that exchanges were ended.
func (h herald) interrupted(connections int) {
	if h.people {
		h.app.say("cut, %s", plural(connections, "connection"))
		return
	}
	h.log.Warn("interrupted", "connections", connections)
}
