package plugins

import (
	"bytes"

	"weirkeep/abi"
	"weirkeep/plugins/engine"
)

const (
	callHostCalls = 1_000  // host calls, WASI included, in a call
	initHostCalls = 10_000 // in a call with init fuel
	chargedBytes  = 64 << 10
	stderrKept    = 4 << 10
)

// phase is what an instance is doing, for host functions that are not there always.
type phase uint8

const (
	making     phase = iota // steps 1 to 7
	trying                  // the self-test
	serving                 // a call of its kind
	collecting              // gw_collect
	ticking                 // gw_tick
	answering               // gw_on_http_response
)

// callsOut reports whether http_call is there.
func (p phase) callsOut() bool { return p == collecting || p == ticking }

// Properties answer what get_property asks of the exchange. False: no value here.
type Properties interface {
	Property(name string) (value string, ok bool)
}

// env is what host functions know of the instance that calls them.
type env struct {
	plugin *Plugin
	place  Place
	phase  phase
	calls  int        // that may still be made
	now    uint64     // of the view; 0: none
	random abi.Random // of a matcher's call
	of     Properties // of the exchange; nil: none
	caller *caller    // of the instance; nil: http_call is not there

	lines  [2]lineBuffer // of stdout and stderr
	stderr tail
}

// begin readies the env for a call.
func (e *env) begin(p phase, ample bool, now uint64) {
	e.phase, e.now = p, now
	e.calls = callHostCalls
	if ample {
		e.calls = initHostCalls
	}
}

// deterministic reports whether the guest may know nothing but its view.
func (e *env) deterministic() bool { return e.plugin.config.Kind == Matcher }

// hostFunction is a function that guests may import, by its part of the contract.
type hostFunction func(e *env, mem []byte, stack []uint64)

// counted makes the engine's host function of one of ours: it counts the call.
func counted(f hostFunction) func(*engine.Call, []uint64) {
	return func(c *engine.Call, stack []uint64) {
		e := c.Env.(*env)
		e.charge(1)
		f(e, c.Memory(), stack)
	}
}

// charge counts host calls, and ends the guest's call when it has made too many.
func (e *env) charge(n int) {
	if e.calls -= n; e.calls < 0 {
		panic(engine.OutOfCalls)
	}
}

// work charges for what a host function does with so many bytes: time in the host is
// not paid for with fuel, so each 64 KiB beyond the first count as one call more.
func (e *env) work(bytes uint64) { e.charge(int(min(bytes/chargedBytes, initHostCalls+1))) }

// slice is a part of the guest's memory; false: it is not all inside.
func slice(mem []byte, at, n uint64) ([]byte, bool) {
	at, n = at&0xffffffff, n&0xffffffff
	if at+n > uint64(len(mem)) {
		return nil, false
	}
	return mem[at : at+n : at+n], true
}

// answer puts a result of 32 bits on the stack.
func answer(stack []uint64, n int32) { stack[0] = uint64(uint32(n)) }

func answerCode(stack []uint64, c abi.Code) { answer(stack, int32(c)) }

// tail keeps the end of what is written.
type tail struct{ b []byte }

func (t *tail) write(p []byte) {
	p = p[max(0, len(p)-stderrKept):]
	t.b = append(t.b, p...)
	if over := len(t.b) - stderrKept; over > 0 {
		t.b = append(t.b[:0], t.b[over:]...)
	}
}

// lineBuffer cuts what is written into lines.
type lineBuffer struct{ b []byte }

// write calls line with each line that is whole. A line that does not end is cut.
func (l *lineBuffer) write(p []byte, line func([]byte)) {
	for len(p) > 0 {
		n := min(abi.MaxMessage-len(l.b), len(p))
		skip := 0
		if at := bytes.IndexByte(p[:n], '\n'); at >= 0 {
			n, skip = at, 1
		}
		l.b = append(l.b, p[:n]...)
		p = p[n+skip:]
		if skip == 1 || len(l.b) == abi.MaxMessage {
			line(l.b)
			l.b = l.b[:0]
		}
	}
}
