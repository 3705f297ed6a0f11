package gateway

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"

	"weirkeep/gateway/config"
)

// load reads a configuration that must be good.
func load(tb testing.TB, text string) *config.Config {
	tb.Helper()
	file := filepath.Join(tb.TempDir(), "weirkeep.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
	cfg, problems := config.Load(file)
	if problems.Errors() > 0 {
		tb.Fatal(problems)
	}
	return cfg
}

// apply makes a configuration current, which must succeed.
func apply(tb testing.TB, g *Gateway, text string) {
	tb.Helper()
	if problems := g.Apply(load(tb, text)); problems.Errors() > 0 {
		tb.Fatal(problems)
	}
}

// start runs a gateway with the configuration, which has one listener, on a
// real port and returns its address.
func start(tb testing.TB, text string, o Options) (addr string, g *Gateway) {
	tb.Helper()
	g = New(o)
	tb.Cleanup(func() { g.Close() })
	apply(tb, g, text)
	for _, a := range g.Addresses() {
		addr = a.String()
	}
	return addr, g
}

// send writes raw to a fresh connection and returns every byte that comes back
// until the gateway closes it.
func send(tb testing.TB, addr, raw string) string {
	tb.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		tb.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, raw); err != nil {
		tb.Fatal(err)
	}
	got, err := io.ReadAll(c)
	if err != nil {
		tb.Fatalf("after %q: %v", got, err)
	}
	return string(got)
}
