package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"weirkeep/gateway"
	"weirkeep/gateway/config"
)

// verdict is what `check -o json` prints.
type verdict struct {
	Schema   int             `json:"schema"`
	File     string          `json:"file"`
	OK       bool            `json:"ok"`
	Errors   int             `json:"errors"`
	Warnings int             `json:"warnings"`
	Problems config.Problems `json:"problems"` // never null
}

func newCheck(a *app) *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:   "check",
		Short: "Say everything that is wrong with a configuration",
		Long: "Check compiles a configuration as serve and reload do, and throws the result away:\n" +
			"no running gateway notices. Ports, log files and sockets are tried by serve and reload,\n" +
			"not here: a gateway that runs has them.",
		Args:        noArgs,
		Annotations: map[string]string{outputs: "json yaml jsonl"},
		RunE: func(*cobra.Command, []string) error {
			return a.check(file)
		},
	}
	fileFlag(c.Flags(), &file)
	a.verboseFlag(c.Flags(), "say what was read: files, listeners, clusters, and mappings in their order")
	return c
}

func (a *app) check(named string) error {
	file, err := findFile(named)
	if err != nil {
		return err
	}
	source := fileSource(file)
	cfg, problems := source.read()
	if problems.Errors() == 0 {
		problems = append(problems, gateway.Check(cfg)...)
	}
	if a.verbose {
		a.sayRead(source.files(), cfg)
	}
	a.sayFound(problems)
	if problems.Errors() > 0 {
		a.sayVerdict(problems, "Nothing was changed.")
	}
	if err := a.printVerdict(file, cfg, problems); err != nil {
		return err
	}
	if problems.Errors() > 0 {
		return &failure{status: exitConfig}
	}
	return nil
}

// printVerdict prints the result; people learn of mistakes elsewhere.
func (a *app) printVerdict(file string, cfg *config.Config, ps config.Problems) error {
	switch {
	case a.output == "jsonl":
		return a.printEach(ps)
	case a.machine():
		return a.print(newVerdict(file, ps))
	case ps.Errors() > 0:
		return nil
	}
	return a.sayResult("%s: ok, %s", file, inventory(cfg))
}

func newVerdict(file string, ps config.Problems) verdict {
	return verdict{
		Schema:   1,
		File:     file,
		OK:       ps.Errors() == 0,
		Errors:   ps.Errors(),
		Warnings: ps.Warnings(),
		Problems: append(config.Problems{}, ps...),
	}
}

// printEach prints one problem a line.
func (a *app) printEach(ps config.Problems) error {
	for _, p := range ps {
		if err := a.print(p); err != nil {
			return err
		}
	}
	return nil
}

// inventory says what a configuration holds.
func inventory(cfg *config.Config) string {
	origins := 0
	for _, c := range cfg.Clusters {
		origins += len(c.Origins)
	}
	return fmt.Sprintf("%s, %s, %s, %s, %s",
		plural(len(cfg.Listeners), "listener"), plural(len(cfg.Sites), "site"), plural(len(cfg.Mappings), "mapping"),
		plural(len(cfg.Clusters), "cluster"), plural(origins, "origin"))
}
