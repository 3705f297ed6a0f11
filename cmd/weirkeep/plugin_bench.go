package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"weirkeep/plugins"
)

// pluginBenchOptions is what the command line of plugin bench says.
type pluginBenchOptions struct {
	engine string
	name   string
	time   time.Duration // for each test and engine
}

func newPluginBench(a *app) *cobra.Command {
	var o pluginBenchOptions
	c := &cobra.Command{
		Use:   "bench [FILE]",
		Short: "Measure what calls of a plugin cost",
		Long: "Bench makes the calls of a file of tests over and over, one after the other, as plugin test makes\n" +
			"them: the view is written, the plugin called, its result read and checked.\n\n" +
			"  NS/CALL  time of a call on this machine, the median of rows of 256\n" +
			"  BUDGET   what a call of the kind may take, a guest in Go more; over is slower. A collector has none\n" +
			"  P50 P99  of calls that were measured one by one, the clock included\n" +
			"  FUEL     that the last call used: the same on every machine and engine\n" +
			"  ALLOCS   of the gateway for a call; the least is 0\n\n" +
			"Tests that expect a fault or a refusal are left out. Without FILE it reads plugin_test.yaml.",
		Example:     "  weirkeep plugin bench --engine all --for 3s --run \"before n\"",
		Args:        cobra.MaximumNArgs(1),
		Annotations: map[string]string{outputs: "json yaml jsonl"},
		RunE: func(c *cobra.Command, args []string) error {
			if o.time < time.Millisecond || o.time > time.Hour {
				return usage(c, fmt.Errorf("--for is %s, must be 1ms..1h", o.time))
			}
			file := suiteFile
			if len(args) == 1 {
				file = args[0]
			}
			return a.pluginBench(c.Context(), file, o)
		},
	}
	engineFlag(c, &o.engine)
	c.Flags().StringVar(&o.name, "run", "", "run only tests with `TEXT` in their names")
	c.Flags().DurationVar(&o.time, "for", time.Second, "how long to measure each test on each engine")
	return c
}

// benchReport is what `plugin bench -o json` prints.
type benchReport struct {
	Schema int           `json:"schema"`
	Module string        `json:"module"`
	Calls  []benchResult `json:"calls"` // never null
	Left   []string      `json:"left"`  // names of tests that are no use here; never null
}

// benchResult is what the calls of one test cost on one engine.
type benchResult struct {
	Name   string  `json:"name"`
	Engine string  `json:"engine"`
	Calls  int     `json:"calls"`
	NS     float64 `json:"ns_per_call"`
	P50    int64   `json:"p50_ns"`
	P99    int64   `json:"p99_ns"`
	Fuel   uint64  `json:"fuel"`
	Allocs float64 `json:"allocs_per_call"`

	BudgetNS int    `json:"budget_ns,omitempty"` // for ns_per_call; absent: none is set
	Budget   string `json:"budget,omitempty"`    // ok or over
}

func (a *app) pluginBench(ctx context.Context, file string, o pluginBenchOptions) error {
	engines, err := enginesNamed(o.engine)
	if err != nil {
		return err
	}
	suites, err := a.readSuites([]string{file})
	if err != nil {
		return err
	}
	r, err := a.measure(ctx, suites[0], engines, o)
	switch {
	case err != nil:
		return err
	case len(r.Calls) == 0:
		return &failure{status: exitFailure, err: fmt.Errorf("no test of %s is a call to measure", file), hint: "those that expect a fault or a refusal are left out"}
	case a.output == "jsonl":
		for _, c := range r.Calls {
			if err := a.print(c); err != nil {
				return err
			}
		}
		return nil
	case a.machine():
		return a.print(r)
	}
	return a.sayBench(r)
}

func (a *app) measure(ctx context.Context, s *pluginSuite, engines []guestEngine, o pluginBenchOptions) (*benchReport, error) {
	rigs, err := a.rigs(s, engines)
	if err != nil {
		return nil, err
	}
	defer closeRigs(rigs)
	r := &benchReport{Schema: 1, Module: s.module, Calls: []benchResult{}, Left: []string{}}
	shown := a.newSteps("measuring", len(s.tests)*len(rigs))
	defer shown.end()
	for i := range s.tests {
		t := &s.tests[i]
		if !strings.Contains(t.name, o.name) {
			continue
		}
		for n, g := range rigs {
			shown.tick(i*len(rigs)+n, g.engine.Name()+", "+t.name)
			b, err := g.bench(ctx, t, o.time)
			switch {
			case errors.Is(err, errNoCall):
				r.Left = append(r.Left, t.name)
			case err != nil:
				return nil, err
			default:
				r.Calls = append(r.Calls, b)
			}
		}
	}
	r.Left = slices.Compact(r.Left)
	return r, nil
}

// errNoCall means that a test does not end in a result.
var errNoCall = errors.New("the test does not end in a result")

// bench measures the calls of one test.
func (g *rig) bench(ctx context.Context, t *pluginTest, long time.Duration) (benchResult, error) {
	b := benchResult{Name: t.name, Engine: g.engine.Name()}
	l := g.load(ctx, t)
	if l.err != nil {
		return b, errNoCall
	}
	a, err := g.attach(l.plugin, t)
	if err != nil {
		return b, errNoCall
	}
	defer a.Close()
	first, err := g.call(a, t)
	if err != nil {
		return b, err
	}
	call, err := g.caller(a, t)
	if err != nil || first.key == "fault" || first.key == "not_called" {
		return b, errors.Join(err, errNoCall)
	}
	if err := b.run(ctx, call, a.Plugin().Counters(), long); err != nil {
		return b, err
	}
	b.judge(a.Plugin().Info())
	return b, nil
}

// caller is a call that can be repeated, and allocates nothing by itself.
func (g *rig) caller(a *plugins.Attachment, t *pluginTest) (func(), error) {
	if t.config.Kind == plugins.Collector {
		v := t.sample
		return func() { a.Collect(&v) }, nil
	}
	v, err := t.view(g.table.Generation)
	if err != nil {
		return nil, err
	}
	switch t.config.Kind {
	case plugins.Router:
		list := make([]uint16, 0, 256)
		return func() { a.Route(v, t.properties, permitted{v}, list) }, nil
	case plugins.Matcher:
		return func() { a.Match(v, t.properties, t.rule) }, nil
	}
	return t.filterCaller(a, v), nil
}

const (
	callsAtOnce = 256 // between two looks at the clock
	maxRows     = 1 << 20
	callsTimed  = 20_000 // one by one, at most
)

// run measures: first all calls together, then some one by one.
func (b *benchResult) run(ctx context.Context, call func(), counters *plugins.Counters, long time.Duration) error {
	for range callsAtOnce { // what is made once is not counted
		call()
	}
	var before, after runtime.MemStats
	rows := make([]time.Duration, 0, maxRows)
	runtime.ReadMemStats(&before)
	for began := time.Now(); len(rows) == 0 || len(rows) < maxRows && time.Since(began) < long*3/4; {
		at := time.Now()
		for range callsAtOnce {
			call()
		}
		rows = append(rows, time.Since(at))
		if ctx.Err() != nil {
			return &failure{status: exitInterrupted}
		}
	}
	runtime.ReadMemStats(&after)
	slices.Sort(rows)
	b.Calls = len(rows) * callsAtOnce
	b.NS = float64(rows[len(rows)/2]) / callsAtOnce // the median: what else this machine does is not the plugin's
	b.Allocs = float64(after.Mallocs-before.Mallocs) / float64(b.Calls)
	b.times(call, long/4)
	fuel := counters.Fuel.Load()
	call()
	b.Fuel = counters.Fuel.Load() - fuel
	return nil
}

// times measures calls one by one.
func (b *benchResult) times(call func(), long time.Duration) {
	all := make([]int64, 0, callsTimed)
	for began := time.Now(); len(all) == 0 || len(all) < callsTimed && time.Since(began) < long; {
		at := time.Now()
		call()
		all = append(all, int64(time.Since(at)))
	}
	slices.Sort(all)
	b.P50, b.P99 = all[len(all)/2], all[len(all)*99/100]
}

func (a *app) sayBench(r *benchReport) error {
	t := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "TEST\tENGINE\tNS/CALL\tBUDGET\tP50\tP99\tFUEL\tALLOCS\tCALLS")
	for _, c := range r.Calls {
		fmt.Fprintf(t, "%s\t%s\t%.0f\t%s\t%d\t%d\t%d\t%.2f\t%d\n", excerpt(c.Name, 40), c.Engine, c.NS, c.budget(), c.P50, c.P99, c.Fuel, c.Allocs, c.Calls)
	}
	err := t.Flush()
	if len(r.Left) > 0 {
		a.say("left out, for they do not end in a result: %s", strings.Join(r.Left, ", "))
	}
	return err
}
