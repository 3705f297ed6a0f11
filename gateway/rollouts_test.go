package gateway

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"weirkeep/gateway/rollout"
)

// rolling is a gateway whose application shop can be rolled out, by a clock of
// its own.
type rollingTest struct {
	homes
	t     *testing.T
	g     *Gateway
	addr  string
	state string       // node.state_dir
	ahead atomic.Int64 // of the machine's clock
}

// rollingText has the editions' settings and the origins' in it.
func (r *rollingTest) text(editions, origins string) string {
	rules := ""
	if strings.Contains(editions, `"2.0"`) {
		rules = `rules: [{ name: beta, when: 'header("X-Beta") == "1"', permit: { to: "app:shop@2.0" } }`
		if strings.Contains(editions, "next") { // then both may be named, whichever is there
			rules += `, { name: old, when: 'header("X-Old") == "1"', permit: { to: "app:shop@1.0" } }`
		}
		rules += "]"
	}
	return plainListener + fmt.Sprintf(`
node: { state_dir: %q }
clusters: { app: { origins: %s, session: s, edition: { application: shop, label: "1.0" } } }
sessions: { s: { cookie: SID, idle_timeout: 30m } }
applications: { shop: { clusters: [app] } }
editions: { shop: { %s } }
sites: { w: { hosts: ["**"] } }
mappings: [{ site: w, applications: [shop] }]
%s
`, r.state, origins, editions, rules)
}

const nextEdition = `active: "1.0", next: "2.0", rollout: { strategy: %s, drain: 1h }`

// startRolling starts a gateway in front of origins with these names, that knows all
// sessions from the beginning.
func startRolling(t *testing.T, strategy string, names ...string) *rollingTest {
	r := &rollingTest{homes: newHomes(t, names...), t: t, state: t.TempDir()}
	r.say(atCookie)
	r.addr, r.g = start(t, r.text(fmt.Sprintf(nextEdition, strategy), r.homes.text()), r.options(true))
	return r
}

// options are those of a gateway, which may have been told all sessions.
func (r *rollingTest) options(told bool) Options {
	o := r.homes.options()
	o.Now = func() time.Time { return time.Now().Add(time.Duration(r.ahead.Load())) }
	if told {
		var none bytes.Buffer
		before := New(Options{})
		apply(r.t, before, plainListener+"clusters: { app: { origins: [{ address: \"127.0.0.1:1\" }] } }\n")
		if err := before.WriteBindings(&none); err != nil {
			r.t.Fatal(err)
		}
		before.Close()
		o.Bindings = &none
	}
	return o
}

func (r *rollingTest) begin(to string) {
	r.t.Helper()
	if _, err := r.g.StartRollout("shop", to); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rollingTest) status() rollout.Status {
	r.t.Helper()
	all := r.g.Rollouts()
	if len(all) != 1 {
		r.t.Fatalf("%d roll-outs, want one", len(all))
	}
	return all[0]
}

// awaitStage steps until an origin is so far.
func (r *rollingTest) awaitStage(name string, want rollout.Stage) {
	r.t.Helper()
	until(r.t, fmt.Sprintf("%s is %s: %+v", name, want, r.status()), func() bool {
		r.g.step()
		o := r.status().Origins
		i := slices.IndexFunc(o, func(o rollout.MemberStatus) bool { return o.Name == name })
		return i >= 0 && o[i].Stage == want
	})
}

func (r *rollingTest) awaitPhase(want rollout.Phase) {
	r.t.Helper()
	until(r.t, "the roll-out is "+string(want), func() bool { r.g.step(); return r.status().Phase == want })
}

func (r *rollingTest) confirm(names ...string) {
	r.t.Helper()
	if _, err := r.g.ConfirmRollout("shop", names...); err != nil {
		r.t.Fatal(err)
	}
}

// newcomers are the origins that requests without a session get.
func (r *rollingTest) newcomers() string {
	r.t.Helper()
	var seen []string
	for range 12 {
		a := visit(r.t, r.addr, "/", "")
		if a.status != 200 {
			r.t.Fatalf("a request without a session was answered %d", a.status)
		}
		seen = append(seen, a.origin())
	}
	slices.Sort(seen)
	return strings.Join(slices.Compact(seen), "")
}

func (r *rollingTest) wantNewcomers(want string) {
	r.t.Helper()
	if got := r.newcomers(); got != want {
		r.t.Errorf("requests without a session went to %q, want %q: %+v", got, want, r.status())
	}
}

// beta is who answers a request that a rule sends to the new edition; empty: nobody.
func (r *rollingTest) beta() string {
	r.t.Helper()
	return ask(r.t, r.addr, visitHead("/", "")+"\r\nX-Beta: 1").origin()
}

// D-WS-15, D-WS-17: one at a time; who has a session goes on, who has none goes
// elsewhere, and the drain ends early when no session is left.
func TestRolloutGroupedLosesNoSession(t *testing.T) {
	t.Parallel()
	r := startRolling(t, "grouped", "a", "b", "c")
	atA, atB, atC := enterAt(t, r.addr, "a"), enterAt(t, r.addr, "b"), enterAt(t, r.addr, "c")
	r.begin("")
	r.awaitStage("a", rollout.Draining)
	r.wantNewcomers("bc")
	for range 5 {
		r.g.step()
	}
	stays(t, r.addr, atA, "a")
	if s := r.status(); s.Origins[0].Stage != rollout.Draining || s.Origins[0].Sessions < 1 {
		t.Fatalf("a has a session, and is %+v", s.Origins[0])
	}
	for range 3 { // the sessions of a are not used for 30 minutes, and end
		r.ahead.Add(int64(15 * time.Minute))
		stays(t, r.addr, atB, "b")
		stays(t, r.addr, atC, "c")
	}
	r.awaitStage("a", rollout.Waiting)
	r.wantNewcomers("bc")
	if got := r.beta(); got != "" {
		t.Errorf("the new edition is served by %q before it is there", got)
	}
	r.confirm("a")
	r.awaitStage("a", rollout.Done)
	if got := r.beta(); got != "a" {
		t.Errorf("the new edition is served by %q, want a", got)
	}
	r.awaitStage("b", rollout.Draining)
	r.wantNewcomers("ac")
	stays(t, r.addr, atB, "b")
	stays(t, r.addr, atC, "c")

	r.ahead.Add(int64(20 * time.Minute))
	stays(t, r.addr, atB, "b") // it is in use, and the longest wait ends
	r.ahead.Add(int64(25 * time.Minute))
	stays(t, r.addr, atB, "b")
	r.ahead.Add(int64(20 * time.Minute))
	r.awaitStage("b", rollout.Waiting)
	if a := visit(t, r.addr, "/", atB); a.status != 200 || a.origin() == "b" {
		t.Errorf("after the longest wait a session of b got %d from %q", a.status, a.origin())
	}
	r.confirm()
	r.ahead.Add(int64(time.Hour)) // c has no session left: who looks late finds it drained already
	r.awaitStage("c", rollout.Waiting)
	r.confirm("c")
	r.awaitPhase(rollout.Finished)
	r.wantNewcomers("abc")
}

// D-WS-17: what is in flight is waited for, whether or not it has a session.
func TestRolloutWaitsForRequests(t *testing.T) {
	t.Parallel()
	r := startRolling(t, "grouped", "a", "b")
	var held <-chan told
	for held == nil {
		if answer := visitLater(t, r.addr, "/hold", ""); true {
			until(t, "the request is held", func() bool { return r.homes[0].held.Load()+r.homes[1].held.Load() > 0 })
			if r.homes[0].held.Load() > 0 {
				held = answer
			} else {
				r.homes[1].letGo <- struct{}{}
				await(answer)
			}
		}
	}
	r.begin("")
	for range 5 {
		r.g.step()
	}
	if s := r.status().Origins[0]; s.Stage != rollout.Draining || s.InFlight != 1 {
		t.Errorf("a has a request in flight, and is %+v", s)
	}
	r.homes[0].letGo <- struct{}{}
	wantAnswerOf(t, "the request in flight", held, "a")
	r.awaitStage("a", rollout.Waiting)
}

// D-WS-16: whoever is new never gets two editions; at the switch all get the new one.
func TestRolloutAtomicServesOneEdition(t *testing.T) {
	t.Parallel()
	r := startRolling(t, "atomic", "a", "b", "c", "d")
	atD := enterAt(t, r.addr, "d")
	for range 3 { // those that came to others on the way end
		r.ahead.Add(int64(15 * time.Minute))
		stays(t, r.addr, atD, "d")
	}
	r.begin("")
	r.awaitStage("a", rollout.Waiting)
	r.awaitStage("b", rollout.Waiting)
	r.wantNewcomers("cd")
	r.confirm("a")
	r.awaitStage("a", rollout.Ready)
	r.wantNewcomers("cd")
	r.confirm("b")
	r.awaitStage("d", rollout.Draining)
	r.wantNewcomers("ab")
	stays(t, r.addr, atD, "d")
	r.awaitStage("c", rollout.Waiting)
	r.ahead.Add(int64(time.Hour))
	r.awaitStage("d", rollout.Waiting)
	r.wantNewcomers("ab")
	r.confirm()
	r.awaitPhase(rollout.Finished)
	r.wantNewcomers("abcd")
}

// A roll-out goes on where it was when the gateway is killed and started again, and
// the first request finds it so. Then nobody knows how many sessions there are.
func TestRolloutOutlivesTheGateway(t *testing.T) {
	t.Parallel()
	r := startRolling(t, "grouped", "a", "b", "c")
	r.begin("")
	r.awaitStage("a", rollout.Waiting)
	r.confirm("a")
	r.awaitStage("b", rollout.Draining)
	text := r.text(fmt.Sprintf(nextEdition, "grouped"), r.homes.text())
	r.g.Close()
	r.addr, r.g = start(t, text, r.options(false))
	r.wantNewcomers("ac")
	if got := r.beta(); got != "a" {
		t.Errorf("the new edition is served by %q, want a", got)
	}
	if s := r.status(); s.Done != 1 || s.Origins[1].Sessions >= 0 {
		t.Errorf("%+v, want one done, and sessions that nobody counts", s)
	}
	r.ahead.Add(int64(time.Hour))
	r.awaitStage("b", rollout.Waiting)
}

// What a configuration says that is read meanwhile holds, but for what the roll-out
// says.
func TestRolloutUnderReloads(t *testing.T) {
	t.Parallel()
	r := startRolling(t, "grouped", "a", "b", "c", "d")
	three := r.homes.except("d")
	next := fmt.Sprintf(nextEdition, "grouped")
	apply(t, r.g, r.text(next, three.text()))
	r.begin("")
	r.awaitStage("a", rollout.Waiting)

	apply(t, r.g, r.text(next, r.homes.text())) // d is new, and is rolled out with the rest
	r.wantNewcomers("bcd")
	if s := r.status(); s.Total != 4 || s.Origins[0].Stage != rollout.Waiting {
		t.Errorf("after a reload: %+v", s)
	}
	r.homes.named(t, "c").settings = ", state: disabled" // the operator's word: it is more closed
	apply(t, r.g, r.text(next, r.homes.text()))
	r.wantNewcomers("bd")
	r.homes.named(t, "a").settings = ", state: serving"
	apply(t, r.g, r.text(next, r.homes.text()))
	r.wantNewcomers("bd")

	apply(t, r.g, r.text(next, r.homes.except("a").text())) // who was waited for is gone
	r.awaitStage("b", rollout.Draining)
	if _, err := r.g.CancelRollout("shop"); err != nil {
		t.Fatal(err)
	}
	r.wantNewcomers("bd")
	wrong := strings.Replace(r.text(next, three.text()), "app:shop@2.0", "app:shop@9.9", 1)
	if problems := r.g.Apply(load(t, wrong)); problems.Errors() == 0 {
		t.Fatal("a rule may name an edition that nobody knows")
	}
	if s := r.status(); s.Phase != rollout.Cancelled || s.Total != 3 {
		t.Errorf("after a reload that was refused: %+v", s)
	}
}

// When a roll-out is over it holds until the configuration says a new edition that
// one of its origins runs, or somebody forgets it.
func TestRolloutIsForgotten(t *testing.T) {
	t.Parallel()
	finished := func(t *testing.T) *rollingTest {
		r := startRolling(t, "atomic", "a", "b")
		r.begin("")
		r.awaitStage("a", rollout.Waiting)
		r.confirm()
		r.awaitStage("b", rollout.Waiting)
		r.confirm()
		r.awaitPhase(rollout.Finished)
		return r
	}
	t.Run("kept while the file says what it said", func(t *testing.T) {
		t.Parallel()
		r := finished(t)
		apply(t, r.g, r.text(fmt.Sprintf(nextEdition, "atomic"), r.homes.text()))
		r.wantNewcomers("ab")
		if got := r.beta(); got == "" {
			t.Error("the new edition is not served")
		}
	})
	t.Run("kept while no origin of the file runs what is active", func(t *testing.T) {
		t.Parallel()
		r := finished(t)
		apply(t, r.g, r.text(`active: "2.0"`, r.homes.text()))
		r.wantNewcomers("ab")
	})
	t.Run("forgotten when the file says it", func(t *testing.T) {
		t.Parallel()
		r := finished(t)
		apply(t, r.g, strings.Replace(r.text(`active: "2.0"`, r.homes.text()), `label: "1.0"`, `label: "2.0"`, 1))
		if all := r.g.Rollouts(); len(all) != 0 {
			t.Errorf("%+v, want none", all)
		}
		if got := r.newcomers(); got != "ab" {
			t.Errorf("served by %q", got)
		}
	})
	t.Run("forgotten by a start, in the file too", func(t *testing.T) {
		t.Parallel()
		r := finished(t)
		r.g.Close()
		start(t, strings.Replace(r.text(`active: "2.0"`, r.homes.text()), `label: "1.0"`, `label: "2.0"`, 1), r.options(false))
		if all, err := loadRollouts(r.state); err != nil || len(all) != 0 {
			t.Errorf("%v is kept, %v", all, err)
		}
	})
	t.Run("forgotten by hand", func(t *testing.T) {
		t.Parallel()
		r := finished(t)
		if err := r.g.ForgetRollout("shop"); err != nil {
			t.Fatal(err)
		}
		if got := r.beta(); got != "" {
			t.Errorf("the new edition is served by %q, and the file knows no such origin", got)
		}
	})
	t.Run("a third edition", func(t *testing.T) {
		t.Parallel()
		r := finished(t) // the file says 1.0, the rules name 1.0 and 2.0, and nobody runs them in the end
		r.begin("3.0")
		r.awaitStage("a", rollout.Waiting)
		r.confirm()
		r.awaitStage("b", rollout.Waiting)
		r.confirm()
		r.awaitPhase(rollout.Finished)
		r.wantNewcomers("ab")
	})
	t.Run("rolled back", func(t *testing.T) {
		t.Parallel()
		r := finished(t)
		r.begin("1.0")
		if s := r.status(); s.From != "2.0" || s.To != "1.0" {
			t.Errorf("rolled back from %s to %s", s.From, s.To)
		}
	})
}
