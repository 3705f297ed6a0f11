package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"weirkeep/gateway/config"
)

func newInit(a *app) *cobra.Command {
	var origin string
	c := &cobra.Command{
		Use:   "init [FILE]",
		Short: "Make a commented configuration to start from",
		Long:  "Init writes a commented configuration to a new file, or prints it when none is named.",
		Example: "  weirkeep init weirkeep.yaml --origin 127.0.0.1:9001\n" +
			"  weirkeep check",
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkHostPort(origin); origin != "" && err != nil {
				return &failure{status: exitUsage, err: fmt.Errorf("--origin: %w", err), hint: "for example --origin 127.0.0.1:9001"}
			}
			if len(args) == 1 {
				return a.initFile(args[0], config.Sample(origin))
			}
			_, err := a.stdout.Write(config.Sample(origin))
			return err
		},
	}
	c.Flags().StringVar(&origin, "origin", "", "`host:port` of the server that answers (default: three, as in the demo)")
	return c
}

// initFile writes a file that is not there yet.
func (a *app) initFile(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return &failure{status: exitFailure, err: fmt.Errorf("%s is there already, and stays as it is", path), hint: "name another file, or none: weirkeep init prints the configuration"}
	}
	if err != nil {
		return err
	}
	if _, err := f.Write(text); err != nil {
		return errors.Join(err, f.Close(), os.Remove(path)) // half of a file is none
	}
	if err := f.Close(); err != nil {
		return err
	}
	a.say("%s is written; next: %s check -c %s", path, a.self, path)
	return nil
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
