package main

import (
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"
)

// shells is every shell that commands can be completed in.
var shells = map[string]func(root *cobra.Command, w io.Writer) error{
	"bash":       func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) },
	"fish":       func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) },
	"powershell": func(root *cobra.Command, w io.Writer) error { return root.GenPowerShellCompletionWithDesc(w) },
	"zsh":        func(root *cobra.Command, w io.Writer) error { return root.GenZshCompletion(w) },
}

func newCompletion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|fish|powershell|zsh",
		Short: "Print the script that completes commands in a shell",
		Example: "  source <(weirkeep completion bash)\n" +
			"  weirkeep completion zsh > \"${fpath[1]}/_weirkeep\"\n" +
			"  weirkeep completion fish > ~/.config/fish/completions/weirkeep.fish",
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: slices.Sorted(maps.Keys(shells)),
		RunE: func(c *cobra.Command, args []string) error {
			return shells[args[0]](c.Root(), a.stdout)
		},
	}
}
