package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

func newServe(a *app) *cobra.Command {
	var file string
	var demo bool
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run the gateway",
		Long: "Serve runs the gateway until SIGTERM or ^C, which let running exchanges end; a second\n" +
			"one ends them. SIGHUP, and a change of the configuration's files, make it read them again.\n" +
			"SIGUSR1 reopens the access log. SIGUSR2 starts the program anew, as it is on disk now, and\n" +
			"leaves its place to the new process once that is ready: no connection is refused, sessions\n" +
			"stay at their origins, and what is under way has drain.timeout to end.\n\n" +
			"A service manager is told how the gateway is (NOTIFY_SOCKET), and may open its sockets\n" +
			"(LISTEN_FDS): each is used for the listener whose address it is bound to.",
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			return a.serve(file, demo)
		},
	}
	fileFlag(c.Flags(), &file)
	a.verboseFlag(c.Flags(), "log more: the files of each configuration, and what clients of the admin API do wrong")
	c.Flags().BoolVar(&demo, "demo", false, "run a demonstration with origins of its own; no configuration is read")
	return c
}

// serve finds what to serve and runs until a signal ends it. Without a file,
// whoever sits at a terminal gets the demo; a service does not.
func (a *app) serve(named string, demo bool) error {
	signals := hearSignals() // before anything else: unheard, they would end the process
	defer signal.Stop(signals)
	switch {
	case demo && named != "":
		return &failure{status: exitUsage, err: errors.New("the demo reads no configuration"), hint: "give --demo or -c, not both"}
	case demo:
		return a.serveDemo(signals)
	}
	file, err := findFile(named)
	if err == errNoFile && terminal(a.stdin) && terminal(a.stderr) {
		a.say("no configuration found, so this is the demo\n")
		return a.serveDemo(signals)
	}
	if err != nil {
		return err
	}
	log, flush := a.logger()
	defer flush()
	return a.runUntilSignal(newKeeper(a, log, fileSource(file)), herald{app: a, log: log, people: terminal(a.stderr), title: file}, signals)
}

// hearSignals begins to listen for the signals that a running gateway obeys.
func hearSignals() chan os.Signal {
	signal.Ignore(syscall.SIGPIPE) // who reads our log may leave; that ends nothing
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2)
	return signals
}

// runUntilSignal starts the gateway, keeps it up to date, and ends it.
func (a *app) runUntilSignal(k *keeper, h herald, signals chan os.Signal) error {
	defer k.close()
	if err := k.start(); err != nil {
		return err
	}
	h.serving(listenerURLs(k.first, k.gateway.Addresses()), k.adminURL(k.first), k.tokenPlace(k.first))
	if err := k.announce(); err != nil {
		return err
	}
	if k.keep(signals) {
		return drain(k, h, signals, k.gateway.HandOver)
	}
	k.notify.stopping()
	return drain(k, h, signals, k.gateway.Drain)
}

// drain lets running exchanges end. A second signal ends them: what is left is
// cut when the keeper is closed.
func drain(k *keeper, h herald, signals <-chan os.Signal, end func(context.Context) error) error {
	began, done := time.Now(), make(chan error, 1)
	go func() { done <- end(context.Background()) }()
	h.draining(k.gateway.Status().Connections)
	for {
		select {
		case err := <-done:
			h.drained(time.Since(began), err)
			return nil
		case s := <-signals:
			if s == syscall.SIGINT || s == syscall.SIGTERM {
				h.interrupted(k.gateway.Status().Connections)
				return &failure{status: exitInterrupted}
			}
		}
	}
}
