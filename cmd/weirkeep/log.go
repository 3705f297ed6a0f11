package main

import "log/slog"

// logger is the log of a running gateway, on standard error: text for people
// at a terminal, JSON for programs everywhere else.
func (a *app) logger() *slog.Logger {
	options := &slog.HandlerOptions{Level: a.level()}
	if terminal(a.stderr) {
		return slog.New(slog.NewTextHandler(a.stderr, options))
	}
	return slog.New(slog.NewJSONHandler(a.stderr, options))
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
