package plugins

import (
	"slices"
	"testing"

	"weirkeep/abi"
)

// Every host function of the contract does something, and nothing else does.
func TestHostFunctionsAreTheContracts(t *testing.T) {
	for _, tt := range []struct {
		module string
		all    []abi.HostFunction
		calls  map[string]hostFunction
	}{
		{abi.Module, abi.HostFunctions, hostCalls},
		{abi.WASIModule, abi.WASIFunctions, wasiCalls},
	} {
		for _, f := range tt.all {
			if tt.calls[f.Name] == nil {
				t.Errorf("%s.%s does nothing", tt.module, f.Name)
			}
		}
		if len(tt.calls) != len(tt.all) {
			t.Errorf("%d functions of %s do something, and the contract has %d", len(tt.calls), tt.module, len(tt.all))
		}
	}
}

// What a kind calls is among the exports of the contract, for that kind.
func TestExportsOfKindsAreTheContracts(t *testing.T) {
	for kind, names := range kindExports {
		for _, name := range names {
			if e := abi.ExportOf(name); e == nil || !slices.Contains(e.Kinds, abi.Kind(kind)) {
				t.Errorf("%s: the contract has no %s for it", kind, name)
			}
		}
	}
}

func TestNearestNames(t *testing.T) {
	for _, tt := range []struct{ written, want string }{
		{"gw_on_requst", ": did you mean gw_on_request?"},
		{"gw_onrequest", ": did you mean gw_on_request?"},
		{"gw_Route", ": did you mean gw_route?"},
		{"gw_route_name", ": did you mean gw_route_names?"},
		{"gw_enabel", ": did you mean gw_enable?"},
		{"gw_on_http_respons", ": did you mean gw_on_http_response?"},
		{"gw_launch_missiles", ""},
		{"gw_x", ""},
	} {
		if got := nearestExport(tt.written); got != tt.want {
			t.Errorf("%s%s, want %q", tt.written, got, tt.want)
		}
	}
}
