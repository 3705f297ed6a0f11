package plugins

import (
	"os"
	"slices"
	"testing"
)

// What a router lists counts whether it is shown the origins or not.
func TestRouterNeedsNotSeeOrigins(t *testing.T) {
	t.Parallel()
	wasm, err := os.ReadFile("../testplugins/good/names.wasm")
	if err != nil {
		t.Fatal(err)
	}
	h, _ := house(t)
	a := attach(t, h, Config{Name: "names", Kind: Router, Wasm: wasm, Needs: []string{"path"}})
	list, listed, failure := a.Route(request("/foo"), nil, everything{}, nil)
	if !slices.Equal(list, []uint16{0, 2}) || !listed || failure != nil {
		t.Errorf("%v, listed %v, %v: want 0 and 2", list, listed, failure)
	}
}
