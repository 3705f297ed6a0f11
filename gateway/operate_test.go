package gateway

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"weirkeep/gateway/rollout"
)

// operateTest is a gateway in front of origins whose sessions it learns.
type operateTest struct {
	homes
	t     *testing.T
	addr  string
	g     *Gateway
	state string // node.state_dir
	ahead time.Duration
}

func startOperate(t *testing.T, names ...string) *operateTest {
	o := &operateTest{homes: newHomes(t, names...), t: t, state: t.TempDir()}
	o.say(atCookie)
	o.restart()
	return o
}

func (o *operateTest) text() string {
	return o.boundText("", byCookie, fmt.Sprintf("node: { state_dir: %q }", o.state))
}

// restart starts a gateway with what the one before has left, as after kill -9: that
// one is not told to end before.
func (o *operateTest) restart() {
	options := o.options()
	ahead := o.ahead
	options.Now = func() time.Time { return time.Now().Add(ahead) }
	o.addr, o.g = start(o.t, o.text(), options)
}

func (o *operateTest) operate(state string, names ...string) []Operated {
	o.t.Helper()
	done, err := o.g.Operate(Operation{Origins: names, State: state, By: "a test"})
	if err != nil {
		o.t.Fatal(err)
	}
	return done
}

// states are those in force, with whose word they are if it is not the file's:
// "a, b draining by operator".
func (o *operateTest) states() string {
	var list []string
	for _, s := range o.g.Status().Origins {
		text := s.Name
		if s.State != "serving" {
			text += " " + s.State
		}
		if s.StateBy != "configuration" {
			text += " by " + s.StateBy
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

func (o *operateTest) want(what, states string) {
	o.t.Helper()
	if got := o.states(); got != states {
		o.t.Errorf("%s: %s, want %s", what, got, states)
	}
}

// newcomers wants requests without a session at these origins alone.
func (o *operateTest) newcomers(want string) {
	o.t.Helper()
	seen := ""
	for _, name := range answerers(o.t, o.addr, "/", 12) {
		if !strings.ContainsRune(want, name) {
			o.t.Errorf("requests without a session went to %q, want %q", string(name), want)
			return
		}
		seen += string(name)
	}
	if seen == "" {
		o.t.Error("nobody answers requests without a session")
	}
}

// A drained origin keeps its sessions, all through reloads and a restart, and no
// request fails; enabled, it takes everybody again.
func TestDrainKeepsSessions(t *testing.T) {
	t.Parallel()
	o := startOperate(t, "a", "b", "c")
	atA, atB := enterAt(t, o.addr, "a"), enterAt(t, o.addr, "b")
	held := o.homes[0].hold(t, o.addr, atA)
	o.operate("draining", "a")
	o.want("drained", "a draining by operator, b, c")
	o.newcomers("bc")
	stays(t, o.addr, atA, "a")
	if s := statusOf(t, o.g, "a"); s.Sessions < 1 || s.InFlight != 1 || len(s.Uncounted) != 1 || s.Uncounted[0].Until.IsZero() {
		t.Errorf("what is left: %d sessions, %d in flight, uncounted %+v", s.Sessions, s.InFlight, s.Uncounted)
	}
	apply(t, o.g, o.text())
	o.want("after a reload", "a draining by operator, b, c")
	o.newcomers("bc")
	stays(t, o.addr, atA, "a")
	o.homes[0].letGo <- struct{}{}
	wantAnswerOf(t, "the request in flight", held, "a")

	o.operate("serving", "a")
	o.want("enabled", "a, b, c")
	stays(t, o.addr, atA, "a")
	stays(t, o.addr, atB, "b")
	enterAt(t, o.addr, "a")

	o.operate("disabled", "main/app/c")
	o.operate("maintenance", o.homes[1].addr)
	o.restart()
	o.want("after kill -9", "a, b maintenance by operator, c disabled by operator")
	o.newcomers("a")
	info, err := os.Stat(SettingsFile(o.state))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, mode %v, want 0600", err, info.Mode())
	}
}

// What an operator says of many is done for all or for none, whatever names it uses.
func TestOperateNames(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		names []string
		want  string // the states, or else the error
		none  bool   // it is one of a name
	}{
		{name: "a name", names: []string{"a"}, want: "a draining by operator, b, c"},
		{name: "cluster and name", names: []string{"app/b"}, want: "a, b draining by operator, c"},
		{name: "cell, cluster and name", names: []string{"main/app/b"}, want: "a, b draining by operator, c"},
		{name: "two", names: []string{"a", "c", "app/a"}, want: "a draining by operator, b, c draining by operator"},
		{name: "a pattern", names: []string{"app/[ab]"}, want: "a draining by operator, b draining by operator, c"},
		{name: "one is unknown", names: []string{"a", "x"}, want: `no such origin "x"`, none: true},
		{name: "a cluster", names: []string{"app"}, want: "it is a cluster, and app/* are its origins", none: true},
		{name: "no match", names: []string{"x*"}, want: `no such origin "x*"`, none: true},
		{name: "no pattern", names: []string{"[a"}, want: "malformed", none: true},
		{name: "nobody", want: "none is named", none: true},
		{name: "all of a cluster", names: []string{"app/*"}, want: "the last origin that takes new clients of app would be gone: only sessions"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := startOperate(t, "a", "b", "c")
			_, err := o.g.Operate(Operation{Origins: tt.names, State: "draining"})
			if err == nil {
				o.want("operated", tt.want)
				return
			}
			if !strings.Contains(err.Error(), tt.want) || errors.Is(err, ErrNoOrigin) != tt.none {
				t.Errorf("%v, want %q", err, tt.want)
			}
			o.want("refused", "a, b, c")
			if _, err := os.Stat(SettingsFile(o.state)); err == nil {
				t.Error("a file was written")
			}
		})
	}
}

// One address in two clusters is one origin; what is spoken to in two schemes is two.
func TestOperateByAddress(t *testing.T) {
	t.Parallel()
	text := plainListener + fmt.Sprintf(`
node: { state_dir: %q }
origins:
  web: { address: "127.0.0.1:1" }
  safe: { address: "https://127.0.0.1:1" }
  more: { address: "127.0.0.1:2" }
clusters: { shop: { origins: [web, safe, more] }, dr/shop: { origins: [more, web] } }
sites: { all: { hosts: ["**"] } }
mappings: [{ site: all, cluster: shop }]
`, t.TempDir())
	_, g := start(t, text, Options{})
	if _, err := g.Operate(Operation{Origins: []string{"127.0.0.1:1"}, State: "draining"}); err == nil ||
		!strings.Contains(err.Error(), "say which of dr/shop/web (http://127.0.0.1:1), main/shop/safe (https://127.0.0.1:1)") {
		t.Errorf("two at one address: %v", err)
	}
	done, err := g.Operate(Operation{Origins: []string{"dr/shop/web"}, State: "draining"})
	if err != nil || len(done) != 1 || done[0].Cell != "dr" {
		t.Fatalf("%+v, %v", done, err)
	}
	for _, s := range g.Status().Origins {
		if (s.Name == "web") != (s.State == "draining") {
			t.Errorf("%s of %s is %s", s.Name, s.Cluster, s.State)
		}
	}
	_, err = g.Operate(Operation{Origins: []string{"https://127.0.0.1:1", "more"}, State: "disabled"})
	if !errors.Is(err, ErrLast) || !strings.Contains(err.Error(), "of dr/shop, shop would be gone: nobody would be served there") {
		t.Errorf("the last ones of two clusters: %v", err)
	}
}

// The last origin that takes new clients is taken out by force alone. One that is
// down takes none, and where there is none nothing is lost.
func TestLastOriginNeedsForce(t *testing.T) {
	t.Parallel()
	o := startOperate(t, "a", "b")
	o.homes[1].kill()
	until(t, "b is out", func() bool { visit(t, o.addr, "/", ""); return !statusOf(t, o.g, "b").Up })
	for _, state := range []string{"draining", "maintenance", "disabled"} {
		if _, err := o.g.Operate(Operation{Origins: []string{"a"}, State: state}); !errors.Is(err, ErrLast) {
			t.Errorf("%s: %v, want that it is the last one", state, err)
		}
	}
	o.want("refused", "a, b")
	o.operate("disabled", "b")
	done, err := o.g.Operate(Operation{Origins: []string{"a"}, State: "disabled", Force: true})
	if err != nil || done[0].Now.State != "disabled" {
		t.Errorf("forced: %+v, %v", done, err)
	}
	o.operate("draining", "a", "b")
	o.want("none was there before", "a draining by operator, b draining by operator")
}

// What is only tried changes nothing; what is so already stays as it was set.
func TestOperateTellsBeforeAndNow(t *testing.T) {
	t.Parallel()
	o := startOperate(t, "a", "b")
	o.homes[1].settings = ", state: maintenance"
	apply(t, o.g, o.text())
	done, err := o.g.Operate(Operation{Origins: []string{"a"}, State: "draining", DryRun: true, Force: true})
	if err != nil || done[0].Before.State != "serving" || done[0].Before.By != "configuration" || done[0].Now.State != "draining" || done[0].Now.By != "operator" {
		t.Errorf("tried: %+v, %v", done, err)
	}
	o.want("tried", "a, b maintenance")
	if b := o.operate("draining", "b")[0]; b.Now.State != "maintenance" || b.Now.By != "configuration" || b.Now.Set.Value != "draining" || b.Configured != "maintenance" {
		t.Errorf("what the configuration closes further: %+v", b)
	}
	b := o.operate("disabled", "b")[0]
	if b.Now.By != "operator" || b.Now.Set.By != "a test" || b.Now.Set.Over != "maintenance" {
		t.Errorf("closed further: %+v", b)
	}
	again, _ := o.g.Operate(Operation{Origins: []string{"b"}, State: "disabled", By: "another"})
	if again[0].Now != b.Now || again[0].Before != b.Now {
		t.Errorf("set again: %+v, want as before", again)
	}
	if b := o.operate("serving", "b")[0]; b.Now.State != "maintenance" || b.Now.By != "configuration" || b.Now.Set != (Set[string]{}) {
		t.Errorf("what the configuration closes is not opened: %+v", b)
	}
	if _, err := o.g.Operate(Operation{Origins: []string{"a"}, State: "drained"}); err == nil || !strings.Contains(err.Error(), "serving, draining, maintenance, disabled") {
		t.Errorf("a state that there is not: %v", err)
	}
}

// Of the operator's word and a roll-out's, the more closed holds, whichever comes
// first; and each goes on when the other is taken back.
func TestOperateDuringARollout(t *testing.T) {
	t.Parallel()
	r := startRolling(t, "grouped", "a", "b", "c")
	o := &operateTest{t: t, g: r.g}
	o.operate("draining", "c")
	r.begin("")
	r.awaitStage("a", rollout.Waiting)
	o.want("rolled out", "a disabled by rollout, b, c draining by operator")
	if a := o.operate("draining", "a")[0]; a.Now.State != "disabled" || a.Now.By != "rollout" {
		t.Errorf("what is being renewed is drained: %+v", a)
	}
	if a := o.operate("serving", "a")[0]; a.Now.State != "disabled" || a.Now.By != "rollout" {
		t.Errorf("what is being renewed is enabled: %+v", a)
	}
	o.operate("disabled", "a")
	r.confirm("a")
	r.awaitStage("a", rollout.Done)
	o.want("renewed, and the operator keeps it", "a disabled by operator, b draining by rollout, c draining by operator")
	r.g.Close()
	r.addr, r.g = start(t, r.text(fmt.Sprintf(nextEdition, "grouped"), r.homes.text()), r.options(false))
	o.g = r.g
	o.want("after a restart", "a disabled by operator, b draining by rollout, c draining by operator")
	o.operate("serving", "a", "c")
	if _, err := r.g.CancelRollout("shop"); err != nil {
		t.Fatal(err)
	}
	o.want("all is taken back", "a, b, c")
}

// What cannot be kept is not done.
func TestOperateThatCannotBeKept(t *testing.T) {
	t.Parallel()
	o := startOperate(t, "a", "b")
	if err := os.Mkdir(SettingsFile(o.state), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := o.g.Operate(Operation{Origins: []string{"a"}, State: "draining"}); err == nil || !strings.Contains(err.Error(), "cannot be kept in node.state_dir") {
		t.Errorf("%v", err)
	}
	o.want("refused", "a, b")
	o.g.Close()
	if _, err := o.g.Operate(Operation{Origins: []string{"a"}, State: "draining"}); !errors.Is(err, errNotServing) {
		t.Errorf("closed: %v", err)
	}
}

// A directory for state that a reload moves has what is set.
func TestSettingsMoveWithTheStateDirectory(t *testing.T) {
	t.Parallel()
	o := startOperate(t, "a", "b")
	o.operate("draining", "a")
	o.state = t.TempDir()
	apply(t, o.g, o.text())
	o.restart()
	o.want("started from the new one", "a draining by operator, b")
}

// Verbs of many at once, reloads and requests: each verb holds when it is answered, an
// origin always serves, and no request fails.
func TestHammerOperate(t *testing.T) {
	t.Parallel()
	o := startOperate(t, "a", "b", "c", "d")
	atD := enterAt(t, o.addr, "d")
	stop := make(chan struct{})
	var clients, operators sync.WaitGroup
	for range 2 {
		clients.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if a := visit(t, o.addr, "/", ""); a.status != 200 {
					t.Errorf("a newcomer got %d", a.status)
				}
				if a := visit(t, o.addr, "/", atD); a.status != 200 {
					t.Errorf("a session got %d", a.status)
				}
			}
		})
	}
	for _, name := range []string{"a", "b", "c"} {
		operators.Go(func() {
			for i := range 10 {
				state := []string{"draining", "serving", "maintenance", "disabled", "serving"}[i%5]
				done, err := o.g.Operate(Operation{Origins: []string{name}, State: state})
				if err != nil || done[0].Now.State != state {
					t.Errorf("%s %s: %+v, %v", name, state, done, err)
				}
			}
		})
	}
	operators.Go(func() {
		for range 5 {
			apply(t, o.g, o.text())
		}
	})
	operators.Wait()
	close(stop)
	clients.Wait()
	o.want("in the end", "a, b, c, d")
}

// Explain and metrics show the state in force, and whose word it is.
func TestOperatedStateIsShown(t *testing.T) {
	t.Parallel()
	o := startOperate(t, "a", "b")
	o.operate("draining", "a")
	e, err := o.g.Explain(Question{Raw: []byte("GET / HTTP/1.1\r\nHost: h\r\n\r\n")})
	if err != nil || e.Pick == nil || e.Pick.Candidates[0].State != "up, draining by operator" || e.Pick.Candidates[1].State != "up, serving" {
		t.Errorf("explain: %v, %+v", err, e.Pick)
	}
	o.g.gauge()
	for l, m := range o.g.Metrics().Current().Origins() {
		if want := boolGauge(l.Origin == "a"); m.State.Load() != want || m.Operated.Load() != want {
			t.Errorf("%s: state %d, by an operator %d, want %d", l.Origin, m.State.Load(), m.Operated.Load(), want)
		}
	}
}

// A weight is obeyed, kept beside the state, and taken back by itself.
func TestOperateWeight(t *testing.T) {
	t.Parallel()
	o := &operateTest{homes: newHomes(t, "a", "b"), t: t, state: t.TempDir()}
	text := func(weight int) string {
		return plainListener + fmt.Sprintf("node: { state_dir: %q }\nclusters: { app: { balancer: weight-based, origins: [{ name: a, address: %q, weight: %d }, { name: b, address: %q }] } }\n",
			o.state, o.homes[0].addr, weight, o.homes[1].addr)
	}
	o.addr, o.g = start(t, text(1), o.options())
	weight := func(w int) Operated {
		t.Helper()
		done, err := o.g.Operate(Operation{Origins: []string{"a"}, Weight: &w, By: "a test"})
		if err != nil {
			t.Fatal(err)
		}
		return done[0]
	}
	share := func(want int) {
		t.Helper()
		if got := strings.Count(answerers(t, o.addr, "/", 20), "a"); got != want {
			t.Errorf("a got %d of 20 requests, want %d", got, want)
		}
	}
	share(10)
	if a := weight(3); a.Before.Weight != 1 || a.Now.Weight != 3 || a.Now.WeightSet.Over != 1 || !a.Weighed || a.Now.State != "serving" {
		t.Errorf("%+v", a)
	}
	share(15)
	o.operate("draining", "a")
	weight(4)
	o.g.Close()
	o.addr, o.g = start(t, text(1), o.options())
	o.want("after a restart", "a draining by operator, b")
	o.operate("serving", "a")
	share(16)
	changed := o.g.Apply(load(t, text(9)))
	if len(changed) != 1 || !strings.Contains(changed[0].Message, "weight is 9, and was 1 when an operator made it 4 for a (") || !strings.Contains(changed[0].Hint, "weirkeep origin weight a --default") {
		t.Errorf("a changed weight: %v", changed)
	}
	share(16)
	if a := weight(0); a.Now.Weight != 9 || a.Now.WeightSet != (Set[int]{}) {
		t.Errorf("taken back: %+v", a)
	}
	share(18)
	for _, w := range []int{-1, 101} {
		if _, err := o.g.Operate(Operation{Origins: []string{"a"}, Weight: &w}); err == nil {
			t.Errorf("weight %d is set", w)
		}
	}
	if _, err := o.g.Operate(Operation{Origins: []string{"a"}}); err == nil {
		t.Error("nothing is wanted, and done")
	}
}
