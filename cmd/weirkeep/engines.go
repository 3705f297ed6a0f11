package main

import (
	"fmt"
	"strings"

	"weirkeep/plugins/engine"
	"weirkeep/plugins/engine/wazero"
)

// guestEngine is an engine for plugins that is built in.
type guestEngine struct {
	name string
	make func(folder string) (engine.Engine, error) // that keeps native code; empty: nowhere
}

// serveEngines are what a gateway runs plugins on.
func serveEngines(folder string) (all []engine.Engine, err error) {
	for _, e := range guestEngines() {
		made, err := e.make(folder)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.name, err)
		}
		all = append(all, made)
	}
	return all, nil
}

// guestEngines are those that are built in; plugins that do not name one get the
// first. What a build tag adds stands in a file of that tag.
func guestEngines() []guestEngine {
	return append([]guestEngine{
		{"wazero", func(folder string) (engine.Engine, error) { return wazero.New(wazero.Options{CacheDir: folder}) }},
	}, taggedEngines...)
}

// enginesNamed are the engines of --engine: one, or all.
func enginesNamed(name string) ([]guestEngine, error) {
	var names []string
	for _, e := range guestEngines() {
		if e.name == name {
			return []guestEngine{e}, nil
		}
		names = append(names, e.name)
	}
	if name == "all" || name == "" {
		return guestEngines(), nil
	}
	return nil, &failure{status: exitUsage, err: fmt.Errorf("this build has no engine %q", name),
		hint: didYouMean(name, names, "it has "+strings.Join(names, ", ")+", and all stands for every one")}
}
