package session

import (
	"strings"
	"testing"

	"weirkeep/gateway/wire"
)

// both has both carriers.
var both = &Definition{Name: "shop", Cookie: "SID", URLParam: "sid"}

// fields makes header fields from lines, "Name: value" each.
func fields(lines ...string) (fs []wire.Field) {
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		fs = append(fs, wire.Field{Name: []byte(name), Value: []byte(value)})
	}
	return fs
}

// found is an id with its carrier, as one text: "cookie abc".
func found(id []byte, from Carrier) string {
	if from == FromNothing && id == nil {
		return "nothing"
	}
	return from.String() + " " + string(id)
}

// parsed is a request target as the gateway reads it.
func parsed(t testing.TB, raw string) *wire.Target {
	t.Helper()
	target := new(wire.Target)
	if err := target.Parse([]byte(raw)); err != nil {
		t.Fatalf("target %q: %v", raw, err)
	}
	return target
}
