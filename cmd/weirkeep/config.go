package main

import (
	"github.com/spf13/cobra"

	"weirkeep/gateway/config"
)

func newConfig(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: "What a configuration can hold",
		Args:  onlyCommands,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newConfigSchema(a))
	return c
}

func newConfigSchema(a *app) *cobra.Command {
	return &cobra.Command{
		Use:         "schema",
		Short:       "Print the JSON Schema of a configuration, for editors",
		Args:        noArgs,
		Annotations: map[string]string{outputs: "json"},
		RunE: func(*cobra.Command, []string) error {
			_, err := a.stdout.Write(config.Schema())
			return err
		},
	}
}
