package main

import "github.com/spf13/cobra"

// esiCommands are the commands below esi. To add one, write its file and add its line
// here.
var esiCommands = []func(*app) *cobra.Command{
	newESICheck,
}

func newESI(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "esi",
		Short: "Tools for those who write ESI templates",
		Long: "A template is a page with ESI markup, of which the gateway makes the page that a client gets: an\n" +
			"include stands for a fragment, which has an address, a lifetime and failures of its own.",
		Example: "  weirkeep esi check templates/*.html",
		Args:    onlyCommands,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	for _, build := range esiCommands {
		c.AddCommand(build(a))
	}
	return c
}
