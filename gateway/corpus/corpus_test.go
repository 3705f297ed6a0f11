package corpus

import (
	"crypto/tls"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// loaded returns the corpus by id.
func loaded(t *testing.T) map[string]*spec {
	t.Helper()
	specs, err := load()
	if err != nil {
		t.Fatal(err)
	}
	byID := map[string]*spec{}
	for _, s := range specs {
		byID[s.ID] = s
	}
	return byID
}

// one starts a proxy with its origin.
func one(t *testing.T, opts Options, target Target) *worker {
	t.Helper()
	return startWorkers(t, opts, target, 1)[0]
}

func TestRunPassesAGoodProxy(t *testing.T) {
	defer func(was string) { *only = was }(*only)
	*only = "^baseline$|^xff-spoof$|^keepalive-seq$"
	Run(t, Options{}, library)
}

func TestProxiesAreJudged(t *testing.T) {
	specs := loaded(t)
	for _, tt := range []struct {
		name    string
		proxy   Target
		id      string
		outcome string
		passed  bool
		wrong   bool   // somebody got another one's bytes
		why     string // part of a reason
	}{
		{name: "bytes handed on are fine when they are clean", proxy: passThrough, id: "ok-get", outcome: "forwarded", passed: true},
		{name: "two hosts handed on", proxy: passThrough, id: "host-dup-same", outcome: "as-is", why: "not refused"},
		{name: "a bare LF handed on", proxy: passThrough, id: "rl-lf-end", outcome: "as-is", why: "bare-lf"},
		{name: "half a request handed on", proxy: passThrough, id: "dis-mid-body", outcome: "aborted", passed: true},
		{name: "a bad status handed on", proxy: passThrough, id: "or-status-2", outcome: "closed", why: "cannot be parsed"},
		{name: "everything refused", proxy: refuser, id: "ok-get", outcome: "rejected", why: "not forwarded"},
		{name: "attacks refused, and the next client too", proxy: refuser, id: "host-dup-same", outcome: "rejected", why: "no answer: down"},
		{name: "answers swapped", proxy: swapper, id: "ok-get", outcome: "answered-200", wrong: true, why: "another one's answer"},
		{name: "bystanders cut", proxy: hangUp, id: "ok-get", outcome: "rejected", why: "bystander"},
		{name: "a good proxy", proxy: library, id: "ok-post-chunked", outcome: "forwarded", passed: true},
		{name: "an identity made true", proxy: library, id: "xff-spoof", outcome: "normalised", passed: true},
		{name: "an identity left false", proxy: library, id: "forwarded-spoof", outcome: "as-is", why: "hazard"},
		{name: "a look-alike let through", proxy: library, id: "hs-underscore-cl", outcome: "as-is", why: "look-alike"},
		{name: "a known length held back", proxy: library, id: "or-cl-flush", outcome: "forwarded", why: "first byte"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if specs[tt.id] == nil {
				t.Fatalf("no case %q", tt.id)
			}
			r := one(t, Options{}, tt.proxy).try(specs[tt.id])
			if r.outcome != tt.outcome || (len(r.why) == 0) != tt.passed || r.wrong != tt.wrong {
				t.Errorf("%s: %s, wrong bytes %v, against it %q", tt.id, r.outcome, r.wrong, r.why)
			}
			if all := strings.Join(r.why, "; "); !strings.Contains(all, tt.why) {
				t.Errorf("%s: reasons %q, want %q among them", tt.id, all, tt.why)
			}
		})
	}
}

func TestPassThroughFailsEveryRefusal(t *testing.T) {
	var must []*spec
	for _, s := range loaded(t) {
		if s.Expect == "reject" && s.Class != "slow" {
			must = append(must, s)
		}
	}
	sum := newSummary()
	spread(startWorkers(t, Options{}, passThrough, crowd), must, func(w *worker, s *spec) {
		r := w.try(s)
		sum.add(s, r)
		if len(r.why) == 0 {
			t.Errorf("%s passed: %s", s.ID, r.outcome)
		}
	})
	if len(must) < 100 {
		t.Errorf("%d cases, want at least 100", len(must))
	}
	sum.log(t)
}

func TestOverTLS(t *testing.T) {
	specs := loaded(t)
	server := httptest.NewUnstartedServer(nil)
	defer server.Close()
	start := func(_ testing.TB, origin string) string {
		server.Config.Handler = reverseProxy(origin)
		server.StartTLS()
		return server.Listener.Addr().String()
	}
	w := one(t, Options{TLS: &tls.Config{InsecureSkipVerify: true}}, start)
	for id, passed := range map[string]bool{
		"ok-get":           true,
		"xfp-spoof":        true, // what was a lie over TCP
		"hs-underscore-cl": false,
		"dis-mid-body":     true, // a reset
		"dis-half-close":   false,
	} {
		if r := w.try(specs[id]); (len(r.why) == 0) != passed {
			t.Errorf("%s: %s, against it %q", id, r.outcome, r.why)
		}
	}
}

func TestCorpusIsWellKnown(t *testing.T) {
	specs := loaded(t)
	if len(specs) < 473 {
		t.Errorf("%d cases, want at least 473", len(specs))
	}
	for text := range lookaheads {
		used := func(s *spec) bool { return s.Hazard != nil && s.Hazard.text == text }
		if !slices.ContainsFunc(slices.Collect(maps.Values(specs)), used) {
			t.Errorf("no case has the expression %q", text)
		}
	}
}
