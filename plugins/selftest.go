package plugins

import (
	"fmt"
	"time"

	"weirkeep/abi"
)

// selfTest makes an instance, makes one call of each export of the kind, and drops it.
// A fault fails it, a negative answer does not.
func (p *Plugin) selfTest() error {
	a := &Attachment{plugin: p, place: Place{}}
	var origins []abi.Origin
	if p.config.Kind == Router || p.config.Kind == Collector {
		a.table.Store(newTable(testTable))
		origins = []abi.Origin{{Health: abi.HealthUp, Capacity: 1, Metric: abi.MetricNone, Flags: abi.OriginUsable | abi.OriginPermitted}}
	}
	i, err := a.make(nil)
	if err != nil {
		return err
	}
	defer i.close()
	for n, export := range callExports {
		if !p.tests(call(n)) || i.functions[n] == nil {
			continue
		}
		if err := i.try(call(n), origins); err != nil {
			return fmt.Errorf("self-test: %s: %w", export, i.describe(err))
		}
	}
	return nil
}

// testTable are the origins of the self-test.
var testTable = &abi.ClusterTable{Generation: 1, Cluster: "selftest", Cell: "main", Entries: []abi.ClusterEntry{
	{Name: "selftest", Address: "http://selftest.invalid:80", Host: "selftest.invalid", Cell: "main", Cluster: "selftest", Weight: 1, HostWeight: 1, Capacity: 1},
}}

// tests reports whether a call is of the plugin's kind.
func (p *Plugin) tests(c call) bool {
	switch p.config.Kind {
	case Router:
		return c == callRoute || c == callNames
	case Matcher:
		return c == callMatch
	case Collector:
		return c == callCollect || c == callEnabled
	}
	return c == callRequest || c == callResponse
}

// try makes one call of the self-test.
func (i *instance) try(c call, origins []abi.Origin) error {
	now := uint64(time.Now().UnixNano())
	size, err := i.putTest(c, now, origins)
	if err != nil {
		return err
	}
	n, err := i.run(c, trying, now, size)
	if err != nil || n <= 0 {
		return err
	}
	return i.checkTest(c, n, size)
}

// putTest writes the view of a call of the self-test.
func (i *instance) putTest(c call, now uint64, origins []abi.Origin) (int, error) {
	if c == callEnabled {
		return 0, nil
	}
	if c == callCollect {
		v := abi.CollectorView{Flags: abi.FlagSelfTest | abi.FlagFirstSample, Now: now, Name: "selftest", Address: testTable.Entries[0].Address, Generation: 1, Capacity: 1, Health: abi.HealthUp}
		return v.Put(i.buffer())
	}
	v := abi.View{Flags: abi.FlagSelfTest, Now: now, Method: abi.MethodGET, Version: abi.HTTP11, Granted: i.a.plugin.needs.Granted, Port: 80, Origins: origins}
	if c == callResponse {
		v.Status = 200
	}
	i.a.plugin.needs.show(&v)
	return v.Put(i.buffer())
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
		return err
	case callNames:
		return abi.ReadNames(area, n, func([]byte) {})
	case callMatch:
		if n > int32(abi.Unknown) {
			return fmt.Errorf("%w: it returned %d", abi.ErrInvalidResult, n)
		}
	case callRequest, callResponse:
		ops, err := abi.ReadOps(area, n, nil)
		if err != nil {
			return err
		}
		where := abi.Where{Call: abi.OnRequest, MaxBody: i.a.plugin.limits.Body}
		if c == callResponse {
			where.Call, where.Status = abi.OnResponse, 200
		}
		return abi.CheckOps(ops, where)
	}
	return nil
}
