package meter

import (
	"encoding/hex"
	"encoding/json"
	"strconv"
	"testing"
)

// The modules among the contract's vectors: anybody's meter has to charge them so.
func TestVectors(t *testing.T) {
	var vectors []struct {
		Name, Hex string
		Decoded   json.RawMessage
	}
	if err := json.Unmarshal(read(t, "../../abi/testdata/vectors.json"), &vectors); err != nil {
		t.Fatal(err)
	}
	modules := 0
	for _, v := range vectors {
		var decoded struct {
			Wat   string
			Calls []vectorCall
		}
		if json.Unmarshal(v.Decoded, &decoded) != nil || decoded.Wat == "" {
			continue // not a module
		}
		modules++
		t.Run(v.Name, func(t *testing.T) {
			wasm, err := hex.DecodeString(v.Hex)
			if err != nil {
				t.Fatal(err)
			}
			g := newGuest(t, metered(t, wasm, Options{}))
			for _, c := range decoded.Calls {
				c.fact().check(t, g)
			}
		})
	}
	if modules != 12 {
		t.Errorf("%d vectors are modules, want 12", modules)
	}
}

type vectorCall struct {
	Argument, Result int64
	Budget, Fuel     *int64
	Fault            string
}

func (c vectorCall) fact() fact {
	text, _ := json.Marshal(c)
	f := fact{line: string(text), argument: c.Argument, result: c.Fault, given: map[string]int64{}, seen: map[string]int64{}}
	if c.Fault == "" {
		f.result = strconv.FormatInt(c.Result, 10)
	}
	if c.Budget != nil {
		f.given["budget"] = *c.Budget
	}
	if c.Fuel != nil {
		f.seen["fuel"] = *c.Fuel
	}
	return f
}
