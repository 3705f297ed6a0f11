package testplugins

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"weirkeep/abi"
)

// route calls gw_route or gw_route_names, and returns what was listed as people
// read it.
func route(t *testing.T, g *guest, view *abi.View) string {
	t.Helper()
	if g.has("gw_route_names") {
		n, err := g.put("gw_route_names", view)
		var names []string
		if err == nil {
			err = abi.ReadNames(g.result(view), n, func(name []byte) { names = append(names, string(name)) })
		}
		return fmt.Sprint(names, err)
	}
	n, err := g.put("gw_route", view)
	if err != nil || n <= 0 {
		return fmt.Sprint(n, err)
	}
	positions, err := abi.ReadRoute(g.result(view), n, nil)
	return fmt.Sprint(positions, err)
}

func TestRoutersListWhatTheTableSays(t *testing.T) {
	for _, tt := range []struct{ module, want string }{
		{"abstain", "0 <nil>"},
		{"buffer-grows", "0 <nil>"},
		{"names", "[server1 main/shop/server3] <nil>"},
		{"steps", "[1 2 3 4 5 6 7 9] <nil>"},
		{"memory-max", "[0] <nil>"},
		{"core2", "[1] <nil>"},
		{"deep", "0 <nil>"},
		{"deep-wide", "0 <nil>"},
		{"overdrawn", "0 <nil>"},
		{"slow", "0 <nil>"},
		{"host-1000", "0 <nil>"},
		{"hoard", "0 <nil>"},
		{"echo", "[0 1 2] <nil>"},
		{"caller", "[] <nil>"},
	} {
		g := started(t, "good/"+tt.module+".wasm")
		if got := route(t, g, exchange()); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.module, got, tt.want)
		}
	}
}

func TestHoardGrowsByOneMebibyteACall(t *testing.T) {
	g := started(t, "good/hoard.wasm")
	before := g.module.Memory().Size()
	for range 3 {
		route(t, g, exchange())
	}
	if grown := g.module.Memory().Size() - before; grown != 3<<20 {
		t.Errorf("it grew by %d in 3 calls, want %d", grown, 3<<20)
	}
}

func TestBufferGrowsHasRoomForAnyBuffer(t *testing.T) {
	g, err := open(t, "good/buffer-grows.wasm")
	if err != nil {
		t.Fatal(err)
	}
	const n = 5 << 20
	b, err := g.invoke("gw_buffer", n)
	if err != nil || b == 0 || uint32(b)+n > g.module.Memory().Size() {
		t.Errorf("gw_buffer(%d) = %d, %v in %d bytes", n, b, err, g.module.Memory().Size())
	}
}

func TestCountCountsItsCalls(t *testing.T) {
	g := started(t, "good/count.wasm")
	if got := route(t, g, exchange()); got != "[0] <nil>" {
		t.Errorf("the first call lists %s", got)
	}
	if got := route(t, g, exchange()); got != "[0 0] <nil>" {
		t.Errorf("the second call lists %s", got)
	}
	if n, _ := g.put("gw_collect", blobFor("gw_collect", 0)); n != 3 {
		t.Errorf("the metric in the third call is %d", n)
	}
	fresh := started(t, "good/count.wasm")
	first, _ := fresh.put("gw_match", exchange())
	second, _ := fresh.put("gw_match", exchange())
	if first != abi.NoMatch || second != abi.Match {
		t.Errorf("matches %d, then %d", first, second)
	}
}

func TestEnabledIsAskedEverySecondTime(t *testing.T) {
	g := started(t, "good/enabled.wasm")
	for i, want := range []int32{0, 1, 0, 1} {
		if n, err := g.invoke("gw_enabled"); n != want || err != nil {
			t.Errorf("asked for the time %d: %d, %v, want %d", i+1, n, err, want)
		}
	}
	if n, err := g.put("gw_collect", blobFor("gw_collect", 0)); n != 42 || err != nil {
		t.Errorf("the metric is %d, %v", n, err)
	}
}

func TestMetricsAreCounted(t *testing.T) {
	g := started(t, "good/metrics.wasm")
	view := exchange()
	for range 3 {
		route(t, g, view)
	}
	if strings.Join(g.metrics, " ") != "calls size" || g.counted[0] != 3 || g.gauges[1] != float64(view.Size()) {
		t.Errorf("metrics %v, counted %v, gauges %v of a view of %d", g.metrics, g.counted, g.gauges, view.Size())
	}
}

// request sends a request of that method and path to a filter.
func request(t *testing.T, g *guest, method uint8, path string) string {
	t.Helper()
	view := exchange()
	view.Method, view.Path = method, []byte(path)
	return edits(t, g, "gw_on_request", view, abi.OnRequest)[0]
}

func TestKVCountsVisits(t *testing.T) {
	g := started(t, "good/kv.wasm")
	for _, tt := range []struct {
		method uint8
		path   string
		want   string
	}{
		{abi.MethodDELETE, "/a", "set header X-Kv 3"},
		{abi.MethodGET, "/a", "set header X-Visits 1"},
		{abi.MethodGET, "/a", "set header X-Visits 2"},
		{abi.MethodGET, "/b", "set header X-Visits 1"},
		{abi.MethodDELETE, "/a", ""},
		{abi.MethodGET, "/a", "set header X-Visits 1"},
	} {
		if got := request(t, g, tt.method, tt.path); got != tt.want {
			t.Errorf("%d %s: %q, want %q", tt.method, tt.path, got, tt.want)
		}
	}
}

func TestTickTellsRequestsByKV(t *testing.T) {
	g := started(t, "good/tick.wasm")
	if got := route(t, g, exchange()); got != "0 <nil>" {
		t.Errorf("before the first tick: %s", got)
	}
	g.put("gw_tick", &abi.TickView{Number: 7})
	if got := route(t, g, exchange()); got != "[1] <nil>" {
		t.Errorf("after tick 7, of 3 origins: %s", got)
	}
}

func TestCallerAsksAndBelieves(t *testing.T) {
	g := started(t, "good/caller.wasm")
	if n, _ := g.put("gw_collect", blobFor("gw_collect", 0)); n != abi.NoOpinion {
		t.Errorf("without an answer the metric is %d", n)
	}
	g.put("gw_tick", &abi.TickView{})
	if len(g.calls) != 2 {
		t.Fatalf("it called %d times", len(g.calls))
	}
	checkCall(t, g.calls[1])
	for _, a := range []*abi.HTTPResponse{
		{Token: 2, Status: 200, Body: []byte("63")},
		{Token: 1, Status: 200, Body: []byte("1")}, // not the last call's
		{Token: 2, Status: 503, Body: []byte("2")},
		{Token: 2, Error: abi.Timeout},
	} {
		if n, err := g.put("gw_on_http_response", a); n != 0 || err != nil {
			t.Errorf("gw_on_http_response returns %d, %v", n, err)
		}
	}
	if got := route(t, g, exchange()); got != "[63] <nil>" {
		t.Errorf("it lists %s", got)
	}
	if n, _ := g.put("gw_collect", blobFor("gw_collect", 0)); n != 63 {
		t.Errorf("the metric is %d", n)
	}
}

func checkCall(t *testing.T, blob []byte) {
	t.Helper()
	ops, err := abi.ReadOps(blob, int32(len(blob)), nil)
	if err == nil {
		err = abi.CheckOps(ops, abi.Where{Call: abi.HTTPCall, MaxBody: 100, WholeBody: true})
	}
	var got []string
	for _, o := range ops {
		got = append(got, fmt.Sprintf("%d %s=%s", o.Code, o.Key, o.Value))
	}
	if want := "10 =POST, 11 =http://127.0.0.1:1/, 2 Accept=text/plain, 7 =where?"; strings.Join(got, ", ") != want || err != nil {
		t.Errorf("the call is %v, %v, want %s", got, err, want)
	}
}

func TestPropertyAnswersWithIt(t *testing.T) {
	g := started(t, "good/property.wasm")
	for name, want := range map[string]string{"node.name": "respond 200 gw-1", "client.port": "respond 403 ", "no.such": "respond 404 "} {
		view := exchange()
		view.Query = []byte(name)
		if got := edits(t, g, "gw_on_request", view, abi.OnRequest)[0]; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestRandomIsThatOfTheContract(t *testing.T) {
	var decoded any
	bytes := vector(t, "random-matcher", &decoded)
	first, second := []byte(hex.EncodeToString(bytes[:8])), []byte(hex.EncodeToString(bytes[8:]))
	for _, tt := range []struct {
		args [][]byte
		now  uint64
		want int32
	}{
		{args: [][]byte{first, second}, now: now, want: abi.Match},
		{args: [][]byte{first}, now: now, want: abi.Match},
		{args: [][]byte{second, first}, now: now, want: abi.NoMatch},
		{args: [][]byte{first, second}, now: now + 1, want: abi.NoMatch},
	} {
		g := started(t, "good/random.wasm")
		g.random = abi.NewRandom(abi.MatcherSeed(0x0123456789abcdef, "automated"))
		view := exchange()
		view.Now, view.Args = tt.now, tt.args
		if n, err := g.put("gw_match", view); n != tt.want || err != nil {
			t.Errorf("%q: %d, %v, want %d", tt.args, n, err, tt.want)
		}
	}
}

func TestEachFunctionOfWASIIsCalled(t *testing.T) {
	_, compiled, err := compile(t, "good/wasi.wasm")
	if err != nil {
		t.Fatal(err)
	}
	used := make(map[string]bool)
	for _, f := range compiled.ImportedFunctions() {
		_, name, _ := f.Import()
		used[name] = true
	}
	for _, f := range abi.WASIFunctions {
		if !used[f.Name] {
			t.Errorf("%s is not called", f.Name)
		}
	}
	g := started(t, "good/wasi.wasm")
	view := exchange()
	view.Path = []byte("/exit")
	if _, err := g.put("gw_route", view); !errors.Is(err, errExit) {
		t.Errorf("/exit: %v", err)
	}
}

func TestPuppetSaysWhatItIsTold(t *testing.T) {
	g := started(t, "good/puppet.wasm")
	for _, call := range []string{"gw_route", "gw_match", "gw_on_request", "gw_on_response"} {
		for _, tt := range []struct {
			query string
			n     int32
			area  string
		}{
			{query: "0"},
			{query: "-4", n: -4},
			{query: "-2147483648", n: -1 << 31},
			{query: "2147483647", n: 1<<31 - 1},
			{query: "2.01000200", n: 2, area: "01000200"},
			{query: "9.0A0bff", n: 9, area: "0a0bff"},
		} {
			view := exchange()
			view.Query = []byte(tt.query)
			n, err := g.put(call, view)
			if n != tt.n || err != nil {
				t.Errorf("%s %s: %d, %v", call, tt.query, n, err)
			}
			if area := g.result(view)[:len(tt.area)/2]; hex.EncodeToString(area) != tt.area {
				t.Errorf("%s %s: writes %x", call, tt.query, area)
			}
		}
	}
	sample := &abi.CollectorView{Sources: []abi.Source{{Name: "header:x", Value: 250}}}
	if n, err := g.put("gw_collect", sample); n != 250 || err != nil {
		t.Errorf("gw_collect: %d, %v", n, err)
	}
}

// atoi is the number before the point.
func atoi(query string) (n int32) {
	fmt.Sscanf(query, "%d", &n)
	return n
}

func TestOpsOfTheTableAreRefused(t *testing.T) {
	where := map[string]abi.Where{
		"gw_on_request":  {Call: abi.OnRequest, WholeBody: true, MaxBody: 65536},
		"gw_on_response": {Call: abi.OnResponse, WholeBody: true, MaxBody: 65536, Status: 200},
	}
	g := started(t, "good/puppet.wasm")
	listed := rows(t, "Ops that are refused")
	for _, r := range listed {
		query, call, why := strings.TrimPrefix(r.module, "evil/"), r.cells[0], r.cells[1]
		view := exchange()
		view.Query = []byte(query)
		n, err := g.put(call, view)
		if err != nil || n != atoi(query) {
			t.Fatalf("%s: %d, %v", query, n, err)
		}
		ops, err := abi.ReadOps(g.result(view), n, nil)
		if err == nil {
			err = abi.CheckOps(ops, where[call])
		}
		if !errors.Is(err, abi.ErrInvalidResult) {
			t.Errorf("%s: %v (%s)", why, err, query)
		}
	}
	if len(listed) < 60 {
		t.Errorf("%d rows are listed", len(listed))
	}
}

// What the guest sees is what the host wrote, field by field.
func TestEchoTellsAll(t *testing.T) {
	view := fullView()
	g := started(t, "good/echo.wasm")
	told := edits(t, g, "gw_on_request", view, abi.OnRequest)[0]
	told = strings.TrimPrefix(told, "respond 200 ")
	if want := fullText + ", set header Content-Type text/plain"; told != want {
		t.Errorf("told\n%s\nwant\n%s", told, want)
	}
	logged := started(t, "good/echo.wasm")
	logged.log = nil
	route(t, logged, view)
	if got := strings.Join(logged.log, "\n") + "\n"; got != fullText {
		t.Errorf("logged\n%s\nwant\n%s", got, fullText)
	}
}

func fullView() *abi.View {
	b := func(s string) []byte { return []byte(s) }
	return &abi.View{
		Flags: abi.FlagHTTPS | abi.FlagBody | abi.FlagWhole, RequestID: 1<<64 - 1, Now: now, Method: abi.MethodPOST, Version: abi.HTTP20,
		Attempts: 2, Generation: 3, Granted: 16383, Port: 8443, BodyLength: abi.LengthUnknown, UpstreamNS: 5,
		MethodText: b("POST"), Scheme: b("https"), Host: b("h"), Path: b("/p"), Query: b(""), Client: b("::1"), Mapping: b("0"),
		Session: b("s"), Target: b("/p?"), Site: b("shop"), Cluster: b("main/shop"), Application: b("app"), OriginName: b("server1"),
		Origins: []abi.Origin{{Health: 1, State: 1, InFlight: 65535, Capacity: 7, Metric: 255, Flags: 1}, {}},
		Headers: []abi.Field{{Name: b("X-A"), Value: b("1")}, {Name: b("x-a"), Value: nil}},
		Cookies: []abi.Field{{Name: b("theme"), Value: b("dark")}},
		Args:    [][]byte{b("strict"), nil},
		Body:    b("hello"),
	}
}

const fullText = `flags: 7
request id: 18446744073709551615
now: 1796040000000000000
method id: 3
version: 20
attempts: 2
generation: 3
granted: 16383
port: 8443
status: 0
body length: 18446744073709551615
upstream ns: 5
method: POST
scheme: https
host: h
path: /p
query: 
client: ::1
mapping: 0
session id: s
target: /p?
site: shop
cluster: main/shop
application: app
origin: server1
origin[0]: 1 1 65535 7 255 1
origin[1]: 0 0 0 0 0 0
header[0]: X-A=1
header[1]: x-a=
cookie[0]: theme=dark
arg[0]: strict
arg[1]: 
body: hello
`

// What is absent has no line, and what needs does not name is absent.
func TestEchoLeavesOutWhatIsAbsent(t *testing.T) {
	g := started(t, "good/echo.wasm")
	told := edits(t, g, "gw_on_response", &abi.View{Status: 204}, abi.OnResponse)[0]
	if lines := strings.Count(told, "\n"); lines != 12 || !strings.Contains(told, "status: 204\n") {
		t.Errorf("%d lines are told, want the 12 numbers:\n%s", lines, told)
	}
}

func TestEchoTellsTablesSamplesAndTicks(t *testing.T) {
	one := &abi.ClusterTable{Generation: 4, Cluster: "shop", Cell: "main", Entries: []abi.ClusterEntry{
		{Name: "server1", Address: "http://10.0.0.1:80", Zone: "z", Cell: "main", Cluster: "shop", Weight: 1, HostWeight: 2, Capacity: 3, Flags: 1,
			Labels: []abi.Label{{Key: "rack", Value: "r1"}, {Key: "tier", Value: "gold"}}}}}
	sample := &abi.CollectorView{Flags: 1, Now: now, Position: 2, Window: 3, Answers: 4, Failed: 5, Timeouts: 6, P50: 7, P95: 8, P99: 9,
		InFlight: 10, Waiting: 11, FailedConnects: 12, Name: "n", Address: "a", Generation: 13, Metric: 14, Capacity: 15, Health: 1, State: 2,
		Sources: []abi.Source{{Name: "header:x", Value: 1.25}}}
	for _, tt := range []struct {
		export string
		blob   blob
		want   string
	}{
		{"gw_on_cluster", one, "generation: 4|cluster: shop|cell: main|member[0]: server1 http://10.0.0.1:80 - z main - shop 1 2 3 1|label[0]: rack=r1|label[1]: tier=gold"},
		{"gw_collect", sample, "flags: 1|now: 1796040000000000000|position: 2|window: 3|answers: 4|failed: 5|timeouts: 6|p50: 7|p95: 8|p99: 9|failed connects: 12|in flight: 10|waiting: 11|name: n|address: a|generation: 13|metric: 14|capacity: 15|health: 1|state: 2|source[0]: header:x in thousandths 1250"},
		{"gw_tick", &abi.TickView{Flags: 1, Now: now, Number: 2, Period: 3}, "flags: 1|now: 1796040000000000000|tick: 2|period: 3"},
	} {
		g := started(t, "good/echo.wasm")
		g.log = nil
		g.put(tt.export, tt.blob)
		if got := strings.Join(g.log, "|"); got != tt.want {
			t.Errorf("%s: logged\n%s\nwant\n%s", tt.export, got, tt.want)
		}
	}
}

// A value of kv is behind its version, so that compare and set is what it says.
func TestKVGivesUpOnlyWhenItMust(t *testing.T) {
	g := started(t, "good/kv.wasm")
	g.kv["/a"] = append(binary.LittleEndian.AppendUint64(nil, 99), "41"...)
	if got := request(t, g, abi.MethodGET, "/a"); got != "set header X-Visits 42" {
		t.Errorf("after 41 visits: %q", got)
	}
}
