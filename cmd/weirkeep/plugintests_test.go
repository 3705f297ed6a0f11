package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weirkeep/abi"
	"weirkeep/plugins"
)

// The results of all engines and instances are held against the first.
func TestResultsMustNotDiffer(t *testing.T) {
	one := placedResult{pluginResult{"route", "[a]", "", 10}, "wazero", false}
	with := func(change func(p *placedResult)) placedResult {
		p := one
		change(&p)
		return p
	}
	other := with(func(p *placedResult) { p.value, p.engine = "[b]", "wasmtime" })
	dearer := with(func(p *placedResult) { p.fuel, p.used = 11, true })
	for _, tt := range []struct {
		name   string
		all    []placedResult
		fuel   bool
		differ string // the key; empty: they do not
	}{
		{"alone", []placedResult{one}, true, ""},
		{"the same", []placedResult{one, one}, true, ""},
		{"another answer", []placedResult{one, one, other}, true, "result"},
		{"more fuel", []placedResult{one, dearer}, true, "fuel"},
		{"more fuel, which a clock steers", []placedResult{one, dearer}, false, ""},
		{"another note", []placedResult{one, with(func(p *placedResult) { p.note = "in other words" })}, true, ""},
	} {
		got := ""
		if wrong := differences(tt.all, tt.fuel); len(wrong) > 0 {
			got = wrong[0].Key
		}
		if got != tt.differ {
			t.Errorf("%s: %q differs, want %q", tt.name, got, tt.differ)
		}
	}
}

// A view has what was granted, and nothing else.
func TestViewsShowWhatIsGranted(t *testing.T) {
	const file = `
plugin: { module: a.wasm, kind: filter, needs: [method, host, query, "header:x-user", "cookie:SID", site, body] }
tests:
  - name: a
    request:
      method: POST
      url: "https://Shop.Example:8443/a%41?x=%20"
      headers: { X-User: alice, X-Other: bob, Cookie: "SID=7; other=8", Connection: close }
      body: text
      site: company
      session: secret
    expect: { ops: [] }
`
	s, problems := parseSuite("a.yaml", []byte(file))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	v, err := s.tests[0].view(1)
	if err != nil {
		t.Fatal(err)
	}
	field := func(all []abi.Field) (text string) {
		for _, f := range all {
			text += string(f.Name) + "=" + string(f.Value) + " "
		}
		return text
	}
	for _, tt := range []struct{ what, got, want string }{
		{"method", string(v.MethodText), "POST"},
		{"host", string(v.Host), "shop.example"},
		{"query", string(v.Query), "x=%20"},
		{"path", string(v.Path), ""},
		{"target", string(v.Target), ""},
		{"scheme", string(v.Scheme), ""},
		{"client", string(v.Client), ""},
		{"session", string(v.Session), ""},
		{"site", string(v.Site), "company"},
		{"headers", field(v.Headers), "X-User=alice "},
		{"cookies", field(v.Cookies), "SID=7 "},
		{"body", string(v.Body), "text"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s is %q, want %q", tt.what, tt.got, tt.want)
		}
	}
	if want := uint16(abi.FlagHTTPS | abi.FlagBody | abi.FlagWhole); v.Flags != want || v.Port != 8443 || v.Method != abi.MethodPOST {
		t.Errorf("flags %d, port %d, method %d, want %d, 8443, %d", v.Flags, v.Port, v.Method, want, abi.MethodPOST)
	}
}

// In gw_on_response fields and body are the answer's, all else is the request's; at
// stage store there is no request.
func TestViewsOfAnswers(t *testing.T) {
	const file = `
plugin: { module: a.wasm, kind: filter, needs: [path, headers, "cookie:SID", site, body-prefix], limits: { body: 4B } }
tests:
  - name: delivered
    request: { url: /a, headers: { Cookie: SID=7, X-Asked: "1" }, body: text, origin: web1 }
    response: { status: 404, headers: { X-Answered: "1", Transfer-Encoding: chunked }, body: too long, upstream: 2us, cached: true }
    expect: { ops: [] }
  - name: stored
    request: { url: /a, headers: { Cookie: SID=7 }, origin: web1 }
    response: { headers: { X-Answered: "1" }, upstream: 2us, cached: true, stage: store }
    expect: { ops: [] }
`
	s, problems := parseSuite("a.yaml", []byte(file))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for i, want := range []struct {
		path, cookies, origin, body string
		status                      uint16
		upstream                    uint64
		flags                       uint16
	}{
		{"/a", "7", "web1", "too ", 404, 2000, abi.FlagBody | abi.FlagCached},
		{"", "", "", "", 200, 0, 0},
	} {
		v, err := s.tests[i].view(1)
		if err != nil {
			t.Fatal(err)
		}
		cookies := ""
		for _, c := range v.Cookies {
			cookies += string(c.Value)
		}
		got := want
		got.path, got.cookies, got.origin, got.body, got.status, got.upstream, got.flags = string(v.Path), cookies, string(v.OriginName), string(v.Body), v.Status, v.UpstreamNS, v.Flags
		if got != want {
			t.Errorf("%s: %v, want %v", s.tests[i].name, got, want)
		}
		if len(v.Headers) != 1 || string(v.Headers[0].Name) != "X-Answered" {
			t.Errorf("%s: fields %s", s.tests[i].name, v.Headers)
		}
	}
}

// Params are what guests get: in their order, numbers as they were written.
func TestParamsKeepTheirOrder(t *testing.T) {
	const file = `
plugin: { module: a.wasm, kind: router, params: { z: 1, a: [true, null, 1.50, "x\ny"], m: { b: -7, c: 18446744073709551615 } } }
tests: [{ name: a, request: { url: / }, params: {}, expect: { abstain: true } }]
`
	s, problems := parseSuite("a.yaml", []byte(file))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if got, want := string(s.config.Params), `{"z":1,"a":[true,null,1.5,"x\ny"],"m":{"b":-7,"c":18446744073709551615}}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := string(s.tests[0].config.Params); got != "{}" {
		t.Errorf("the test's own are %s, want {}", got)
	}
}

// Every file that a new plugin may get can be read, and says its own kind.
func TestTemplatesAreTests(t *testing.T) {
	files, err := fs.Glob(templates, "newplugin/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		if strings.HasPrefix(name, "uses.") {
			continue
		}
		text, err := (&newPluginFiles{name: "mine"}).fill(name)
		if err != nil {
			t.Fatal(err)
		}
		s, problems := parseSuite(name, text)
		if kind, _, _ := strings.Cut(name, "."); len(problems) > 0 || string(s.config.Kind) != kind || len(s.tests) < 3 {
			t.Errorf("%s: %v", name, problems)
		}
	}
}

// A new plugin of each kind and language has a source, the SDK, tests and the lines for
// the configuration.
func TestEveryLanguageHasEveryKind(t *testing.T) {
	sources := map[string]string{"go": "main.go", "rust": "src/lib.rs", "as": "main.ts", "c": "main.c"}
	for i := range pluginLanguages {
		l := &pluginLanguages[i]
		for _, kind := range plugins.Kinds {
			p := &newPluginFiles{name: "mine", kind: kind, language: l, files: make(map[string][]byte)}
			if err := l.files(p); err != nil {
				t.Errorf("%s, %s: %v", l.name, kind, err)
				continue
			}
			if err := p.addTests(); err != nil {
				t.Errorf("%s, %s: %v", l.name, kind, err)
			}
			for _, file := range append([]string{sources[l.name], suiteFile, "plugin.yaml.txt"}, l.markers...) {
				if len(p.files[file]) == 0 {
					t.Errorf("%s, %s: there is no %s", l.name, kind, file)
				}
			}
			for _, outside := range []string{"weirkeep/sdk", `"../`} {
				if strings.Contains(string(p.files[sources[l.name]]), outside) {
					t.Errorf("%s, %s: the source refers to %s", l.name, kind, outside)
				}
			}
		}
	}
}

// Where no tool chain is, each language says what to install.
func TestMissingToolsAreNamed(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for i := range pluginLanguages {
		l := &pluginLanguages[i]
		_, err := l.command(t.TempDir())
		f, ok := err.(*failure)
		if !ok || !strings.Contains(f.hint, "install") || !strings.Contains(f.Error(), l.name) {
			t.Errorf("%s: %v", l.name, err)
		}
	}
}

// The compiler that is found is the one that make is told of.
func TestCompilerIsFound(t *testing.T) {
	bin := t.TempDir()
	for _, tool := range []string{"make", "clang-16"} {
		if err := os.WriteFile(filepath.Join(bin, tool), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin)
	i := slices.IndexFunc(pluginLanguages, func(l pluginLanguage) bool { return l.name == "c" })
	args, err := pluginLanguages[i].command(t.TempDir())
	if want := []string{"make", "CC=clang-16"}; !slices.Equal(args, want) || err != nil {
		t.Errorf("%q, %v, want %q", args, err, want)
	}
}

// The guests of the scripts are copies of those that make sdk builds: they stay what
// their sources give.
func TestGuestsOfScriptsAreCopies(t *testing.T) {
	files, err := filepath.Glob("testdata/guests/*.wasm")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d guests, %v", len(files), err)
	}
	for _, file := range files {
		copied, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		same := false
		for _, folder := range []string{"sdk/c/examples", "testplugins/good", "testplugins/evil/call", "testplugins/evil/load"} {
			text, err := os.ReadFile(filepath.Join("../..", folder, filepath.Base(file)))
			same = same || err == nil && bytes.Equal(text, copied)
		}
		if !same {
			t.Errorf("%s is no copy: neither the C examples nor testplugins have it", file)
		}
	}
}
