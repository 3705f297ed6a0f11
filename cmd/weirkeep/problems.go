package main

import (
	"fmt"
	"log/slog"
	"strings"

	"weirkeep/gateway/config"
)

// sayProblems tells people every problem, with the lines of the file that are
// to blame.
func (a *app) sayProblems(ps config.Problems) {
	ink := a.paint(a.stderr)
	for _, p := range ps {
		fmt.Fprintln(a.stderr, problemText(p, ink))
	}
}

// sayFound is sayProblems for a command whose result they are: in a form for
// programs they are in it, and said once.
func (a *app) sayFound(ps config.Problems) {
	if !a.machine() {
		a.sayProblems(ps)
	}
}

// sayVerdict says how many problems there were, and what was done about it.
func (a *app) sayVerdict(ps config.Problems, done string) {
	if !a.machine() {
		a.say("%s. %s", count(ps), done)
	}
}

// problemText is the problem as config writes it, with the severity in colour.
func problemText(p config.Problem, ink paint) string {
	label, colour := p.Severity.String()+" "+p.Code, ink.red
	if p.Severity == config.Warning {
		colour = ink.yellow
	}
	return strings.Replace(p.String(), label, colour(label), 1)
}

// count says how many errors and warnings there are: "2 errors, 1 warning".
func count(ps config.Problems) string {
	return plural(ps.Errors(), "error") + ", " + plural(ps.Warnings(), "warning")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// logProblems writes every problem to the log of a running gateway.
func logProblems(log *slog.Logger, ps config.Problems) {
	for _, p := range ps {
		record := log.Error
		if p.Severity == config.Warning {
			record = log.Warn
		}
		record(p.Message, "code", p.Code, "at", place(p), "hint", p.Hint)
	}
}

// place is FILE:LINE:COL, or nothing when the problem has none.
func place(p config.Problem) string {
	if p.File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}
