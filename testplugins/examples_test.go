package testplugins

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"weirkeep/abi"
)

// sdks are the folders of examples that are built from another language than Go
// and kept built: the same four in each, which do the same.
var sdks = []string{"../sdk/c/examples", "../sdk/assemblyscript/examples", "../sdk/rust/examples"}

// eachSDK runs a test with the example of that name in each language.
func eachSDK(t *testing.T, example, params string, test func(t *testing.T, g *guest)) {
	for _, folder := range sdks {
		t.Run(filepath.Base(filepath.Dir(folder)), func(t *testing.T) {
			test(t, startedWith(t, filepath.Join(folder, example+".wasm"), params, table))
		})
	}
}

func startedWith(t testing.TB, path, params string, table *abi.ClusterTable) *guest {
	t.Helper()
	g, err := open(t, path)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if step, err := g.life(params, table); err != nil {
		t.Fatalf("%s: step %s: %v", path, step, err)
	}
	return g
}

// vector is what the contract's vectors say under a name.
func vector(t *testing.T, name string, decoded any) (blob []byte) {
	t.Helper()
	var all []struct {
		Name, Hex string
		Decoded   json.RawMessage
	}
	if err := json.Unmarshal(read(t, "../abi/testdata/vectors.json"), &all); err != nil {
		t.Fatal(err)
	}
	for _, v := range all {
		if v.Name != name {
			continue
		}
		if err := json.Unmarshal(v.Decoded, decoded); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		blob, err := hex.DecodeString(v.Hex)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return blob
	}
	t.Fatalf("there is no vector %q", name)
	return nil
}

// names are the origins that a router listed, or the number it returned.
func names(g *guest, view *abi.View, n int32, table *abi.ClusterTable) any {
	if n <= 0 {
		return float64(n)
	}
	positions, err := abi.ReadRoute(g.result(view), n, nil)
	if err != nil {
		g.t.Fatal(err)
	}
	var list []any
	for _, p := range positions {
		list = append(list, table.Entries[p].Name)
	}
	return list
}

// target makes a view of a request for it.
func target(target string) *abi.View {
	view := exchange()
	path, query, there := strings.Cut(target, "?")
	view.Path = []byte(path)
	if there {
		view.Query = []byte(query)
	}
	return view
}

func TestRoutersAgreeWithTheContract(t *testing.T) {
	var cases []struct {
		Target string
		Result any
	}
	vector(t, "example-router", &cases)
	if len(cases) < 10 {
		t.Fatalf("%d cases", len(cases))
	}
	eachSDK(t, "router", "", func(t *testing.T, g *guest) {
		for _, c := range cases {
			view := target(c.Target)
			n, err := g.put("gw_route", view)
			if err != nil {
				t.Fatalf("%s: %v", c.Target, err)
			}
			if got := names(g, view, n, table); !reflect.DeepEqual(got, c.Result) {
				t.Errorf("%s: %v, want %v", c.Target, got, c.Result)
			}
		}
	})
}

// The boundary is at "n" alone, whatever follows a smaller letter, and however
// long the argument is.
func TestRoutersAtTheBoundary(t *testing.T) {
	long := strings.Repeat("z", 30000)
	eachSDK(t, "router", "", func(t *testing.T, g *guest) {
		for _, tt := range []struct {
			target string
			want   any
		}{
			{"/foo?arg=m" + long, []any{"server1", "server3"}},
			{"/foo?arg=n" + long, []any{"server2", "server3"}},
			{"/foo?arg=%6d%ff", []any{"server1", "server3"}},
			{"/foo?arg=%6E", []any{"server2", "server3"}},
			{"/foo?arg=%00", []any{"server1", "server3"}},
			{"/foo?arg=+n", []any{"server1", "server3"}},
			{"/foo?arg=%2", float64(-4)},
			{"/foo?arg=a%", float64(-4)},
			{"/foo?arg=%g0", float64(-4)},
			{"/foo?arg=&arg=a", float64(-4)},
			{"/foo?args=a", float64(-4)},
			{"/foo?&&x&arg=a", []any{"server1", "server3"}},
			{"/foo?", float64(-4)},
			{"foo?arg=a", []any{"server1", "server3"}},
			{"/xfoo?arg=a", float64(0)},
		} {
			view := target(tt.target)
			n, err := g.put("gw_route", view)
			if got := names(g, view, n, table); err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("%.20s: %v, %v, want %v", tt.target, got, err, tt.want)
			}
		}
	})
}

func TestRoutersListOnlyWhatIsInTheTable(t *testing.T) {
	for _, tt := range []struct{ in, target, want string }{
		{"server1 server3", "/foo?arg=z", "[server3]"},
		{"server2 server3", "/foo?arg=a", "[server3]"},
		{"server3 server2 server1", "/foo?arg=a", "[server1 server3]"},
		{"server1 server2", "/foo?arg=a", "[server1]"},
		{"web1 server", "/foo?arg=a", "0"},
	} {
		other := &abi.ClusterTable{Generation: 2}
		for _, name := range strings.Fields(tt.in) {
			other.Entries = append(other.Entries, abi.ClusterEntry{Name: name})
		}
		eachSDK(t, "router", "", func(t *testing.T, g *guest) {
			if n, err := g.put("gw_on_cluster", other); n != 0 || err != nil {
				t.Fatalf("gw_on_cluster returns %d, %v", n, err)
			}
			view := target(tt.target)
			n, err := g.put("gw_route", view)
			if got := fmt.Sprint(names(g, view, n, other)); err != nil || got != tt.want {
				t.Errorf("%s of %s: %s, %v, want %s", tt.target, tt.in, got, err, tt.want)
			}
		})
	}
}

// The bytes of the worked example of the contract.
func TestRoutersReadTheWorkedBytes(t *testing.T) {
	var decoded any
	blob := vector(t, "request-view-router", &decoded)
	want := vector(t, "route-result", &decoded)
	eachSDK(t, "router", "", func(t *testing.T, g *guest) {
		n, err := g.write("gw_route", blob)
		area := g.bytes(int32(g.b)+int32(abi.ResultArea(len(blob))), int32(len(want)))
		if n != 2 || err != nil || string(area) != string(want) {
			t.Errorf("returns %d, %v, %x, want 2, %x", n, err, area, want)
		}
	})
}

func TestFiltersEditAndAnswer(t *testing.T) {
	const params = `{"other":{"domain":"x","list":[1,"]"]},"domain":"shops.\u0065xample"}`
	var decoded any
	edit := vector(t, "ops-edit", &decoded)
	eachSDK(t, "filter", params, func(t *testing.T, g *guest) {
		for _, tt := range []struct {
			host, want string
		}{
			{"blue.shops.example", hex.EncodeToString(edit)},
			{"red.shops.example", "set header X-Tenant red, delete header X-Debug , tag tenant red"},
			{"shops.example", "respond 404 no such shop\n, set header Content-Type text/plain"},
			{".shops.example", "respond 404 no such shop\n, set header Content-Type text/plain"},
			{"a.b.shops.example", "respond 404 no such shop\n, set header Content-Type text/plain"},
			{"blue-shops.example", "respond 404 no such shop\n, set header Content-Type text/plain"},
			{"", "respond 404 no such shop\n, set header Content-Type text/plain"},
		} {
			view := exchange()
			view.Host = []byte(tt.host)
			if got := edits(t, g, "gw_on_request", view, abi.OnRequest); got[0] != tt.want && got[1] != tt.want {
				t.Errorf("%q: %q, want %q", tt.host, got, tt.want)
			}
		}
		view := exchange()
		view.Status = 200
		if got := edits(t, g, "gw_on_response", view, abi.OnResponse)[0]; got != "delete header X-Powered-By " {
			t.Errorf("gw_on_response: %s", got)
		}
	})
}

// edits are the operations that a filter returned, which must be allowed: as
// people read them, and as bytes.
func edits(t *testing.T, g *guest, call string, view *abi.View, where abi.Call) [2]string {
	t.Helper()
	n, err := g.put(call, view)
	if err != nil || n < 0 {
		t.Fatalf("%s returns %d, %v", call, n, err)
	}
	area := g.result(view)
	ops, err := abi.ReadOps(area, n, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := abi.CheckOps(ops, abi.Where{Call: where, Status: view.Status}); err != nil {
		t.Error(err)
	}
	var text []string
	for _, o := range ops {
		text = append(text, strings.Join(strings.Fields(fmt.Sprintf("%s %s", abi.Ops[o.Code-1].Name, o.Key)), " ")+" "+string(o.Value))
	}
	return [2]string{strings.Join(text, ", "), hex.EncodeToString(area[:n])}
}

func TestFiltersRefuseParams(t *testing.T) {
	for _, params := range []string{"", "{}", `{"domain":""}`, `{"domain":7}`, `{"domains":"x"}`, `{"x":"\"domain\":\"y\""}`} {
		for _, folder := range sdks {
			g, err := open(t, folder+"/filter.wasm")
			if err != nil {
				t.Fatal(err)
			}
			step, err := g.life(params, table)
			if step != "5" || err != errRefused || refusal(g) != "domain must be a host name" {
				t.Errorf("%s: %s: step %s: %v: %q", folder, params, step, err, refusal(g))
			}
		}
	}
}

func TestMatchersKnowPrograms(t *testing.T) {
	const browser = "Mozilla/5.0 (X11; Linux x86_64)"
	for _, tt := range []struct {
		name, fields, args string
		granted            uint32
		want               int32
	}{
		{name: "no agent", fields: "Accept: */*", want: abi.Match},
		{name: "empty agent", fields: "User-Agent:", want: abi.Match},
		{name: "browser", fields: "user-agent: " + browser, want: abi.NoMatch},
		{name: "a word at the end", fields: "USER-AGENT: Some-BOT", want: abi.Match},
		{name: "a word inside", fields: "User-Agent: x curl/8.0 y", want: abi.Match},
		{name: "the first of two", fields: "User-Agent: " + browser + "|User-Agent: bot", want: abi.NoMatch},
		{name: "strict, no language", fields: "User-Agent: " + browser, args: "strict", want: abi.Match},
		{name: "strict, a language", fields: "User-Agent: " + browser + "|Accept-Language: de", args: "strict", want: abi.NoMatch},
		{name: "another argument", fields: "User-Agent: " + browser, args: "stricter", want: abi.NoMatch},
		{name: "not shown", fields: "", granted: abi.NeedPath, want: abi.Unknown},
	} {
		eachSDK(t, "matcher", "", func(t *testing.T, g *guest) {
			view := exchange()
			view.Granted = max(tt.granted, abi.NeedPath)
			if tt.granted == 0 {
				view.Granted = abi.NeedHeaders
			}
			for field := range strings.SplitSeq(tt.fields, "|") {
				name, value, _ := strings.Cut(field, ":")
				view.Headers = append(view.Headers, abi.Field{Name: []byte(name), Value: []byte(strings.TrimSpace(value))})
			}
			if tt.args != "" {
				view.Args = [][]byte{[]byte(tt.args)}
			}
			if n, err := g.put("gw_match", view); n != tt.want || err != nil {
				t.Errorf("%s: %d, %v, want %d", tt.name, n, err, tt.want)
			}
		})
	}
}

// Samplings of one instance, in order: it keeps history.
func TestCollectorsSmooth(t *testing.T) {
	answers := func(answers, failed, p95 uint64) *abi.CollectorView {
		return &abi.CollectorView{Answers: answers, Failed: failed, P95: p95 * 1e6, Position: 1}
	}
	busy := func(value float64) *abi.CollectorView {
		return &abi.CollectorView{Position: 2, Sources: []abi.Source{{Name: "header:x-busy", Value: value}}}
	}
	eachSDK(t, "collector", `{"source":"header:x-busy","target_ms":20}`, func(t *testing.T, g *guest) {
		for i, tt := range []struct {
			view *abi.CollectorView
			want int32
		}{
			{answers(0, 0, 0), abi.NoOpinion},
			{answers(10, 0, 20), 100}, // as fast as it should be
			{answers(10, 0, 40), 75},  // half of 100 and 50
			{answers(10, 10, 1), 38},  // half of 75 and 0
			{answers(0, 0, 0), abi.NoOpinion},
			{answers(10, 5, 1), 44}, // half of 38 and 50
			{busy(30), 70},          // another origin, without history
			{busy(1e300), 35},
			{busy(-1e300), 68},
		} {
			if n, err := g.put("gw_collect", tt.view); n != tt.want || err != nil {
				t.Errorf("sampling %d: %d, %v, want %d", i, n, err, tt.want)
			}
		}
		g.put("gw_on_cluster", table)
		if n, _ := g.put("gw_collect", busy(0)); n != 100 {
			t.Errorf("after a new table: %d, want 100", n)
		}
	})
}

func TestCollectorsRefuseParams(t *testing.T) {
	for _, params := range []string{`{"target_ms":0}`, `{"target_ms":-1}`, `{"target_ms":"20"}`, `{"target_ms":1.5}`, `{"target_ms":60001}`, `{"target_ms":99999999999999999999}`} {
		for _, folder := range sdks {
			g, err := open(t, folder+"/collector.wasm")
			if err != nil {
				t.Fatal(err)
			}
			if step, err := g.life(params, table); step != "5" || err != errRefused || !strings.HasPrefix(refusal(g), "target_ms must be") {
				t.Errorf("%s: %s: step %s: %v: %q", folder, params, step, err, refusal(g))
			}
		}
	}
}

// The examples ask the host for nothing, and allocate nothing in a call: a
// thousand calls need no more memory than one.
func TestExamplesImportNothingAndDoNotGrow(t *testing.T) {
	for _, folder := range sdks {
		for _, example := range []string{"router", "collector", "matcher", "filter"} {
			path := filepath.Join(folder, example+".wasm")
			_, compiled, err := compile(t, path)
			if err != nil || len(compiled.ImportedFunctions()) > 0 {
				t.Errorf("%s: imports %d functions, %v", path, len(compiled.ImportedFunctions()), err)
			}
			g := startedWith(t, path, `{"domain":"shops.example"}`, table)
			size := g.module.Memory().Size()
			for range 1000 {
				for _, call := range calls {
					if _, err := g.put(call, blobFor(call, 0)); err != nil {
						t.Fatalf("%s: %s: %v", path, call, err)
					}
				}
			}
			if now := g.module.Memory().Size(); now != size || size > 4*65536 {
				t.Errorf("%s: memory of %d bytes, %d after 1000 calls", path, size, now)
			}
		}
	}
}
