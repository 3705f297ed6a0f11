package plugins

import (
	"fmt"
	"time"

	"weirkeep/abi"
)

// selfTest makes an instance, makes one call of each export of the kind, and drops it.
// A fault fails it, a negative answer does not.
func (p *Plugin) selfTest() error {
	a := &Attachment{plugin: p}
	var t *table
	if p.config.Kind == Router || p.config.Kind == Collector {
		t = newTable(testTable)
	}
	i, err := a.make(t)
	if err != nil {
		return err
	}
	defer i.close()
	for n, export := range callExports {
		if !p.tests(call(n)) || i.functions[n] == nil {
			continue
		}
		if err := i.try(call(n)); err != nil {
			return fmt.Errorf("self-test: %s: %w", export, i.told(err))
		}
	}
	return nil
}

// testTable are the origins of the self-test.
var testTable = &abi.ClusterTable{Generation: 1, Cluster: "selftest", Cell: "main", Entries: []abi.ClusterEntry{
	{Name: "selftest", Address: "http://selftest.invalid:80", Host: "selftest.invalid", Cell: "main", Cluster: "selftest", Weight: 1, HostWeight: 1, Capacity: 1},
}}

// testOrigins are how they are: up, idle and permitted.
var testOrigins = []abi.Origin{{Health: abi.HealthUp, Capacity: 1, Metric: abi.MetricNone, Flags: abi.OriginUsable | abi.OriginPermitted}}

// tests reports whether a call is of the plugin's kind.
func (p *Plugin) tests(c call) bool {
	switch p.config.Kind {
	case Router:
		return c == callRoute || c == callNames || c == callTick
	case Matcher:
		return c == callMatch
	case Collector:
		return c == callCollect || c == callEnabled || c == callTick
	}
	return c == callRequest || c == callResponse || c == callTick
}

// try makes one call of the self-test.
func (i *instance) try(c call) error {
	now := uint64(time.Now().UnixNano())
	size, err := i.putTest(c, now)
	if err != nil {
		return err
	}
	if c == callMatch {
		i.env.random = abi.NewRandom(abi.MatcherSeed(0, ""))
	}
	n, err := i.run(ask{export: c, phase: trying, ample: c == callTick, now: now, size: size})
	if err != nil || n <= 0 {
		return err
	}
	return i.checkTest(c, n, size)
}

// putTest writes the view of a call of the self-test.
func (i *instance) putTest(c call, now uint64) (int, error) {
	switch c {
	case callEnabled:
		return 0, nil
	case callTick:
		v := abi.TickView{Flags: abi.FlagSelfTest, Now: now, Period: uint32(i.a.plugin.config.Tick / time.Millisecond)}
		return v.Put(i.buffer())
	case callCollect:
		v := abi.CollectorView{Flags: abi.FlagSelfTest | abi.FlagFirstSample, Now: now, Name: "selftest", Address: testTable.Entries[0].Address, Generation: 1, Capacity: 1, Health: abi.HealthUp}
		return v.Put(i.buffer())
	}
	v := i.a.plugin.needs.testView(now)
	switch c {
	case callRoute, callNames:
		v.Generation = testTable.Generation
	case callMatch:
		v.Flags |= abi.FlagDeterministic
	case callResponse:
		v.Status = 200
	}
	return v.PutWithin(i.buffer(), i.a.viewLimit())
}

// testView is the request of the self-test.
func (n *Needs) testView(now uint64) *abi.View {
	v := &abi.View{Flags: abi.FlagSelfTest, Now: now, Method: abi.MethodGET, Version: abi.HTTP11, Granted: n.Granted, Port: 80}
	if n.has(NeedOrigins) {
		v.Origins = testOrigins
	}
	n.show(v)
	return v
}

// show fills in the request of the self-test, as far as it is granted.
func (n *Needs) show(v *abi.View) {
	for _, f := range [...]struct {
		bit   uint32
		field *[]byte
		text  string
	}{
		{NeedMethod, &v.MethodText, "GET"}, {NeedScheme, &v.Scheme, "http"}, {NeedHost, &v.Host, "selftest.invalid"},
		{NeedPath, &v.Path, "/"}, {NeedTarget, &v.Target, "/"}, {NeedClient, &v.Client, "127.0.0.1"},
	} {
		if n.has(f.bit) {
			*f.field = []byte(f.text)
		}
	}
}

// checkTest looks at the result of a call of the self-test.
func (i *instance) checkTest(c call, n int32, size int) error {
	area := i.buffer()[abi.ResultArea(size):]
	switch c {
	case callRoute:
		_, err := abi.ReadRoute(area, n, nil)
		return invalidResult(err)
	case callNames:
		return invalidResult(abi.ReadNames(area, n, func([]byte) {}))
	case callMatch:
		if n > int32(abi.Unknown) {
			return invalid("it returned %d, must be 0, 1, 2 or negative", n)
		}
	case callTick:
		return invalid("it returned %d, must be 0 or negative", n)
	case callRequest, callResponse:
		return invalidResult(i.checkOps(c, n, area))
	}
	return nil
}

// checkOps looks at the operations that a filter returned in the self-test, which has
// no body: all of it was shown.
func (i *instance) checkOps(c call, n int32, area []byte) error {
	ops, err := abi.ReadOps(area, n, nil)
	if err != nil {
		return err
	}
	p := i.a.plugin
	where := abi.Where{Call: abi.OnRequest, MaxBody: p.limits.Body, WholeBody: p.needs.has(NeedBody)}
	if c == callResponse {
		where.Call, where.Status = abi.OnResponse, 200
	}
	return abi.CheckOps(ops, where)
}

// invalidResult is the fault that an error of reading a result is; nil stays nil.
func invalidResult(err error) error {
	if err == nil {
		return nil
	}
	return invalid("%v", err)
}
