package gateway

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"weirkeep/abi"
	"weirkeep/plugins"
	"weirkeep/plugins/engine"
	"weirkeep/plugins/engine/enginetest"
)

// countedWazero is the engine that every build has, counted.
func countedWazero(t *testing.T) (*enginetest.Tally, Engines) {
	t.Helper()
	all, err := OnlyWazero("")
	if err != nil {
		t.Fatal(err)
	}
	tally := &enginetest.Tally{Engine: all[0]}
	return tally, func(string) ([]engine.Engine, error) { return []engine.Engine{tally}, nil }
}

// unlogged are options without an access log.
func unlogged(hs homes) Options {
	o := hs.options()
	o.Stderr = io.Discard
	return o
}

// Fields that come several times are seen in their order, and stay several.
func TestReportPluginsSeeEveryField(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a")
	hs.say(func(head string) (string, string) {
		return "Set-Cookie: a=1\r\nSet-Cookie: b=2\r\nSet-Cookie: c=3\r\n", head
	})
	t.Run("WA-01: a request's fields", func(t *testing.T) {
		addr, _ := start(t, filterText(hs, "good/echo", ", on_error: reject", ""), unlogged(hs))
		got := seen(t, addr, "q", "X-A: 1", "X-B: -", "X-A: 2", "X-A: 3").body
		one, two, three := strings.Index(got, "X-A=1"), strings.Index(got, "X-A=2"), strings.Index(got, "X-A=3")
		if one < 0 || two < one || three < two {
			t.Errorf("the guest was shown\n%s", got)
		}
	})
	t.Run("WA-01: an answer's cookies", func(t *testing.T) {
		addr, _ := start(t, filterText(hs, puppet, ", on_error: reject", ""), unlogged(hs))
		got := seen(t, addr, say(op(abi.OpAddHeader, "Set-Cookie", "d=4"))).header.Values("Set-Cookie")
		if strings.Join(got, " ") != "a=1 b=2 c=3 d=4" {
			t.Errorf("the client got the cookies %q", got)
		}
	})
}

// What a filter answers itself no origin hears of.
func TestReportPluginsAnswersEndRequests(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a")
	addr, _ := start(t, filterText(hs, puppet, ", on_error: skip", ""), unlogged(hs))
	t.Run("WA-05: a filter's answer", func(t *testing.T) {
		if got := seen(t, addr, say(op(abi.OpRespond, "403", "no"))); got.status != 403 || got.body != "no" || hs.count() != 0 {
			t.Errorf("%d %q, %d requests at the origin", got.status, got.body, hs.count())
		}
	})
}

// A host function that does not exist is found at load; one that says no lets the guest
// go on.
func TestReportPluginsHostFunctions(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a")
	t.Run("WA-06: there is none", func(t *testing.T) {
		_, problems := NewExplainer(load(t, routerText(hs, "evil/load/import-unknown", "", "")))
		if problems.Errors() == 0 || !strings.Contains(problems.Error(), "launch_missiles") {
			t.Errorf("%v, want the name of the function", problems)
		}
	})
	t.Run("WA-06: it is not granted", func(t *testing.T) {
		addr, g := start(t, filterText(hs, "good/property", ", on_error: reject", ""), unlogged(hs))
		if got := seen(t, addr, "session.primary"); got.status != 403 || len(g.Plugins()[0].Faults) != 0 {
			t.Errorf("%d %q, want the guest's own 403; faults %+v", got.status, got.body, g.Plugins()[0].Faults)
		}
	})
}

// A body is shown up to the limit, or not at all, in each request as in the one before:
// there is nothing to be read piece by piece, and no buffer to be too small.
func TestReportPluginsAndBodies(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, need, onError string }{
		{"WA-07: a prefix of it, then the rest passes", "body-prefix", "reject"},
		{"WP-08: over the limit, closed", "body", "reject"},
		{"WP-08: over the limit, open", "body", "skip"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o, got := bodyOrigin(t, endOK)
			addr, g := start(t, bodyText(o, tt.need, tt.onError, "", ""), Options{})
			for _, n := range []int{10_000, bodyLimit, 1 << 20, bodyLimit, 10_000} {
				for _, as := range frames {
					sendsBody(t, addr, g, got, sentBody{tt.need, tt.onError, as(content(n)), content(n), false})
				}
			}
		})
	}
}

// A trap in any hook is answered at once by the policy, on a connection that goes on.
func TestReportPluginsTrapsDoNotHang(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, guest, policy string
		status              int
	}{
		{"WF-02: request, closed", "evil/call/request-trap", "reject", 503},
		{"WF-02: request, open", "evil/call/request-trap", "skip", 200},
		{"WF-02: answer, closed", "evil/call/response-trap", "reject", 503},
		{"WF-02: answer, open", "evil/call/response-trap", "skip", 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hs := newHomes(t, "a")
			addr, _ := start(t, filterText(hs, tt.guest, ", on_error: "+tt.policy, ""), unlogged(hs))
			c := newReportConn(dialTo(t, addr))
			defer c.Close()
			for range 8 { // until the breaker is open, and behind that
				c.say(reportGET("/"))
				if got := c.answer("GET"); got.code != tt.status || got.err != nil {
					t.Fatalf("%d %q, %v; want %d", got.code, got.head, got.err, tt.status)
				}
			}
		})
	}
	t.Run("WF-02: start function", func(t *testing.T) {
		_, problems := NewExplainer(load(t, routerText(newHomes(t, "a"), "evil/init/start-trap", "", "")))
		if problems.Errors() == 0 {
			t.Error("it was taken")
		}
	})
}

// A guest that has no memory left is a fault of its own exchange, and bodies pass.
func TestReportPluginsWithoutMemory(t *testing.T) {
	t.Parallel()
	for policy, status := range map[string]int{"default-balancer": 200, "reject": 503} {
		t.Run("WF-03: "+policy, func(t *testing.T) {
			hs := newHomes(t, "a")
			hs.say(func(string) (string, string) { return "", "ok" })
			addr, g := start(t, routerText(hs, moody, ", limits: { memory: 8MiB }, on_error: "+policy, ""), unlogged(hs))
			var all sync.WaitGroup
			for _, size := range []int{1 << 10, 5 << 20} {
				for range 3 {
					all.Go(func() {
						c := newReportConn(dialTo(t, addr))
						defer c.Close()
						go c.say(fmt.Sprintf("POST /m HTTP/1.1\r\nHost: a.example\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", size, strings.Repeat("x", size)))
						if got := c.answer("POST"); got.code != status {
							t.Errorf("a body of %d bytes: %d, want %d", size, got.code, status)
						}
					})
				}
			}
			all.Wait()
			for _, s := range g.Plugins()[0].Standings {
				if most := int64(s.Most) * 8 << 20; s.Memory > most {
					t.Errorf("the guests have %d bytes, want at most %d", s.Memory, most)
				}
			}
		})
	}
}

// Reloads close no instance that is at work: calls that are in a host function most of
// the time end as they should, and what they ran in is freed.
func TestReportPluginsAreReplacedAtWork(t *testing.T) {
	t.Parallel()
	tally, engines := countedWazero(t)
	hs := newHomes(t, "a")
	o := unlogged(hs)
	o.Engines = engines
	file := filepath.Join(t.TempDir(), "guest.wasm")
	text := func(number int) string {
		edition(t, file, "good/host-1000", number)
		return strings.Replace(routerText(hs, "good/host-1000", ", on_error: reject, limits: { wait: 1s }", ""), guestFile("good/host-1000"), file, 1)
	}
	addr, g := start(t, text(0), o)
	stop := visitors(t, addr, 4)
	for n := range 20 {
		apply(t, g, text(n+1))
	}
	stop()
	t.Run("WF-06: in a host function", func(t *testing.T) {
		if faults := g.Plugins()[0].Faults; len(faults) > 0 {
			t.Errorf("%+v", faults)
		}
	})
	t.Run("WF-11: old instances end what they do, and are freed", func(t *testing.T) {
		until(t, "one module is left", func() bool { return tally.Modules.Load() == 1 })
		apply(t, g, plainListener+"clusters:\n"+clusterLine("app", hs, "")+"\n")
		until(t, "no instance is left", func() bool { return tally.Modules.Load() == 0 && tally.Instances.Load() == 0 })
	})
}

// edition writes a guest of testplugins to a file, with a number in a section that means
// nothing.
func edition(t *testing.T, file, guest string, number int) {
	t.Helper()
	wasm, err := os.ReadFile(guestFile(guest))
	if err != nil {
		t.Fatal(err)
	}
	section := fmt.Sprintf("\x07edition%04d", number)
	wasm = append(append(wasm, 0, byte(len(section))), section...)
	if err := os.WriteFile(file, wasm, 0o600); err != nil {
		t.Fatal(err)
	}
}

// visitors ask without a pause until they are stopped, and must all be served.
func visitors(t *testing.T, addr string, n int) (stop func()) {
	over := make(chan struct{})
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
				}
				if got := visit(t, addr, "/", ""); got.status != 200 {
					t.Errorf("%d %q", got.status, got.body)
					return
				}
			}
		})
	}
	return func() { close(over); all.Wait() }
}

// A guest that ends its process is a fault, and collections of garbage are none.
func TestReportPluginsExitAndCollect(t *testing.T) {
	t.Parallel()
	t.Run("WF-08: proc_exit, then a collection", func(t *testing.T) {
		hs := newHomes(t, "a")
		addr, g := start(t, routerText(hs, moody, "", ""), unlogged(hs))
		for range 20 {
			for _, kind := range []string{"x", "a", "a"} {
				if got := visit(t, addr, at(kind), ""); got.status != 200 {
					t.Fatalf("%d %q", got.status, got.body)
				}
			}
			runtime.GC()
		}
		if faults := g.Plugins()[0].Faults; len(faults) < 5 || faults[len(faults)-1].Kind != plugins.ExitFault {
			t.Errorf("%+v", faults)
		}
	})
}

// One plugin of three that cannot be made is named; nothing of the rest is changed.
func TestReportPluginsOneOfThreeIsBad(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a")
	text := func(second string) string {
		return fmt.Sprintf(`
listeners: [{ address: "127.0.0.1:0" }]
access_log: { format: off }
plugins:
  one: { kind: filter, module: %q, needs: [query], on_error: reject }
  two: { kind: filter, module: %q, needs: [query], on_error: reject }
  three: { kind: filter, module: %q, needs: [query], on_error: reject }
clusters:
%s
sites: { w: { hosts: ["**"], filters: [{ plugin: one }, { plugin: two }, { plugin: three }] } }
mappings: [{ site: w, cluster: app }]
`, guestFile(puppet), guestFile(second), guestFile(puppet), clusterLine("app", hs, ""))
	}
	addr, g := start(t, text(puppet), unlogged(hs))
	t.Run("WF-09: its start function fails", func(t *testing.T) {
		problems := g.Apply(load(t, text("evil/init/start-trap")))
		if problems.Errors() != 1 || !strings.Contains(problems.Error(), "plugin two") {
			t.Errorf("%v, want one problem of plugin two", problems)
		}
		got := seen(t, addr, say(op(abi.OpAddHeader, "X-Times", "1")))
		if n := strings.Count(got.body, "X-Times: 1"); got.status != 200 || n != 3 {
			t.Errorf("%d, and %d of the 3 filters that were there did their work", got.status, n)
		}
	})
}

// Reloads that change nothing of a plugin neither compile it nor make instances.
func TestReportPluginsAreKept(t *testing.T) {
	t.Parallel()
	tally, engines := countedWazero(t)
	hs := newHomes(t, "a")
	o := unlogged(hs)
	o.Engines = engines
	text := func(turn int) string {
		var plugins, clusters strings.Builder
		for i := range 10 {
			fmt.Fprintf(&plugins, "  p%d: { kind: router, module: %q, needs: [path] }\n", i, guestFile(moody))
			fmt.Fprintf(&clusters, "%s\n", clusterLine(fmt.Sprint("c", i), hs, fmt.Sprint(", router: p", i)))
		}
		return fmt.Sprintf("%splugins:\n%sclusters:\n%ssites: { w: { hosts: [\"**\", \"h%d.example\"] } }\nmappings: [{ site: w, cluster: c0 }]\n", plainListener, &plugins, &clusters, turn)
	}
	_, g := start(t, text(0), o)
	t.Run("WP-04: ten plugins of one module", func(t *testing.T) {
		if n := tally.Compiled.Load(); n != 1 {
			t.Errorf("it was compiled %d times", n)
		}
	})
	t.Run("WP-02: a hundred reloads that touch others", func(t *testing.T) {
		instances := tally.Instances.Load()
		built := func() (n uint64) {
			for _, p := range g.Plugins() {
				n += p.Counters.Built.Load()
			}
			return n
		}
		before := built()
		for turn := range 100 {
			apply(t, g, text(turn+1))
		}
		if n := tally.Compiled.Load(); n != 1 || tally.Modules.Load() != 1 {
			t.Errorf("it was compiled %d times, %d are open", n, tally.Modules.Load())
		}
		if tally.Instances.Load() != instances || built() != before {
			t.Errorf("%d instances, before %d; %d were made", tally.Instances.Load(), instances, built()-before)
		}
	})
}

// Calls that end in an error of the host leave no instance.
func TestReportPluginsHostErrors(t *testing.T) {
	t.Parallel()
	tally, engines := countedWazero(t)
	hs := newHomes(t, "a")
	o := unlogged(hs)
	o.Engines = engines
	addr, g := start(t, routerText(hs, "evil/call/host-error", "", ""), o)
	t.Run("WP-07: half of the calls", func(t *testing.T) {
		for n := range 60 {
			tally.Buggy.Store(n%2 == 0)
			if got := visit(t, addr, "/", ""); got.status != 200 {
				t.Fatalf("%d %q", got.status, got.body)
			}
		}
		if faults := g.Plugins()[0].Faults; len(faults) < 5 || faults[len(faults)-1].Kind != plugins.HostError {
			t.Errorf("%+v", faults)
		}
		if n, most := tally.Instances.Load(), int64(g.Plugins()[0].Standings[0].Most); n > most {
			t.Errorf("%d instances, want at most %d", n, most)
		}
		apply(t, g, plainListener+"clusters:\n"+clusterLine("app", hs, "")+"\n")
		until(t, "none is left", func() bool { return tally.Instances.Load() == 0 && tally.Modules.Load() == 0 })
	})
}

// What long exchanges hold of old configurations ends with them.
func TestReportPluginsAndLongExchanges(t *testing.T) {
	t.Parallel()
	tally, engines := countedWazero(t)
	hs := newHomes(t, "a")
	o := unlogged(hs)
	o.Engines = engines
	text := func(turn int) string {
		return routerText(hs, moody, fmt.Sprintf(", limits: { log_rate: %d }", 1+turn), "")
	}
	addr, g := start(t, text(0), o)
	t.Run("WP-09: reloads while requests last", func(t *testing.T) {
		var held []<-chan told
		for range 3 {
			held = append(held, hs[0].hold(t, addr, ""))
		}
		for turn := range 20 {
			apply(t, g, text(turn+1))
			visit(t, addr, at("1"), "")
		}
		most := int64(g.Plugins()[0].Standings[0].Most)
		if n := tally.Instances.Load(); n > 2*most {
			t.Errorf("%d instances, want those of two configurations", n)
		}
		for _, answer := range held {
			hs[0].letGo <- struct{}{}
			wantAnswerOf(t, "a long request", answer, "a")
		}
		until(t, "those of the old one are closed", func() bool { return tally.Modules.Load() == 1 && tally.Instances.Load() <= most })
	})
}
