package main

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// paint colours text, or leaves it as it is when false.
type paint bool

func (p paint) red(s string) string    { return p.wrap("\x1b[31;1m", s) }
func (p paint) yellow(s string) string { return p.wrap("\x1b[33;1m", s) }
func (p paint) cyan(s string) string   { return p.wrap("\x1b[36m", s) }
func (p paint) bold(s string) string   { return p.wrap("\x1b[1m", s) }

func (p paint) wrap(on, s string) string {
	if !p {
		return s
	}
	return on + s + "\x1b[0m"
}

// paint says whether text on w is coloured: what is asked for on the command
// line comes before the environment, and that before what w is.
func (a *app) paint(w io.Writer) paint {
	switch {
	case a.noColor:
		return false
	case set("FORCE_COLOR") && os.Getenv("FORCE_COLOR") != "0":
		return true
	case set("NO_COLOR") || os.Getenv("TERM") == "dumb":
		return false
	}
	return paint(terminal(w))
}

// set reports whether the environment variable has a value.
func set(name string) bool { return os.Getenv(name) != "" }

// terminal reports whether a stream ends at a terminal.
func terminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	_, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	return err == nil
}
