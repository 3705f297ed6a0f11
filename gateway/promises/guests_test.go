package promises

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"weirkeep/gateway"
	"weirkeep/plugins"
	"weirkeep/plugins/engine/enginetest"
)

// What a child process is told by its environment.
const (
	childEngine = "PROMISES_ENGINE" // what guests run on; empty: wazero
	childCode   = "PROMISES_CODE"   // where their native code is kept; empty: in its state directory
)

// guests are what a child tells of its plugins.
type guests struct {
	Modules, Instances int64 // that the engine has given out
	Reserved           int64 // bytes of idle instances
	Plugins            map[string]guest
}

// guest is one plugin.
type guest struct {
	SHA256      string
	Calls, Slow uint64
	Retired     uint64
	Faults      map[string]uint64 // by kind, those that there are
	Last        string            // fault
	Instances   int64
	Memory      int64
}

// guestsOf are the plugins of a gateway, as a line.
func guestsOf(g *gateway.Gateway, tally *enginetest.Tally) string {
	all := guests{Modules: tally.Modules.Load(), Instances: tally.Instances.Load(), Plugins: make(map[string]guest)}
	for _, p := range g.Plugins() {
		one := guest{SHA256: p.SHA256, Calls: p.Counters.Calls.Load(), Slow: p.Counters.Slow.Load(), Retired: p.Counters.Retired.Load(), Faults: make(map[string]uint64)}
		for i, kind := range plugins.FaultKinds {
			if n := p.Counters.Faults[i].Load(); n > 0 {
				one.Faults[string(kind)] = n
			}
		}
		if len(p.Faults) > 0 {
			one.Last = p.Faults[0].Error()
		}
		for _, s := range p.Standings {
			one.Instances, one.Memory = one.Instances+int64(s.Instances), one.Memory+s.Memory
		}
		all.Reserved += one.Memory
		all.Plugins[p.Name] = one
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// guests asks a child for its plugins.
func (c *child) guests() (all guests) {
	c.t.Helper()
	line := c.tell("guests")
	if err := json.Unmarshal([]byte(line), &all); err != nil {
		c.t.Fatalf("guests: %q: %v", line, err)
	}
	return all
}

// attached are the instances of all plugins.
func (g *guests) attached() (n int64) {
	for _, p := range g.Plugins {
		n += p.Instances
	}
	return n
}

// expectOnlyAttached fails the test unless the engine has so many modules, and no
// instances but those of the plugins that there are.
func (c *child) expectOnlyAttached(modules int64) {
	c.t.Helper()
	var all guests
	if !within(30*time.Second, func() bool { all = c.guests(); return all.Modules == modules && all.Instances == all.attached() }) {
		c.t.Errorf("the engine has %d modules and %d instances, want %d and the %d that are attached", all.Modules, all.Instances, modules, all.attached())
	}
}

// startGuests is startChild of a gateway whose guests run on an engine.
func startGuests(t *testing.T, engine, text string) *child {
	t.Helper()
	return startChild(t, text, childEngine+"="+engine, childCode+"="+codeFolder, "STATE_DIRECTORY="+t.TempDir())
}

// wasmFile is a guest of testplugins.
func wasmFile(t testing.TB, name string) string {
	t.Helper()
	file, err := filepath.Abs(filepath.Join("..", "..", "testplugins", name+".wasm"))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func read(t testing.TB, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func write(t testing.TB, file string, b []byte) {
	t.Helper()
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
}
