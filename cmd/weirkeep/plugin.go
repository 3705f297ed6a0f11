package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

// pluginCommands are the commands below plugin. To add one, write its file and add
// its line here.
var pluginCommands = []func(*app) *cobra.Command{
	newPluginBench,
	newPluginBuild,
	newPluginInspect,
	newPluginLs,
	newPluginNew,
	newPluginTest,
}

func newPlugin(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "plugin",
		Short: "Tools for those who write plugins, and how the plugins of a gateway are",
		Long: "A plugin is a WebAssembly module that takes part in what the gateway decides: a router says where\n" +
			"a request goes, a matcher whether a rule matches, a filter what is changed, a collector how busy\n" +
			"an origin is.",
		Example: "  weirkeep plugin new router by-customer --lang c && cd by-customer\n" +
			"  weirkeep plugin build\n" +
			"  weirkeep plugin test",
		Args: onlyCommands,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	for _, build := range pluginCommands {
		c.AddCommand(build(a))
	}
	return c
}

// maxModule is how large a file is read as a module; what is loaded is bounded by the
// contract, and smaller.
const maxModule = 64 << 20

// readModule reads a module.
func readModule(file string) ([]byte, error) {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return nil, &failure{status: exitFailure, err: fmt.Errorf("cannot read the module: %w", err), hint: "weirkeep plugin build makes it"}
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", file)
	case info.Size() > maxModule:
		return nil, fmt.Errorf("%s has %s: a module has 16 MiB at most", file, sizeText(int(info.Size())))
	}
	return os.ReadFile(file)
}

// sizeText is a size as people read it.
func sizeText(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
