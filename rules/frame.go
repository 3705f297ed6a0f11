package rules

import (
	"errors"
	"net/netip"
	"time"

	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"
)

// A frame is what one evaluation runs in: the expression's machine, and the
// environment whose functions read the frame's request. Frames are used again and
// again, so that an evaluation makes nothing.
type frame struct {
	language *Language
	program  *Program
	request  *Request
	machine  vm.VM
	env      map[string]any
	scratch  []byte // decoded values, for the time of one evaluation
}

// maxScratch is how much of a frame's memory is kept for the next evaluation.
const maxScratch = 64 << 10

// testName and entryName are the environment's names of what was patched in. No
// source can spell them.
const (
	testName  = "#test"
	entryName = "#entry"
)

func newFrame(l *Language) *frame {
	f := &frame{language: l}
	f.env = map[string]any{
		testName:  func(i int) bool { return f.program.tests[i](f) },
		entryName: entry,
	}
	for _, v := range variables {
		if l.options.Scope.holds(v.name, v.scope) {
			f.env[v.name] = v.zero
		}
	}
	for name, fn := range l.functions {
		f.env[name] = fn.build(f)
	}
	return f
}

// run evaluates a program of the frame's language. An error is for people.
func (f *frame) run(p *Program, r *Request) (any, error) {
	f.program, f.request, f.scratch = p, r, f.scratch[:0]
	for _, v := range p.vars {
		if v.name == sessionName && f.sealed(r.Session.ID) {
			return nil, ErrSealed
		}
		f.env[v.name] = v.read(f)
	}
	result, err := f.machine.Run(p.code, f.env)
	if err != nil {
		return nil, unwrap(err)
	}
	return result, nil
}

// sealed reports whether only a hash of the value is known.
func (f *frame) sealed(value []byte) bool {
	return f.request.Seal != nil && f.request.Seal.Sealed(value)
}

// open returns a value of the request that may be sealed, or ends the evaluation.
func (f *frame) open(value []byte) []byte {
	if f.sealed(value) {
		panic(ErrSealed) // the machine returns it
	}
	return value
}

// equal compares a value of the request with a text.
func (f *frame) equal(value []byte, text string) bool {
	if f.sealed(value) {
		return f.request.Seal.Equal(value, text)
	}
	return string(value) == text
}

// unwrap is the error without the place in the program, which a log has no use for.
func unwrap(err error) error {
	for _, known := range [...]error{ErrSealed, errUnknown, errFailed} {
		if errors.Is(err, known) {
			return known
		}
	}
	if e, ok := errors.AsType[*file.Error](err); ok {
		return errors.New(e.Message)
	}
	return err
}

// These are the types that variables with fields have.
type (
	clientType struct {
		IP   netip.Addr `expr:"ip"`
		Port int        `expr:"port"`
		Cert certType   `expr:"cert"`
	}
	certType struct {
		Subject     string   `expr:"subject"`
		Issuer      string   `expr:"issuer"`
		Fingerprint string   `expr:"fingerprint"`
		SAN         []string `expr:"san"`
	}
	peerType struct {
		IP netip.Addr `expr:"ip"`
	}
	tlsType struct {
		Version string `expr:"version"`
		SNI     string `expr:"sni"`
	}
	httpType struct {
		Version string `expr:"version"`
	}
	nodeType struct {
		Name string `expr:"name"`
		Zone string `expr:"zone"`
	}
	sessionType struct {
		ID        string `expr:"id"`
		Primary   string `expr:"primary"`
		Secondary string `expr:"secondary"`
		New       bool   `expr:"new"`
	}
	timeType struct {
		Hour    int `expr:"hour"`
		Minute  int `expr:"minute"`
		Weekday int `expr:"weekday"`
		Unix    int `expr:"unix"`
	}
	requestType struct {
		ID   string `expr:"id"`
		Size int    `expr:"size"`
	}
	clusterType struct {
		Up           int `expr:"up"`
		Inflight     int `expr:"inflight"`
		CapacityLeft int `expr:"capacity_left"`
	}
)

// timeOf is a time as rules see it: Monday is day 1, Sunday day 7.
func timeOf(t time.Time) timeType {
	return timeType{Hour: t.Hour(), Minute: t.Minute(), Weekday: (int(t.Weekday())+6)%7 + 1, Unix: int(t.Unix())}
}
