package main

import (
	"bytes"
	"cmp"
	_ "embed" // for demo.yaml
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

// demoText is demo.yaml, to be filled in with a demoPlan.
//
//go:embed demo.yaml
var demoText string

// demoPlan is what differs from one demo to the next.
type demoPlan struct {
	Gateway, Admin string // host:port to listen on
	State          string // directory of the admin token
	Origins        []demoOrigin
}

// serveDemo runs the gateway in front of origins of its own.
func (a *app) serveDemo(signals chan os.Signal) error {
	plan, err := a.planDemo()
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := template.Must(template.New("demo").Parse(demoText)).Execute(&text, plan); err != nil {
		return err
	}
	log, flush := a.logger()
	defer flush()
	return a.runUntilSignal(newKeeper(a, log, textSource("demo.yaml", text.Bytes())), herald{
		app: a, log: log, people: true,
		title:  "demo: no configuration is read",
		advice: demoAdvice(plan, a.self),
	}, signals)
}

func (a *app) planDemo() (demoPlan, error) {
	plan := demoPlan{Gateway: cmp.Or(os.Getenv("WEIRKEEP_DEMO_ADDRESS"), "127.0.0.1:8080"), State: userState()}
	var err error
	if plan.Admin, err = a.demoAdmin(); err != nil {
		return plan, err
	}
	for _, address := range []string{plan.Gateway, plan.Admin} {
		if err := a.free(address); err != nil {
			return plan, err
		}
	}
	plan.Origins, err = startDemoOrigins()
	return plan, err
}

// demoAdmin is where the demo's admin API listens: where other commands look
// for it in the same shell.
func (a *app) demoAdmin() (string, error) {
	url := withScheme(cmp.Or(a.admin, os.Getenv("WEIRKEEP_ADMIN"), "127.0.0.1:9900"))
	address, plain := strings.CutPrefix(url, "http://")
	if !plain {
		return "", &failure{status: exitUsage, err: fmt.Errorf("the demo's admin API cannot listen at %s", url), hint: "for example --admin http://127.0.0.1:9901"}
	}
	return strings.TrimSuffix(address, "/"), nil
}

// free finds out whether the demo can listen at an address, for better advice
// than a configuration that the operator never saw could give.
func (a *app) free(address string) error {
	l, err := net.Listen("tcp", address)
	if err == nil {
		return l.Close()
	}
	return &failure{
		status: exitFailure,
		err:    fmt.Errorf("the demo cannot listen: %w", err),
		hint:   "end what listens there, or choose: WEIRKEEP_DEMO_ADDRESS=127.0.0.1:8081 " + a.self + " serve --demo --admin http://127.0.0.1:9901",
	}
}

// userState is where a user's programs keep state; the demo does not use the
// directory of a gateway that root may have.
func userState() string {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "weirkeep")
	}
	if home, err := os.UserHomeDir(); err == nil {
		return filepath.Join(home, ".local/state/weirkeep")
	}
	return filepath.Join(os.TempDir(), "weirkeep")
}

// demoAdvice is what to try, with the program as it was called.
func demoAdvice(p demoPlan, self string) []string {
	return []string{
		"  origins    fast, slow (300 ms), flaky (1 of 20 answers is 503): cluster demo, round-robin",
		"  cache      on: what is below /img/ is stored for a minute",
		"Try in a second terminal:",
		fmt.Sprintf("  %-44s X-Origin names the origin that answered", "curl -i http://"+dialable(p.Gateway)+"/shop/1"),
		fmt.Sprintf("  %-44s twice: Cache-Status says stored, then hit, and Age", "curl -i http://"+dialable(p.Gateway)+"/img/1"),
		fmt.Sprintf("  %-44s a page that the gateway makes of a template and two fragments (ESI)", "curl -i http://"+dialable(p.Gateway)+"/page"),
		fmt.Sprintf("  %-44s what is stored; cache purge tag:pictures takes it away", self+" cache ls"),
		fmt.Sprintf("  %-44s what the gateway has counted", "curl http://"+dialable(p.Admin)+"/metrics"),
		fmt.Sprintf("  %-44s a commented file to start from", self+" init weirkeep.yaml"),
		"Requests one after the other go round the origins in turn. ^C ends the demo.",
	}
}
