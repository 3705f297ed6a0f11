package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"weirkeep/gateway/admin"
)

// draining is what `origin drain` is asked for.
type draining struct {
	operation
	wait    bool
	timeout time.Duration // zero: none
}

func newOriginDrain(a *app) *cobra.Command {
	d := draining{operation: operation{State: "draining"}}
	c := &cobra.Command{
		Use:   "drain ORIGIN...",
		Short: "Give origins no new sessions, and let those that are bound end",
		Long: "Drain returns at once and says what is left; with --wait or --timeout it shows that until nothing\n" +
			"is: no session is bound, and no exchange and no tunnel is open. Then it ends with 0, and the origins can\n" +
			"be stopped. After --timeout it ends with 1. In any case they stay draining; enable takes it back.\n\n" +
			"Sessions whose binding the clients have (passive, gateway-cookie) nobody can count. Then --timeout\n" +
			"says how long they are waited for, as long as their sessions live for example; when it is over and\n" +
			"nothing that can be counted is left, that is the end, with 0. Learned ones can be counted when the\n" +
			"gateway has run for idle_timeout.\n\n" +
			"The estimate goes by how many sessions, or exchanges if there are none, have ended so far.\n\n" + ofOrigins,
		Args:        cobra.MinimumNArgs(1),
		Annotations: map[string]string{outputs: "json yaml jsonl"},
		RunE: func(c *cobra.Command, args []string) error {
			if d.timeout < 0 {
				return usage(c, fmt.Errorf("--timeout is %s, must not be negative", d.timeout))
			}
			d.Origins = args
			return a.drainOrigins(c.Context(), d)
		},
	}
	operateFlags(c.Flags(), &d.operation)
	c.Flags().BoolVarP(&d.wait, "wait", "w", false, "show what is left until nothing is")
	c.Flags().DurationVar(&d.timeout, "timeout", 0, "longest wait, as --wait; 0s: no limit")
	return c
}

// drained is what `origin drain -o json` prints.
type drained struct {
	Schema  int           `json:"schema"`
	DryRun  bool          `json:"dry_run"`
	Drained bool          `json:"drained"` // of all: nothing is left that can be counted, or waited for
	Origins []drainedLeft `json:"origins"` // never null
}

// drainedLeft is what is left of one origin.
type drainedLeft struct {
	admin.Operated
	left
}

func (a *app) drainOrigins(ctx context.Context, d draining) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	e, err := a.endpoint(d.file)
	if err != nil {
		return err
	}
	done, err := a.operate(ctx, e, d.operation)
	if err != nil {
		return err
	}
	if !a.machine() {
		if err := a.sayOperated(d.operation, done); err != nil {
			return err
		}
	}
	w := &drainWatch{app: a, endpoint: e, wants: d, done: done, began: time.Now()}
	if d.DryRun || !d.wait && d.timeout == 0 {
		return w.once(ctx)
	}
	return w.follow(ctx)
}

// drainWatch watches origins drain.
type drainWatch struct {
	*app
	endpoint
	wants draining
	done  operatedFound
	began time.Time

	most  left      // that was left, ever
	last  left      // that was told
	told  time.Time // when
	shown bool      // a line of a terminal is to be taken away
}

// once says what is left now.
func (w *drainWatch) once(ctx context.Context) error {
	all, err := w.look(ctx)
	if err != nil {
		return err
	}
	sum := sumOf(all)
	if w.machine() {
		return w.printLeft(all, sum.none())
	}
	if err := w.sayResult("left: %s%s", sum, sum.besides()); err != nil || w.wants.DryRun {
		return err
	}
	w.say("%s", w.undo())
	return nil
}

// undo says how to take the drain back.
func (w *drainWatch) undo() string {
	return "weirkeep origin enable " + strings.Join(w.wants.Origins, " ") + " takes it back"
}

// drainPause is how often it is looked what is left.
const drainPause = time.Second

// follow shows what is left until nothing is, or nobody waits any more.
func (w *drainWatch) follow(ctx context.Context) error {
	defer w.clear()
	var over <-chan time.Time
	if w.wants.timeout > 0 {
		over = time.After(w.wants.timeout)
	}
	ticks := time.NewTicker(drainPause)
	defer ticks.Stop()
	for late := false; ; {
		all, err := w.look(ctx)
		if ctx.Err() != nil {
			return w.interrupted()
		}
		if err != nil {
			return err
		}
		if over, err := w.judge(all, late); over {
			return err
		}
		select {
		case <-ctx.Done():
		case <-over:
			late = true
		case <-ticks.C:
		}
	}
}

// judge tells what is left, and whether that is the end; late: nobody waits longer.
func (w *drainWatch) judge(all []drainedLeft, late bool) (over bool, err error) {
	sum, now := sumOf(all), time.Now()
	hopeless := w.wants.timeout == 0 && sum.forever()
	switch {
	case sum.reopened != "":
		return true, fmt.Errorf("%s is not draining any more: somebody else has set what it may be sent", sum.reopened)
	case sum.none(), late && sum.counted() == 0:
		return true, w.end(all, sum)
	case late:
		return true, errors.Join(w.endLeft(all), fmt.Errorf("not drained after %v: left %s; it goes on draining, and %s", w.wants.timeout, sum, w.undo()))
	case hopeless && sum.counted() == 0:
		err := &failure{status: exitFailure, err: fmt.Errorf("nothing is left that can be counted%s", sum.besides()),
			hint: "--timeout says how long to wait for these sessions; the drain goes on, and " + w.undo()}
		return true, errors.Join(w.endLeft(all), err)
	}
	return false, w.progress(all, sum, now)
}

// interrupted says that nobody waits any more, and that the drain goes on.
func (w *drainWatch) interrupted() error {
	w.clear()
	return &failure{status: exitInterrupted, err: errors.New("interrupted: nobody waits any more, and the drain goes on"), hint: w.undo()}
}

// end says that nothing is left, or nothing that could be waited for.
func (w *drainWatch) end(all []drainedLeft, sum left) error {
	w.clear()
	if w.machine() {
		return w.printLeft(all, true)
	}
	return w.sayResult("drained after %v%s", time.Since(w.began).Round(time.Second), sum.besides())
}

// endLeft prints what is left at the end, for programs.
func (w *drainWatch) endLeft(all []drainedLeft) error {
	w.clear()
	if w.machine() {
		return w.printLeft(all, false)
	}
	return nil
}

func (w *drainWatch) printLeft(all []drainedLeft, over bool) error {
	return w.print(drained{Schema: 1, DryRun: w.wants.DryRun, Drained: over, Origins: all})
}

// look finds out what is left.
func (w *drainWatch) look(ctx context.Context) ([]drainedLeft, error) {
	var now origins
	if err := w.get(ctx, w.app, "/v1/origins", &now); err != nil {
		return nil, err
	}
	all := make([]drainedLeft, 0, len(w.done.Origins))
	for _, o := range w.done.Origins {
		all = append(all, drainedLeft{o, leftOf(o, now.Origins, w.wants.DryRun)})
	}
	return all, nil
}
