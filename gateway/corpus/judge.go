package corpus

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// evidence is everything that is known of a case after it ran.
type evidence struct {
	reception
	msgs   []message // requests at the origin
	raw    []byte    // the origin's bytes
	next   string    // what the canary found
	cut    bool      // a bystander's connection was cut
	err    error     // no connection to the proxy
	secure bool      // the client spoke TLS
}

// A ruling is the judgement on one case. It passed if there is no why.
type ruling struct {
	evidence
	outcome string
	why     []string // what is wrong
	soft    []string // what is accepted with a remark
	wrong   bool     // somebody got bytes that were not meant for them
}

// verdicts are the corpus' verdicts: each adds what speaks against it.
var verdicts = map[string]func(*judging){
	"reject":              (*judging).wantRefusal,      // nothing reaches the origin; 4xx, 5xx or a close
	"reject-or-abort":     (*judging).wantNoWhole,      // the same, or the origin never sees a whole message
	"forward":             (*judging).wantForwarded,    // it reaches the origin clean, the client gets the answer
	"normalise":           (*judging).wantForwarded,    // the same, and the hazard is gone
	"reject-or-normalise": (*judging).wantEither,       // either of the two
	"origin-error":        (*judging).wantOriginError,  // a bad answer becomes 502, 504 or a visible abort
	"origin-forward":      (*judging).wantOriginAnswer, // the origin's answer reaches the client
	"origin-truncated":    (*judging).wantVisibleCut,   // the client can tell that the answer is not whole
	"origin-any":          func(*judging) {},           // an error or a clean answer, never wrong bytes
	"survive":             func(*judging) {},           // no wrong bytes, and the proxy serves on
}

// refusable are the verdicts under which a request may be turned away.
var refusable = []string{"reject", "reject-or-abort", "reject-or-normalise"}

// plainOnly are cases whose hazard is the truth over TLS: there the proxy itself
// has to say https.
var plainOnly = []string{"xfp-spoof"}

// judging is a case on its way to a ruling.
type judging struct {
	*spec
	ruling
	whole  int      // complete requests at the origin
	hard   []string // findings of the lint that count
	hazard bool
	status int // of the first final answer, 0 if there is none
}

// judge compares the evidence with what the case expects.
func judge(s *spec, e evidence) ruling {
	j := &judging{spec: s, ruling: ruling{evidence: e}}
	j.weigh()
	j.outcome = j.name()
	verdicts[s.Expect](j)
	j.checkPreference()
	j.checkOrigin()
	j.checkAnswers()
	j.checkBytes()
	j.checkConnection()
	j.checkOthers()
	return j.ruling
}

// fault notes something wrong.
func (j *judging) fault(format string, args ...any) {
	j.why = append(j.why, fmt.Sprintf(format, args...))
}

// wrongBytes notes something wrong of the worst kind.
func (j *judging) wrongBytes(format string, args ...any) {
	j.wrong = true
	j.fault(format, args...)
}

// weigh sums the evidence up. A chunk extension is never a fault.
func (j *judging) weigh() {
	for _, m := range j.msgs {
		if m.complete {
			j.whole++
		}
		for _, finding := range m.lint {
			if finding != "chunk-ext" && !slices.Contains(j.LintOK, finding) {
				j.hard = append(j.hard, finding)
			}
		}
	}
	slices.Sort(j.hard)
	j.hard = slices.Compact(j.hard)
	truth := j.secure && slices.Contains(plainOnly, j.ID)
	j.hazard = j.Hazard != nil && !truth && j.Hazard.in(j.raw)
	if len(j.finals) > 0 {
		j.status = j.finals[0].status
	}
}

// answered reports whether the client got a final answer.
func (j *judging) answered() bool { return len(j.finals) > 0 }

// refusing reports whether the client was told, or shown, that it is refused.
func (j *judging) refusing() bool {
	return j.status >= 400 || j.end != "" && !j.answered()
}

// ofOrigin reports whether the case is about the origin's answer.
func (j *judging) ofOrigin() bool {
	return strings.HasPrefix(j.Expect, "origin") || j.Expect == "survive"
}

// name says in a word what happened.
func (j *judging) name() string {
	switch {
	case j.ofOrigin():
		return j.nameAnswer()
	case len(j.msgs) == 0:
		return j.nameUnreached()
	case j.aborted():
		return "aborted"
	case j.hazard || len(j.hard) > 0:
		return "as-is"
	case j.status >= 400:
		return fmt.Sprintf("forwarded-then-%d", j.status)
	case j.Expect == "forward":
		return "forwarded"
	}
	return "normalised"
}

func (j *judging) nameAnswer() string {
	switch {
	case !j.answered() && j.end != "":
		return "closed"
	case !j.answered():
		return "no-answer"
	case !j.finals[0].complete:
		return "truncated"
	case j.status >= 500 && !slices.Contains(j.Checks.Status, j.status):
		return fmt.Sprintf("error-%d", j.status)
	}
	return "forwarded"
}

func (j *judging) nameUnreached() string {
	switch {
	case j.refusing():
		return "rejected"
	case j.status != 0:
		return fmt.Sprintf("answered-%d", j.status)
	}
	return "no-answer"
}

// aborted reports whether the origin saw no whole request and that is allowed.
func (j *judging) aborted() bool {
	if j.whole > 0 {
		return false
	}
	return j.Expect == "reject-or-abort" ||
		j.Expect == "reject-or-normalise" && !j.hazard && j.refusing()
}

// refused reports whether the outcome is a refusal under this verdict.
func (j *judging) refused() bool {
	switch j.outcome {
	case "rejected":
		return true
	case "aborted":
		return j.Expect == "reject-or-normalise"
	case "no-answer":
		return j.Expect == "reject-or-abort"
	}
	return false
}

func (j *judging) wantRefusal() {
	if !j.refused() {
		j.fault("it was not refused")
	}
}

func (j *judging) wantNoWhole() {
	if !j.refused() && j.outcome != "aborted" {
		j.fault("the origin saw a whole request; lint %v", j.hard)
	}
	if j.answered() && j.finals[0].complete && j.status >= 200 && j.status < 300 {
		j.fault("the client was told %d", j.status)
	}
}

func (j *judging) wantEither() {
	if !j.refused() {
		j.wantForwarded()
	}
}

func (j *judging) wantForwarded() {
	if len(j.msgs) == 0 {
		j.fault("it was not forwarded; the client got status %d, end %q", j.status, j.end)
		return
	}
	if len(j.hard) > 0 {
		j.fault("lint at the origin: %v", j.hard)
	}
	if j.hazard {
		j.fault("the hazard %q reached the origin", j.Hazard.text)
	}
	if !j.msgs[0].complete {
		j.fault("the request is not whole at the origin")
	}
	j.wantAnswer(200, 101)
	if n := j.Checks.NReq; n != nil && j.whole != *n {
		j.fault("%d whole requests at the origin, want %d", j.whole, *n)
	}
}

// wantAnswer wants a whole answer with a status the case allows, or, if it does
// not say, one of those given.
func (j *judging) wantAnswer(allowed ...int) {
	if j.Checks.Status != nil {
		allowed = j.Checks.Status
	}
	switch {
	case !j.answered():
		j.fault("no answer to the client (end %q)", j.end)
	case !slices.Contains(allowed, j.status):
		j.fault("the client got %d, want one of %v", j.status, allowed)
	case !j.finals[0].complete:
		j.fault("the answer is not whole")
	}
}

func (j *judging) wantOriginAnswer() { j.wantAnswer(200) }

func (j *judging) wantOriginError() {
	switch j.outcome {
	case "forwarded":
		j.fault("the client got a clean %d", j.status)
	case "no-answer":
		j.fault("no answer in time")
	}
}

func (j *judging) wantVisibleCut() {
	if j.answered() && j.finals[0].complete && j.status < 400 {
		j.fault("the client got a clean %d (%s)", j.status, j.finals[0].framing)
	}
}

// checkPreference remarks on a refusal with another status than the RFC asks.
func (j *judging) checkPreference() {
	out := j.outcome
	if !slices.Contains(refusable, j.Expect) || len(j.Prefer) == 0 || j.status < 400 ||
		out != "rejected" && out != "aborted" || slices.Contains(j.Prefer, j.status) {
		return
	}
	j.soft = append(j.soft, fmt.Sprintf("status %d, the RFC asks for one of %v", j.status, j.Prefer))
}

// asForwarded reports whether the request is judged as one that went through.
func (j *judging) asForwarded() bool {
	switch j.Expect {
	case "forward", "normalise":
		return true
	case "reject-or-normalise":
		return len(j.msgs) > 0 && j.outcome != "aborted"
	}
	return false
}

// checkOrigin looks at the first request at the origin.
func (j *judging) checkOrigin() {
	ck := &j.Checks
	if ck.MaxReq != nil && len(j.msgs) > *ck.MaxReq {
		j.fault("%d requests at the origin, at most %d", len(j.msgs), *ck.MaxReq)
	}
	if !j.asForwarded() || len(j.msgs) == 0 {
		return
	}
	m := j.msgs[0]
	j.contain("the origin's head", m.head, ck.Head)
	j.lack("the origin's head", m.head, ck.NotHead)
	if ck.Body != nil && !bytes.Equal(m.body, *ck.Body) {
		j.fault("the body at the origin (%d bytes) differs", len(m.body))
	}
	if ck.Trailer != nil {
		j.contain("the origin's trailer section", m.trailer, []*pattern{ck.Trailer})
	}
}

func (j *judging) contain(what string, b []byte, ps []*pattern) {
	for _, p := range ps {
		if !p.in(b) {
			j.fault("%s lacks %q", what, p.text)
		}
	}
}

func (j *judging) lack(what string, b []byte, ps []*pattern) {
	for _, p := range ps {
		if p.in(b) {
			j.fault("%s has %q", what, p.text)
		}
	}
}

// checkAnswers looks at the answers, where the case lets something through.
func (j *judging) checkAnswers() {
	if !j.asForwarded() && !slices.Contains([]string{"origin-forward", "origin-any", "survive"}, j.Expect) {
		return
	}
	if !j.statusesFit() {
		j.fault("answers %v, want %v", statuses(j.finals), j.Checks.Statuses)
	}
	for _, want := range j.Checks.Interim {
		if !slices.Contains(statuses(j.interim), want) {
			j.fault("interim answer %d was not passed on", want)
		}
	}
	if want := j.Checks.CBody; want != nil && j.answered() && !bytes.Equal(j.finals[0].body, *want) {
		j.wrong = j.wrong || j.status < 400
		j.fault("the body at the client (%d bytes) differs", len(j.finals[0].body))
	}
}

// statusesFit compares answer by answer.
func (j *judging) statusesFit() bool {
	for k, allowed := range j.Checks.Statuses {
		if k >= len(j.finals) || !slices.Contains(allowed, j.finals[k].status) {
			return false
		}
	}
	return true
}

func statuses(rs []response) []int {
	var out []int
	for _, r := range rs {
		out = append(out, r.status)
	}
	return out
}

// checkBytes looks at what the client got, byte by byte.
func (j *judging) checkBytes() {
	failure := j.Expect == "origin-error" || j.Expect == "origin-truncated"
	if (!failure || j.outcome == "forwarded") && (j.answered() || j.Expect == "survive") {
		j.contain("the client's bytes", j.data, j.Checks.Cli)
	}
	j.lack("the client's bytes", j.data, j.Checks.NotCli)
	if len(j.rest) > 0 && j.answered() && j.Expect != "survive" {
		j.wrongBytes("%d stray bytes after the answer", len(j.rest))
	}
	if len(j.data) > 0 && !j.answered() && len(j.interim) == 0 {
		j.fault("the answer %.40q cannot be parsed", j.data)
	}
}

// checkConnection looks at the end of the client's connection and at the time.
func (j *judging) checkConnection() {
	if want := j.Checks.Closed; want != nil && *want != (j.end != "") && !j.left {
		j.fault("the connection's end is %q, want it closed: %v", j.end, *want)
	}
	if limit := j.Checks.MaxMS; limit > 0 && j.ms > limit {
		j.fault("the first byte came after %d ms, at most %d", j.ms, limit)
	}
}

// checkOthers looks at those who had no part in the case.
func (j *judging) checkOthers() {
	if j.err != nil {
		j.fault("no connection: %v", j.err)
	}
	if j.cut {
		j.fault("a bystander's connection was cut: has the proxy restarted?")
	}
	switch j.next {
	case alive:
	case poisoned:
		j.wrongBytes("the next client got another one's answer")
	default:
		j.fault("the next client got no answer: %s", j.next)
	}
}
