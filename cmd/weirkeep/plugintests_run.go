package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"weirkeep/abi"
	"weirkeep/plugins"
	"weirkeep/plugins/engine"
)

// pluginResult is what came of a call.
type pluginResult struct {
	key, value string // as expectations have them
	note       string // what else there is to say; may be empty
	fuel       uint64
}

func (r pluginResult) String() string {
	text := r.key + " " + strings.ReplaceAll(r.value, "\n", "; ")
	if r.note != "" {
		text += " (" + r.note + ")"
	}
	return text
}

// rig runs the tests of a plugin on one engine.
type rig struct {
	engine engine.Engine
	log    *slog.Logger
	wasm   []byte
	table  *abi.ClusterTable
	loaded map[string]*loadedPlugin // by what tests say of the plugin
}

// loadedPlugin is the plugin in one configuration.
type loadedPlugin struct {
	plugin *plugins.Plugin
	err    error               // why it is refused
	used   *plugins.Attachment // whose instance has been called before; nil: none yet
	last   *pluginTest         // that it was called for
}

// longestWait is how long a test waits for an instance: nobody else has it.
const longestWait = time.Second

// load gets the plugin as a test configures it.
func (g *rig) load(ctx context.Context, t *pluginTest) *loadedPlugin {
	key := fmt.Sprintf("%s %q", t.config.Params, t.config.Needs)
	if l := g.loaded[key]; l != nil {
		return l
	}
	l := &loadedPlugin{}
	l.plugin, l.err = g.fresh(ctx, t)
	g.loaded[key] = l
	return l
}

// fresh loads the plugin in a house of its own, in which nothing is kept.
func (g *rig) fresh(ctx context.Context, t *pluginTest) (*plugins.Plugin, error) {
	c := t.config
	c.Wasm = g.wasm
	c.Limits.Instances, c.Limits.Wait = 1, longestWait
	return plugins.NewHouse(g.log, g.engine).Load(ctx, c)
}

// close frees what was loaded, and the engine.
func (g *rig) close() error {
	for _, l := range g.loaded {
		if l.used != nil {
			l.used.Close()
		}
		if l.plugin != nil {
			l.plugin.Close()
		}
	}
	return g.engine.Close()
}

// attach makes an attachment, which has one instance.
func (g *rig) attach(p *plugins.Plugin, t *pluginTest) (*plugins.Attachment, error) {
	o := plugins.AttachOptions{}
	switch t.config.Kind {
	case plugins.Router, plugins.Collector:
		o.Place.Cluster, o.Table = g.table.Cell+"/"+g.table.Cluster, g.table
	case plugins.Filter:
		o.Place.Site = string(t.request.site)
	}
	return p.Attach(o)
}

// onFresh runs a test on an instance that was never called.
func (g *rig) onFresh(ctx context.Context, t *pluginTest) (pluginResult, error) {
	l := g.load(ctx, t)
	if l.err != nil {
		return refused(l.err)
	}
	p := l.plugin
	if t.config.KV > 0 { // what is stored outlives instances
		var err error
		if p, err = g.fresh(ctx, t); err != nil {
			return refused(err)
		}
		defer p.Close()
	}
	a, err := g.attach(p, t)
	if err != nil {
		return refused(err)
	}
	defer a.Close()
	return g.call(a, t)
}

// keeps reports whether calls may depend on those before.
func (t *pluginTest) keeps(s *pluginSuite) bool { return s.stateful || t.config.KV > 0 }

// onUsed runs a test on an instance that has been called before.
func (g *rig) onUsed(ctx context.Context, t *pluginTest) (pluginResult, error) {
	l := g.load(ctx, t)
	if l.err != nil {
		return refused(l.err)
	}
	if l.used == nil {
		if err := g.use(l, t); err != nil {
			return refused(err)
		}
	}
	r, err := g.call(l.used, t)
	l.last = t
	if r.key == "fault" { // its instance is gone
		l.used.Close()
		l.used = nil
	}
	return r, err
}

// use makes an instance that has been called: for the test before, or for this one.
func (g *rig) use(l *loadedPlugin, t *pluginTest) error {
	a, err := g.attach(l.plugin, t)
	if err != nil {
		return err
	}
	for _, first := range []*pluginTest{l.last, t} {
		if first == nil {
			continue
		}
		r, err := g.call(a, first)
		if err != nil {
			a.Close()
			return err
		}
		if r.key != "fault" {
			break
		}
		a.Close()
		if a, err = g.attach(l.plugin, t); err != nil {
			return err
		}
	}
	l.used = a
	return nil
}

// refused is the result of a plugin that could not be loaded. Problems of the module
// are no result: no test can expect them.
func refused(err error) (pluginResult, error) {
	if ps, ok := errors.AsType[plugins.Problems](err); ok && (len(ps) > 1 || ps[0].Cure != "") {
		return pluginResult{}, err
	}
	return pluginResult{key: "refused", value: err.Error()}, nil
}

// call makes the call of a test.
func (g *rig) call(a *plugins.Attachment, t *pluginTest) (r pluginResult, err error) {
	if t.bodyTooLarge() {
		return pluginResult{key: "not_called", value: string(plugins.BodyTooLarge)}, nil
	}
	counters := a.Plugin().Counters()
	before := counters.Fuel.Load()
	switch t.config.Kind {
	case plugins.Router:
		r, err = t.route(a, g.table)
	case plugins.Matcher:
		r, err = t.match(a)
	case plugins.Collector:
		r = t.collect(a)
	default:
		r, err = t.filter(a)
	}
	r.fuel = counters.Fuel.Load() - before
	return r, err
}

func (t *pluginTest) route(a *plugins.Attachment, table *abi.ClusterTable) (pluginResult, error) {
	v, err := t.view(table.Generation)
	if err != nil {
		return pluginResult{}, err
	}
	counters := a.Plugin().Counters()
	gone, denied := counters.Unlisted[0].Load(), counters.Unlisted[1].Load()
	list, listed, failure := a.Route(v, t.properties, permitted{v}, nil)
	if failure != nil || !listed {
		return failed(failure, "abstain", "true"), nil
	}
	var names []string
	for _, at := range list {
		names = append(names, nameAt(table, int(at)))
	}
	var notes []string
	if n := counters.Unlisted[0].Load() - gone; n > 0 {
		notes = append(notes, fmt.Sprintf("%d more are no origins", n))
	}
	if n := counters.Unlisted[1].Load() - denied; n > 0 {
		notes = append(notes, fmt.Sprintf("%d more are not permitted", n))
	}
	return pluginResult{key: "route", value: routeText(names), note: strings.Join(notes, ", ")}, nil
}

func (t *pluginTest) match(a *plugins.Attachment) (pluginResult, error) {
	v, err := t.view(0)
	if err != nil {
		return pluginResult{}, err
	}
	answer, failure := a.Match(v, t.properties, t.rule)
	words := map[plugins.Answered]string{plugins.Match: "true", plugins.NoMatch: "false", plugins.Unknown: "unknown"}
	return failed(failure, "match", words[answer]), nil
}

func (t *pluginTest) collect(a *plugins.Attachment) pluginResult {
	v := t.sample
	metric, known, failure := a.Collect(&v)
	if !known {
		return failed(failure, "metric", "none")
	}
	return failed(failure, "metric", strconv.Itoa(metric))
}

func (t *pluginTest) filter(a *plugins.Attachment) (pluginResult, error) {
	v, err := t.view(0)
	if err != nil {
		return pluginResult{}, err
	}
	where := t.where(v)
	if !a.Serves(where.Call) {
		return pluginResult{key: "ops", value: "none", note: "the module has no export for it"}, nil
	}
	ops, _, failure := a.Filter(v, t.properties.at(where.Call), where, nil, nil)
	return failed(failure, "ops", opsText(ops)), nil
}

// where is what the operations of a test may say.
func (t *pluginTest) where(v *abi.View) abi.Where {
	w := abi.Where{Call: abi.OnRequest, Head: v.Method == abi.MethodHEAD, WholeBody: t.showsWholeBody(), MaxBody: bodyLimit(&t.config)}
	if t.response != nil {
		w.Status, w.Call = t.response.status, abi.OnResponse
		if t.response.stage == "store" {
			w.Call = abi.OnStore
		}
	}
	return w
}

// filterCaller is the call of a filter, for one who makes it often.
func (t *pluginTest) filterCaller(a *plugins.Attachment, v *abi.View) func() {
	where, ops, keep := t.where(v), make([]abi.Op, 0, abi.MaxOps), make([]byte, 0, 64<<10)
	return func() { a.Filter(v, t.properties.at(where.Call), where, ops, keep) }
}

// failed is the result of a call that failed, else the one given.
func failed(failure *plugins.Failure, key, value string) pluginResult {
	switch {
	case failure == nil:
		return pluginResult{key: key, value: value}
	case failure.Fault != nil:
		return pluginResult{key: "fault", value: string(failure.Fault.Kind), note: failure.Fault.Message}
	case failure.NotCalled != "":
		return pluginResult{key: "not_called", value: string(failure.NotCalled)}
	}
	return pluginResult{key: "error", value: failure.Code.String()}
}

// permitted are the origins of a request that its view says are.
type permitted struct{ *abi.View }

// Permits implements plugins.Permits.
func (p permitted) Permits(position uint16) bool {
	return p.Origins[position].Flags&abi.OriginPermitted != 0
}
