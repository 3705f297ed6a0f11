package engine

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
)

// Kind is what kind of fault ended a call. The list is closed, and the same on
// every engine; these are the kinds that an engine can tell.
type Kind string

// The kinds, in the order in which they are considered: if several fit, the
// first is meant.
const (
	KindHostError Kind = "host-error" // a host function or the engine failed, for a reason of ours
	KindExhausted Kind = "exhausted"  // fuel, depth, native stack or host calls used up
	KindMemory    Kind = "memory"     // a trap or exit in a call in which memory.grow was refused
	KindExit      Kind = "exit"       // the guest called proc_exit
	KindTrap      Kind = "trap"       // any other trap
)

var (
	// Exit is what a host function panics with to end the call as the guest
	// wishes.
	Exit = errors.New("the guest called proc_exit")
	// OutOfCalls is what a host function panics with when the guest has called
	// the host more often than it may.
	OutOfCalls = errors.New("host calls used up")
)

// Fault is a call that did not return.
type Fault struct {
	Kind Kind
	// Message says what happened, in one line.
	Message string
	// Stack is what was running: the guest's functions, innermost first, one a
	// line in the engine's way of writing, 30 at most. After a panic of a host
	// function, its Go stack follows.
	Stack string
	// Cause is the engine's error, or what the host function panicked with.
	Cause error
}

// Error returns kind and message.
func (f *Fault) Error() string { return string(f.Kind) + ": " + f.Message }

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Cause }

// Call is what a host function is told about the call it serves. One belongs
// to each instance.
type Call struct {
	// Env is the value that Instantiate was given.
	Env any

	instance Instance
	stop     error  // what a host function ended the call with
	bug      string // its Go stack, when it was neither Exit nor OutOfCalls
}

// NewCall is for engines: it returns the Call of an instance.
func NewCall(env any, i Instance) *Call { return &Call{Env: env, instance: i} }

// Memory returns the guest's memory as it is now. It grows only while the
// guest runs, so it is good until the host function returns.
func (c *Call) Memory() []byte { return c.instance.Memory() }

// Serve is for engines: it runs a host function and reports whether it
// returned. If not, the engine has to end the guest's call. No panic passes.
func (c *Call) Serve(f *HostFunction, stack []uint64) (returned bool) {
	defer func() {
		if !returned {
			c.stopped(recover())
		}
	}()
	f.Call(c, stack)
	return true
}

// stopped notes what a host function panicked with.
func (c *Call) stopped(with any) {
	err, ok := with.(error)
	if !ok {
		err = fmt.Errorf("%v", with)
	}
	c.stop = err
	if !errors.Is(err, Exit) && !errors.Is(err, OutOfCalls) {
		c.bug = string(debug.Stack())
	}
}

// maxFrames is how many functions of the guest a fault names.
const maxFrames = 30

// Ending is what an engine knows of a call that did not return.
type Ending struct {
	Err error // in the engine's words
	// Trapped: the guest trapped, or was stopped after a host function. If
	// neither, the engine itself has failed.
	Trapped  bool
	Overflow bool   // it trapped because the native stack was used up
	Message  string // the trap's name
	Stack    string // the guest's functions, one a line
}

// Fault is for engines: it says what a call that did not return was, and
// forgets what the host functions left behind.
func (c *Call) Fault(e Ending) *Fault {
	f := &Fault{Stack: firstLines(e.Stack, maxFrames), Cause: e.Err}
	f.Kind, f.Message = c.classify(e)
	if c.bug != "" {
		f.Stack = strings.TrimSpace(f.Stack + "\n" + c.bug)
	}
	if c.stop != nil {
		f.Cause = c.stop
	}
	c.stop, c.bug = nil, ""
	return f
}

// classify returns kind and message; the first that fits is meant.
func (c *Call) classify(e Ending) (Kind, string) {
	switch {
	case c.bug != "":
		return KindHostError, "a host function panicked: " + firstLine(c.stop.Error())
	case !e.Trapped && c.stop == nil:
		return KindHostError, "the engine failed: " + firstLine(e.Message)
	case c.instance.Fuel() < 0:
		return KindExhausted, "fuel used up"
	case c.instance.Depth() < 0:
		return KindExhausted, "depth of calls used up"
	case e.Overflow:
		return KindExhausted, "native stack used up"
	case errors.Is(c.stop, OutOfCalls):
		return KindExhausted, firstLine(c.stop.Error())
	}
	what, kind := firstLine(e.Message), KindTrap
	if c.stop != nil {
		what, kind = firstLine(c.stop.Error()), KindExit
	}
	if c.instance.Mark() != 0 {
		return KindMemory, what + ", after memory.grow was refused"
	}
	return kind, what
}

func firstLine(s string) string { return firstLines(s, 1) }

// firstLines returns the first n lines of s, or all if there are fewer.
func firstLines(s string, n int) string {
	end := 0
	for line := range strings.Lines(s) {
		if n--; n < 0 {
			break
		}
		end += len(line)
	}
	return strings.TrimSuffix(s[:end], "\n")
}
