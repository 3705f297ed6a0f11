package gateway

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"weirkeep/gateway/rollout"
)

// Errors say what is wrong, and nothing changes.
func TestRolloutErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		do   func(r *rollingTest) error
		want string
	}{
		{"unknown application", func(r *rollingTest) error { _, err := r.g.StartRollout("shpo", ""); return err }, `no editions of "shpo": it has those of shop`},
		{"that serves already", func(r *rollingTest) error { _, err := r.g.StartRollout("shop", "1.0"); return err }, "edition 1.0 of shop serves already"},
		{"no next", func(r *rollingTest) error {
			apply(r.t, r.g, r.text(`active: "1.0"`, r.homes.text()))
			_, err := r.g.StartRollout("shop", "")
			return err
		}, "editions.shop has no next"},
		{"running", func(r *rollingTest) error { r.begin(""); _, err := r.g.StartRollout("shop", "3.0"); return err }, "is being rolled out from 1.0 to 2.0"},
		{"nothing to confirm", func(r *rollingTest) error { _, err := r.g.ConfirmRollout("shop"); return err }, `no roll-out of "shop"`},
		{"not drained", func(r *rollingTest) error {
			r.begin("")
			_, err := r.g.ConfirmRollout("shop", "b")
			return err
		}, "origin b is pending"},
		{"forget what runs", func(r *rollingTest) error { r.begin(""); return r.g.ForgetRollout("shop") }, "cancel it first"},
		{"cancel twice", func(r *rollingTest) error {
			r.begin("")
			r.g.CancelRollout("shop")
			_, err := r.g.CancelRollout("shop")
			return err
		}, "is cancelled"},
		{"one origin", func(r *rollingTest) error {
			apply(r.t, r.g, r.text(`active: "1.0"`, r.homes[:1].text()))
			_, err := r.g.StartRollout("shop", "2.0")
			return err
		}, "shop has one origin"},
		{"closed", func(r *rollingTest) error { r.g.Close(); _, err := r.g.StartRollout("shop", ""); return err }, "not serving"},
		{"state directory", func(r *rollingTest) error {
			os.Mkdir(RolloutsFile(r.state), 0o700) // a folder where the file should be
			_, err := r.g.StartRollout("shop", "")
			return err
		}, "cannot be kept in node.state_dir"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := startRolling(t, "grouped", "a", "b", "c")
			if err := tt.do(r); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
			for _, s := range r.g.Rollouts() {
				if s.From != "1.0" || s.To != "2.0" {
					t.Errorf("%+v is there", s)
				}
			}
		})
	}
}

// A file that is no state of roll-outs keeps the gateway from starting: it would not
// know which origins are being renewed.
func TestRolloutsFileThatIsWrong(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"no JSON", "rollouts", "invalid character"},
		{"later schema", `{"schema":2,"rollouts":[]}`, "schema 2 is not known"},
		{"later schema of a roll-out", `{"schema":1,"rollouts":[{"active":"1.0","rollout":{"schema":7,"application":"shop","from":"1.0","to":"2.0","phase":"running"}}]}`, "schema: 7 is not known"},
		{"half a file", `{"schema":1,"rollouts":[{"active":"1.0",`, "unexpected end"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &rollingTest{homes: newHomes(t, "a", "b"), t: t, state: t.TempDir()}
			if err := os.WriteFile(RolloutsFile(r.state), []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			g := New(r.options(false))
			defer g.Close()
			problems := g.Apply(load(t, r.text(`active: "1.0"`, r.homes.text())))
			if problems.Errors() != 1 || problems[0].Code != "E806" || !strings.Contains(problems[0].Message, tt.want) {
				t.Errorf("%v, want E806 with %q", problems, tt.want)
			}
			if got, _ := os.ReadFile(RolloutsFile(r.state)); string(got) != tt.text {
				t.Error("the file was changed")
			}
		})
	}
}

// A step that cannot be made is tried again; until then everything stays as it was.
func TestRolloutStepThatFails(t *testing.T) {
	t.Parallel()
	r := startRolling(t, "grouped", "a", "b")
	page := r.state + "/busy.html"
	text := strings.Replace(r.text(fmt.Sprintf(nextEdition, "grouped"), r.homes.text()), `w: { hosts: ["**"]`, fmt.Sprintf(`w: { hosts: ["**"], pages: { "503": %q }`, page), 1)
	if err := os.WriteFile(page, []byte("busy"), 0o600); err != nil {
		t.Fatal(err)
	}
	apply(t, r.g, text)
	r.begin("")
	r.awaitStage("a", rollout.Waiting)
	if err := os.Remove(page); err != nil {
		t.Fatal(err)
	}
	if _, err := r.g.ConfirmRollout("shop"); err == nil || !strings.Contains(err.Error(), "busy.html") {
		t.Errorf("%v, want that the page is missing", err)
	}
	r.wantNewcomers("b")
	if err := os.WriteFile(page, []byte("busy"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.confirm()
	r.wantNewcomers("ab")
}
