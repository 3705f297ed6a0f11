package abi

import (
	"bytes"
	"strings"
	"testing"
)

// Every vector has a test: here, or, if it is a module, where modules are metered
// and run.
func TestEveryVectorHasATest(t *testing.T) {
	here := map[string]bool{
		"request-view-router": true, "request-view-matcher": true, "request-view-bare": true, "response-view": true,
		"cluster-table": true, "collector-view": true, "tick-view": true, "http-response-view": true, "http-response-timeout": true,
		"route-result": true, "route-names": true, "configure-params": true, "configure-none": true, "configure-refused": true,
		"http-call": true, "random-matcher": true, "random-zero": true, "example-router": true,
	}
	for _, vec := range vectors(t) {
		switch {
		case strings.HasPrefix(vec.Name, "fuel-"), strings.HasPrefix(vec.Name, "depth-"):
			checkModule(t, vec)
		case strings.HasPrefix(vec.Name, "ops-"): // all of them, in TestOpVectors
		case !here[vec.Name]:
			t.Errorf("%s has no test", vec.Name)
		}
		delete(here, vec.Name)
	}
	if len(here) > 0 {
		t.Errorf("tests of vectors that are not there: %v", here)
	}
}

// checkModule checks that a vector is a module with calls that say what they cost.
func checkModule(t *testing.T, vec vector) {
	t.Helper()
	var said struct {
		Export string
		Calls  []struct {
			Budget, Fuel int
			Fault        FaultKind
			Result       *int
		}
	}
	vec.decode(t, &said)
	if !bytes.HasPrefix(vec.bytes(t), []byte("\x00asm\x01\x00\x00\x00")) || said.Export == "" || len(said.Calls) == 0 {
		t.Errorf("%s is no module with calls", vec.Name)
	}
	for _, c := range said.Calls {
		if c.Fuel == 0 && c.Budget == 0 || (c.Result == nil) != (c.Fault == FaultExhausted) {
			t.Errorf("%s: a call that says neither what it costs nor how it ends: %+v", vec.Name, c)
		}
	}
}

// Without params nothing is delivered.
func TestNoParamsVector(t *testing.T) {
	vec := vectorOf(t, "configure-none")
	var said struct{ Len int }
	vec.decode(t, &said)
	if got := len(vec.bytes(t)); got != said.Len || said.Len != 0 {
		t.Errorf("%d bytes, want %d", got, said.Len)
	}
}
