// Package sdk_test runs the examples of every language in the host that they are
// for, with its own limits.
package sdk_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"weirkeep/abi"
	"weirkeep/plugins"
	"weirkeep/plugins/engine/wazero"
	"weirkeep/sdk/go/gw1test/gw1wasm"
)

// modules are the examples of one kind, by language: the same four in each.
func modules(t *testing.T, kind plugins.Kind) map[string][]byte {
	t.Helper()
	all := make(map[string][]byte)
	for language, path := range map[string]string{
		"c":              "c/examples/" + string(kind) + ".wasm",
		"assemblyscript": "assemblyscript/examples/" + string(kind) + ".wasm",
		"rust":           "rust/examples/" + string(kind) + ".wasm",
		"go":             gw1wasm.GoModule(t, filepath.Join("go", "examples", string(kind))),
	} {
		wasm, err := os.ReadFile(filepath.FromSlash(path))
		if err != nil {
			t.Fatal(err)
		}
		all[language] = wasm
	}
	return all
}

// attached loads a plugin with the limits that are the default and attaches it.
func attached(t *testing.T, c plugins.Config) *plugins.Attachment {
	t.Helper()
	e, err := wazero.New(wazero.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	c.Name = "example"
	p, err := plugins.NewHouse(nil, e).Load(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	a, err := p.Attach(plugins.AttachOptions{Table: table})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return a
}

var table = &abi.ClusterTable{Generation: 1, Entries: []abi.ClusterEntry{{Name: "server1"}, {Name: "server2"}, {Name: "server3"}}}

// calls is how often each is called: so often that what a call leaves behind in
// a guest without a garbage collector would show.
const calls = 2000

// quiet reports what a plugin has cost, and that nothing went wrong.
func quiet(t *testing.T, a *plugins.Attachment, most uint64) {
	t.Helper()
	c := a.Plugin().Counters()
	if faults := a.Plugin().Faults(); len(faults) > 0 {
		t.Errorf("faults: %v", faults[0].Error())
	}
	if c.Retired.Load() > 0 {
		t.Errorf("%d instances were replaced for their memory in %d calls", c.Retired.Load(), calls)
	}
	if each := c.Fuel.Load() / max(c.Calls.Load(), 1); each > most {
		t.Errorf("a call takes fuel of %d, want at most %d", each, most)
	}
}

func TestRoutersInTheHouse(t *testing.T) {
	for language, wasm := range modules(t, plugins.Router) {
		t.Run(language, func(t *testing.T) {
			a := attached(t, plugins.Config{Kind: plugins.Router, Wasm: wasm, Needs: []string{"path", "query"}})
			v := &abi.View{Generation: 1, Path: []byte("/foo"), Query: []byte("x=1&arg=nancy")}
			var list []uint16
			for range calls {
				got, listed, failure := a.Route(v, nothing{}, everyone{}, list[:0])
				if list = got; !listed || failure != nil || !slices.Equal(list, []uint16{1, 2}) {
					t.Fatalf("routed to %v (%v, %v), want [1 2]", list, listed, failure)
				}
			}
			v.Query = nil
			if _, _, failure := a.Route(v, nothing{}, everyone{}, nil); failure == nil || failure.Code != abi.BadArgument {
				t.Errorf("without an argument: %v, want %v", failure, abi.BadArgument)
			}
			quiet(t, a, 5000)
		})
	}
}

func TestMatchersInTheHouse(t *testing.T) {
	for language, wasm := range modules(t, plugins.Matcher) {
		t.Run(language, func(t *testing.T) {
			a := attached(t, plugins.Config{Kind: plugins.Matcher, Wasm: wasm, Needs: []string{"headers"}, OnError: "no-match"})
			v := &abi.View{Granted: abi.NeedHeaders, Headers: []abi.Field{
				{Name: []byte("Accept"), Value: []byte("*/*")}, {Name: []byte("User-Agent"), Value: []byte("Some-Bot/1.0")},
			}}
			for range calls {
				if got, failure := a.Match(v, nothing{}, "automated"); got != plugins.Match || failure != nil {
					t.Fatalf("matched %v (%v)", got, failure)
				}
			}
			quiet(t, a, 20000)
		})
	}
}

func TestFiltersInTheHouse(t *testing.T) {
	for language, wasm := range modules(t, plugins.Filter) {
		t.Run(language, func(t *testing.T) {
			a := attached(t, plugins.Config{
				Kind: plugins.Filter, Wasm: wasm, Needs: []string{"host"}, OnError: "reject", Params: []byte(`{"domain":"shops.example"}`),
			})
			v := &abi.View{Host: []byte("blue.shops.example")}
			var ops []abi.Op
			var keep []byte
			for range calls {
				got, kept, failure := a.Filter(v, nothing{}, abi.Where{Call: abi.OnRequest}, ops[:0], keep[:0])
				ops, keep = got, kept
				if failure != nil || len(ops) != 3 || string(ops[2].Value) != "blue" {
					t.Fatalf("edited with %v (%v)", ops, failure)
				}
			}
			quiet(t, a, 5000)
		})
	}
}

func TestCollectorsInTheHouse(t *testing.T) {
	for language, wasm := range modules(t, plugins.Collector) {
		t.Run(language, func(t *testing.T) {
			a := attached(t, plugins.Config{Kind: plugins.Collector, Wasm: wasm, Params: []byte(`{"source":"header:x-busy","target_ms":50}`)})
			v := &abi.CollectorView{Position: 2, Sources: []abi.Source{{Name: "header:x-busy", Value: 30}}}
			for range calls {
				if metric, known, failure := a.Collect(v); metric != 70 || !known || failure != nil {
					t.Fatalf("metric %d (%v, %v), want 70", metric, known, failure)
				}
			}
			quiet(t, a, 2000)
		})
	}
}

// nothing is an exchange without properties.
type nothing struct{}

func (nothing) Property(string) (string, bool) { return "", false }

// everyone permits every origin.
type everyone struct{}

func (everyone) Permits(uint16) bool { return true }
