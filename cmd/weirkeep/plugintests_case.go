package main

import (
	"bytes"
	"fmt"
	"time"

	"github.com/goccy/go-yaml/ast"

	"weirkeep/abi"
	"weirkeep/plugins"
)

// pluginTest is one test of a plugin: a call, and what is expected of its result.
type pluginTest struct {
	name       string
	file       string
	line       int
	config     plugins.Config // the suite's, with what this test says otherwise
	request    *testExchange  // of routers, matchers and filters
	response   *testResponse  // gw_on_response is called; nil: gw_on_request
	rule       string         // that asks a matcher
	sample     abi.CollectorView
	origins    []abi.Origin
	properties testProperties
	expect     []pluginExpectation
}

// testExchange is a request, as a plugin is to see it.
type testExchange struct {
	head                                    []byte // request line and fields
	secure                                  bool
	id                                      uint64
	now                                     time.Time
	client                                  string
	body                                    []byte
	session, mapping, site, cluster, origin []byte
	application                             []byte
	attempts                                uint16
	internal                                bool
	args                                    [][]byte
}

// testResponse is an answer.
type testResponse struct {
	status     uint16
	fields     []string
	body       []byte
	upstreamNS uint64
	cached     bool
	stage      string
}

// testProperties are what get_property finds of an exchange.
type testProperties map[string]string

// Property is for guests that ask.
func (p testProperties) Property(name string) (string, bool) {
	value, ok := p[name]
	return value, ok
}

// at are those that there are in a call: none of a request where there is none.
func (p testProperties) at(c abi.Call) plugins.Properties {
	if c == abi.OnStore {
		return nil
	}
	return p
}

// testNow is the time of tests that do not say one, so that all see the same.
var testNow = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// readTest reads one test.
func (s *pluginSuite) readTest(f *yamlFile, n ast.Node, what string) pluginTest {
	t := pluginTest{file: f.name, config: s.config, properties: testProperties{}, origins: s.allUp()}
	t.line, _ = placeOf(n)
	var request, response, sample, expect ast.Node
	later := func(into *ast.Node) reader { return func(_ *yamlFile, n ast.Node, _ string) { *into = n } }
	has := f.fields(n, what, []yamlField{
		{"name", textInto(&t.name)},
		{"request", later(&request)},
		{"response", later(&response)},
		{"sample", later(&sample)},
		{"origins", func(f *yamlFile, n ast.Node, what string) { s.readOrigins(f, n, what, t.origins) }},
		{"rule", textInto(&t.rule)},
		{"properties", func(f *yamlFile, n ast.Node, what string) { f.properties(n, what, t.properties) }},
		{"params", paramsInto(&t.config.Params)},
		{"needs", textsInto(&t.config.Needs)},
		{"expect", later(&expect)},
	})
	kind := s.config.Kind
	must := []string{"name", "request", "expect"}
	if kind == plugins.Collector {
		must[1] = "sample"
	}
	for _, key := range must {
		if !has[key] {
			f.fail(n, "E106", what+"."+key+" is missing", "")
		}
	}
	for key, of := range map[string]plugins.Kind{"sample": plugins.Collector, "response": plugins.Filter, "rule": plugins.Matcher} {
		if has[key] && kind != of {
			f.fail(n, "E110", fmt.Sprintf("%s.%s: only a %s has one, and this is a %s", what, key, of, kind), "")
		}
	}
	t.readCall(s, f, what, request, response, sample)
	if expect != nil {
		t.expect = s.expectations(f, expect, what+".expect")
	}
	return t
}

// readCall reads what the plugin is called with.
func (t *pluginTest) readCall(s *pluginSuite, f *yamlFile, what string, request, response, sample ast.Node) {
	if request != nil {
		t.request = f.exchange(request, what+".request")
		if t.request.id == 0 {
			t.request.id = abi.FNV1a(t.name)
		}
	}
	if response != nil {
		t.response = f.response(response, what+".response")
	}
	if sample != nil {
		t.sample = s.readSample(f, sample, what+".sample")
	}
}

// allUp are origins with nothing to do.
func (s *pluginSuite) allUp() (all []abi.Origin) {
	for _, e := range s.table.Entries {
		all = append(all, abi.Origin{
			Health: abi.HealthUp, Capacity: uint16(min(e.Capacity, 65535)), Metric: abi.MetricNone, Flags: abi.OriginUsable | abi.OriginPermitted,
		})
	}
	return all
}

var (
	healthWords = []string{"down", "up", "ejected"}
	stateWords  = []string{"serving", "draining", "maintenance", "disabled"}
)

// readOrigins reads how origins are, by their names: one word, or a map.
func (s *pluginSuite) readOrigins(f *yamlFile, n ast.Node, what string, all []abi.Origin) {
	f.entries(n, what, func(name string, at, value ast.Node) {
		i := s.findOrigin(f, at, what, name)
		if i < 0 {
			return
		}
		f.originState(value, what+"."+name, &all[i])
	})
}

func (f *yamlFile) originState(n ast.Node, what string, o *abi.Origin) {
	permitted, tried, full := true, false, false
	if f.isMap(n) {
		f.fields(n, what, []yamlField{
			{"health", wordInto(&o.Health, healthWords)},
			{"state", wordInto(&o.State, stateWords)},
			{"in_flight", numberInto(&o.InFlight, 65535)},
			{"capacity", numberInto(&o.Capacity, 65535)},
			{"metric", numberInto(&o.Metric, 100)},
			{"permitted", truthInto(&permitted)},
			{"tried", truthInto(&tried)},
			{"full", truthInto(&full)},
		})
	} else {
		wordInto(&o.Health, healthWords)(f, n, what)
	}
	o.Flags = 0
	if permitted {
		o.Flags |= abi.OriginPermitted
	}
	if tried {
		o.Flags |= abi.OriginTried
	}
	if full || o.InFlight >= o.Capacity {
		o.Flags |= abi.OriginFull
	}
	if permitted && !tried && o.Health == abi.HealthUp && o.State == abi.StateServing {
		o.Flags |= abi.OriginUsable
	}
}

func (f *yamlFile) properties(n ast.Node, what string, into testProperties) {
	f.entries(n, what, func(key string, _, value ast.Node) { into[key], _ = f.text(value, what+"."+key) })
}

// exchange reads a request.
func (f *yamlFile) exchange(n ast.Node, what string) *testExchange {
	x := &testExchange{now: testNow, client: "192.0.2.7", mapping: []byte("0"), site: []byte("shop"), cluster: []byte("main/shop")}
	r := testRequest{method: "GET", version: "1.1"}
	has := f.fields(n, what, []yamlField{
		{"method", textInto(&r.method)},
		{"url", func(f *yamlFile, n ast.Node, what string) { r.at = n; r.url, _ = f.text(n, what) }},
		{"headers", func(f *yamlFile, n ast.Node, what string) { r.headers = f.headers(n, what) }},
		{"from", func(f *yamlFile, n ast.Node, what string) {
			if a := f.address(n, what); a.IsValid() {
				x.client = a.Addr().Unmap().String()
			}
		}},
		{"http", func(f *yamlFile, n ast.Node, what string) { r.version = f.oneOf(n, what, "1.0", "1.1") }},
		{"id", numberInto(&x.id, 1<<64-1)},
		{"time", func(f *yamlFile, n ast.Node, what string) { x.now = f.time(n, what) }},
		{"body", bytesInto(&x.body)},
		{"session", bytesInto(&x.session)},
		{"mapping", bytesInto(&x.mapping)},
		{"site", bytesInto(&x.site)},
		{"cluster", bytesInto(&x.cluster)},
		{"application", bytesInto(&x.application)},
		{"origin", bytesInto(&x.origin)},
		{"attempts", numberInto(&x.attempts, 65535)},
		{"internal", truthInto(&x.internal)},
		{"args", func(f *yamlFile, n ast.Node, what string) { x.args = f.args(n, what) }},
	})
	if !has["url"] {
		f.fail(n, "E106", what+".url is missing", "")
		return x
	}
	x.readHead(f, &r, what)
	return x
}

// readHead makes a head of what was written, which must be one that the gateway takes.
func (x *testExchange) readHead(f *yamlFile, r *testRequest, what string) {
	head, secure, err := headOf(r.method, r.url, r.version, r.headers)
	if err == nil {
		x.head, x.secure = bytes.TrimSuffix(head, []byte("\r\n")), secure
		_, err = x.parse()
	}
	if err != nil && r.url != "" {
		f.fail(r.at, "E112", what+": "+err.Error(), "")
	}
}

func (f *yamlFile) args(n ast.Node, what string) (all [][]byte) {
	f.list(n, what, func(n ast.Node, what string) {
		text, _ := f.text(n, what)
		all = append(all, []byte(text))
	})
	if len(all) > abi.MaxArgs {
		f.fail(n, "E110", fmt.Sprintf("%s: there are %d, at most %d", what, len(all), abi.MaxArgs), "")
	}
	return all
}

// response reads an answer.
func (f *yamlFile) response(n ast.Node, what string) *testResponse {
	r := &testResponse{status: 200, stage: "deliver"}
	f.fields(n, what, []yamlField{
		{"status", numberInto(&r.status, 599)},
		{"headers", func(f *yamlFile, n ast.Node, what string) { r.fields = f.headers(n, what) }},
		{"body", bytesInto(&r.body)},
		{"upstream", spanInto(&r.upstreamNS, 1)},
		{"cached", truthInto(&r.cached)},
		{"stage", func(f *yamlFile, n ast.Node, what string) { r.stage = f.oneOf(n, what, "deliver", "store") }},
	})
	if _, err := parseFields(r.fields); err != nil {
		f.fail(n, "E112", what+": "+err.Error(), "")
	}
	return r
}

// readSample reads what a collector is told.
func (s *pluginSuite) readSample(f *yamlFile, n ast.Node, what string) abi.CollectorView {
	v := abi.CollectorView{Now: uint64(testNow.UnixNano()), Generation: s.table.Generation, Metric: 50, Window: 10_000, Health: abi.HealthUp}
	origin, first := -1, false
	has := f.fields(n, what, []yamlField{
		{"origin", func(f *yamlFile, n ast.Node, what string) {
			if name, ok := f.text(n, what); ok {
				origin = s.findOrigin(f, n, what, name)
			}
		}},
		{"first", truthInto(&first)},
		{"window", spanInto(&v.Window, time.Millisecond)},
		{"answers", numberInto(&v.Answers, 1<<64-1)},
		{"failed", numberInto(&v.Failed, 1<<64-1)},
		{"timeouts", numberInto(&v.Timeouts, 1<<64-1)},
		{"p50", spanInto(&v.P50, 1)},
		{"p95", spanInto(&v.P95, 1)},
		{"p99", spanInto(&v.P99, 1)},
		{"in_flight", numberInto(&v.InFlight, 1<<32-1)},
		{"waiting", numberInto(&v.Waiting, 1<<32-1)},
		{"failed_connects", numberInto(&v.FailedConnects, 1<<64-1)},
		{"metric", numberInto(&v.Metric, 100)},
		{"health", wordInto(&v.Health, healthWords)},
		{"state", wordInto(&v.State, stateWords)},
		{"sources", func(f *yamlFile, n ast.Node, what string) { v.Sources = f.sources(n, what) }},
	})
	if !has["origin"] {
		f.fail(n, "E106", what+".origin is missing", "")
	}
	if first {
		v.Flags |= abi.FlagFirstSample
	}
	if origin >= 0 {
		e := &s.table.Entries[origin]
		v.Position, v.Name, v.Address, v.Capacity = uint32(origin), e.Name, e.Address, e.Capacity
	}
	return v
}
