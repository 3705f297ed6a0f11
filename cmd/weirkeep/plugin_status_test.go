package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weirkeep/gateway"
	"weirkeep/gateway/config"
)

// What a guest wrote before it died, and where it did, can be read off GET /v1/plugins.
func TestPluginStatusHasFaults(t *testing.T) {
	module, err := filepath.Abs("../../testplugins/evil/call/panic.wasm")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "weirkeep.yaml")
	text := fmt.Sprintf(`
node: { state_dir: %q }
listeners: [{ address: "127.0.0.1:0" }]
access_log: { format: off }
clusters: { app: { origins: [{ address: "127.0.0.1:1" }], router: chooser } }
plugins: { chooser: { kind: router, module: %q, on_error: reject } }
`, t.TempDir(), module)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, problems := config.Load(file)
	if problems.Errors() > 0 {
		t.Fatal(problems)
	}
	g := gateway.New(gateway.Options{})
	defer g.Close()
	if problems := g.Apply(cfg); problems.Errors() > 0 {
		t.Fatal(problems)
	}
	for _, a := range g.Addresses() {
		answer, err := http.Get("http://" + a.String())
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
	}
	k := &keeper{gateway: g}
	all := k.Plugins().([]pluginStatus)
	if len(all) != 1 || all[0].Name != "chooser" || all[0].Generation != 1 || all[0].Calls != 1 || all[0].Faults != 1 || all[0].Fuel == 0 || len(all[0].LastFaults) != 1 {
		t.Fatalf("%+v", all)
	}
	f := all[0].LastFaults[0]
	if f.Kind != "trap" || f.Export != "gw_route" || f.Place != "cluster main/app" || len(f.Request) != 16 || f.At.IsZero() || f.Stack == "" || !strings.Contains(f.Stderr, "panic: no such shop") {
		t.Errorf("%+v", f)
	}
	if at := all[0].Attachments; len(at) != 1 || at[0].Place != "cluster main/app" || at[0].Table != 1 || at[0].Breaker != "closed" {
		t.Errorf("%+v", at)
	}
}
