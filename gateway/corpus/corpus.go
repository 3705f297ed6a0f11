// Package corpus holds an HTTP/1 proxy against a corpus of exchanges: exact
// bytes to the proxy, a scripted origin behind it, and a verdict on what
// reached the origin and what came back.
//
// [Run] plays every case of testdata/http1-corpus.jsonl. It reads both sides
// with its own strict eyes (a lint of each request at the origin, a parser of
// the answers), never with the proxy's code, so that the two cannot share a
// mistake. After each case the proxy is asked for a fresh nonce: another answer
// means that the case has poisoned a connection. A bystander's connection is
// held open meanwhile, and must live.
//
// The proxy under test should give up on a client's head, on an idle body and
// on a silent origin after about 3 s each: some cases wait for that.
//
// The package is for tests only and knows nothing of the gateway; any proxy
// with an address will do.
package corpus

import (
	"crypto/tls"
	"flag"
	"regexp"
	"testing"
)

var only = flag.String("corpus.run", "", "play only the corpus cases whose id or class matches this `regexp`")

// A Target starts a proxy that sends everything to the origin at originAddr and
// returns the proxy's own address, both as host:port. It ends with t, by
// t.Cleanup. It is called several times: each proxy has an origin of its own.
type Target func(t testing.TB, originAddr string) (addr string)

// Options say how the proxy is spoken to.
type Options struct {
	// TLS sends the same bytes inside TLS, with this client configuration.
	// Zero means plain TCP.
	TLS *tls.Config
}

// Run plays the corpus against proxies made by target, one subtest a case, and
// logs a summary by class. Cases run side by side, each proxy one at a time;
// those that measure time run at the end: they are few, and mostly wait.
func Run(t *testing.T, opts Options, target Target) {
	t.Helper()
	specs, err := load()
	if err != nil {
		t.Fatal(err)
	}
	specs, err = choose(specs, *only)
	if err != nil {
		t.Fatalf("-corpus.run: %v", err)
	}
	timed, free := split(specs)
	sum := newSummary()
	play := func(w *worker, s *spec) {
		t.Run(s.ID, func(t *testing.T) {
			r := w.try(s)
			sum.add(s, r)
			report(t, s, r)
		})
	}
	workers := startWorkers(t, opts, target, min(crowd, len(specs)))
	spread(workers, free, play)
	spread(workers, timed, play)
	sum.log(t)
}

// choose keeps the cases whose id or class matches expr.
func choose(specs []*spec, expr string) ([]*spec, error) {
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, err
	}
	var kept []*spec
	for _, s := range specs {
		if re.MatchString(s.ID) || re.MatchString(s.Class) {
			kept = append(kept, s)
		}
	}
	return kept, nil
}

// split parts the cases that judge by milliseconds from those that do not.
func split(specs []*spec) (timed, free []*spec) {
	for _, s := range specs {
		if s.Checks.MaxMS > 0 {
			timed = append(timed, s)
		} else {
			free = append(free, s)
		}
	}
	return timed, free
}

// report fails t with everything that is wrong with the case.
func report(t *testing.T, s *spec, r ruling) {
	t.Helper()
	for _, soft := range r.soft {
		t.Logf("accepted: %s", soft)
	}
	for _, why := range r.why {
		t.Errorf("%s (RFC %s) wants %q, was %q: %s", s.Class, s.RFC, s.Expect, r.outcome, why)
	}
	if t.Failed() {
		t.Logf("note: %s\norigin got: %.600q\nclient got: %.600q", s.Note, r.raw, r.data)
	}
}
