package promises

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weirkeep/gateway"
)

// reload makes text current in the child and returns what it says: a revision,
// and whether it was applied or why it was refused.
func (c *child) reload(text string) (revision int, said string) {
	c.t.Helper()
	file := filepath.Join(c.t.TempDir(), "next.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
	line := c.tell("apply " + file)
	if _, err := fmt.Sscan(line, &revision); err != nil {
		c.t.Fatalf("apply: %q: %v", line, err)
	}
	_, said, _ = strings.Cut(line, " ")
	return revision, said
}

// mustReload is reload of what must be applied.
func (c *child) mustReload(text string) (revision int) {
	c.t.Helper()
	revision, said := c.reload(text)
	if said != "applied" {
		c.t.Fatalf("a good configuration was not applied: %s\n%s", said, text)
	}
	return revision
}

const everything = "listeners: [{ address: \"127.0.0.1:0\" }]\naccess_log: { format: off }\nsites: { all: { hosts: [\"**\"] } }\n"

// stormy is one of many configurations: which origins there are, what they can
// take, how they are balanced, waited for and looked after all differ. There is
// room for 20 clients, served or waiting, in each. The cluster of the tunnels is
// in most of them.
func stormy(r *rand.Rand, origins []string, tunnels string) string {
	var b strings.Builder
	b.WriteString(everything + "clusters:\n  app:\n    origins:")
	for n, i := range r.Perm(len(origins))[:2+r.IntN(len(origins)-1)] {
		state := "serving"
		if n > 0 && r.IntN(3) == 0 {
			state = "draining"
		}
		fmt.Fprintf(&b, "\n      - { name: %c, address: %q, capacity: %d, state: %s }", 'a'+i, origins[i], 2+r.IntN(20), state)
	}
	fmt.Fprintf(&b, "\n    balancer: %s\n    queue: { size: %d }\n", [...]string{"capacity", "random", "round-robin"}[r.IntN(3)], 20+r.IntN(100))
	b.WriteString([...]string{"", pinged, checked, "    keep_alive: 1s\n", "    session: JSESSIONID\n"}[r.IntN(5)])
	if r.IntN(4) == 0 {
		return b.String() + "mappings: [{ site: all, cluster: app }]\n"
	}
	fmt.Fprintf(&b, "  ws: { origins: [{ name: ws, address: %q, capacity: %d }] }\n", tunnels, 600+r.IntN(100))
	return b.String() + "mappings: [{ site: all, prefix: /ws, cluster: ws }, { site: all, cluster: app }]\n"
}

// spoilt are configurations that must be refused, each for another reason.
func spoilt(good string) []string {
	return []string{
		good + "clusters: {}\n",
		strings.Replace(good, "cluster: app", "cluster: apq", 1),
		strings.Replace(good, "capacity: ", "capacity: -", 1),
		strings.Replace(good, "127.0.0.1:0", "192.0.2.1:80", 1), // valid, but there is no such address here
		good[:len(good)*2/3] + "\n  {",
	}
}

// G14, RD-03: a hundred reloads under load fail no request and cut no tunnel,
// those that are refused change nothing, and when it is over the process has as
// many goroutines and descriptors as before, and as much memory and a tenth.
func TestReloadStorm(t *testing.T) {
	t.Parallel()
	report := func(err error) { t.Error(err) }
	var origins []string
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		origins = append(origins, startOrigin(t, newWorker(name, 5*time.Millisecond, report).serve).addr)
	}
	echo := startOrigin(t, switchAndEcho)
	r := rand.New(rand.NewPCG(1, 19))
	first := spread(origins, 20, "", "")
	c := startChild(t, first)
	rest := func() (rss int64) {
		c.mustReload(first)
		c.await("rest", func(n counts) bool { return n.connections == 0 && n.exchanges == 0 })
		time.Sleep(either(500*time.Millisecond, 5*time.Second)) // idle connections to origins end after 4 s
		c.tell("gc")
		return c.rss()
	}

	storm(t, c, r, origins, echo.addr, 10, 0) // what is made once is there
	before, files := rest(), c.files()
	goroutines, _ := c.ours()
	storm(t, c, r, origins, echo.addr, 100, either(20*time.Millisecond, 600*time.Millisecond))
	after := rest()
	t.Logf("RSS %.1f MiB, after %.1f; %d goroutines before", float64(before)/mib, float64(after)/mib, goroutines)
	if after > before+before/10+either[int64](4, 0)*mib && !raced {
		t.Errorf("memory has grown from %d bytes to %d", before, after)
	}
	c.expectAtRest(goroutines, files)
}

// storm reloads n times while clients and tunnels are at work, and expects that
// none of them sees anything of it.
func storm(t *testing.T, c *child, r *rand.Rand, origins []string, tunnels string, n int, pace time.Duration) {
	t.Helper()
	c.mustReload(everything + fmt.Sprintf("clusters: { ws: { origins: [{ name: ws, address: %q, capacity: 600 }] } }\nmappings: [{ site: all, cluster: ws }]\n", tunnels))
	var open []*tunnelled
	for range either(30, 500) {
		open = append(open, openTunnel(t, c.addr, "/ws"))
	}
	good := spread(origins, 20, "", "")
	revision := c.mustReload(good)
	w := startCrew(t, 16, to(c.addr), getsAndPosts)
	for i := range n {
		w.await(t, 5, pace)
		good = stormy(r, origins, tunnels)
		if got := c.mustReload(good); got != revision+1 {
			t.Errorf("revision %d after %d", got, revision)
		}
		revision++
		if i%10 != 0 {
			continue
		}
		for _, bad := range spoilt(good) {
			if got, said := c.reload(bad); got != revision || !strings.HasPrefix(said, "refused: ") {
				t.Errorf("revision %d, %s, after %d and a bad configuration:\n%s", got, said, revision, bad)
			}
		}
		for _, tunnel := range open {
			tunnel.expectEcho(t)
		}
	}
	all := w.end()
	for _, tunnel := range open {
		tunnel.expectEcho(t)
		tunnel.c.Close()
	}
	w.expectNothingWrong(t)
	failed := selected(all, isNotRight)
	show(t, failed)
	t.Logf("%d reloads, %d errands, %d failed, %d tunnels", n, len(all), len(failed), len(open))
}

// switchAndEcho switches protocols and gives back what it gets.
func switchAndEcho(c *net.TCPConn) {
	if _, err := http.ReadRequest(bufio.NewReaderSize(c, 4*kib)); err != nil {
		return
	}
	io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
	io.Copy(c, c)
}

// A tunnelled connection goes through the gateway to an origin that echoes.
type tunnelled struct {
	c    *net.TCPConn
	in   *bufio.Reader
	sent uint64
}

func newTunnelled(c *net.TCPConn) *tunnelled {
	return &tunnelled{c: c, in: bufio.NewReaderSize(c, kib)}
}

func openTunnel(t *testing.T, addr, path string) *tunnelled {
	t.Helper()
	c := dial(t, addr)
	c.SetDeadline(time.Now().Add(time.Hour))
	u := newTunnelled(c)
	if err := u.open(path); err != nil {
		t.Fatal(err)
	}
	return u
}

func (u *tunnelled) open(path string) error {
	io.WriteString(u.c, "GET "+path+" HTTP/1.1\r\nHost: a.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
	r, err := http.ReadResponse(u.in, nil)
	if err == nil && r.StatusCode != 101 {
		err = fmt.Errorf("asked for a tunnel: %s", r.Status)
	}
	return err
}

// echo sends something new and reports whether it came back.
func (u *tunnelled) echo() error {
	u.sent = nonces.Add(1)
	want := fmt.Sprintf("%016x", u.sent)
	got := make([]byte, len(want))
	if _, err := io.WriteString(u.c, want); err != nil {
		return err
	}
	if _, err := io.ReadFull(u.in, got); err != nil || string(got) != want {
		return fmt.Errorf("the tunnel gave back %q for %q: %v", got, want, err)
	}
	return nil
}

func (u *tunnelled) expectEcho(t *testing.T) {
	t.Helper()
	if err := u.echo(); err != nil {
		t.Error(err)
	}
}

// RD-04: reloads of a large configuration leave nothing in the heap.
func TestReloadsLeaveNothing(t *testing.T) {
	t.Parallel()
	sites, reloads := either(150, 2000), either(30, 300)
	text := func(turn int) string {
		var b strings.Builder
		b.WriteString("listeners: [{ address: \"127.0.0.1:0\" }]\naccess_log: { format: off }\n")
		fmt.Fprintf(&b, "clusters: { app: { origins: [{ address: \"127.0.0.1:%d\" }], session: JSESSIONID } }\nsites:\n", 1+turn)
		for i := range sites {
			fmt.Fprintf(&b, "  s%d: { hosts: [\"s%d-%d.example\"] }\n", i, i, turn)
		}
		b.WriteString("mappings:\n")
		for i := range sites {
			fmt.Fprintf(&b, "  - { site: s%d, cluster: app }\n", i)
		}
		return b.String()
	}
	c := startChild(t, text(0))
	for turn := range 5 {
		c.mustReload(text(turn + 1))
	}
	c.tell("gc")
	before, files := c.count(), c.files()
	goroutines, _ := c.ours()
	for turn := range reloads {
		c.mustReload(text(turn + 6))
	}
	c.tell("gc")
	after := c.count()
	t.Logf("%d reloads of %d sites: heap %d KiB, before %d; %+v", reloads, sites, after.heap/kib, before.heap/kib, after)
	if after.heap > before.heap+3*mib && !raced {
		t.Errorf("the heap has grown from %d bytes to %d", before.heap, after.heap)
	}
	c.expectAtRest(goroutines, files)
}

// G14: who waits for an origin that a reload drains, in favour of another, is
// served there.
func TestWaitersFollowAReload(t *testing.T) {
	watchLeaks(t)
	report := func(err error) { t.Error(err) }
	blue, green := newWorker("blue", time.Millisecond, report), newWorker("green", time.Millisecond, report)
	hold := make(chan struct{})
	blue.arrived = func(errand) bool { <-hold; return true }
	one, two := startOrigin(t, blue.serve).addr, startOrigin(t, green.serve).addr
	text := func(first, second string) string {
		return everything + fmt.Sprintf("clusters:\n  app:\n    origins:\n      - { name: blue, address: %q, capacity: 1, state: %s }\n      - { name: green, address: %q, capacity: 1, state: %s }\n",
			one, first, two, second) + "mappings: [{ site: all, cluster: app }]\n"
	}
	addr, g := start(t, text("serving", "draining"), gateway.Options{})
	w := startCrew(t, 8, to(addr), getsAndPosts)
	if !within(5*time.Second, func() bool { return statusOf(g, "blue").Waiting == 7 }) {
		t.Fatal("nobody waits")
	}
	if _, err := apply(g, text("draining", "serving")); err != nil {
		t.Fatal(err)
	}
	w.await(t, 50, 0)
	close(hold)
	all := w.end()
	show(t, selected(all, isNotRight))
	if n := len(selected(all, func(o outcome) bool { return o.origin == "blue" })); n != 1 {
		t.Errorf("%d errands were answered by the origin that drains, want the 1 that it had", n)
	}
	w.expectNothingWrong(t)
	expectAtRest(t, g)
}
