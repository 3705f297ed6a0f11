package abi

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// exampleRouter is the example of the page as a guest would write it: it sees the
// bytes of the view and nothing else.
func exampleRouter(buffer []byte, positions map[string]uint16) int32 {
	ref := func(at int) []byte {
		off, n := le.Uint32(buffer[at:]), le.Uint32(buffer[at+4:])
		return buffer[off : off+n]
	}
	path := ref(56)
	if !bytes.Equal(path[bytes.LastIndexByte(path, '/')+1:], []byte("foo")) {
		return 0
	}
	arg, ok := decoded(firstArg(ref(64)))
	if !ok || arg == "" {
		return -4
	}
	first := "server2"
	if arg < "n" {
		first = "server1"
	}
	area := buffer[le.Uint32(buffer[112:]):]
	le.PutUint16(area, positions[first])
	le.PutUint16(area[2:], positions["server3"])
	return 2
}

// firstArg is the value of the first parameter of that name, as it stands.
func firstArg(query []byte) string {
	for pair := range strings.SplitSeq(string(query), "&") {
		if value, ok := strings.CutPrefix(pair, "arg="); ok {
			return value
		}
	}
	return ""
}

// decoded takes the escapes out.
func decoded(s string) (string, bool) {
	var b strings.Builder
	for len(s) > 0 {
		switch c := s[0]; {
		case c == '+':
			b.WriteByte(' ')
		case c != '%':
			b.WriteByte(c)
		case len(s) < 3 || !isHex(s[1]) || !isHex(s[2]):
			return "", false
		default:
			b.WriteByte(digit(s[1])<<4 | digit(s[2]))
			s = s[2:]
		}
		s = s[1:]
	}
	return b.String(), true
}

func digit(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10
}

// The example's answers, from the target to names, by way of a view and a result.
func TestExampleRouterVector(t *testing.T) {
	table, err := DecodeClusterTable(vectorOf(t, "cluster-table").bytes(t))
	if err != nil {
		t.Fatal(err)
	}
	positions := make(map[string]uint16)
	for i, e := range table.Entries {
		positions[e.Name] = uint16(i)
	}
	var cases []struct {
		Target string
		Result any
	}
	vectorOf(t, "example-router").decode(t, &cases)
	if len(cases) < 16 {
		t.Fatalf("%d cases", len(cases))
	}
	for _, tt := range cases {
		path, query, there := strings.Cut(tt.Target, "?")
		view := &View{Path: []byte(path)}
		if there {
			view.Query = []byte(query)
		}
		buffer := make([]byte, 65536)
		size, err := view.Put(buffer)
		if err != nil {
			t.Fatal(err)
		}
		n := exampleRouter(buffer, positions)
		if want, ok := tt.Result.(float64); ok {
			if n != int32(want) {
				t.Errorf("%s: %d, want %v", tt.Target, n, want)
			}
			continue
		}
		listed, err := ReadRoute(buffer[ResultArea(size):], n, nil)
		var got []any
		for _, p := range listed {
			got = append(got, table.Entries[p].Name)
		}
		if err != nil || !slices.Equal(got, tt.Result.([]any)) {
			t.Errorf("%s: %v, %v, want %v", tt.Target, got, err, tt.Result)
		}
	}
}
