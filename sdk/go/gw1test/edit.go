package gw1test

import (
	"fmt"
	"strings"

	gw1 "weirkeep/sdk/go"
)

// Edit is what a filter answered.
type Edit struct {
	Code int32 // 0, or an error code
	Ops  []Op  // none leaves the message as it is
	Raw  []byte
}

// Op is one operation.
type Op struct {
	Code       int // gw1.OpSetHeader and so on
	Key, Value string
}

var opNames = [...]string{
	gw1.OpSetHeader: "set", gw1.OpAddHeader: "add", gw1.OpDeleteHeader: "delete",
	gw1.OpSetPath: "path", gw1.OpSetQuery: "query", gw1.OpSetHost: "host", gw1.OpSetBody: "body",
	gw1.OpRespond: "respond", gw1.OpTag: "tag", gw1.OpMethod: "method", gw1.OpURL: "url",
}

// String returns the operation as a test reads it: "set X-Tenant: blue".
func (o Op) String() string {
	name := "?"
	if o.Code > 0 && o.Code < len(opNames) {
		name = opNames[o.Code]
	}
	switch {
	case o.Key == "":
		return name + " " + o.Value
	case o.Value == "":
		return name + " " + o.Key
	}
	return name + " " + o.Key + ": " + o.Value
}

// String returns the operations as a test reads them, joined by "; ", and an
// error code as "error -4".
func (e Edit) String() string {
	if e.Code < 0 {
		return fmt.Sprintf("error %d", e.Code)
	}
	return joinOps(e.Ops)
}

func joinOps(ops []Op) string {
	words := make([]string, len(ops))
	for i, o := range ops {
		words[i] = o.String()
	}
	return strings.Join(words, "; ")
}

// edit reads what a filter returned.
func (g *Guest) edit(area []byte, n int32) Edit {
	g.t.Helper()
	if n < 0 {
		return Edit{Code: n}
	}
	if int(n) > len(area) {
		g.t.Fatalf("invalid-result: operations of %d bytes in a result area of %d", n, len(area))
	}
	ops, err := readOps(area[:n])
	if err != nil {
		g.t.Fatalf("invalid-result: %v", err)
	}
	return Edit{Ops: ops, Raw: append([]byte(nil), area[:n]...)}
}

// readOps reads operations as a guest wrote them.
func readOps(b []byte) ([]Op, error) {
	var ops []Op
	for len(b) > 0 {
		if len(b) < opHead {
			return nil, fmt.Errorf("operation %d is cut off", len(ops)+1)
		}
		key := opHead + uint64(le.Uint16(b[2:]))
		end := key + uint64(le.Uint32(b[4:]))
		padded := (end + 3) &^ 3
		if padded > uint64(len(b)) || len(ops) == gw1.MaxOps {
			return nil, fmt.Errorf("operation %d is cut off, or one too many", len(ops)+1)
		}
		if strings.Trim(string(b[end:padded]), "\x00") != "" {
			return nil, fmt.Errorf("operation %d is not padded with zeros", len(ops)+1)
		}
		ops = append(ops, Op{Code: int(le.Uint16(b)), Key: string(b[opHead:key]), Value: string(b[key:end])})
		b = b[padded:]
	}
	return ops, nil
}

const opHead = 8
