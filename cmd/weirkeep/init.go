package main

import (
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"weirkeep/gateway/config"
)

func newInit(a *app) *cobra.Command {
	var origin string
	c := &cobra.Command{
		Use:     "init",
		Short:   "Print a commented configuration to start from",
		Example: "  weirkeep init --origin 127.0.0.1:9001 > weirkeep.yaml\n  weirkeep check",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := checkHostPort(origin); origin != "" && err != nil {
				return &failure{status: exitUsage, err: fmt.Errorf("--origin: %w", err), hint: "for example --origin 127.0.0.1:9001"}
			}
			_, err := a.stdout.Write(config.Sample(origin))
			return err
		},
	}
	c.Flags().StringVar(&origin, "origin", "", "`host:port` of the server that answers (default: three, as in the demo)")
	return c
}

// checkHostPort refuses what is not the address of one server.
func checkHostPort(s string) error {
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		return err
	}
	if host == "" || strings.ContainsAny(host, " \t\r\n\"'\\/?#@{}[],&*!|>%`$") {
		return fmt.Errorf("%q is no host", host)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return fmt.Errorf("%q is no port, must be 1..65535", port)
	}
	return nil
}
