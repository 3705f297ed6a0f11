package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"time"

	"weirkeep/gateway/unit"
)

func TestPluginsFile(t *testing.T) {
	module, err := filepath.Abs("testdata/good/files/guest.wasm")
	if err != nil {
		t.Fatal(err)
	}
	c := good(t, "plugins.yaml")
	customer, busy, ms := c.Plugins["by-customer"], c.Plugins["busy"], unit.Duration(time.Millisecond)
	limits := PluginLimits{InitFuel: 16_000_000, Depth: 1000, Wait: ms, View: 48 << 10, Body: 64 << 10, LogRate: 100}
	plain := []string{"method", "scheme", "host", "path", "query", "client"}
	for _, tt := range []struct {
		what      string
		got, want any
	}{
		{"limits by default", busy.Limits, limits},
		{"limits", []any{customer.Limits.Fuel, customer.Limits.Body}, []any{32_000_000, unit.Size(1 << 20)}},
		{"module", customer.Module, module},
		{"digest in lower case", customer.SHA256, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"engine by default", customer.Engine, "auto"},
		{"what it may call", customer.HTTP, []string{"https://geo.example:443", "http://[2001:db8::1]:8080", "cluster:reserve"}},
		{"tick and kv", []any{customer.Tick, customer.KV}, []any{10_000 * ms, unit.Size(1 << 20)}},
		{"on_full", []string{customer.OnFull, busy.OnFull}, []string{"queue", "next"}},
		{"on_error of a router", []string{customer.OnError, c.Plugins["plain"].OnError}, []string{"reject", "default-balancer"}},
		{"on_error of a collector", busy.OnError, "default"},
		{"what a router is shown", c.Plugins["plain"].Needs, append(plain[:6:6], "origins")},
		{"what a matcher is shown", c.Plugins["robots"].Needs, plain},
		{"what is shown nothing", c.Plugins["geo"].Needs, []string{}},
		{"what a collector is shown", busy.Needs, []string(nil)},
		{"what a collector goes by", busy.Params.Sources(), []string{"x-busy-time"}},
		{"what another does", customer.Params.Sources(), []string(nil)},
		{"params that are empty", string(c.Plugins["plain"].Params.JSON()), "{}"},
		{"params that are not written", c.Plugins["robots"].Params.JSON(), []byte(nil)},
		{"router", []string{c.Clusters["shop"].Router, c.Clusters["east/reserve"].Router}, []string{"by-customer", ""}},
		{"on_exhausted", []string{c.Clusters["shop"].OnExhausted, c.Clusters["api"].OnExhausted}, []string{"default-balancer", "fail"}},
		{"metric by default", *c.Clusters["shop"].Metric, Metric{Collector: "busy", Interval: 30_000 * ms, Initial: 50, Default: 50, StaleAfter: 3, History: 0.3}},
		{"metric", *c.Clusters["api"].Metric, Metric{Collector: "busy", Interval: 1000 * ms, Initial: 0, Default: 100, StaleAfter: 5, History: 0.3, Debug: true}},
		{"no metric", c.Clusters["east/reserve"].Metric == nil, true},
		{"filters", c.Sites["shop"].Filters, []Filter{{"redact", "reject", "deliver"}, {"redact", "skip", "deliver"}, {"redact", "reject", "store"}}},
		{"on_error of a rule is the plugin's", c.Rules[0].OnError, "match"},
		{"on_error of a rule", c.Rules[1].OnError, "no-match"},
		{"on_error of an expression", c.Sites["shop"].Rules[0].OnError, "no-match"},
	} {
		if !reflect.DeepEqual(tt.got, tt.want) {
			t.Errorf("%s: %#v, want %#v", tt.what, tt.got, tt.want)
		}
	}
}

// TestParamsAreHandedOverInTheirOrder: keys as in the file, whole numbers as they
// are written, others in the shortest form.
func TestParamsAreHandedOverInTheirOrder(t *testing.T) {
	const want = `{"split":"n","tenants":["blue",{"name":"green","weight":2,"tags":[]}],"z":1,"a":2,` +
		`"whole":18446744073709551615,"less":-9223372036854775808,"exponent":1000,"small":1e-7,"third":0.333,` +
		`"yes":true,"nothing":null,"quoted":"1","text":"two\nlines\n","dots.in.keys":{"":""},"same":{"":""},` +
		`"secret":"fedcba9876543210fedcba9876543210"}`
	c := good(t, "plugins.yaml")
	if got := string(c.Plugins["by-customer"].Params.JSON()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// withParams is a configuration whose one plugin has the params, indented by two.
func withParams(params string) string {
	return smallest + "plugins:\n  a:\n    kind: router\n    module: a.wasm\n    params:\n      " + strings.ReplaceAll(params, "\n", "\n      ") + "\n"
}

// roomyMachine is one where every file is there.
func roomyMachine() machine {
	m := emptyMachine
	m.read = func(string, int64) ([]byte, error) { return []byte("bytes"), nil }
	return m
}

// TestParamsAreBounded: what aliases unfold to is told once, and takes no memory.
func TestParamsAreBounded(t *testing.T) {
	var doubling strings.Builder
	doubling.WriteString("k0: &k0 " + strings.Repeat("x", 1000))
	for i := range 20 {
		fmt.Fprintf(&doubling, "\nk%d: &k%d [*k%d, *k%d]", i+1, i+1, i, i)
	}
	var deep strings.Builder
	deep.WriteString("k0: &k0 x")
	for i := range 70 {
		fmt.Fprintf(&deep, "\nk%d: &k%d [*k%d]", i+1, i+1, i)
	}
	for _, tt := range []struct{ name, params, want string }{
		{"doubling", doubling.String(), "plugins.a.params is more than 1048576 bytes; aliases are unfolded where they stand"},
		{"long", "k: " + strings.Repeat("x", 1000) + "\nl: [" + strings.Repeat(strings.Repeat("y", 400_000)+", ", 2) + "z]\nm: " + strings.Repeat("x", 250_000) + "\nn: n", "plugins.a.params is more than 1048576 bytes; aliases are unfolded where they stand"},
		{"deep", deep.String(), "plugins.a.params is nested more than 64 deep; aliases are unfolded where they stand"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, problems := newLoader(roomyMachine()).load("w.yaml", []byte(withParams(tt.params)))
			told := 0
			for _, p := range problems {
				if p.Code == "E109" && p.Message == tt.want {
					told++
				}
			}
			if told == 0 || tt.name != "deep" && told != 1 {
				t.Errorf("told %d times of %d problems, first %v", told, len(problems), problems[0])
			}
		})
	}
}

// FuzzParams: any text either is refused, or becomes compact JSON that reads back
// as itself.
func FuzzParams(f *testing.F) {
	for _, seed := range []string{"a: 1", "a: [1, 2.50, -0, null, true, \"x\"]", "a: { b: &c {}, d: *c }", "a: 1e3\nb: 0x10", "a: |\n  x", "\"\": \"\\u0000\\x07\"", "- a", "a: ${env:X:-y}", "a: &a [*a]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, params string) {
		cfg, _ := newLoader(roomyMachine()).load("w.yaml", []byte(withParams(params)))
		if cfg == nil {
			return
		}
		text := cfg.Plugins["a"].Params.JSON()
		if text == nil {
			t.Fatalf("accepted, and none: %q", params)
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, text); err != nil || !bytes.Equal(compact.Bytes(), text) {
			t.Fatalf("%v, %q, want %q", err, text, compact.Bytes())
		}
	})
}
