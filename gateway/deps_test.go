package gateway

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// dependencies says which of our packages each of our packages may import. A
// package that is not here may not exist.
var dependencies = map[string][]string{
	"rules/websphere":      {"rules", "gateway/wire", "gateway/unit"},
	"rules":                {"gateway/wire", "gateway/unit"},
	"abi":                  {},
	"abi/generate":         {"abi"},
	"gateway/unit":         {},
	"gateway/metrics":      {},
	"gateway/popular":      {},
	"gateway/probe":        {},
	"gateway/socket":       {},
	"gateway/memfile":      {},
	"gateway/collect":      {},
	"gateway/capacity":     {},
	"gateway/corpus":       {},
	"gateway/wire":         {"gateway/unit"},
	"gateway/session":      {"gateway/wire", "gateway/unit"},
	"gateway/cache":        {"gateway/wire", "gateway/unit", "gateway/surrogate"},
	"gateway/cache/store":  {"gateway/cache", "gateway/memfile", "gateway/wire", "gateway/unit"},
	"gateway/cache/coding": {"gateway/cache"},
	"gateway/cache/disk":   {"gateway/unit"},
	"gateway/cache/tier":   {"gateway/cache/store", "gateway/cache/disk", "gateway/cache"},
	"gateway/esi":          {"gateway/wire"},
	"gateway/surrogate":    {"gateway/wire"},
	"gateway/provider":     {"gateway/wire"},
	"gateway/balance":      {"gateway/unit"},
	"gateway/admission":    {"gateway/balance", "gateway/unit"},
	"gateway/origin":       {"gateway/wire", "gateway/metrics", "gateway/unit", "gateway/probe", "gateway/socket"},
	"gateway/route":        {"rules", "gateway/session", "gateway/wire", "gateway/unit"},
	"gateway/rollout":      {"gateway/unit"},
	"gateway/discover":     {},
	"gateway/config":       {"abi", "gateway/unit", "gateway/collect", "gateway/balance", "gateway/origin", "gateway/admission", "gateway/session", "gateway/esi"},
	"gateway/admin":        {"gateway/config", "gateway/metrics", "gateway/rollout", "gateway/route"},
	"gateway":              {"rules", "gateway/unit", "gateway/metrics", "gateway/popular", "gateway/probe", "gateway/socket", "gateway/memfile", "gateway/collect", "gateway/capacity", "gateway/wire", "gateway/session", "gateway/cache", "gateway/cache/store", "gateway/cache/disk", "gateway/cache/tier", "gateway/cache/coding", "gateway/esi", "gateway/surrogate", "gateway/provider", "gateway/invalidation", "gateway/balance", "gateway/admission", "gateway/origin", "gateway/route", "gateway/rollout", "gateway/discover", "gateway/config", "abi", "plugins", "plugins/engine", "plugins/engine/wazero"},
	"gateway/invalidation": {},
	"gateway/promises":     {}, // tests only
	"gateway/conformance":  {}, // tests only
	"testplugins":          {}, // tests only
	"sdk":                  {},
	"plugins/meter":        {"abi"},
	"plugins":              {"abi", "plugins/engine", "plugins/engine/wazero", "plugins/meter", "gateway/wire", "gateway/unit", "gateway/metrics"},

	"gateway/discover/dnstest":  {}, // of tests
	"plugins/engine":            {},
	"plugins/engine/enginetest": {"plugins/engine", "plugins/meter"},
	"plugins/engine/wazero":     {"plugins/engine"},
	"plugins/engine/wasmtime":   {"plugins/engine"},
	"cmd/weirkeep":              {"rules", "rules/websphere", "gateway", "gateway/esi", "gateway/unit", "gateway/metrics", "gateway/balance", "gateway/config", "gateway/admin", "gateway/route", "gateway/rollout", "gateway/session", "gateway/wire", "abi", "plugins", "plugins/engine", "plugins/engine/wazero", "plugins/engine/wasmtime", "plugins/meter", "sdk"},

	// The Go SDK is copied into folders of plugin authors, so it needs nothing
	// of ours but itself.
	"sdk/go":                    {},
	"sdk/go/gw1test":            {"sdk/go"},
	"sdk/go/gw1test/gw1wasm":    {"sdk/go", "sdk/go/gw1test"},
	"sdk/go/examples/all":       {"sdk/go"},
	"sdk/go/examples/collector": {"sdk/go"},
	"sdk/go/examples/filter":    {"sdk/go"},
	"sdk/go/examples/matcher":   {"sdk/go"},
	"sdk/go/examples/router":    {"sdk/go"},
}

// The sources are read in this process: what another command prints of them
// would be cached, and never looked at again.
func TestPackagesImportOnlyWhatTheyMay(t *testing.T) {
	seen := make(map[string]bool)
	for _, f := range sources(t) {
		may, known := dependencies[f.pkg]
		if !known {
			t.Errorf("%s: package %s is not in the house; see dependencies", f.path, f.pkg)
			continue
		}
		seen[f.pkg] = true
		for _, imported := range f.imports {
			ours, ok := strings.CutPrefix(imported, "weirkeep/")
			if ok && !slices.Contains(may, ours) {
				t.Errorf("%s imports %s, which %s may not", f.path, ours, f.pkg)
			}
		}
	}
	if !seen["gateway"] || !seen["gateway/wire"] {
		t.Errorf("the sources were not found: saw %v", seen)
	}
}

// fasthttp is named in one file, so that nothing of it can leak into the walk.
func TestOnlyTheFrontDoorKnowsFasthttp(t *testing.T) {
	var who []string
	for _, f := range sources(t) {
		if slices.Contains(f.imports, "github.com/valyala/fasthttp") {
			who = append(who, f.path)
		}
	}
	if !slices.Equal(who, []string{"gateway/front_h1.go"}) {
		t.Errorf("fasthttp is imported by %v, want gateway/front_h1.go alone", who)
	}
}

// No package does anything by being imported. The one exception is of guests:
// their garbage collector must be off before anything else of theirs runs.
func TestNothingHappensAtInit(t *testing.T) {
	for _, f := range sources(t) {
		if f.path == "sdk/go/gc_wasip1.go" {
			continue
		}
		for _, d := range f.tree.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				t.Errorf("%s has an init function", f.path)
			}
		}
	}
}

type source struct {
	path, pkg string
	imports   []string
	tree      *ast.File
}

// sources are the project's Go files but for tests.
func sources(t *testing.T) (all []source) {
	t.Helper()
	root := os.DirFS("..")
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "testdata" {
			return fs.SkipDir // what is there is no part of the program
		}
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		tree, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		s := source{path: path, pkg: filepath.ToSlash(filepath.Dir(path)), tree: tree}
		for _, i := range tree.Imports {
			name, _ := strconv.Unquote(i.Path.Value)
			s.imports = append(s.imports, name)
		}
		all = append(all, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
