package main

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"weirkeep/gateway/config"
	"weirkeep/plugins/meter"
)

// pluginTestOptions is what the command line of plugin test says.
type pluginTestOptions struct {
	engine string // all: every one
	name   string // part of the names of the tests to run
}

func newPluginTest(a *app) *cobra.Command {
	var o pluginTestOptions
	c := &cobra.Command{
		Use:   "test [FILE…]",
		Short: "Run the tests of a plugin",
		Long: "Test calls a plugin as the gateway does, and compares what it says with what a file expects. Each\n" +
			"test runs on every engine built in, on an instance that was never called and on one that was: all\n" +
			"must say the same, and use the same fuel. (The fuel of modules that import clock_time_get or\n" +
			"random_get, as those of Go do, is not compared.) Without FILE it reads plugin_test.yaml:\n\n" +
			"  plugin: { module: by-customer.wasm, kind: router, needs: [path, query] }\n" +
			"  cluster: { name: main/shop, origins: [server1, server2, { name: server3, zone: b }] }\n" +
			"  tests:\n" +
			"    - name: names before n go to the first\n" +
			"      request: { url: \"/foo?arg=apple\", headers: { X-User: alice }, from: 192.0.2.7 }\n" +
			"      origins: { server2: down, server3: { in_flight: 7, metric: 50 } }\n" +
			"      expect:  { route: [server1, server3], fuel: 700 }\n\n" +
			"plugin has what the configuration says of it: module, kind, needs, params, limits, kv and http, and\n" +
			"perhaps stateful: true, if its calls depend on those before; then instances that were called are\n" +
			"not tried. Every test may say other params and needs.\n" +
			"request has url and perhaps method, headers, from, http, body, id, time, session, site, mapping,\n" +
			"application, cluster, origin, attempts, internal and args. For gw_on_response there is response, with\n" +
			"status, headers, body, upstream, cached and stage; a collector is shown a sample: origin, first, window,\n" +
			"answers, failed, timeouts, p50, p95, p99, in_flight, waiting, failed_connects, metric, sources.\n" +
			"origins has health (up, down, ejected) or a map of health, state, in_flight, capacity, metric,\n" +
			"permitted, tried and full. rule is the rule that asks a matcher; properties are for get_property.\n" +
			"expect has route or abstain of a router; match of a matcher (true, false, unknown); ops of a filter,\n" +
			"as - set_header: { X-Tenant: blue } (set_header, add_header, delete_header, set_path, set_query,\n" +
			"set_host, set_body, respond, tag; [] for none); metric of a collector (none for no opinion); of all\n" +
			"error (a code), fault (a kind), not_called, refused (a part of why it cannot be loaded), and\n" +
			"fuel, the most that it may use.",
		Example: "  weirkeep plugin test\n" +
			"  weirkeep plugin test tests/*.yaml --engine wazero -v",
		Annotations: map[string]string{outputs: "json yaml jsonl"},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{suiteFile}
			}
			return a.pluginTest(c.Context(), args, o)
		},
	}
	engineFlag(c, &o.engine)
	c.Flags().StringVar(&o.name, "run", "", "run only tests with `TEXT` in their names")
	a.verboseFlag(c.Flags(), "what the plugin logs")
	return c
}

func engineFlag(c *cobra.Command, into *string) {
	c.Flags().StringVar(into, "engine", "all", "`NAME` of the engine, or all")
}

// pluginTestReport is what `plugin test -o json` prints.
type pluginTestReport struct {
	Schema  int                `json:"schema"`
	Passed  int                `json:"passed"`
	Failed  int                `json:"failed"`
	Engines []string           `json:"engines"`
	Tests   []pluginTestResult `json:"tests"` // never null
}

// pluginTestResult is what came of one test.
type pluginTestResult struct {
	Name       string           `json:"name"`
	File       string           `json:"file"`
	Line       int              `json:"line"`
	OK         bool             `json:"ok"`
	Result     string           `json:"result"`
	Fuel       uint64           `json:"fuel"` // the most of all engines
	Mismatches []pluginMismatch `json:"mismatches,omitempty"`
}

// pluginMismatch is a part of a result that is not what was expected.
type pluginMismatch struct {
	Key  string `json:"key"`
	Want string `json:"want"`
	Got  string `json:"got"`
	Line int    `json:"line,omitempty"` // of the expectation; 0: of none
	Note string `json:"note,omitempty"`
}

func (a *app) pluginTest(ctx context.Context, files []string, o pluginTestOptions) error {
	engines, err := enginesNamed(o.engine)
	if err != nil {
		return err
	}
	suites, err := a.readSuites(files)
	if err != nil {
		return err
	}
	report := &pluginTestReport{Schema: 1, Tests: []pluginTestResult{}}
	for _, e := range engines {
		report.Engines = append(report.Engines, e.name)
	}
	for _, s := range suites {
		if err := a.runSuite(ctx, s, engines, o.name, report); err != nil {
			return err
		}
	}
	if err := a.printPluginTests(report); err != nil {
		return err
	}
	switch {
	case report.Failed > 0:
		return &failure{status: exitTests}
	case len(report.Tests) == 0:
		return &failure{status: exitTests, err: fmt.Errorf("no test has %q in its name", o.name)}
	}
	return nil
}

// readSuites reads files of tests; every mistake in any of them is told.
func (a *app) readSuites(files []string) (suites []*pluginSuite, err error) {
	var problems config.Problems
	for _, file := range files {
		s, ps := readSuite(file)
		suites, problems = append(suites, s), append(problems, ps...)
	}
	if len(problems) > 0 {
		a.sayProblems(problems)
		return nil, &failure{status: exitConfig}
	}
	return suites, nil
}

// guestLog is where what plugins log is written, if anybody wants to see it.
func (a *app) guestLog() *slog.Logger {
	if !a.verbose {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// rigs are one for each engine.
func (a *app) rigs(s *pluginSuite, engines []guestEngine) (all []*rig, err error) {
	wasm, err := readModule(s.module)
	if err != nil {
		return nil, err
	}
	for _, e := range engines {
		made, err := e.make("")
		if err != nil {
			closeRigs(all)
			return nil, fmt.Errorf("engine %s: %w", e.name, err)
		}
		all = append(all, &rig{engine: made, log: a.guestLog(), wasm: wasm, table: s.table, loaded: make(map[string]*loadedPlugin)})
	}
	return all, nil
}

func closeRigs(all []*rig) {
	for _, g := range all {
		_ = g.close() // at the end of the program: nothing depends on it
	}
}

func (a *app) runSuite(ctx context.Context, s *pluginSuite, engines []guestEngine, part string, report *pluginTestReport) error {
	rigs, err := a.rigs(s, engines)
	if err != nil {
		return err
	}
	defer closeRigs(rigs)
	shown := a.newSteps("test", len(s.tests))
	defer shown.end()
	for i := range s.tests {
		t := &s.tests[i]
		if !strings.Contains(t.name, part) {
			continue
		}
		if ctx.Err() != nil {
			return &failure{status: exitInterrupted}
		}
		shown.tick(i, t.name)
		r, err := runPluginTest(ctx, s, t, rigs)
		if err != nil {
			return fmt.Errorf("%s: %w", s.module, err)
		}
		report.add(r)
	}
	return nil
}

func (r *pluginTestReport) add(t pluginTestResult) {
	if t.OK = len(t.Mismatches) == 0; t.OK {
		r.Passed++
	} else {
		r.Failed++
	}
	r.Tests = append(r.Tests, t)
}

// placedResult is a result, and where it came from.
type placedResult struct {
	pluginResult
	engine string
	used   bool
}

func (p placedResult) place() string {
	if p.used {
		return p.engine + ", on an instance that was called before"
	}
	return p.engine + ", on a fresh instance"
}

// runPluginTest runs a test on all engines.
func runPluginTest(ctx context.Context, s *pluginSuite, t *pluginTest, rigs []*rig) (pluginTestResult, error) {
	r := pluginTestResult{Name: t.name, File: t.file, Line: t.line}
	var all []placedResult
	for _, g := range rigs {
		fresh, err := g.onFresh(ctx, t)
		if err != nil {
			return r, err
		}
		all = append(all, placedResult{fresh, g.engine.Name(), false})
		if t.keeps(s) {
			continue
		}
		used, err := g.onUsed(ctx, t)
		if err != nil {
			return r, err
		}
		all = append(all, placedResult{used, g.engine.Name(), true})
	}
	for _, p := range all {
		r.Fuel = max(r.Fuel, p.fuel)
	}
	r.Result = all[0].pluginResult.String()
	r.Mismatches = append(t.compare(all[0].pluginResult, r.Fuel), differences(all, steadyFuel(rigs[0].wasm))...)
	return r, nil
}

// compare holds a result against what was expected.
func (t *pluginTest) compare(r pluginResult, fuel uint64) (wrong []pluginMismatch) {
	for _, x := range t.expect {
		m := pluginMismatch{Key: x.key, Want: x.want, Got: r.value, Line: x.line, Note: r.note}
		switch most, _ := strconv.ParseUint(x.want, 10, 64); {
		case x.key == "fuel" && fuel > most:
			m.Want, m.Got, m.Note = "at most "+x.want, strconv.FormatUint(fuel, 10), ""
		case x.key == "fuel" || x.key == r.key && x.want == r.value:
			continue
		case x.key == "refused" && r.key == "refused" && strings.Contains(r.value, x.want):
			continue
		case x.key != r.key:
			m.Got = r.key + " " + r.value
		}
		wrong = append(wrong, m)
	}
	return wrong
}

// differences are results that are not those of the first.
func differences(all []placedResult, fuel bool) (wrong []pluginMismatch) {
	first := all[0]
	for _, p := range all[1:] {
		note := "want as " + first.place() + "; got by " + p.place()
		if p.key != first.key || p.value != first.value {
			return []pluginMismatch{{Key: "result", Want: first.pluginResult.String(), Got: p.pluginResult.String(), Note: note}}
		}
		if fuel && p.fuel != first.fuel {
			return []pluginMismatch{{Key: "fuel", Want: strconv.FormatUint(first.fuel, 10), Got: strconv.FormatUint(p.fuel, 10), Note: note}}
		}
	}
	return nil
}

// steadyFuel reports whether a module uses the same fuel for the same call: not if
// clock or random numbers steer it.
func steadyFuel(wasm []byte) bool {
	m, _ := meter.Inspect(wasm)
	return m != nil && !slices.ContainsFunc(m.Imports, func(i meter.Import) bool {
		return i.Name == "clock_time_get" || i.Name == "random_get"
	})
}
