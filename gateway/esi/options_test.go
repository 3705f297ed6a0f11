package esi

import (
	"strings"
	"testing"
)

func TestOptionsAreValidated(t *testing.T) {
	good := Default()
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	bad := Options{Depth: 33, Includes: -1, Values: -1}
	err := bad.Validate()
	if err == nil {
		t.Fatal("they are valid")
	}
	for _, name := range []string{"max_depth", "max_includes", "concurrent", "max_fragment", "max_values", "timeout"} {
		if !strings.Contains(err.Error(), name+": ") && !strings.Contains(err.Error(), name+", ") {
			t.Errorf("nothing is said of %s: %v", name, err)
		}
	}
}

func TestKindsHaveNames(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range Kinds() {
		if k.String() == "" || seen[k.String()] {
			t.Errorf("kind %d is %q", k, k)
		}
		seen[k.String()] = true
	}
	for f := range failureCount {
		if f.String() == "" || seen[f.String()] {
			t.Errorf("failure %d is %q", f, f)
		}
		seen[f.String()] = true
	}
}
