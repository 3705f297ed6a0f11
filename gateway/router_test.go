package gateway

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// routerText is a cluster whose origins a guest of testplugins chooses.
func routerText(hs homes, guest, plugin, cluster string) string {
	return fmt.Sprintf(`
listeners: [{ address: "127.0.0.1:0" }]
access_log: { format: off }
plugins: { chooser: { kind: router, module: %q%s } }
clusters:
%s
`, guestFile(guest), plugin, clusterLine("app", hs, ", router: chooser"+cluster))
}

// guestFile is the file of a guest of testplugins.
func guestFile(guest string) string {
	file, err := filepath.Abs("../testplugins/" + guest + ".wasm")
	if err != nil {
		panic(err)
	}
	return file
}

// moody lists what the second byte of the path says, or faults as it says.
const moody = "evil/call/moody"

// at is the path that makes the guest do something.
func at(kind string) string { return "/" + kind }

// M-PBR-02, M-PBR-03, X-24: the list's origins are tried in its order; who abstains
// leaves it to the balancer.
func TestRouterChooses(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	addr, g := start(t, routerText(hs, moody, "", ""), hs.options())
	for range 6 {
		if got := visit(t, addr, at("1"), ""); got.status != 200 || got.origin() != "b" {
			t.Fatalf("/1 went to %q, %d", got.origin(), got.status)
		}
	}
	if got := turns(t, addr, "/a", 6); got != "abcabc" {
		t.Errorf("who abstains: %s", got)
	}
	c := g.Plugins()[0].Counters
	if n := c.Calls.Load(); n != 12 {
		t.Errorf("M-PBR-01: %d calls for 12 requests", n)
	}
}

// turns are the origins that requests for a target get.
func turns(t *testing.T, addr, target string, n int) string {
	t.Helper()
	var b strings.Builder
	for range n {
		b.WriteString(visit(t, addr, target, "").origin())
	}
	return b.String()
}

// X-50, M-PBR-10: what a router that fails does to its exchange, and to no other.
func TestRouterFails(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"t", "l", "m", "x", "i", "n"} {
		for _, policy := range []string{"default-balancer", "reject"} {
			t.Run(kind+" "+policy, func(t *testing.T) {
				t.Parallel()
				hs := newHomes(t, "a", "b")
				addr, g := start(t, routerText(hs, moody, ", on_error: "+policy, ""), hs.options())
				began := time.Now()
				got := visit(t, addr, at(kind), "")
				took := time.Since(began)
				switch {
				case policy == "reject" && (got.status != 503 || !strings.Contains(got.body, "reason: plugin_error")):
					t.Errorf("answered %d %q, want plugin_error", got.status, got.body)
				case policy == "default-balancer" && got.status != 200:
					t.Errorf("answered %d %q, want an origin's answer", got.status, got.body)
				}
				if took > 2*time.Second {
					t.Errorf("it took %v", took)
				}
				until(t, "the next request is routed", func() bool { // an instance may still be made
					got := visit(t, addr, at("1"), "")
					return got.status == 200 && got.origin() == "b"
				})
				if n := len(g.Plugins()[0].Faults); (n == 0) != (kind == "n") {
					t.Errorf("%d faults", n)
				}
			})
		}
	}
}

// M-PBR-09: when nobody of the list is left, on_exhausted decides.
func TestRouterExhausted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		cluster string
		status  int
	}{{"", 503}, {", on_exhausted: default-balancer", 200}} {
		hs := newHomes(t, "a", "b", "c")
		addr, _ := start(t, routerText(hs, moody, "", tt.cluster), hs.options())
		hs[1].kill()
		visit(t, addr, at("1"), "") // finds out
		got := visit(t, addr, at("1"), "")
		if got.status != tt.status || tt.status == 503 && !strings.Contains(got.body, "reason: router_exhausted") {
			t.Errorf("%q: answered %d %q, want %d", tt.cluster, got.status, got.body, tt.status)
		}
	}
}

// an origin of the list that is full is passed over, or waited for.
func TestRouterAndFullOrigins(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		plugin, cluster string
		waits           bool
		status          int
	}{
		{"", "", false, 503},
		{"", ", on_exhausted: default-balancer", false, 200},
		{", on_full: queue", "", true, 200},
	} {
		hs := newHomes(t, "a", "b")
		for _, h := range hs {
			h.settings = ", capacity: 1"
		}
		addr, g := start(t, routerText(hs, moody, tt.plugin, tt.cluster+", queue: { size: 5, timeout: 10s }"), hs.options())
		first := hs[0].hold(t, addr, "") // takes the first turn
		hs[1].hold(t, addr, "")
		hs[0].letGo <- struct{}{}
		wantAnswerOf(t, "the first", first, "a")
		answer := visitLater(t, addr, at("1"), "")
		if tt.waits {
			awaitWaiters(t, g, 1)
			hs[1].letGo <- struct{}{}
		}
		a, err := await(answer)
		if err != nil || a.status != tt.status {
			t.Errorf("%q %q: %d, %v, want %d", tt.plugin, tt.cluster, a.status, err, tt.status)
		}
		if tt.waits && a.origin() != "b" {
			t.Errorf("it went to %q", a.origin())
		}
	}
}

// A reload that changes nothing of a plugin keeps its instances; one that changes the
// origins gives the guest the new table.
func TestRouterUnderReloads(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	addr, g := start(t, routerText(hs, moody, "", ""), hs.options())
	visit(t, addr, at("1"), "")
	built := func() uint64 { return g.Plugins()[0].Counters.Built.Load() }
	before := built()
	apply(t, g, routerText(hs, moody, "", ""))
	if got := visit(t, addr, at("1"), "").origin(); got != "b" || built() != before {
		t.Errorf("after a reload: %q, %d instances built", got, built()-before)
	}
	apply(t, g, routerText(hs.except("a"), moody, "", ""))
	if got := visit(t, addr, at("1"), "").origin(); got != "c" {
		t.Errorf("with other origins position 1 is %q", got)
	}
	if problems := g.Apply(load(t, routerText(hs, "evil/load/route-none", "", ""))); problems.Errors() == 0 {
		t.Error("a module that is no router was taken")
	}
	if got := visit(t, addr, at("1"), "").origin(); got != "c" {
		t.Errorf("after a reload that was refused position 1 is %q", got)
	}
	apply(t, g, plainListener+"clusters:\n"+clusterLine("app", hs, "")+"\n")
	if all := g.Plugins(); len(all) != 0 {
		t.Errorf("plugins that nobody configures: %+v", all)
	}
}

// abi.md, section 9: what a guest learns by http_call in its ticks decides where
// requests go; what was not granted it cannot call.
func TestRouterCallsOut(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 1)
	oracle := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		select {
		case asked <- r.Method + " " + r.URL.Path + " " + r.Header.Get("Accept") + " " + string(body):
		default:
		}
		io.WriteString(w, "c")
	}))
	defer oracle.Close()
	hs := newHomes(t, "a", "b", "c")
	plugin := fmt.Sprintf(", tick: 100ms, kv: 1MiB, http: [%q], params: { url: %q }", oracle.URL, oracle.URL+"/where")
	addr, g := start(t, routerText(hs, "good/caller", plugin, ""), hs.options())
	select {
	case got := <-asked:
		if got != "POST /where text/plain where?" {
			t.Errorf("it asked %q", got)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("nobody asked")
	}
	until(t, "the answer decides", func() bool { return turns(t, addr, "/", 3) == "ccc" })
	if faults := g.Plugins()[0].Faults; len(faults) != 0 {
		t.Errorf("%+v", faults)
	}
}

// Who only explains keeps nothing on disk, so that it can be somebody else than the
// gateway's user, and lets no guest do anything by itself.
func TestExplainerKeepsGuestsStill(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	text := "node: { state_dir: \"" + state + "\" }\n" + routerText(newHomes(t, "a", "b"), "evil/call/tick-trap", ", tick: 100ms", "")
	e, problems := NewExplainer(load(t, text))
	if problems.Errors() > 0 {
		t.Fatal(problems)
	}
	if kept, err := os.ReadDir(state); err != nil || len(kept) != 0 {
		t.Errorf("%d things are kept in the state directory, %v", len(kept), err)
	}
	for _, a := range e.snap.attachments {
		if a.Ticks() {
			t.Error("the guest ticks")
		}
	}
}
