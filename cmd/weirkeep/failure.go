package main

import (
	"errors"
	"fmt"
)

// How the program can end.
const (
	exitOK          = 0
	exitFailure     = 1   // it did not work
	exitUsage       = 2   // the command line was not understood
	exitConfig      = 3   // the configuration is invalid or absent
	exitUnreachable = 4   // the admin API did not answer
	exitRefused     = 5   // the admin API does not let us
	exitTests       = 6   // tests failed
	exitDiffers     = 7   // a difference was found, and --exit-code asks to say so
	exitInterrupted = 130 // by a signal, before the work was done
)

// failure is why a command did not do its work, and how the program ends then.
type failure struct {
	status int
	code   string // of the error, as in E101; may be empty
	err    error  // nil: everything has been said
	hint   string // what to type instead; may be empty
}

func (f *failure) Error() string {
	if f.err == nil {
		return fmt.Sprintf("exit status %d", f.status)
	}
	return f.err.Error()
}

func (f *failure) Unwrap() error { return f.err }

// end says what went wrong and returns the exit status. What fails before a
// command runs is a mistake of the command line.
func (a *app) end(err error) int {
	if err == nil {
		return exitOK
	}
	var f *failure
	if !errors.As(err, &f) {
		f = &failure{status: exitFailure, err: err}
		if !a.running {
			f.status, f.hint = exitUsage, "weirkeep --help lists commands and flags"
		}
	}
	a.sayFailure(f)
	return f.status
}

func (a *app) sayFailure(f *failure) {
	if f.err == nil {
		return
	}
	p := a.paint(a.stderr)
	label := "error"
	if f.code != "" {
		label += " " + f.code
	}
	fmt.Fprintf(a.stderr, "%s: %s\n", p.red(label), f.err)
	if f.hint != "" {
		fmt.Fprintf(a.stderr, "%s: %s\n", p.cyan("hint"), f.hint)
	}
}
