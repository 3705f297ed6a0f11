package conformance

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"weirkeep/gateway"
	"weirkeep/gateway/config"
)

// A world is a gateway in front of one origin, with a clock that only rows move. Rows
// are run in it one after the other, each with a path and an hour of its own.
type world struct {
	addr    string // where it speaks plainly
	secure  string // where it speaks TLS
	gateway *gateway.Gateway
	origin  *origin
	refuses atomic.Bool  // the origin's address does not accept
	clock   atomic.Int64 // in nanoseconds since 1970
	rows    int

	// patience is how long a client waits for its answer, and a row for a request that
	// must reach the origin.
	patience time.Duration
}

// epoch is when the first row begins, but for an hour.
var epoch = time.Date(2026, time.July, 1, 12, 0, 0, 0, time.UTC)

// newWorld starts one; cache is what the configuration says of its cache, cluster what
// else it says of its cluster.
func newWorld(t *testing.T, cache string, cluster ...string) *world {
	t.Helper()
	w := &world{origin: startOrigin(t), patience: 30 * time.Second}
	w.clock.Store(epoch.UnixNano())
	cert, key := certificate(t)
	cfg, problems := config.Parse("conformance.yaml", []byte(fmt.Sprintf(configuration, cert, key, w.origin.addr, strings.Join(cluster, ""), cache)))
	if problems.Errors() > 0 {
		t.Fatal(problems)
	}
	g := gateway.New(gateway.Options{Now: w.now, Dial: w.dial})
	w.gateway = g
	t.Cleanup(func() { g.Close() })
	if problems := g.Apply(cfg); problems.Errors() > 0 {
		t.Fatal(problems)
	}
	addresses := g.Addresses()
	w.addr, w.secure = addresses["plain"].String(), addresses["secure"].String()
	return w
}

// An origin is asked once, whatever happens, and is never given up.
const configuration = `
node: { name: gw }
listeners:
  - { name: plain, address: "127.0.0.1:0" }
  - { name: secure, address: "127.0.0.2:0", tls: { certificates: [{ cert: %q, key: %q }] } }
access_log: { format: off }
clusters:
  app:
    origins: [{ address: %q }]
    keep_alive: 0s
    retry: { retries: 0 }
    failover: { threshold: 1000, connect_failures: same }
    %s
sites:
  shop: { hosts: [shop.example, www.shop.example] }
  other: { hosts: [other.example] }
mappings:
  - { site: shop, cluster: app }
  - { site: other, cluster: app }
cache: { %s }
`

func (w *world) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if w.refuses.Load() {
		return nil, &net.OpError{Op: "dial", Net: network, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	}
	return new(net.Dialer).DialContext(ctx, network, address)
}

func (w *world) now() time.Time { return time.Unix(0, w.clock.Load()) }

// tick moves the clock on, and returns what it shows then.
func (w *world) tick(d time.Duration) time.Time { return time.Unix(0, w.clock.Add(int64(d))) }

// at sets the clock, which never goes back.
func (w *world) at(t time.Time) { w.clock.Store(max(w.clock.Load(), t.UnixNano())) }

// nextHour is when a row begins.
func (w *world) nextHour() time.Time {
	w.at(w.now().Truncate(time.Hour).Add(time.Hour))
	return w.now()
}

// nextPath is a row's own.
func (w *world) nextPath() string {
	w.rows++
	return fmt.Sprint("/r", w.rows)
}

// caching is what a configuration says of a cache of a profile; more is what else.
func caching(profile, more string) string {
	return strings.TrimSuffix(fmt.Sprintf("enabled: true, profile: %s, %s", profile, more), ", ")
}
