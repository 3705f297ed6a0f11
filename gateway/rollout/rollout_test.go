package rollout

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"weirkeep/gateway/unit"
)

func TestNewRefusesWhatCannotBeRolledOut(t *testing.T) {
	for _, tt := range []struct {
		name    string
		change  func(*Options)
		origins []Origin
		want    string
	}{
		{"one origin", nil, origins("a"), "add another one first"},
		{"no origin", nil, nil, "no origin runs shop 1.0"},
		{"all are new", nil, []Origin{{"a", "", "2.0"}, {"b", "", "2.0"}}, "nothing to change"},
		{"a third edition", nil, []Origin{{"a", "", "1.0"}, {"b", "", "3.0"}}, `origin b runs "3.0", which is neither`},
		{"twice", nil, origins("a", "a"), "origin a is named twice"},
		{"no application", func(o *Options) { o.Application = "" }, origins("a", "b"), "application: "},
		{"no new edition", func(o *Options) { o.To = "" }, origins("a", "b"), `"1.0" and "", must be two`},
		{"the same edition", func(o *Options) { o.To = o.From }, origins("a", "b"), "must be two"},
		{"a strategy of its own", func(o *Options) { o.Strategy = "canary" }, origins("a", "b"), `"canary" is neither grouped nor atomic`},
		{"negative size", func(o *Options) { o.GroupSize = -1 }, origins("a", "b"), "group_size: -1 is negative"},
		{"negative drain", func(o *Options) { o.Drain = -1 }, origins("a", "b"), "drain: -1ns is negative"},
	} {
		o := shop(Grouped)
		if tt.change != nil {
			tt.change(&o)
		}
		if _, err := New(o, tt.origins, epoch); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// All mistakes of the options are told, not the first alone.
func TestValidateTellsAllMistakes(t *testing.T) {
	err := Options{Strategy: "x", GroupSize: -1, Drain: -1}.Validate()
	if n := strings.Count(err.Error(), "\n") + 1; n != 5 {
		t.Errorf("%d mistakes, want 5: %v", n, err)
	}
}

func TestGroupedIsTheStrategyOfWhoNamesNone(t *testing.T) {
	r := mustNew(t, Options{Application: "shop", From: "1.0", To: "2.0"}, origins("a", "b"))
	if s := r.Save(); s.Strategy != Grouped {
		t.Errorf("the strategy is %q", s.Strategy)
	}
}

// Who keeps a saved roll-out is not changed under by what happens next, nor the
// other way round.
func TestSavedStandsByItself(t *testing.T) {
	w := world{"a": {}, "b": {}}
	r := mustNew(t, shop(Grouped), origins("a", "b"))
	s := r.Save()
	loaded, err := Load(s)
	if err != nil {
		t.Fatal(err)
	}
	r.Step(epoch, w)
	if s.Members[0].Stage != Pending || loaded.Save().Members[0].Stage != Pending {
		t.Errorf("the saved one is %s, the loaded one %s", s.Members[0].Stage, loaded.Save().Members[0].Stage)
	}
	s.Members[0].Stage = Done
	if got := loaded.Save().Members[0].Stage; got != Pending {
		t.Errorf("the loaded one is %s", got)
	}
}

// A file of this version is read by the next one.
func TestSavedAsJSON(t *testing.T) {
	o := shop(Atomic)
	o.Drain = unit.Duration(30 * time.Minute)
	r := mustNew(t, o, origins("a", "b"))
	r.Step(epoch.Add(time.Minute), world{"a": {}, "b": {}})
	text, err := json.Marshal(r.Save())
	const want = `{"schema":1,"application":"shop","from":"1.0","to":"2.0","strategy":"atomic","drain":"30m",` +
		`"phase":"running","began":"2026-05-04T12:00:00Z","batch":"2026-05-04T12:01:00Z","batches":0,"took":"0s","origins":[` +
		`{"name":"a","cluster":"app","label":"1.0","stage":"draining","since":"2026-05-04T12:01:00Z","first":true},` +
		`{"name":"b","cluster":"app","label":"1.0","stage":"pending","since":"2026-05-04T12:00:00Z"}]}`
	if err != nil || string(text) != want {
		t.Errorf("saved as %s, %v; want %s", text, err, want)
	}
	if again := restart(t, r); !reflect.DeepEqual(again.Save(), r.Save()) {
		t.Errorf("loaded %+v, saved %+v", again.Save(), r.Save())
	}
}

func TestLoadRefusesWhatWasNeverSaved(t *testing.T) {
	for _, tt := range []struct {
		change func(*Saved)
		want   string
	}{
		{func(s *Saved) { s.Schema = 2 }, "schema: 2 is not known"},
		{func(s *Saved) { s.Phase = "paused" }, `phase: "paused" is not known`},
		{func(s *Saved) { s.Members[1].Stage = "" }, `origin b: stage "" is not known`},
		{func(s *Saved) { s.Members[1].Name = "a" }, "origin a is named twice"},
		{func(s *Saved) { s.From = "" }, "must be two"},
		{func(s *Saved) { *s = Saved{} }, "schema: 0 is not known"},
	} {
		s := mustNew(t, shop(Grouped), origins("a", "b")).Save()
		tt.change(&s)
		if _, err := Load(s); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
}

// What programs read of a status keeps its names.
func TestStatusAsJSON(t *testing.T) {
	w := world{"a": {sessions: 2, inFlight: 1}, "b": {}}
	o := shop(Grouped)
	o.Drain = unit.Duration(time.Hour)
	r := mustNew(t, o, origins("a", "b"))
	r.Step(epoch, w)
	text, err := json.Marshal(r.Status(epoch.Add(time.Minute), w))
	const want = `{"application":"shop","from":"1.0","to":"2.0","strategy":"grouped","drain":"1h",` +
		`"phase":"running","active":["1.0"],"batch":1,"batches":2,"done":0,"total":2,"began":"2026-05-04T12:00:00Z",` +
		`"expected":"2026-05-04T14:00:00Z","basis":"the longest drains; what it takes to renew origins is not known yet","origins":[` +
		`{"name":"a","label":"1.0","stage":"draining","state":"draining","since":"2026-05-04T12:00:00Z","until":"2026-05-04T13:00:00Z",` +
		`"sessions":2,"in_flight":1,"up":true,"waits":"for its sessions and requests to end: 2 and 1"},` +
		`{"name":"b","label":"1.0","stage":"pending","state":"serving","since":"2026-05-04T12:00:00Z","sessions":0,"in_flight":0,"up":true}]}`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v; want %s", text, err, want)
	}
}

// A request in flight may begin a session when it ends: who counts sessions first
// and then finds nothing in flight has missed it.
func TestRequestsInFlightAreCountedBeforeSessions(t *testing.T) {
	late := &lateSession{world: world{"a": {inFlight: 1}, "b": {}}}
	o := shop(Grouped)
	o.Drain = unit.Duration(time.Hour)
	r := mustNew(t, o, origins("a", "b"))
	r.Step(epoch, late)
	if w := r.Step(epoch.Add(time.Minute), late).Origins["a"]; w.State != Drains {
		t.Errorf("the origin is %s, and a session has just begun there", w.State)
	}
}

// lateSession is a world where the request at "a" ends between any two looks, and
// leaves a session behind.
type lateSession struct{ world }

func (l *lateSession) InFlight(origin string) int {
	n := l.world.InFlight(origin)
	l.end(origin)
	return n
}

func (l *lateSession) Sessions(origin string) int {
	n := l.world.Sessions(origin)
	l.end(origin)
	return n
}

func (l *lateSession) end(origin string) {
	if o := l.world[origin]; o.inFlight > 0 {
		o.inFlight, o.sessions = 0, 1
	}
}
