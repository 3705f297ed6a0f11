package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

// version is this release's.
const version = "0.1.0"

// build is what `version -o json` prints.
type build struct {
	Schema  int    `json:"schema"`
	Version string `json:"version"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

func (b build) String() string {
	return fmt.Sprintf("weirkeep %s (%s %s/%s)", b.Version, b.Go, b.OS, b.Arch)
}

func thisBuild() build {
	return build{Schema: 1, Version: version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
}

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:         "version",
		Short:       "Print the version",
		Args:        noArgs,
		Annotations: map[string]string{outputs: "json yaml"},
		RunE: func(*cobra.Command, []string) error {
			if a.machine() {
				return a.print(thisBuild())
			}
			_, err := fmt.Fprintln(a.stdout, thisBuild())
			return err
		},
	}
}
