package gateway

import (
	"context"
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"testing"
)

// M-CLU-04: a server of a dynamic cluster that does not run is down, without any
// request finding out, and gets requests once its check has passed.
func TestDynamicServersThatDoNotRunYet(t *testing.T) {
	t.Parallel()
	socket, err := net.Listen("tcp", "127.0.0.1:0") // a port that is nobody else's
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(socket.Addr().String())
	hs := newHomes(t, "a")
	base := 0
	fmt.Sscan(port, &base)
	var runs atomic.Bool
	dial := func(address string) string {
		if address != socket.Addr().String() {
			return "" // nobody listens
		}
		if !runs.Load() {
			return ""
		}
		return hs[0].addr
	}
	text := discoveryText(t, fmt.Sprintf("health: { path: /up, interval: 100ms, timeout: 10s, up_after: 2 }, dynamic: { prefix: shop, size: 2, base_port: %d, hosts: [127.0.0.1] }", base-1), "")
	addr, g := start(t, text, Options{Dial: redial(dial)})
	for _, name := range []string{"shop1", "shop2"} {
		if o := statusOf(t, g, name); o.Health != "down" || o.Attempts != 0 {
			t.Errorf("%s: %+v", name, o)
		}
	}
	if a := visit(t, addr, "/", ""); a.status != 503 {
		t.Errorf("with no server answered %d", a.status)
	}
	runs.Store(true)
	until(t, "shop1 is up", func() bool { return statusOf(t, g, "shop1").Up })
	if got := answerers(t, addr, "/", 6); got != "aaaaaa" {
		t.Errorf("answered by %s", got)
	}
	if o := statusOf(t, g, "shop2"); o.Up || o.Attempts != 0 {
		t.Errorf("shop2: %+v", o)
	}
}

// redial is [Options.Dial] by way of a function that says where an address is; nowhere:
// empty.
func redial(to func(address string) string) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if address = to(address); address == "" {
			return nil, &net.OpError{Op: "dial", Net: network, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
		}
		return dialTCP(ctx, network, address)
	}
}
