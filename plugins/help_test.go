package plugins

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"weirkeep/abi"
	"weirkeep/plugins/engine/enginetest"
)

// tally is an engine that counts what is open.
type tally = enginetest.Tally

// house is a house with an engine that is counted.
func house(t testing.TB) (*House, *tally) {
	t.Helper()
	return houseIn(t, "")
}

// goHouse is a house for guests written in Go, which take seconds to compile: the code
// is kept in a folder for the other tests.
func goHouse(t testing.TB) (*House, *tally) {
	t.Helper()
	return houseIn(t, codeFolder)
}

// codeFolder is there while the tests run.
var codeFolder string

func TestMain(m *testing.M) {
	above, err := os.MkdirTemp("", "plugins")
	if err != nil {
		panic(err)
	}
	codeFolder = filepath.Join(above, "code")
	code := m.Run()
	os.RemoveAll(above)
	os.Exit(code)
}

func houseIn(t testing.TB, folder string) (*House, *tally) {
	t.Helper()
	w, err := newEngine(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	e := &tally{Engine: w}
	return NewHouse(nil, e), e
}

// lines are what was logged: LEVEL message.
type lines struct {
	mu  sync.Mutex
	all []string
}

func (l *lines) Enabled(context.Context, slog.Level) bool { return true }
func (l *lines) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l *lines) WithGroup(string) slog.Handler            { return l }
func (l *lines) Handle(_ context.Context, r slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, r.Level.String()+" "+r.Message)
	return nil
}

func (l *lines) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.all, "\n")
}

// guestOf is a guest of testplugins.
func guestOf(t testing.TB, name string) []byte {
	t.Helper()
	if !strings.HasPrefix(name, "good/") {
		name = "evil/" + name
	}
	wasm, err := os.ReadFile(filepath.FromSlash("../testplugins/" + name + ".wasm"))
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}

// router is the configuration of a guest as a router.
func router(t testing.TB, name string) Config {
	return Config{Name: "p", Kind: Router, Wasm: guestOf(t, name)}
}

// load loads a plugin that is good.
func load(t testing.TB, h *House, c Config) *Plugin {
	t.Helper()
	p, err := h.Load(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// at attaches a plugin to the three servers.
func at(t testing.TB, p *Plugin, fetch Fetch) *Attachment {
	t.Helper()
	a, err := p.Attach(AttachOptions{Place: Place{Cluster: "main/shop"}, Table: threeServers, Fetch: fetch})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// loaded loads and attaches, and returns what closes both.
func loaded(t testing.TB, h *House, c Config) (*Attachment, func()) {
	t.Helper()
	p := load(t, h, c)
	a := at(t, p, nil)
	return a, func() { a.Close(); p.Close() }
}

// nothingOpen fails the test if modules or instances are open, or stores are kept.
func nothingOpen(t testing.TB, h *House, e *tally) {
	t.Helper()
	if m, i := e.Modules.Load(), e.Instances.Load(); m != 0 || i != 0 || len(h.modules) != 0 || len(h.stores) != 0 {
		t.Errorf("%d modules and %d instances are open, the house has %d modules and %d stores", m, i, len(h.modules), len(h.stores))
	}
}

// route makes a call of the router, which is to go well.
func route(t testing.TB, a *Attachment, path string) []uint16 {
	t.Helper()
	list, _, failure := a.Route(request(path), nil, everything{}, nil)
	if failure != nil {
		t.Fatalf("%s: %v", path, failure)
	}
	return list
}

// kindOf is the kind of fault of a failure; empty: there is none.
func kindOf(f *Failure) FaultKind {
	if f == nil || f.Fault == nil {
		return ""
	}
	return f.Fault.Kind
}

// hold takes an instance out, as a call does that runs.
func hold(t testing.TB, a *Attachment) turn {
	t.Helper()
	held, failure := a.enter(0, time.Second)
	if failure != nil {
		t.Fatal(failure)
	}
	return held
}

// tableOf is the cluster table of the three servers in another generation, with so many
// more.
func tableOf(generation uint32, more int) *abi.ClusterTable {
	t := *threeServers
	t.Generation = generation
	for range more {
		t.Entries = append(t.Entries[:len(t.Entries):len(t.Entries)], abi.ClusterEntry{Name: "server", Address: "http://10.0.0.4:80", Cell: "main", Cluster: "shop"})
	}
	return &t
}
