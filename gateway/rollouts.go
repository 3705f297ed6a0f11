package gateway

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"weirkeep/gateway/config"
	"weirkeep/gateway/rollout"
)

// rollouts are the roll-outs that hold over the configuration, by application:
// those that run, and those that are over until the configuration says itself what
// is true (D-WS-14 to D-WS-17, X-41).
type rollouts map[string]*rolling

// rolling is one roll-out.
type rolling struct {
	*rollout.Rollout

	// Active is the edition that the configuration said was active when the roll-out
	// began. As long as it says so, it knows nothing of the roll-out.
	Active string
}

// stepPause is how long it takes until the next step of the roll-outs.
const stepPause = time.Second

// StartRollout begins to bring an edition of an application to its origins; to is
// its label, empty for the one that the configuration says is next. The roll-out
// goes on by itself, also after a restart. The error is one for people.
func (g *Gateway) StartRollout(application, to string) (rollout.Status, error) {
	g.applying.Lock()
	defer g.applying.Unlock()
	if err := g.rollable(application); err != nil {
		return rollout.Status{}, err
	}
	r, err := g.newRolling(application, to)
	if err != nil {
		return rollout.Status{}, err
	}
	next := g.present.rollouts.clone()
	next[application] = r
	r.Step(g.now(time.Now()), g.rolloutView())
	return g.turned(application, next)
}

// rollable reports why no roll-out of an application can begin.
func (g *Gateway) rollable(application string) error {
	if g.applied == nil || g.closing.Load() {
		return errNotServing
	}
	if _, known := g.applied.config.Editions[application]; !known {
		return fmt.Errorf("the configuration has no editions of %q: %s", application, ofWhich("it has those of", sortedKeys(g.applied.config.Editions)))
	}
	if r := g.present.rollouts[application]; r != nil && r.Running() {
		o := r.Options()
		return fmt.Errorf("%s is being rolled out from %s to %s: wait for its end, or cancel it", application, o.From, o.To)
	}
	return nil
}

// ofWhich lists what there is instead of something that is not.
func ofWhich(what string, names []string) string {
	if len(names) == 0 {
		return "there are none"
	}
	return what + " " + strings.Join(names, ", ")
}

// newRolling makes the roll-out from the edition that serves now.
func (g *Gateway) newRolling(application, to string) (*rolling, error) {
	now := g.present.over(g.applied.config)
	e := now.Editions[application]
	if to == "" {
		to = e.Next
	}
	if to == "" {
		return nil, fmt.Errorf("say which edition: editions.%s has no next", application)
	}
	if !config.IsLabel(to) {
		return nil, fmt.Errorf("%q is no label: letters, digits, dots, dashes, underscores, colons and brackets make one, at most 64", to)
	}
	from := slices.DeleteFunc(slices.Clone(serves(e)), func(label string) bool { return label == to })
	if len(from) == 0 {
		return nil, fmt.Errorf("edition %s of %s serves already", to, application)
	}
	o := rollout.Options{
		Application: application, From: from[0], To: to,
		Strategy: rollout.Strategy(e.Rollout.Strategy), GroupSize: e.Rollout.GroupSize, Drain: e.Rollout.Drain,
	}
	r, err := rollout.New(o, rolledOrigins(now, o), g.now(time.Now()))
	if err != nil {
		return nil, err
	}
	return &rolling{r, g.applied.config.Editions[application].Active}, nil
}

// serves are the labels of the editions that serve what no rule sends to one.
func serves(e config.Edition) []string {
	if len(e.Serving) > 0 {
		return e.Serving
	}
	return []string{e.Active}
}

// ConfirmRollout says that origins of a roll-out run the new edition; none named:
// all that are waited for.
func (g *Gateway) ConfirmRollout(application string, origins ...string) (rollout.Status, error) {
	return g.changeRollout(application, func(r *rolling) error {
		v := g.rolloutView()
		if err := r.Confirm(v, origins...); err != nil {
			return err
		}
		r.Step(g.now(time.Now()), v)
		return nil
	})
}

// CancelRollout ends a roll-out where it is. What was drained or closed is opened
// again, with the edition that it runs; nothing is rolled back.
func (g *Gateway) CancelRollout(application string) (rollout.Status, error) {
	return g.changeRollout(application, func(r *rolling) error {
		_, err := r.Cancel(g.now(time.Now()), g.rolloutView())
		return err
	})
}

// changeRollout makes a changed copy of a roll-out current.
func (g *Gateway) changeRollout(application string, change func(*rolling) error) (rollout.Status, error) {
	g.applying.Lock()
	defer g.applying.Unlock()
	if g.applied == nil || g.closing.Load() {
		return rollout.Status{}, errNotServing
	}
	next := g.present.rollouts.clone()
	if next[application] == nil {
		return rollout.Status{}, noRollout(application, next)
	}
	if err := change(next[application]); err != nil {
		return rollout.Status{}, err
	}
	return g.turned(application, next)
}

func noRollout(application string, all rollouts) error {
	return fmt.Errorf("there is no roll-out of %q: %s", application, ofWhich("there are roll-outs of", sortedKeys(all)))
}

// ForgetRollout takes away a roll-out that is over: from now on the configuration
// alone says which edition serves, and what the origins run.
func (g *Gateway) ForgetRollout(application string) error {
	g.applying.Lock()
	defer g.applying.Unlock()
	next := g.present.rollouts.clone()
	switch r := next[application]; {
	case g.applied == nil || g.closing.Load():
		return errNotServing
	case r == nil:
		return noRollout(application, next)
	case r.Running():
		return fmt.Errorf("the roll-out of %s is running: cancel it first", application)
	}
	delete(next, application)
	return g.turn(next)
}

// Rollouts tells how every roll-out stands, in the order of the applications' names.
func (g *Gateway) Rollouts() []rollout.Status {
	g.applying.Lock()
	defer g.applying.Unlock()
	all := []rollout.Status{}
	if g.applied == nil {
		return all
	}
	v := g.rolloutView()
	for _, name := range sortedKeys(g.present.rollouts) {
		all = append(all, g.present.rollouts[name].Status(g.now(time.Now()), v))
	}
	return all
}

// turned makes roll-outs current and tells how one of them stands.
func (g *Gateway) turned(application string, next rollouts) (rollout.Status, error) {
	if err := g.turn(next); err != nil {
		return rollout.Status{}, err
	}
	return next[application].Status(g.now(time.Now()), g.rolloutView()), nil
}

// turn makes roll-outs current: first in the file that a restart reads, then in
// what decides. What they say of one moment takes hold together.
func (g *Gateway) turn(next rollouts) error {
	old := g.present.rollouts
	save := func() error { return next.save(g.applied.config.Node.StateDir) }
	var err error
	switch {
	case !next.sayAs(old):
		err = g.reapply(g.present.withRollouts(next), save)
	case !next.equal(old):
		err = save()
	}
	if err != nil {
		return err
	}
	g.present.rollouts = next
	g.tellProgress(old, next)
	g.keepStepping()
	return nil
}

// keepStepping lets the roll-outs go on by themselves while one runs.
func (g *Gateway) keepStepping() {
	if g.stopSteps != nil || !g.present.rollouts.running() {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	g.stopSteps = stop
	g.loops.Go(func() {
		ticks := time.NewTicker(stepPause)
		defer ticks.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticks.C:
				g.step()
			}
		}
	})
}

// step moves every roll-out on. What cannot be done now is tried again with the
// next step.
func (g *Gateway) step() {
	g.applying.Lock()
	defer g.applying.Unlock()
	if g.applied == nil || g.closing.Load() || !g.present.rollouts.running() {
		g.restSteps()
		return
	}
	next, v := g.present.rollouts.clone(), g.rolloutView()
	for _, r := range next {
		r.Step(g.now(time.Now()), v)
	}
	if err := g.turn(next); err != nil {
		g.log.Error("the roll-outs cannot go on, and try again", "because", err)
	}
}

// restSteps ends the steps until a roll-out begins. The caller holds applying.
func (g *Gateway) restSteps() {
	if g.stopSteps != nil {
		g.stopSteps()
		g.stopSteps = nil
	}
}

// tellProgress logs what has changed.
func (g *Gateway) tellProgress(old, next rollouts) {
	for _, name := range sortedKeys(next) {
		var before rollout.Saved
		if r := old[name]; r != nil {
			before = r.Save()
		}
		after := next[name].Save()
		log := g.log.With(slog.String("application", name), slog.String("to", after.To))
		for i, m := range after.Members {
			if i >= len(before.Members) || before.Members[i].Stage != m.Stage {
				log.Info("roll-out", slog.String("origin", m.Name), slog.String("stage", string(m.Stage)))
			}
		}
		if before.Phase != after.Phase {
			log.Info("roll-out", slog.String("phase", string(after.Phase)))
		}
	}
}

// clone copies roll-outs, so that what is done to the copies can be dropped.
func (rs rollouts) clone() rollouts {
	all := make(rollouts, len(rs))
	for name, r := range rs {
		all[name] = &rolling{r.Clone(), r.Active}
	}
	return all
}

// running reports whether one of them runs.
func (rs rollouts) running() bool {
	for _, r := range rs {
		if r.Running() {
			return true
		}
	}
	return false
}

// sayAs reports whether two say the same of origins and editions.
func (rs rollouts) sayAs(others rollouts) bool {
	return maps.EqualFunc(rs, others, func(a, b *rolling) bool {
		x, y := a.Overlay(), b.Overlay()
		return slices.Equal(x.Active, y.Active) && maps.Equal(x.Origins, y.Origins)
	})
}

// settled are the roll-outs as they go on under a configuration that was read.
// Those that it has no editions for end; those that are over are forgotten once it
// says something new of the application's edition, which one of its origins runs.
// p has the origins that there are besides those that are written.
func (rs rollouts) settled(written *config.Config, p present, now time.Time, log *slog.Logger) rollouts {
	p.rollouts = nil
	next, cfg := rs.clone(), p.over(written)
	for name, r := range next {
		e, there := cfg.Editions[name]
		switch {
		case !there:
			log.Warn("the roll-out is forgotten: the configuration has no editions of the application", "application", name)
			delete(next, name)
		case r.Running():
			r.Settle(append(rolledOrigins(cfg, r.Options()), r.untold(cfg, p)...), now)
		case e.Active != r.Active && runs(cfg, name, e.Active):
			log.Info("the roll-out is forgotten: the configuration says what is true", "application", name, "active", e.Active)
			delete(next, name)
		}
	}
	return next
}
