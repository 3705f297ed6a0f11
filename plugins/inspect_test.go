package plugins

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func read(t *testing.T, module string) []byte {
	t.Helper()
	wasm, err := os.ReadFile("../testplugins/" + module + ".wasm")
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}

// A module is looked at without a configuration: what it serves, and what would be
// wrong with it in any.
func TestModulesAreInspected(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		module  string
		kinds   []Kind
		problem string // in the only one; empty: none
	}{
		{"good/abstain", []Kind{Router}, ""},
		{"good/count", []Kind{Router, Matcher, Collector}, ""},
		{"evil/load/import-kv", []Kind{Router}, ""}, // it may be granted
		{"evil/load/route-both", []Kind{Router}, "gw_route or gw_route_names"},
		{"evil/load/route-none", nil, "serves no kind"},
		{"evil/load/garbage", nil, "not WebAssembly"},
	} {
		i := Inspect(read(t, tt.module))
		if !slices.Equal(i.Kinds, tt.kinds) {
			t.Errorf("%s: kinds %v, want %v", tt.module, i.Kinds, tt.kinds)
		}
		if (i.MeteredBytes == 0) != (i.Module == nil) {
			t.Errorf("%s: %d bytes metered, module %v", tt.module, i.MeteredBytes, i.Module)
		}
		switch {
		case tt.problem == "" && len(i.Problems) == 0:
		case tt.problem != "" && len(i.Problems) == 1 && strings.Contains(i.Problems[0].What, tt.problem):
		default:
			t.Errorf("%s: problems %v, want %q", tt.module, i.Problems, tt.problem)
		}
	}
}
