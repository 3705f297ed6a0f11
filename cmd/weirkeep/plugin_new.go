package main

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weirkeep/plugins"
	"weirkeep/sdk"
)

func newPluginNew(a *app) *cobra.Command {
	var lang string
	c := &cobra.Command{
		Use:   "new KIND NAME",
		Short: "Start a plugin: a folder with source, SDK and tests",
		Long: "New makes the folder NAME with a plugin that works: its source, to be changed, the SDK of the\n" +
			"language, tests, and the lines for the configuration in plugin.yaml.txt. It needs no network, nor\n" +
			"does building it, but that the compiler of AssemblyScript has to be there.\n\n" +
			"  router     says where a request goes; the one made here is the call router of the manual: calls\n" +
			"             of foo go by whether their argument sorts before n\n" +
			"  matcher    says whether a rule matches\n" +
			"  filter     changes requests and answers\n" +
			"  collector  says how much an origin can take\n\n" +
			"NAME may have folders before it.",
		Example:   "  weirkeep plugin new router by-customer --lang c",
		ValidArgs: kindNames(),
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usage(c, errors.New(c.CommandPath()+" needs a kind and a name"))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.pluginNew(args[0], args[1], lang) },
	}
	c.Flags().StringVar(&lang, "lang", "go", "`LANGUAGE` of the source: "+strings.Join(sdkLanguages(), ", "))
	if err := c.RegisterFlagCompletionFunc("lang", cobra.FixedCompletions(sdkLanguages(), cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // the flag is there
	}
	return c
}

// pluginName is what a plugin may be called: a file and a package are named by it.
var pluginName = regexp.MustCompile(`^[a-z][a-z0-9]*([-_][a-z0-9]+)*$`)

func (a *app) pluginNew(kind, folder, lang string) error {
	name := filepath.Base(folder)
	i := slices.IndexFunc(pluginLanguages, func(l pluginLanguage) bool { return l.name == lang })
	switch {
	case !slices.Contains(kindNames(), kind):
		return &failure{status: exitUsage, err: fmt.Errorf("there is no kind %q", kind), hint: didYouMean(kind, kindNames(), "kinds are "+strings.Join(kindNames(), ", "))}
	case i < 0:
		return &failure{status: exitUsage, err: fmt.Errorf("there is no SDK for %q", lang), hint: didYouMean(lang, sdkLanguages(), "--lang is one of "+strings.Join(sdkLanguages(), ", "))}
	case !pluginName.MatchString(name):
		return &failure{status: exitUsage, err: fmt.Errorf("%q is no name of a plugin", name), hint: "small letters, digits, - and _, as by-customer"}
	}
	l := &pluginLanguages[i]
	p := &newPluginFiles{name: name, kind: plugins.Kind(kind), language: l, files: make(map[string][]byte)}
	if err := errors.Join(l.files(p), p.addTests()); err != nil {
		return err
	}
	if err := p.write(folder); err != nil {
		return err
	}
	a.say("created %s: %s", folder, strings.Join(p.shown(), ", "))
	a.say("next: cd %s && %s plugin build", folder, a.self)
	return nil
}

// newPluginFiles are the files of a new plugin, by their paths in its folder.
type newPluginFiles struct {
	name     string
	kind     plugins.Kind
	language *pluginLanguage
	files    map[string][]byte
}

// templates are the files that are not of an SDK: tests and what builds.
//
//go:embed newplugin
var templates embed.FS

// fill is a template, with the name in it.
func (p *newPluginFiles) fill(template string) ([]byte, error) {
	text, err := templates.ReadFile("newplugin/" + template)
	return bytes.ReplaceAll(text, []byte("@NAME@"), []byte(p.name)), err
}

// add puts a template into the plugin.
func (p *newPluginFiles) add(file, template string) error {
	text, err := p.fill(template)
	p.files[file] = text
	return err
}

// addTests puts in the tests of what the example does, and the lines for the
// configuration.
func (p *newPluginFiles) addTests() error {
	tests, err := p.fill(string(p.kind) + ".yaml")
	if err != nil {
		return err
	}
	uses, err := p.fill("uses." + string(p.kind) + ".yaml")
	p.files[suiteFile] = tests
	p.files["plugin.yaml.txt"] = slices.Concat(configurationLines(p.name, tests), uses)
	return err
}

// configurationLines are what the configuration says of the plugin, from what its tests
// say.
func configurationLines(name string, tests []byte) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "plugins:\n  %s:\n", name)
	_, block, _ := bytes.Cut(tests, []byte("plugin:\n"))
	for line := range bytes.Lines(block) {
		switch word := bytes.TrimSpace(line); {
		case !bytes.HasPrefix(line, []byte("  ")):
			return b.Bytes()
		case bytes.HasPrefix(word, []byte("stateful:")):
		case bytes.HasPrefix(word, []byte("module:")):
			fmt.Fprintf(&b, "    module: %s/%s.wasm\n", name, name)
		default:
			b.WriteString("  " + string(line))
		}
	}
	return b.Bytes()
}

// copySDK copies the files of the SDK that are no tests: from a folder of it to one of
// the plugin.
func (p *newPluginFiles) copySDK(from, to, ending string) error {
	root := path.Join(p.language.folder, from)
	return fs.WalkDir(sdk.Files, root, func(file string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && path.Base(file) == "examples":
			return fs.SkipDir
		case e.IsDir() || path.Ext(file) != ending || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		text, err := sdk.Files.ReadFile(file)
		p.files[path.Join(to, strings.TrimPrefix(file, root+"/"))] = text
		return err
	})
}

// example is the SDK's example of the kind.
func (p *newPluginFiles) example(forms ...string) ([]byte, error) {
	for _, form := range forms {
		text, err := sdk.Files.ReadFile(path.Join(p.language.folder, "examples", strings.ReplaceAll(form, "KIND", string(p.kind))))
		if err == nil {
			return text, nil
		}
	}
	return nil, fmt.Errorf("the SDK for %s has no %s", p.language.name, p.kind)
}

// goFiles are those of a plugin in Go. Its tests run without an engine, which would
// have to be fetched.
func goFiles(p *newPluginFiles) error {
	text, err := p.example("KIND/main.go")
	tests, missing := p.example("KIND/KIND_test.go")
	p.files["main.go"], p.files["main_test.go"] = text, withoutEngine(tests)
	err = errors.Join(err, missing, p.copySDK(".", "gw1", ".go"), p.add("Makefile", "go.mk"))
	module := p.name + ".plugin" // with a dot, or it could be a package of Go's own
	for file, text := range p.files {
		p.files[file] = bytes.ReplaceAll(text, []byte(`"weirkeep/sdk/go`), []byte(`"`+module+`/gw1`))
	}
	p.files["go.mod"] = []byte("module " + module + "\n\ngo 1.24\n")
	return err
}

// withoutEngine is a file of Go without the lines that name the package gw1wasm.
func withoutEngine(text []byte) []byte {
	var kept []byte
	for line := range bytes.Lines(text) {
		if !bytes.Contains(line, []byte("gw1wasm")) {
			kept = append(kept, line...)
		}
	}
	return kept
}

func cFiles(p *newPluginFiles) error {
	text, err := p.example("KIND.c")
	p.files["main.c"] = bytes.ReplaceAll(text, []byte(`"../gw1.h"`), []byte(`"gw1.h"`))
	return errors.Join(err, p.copySDK(".", ".", ".h"), p.add("Makefile", "c.mk"))
}

func rustFiles(p *newPluginFiles) error {
	text, err := p.example("KIND.rs", "KIND/src/lib.rs")
	p.files["src/lib.rs"] = text
	crate, missing := sdk.Files.ReadFile("rust/Cargo.toml")
	p.files["gw1/Cargo.toml"] = crate
	return errors.Join(err, missing, p.copySDK("src", "gw1/src", ".rs"), p.add("Cargo.toml", "Cargo.toml"),
		p.add("Makefile", "rust.mk"))
}

func assemblyScriptFiles(p *newPluginFiles) error {
	text, err := p.example("KIND.ts")
	p.files["main.ts"] = bytes.ReplaceAll(text, []byte(`"../assembly`), []byte(`"./gw1`))
	return errors.Join(err, p.copySDK("assembly", "gw1", ".ts"), p.add("package.json", "package.json"), p.add("asconfig.json", "asconfig.json"))
}

// write writes the files into a folder that is not there yet.
func (p *newPluginFiles) write(folder string) error {
	if _, err := os.Lstat(folder); err == nil {
		return &failure{status: exitFailure, err: fmt.Errorf("%s is there already, and stays as it is", folder), hint: "choose another name"}
	}
	for file, text := range p.files {
		at := filepath.Join(folder, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		if err := newFile(at, text); err != nil {
			return err
		}
	}
	return nil
}

// shown are the files as people are told of them: of the SDK's folder its name.
func (p *newPluginFiles) shown() (names []string) {
	for file := range p.files {
		first, _, _ := strings.Cut(file, "/")
		if first != file {
			first += "/"
		}
		names = append(names, first)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
