package plugins

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"weirkeep/abi"
	"weirkeep/plugins/engine"
)

// guest is a row of a table of testplugins: a module, as what it is used, and what is
// to come of it.
type guest struct {
	module string
	config Config
	want   []string // the other columns
}

// guests are the rows of the tables whose modules begin with a prefix.
func guests(t *testing.T, prefix string) (all []guest) {
	t.Helper()
	text, err := os.ReadFile("../testplugins/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if strings.HasPrefix(cells[0], prefix) && len(cells) > 2 {
			all = append(all, guest{cells[0], asWhat(t, cells[0], cells[1]), cells[2:]})
		}
	}
	if len(all) == 0 {
		t.Fatalf("no table of testplugins has %s", prefix)
	}
	return all
}

// asWhat reads the column of kind and keys.
func asWhat(t *testing.T, module, text string) Config {
	t.Helper()
	folder := "../testplugins/evil/"
	if strings.HasPrefix(module, "good/") {
		folder = "../testplugins/"
	}
	wasm, err := os.ReadFile(filepath.FromSlash(folder + module + ".wasm"))
	if err != nil {
		t.Fatal(err)
	}
	kind, _, _ := strings.Cut(text, ",")
	c := Config{Name: strings.NewReplacer("/", "-").Replace(module), Kind: Kind(kind), Wasm: wasm}
	for _, set := range []struct {
		key string
		do  func(value string)
	}{
		{"params: larger than", func(string) { c.Params = []byte(`{"a":"` + strings.Repeat("x", 70_000) + `"}`) }},
		{"params: {a: 1}", func(string) { c.Params = []byte(`{"a":1}`) }},
		{"tick: 1s", func(string) { c.Tick = time.Second }},
		{"kv: 1MiB", func(string) { c.KV = 1 << 20 }},
		{"http: [", func(string) { c.HTTP = []string{"http://127.0.0.1:1"} }},
		{"on_error: ", func(v string) { c.OnError = v }},
		{"sha256: ", func(string) { c.SHA256 = strings.Repeat("0", 64) }},
		{"limits: {memory: 64KiB}", func(string) { c.Limits.Memory = 64 << 10 }},
		{"limits: {memory: 64MiB}", func(string) { c.Limits.Memory = 64 << 20 }},
		{"needs: [body, wings]", func(string) { c.Needs = []string{"body", "wings"} }},
		{"needs: [body]", func(string) { c.Needs = []string{"body"} }},
		{"needs: [origins]", func(string) { c.Needs = []string{"origins"} }},
		{"needs: [host]", func(string) { c.Needs = []string{"host"} }},
	} {
		if _, rest, ok := strings.Cut(text, set.key); ok {
			value, _, _ := strings.Cut(rest, ",")
			set.do(strings.TrimSpace(value))
		}
	}
	return c
}

var quoted = regexp.MustCompile("`([^`]*)`")

// words are what stands in backticks.
func words(text string) (all []string) {
	for _, m := range quoted.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	return all
}

// A module that cannot be used is refused, with everything that is wrong with it and
// what to do.
func TestModulesThatAreRefused(t *testing.T) {
	t.Parallel()
	h, _ := house(t)
	for _, g := range guests(t, "load/") {
		t.Run(g.module, func(t *testing.T) {
			p, err := h.Load(t.Context(), g.config)
			if err == nil {
				p.Close()
				t.Fatal("it was loaded")
			}
			if _, ok := errors.AsType[Problems](err); !ok {
				t.Errorf("%v: no list of problems", err)
			}
			for _, w := range words(g.want[0]) {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%v\nlacks %q", err, w)
				}
			}
		})
	}
}

// A step that fails fails the load, and says which and why.
func TestStepsThatFail(t *testing.T) {
	t.Parallel()
	steps := map[string]string{"2": initExport, "3": versionExport, "4": bufferExport, "5": configureExport, "6": enableExport, "7": clusterExport, "self-test": "self-test"}
	h, _ := house(t)
	for _, g := range guests(t, "init/") {
		t.Run(g.module, func(t *testing.T) {
			began := time.Now()
			p, err := h.Load(t.Context(), g.config)
			if err == nil {
				p.Close()
				t.Fatal("it was loaded")
			}
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("it took %v", took)
			}
			want := append(words(g.want[1]), steps[g.want[0]])
			if f, ok := errors.AsType[*engine.Fault](err); ok {
				want = append(want, g.want[1])
				if string(f.Kind) != g.want[1] {
					t.Errorf("fault %s, want %s", f.Kind, g.want[1])
				}
			}
			for _, w := range want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%v\nlacks %q", err, w)
				}
			}
		})
	}
}

// attach loads a guest and attaches it.
func attach(t *testing.T, h *House, c Config) *Attachment {
	t.Helper()
	p, err := h.Load(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.Attach(AttachOptions{Place: Place{Cluster: "main/shop"}, Table: threeServers})
	if err != nil {
		p.Close()
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close(); p.Close() })
	return a
}

var threeServers = &abi.ClusterTable{Generation: 1, Cluster: "shop", Cell: "main", Entries: []abi.ClusterEntry{
	{Name: "server1", Address: "http://10.0.0.1:80", Cell: "main", Cluster: "shop", Capacity: 150},
	{Name: "server2", Address: "http://10.0.0.2:80", Cell: "main", Cluster: "shop", Capacity: 50},
	{Name: "server3", Address: "http://10.0.0.3:80", Cell: "main", Cluster: "shop", Capacity: 50},
}}

// request is a view of a request for the three servers.
func request(path string) *abi.View {
	up := abi.Origin{Health: abi.HealthUp, Capacity: 50, Metric: abi.MetricNone, Flags: abi.OriginUsable | abi.OriginPermitted}
	return &abi.View{
		RequestID: 7, Now: uint64(time.Now().UnixNano()), Method: abi.MethodGET, Version: abi.HTTP11, Generation: 1, Port: 80,
		MethodText: []byte("GET"), Scheme: []byte("http"), Host: []byte("shop.example"), Path: []byte(path), Client: []byte("192.0.2.7"),
		Origins: []abi.Origin{up, up, up},
	}
}

// Every call that goes wrong ends as the table says, on every engine, and quickly;
// the attachment goes on.
func TestCallsThatGoWrong(t *testing.T) {
	t.Parallel()
	h, _ := house(t)
	for _, g := range guests(t, "call/") {
		t.Run(g.module, func(t *testing.T) {
			export, want, _ := strings.Cut(g.want[0], ": ")
			a := attach(t, h, g.config)
			failure := callOnce(t, a, export)
			kind, _, _ := strings.Cut(want, ",")
			isFault := false
			for _, k := range FaultKinds {
				isFault = isFault || string(k) == kind
			}
			switch {
			case g.module == "call/host-error", g.module == "call/moody", g.module == "call/init-cluster":
				// other tests have them
			case isFault && (failure == nil || failure.Fault == nil || string(failure.Fault.Kind) != kind):
				t.Errorf("%v, want fault %s", failure, kind)
			case kind == "-1" && (failure == nil || failure.Code != abi.Failed):
				t.Errorf("%v, want the code %s", failure, kind)
			case !isFault && kind != "-1" && failure != nil:
				t.Errorf("%v, want none", failure)
			}
			for _, w := range words(want) {
				if isFault && failure != nil && failure.Fault != nil && !strings.Contains(failure.Fault.Stderr, w) {
					t.Errorf("stderr %q lacks %q", failure.Fault.Stderr, w)
				}
			}
		})
	}
}

// everything is a group that has all origins.
type everything struct{}

func (everything) Permits(uint16) bool { return true }

// callOnce makes one call of the kind, and tells how it failed.
func callOnce(t *testing.T, a *Attachment, export string) (failure *Failure) {
	t.Helper()
	switch export {
	case routeExport, namesExport, clusterExport:
		_, _, failure = a.Route(request("/foo"), nil, everything{}, nil)
	case matchExport:
		_, failure = a.Match(request("/foo"), nil, "rule")
	case collectExport:
		_, _, failure = a.Collect(&abi.CollectorView{Now: 1, Name: "server1"})
	case requestExport:
		_, _, failure = a.Filter(request("/foo"), nil, abi.Where{Call: abi.OnRequest}, nil, nil)
	case responseExport:
		_, _, failure = a.Filter(request("/foo"), nil, abi.Where{Call: abi.OnResponse, Status: 200}, nil, nil)
	case tickExport:
		for end := time.Now().Add(20 * time.Second); len(a.plugin.Faults()) == 0; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("no tick faulted")
			}
		}
		failure = &Failure{Fault: &a.plugin.Faults()[0]}
	}
	return failure
}
