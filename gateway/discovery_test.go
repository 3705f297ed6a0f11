package gateway

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// discoveryText is a configuration with a cluster of which more is said.
func discoveryText(tb testing.TB, cluster, more string) string {
	return plainListener + fmt.Sprintf("node: { state_dir: %q }\nclusters: { shop: { %s } }\n%s\n", tb.TempDir(), cluster, more)
}

// originNames are the origins of a gateway's status by the homes that they are, with
// their state unless they serve, and their health unless they are up.
func (hs homes) standing(g *Gateway) string {
	var list []string
	for _, o := range g.Status().Origins {
		for _, h := range hs {
			if h.addr == o.Address {
				text := h.name
				if o.State != "serving" {
					text += " " + o.State
				}
				if !o.Up {
					text += " " + o.Health
				}
				list = append(list, text)
			}
		}
	}
	return strings.Join(list, ", ")
}

// untilStanding waits until the origins are so.
func (hs homes) untilStanding(tb testing.TB, g *Gateway, want string) {
	tb.Helper()
	got := ""
	defer func() {
		if tb.Failed() {
			tb.Logf("the origins are %q", got)
		}
	}()
	until(tb, "the origins are "+want, func() bool { got = hs.standing(g); return got == want })
}

// writeList writes a file of origins as programs do that may not be seen half-way.
func writeList(tb testing.TB, file string, lines ...string) {
	tb.Helper()
	next := file + ".new"
	if err := os.WriteFile(next, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		tb.Fatal(err)
	}
	if err := os.Rename(next, file); err != nil {
		tb.Fatal(err)
	}
}

// M-IM-01, M-CLU-06: what DNS tells is what is balanced over, from the first request.
func TestOriginsByDNS(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	n := startNameserver(t)
	n.say(hs[0], hs[1])
	addr, g := start(t, discoveryText(t, n.discovers(), ""), hs.options())
	if got := hs.standing(g); len(got) != len("a, b") || !strings.Contains(got, "a") || !strings.Contains(got, "b") {
		t.Fatalf("at the start the origins are %s", got)
	}
	if got := answerers(t, addr, "/", 12); strings.Contains(got, "c") || !strings.Contains(got, "a") || !strings.Contains(got, "b") {
		t.Errorf("answered by %s", got)
	}
	o := statusOf(t, g, hs[0].addr)
	if w := g.applied.served.Clusters["shop"].Origins[0]; w.Weight != 10 || w.Host != "host-a.test" {
		t.Errorf("the first is %+v", w)
	}
	if o.Capacity != 1000 || o.Found != "dns shop.test, type srv" {
		t.Errorf("status: %+v", o)
	}
	n.say(hs[2])
	hs.untilStanding(t, g, "c")
	if got := answerers(t, addr, "/", 6); got != "cccccc" {
		t.Errorf("answered by %s", got)
	}
	e, err := g.Explain(Question{Raw: []byte("GET / HTTP/1.1\r\nHost: h\r\n\r\n")})
	if err != nil || e.Pick == nil || e.Pick.Address != hs[2].addr {
		t.Errorf("explain: %v, %+v", err, e)
	}
}

// A records and a port that is written.
func TestOriginsByAddress(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a")
	n := startNameserver(t, "shop.test. 5 A 127.0.0.1")
	_, port, _ := net.SplitHostPort(hs[0].addr)
	cluster := fmt.Sprintf("discover: { dns: { name: shop.test, port: %s, resolver: %q } }, template: { capacity: 7 }", port, n.Addr)
	addr, g := start(t, discoveryText(t, cluster, ""), hs.options())
	if got := answerers(t, addr, "/", 2); got != "aa" {
		t.Errorf("answered by %s", got)
	}
	if o := statusOf(t, g, hs[0].addr); o.Capacity != 7 {
		t.Errorf("status: %+v", o)
	}
}

// The bad input: an answer without an address, no such name, a server that cannot or
// does not answer. The last answer is kept, and that is said once.
func TestBadAnswersKeepTheLastOne(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		spoil func(n nameserver)
		want  string // in the log
	}{
		{"no address", func(n nameserver) { n.Says(dns.RcodeSuccess) }, "the answer has no address"},
		{"an address that no server has", func(n nameserver) {
			n.Says(dns.RcodeSuccess, "shop.test. 0 SRV 0 1 80 host-a.test.", "host-a.test. 0 A 0.0.0.0")
		}, "the answer has no address"},
		{"no such name", func(n nameserver) { n.Says(dns.RcodeNameError) }, "NXDOMAIN"},
		{"a server that cannot", func(n nameserver) { n.Says(dns.RcodeServerFailure) }, "SERVFAIL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			hs, log := newHomes(t, "a"), new(lockedText)
			n := startNameserver(t)
			n.say(hs[0])
			addr, g := start(t, discoveryText(t, n.discovers(), ""), Options{Dial: hs.dial, Logger: slog.New(slog.NewTextHandler(log, nil))})
			tt.spoil(n)
			until(t, "several looks have failed", func() bool { return discoveryOf(g, "shop").Failures >= 3 })
			if got := answerers(t, addr, "/", 3); got != "aaa" {
				t.Errorf("answered by %s", got)
			}
			d := discoveryOf(g, "shop")
			if d.Origins != 1 || !strings.Contains(d.Problem, tt.want) || d.ProblemSince.IsZero() {
				t.Errorf("status: %+v", d)
			}
			if got := strings.Count(log.String(), "those that are known stay"); got != 1 || !strings.Contains(log.String(), tt.want) {
				t.Errorf("%d times in the log:\n%s", got, log)
			}
			n.say(hs[0])
			until(t, "it is found again", func() bool { return discoveryOf(g, "shop").Problem == "" })
			if got := strings.Count(log.String(), "found again"); got != 1 {
				t.Errorf("%d times in the log:\n%s", got, log)
			}
		})
	}
}

// lockedText is a log that may be read.
type lockedText struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func discoveryOf(g *Gateway, cluster string) DiscoveryStatus {
	for _, c := range g.Status().Clusters {
		if c.Name == cluster && c.Discovery != nil {
			return *c.Discovery
		}
	}
	return DiscoveryStatus{}
}

// A gateway that starts while DNS is down has the origins that it had before.
func TestFoundOriginsSurviveARestart(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a")
	n := startNameserver(t)
	n.say(hs[0])
	text := discoveryText(t, n.discovers(), "")
	_, g := start(t, text, hs.options())
	g.Close()
	n.Says(dns.RcodeServerFailure)
	addr, g := start(t, text, hs.options())
	if got := answerers(t, addr, "/", 3); got != "aaa" {
		t.Errorf("answered by %s", got)
	}
	if d := discoveryOf(g, "shop"); d.Origins != 1 || !strings.Contains(d.Problem, "SERVFAIL") {
		t.Errorf("status: %+v", d)
	}
}

// A file of before that cannot be read, or that is of another name, costs no more than
// itself. Without any origin the gateway is not ready, and clients are told when to come
// again.
func TestNothingWasEverFound(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a")
	n := startNameserver(t)
	n.Says(dns.RcodeServerFailure)
	dir := t.TempDir()
	text := plainListener + fmt.Sprintf("node: { state_dir: %q }\nclusters: { shop: { %s } }\n", dir, n.discovers())
	for _, saved := range []string{"", "{", `{"schema":2}`, `{"schema":1,"clusters":{"shop":{"source":"dns other, type srv","origins":[{"address":"10.0.0.1:80"}]}}}`} {
		if err := os.WriteFile(FoundFile(dir), []byte(saved), 0o600); err != nil {
			t.Fatal(err)
		}
		addr, g := start(t, text, hs.options())
		if a := visit(t, addr, "/", ""); a.status != 503 || a.header.Get("Retry-After") == "" || g.Status().Ready {
			t.Errorf("%q: %d %v, ready: %v", saved, a.status, a.header, g.Status().Ready)
		}
		n.say(hs[0])
		hs.untilStanding(t, g, "a")
		if got := answerers(t, addr, "/", 1); got != "a" || !g.Status().Ready {
			t.Errorf("%q: answered by %s", saved, got)
		}
		g.Close()
		n.Says(dns.RcodeServerFailure)
	}
}

// M-IM-01: a file that names origins, whose changes hold within a moment, though the
// configuration is untouched.
func TestOriginsByFile(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	for _, tt := range []struct {
		name string
		line func(h *home) string
		none string
	}{
		{"list.txt", func(h *home) string { return h.addr }, "# none yet\n"},
		{"list.yaml", func(h *home) string { return fmt.Sprintf("- { name: %s, address: %q, capacity: 9 }", h.name, h.addr) }, "- {"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file, log := filepath.Join(t.TempDir(), tt.name), new(lockedText)
			writeList(t, file, tt.line(hs[0]), tt.line(hs[1]))
			addr, g := start(t, discoveryText(t, fmt.Sprintf("discover: { file: %q }", file), ""), Options{Dial: hs.dial, Logger: slog.New(slog.NewTextHandler(log, nil))})
			if got := hs.standing(g); got != "a, b" {
				t.Fatalf("at the start the origins are %s", got)
			}
			writeList(t, file, tt.line(hs[1]), tt.line(hs[2]))
			hs.untilStanding(t, g, "b, c")
			if got := answerers(t, addr, "/", 8); strings.Contains(got, "a") {
				t.Errorf("answered by %s", got)
			}
			writeList(t, file, tt.none)
			until(t, "the broken file was seen", func() bool { return discoveryOf(g, "shop").Problem != "" })
			if got := hs.standing(g); got != "b, c" {
				t.Errorf("with a broken file the origins are %s", got)
			}
			if d := discoveryOf(g, "shop"); !strings.Contains(d.Problem, file+":1:") || strings.Count(log.String(), file+":1:") != 1 {
				t.Errorf("it is not said once where: %q, %s", d.Problem, log)
			}
			writeList(t, file, tt.line(hs[0]))
			hs.untilStanding(t, g, "a")
		})
	}
}

// A file that is not there, or broken, is a warning of check and of a reload, with its
// place, and not an error: it may be written later.
func TestFilesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a")
	file := filepath.Join(t.TempDir(), "list.txt")
	cfg := load(t, discoveryText(t, fmt.Sprintf("discover: { file: %q }", file), ""))
	problems := Check(cfg)
	if problems.Errors() > 0 || !strings.Contains(problems.Error(), "warning W362") || !strings.Contains(problems.Error(), "cannot read "+file) {
		t.Errorf("check: %v", problems)
	}
	g := New(hs.options())
	t.Cleanup(func() { g.Close() })
	if problems := g.Apply(cfg); problems.Errors() > 0 || !strings.Contains(problems.Error(), "warning W362") {
		t.Errorf("apply: %v", problems)
	}
	writeList(t, file, hs[0].addr)
	hs.untilStanding(t, g, "a")
	if problems := Check(cfg); len(problems) > 0 {
		t.Errorf("check: %v", problems)
	}
	e, problems := NewExplainer(cfg)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if got, err := e.Explain(Question{Raw: []byte("GET / HTTP/1.1\r\nHost: h\r\n\r\n")}); err != nil || got.Pick == nil || got.Pick.Address != hs[0].addr {
		t.Errorf("explain: %+v, %v", got, err)
	}
}

// Check asks no DNS server, and a cluster of which nothing is known yet is no mistake,
// with rules that send there neither.
func TestCheckAsksNoDNS(t *testing.T) {
	t.Parallel()
	n := startNameserver(t)
	cfg := load(t, discoveryText(t, n.discovers(), `
rules:
  - { name: one, when: 'path == "/a"', permit: { to: shop } }
  - { name: two, when: 'path == "/b"', permit: { to: main/shop/10.0.0.1:80 } }
`))
	if problems := Check(cfg); len(problems) > 0 {
		t.Errorf("%v", problems)
	}
	if n.Looks.Load() != 0 {
		t.Errorf("%d questions", n.Looks.Load())
	}
}

// What is written beside what is found: origins in one cluster, and one address twice.
func TestFoundBesideWritten(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	file := filepath.Join(t.TempDir(), "list.yaml")
	writeList(t, file, fmt.Sprintf("- { name: a, address: %q }", hs[1].addr), fmt.Sprintf("- { name: x, address: %q, capacity: 3 }", hs[0].addr))
	_, g := start(t, discoveryText(t, fmt.Sprintf("origins: [{ name: a, address: %q, capacity: 5 }], discover: { file: %q }", hs[0].addr, file), ""), hs.options())
	var got []string
	for _, o := range g.Status().Origins {
		got = append(got, fmt.Sprintf("%s %s %d %s", o.Name, o.Address, o.Capacity, strings.Fields(o.Found + " -")[0]))
	}
	want := fmt.Sprintf("a %s 5 -, %s %s 1000 file", hs[0].addr, hs[1].addr, hs[1].addr)
	if strings.Join(got, ", ") != want {
		t.Errorf("%s\nwant %s", strings.Join(got, ", "), want)
	}
}

// M-CLU-06, M-IM-02: origins come, change and go under load, and no request fails; what
// is in flight at one that goes ends there.
func TestFoundOriginsChangeUnderLoad(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	n := startNameserver(t)
	n.say(hs[0])
	addr, g := start(t, discoveryText(t, n.discovers()+", health: { path: /up, interval: 1s, timeout: 10s }", ""), hs.options())
	held := hs[0].hold(t, addr, "")
	n.say(hs...)
	until(t, "all are found", func() bool { return len(g.Status().Origins) == 3 })
	var over atomic.Bool
	var served, failed atomic.Int64
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			for !over.Load() {
				if !isAnswered(addr) {
					failed.Add(1)
				}
				served.Add(1)
			}
		})
	}
	for round := range 6 {
		gone := hs[round%3]
		n.say(hs.except(gone.name)...)
		if round == 0 {
			until(t, gone.name+" leaves", func() bool { return hs.state(g, gone) == "draining" })
			continue
		}
		until(t, gone.name+" is gone", func() bool { return hs.state(g, gone) != "serving" })
	}
	before := served.Load()
	until(t, "there was a load", func() bool { return served.Load() > before+20 })
	over.Store(true)
	clients.Wait()
	if failed.Load() > 0 || served.Load() < 50 {
		t.Errorf("%d of %d requests failed", failed.Load(), served.Load())
	}
	close(hs[0].letGo)
	wantAnswerOf(t, "what was in flight", held, "a")
}

// isAnswered reports whether a request is answered by an origin.
func isAnswered(addr string) bool {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return false
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(30 * time.Second))
	io.WriteString(c, visitHead("/", "")+"\r\nConnection: close\r\n\r\n")
	a, err := readTold(bufio.NewReader(c), "GET")
	return err == nil && a.status == 200 && a.origin() != ""
}

// state is the state of an origin; empty: the gateway has it no more.
func (hs homes) state(g *Gateway, h *home) string {
	for _, o := range g.Status().Origins {
		if o.Address == h.addr {
			return o.State
		}
	}
	return ""
}

// An origin that is found no more keeps its sessions and takes no new ones; it goes
// when it is out, and serves when it is found again.
func TestSessionsOfOriginsThatLeave(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b")
	hs.say(atCookie)
	file := filepath.Join(t.TempDir(), "list.txt")
	writeList(t, file, hs[0].addr, hs[1].addr)
	addr, g := start(t, discoveryText(t, fmt.Sprintf("discover: { file: %q }, session: s", file), "sessions: { s: { cookie: SID } }\n"), hs.options())
	cookie := enterAt(t, addr, "a")
	writeList(t, file, hs[1].addr)
	hs.untilStanding(t, g, "b, a draining")
	stays(t, addr, cookie, "a")
	if got := answerers(t, addr, "/", 6); got != "bbbbbb" {
		t.Errorf("without a session answered by %s", got)
	}
	writeList(t, file, hs[0].addr, hs[1].addr)
	hs.untilStanding(t, g, "a, b")
	stays(t, addr, cookie, "a")
	writeList(t, file, hs[1].addr)
	hs.untilStanding(t, g, "b, a draining")
	hs[0].kill()
	if a := visit(t, addr, "/", cookie); a.status != 200 || a.origin() != "b" {
		t.Errorf("with its origin gone the session is answered %d by %s", a.status, a.origin())
	}
	hs.untilStanding(t, g, "b")
}

// discover.drain bounds how long sessions are kept.
func TestOriginsThatLeaveAreGoneInTheEnd(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b")
	hs.say(atCookie)
	file := filepath.Join(t.TempDir(), "list.txt")
	writeList(t, file, hs[0].addr, hs[1].addr)
	addr, g := start(t, discoveryText(t, fmt.Sprintf("discover: { file: %q, drain: 1s }, session: s", file), "sessions: { s: { cookie: SID } }\n"), hs.options())
	cookie := enterAt(t, addr, "a")
	writeList(t, file, hs[1].addr)
	hs.untilStanding(t, g, "b")
	stays(t, addr, cookie, "b")
}

// Many answers within a moment are few configurations.
func TestFlappingIsGrouped(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b")
	log := new(lockedText)
	g := New(Options{Dial: hs.dial, Logger: slog.New(slog.NewTextHandler(log, nil))})
	t.Cleanup(func() { g.Close() })
	file := filepath.Join(t.TempDir(), "list.txt")
	writeList(t, file, hs[0].addr)
	apply(t, g, discoveryText(t, fmt.Sprintf("discover: { file: %q }", file), ""))
	f := g.discovery.all()["shop"]
	for i := range 200 {
		writeList(t, file, hs[i%2].addr)
		f.look(t.Context())
		g.discovery.soon(foundSettle)
	}
	hs.untilStanding(t, g, "b")
	if n := strings.Count(log.String(), "origins were found"); n > 20 { // each holds for 200 ms at least
		t.Errorf("%d configurations for 200 changes", n)
	}
}
