package testplugins

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"weirkeep/abi"
)

var table = &abi.ClusterTable{Generation: 1, Cluster: "shop", Cell: "main", Entries: []abi.ClusterEntry{
	{Name: "server1", Address: "http://10.0.0.1:8080", Cluster: "shop", Cell: "main", Weight: 1},
	{Name: "server2", Address: "http://10.0.0.2:8080", Cluster: "shop", Cell: "main", Weight: 1},
	{Name: "server3", Address: "http://10.0.0.3:8080", Cluster: "shop", Cell: "main", Weight: 1},
}}

// exchange is a view that every kind can be given.
func exchange() *abi.View {
	up := abi.Origin{Health: abi.HealthUp, Metric: abi.MetricNone, Flags: abi.OriginUsable | abi.OriginPermitted}
	return &abi.View{RequestID: 7, Now: now, Method: abi.MethodGET, Version: abi.HTTP11, Generation: 1, Port: 80,
		MethodText: []byte("GET"), Scheme: []byte("http"), Host: []byte("shop.example"), Path: []byte("/"),
		Origins: []abi.Origin{up, up, up}}
}

// blobFor is what an export is given, with flags.
func blobFor(export string, flags uint16) blob {
	switch export {
	case "gw_collect":
		return &abi.CollectorView{Flags: flags, Now: now, Name: "server1", Window: 10000, Capacity: 10, Health: abi.HealthUp}
	case "gw_tick":
		return &abi.TickView{Flags: flags, Now: now, Period: 1000}
	case "gw_http_response":
		return &abi.HTTPResponse{Flags: flags, Now: now}
	}
	view := exchange()
	view.Flags = flags
	return view
}

// calls are the exports that requests, samplings and ticks end up in.
var calls = []string{"gw_route", "gw_route_names", "gw_match", "gw_collect", "gw_on_request", "gw_on_response", "gw_tick"}

const someParams = `{"url":"http://127.0.0.1:1/","domain":"shops.example"}`

// started is a guest after step 7.
func started(t testing.TB, path string) *guest {
	t.Helper()
	g, err := open(t, path)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if step, err := g.life(someParams, table); err != nil {
		t.Fatalf("%s: step %s: %v", path, step, err)
	}
	return g
}

func TestWhatMisbehavesInCallsPassesTheSelfTest(t *testing.T) {
	for _, r := range append(rows(t, "evil/call"), rows(t, "good")...) {
		t.Run(r.module, func(t *testing.T) {
			limits := r.cells[0]
			if strings.Contains(limits, "limits:") || strings.HasSuffix(r.module, "/wasi") {
				return // more memory, or more of WASI, than there is here
			}
			g := started(t, r.module+".wasm")
			for _, call := range calls {
				n, err := g.put(call, blobFor(call, abi.FlagSelfTest))
				if err != nil || n > buffer {
					t.Errorf("%s returns %d, %v", call, n, err)
				}
			}
		})
	}
}

// ends splits "gw_route: trap, then …" into the export and the first word.
var ends = regexp.MustCompile("^(gw_[a-z_]+): ([a-z0-9-]+)(?:, `([^`]+)`)?")

func TestCallsEndAsTheTableSays(t *testing.T) {
	for _, r := range rows(t, "evil/call") {
		m := ends.FindStringSubmatch(r.cells[1])
		if m == nil {
			t.Fatalf("%s: %q is not read", r.module, r.cells[1])
		}
		export, want, says := m[1], m[2], m[3]
		if want == "exhausted" || want == "as" {
			continue // without a meter it would not end; moody has a test of its own
		}
		t.Run(r.module, func(t *testing.T) { callEnds(t, r.module, export, want, says) })
	}
}

func callEnds(t *testing.T, module, export, want, says string) {
	g := started(t, module+".wasm")
	g.broken = want == "host-error"
	var sent blob = blobFor(export, 0)
	if export == "gw_on_cluster" {
		later := *table
		later.Generation = 2
		sent = &later
	}
	n, err := g.put(export, sent)
	got := kindOf(g, export, sent, n, err)
	refused := want == "memory" && (got == "trap" || got == "exit") // an engine without a meter does not know why
	if got != want && !refused {
		t.Errorf("%s ends in %s (%d, %v), want %s", export, got, n, err, want)
	}
	if !strings.Contains(g.errput, says) {
		t.Errorf("descriptor 2 got %q, want %q", g.errput, says)
	}
}

// kindOf is the word of the table for how a call ended.
func kindOf(g *guest, export string, sent blob, n int32, err error) string {
	view, _ := sent.(*abi.View)
	switch {
	case errors.Is(err, errHost):
		return "host-error"
	case errors.Is(err, errExit):
		return "exit"
	case err != nil:
		return "trap"
	case export == "gw_on_cluster" && n != 0:
		return "init"
	case invalid(g, export, view, n):
		return "invalid-result"
	case n < -11: // no code: as if it had failed
		n = int32(abi.Failed)
	}
	return strconv.Itoa(int(n))
}

func invalid(g *guest, export string, view *abi.View, n int32) bool {
	if n < 0 {
		return false
	}
	var err error
	switch export {
	case "gw_route":
		_, err = abi.ReadRoute(g.result(view), n, nil)
	case "gw_route_names":
		err = abi.ReadNames(g.result(view), n, func([]byte) {})
	case "gw_on_request", "gw_on_response":
		_, err = abi.ReadOps(g.result(view), n, nil)
	case "gw_match":
		return n > abi.Unknown
	case "gw_tick", "gw_on_http_response":
		return n != 0
	}
	return err != nil
}

func TestMoodyDoesWhatThePathSays(t *testing.T) {
	for _, tt := range []struct {
		path string
		n    int32
		want error
	}{
		{path: "/", n: 0},
		{path: "/good", n: 0},
		{path: "/1", n: 1},
		{path: "/n", n: -4},
		{path: "/i", n: 257},
		{path: "/t", want: errTrap},
		{path: "/m", want: errTrap},
		{path: "/x", want: errExit},
	} {
		g := started(t, "evil/call/moody.wasm")
		view := exchange()
		view.Path = []byte(tt.path)
		n, err := g.put("gw_route", view)
		if n != tt.n || !errors.Is(err, tt.want) {
			t.Errorf("%s: %d, %v; want %d, %v", tt.path, n, err, tt.n, tt.want)
		}
	}
}

func TestStepsFailAsTheTableSays(t *testing.T) {
	for _, r := range rows(t, "evil/init") {
		step, want := r.cells[1], r.cells[2]
		if want == "exhausted" || r.module == "evil/init/elem-outside" {
			continue // would not end without a meter; is let pass by this engine
		}
		t.Run(r.module, func(t *testing.T) {
			gotStep, got, g := fails(t, r.module+".wasm")
			kind, message, _ := strings.Cut(want, ": ")
			if kind == "memory" {
				kind = "trap" // an engine without a meter does not know why
			}
			if gotStep != step || got == nil || !strings.HasPrefix(got.Error(), kind) {
				t.Fatalf("step %s: %v, want step %s: %s", gotStep, got, step, want)
			}
			if message != "" && "`"+refusal(g)+"`" != message {
				t.Errorf("it says %q, want %s", refusal(g), message)
			}
		})
	}
}

// fails takes a guest through its life until something fails.
func fails(t *testing.T, path string) (step string, err error, g *guest) {
	g, err = open(t, path)
	if err != nil {
		return "1", err, g
	}
	if step, err = g.life(someParams, table); err != nil {
		return step, err, g
	}
	view := exchange()
	view.Flags = abi.FlagSelfTest
	n, err := g.put("gw_route", view)
	if err == nil && invalid(g, "gw_route", view, n) {
		err = errInvalid
	}
	return "self-test", err, g
}

func refusal(g *guest) string {
	b, _ := g.module.Memory().Read(g.b, buffer)
	message, _ := abi.ReadRefusal(b)
	return string(message)
}

// The tables say what a loader must find. That there is something to find is
// seen here: the engine refuses the module, or it breaks the contract.
func TestModulesThatMustNotLoadAreWrong(t *testing.T) {
	for _, r := range rows(t, "evil/load") {
		if strings.HasPrefix(r.module, "good/") {
			continue // it is the configuration that is wrong
		}
		t.Run(r.module, func(t *testing.T) {
			_, compiled, err := compile(t, r.module+".wasm")
			wrong := err != nil || len(breaks(compiled, r.cells[0])) > 0
			if wrong == meterFinds[r.module] {
				t.Errorf("wrong in the eyes of engine and contract: %v (%v)", wrong, err)
			}
		})
	}
}

// meterFinds are those with whose mistake an engine has no trouble: they break a
// limit, or a rule on what is no function, or what a step returns is wrong, or
// there is no grant.
var meterFinds = map[string]bool{
	"evil/load/abi-minor": true, "evil/load/abi-negative": true,
	"evil/load/import-kv": true, "evil/load/import-http": true, "evil/load/import-global": true, "evil/load/import-table": true,
	"evil/load/reserved": true, "evil/load/locals-2001": true, "evil/load/nesting-1001": true,
	"evil/load/table-17": true, "evil/load/table-sum": true, "evil/load/table-huge": true,
}

// breaks lists what a module has against the contract.
func breaks(m wazero.CompiledModule, as string) (list []string) {
	exports := m.ExportedFunctions()
	for name, f := range exports {
		e := abi.ExportOf(name)
		if e == nil && (strings.HasPrefix(name, "gw_") || strings.HasPrefix(name, "__gw_")) {
			list = append(list, name+" is unknown")
		}
		if e != nil && signature(f) != typeOf(e.Args, e.Result) {
			list = append(list, name+" is "+signature(f))
		}
		if _, _, handedOn := f.Import(); e != nil && handedOn {
			list = append(list, name+" is imported")
		}
	}
	if m.ExportedMemories()["memory"] == nil || len(m.ImportedMemories()) > 0 {
		list = append(list, "no memory of its own")
	}
	return append(append(list, missing(exports, as)...), imported(m, as)...)
}

// missing lists the exports that are needed and not there, or one too many.
func missing(exports map[string]api.FunctionDefinition, as string) (list []string) {
	one := func(names ...string) {
		n := 0
		for _, name := range names {
			if exports[name] != nil {
				n++
			}
		}
		if n == 0 || n == 2 && names[0] == "gw_route" {
			list = append(list, fmt.Sprintf("%d of %v", n, names))
		}
	}
	one("gw_abi_1")
	one("gw_buffer")
	kind, _, _ := strings.Cut(as, ",")
	one(map[string][]string{"router": {"gw_route", "gw_route_names"}, "matcher": {"gw_match"}, "collector": {"gw_collect"},
		"filter": {"gw_on_request", "gw_on_response"}}[kind]...)
	if exports["_start"] != nil {
		one("_initialize")
	}
	return list
}

// imported lists the imports that are not ours, or not of that type, or not for
// that kind.
func imported(m wazero.CompiledModule, as string) (list []string) {
	kind, _, _ := strings.Cut(as, ",")
	for _, f := range m.ImportedFunctions() {
		module, name, _ := f.Import()
		known := false
		for _, h := range map[string][]abi.HostFunction{abi.Module: abi.HostFunctions, abi.WASIModule: abi.WASIFunctions}[module] {
			known = known || h.Name == name && signature(f) == typeOf(h.Args, h.Result) && h.AllowedFor(abi.Kind(kind))
		}
		if !known {
			list = append(list, module+"."+name)
		}
		if name == "http_call" && m.ExportedFunctions()["gw_on_http_response"] == nil {
			list = append(list, "nobody hears the answer")
		}
	}
	return list
}

func signature(f api.FunctionDefinition) string {
	var text strings.Builder
	for _, p := range f.ParamTypes() {
		text.WriteString(api.ValueTypeName(p) + " ")
	}
	text.WriteString("->")
	for _, r := range f.ResultTypes() {
		text.WriteString(" " + api.ValueTypeName(r))
	}
	return text.String()
}

func typeOf(args []abi.Argument, result abi.ValueType) string {
	var text strings.Builder
	for _, a := range args {
		text.WriteString(string(a.Type) + " ")
	}
	text.WriteString("->")
	if result != "" {
		text.WriteString(" " + string(result))
	}
	return text.String()
}
