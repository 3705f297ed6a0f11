package gateway

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

const reloadText = `
listeners: [{ name: main, address: "127.0.0.1:0" }]
clusters: { app: { origins: [{ name: o, address: %q }], keep_alive: 30s%s } }
access_log: { format: off }
`

// Apply keeps the listener, its connections, the pool and the load of an origin.
func TestApplyKeepsWhatGoesOn(t *testing.T) {
	t.Parallel()
	o := newTeller(t, "o")
	addr, g := start(t, fmt.Sprintf(reloadText, o.addr, ""), Options{})
	c := dialTo(t, addr)
	for i := range 5 {
		if got, err := getOn(c); err != nil || got.status != 200 {
			t.Fatalf("exchange %d of the connection: %v, %v", i+1, got.status, err)
		}
		apply(t, g, fmt.Sprintf(reloadText, o.addr, fmt.Sprintf(", retry: { retries: %d }", i)))
	}
	if n := o.conns.Load(); n != 1 {
		t.Errorf("the origin got %d connections, want its pool to go on over 5 Applies", n)
	}
	if a := g.Addresses()["main"].String(); a != addr {
		t.Errorf("the listener is at %s, was at %s", a, addr)
	}
	if n := g.Status().Revision; n != 6 {
		t.Errorf("revision %d, want 6", n)
	}
	apply(t, g, fmt.Sprintf(reloadText, o.addr, ", connect_timeout: 1s"))
	if got, err := getOn(c); err != nil || got.status != 200 || o.conns.Load() != 2 {
		t.Errorf("with other options of connections: %v, %v, %d connections; want a second one", got.status, err, o.conns.Load())
	}
}

// What is known of an origin (load, down) belongs to its address.
func TestApplyKeepsStateOfOrigins(t *testing.T) {
	t.Parallel()
	release, arrived := make(chan struct{}), make(chan struct{})
	slow := rawOrigin(t, func(c net.Conn) {
		readRawHead(bufio.NewReader(c))
		close(arrived)
		<-release
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
	})
	down := closedAddress(t)
	text := func(name string) string {
		return plainListener + fmt.Sprintf(`
clusters: { app: { origins: [{ name: %s-slow, address: %q }] }, gone: { origins: [{ name: %s-down, address: %q }] } }
sites: { a: { hosts: ["**"] } }
mappings: [{ site: a, prefix: /down, cluster: gone }, { site: a, cluster: app }]
`, name, slow.Addr(), name, down)
	}
	addr, g := start(t, text("one"), Options{})
	askFor(t, addr, "a.example", "/down")
	c := dialTo(t, addr)
	answer := make(chan told, 1)
	go func() {
		got, _ := getOn(c)
		answer <- got
	}()
	<-arrived
	apply(t, g, text("two"))
	for _, o := range g.Status().Origins {
		if o.Name == "two-slow" && o.Load != 1 || o.Name == "two-down" && o.Up {
			t.Errorf("after Apply %+v, want one exchange in flight and the other origin down", o)
		}
	}
	close(release)
	if got := <-answer; got.status != 200 || got.body != "ok" {
		t.Errorf("the exchange that was under way: %d %q", got.status, got.body)
	}
}

// A bad configuration changes nothing, and every problem of it is told.
func TestBadConfigurationChangesNothing(t *testing.T) {
	t.Parallel()
	o := newTeller(t, "o")
	addr, g := start(t, fmt.Sprintf(reloadText, o.addr, ""), Options{})
	dir := t.TempDir()
	nonsense := filepath.Join(dir, "nonsense.pem")
	if err := os.WriteFile(nonsense, []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	fresh := freeAddress(t)
	problems := g.Apply(load(t, fmt.Sprintf(`
listeners:
  - { name: fresh, address: %q }
  - { name: main, address: "127.0.0.1:0", tls: { certificates: [{ cert: %q, key: %q }] } }
clusters:
  one: { origins: [{ address: "https://127.0.0.1:1" }], tls: { ca: %q } }
  two: { origins: [{ address: "https://127.0.0.1:1" }], tls: { ca: %q } }
sites: { a: { hosts: [a.example] }, b: { hosts: [b.example] } }
mappings: [{ site: a, cluster: one }, { site: b, cluster: two }]
`, fresh, nonsense, nonsense, nonsense, nonsense)))
	if problems.Errors() != 3 {
		t.Errorf("want a problem for each of clusters.one, clusters.two and listeners[1]:\n%v", problems)
	}
	for _, place := range []string{"clusters.one.tls.ca", "clusters.two.tls.ca", "listeners[1].tls"} {
		if !strings.Contains(fmt.Sprint(problems), place) {
			t.Errorf("no problem names %s:\n%v", place, problems)
		}
	}
	if got := askFor(t, addr, "any.example", "/"); got.origin() != "o" || g.Status().Revision != 1 {
		t.Errorf("%d from %q at revision %d, want what was there", got.status, got.origin(), g.Status().Revision)
	}
	if c, err := net.Dial("tcp", fresh); err == nil {
		c.Close()
		t.Error("the new listener of a refused configuration is open")
	}
	if n := g.Metrics().Process.ReloadsFailed.Load(); n != 1 {
		t.Errorf("%d failed reloads are counted, want 1", n)
	}
}

// A listener that is no longer named accepts no more; connections that it
// accepted go on.
func TestRemovedListenerStops(t *testing.T) {
	t.Parallel()
	o := newTeller(t, "o")
	stays, goes := freeAddress(t), freeAddress(t)
	text := func(addresses ...string) string {
		var list []string
		for _, a := range addresses {
			list = append(list, fmt.Sprintf("{ address: %q }", a))
		}
		return fmt.Sprintf("listeners: [%s]\nclusters: { app: { origins: [{ address: %q }] } }\naccess_log: { format: off }\n", strings.Join(list, ", "), o.addr)
	}
	_, g := start(t, text(stays, goes), Options{})
	open := dialTo(t, goes)
	if got, err := getOn(open); err != nil || got.status != 200 {
		t.Fatal(got.status, err)
	}
	apply(t, g, text(stays))
	if c, err := net.Dial("tcp", goes); err == nil {
		c.Close()
		t.Error("the removed listener still accepts")
	}
	if got, err := getOn(open); err != nil || got.status != 200 {
		t.Errorf("the connection it had accepted: %v, %v", got.status, err)
	}
	if got := askFor(t, stays, "a.example", "/"); got.status != 200 {
		t.Errorf("the other listener answers %d", got.status)
	}
	apply(t, g, text(stays, goes))
	if got := askFor(t, goes, "a.example", "/"); got.status != 200 {
		t.Errorf("the listener that is back answers %d", got.status)
	}
}

// A new size of heads holds from the next connection on, at the same port, and
// no client is refused meanwhile.
func TestHeadSizeChangesWithoutRefusal(t *testing.T) {
	t.Parallel()
	o := newTeller(t, "o")
	text := func(size int) string {
		return fmt.Sprintf(reloadText, o.addr, "") + fmt.Sprintf("limits: { header_bytes: %dKiB }\n", size)
	}
	addr, g := start(t, text(32), Options{})
	big := "GET / HTTP/1.1\r\nHost: a.example\r\nX-Big: " + strings.Repeat("x", 16<<10)
	stop, failures := askInBackground(addr)
	for range 10 {
		apply(t, g, text(8))
		for range 4 { // whoever accepts
			if got := ask(t, addr, big); got.status != 431 {
				t.Errorf("a head of 16 KiB with header_bytes 8KiB: %d, want 431", got.status)
			}
		}
		apply(t, g, text(32))
		for range 4 {
			if got := ask(t, addr, big); got.status != 200 {
				t.Errorf("a head of 16 KiB with header_bytes 32KiB: %d, want 200", got.status)
			}
		}
	}
	if stop(); failures.Load() != 0 {
		t.Errorf("%d requests failed", failures.Load())
	}
}

// askInBackground asks without pause, on a new connection each time and on one
// that is kept, until it is stopped; it counts what fails.
func askInBackground(addr string) (stop func(), failures *atomic.Int64) {
	failures = new(atomic.Int64)
	done := make(chan struct{})
	var clients sync.WaitGroup
	for _, kept := range []bool{true, false} {
		clients.Go(func() { askUntil(done, addr, kept, failures) })
	}
	return sync.OnceFunc(func() {
		close(done)
		clients.Wait()
	}), failures
}

func askUntil(done chan struct{}, addr string, kept bool, failures *atomic.Int64) {
	var c net.Conn
	var err error
	for {
		select {
		case <-done:
			if c != nil {
				c.Close()
			}
			return
		default:
		}
		if c == nil {
			if c, err = net.Dial("tcp", addr); err != nil {
				failures.Add(1)
				continue
			}
		}
		got, err := getOn(c)
		if err != nil || got.status != 200 {
			failures.Add(1)
		}
		if !kept || err != nil {
			c.Close()
			c = nil
		}
	}
}

// A hundred Applies under load fail no request.
func TestManyAppliesUnderLoad(t *testing.T) {
	t.Parallel()
	one, two := newTeller(t, "one"), newTeller(t, "two")
	text := func(i int) string {
		origins := []string{inline(one), inline(one, two), inline(two)}[i%3]
		return fmt.Sprintf(`
listeners: [{ name: main, address: "127.0.0.1:0" }]
clusters: { app: { origins: %s, first_byte_timeout: %ds } }
limits: { header_bytes: %dKiB }
access_log: { format: off }
`, origins, 20+i, 16+i%2)
	}
	addr, g := start(t, text(0), Options{})
	stop, failures := askInBackground(addr)
	served := func() int64 { return one.heads.Load() + two.heads.Load() }
	for i := range 100 {
		before := served()
		apply(t, g, text(i+1))
		until(t, "a request comes between two Applies", func() bool { return served() > before })
	}
	if stop(); failures.Load() != 0 {
		t.Errorf("%d of %d requests failed", failures.Load(), served())
	}
}

// A snapshot is retired when its last exchange has ended, and with it go the
// pools and states that nobody names any more.
func TestOldSnapshotRetiresAfterItsLastExchange(t *testing.T) {
	t.Parallel()
	release, arrived := make(chan struct{}), make(chan struct{})
	slow := rawOrigin(t, func(c net.Conn) {
		readRawHead(bufio.NewReader(c))
		close(arrived)
		<-release
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		io.Copy(io.Discard, c)
	})
	o := newTeller(t, "o")
	addr, g := start(t, fmt.Sprintf(reloadText, slow.Addr(), ""), Options{})
	c := dialTo(t, addr)
	answer := make(chan told, 1)
	go func() {
		got, _ := getOn(c)
		answer <- got
	}()
	<-arrived
	apply(t, g, fmt.Sprintf(reloadText, o.addr, ""))
	if n := pools(g); n != 2 {
		t.Errorf("%d pools while an exchange of the old snapshot runs, want both", n)
	}
	close(release)
	if got := <-answer; got.status != 200 || got.body != "ok" {
		t.Errorf("the old exchange: %d %q", got.status, got.body)
	}
	until(t, "the old pool is gone", func() bool { return pools(g) == 1 })
}

// pools is how many pools of connections there are.
func pools(g *Gateway) int {
	g.registry.mu.Lock()
	defer g.registry.mu.Unlock()
	return len(g.registry.pools)
}

// An access log that was moved away goes on in a new file after an Apply; a new
// path is used from then on.
func TestAccessLogFollowsApply(t *testing.T) {
	t.Parallel()
	o := newTeller(t, "o")
	dir := t.TempDir()
	text := func(name string) string {
		return strings.Replace(fmt.Sprintf(reloadText, o.addr, ""), "format: off", fmt.Sprintf("path: %q", filepath.Join(dir, name)), 1)
	}
	addr, g := start(t, text("a.log"), Options{})
	visit := func(target string) { askFor(t, addr, "a.example", target) }
	holds := func(name, target string) {
		t.Helper()
		until(t, name+" holds "+target, func() bool {
			text, _ := os.ReadFile(filepath.Join(dir, name))
			return strings.Contains(string(text), `"target":"`+target+`"`)
		})
	}
	visit("/first")
	holds("a.log", "/first")
	if err := os.Rename(filepath.Join(dir, "a.log"), filepath.Join(dir, "a.log.1")); err != nil {
		t.Fatal(err)
	}
	visit("/moved")
	holds("a.log.1", "/moved")
	apply(t, g, text("a.log"))
	until(t, "the log goes on in a new file", func() bool {
		_, err := os.Stat(filepath.Join(dir, "a.log"))
		return err == nil && !g.access.Load().reopening.Load()
	})
	visit("/new")
	holds("a.log", "/new")
	apply(t, g, text("b.log"))
	visit("/elsewhere")
	holds("b.log", "/elsewhere")
	old, _ := os.ReadFile(filepath.Join(dir, "a.log"))
	if n := strings.Count(string(old), "\n"); n != 1 {
		t.Errorf("a.log holds %q, want the one exchange", old)
	}
	if problems := g.Apply(load(t, text("no/such/folder/x.log"))); problems.Errors() != 1 || problems[0].Code != "E803" {
		t.Errorf("a log that cannot be opened: %v", problems)
	}
	visit("/still")
	holds("b.log", "/still")
	if n := g.Metrics().Process.AccessLog.Lost.Load(); n != 0 {
		t.Errorf("%d records were lost", n)
	}
}

// Pages are read again by Apply.
func TestPagesAreReadByApply(t *testing.T) {
	t.Parallel()
	page := filepath.Join(t.TempDir(), "network.html")
	text := plainListener + fmt.Sprintf(`
clusters: { app: { origins: [{ address: %q }] } }
sites: { a: { hosts: ["**"], pages: { network: %q } } }
mappings: [{ site: a, cluster: app }]
`, closedAddress(t), page)
	write := func(s string) {
		if err := os.WriteFile(page, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("one")
	addr, g := start(t, text, Options{})
	write("two")
	if got := askFor(t, addr, "a", "/"); got.body != "one" {
		t.Errorf("the page is %q, want the one that was applied", got.body)
	}
	apply(t, g, text)
	if got := askFor(t, addr, "a", "/"); got.body != "two" {
		t.Errorf("after Apply the page is %q", got.body)
	}
}

// Series of origins, mappings and listeners that are gone are gone; those that
// stay go on counting.
func TestSeriesOfRemovedOriginsVanish(t *testing.T) {
	t.Parallel()
	one, two := newTeller(t, "one"), newTeller(t, "two")
	text := func(origins string) string {
		return strings.Replace(fmt.Sprintf(reloadText, one.addr, ""), fmt.Sprintf("[{ name: o, address: %q }]", one.addr), origins, 1)
	}
	addr, g := start(t, text(inline(one, two)), Options{})
	for range 4 {
		askFor(t, addr, "a.example", "/")
	}
	apply(t, g, text(inline(one)))
	askFor(t, addr, "a.example", "/")
	seen := map[string]uint64{}
	for l, o := range g.Metrics().Current().Origins() {
		seen[l.Cluster+"/"+l.Origin] = o.Attempts.Load()
	}
	if len(seen) != 1 || seen["app/one"] != 3 {
		t.Errorf("attempts by origin are %v, want app/one with its 2 of before and 1", seen)
	}
}

// What is asked of a gateway that never had a configuration, or has ended.
func TestApplyAtBothEnds(t *testing.T) {
	t.Parallel()
	g := New(Options{})
	if s := g.Status(); s.Ready || s.NotReady == "" {
		t.Errorf("status %+v before the first Apply", s)
	}
	if g.ServeConn(nil) == nil {
		t.Error("ServeConn serves without a configuration")
	}
	g.Close()
	if problems := g.Apply(load(t, fmt.Sprintf(reloadText, "127.0.0.1:1", ""))); problems.Errors() != 1 || problems[0].Code != "E801" {
		t.Errorf("Apply after Close: %v", problems)
	}
	if err := g.Close(); err != nil {
		t.Errorf("a second Close: %v", err)
	}
}
