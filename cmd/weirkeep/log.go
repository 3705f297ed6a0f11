package main

import (
	"log/slog"

	"github.com/spf13/pflag"
)

// logger is the log of a running gateway, on standard error: text for people
// at a terminal, JSON for programs everywhere else. Its last lines are written
// by flush.
func (a *app) logger() (log *slog.Logger, flush func()) {
	options := &slog.HandlerOptions{Level: a.level()}
	if terminal(a.stderr) {
		return slog.New(slog.NewTextHandler(a.stderr, options)), func() {}
	}
	w := newSteadyWriter(a.stderr)
	return slog.New(slog.NewJSONHandler(w, options)), w.flush
}

// verboseFlag is -v, for commands that have more to say: what is the most.
func (a *app) verboseFlag(f *pflag.FlagSet, what string) {
	f.BoolVarP(&a.verbose, "verbose", "v", false, what)
}

func (a *app) level() slog.Level {
	switch {
	case a.quiet:
		return slog.LevelWarn
	case a.verbose:
		return slog.LevelDebug
	}
	return slog.LevelInfo
}
