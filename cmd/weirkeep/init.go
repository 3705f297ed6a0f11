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
	var from conversion
	c := &cobra.Command{
		Use:   "init [FILE]",
		Short: "Make a commented configuration to start from, or convert one",
		Long: "Init writes a commented configuration to a new file, or prints it when none is named.\n\n" +
			"With --from websphere it reads FILE, which holds routing rules as rules.xml, as a script\n" +
			"of wsadmin commands or in the server.xml of Liberty, and prints them in our form. What\n" +
			"cannot be converted stands there as a comment, and is reported.",
		Example: "  weirkeep init weirkeep.yaml --origin 127.0.0.1:9001\n" +
			"  weirkeep check\n" +
			"  weirkeep init --from websphere rules.xml --tests rules_test.yaml > rules.yaml",
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := from.check(c, args); err != nil {
				return err
			}
			if from.format != "" {
				return a.convert(args[0], from)
			}
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
	from.flags(c)
	return c
}

// initFile writes a file that is not there yet.
func (a *app) initFile(path string, text []byte) error {
	if err := newFile(path, text); err != nil {
		return err
	}
	a.say("%s is written; next: %s check -c %s", path, a.self, path)
	return nil
}

// newFile writes a file that is not there yet, whole or not at all.
func newFile(path string, text []byte) error {
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
	return f.Close()
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
