package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weirkeep/abi"
	"weirkeep/plugins"
)

func newPluginBuild(a *app) *cobra.Command {
	var engine string
	c := &cobra.Command{
		Use:   "build [FOLDER]",
		Short: "Build a plugin with the tool chain of its language, and check it",
		Long: "Build calls make, or npm run build, in a folder as weirkeep plugin new makes it, and then loads the\n" +
			"module as the gateway does, on every engine built in: all that is wrong with it is said. What the\n" +
			"configuration will say of the plugin is read from plugin_test.yaml.",
		Example:     "  weirkeep plugin build\n  weirkeep plugin build by-customer",
		Args:        cobra.MaximumNArgs(1),
		Annotations: map[string]string{outputs: "json yaml"},
		RunE: func(c *cobra.Command, args []string) error {
			folder := "."
			if len(args) == 1 {
				folder = args[0]
			}
			return a.pluginBuild(c.Context(), folder, engine)
		},
	}
	engineFlag(c, &engine)
	a.verboseFlag(c.Flags(), "what the tool chain says when all is well")
	return c
}

func (a *app) pluginBuild(ctx context.Context, folder, engine string) error {
	engines, err := enginesNamed(engine)
	if err != nil {
		return err
	}
	l, err := languageIn(folder)
	if err != nil {
		return err
	}
	suite, err := a.suiteIn(folder)
	if err != nil {
		return err
	}
	if err := a.runToolChain(ctx, l, folder); err != nil {
		return err
	}
	return a.sayBuilt(ctx, suite, engines)
}

// suiteIn are the tests of a folder, which say how the plugin is configured.
func (a *app) suiteIn(folder string) (*pluginSuite, error) {
	suites, err := a.readSuites([]string{filepath.Join(folder, suiteFile)})
	if err != nil {
		return nil, err
	}
	return suites[0], nil
}

// runToolChain builds what is in a folder.
func (a *app) runToolChain(ctx context.Context, l *pluginLanguage, folder string) error {
	args, err := l.command(folder)
	if err != nil {
		return err
	}
	if terminal(a.stderr) && !a.quiet {
		fmt.Fprintf(a.stderr, "%s…\n", strings.Join(args, " "))
	}
	var said bytes.Buffer
	c := exec.CommandContext(ctx, args[0], args[1:]...)
	c.Dir = folder
	c.Stdout, c.Stderr = &said, &said
	if a.verbose {
		c.Stdout, c.Stderr = a.stderr, a.stderr
	}
	switch err := c.Run(); {
	case ctx.Err() != nil:
		return &failure{status: exitInterrupted}
	case err != nil:
		_, _ = io.Copy(a.stderr, &said) // the tool's own words come first
		return &failure{status: exitFailure, err: fmt.Errorf("%s: %w", strings.Join(args, " "), err), hint: l.hint}
	}
	return nil
}

// sayBuilt checks the module, and says what it is.
func (a *app) sayBuilt(ctx context.Context, s *pluginSuite, engines []guestEngine) error {
	wasm, err := readModule(s.module)
	if err != nil {
		return err
	}
	r := inspectModule(s.module, wasm)
	r.Problems = []pluginProblem{} // those of the plugin, as it is configured, come in their place
	err = a.loadOn(ctx, s, engines)
	problems, wrong := errors.AsType[plugins.Problems](err)
	if err != nil && !wrong {
		return err
	}
	r.Problems = append(r.Problems, problemsOf(problems)...)
	if a.machine() {
		err = a.print(r)
	} else {
		err = a.sayModule(r, s)
	}
	if err == nil && wrong {
		return &failure{status: exitFailure, err: fmt.Errorf("%s is built, and cannot be loaded", s.module), hint: "what it is loaded with stands in " + s.file}
	}
	return err
}

// loadOn loads the plugin as a gateway does, on each engine.
func (a *app) loadOn(ctx context.Context, s *pluginSuite, engines []guestEngine) error {
	rigs, err := a.rigs(s, engines)
	if err != nil {
		return err
	}
	defer closeRigs(rigs)
	for _, g := range rigs {
		p, err := g.fresh(ctx, &pluginTest{config: s.config})
		if err != nil {
			return err
		}
		p.Close()
	}
	return nil
}

func (a *app) sayModule(r *moduleReport, s *pluginSuite) error {
	for _, p := range r.Problems {
		fmt.Fprintf(a.stderr, "%s: %s\n", a.paint(a.stderr).red("error"), printable(p.What))
		if p.Cure != "" {
			fmt.Fprintf(a.stderr, "%s: %s\n", a.paint(a.stderr).cyan("hint"), printable(p.Cure))
		}
	}
	if len(r.Problems) > 0 {
		return nil
	}
	var exports []string
	for _, name := range r.Exports {
		if strings.HasPrefix(name, "gw_") && !slices.Contains([]string{"gw_abi_1", "gw_buffer"}, name) {
			exports = append(exports, name)
		}
	}
	return a.sayResult("%s  %s (%s metered)   %s   %s   exports %s   %s", r.File, sizeText(r.Bytes), sizeText(r.MeteredBytes), r.ABI, s.config.Kind, strings.Join(exports, " "), r.hostCalls())
}

// hostCalls are the host functions that the module imports; of WASI, which languages
// import and not people, how many there are.
func (r *moduleReport) hostCalls() string {
	var names []string
	wasi := 0
	for _, i := range r.Imports {
		if i.Module == abi.Module {
			names = append(names, i.Name)
		} else {
			wasi++
		}
	}
	if wasi > 0 {
		names = append(names, fmt.Sprintf("%d of WASI", wasi))
	}
	if len(names) == 0 {
		return "no host calls"
	}
	return "host calls " + strings.Join(names, " ")
}

// pluginLanguage is a language that plugins can be written in.
type pluginLanguage struct {
	name    string // of --lang
	folder  string // of the SDK
	markers []string
	tools   []buildTool
	build   []string // the command
	hint    string   // where it fails
	files   func(p *newPluginFiles) error
}

// buildTool is a program that is needed.
type buildTool struct {
	names    []string               // any of them
	fits     func(name string) bool // nil: it does if it is there
	what     string                 // what it is; empty: its first name says it
	variable string                 // of make, that says which it is; empty: none
	optional bool
	install  string
}

// pluginLanguages is every language there is. To add one, add a row and its files.
var pluginLanguages = []pluginLanguage{
	{
		name: "go", folder: "go", markers: []string{"go.mod"}, build: []string{"make"}, files: goFiles,
		tools: []buildTool{{names: []string{"go"}, install: "install Go 1.24 or later: https://go.dev/dl, or apt install golang"}, makeTool},
		hint:  "the Makefile has the command; weirkeep plugin build -v shows what it does",
	},
	{
		name: "rust", folder: "rust", markers: []string{"Cargo.toml"}, build: []string{"make"}, files: rustFiles,
		tools: []buildTool{
			{names: []string{"rustc", "/usr/bin/rustc"}, install: "install Rust: https://rustup.rs, or apt install rustc libstd-rust-dev-wasm32 lld"},
			{names: []string{"rustc", "/usr/bin/rustc"}, fits: buildsForWasm, variable: "RUSTC", what: "rustc that builds for wasm32-unknown-unknown",
				install: "install its library: rustup target add wasm32-unknown-unknown, or apt install libstd-rust-dev-wasm32"},
			{names: linkerNames, variable: "LINKER", optional: true}, // rustup brings its own
			makeTool,
		},
		hint: "if it cannot find a linker: apt install lld",
	},
	{
		name: "as", folder: "assemblyscript", markers: []string{"package.json"}, build: []string{"npm", "run", "build"}, files: assemblyScriptFiles,
		tools: []buildTool{
			{names: []string{"npm"}, install: "install Node.js, which has npm: https://nodejs.org, or apt install nodejs npm"},
			{names: []string{"node_modules/.bin/asc", "asc"}, install: "npm install, once in the folder and with a network, gets the compiler of AssemblyScript"},
		},
		hint: "package.json has the command; weirkeep plugin build -v shows what it does",
	},
	{
		name: "c", folder: "c", markers: []string{"Makefile"}, build: []string{"make"}, files: cFiles,
		tools: []buildTool{{names: clangNames, variable: "CC", install: "install clang and lld: apt install clang lld, dnf install clang lld, or brew install llvm lld"}, makeTool},
		hint:  "if it cannot find wasm-ld: install lld of the same version",
	},
}

var makeTool = buildTool{names: []string{"make"}, install: "install make: apt install make, or dnf install make"}

// clangNames are what clang may be called, the newest first after the one that is
// meant by default.
var clangNames = []string{"clang", "clang-22", "clang-21", "clang-20", "clang-19", "clang-18", "clang-17", "clang-16", "clang-15", "clang-14"}

// linkerNames are what the linker may be called.
var linkerNames = []string{"wasm-ld", "wasm-ld-22", "wasm-ld-21", "wasm-ld-20", "wasm-ld-19", "wasm-ld-18", "wasm-ld-17", "wasm-ld-16", "wasm-ld-15", "wasm-ld-14"}

func sdkLanguages() (names []string) {
	for _, l := range pluginLanguages {
		names = append(names, l.name)
	}
	return names
}

// languageIn is the language of what is in a folder.
func languageIn(folder string) (*pluginLanguage, error) {
	var markers []string
	for i := range pluginLanguages {
		l := &pluginLanguages[i]
		for _, m := range l.markers {
			if _, err := os.Stat(filepath.Join(folder, m)); err == nil {
				return l, nil
			}
			markers = append(markers, m)
		}
	}
	return nil, &failure{status: exitUsage, err: fmt.Errorf("%s holds no plugin to build: there is neither of %s", folder, strings.Join(markers, ", ")),
		hint: "weirkeep plugin new makes such a folder; name it, or go there"}
}

// command is what builds, if all tools are there.
func (l *pluginLanguage) command(folder string) ([]string, error) {
	args := l.build
	for _, t := range l.tools {
		found := t.find(folder)
		if found == "" && !t.optional {
			what := cmp.Or(t.what, filepath.Base(t.names[0]))
			return nil, &failure{status: exitFailure, err: fmt.Errorf("there is no %s; plugins in this language (%s) are built with it", what, l.name), hint: t.install}
		}
		if t.variable != "" && found != "" {
			args = append(slices.Clone(args), t.variable+"="+found)
		}
	}
	return args, nil
}

// find is the name of the program, in the folder or where programs are; empty: there is
// none.
func (t *buildTool) find(folder string) string {
	for _, name := range t.names {
		at := name
		if strings.Contains(name, "/") && !filepath.IsAbs(name) {
			at = filepath.Join(folder, name)
		}
		if _, err := exec.LookPath(at); err == nil && (t.fits == nil || t.fits(at)) {
			return name
		}
	}
	return ""
}

// buildsForWasm reports whether a compiler of Rust has the library for our target.
func buildsForWasm(rustc string) bool {
	folder, err := exec.Command(rustc, "--print", "target-libdir", "--target", "wasm32-unknown-unknown").Output()
	if err != nil {
		return false
	}
	core, err := filepath.Glob(filepath.Join(string(bytes.TrimSpace(folder)), "libcore-*"))
	return err == nil && len(core) > 0
}
