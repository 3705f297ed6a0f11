package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"weirkeep/plugins"
)

var toolChains = flag.Bool("tool-chains", false, "build new plugins of every kind in every language, not one filter in Go alone; all tool chains have to be there")

// A new plugin of every kind builds, passes its tests, and can be looked at and
// measured, all without a network; in Go so do the tests of its functions. The other
// tools of its folder, as AssemblyScript's wasm-opt, stand in nobody's way.
func TestNewPluginsWork(t *testing.T) {
	compiler, err := filepath.Abs("../../sdk/assemblyscript/node_modules/.bin")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", compiler+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("npm_config_offline", "true")
	for _, lang := range sdkLanguages() {
		for _, kind := range plugins.Kinds {
			if !*toolChains && (lang != "go" || kind != plugins.Filter) {
				continue
			}
			t.Run(lang+"/"+string(kind), func(t *testing.T) { newPluginWorks(t, lang, string(kind)) })
		}
	}
}

func newPluginWorks(t *testing.T, lang, kind string) {
	folder := filepath.Join(t.TempDir(), "mine")
	tests, module := filepath.Join(folder, suiteFile), filepath.Join(folder, "mine.wasm")
	for _, tt := range []struct {
		args string
		says string
	}{
		{"new " + kind + " " + folder + " --lang " + lang, "plugin_test.yaml"},
		{"build " + folder, "   " + kind + "   "},
		{"inspect " + module, kind},
		{"test " + tests, " 0 failed"},
		{"bench --for 1ms " + tests, "NS/CALL"},
	} {
		var out bytes.Buffer
		status := run(append([]string{"plugin"}, strings.Fields(tt.args)...), strings.NewReader(""), &out, &out)
		if status != 0 || !strings.Contains(out.String(), tt.says) {
			t.Fatalf("plugin %s: status %d, and it says\n%s\nwithout %q", tt.args, status, &out, tt.says)
		}
	}
	if lang != "go" {
		return
	}
	for _, args := range [][]string{{"go", "vet", "./..."}, {"go", "test", "."}, {"gofmt", "-l", "."}} {
		c := exec.Command(args[0], args[1:]...)
		c.Dir = folder
		if out, err := c.CombinedOutput(); err != nil || args[0] == "gofmt" && len(out) > 0 {
			t.Errorf("%q: %v\n%s", args, err, out)
		}
	}
}
