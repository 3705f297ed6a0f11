package abi

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math/bits"
	"slices"
	"testing"
)

// The fields of a head or an entry follow each other without gaps, each where its
// type may stand, and end where the size says.
func TestLayoutsHaveNoGaps(t *testing.T) {
	for _, l := range Layouts {
		at := 0
		for _, f := range l.Fields {
			size := TypeSizes[f.Type]
			if f.Off != at || size == 0 || f.Off%min(size, 8) != 0 && f.Type[0] != 'x' {
				t.Errorf("%s: %s is a %s at %d, want one at %d", l.Title, f.Name, f.Type, f.Off, at)
			}
			at = f.Off + size
		}
		if at != l.Size {
			t.Errorf("%s has %d bytes of fields, want %d", l.Title, at, l.Size)
		}
	}
}

// uniqueNames reports names that are there twice.
func uniqueNames[T any](t *testing.T, what string, list []T, name func(T) string) {
	t.Helper()
	seen := make(map[string]bool)
	for _, e := range list {
		if n := name(e); n == "" || seen[n] {
			t.Errorf("%s: %q is empty or there twice", what, n)
		} else {
			seen[n] = true
		}
	}
}

func TestNamesAreUnique(t *testing.T) {
	uniqueNames(t, "exports", Exports, func(e Export) string { return e.Name })
	uniqueNames(t, "host functions", HostFunctions, func(f HostFunction) string { return f.Name })
	uniqueNames(t, "WASI functions", WASIFunctions, func(f HostFunction) string { return f.Name })
	uniqueNames(t, "properties", Properties, func(p Property) string { return p.Name })
	uniqueNames(t, "tokens", Tokens, func(t Token) string { return t.Name })
	uniqueNames(t, "faults", Faults, func(f Fault) string { return string(f.Kind) })
	uniqueNames(t, "policies", Policies, func(p Policy) string { return string(p.Kind) + p.Value })
	uniqueNames(t, "error codes", ErrorCodes, func(e ErrorCode) string { return e.Name })
	uniqueNames(t, "operations", Ops, func(o OpRule) string { return o.Name })
}

// What is looked up by its number stands at its number.
func TestNumbersAreInOrder(t *testing.T) {
	for i, o := range Ops {
		if int(o.Code) != i+1 {
			t.Errorf("operation %q has code %d at place %d", o.Name, o.Code, i)
		}
	}
	for i, e := range ErrorCodes {
		if int(e.Code) != -i-1 {
			t.Errorf("error %q has code %d at place %d", e.Name, e.Code, i)
		}
	}
	if len(WASIFunctions) != 16 || len(Faults) != 8 || len(Ops) != 11 || len(HostFunctions) != 11 {
		t.Errorf("%d WASI functions, %d faults, %d operations, %d host functions", len(WASIFunctions), len(Faults), len(Ops), len(HostFunctions))
	}
}

func TestErrorCodes(t *testing.T) {
	for n, want := range map[int32]Code{-1: Failed, -4: BadArgument, -11: Unreachable, -12: Failed, -1 << 31: Failed} {
		if got := CodeOf(n); got != want {
			t.Errorf("CodeOf(%d) = %v, want %v", n, got, want)
		}
	}
	if Timeout.String() != "timeout" || Code(7).String() != "7" {
		t.Errorf("the codes say %v and %v", Timeout, Code(7))
	}
}

// Where there is a default there is one; filters and matchers must state theirs.
func TestWhoMustStateOnError(t *testing.T) {
	defaults := make(map[Kind]int)
	for _, p := range Policies {
		if p.Default {
			defaults[p.Kind]++
		}
	}
	if defaults[Router] != 1 || defaults[Collector] != 1 || defaults[Filter]+defaults[Matcher] != 0 {
		t.Errorf("defaults: %v", defaults)
	}
}

func TestTokensGrantOneBitEach(t *testing.T) {
	for _, token := range Tokens {
		if bits.OnesCount32(token.Bit) != 1 {
			t.Errorf("%s has the bits %b", token.Name, token.Bit)
		}
	}
	for need, want := range map[string]struct {
		bit  uint32
		name string
	}{
		"method": {1, ""}, "origins": {4096, ""}, "body": {2048, ""}, "body-prefix": {2048, ""}, "headers": {8192, ""},
		"header:X-User": {512, "X-User"}, "cookie:theme": {1024, "theme"},
	} {
		if token, name := TokenOf(need); token == nil || token.Bit != want.bit || name != want.name {
			t.Errorf("TokenOf(%q) = %v, %q", need, token, name)
		}
	}
	for _, need := range []string{"", "header", "header:", "cookie", "cookie:", "header:a b", "Method", "everything"} {
		if token, _ := TokenOf(need); token != nil {
			t.Errorf("TokenOf(%q) = %v, want none", need, token)
		}
	}
}

func TestKindsThatMay(t *testing.T) {
	body, _ := TokenOf("body")
	origins, _ := TokenOf("origins")
	for _, k := range Kinds {
		if got, want := body.AllowedFor(k), k == Router || k == Filter; got != want {
			t.Errorf("body for a %s: %v", k, got)
		}
		if got, want := origins.AllowedFor(k), k == Router; got != want {
			t.Errorf("origins for a %s: %v", k, got)
		}
		for _, f := range HostFunctions {
			want := f.Grant == "" || k != Matcher
			if got := f.AllowedFor(k); got != want {
				t.Errorf("%s for a %s: %v", f.Name, k, got)
			}
		}
	}
	if e := ExportOf("gw_route"); e == nil || !slices.Equal(e.Kinds, []Kind{Router}) || ExportOf("gw_rout") != nil {
		t.Errorf("gw_route is %v", e)
	}
}

// Every number that guests need is in a group, and so in every SDK.
func TestGroupsHaveEveryNumber(t *testing.T) {
	var grouped []string
	for _, g := range Groups {
		for _, v := range g.Values {
			grouped = append(grouped, v.Name)
		}
	}
	tree, err := parser.ParseFile(token.NewFileSet(), "values.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if ok && !slices.Contains(grouped, spec.Names[0].Name) {
			t.Errorf("%s is in no group", spec.Names[0].Name)
		}
		return true
	})
}

// The defaults that a plugin does not state give the buffer that the page tells.
func TestBufferSizes(t *testing.T) {
	for _, tt := range []struct{ view, body, largest, want int }{
		{DefaultView, 0, 0, 65536},
		{DefaultView, DefaultBody, 0, 196608},
		{1000, 0, 0, 1008 + 16384},
		{1000, 100, 0, 1008 + 16384 + 2*112},
		{DefaultView, 0, 65537, 69632},
		{DefaultView, 0, 65536, 65536},
	} {
		if got := BufferSize(tt.view, tt.body, tt.largest); got != tt.want {
			t.Errorf("BufferSize(%d, %d, %d) = %d, want %d", tt.view, tt.body, tt.largest, got, tt.want)
		}
	}
}
