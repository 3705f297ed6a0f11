package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"weirkeep/gateway/admin"
)

// The estimate goes by the rate at which sessions, or else exchanges, have ended.
func TestDrainEstimate(t *testing.T) {
	for _, tt := range []struct {
		name      string
		most, now left
		took      time.Duration
		gone      float64
		rest      time.Duration
	}{
		{"nothing has ended", left{Sessions: 200}, left{Sessions: 200}, time.Minute, 0, 0},
		{"a quarter has", left{Sessions: 200}, left{Sessions: 150}, time.Minute, 0.25, 3 * time.Minute},
		{"sessions count, not exchanges", left{Sessions: 10, InFlight: 9}, left{Sessions: 5, InFlight: 9}, time.Minute, 0.5, time.Minute},
		{"exchanges count where there are no sessions", left{InFlight: 4}, left{InFlight: 1}, time.Minute, 0.75, 20 * time.Second},
		{"all is gone", left{Sessions: 3}, left{}, time.Minute, 1, 0},
		{"there was nothing", left{}, left{}, time.Minute, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if gone, rest := tt.now.part(tt.most, tt.took); gone != tt.gone || rest != tt.rest {
				t.Errorf("%v gone, rest %v; want %v, %v", gone, rest, tt.gone, tt.rest)
			}
		})
	}
}

// Waiting ends when nothing is left, when it is late, and when waiting is no use.
func TestDrainEnds(t *testing.T) {
	passive, young := admin.Uncounted{Session: "t", Binding: "passive"}, admin.Uncounted{Session: "s", Binding: "learned", Until: time.Now()}
	for _, tt := range []struct {
		name string
		left left
		late bool
		over bool
		want string // the error; empty: drained, or not over
	}{
		{name: "sessions are left", left: left{Sessions: 1}},
		{name: "exchanges are left", left: left{InFlight: 1}},
		{name: "nothing is left", over: true},
		{name: "sessions will be counted later", left: left{Uncounted: []admin.Uncounted{young}}},
		{name: "sessions are never counted", left: left{Uncounted: []admin.Uncounted{passive}}, over: true, want: "nobody can count sessions of t (passive)"},
		{name: "nor those that are in flight", left: left{InFlight: 1, Uncounted: []admin.Uncounted{passive}}},
		{name: "late, with sessions", left: left{Sessions: 2, InFlight: 1}, late: true, over: true, want: "left 2 sessions, 1 exchange; it goes on draining, and weirkeep origin enable web1 takes it back"},
		{name: "late, with what nobody counts", left: left{Uncounted: []admin.Uncounted{young, passive}}, late: true, over: true},
		{name: "opened again", left: left{reopened: "web1"}, over: true, want: "web1 is not draining any more"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			w := &drainWatch{app: &app{stdout: &out, stderr: &out}, began: time.Now()}
			w.wants.Origins = []string{"web1"}
			if tt.late {
				w.wants.timeout = time.Second
			}
			over, err := w.judge([]drainedLeft{{left: tt.left}}, tt.late)
			if over != tt.over || err == nil != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("over %v, %v; want %v, %q", over, err, tt.over, tt.want)
			}
			if drained := strings.HasPrefix(out.String(), "drained after"); drained != (tt.over && tt.want == "") {
				t.Errorf("it says %q", &out)
			}
		})
	}
}

// Programs that read lines get every change, and nothing twice.
func TestDrainTellsPrograms(t *testing.T) {
	var out bytes.Buffer
	w := &drainWatch{app: &app{stdout: &out, stderr: &out, output: "jsonl"}, began: time.Now()}
	for _, sessions := range []int{3, 3, 2, 2, 0} {
		if _, err := w.judge([]drainedLeft{{left: left{Sessions: sessions}}}, false); err != nil {
			t.Fatal(err)
		}
	}
	var told []string
	for line := range strings.Lines(out.String()) {
		_, line, _ = strings.Cut(line, `"sessions":`)
		n, _, _ := strings.Cut(line, ",")
		told = append(told, n)
	}
	if got := strings.Join(told, " "); got != "3 2 0" || strings.Count(out.String(), `"drained":true`) != 1 {
		t.Errorf("told %q: %s", got, &out)
	}
}

// What an operator sets while a new process takes over would be lost, so it is
// refused.
func TestNothingIsSetDuringAnUpgrade(t *testing.T) {
	k := &keeper{}
	k.leaving.Store(true)
	if _, err := k.Operate(admin.Operation{Origins: []string{"web1"}, State: "draining"}); !errors.Is(err, errLeaving) {
		t.Errorf("%v, want %v", err, errLeaving)
	}
}
