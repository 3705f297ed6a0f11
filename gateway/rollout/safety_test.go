package rollout

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weirkeep/gateway/unit"
)

// A site is a whole application at work, for the length of a roll-out: clients come
// where the overlay lets them, sessions end when they like, origins die and come
// back, and an operator renews what is closed. It keeps its own record of what was
// promised.
type site struct {
	t       *rapid.T
	r       *Rollout
	world   world
	runs    map[string]string    // the edition that an origin really runs
	drained map[string]time.Time // since when it has been drained, as the overlay said
	overlay Overlay
	now     time.Time
	calm    bool // nothing dies and nothing new comes: it must come to an end
}

func newSite(t *rapid.T) *site {
	s := &site{t: t, world: world{}, runs: map[string]string{}, drained: map[string]time.Time{}, now: epoch}
	o := shop(rapid.SampledFrom([]Strategy{Grouped, Atomic}).Draw(t, "strategy"))
	o.GroupSize = rapid.IntRange(0, 7).Draw(t, "group size")
	o.Drain = unit.Duration(rapid.IntRange(0, 8).Draw(t, "drain")) * unit.Duration(time.Minute)
	var all []Origin
	for i := range rapid.IntRange(2, 6).Draw(t, "origins") {
		origin := Origin{Name: fmt.Sprint("o", i), Cluster: fmt.Sprint(rapid.IntRange(0, 2).Draw(t, "cluster")), Label: o.From}
		if i > 0 && rapid.IntRange(0, 4).Draw(t, "new already") == 0 {
			origin.Label = o.To
		}
		s.world[origin.Name], s.runs[origin.Name] = &server{}, origin.Label
		all = append(all, origin)
	}
	r, err := New(o, all, s.now)
	if err != nil {
		t.Fatal(err)
	}
	s.r, s.overlay = r, r.Overlay()
	return s
}

func (s *site) draw(what string, from, to int) int {
	return rapid.IntRange(from, to).Draw(s.t, what)
}

// live lets something happen to every origin.
func (s *site) live() {
	for _, name := range s.r.names(nil) {
		o, w := s.world[name], s.overlay.Origins[name]
		if !s.calm && s.draw("death", 0, 9) == 0 {
			o.down = !o.down
		}
		if s.calm {
			o.down = false
		}
		switch {
		case o.down:
		case w.State == Serving && slices.Contains(s.overlay.Active, w.Label):
			o.sessions += s.draw("new sessions", 0, 1)
			o.inFlight = s.draw("in flight", 0, 2)
		case w.State == Drains:
			o.sessions = max(0, o.sessions-s.draw("ended", 0, 1))
			o.inFlight = min(o.sessions, o.inFlight)
		}
	}
}

// renew is the operator: what is closed gets the new edition at some time, and
// tells so, or is confirmed, or neither for now.
func (s *site) renew() {
	for _, m := range s.r.Save().Members {
		if m.Stage != Waiting || !s.calm && s.draw("renewed", 0, 2) > 0 {
			continue
		}
		o := s.world[m.Name]
		s.runs[m.Name] = s.r.s.To
		*o = server{down: o.down}
		switch said := s.draw("said", 0, 2); {
		case said == 0:
			o.tells = s.r.s.To
		case said == 1 || s.calm:
			if err := s.r.Confirm(s.world, m.Name); err != nil {
				s.t.Fatal(err)
			}
		}
	}
}

// step lets the roll-out move and holds what it says against the promises.
func (s *site) step() {
	before := s.r.Save()
	s.now = s.now.Add(time.Minute)
	s.overlay = s.r.Step(s.now, s.world)
	for i, m := range s.r.Save().Members {
		s.checkStage(before.Members[i], m)
	}
	s.checkService(before)
}

func (s *site) checkStage(was, is Member) {
	o := s.world[is.Name]
	if slices.Index(stages, is.Stage) > slices.Index(stages, was.Stage)+1 && is.Stage != Done {
		s.t.Fatalf("%s went from %s to %s", is.Name, was.Stage, is.Stage)
	}
	switch {
	case was.Stage == Done && is.Stage != Done:
		s.t.Fatalf("%s is %s, was done", is.Name, is.Stage)
	case is.Stage == Draining && was.Stage == Pending:
		s.drained[is.Name] = s.now
	case is.Stage == Waiting && was.Stage == Draining:
		lasted := s.now.Sub(s.drained[is.Name])
		if (o.sessions != 0 || o.inFlight != 0) && lasted < time.Duration(s.r.s.Drain) {
			s.t.Fatalf("%s is renewed after %v of %v with %d sessions and %d in flight", is.Name, lasted, time.Duration(s.r.s.Drain), o.sessions, o.inFlight)
		}
	case is.Stage == Done && (s.runs[is.Name] != s.r.s.To || is.Label != s.r.s.To):
		s.t.Fatalf("%s is done with label %s, and runs %s", is.Name, is.Label, s.runs[is.Name])
	}
}

// checkService looks at who serves: somebody, and if atomic one edition, as labelled
// and as it really is.
func (s *site) checkService(before Saved) {
	var serve, up, labels, editions []string
	for name, w := range s.overlay.Origins {
		if w.State != Serving || !slices.Contains(s.overlay.Active, w.Label) {
			continue
		}
		serve = append(serve, name)
		if !s.world[name].down {
			up = append(up, name)
		}
		labels, editions = append(labels, w.Label), append(editions, s.runs[name])
	}
	begun := before.Batch != s.r.s.Batch && !s.r.s.Batch.IsZero()
	switch {
	case len(serve) == 0:
		s.t.Fatalf("nobody serves: %+v", s.overlay)
	case begun && len(up) == 0 && s.somebodyWasUp(before):
		s.t.Fatalf("a batch has begun, and nobody who is up serves: %+v", s.overlay)
	case s.r.s.Strategy == Atomic && (len(distinct(labels)) > 1 || len(distinct(editions)) > 1):
		s.t.Fatalf("editions %v serve as %v at once", distinct(editions), distinct(labels))
	}
}

// somebodyWasUp reports whether somebody who is up served before.
func (s *site) somebodyWasUp(before Saved) bool {
	r, err := Load(before)
	if err != nil {
		s.t.Fatal(err)
	}
	return r.count(func(m *Member) bool { return r.serves(m) && !s.world[m.Name].down }) > 0
}

func distinct(words []string) []string {
	slices.Sort(words)
	return slices.Compact(words)
}

// restart must change nothing.
func (s *site) restart() {
	s.r = restart(s.t, s.r)
	if got := s.r.Overlay(); fmt.Sprint(got) != fmt.Sprint(s.overlay) {
		s.t.Fatalf("after a restart: %v, want %v", got, s.overlay)
	}
}

// Whatever dies, comes back, restarts, or takes its time: no session is cut off before
// its time, somebody always serves, an atomic roll-out never has two editions serve,
// and when things calm down it comes to its end.
func TestRollOutsAreSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSite(t)
		for range rapid.IntRange(0, 60).Draw(t, "minutes") {
			s.live()
			s.renew()
			s.step()
			if s.draw("restart", 0, 9) == 0 {
				s.restart()
			}
		}
		s.calm = true
		for range 40 * len(s.world) {
			s.live()
			s.renew()
			s.step()
		}
		if st := s.r.Status(s.now, s.world); st.Phase != Finished || st.Done != st.Total {
			t.Fatalf("it does not end: %+v", st)
		}
	})
}

// Wherever a roll-out is cancelled: everything is open again, each origin has the label of
// what it runs unless it is said to be unsure, and an atomic one leaves one edition
// active.
func TestCancelledRollOutsAreOpen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSite(t)
		for range rapid.IntRange(0, 60).Draw(t, "minutes") {
			s.live()
			s.renew()
			s.step()
		}
		left, err := s.r.Cancel(s.now, s.world)
		if err != nil {
			return // it was through
		}
		o := s.r.Step(s.now.Add(time.Hour), s.world)
		if fmt.Sprint(o) != fmt.Sprint(s.r.Overlay()) || s.r.s.Strategy == Atomic && len(o.Active) != 1 {
			t.Fatalf("cancelled: %v", o)
		}
		for name, w := range o.Origins {
			if w.State != Serving || w.Label != s.runs[name] && !slices.Contains(left.Unsure, name) {
				t.Fatalf("%s is %v, and runs %s; left %+v", name, w, s.runs[name], left)
			}
		}
	})
}
