package plugins

import (
	"os"
	"slices"
	"testing"

	"weirkeep/abi"
)

// What a router lists counts by the origins of the request, whether it sees them or
// not.
func TestRouterNeedsNotSeeOrigins(t *testing.T) {
	t.Parallel()
	wasm, err := os.ReadFile("../testplugins/good/names.wasm")
	if err != nil {
		t.Fatal(err)
	}
	eachEngine(t, func(t *testing.T, h *House) {
		a := attach(t, h, Config{Name: "names", Kind: Router, Wasm: wasm, Needs: []string{"path"}})
		v := request("/foo")
		list, listed, failure := a.Route(v, nil, nil)
		if !slices.Equal(list, []uint16{0, 2}) || !listed || failure != nil {
			t.Errorf("%v, listed %v, %v: want 0 and 2", list, listed, failure)
		}
		if len(v.Origins) != 3 {
			t.Errorf("%d origins are left in the view", len(v.Origins))
		}
		v.Origins[0].Flags &^= abi.OriginPermitted
		if list, _, _ = a.Route(v, nil, nil); !slices.Equal(list, []uint16{2}) {
			t.Errorf("%v: want 2 alone, for 0 is not permitted", list)
		}
	})
}
