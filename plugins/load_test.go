package plugins

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"weirkeep/abi"
)

// Good modules in a bad configuration are refused too.
func TestConfigurationsThatAreRefused(t *testing.T) {
	h, e := house(t)
	rows := 0
	for _, g := range guests(t, "good/") {
		if len(g.want) < 2 {
			continue // a row of the table of those that load
		}
		rows++
		p, err := h.Load(t.Context(), g.config)
		if words(g.want[0])[0] == "on_error" && g.config.OnError == "" {
			if err != nil || !g.config.Kind.MustSay() {
				t.Errorf("%v: a %s whose rules have to state on_error", err, g.config.Kind)
				continue
			}
			p.Close()
			continue
		}
		if _, ok := errors.AsType[Problems](err); !ok {
			t.Errorf("%s as %+v: %v, want problems", g.module, g.config.Kind, err)
			continue
		}
		for _, w := range words(g.want[0]) {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%v\nlacks %q", err, w)
			}
		}
	}
	if rows < 10 {
		t.Errorf("%d rows", rows)
	}
	nothingOpen(t, h, e)
}

// Limits have a range, and everything that is out of it is told.
func TestLimitsHaveARange(t *testing.T) {
	h, _ := house(t)
	c := router(t, "good/abstain")
	c.KV, c.Tick = 64<<20+1, -1
	c.Limits = Limits{Memory: 1<<30 + 1, Fuel: 32_000_001, InitFuel: -1, Depth: 4001, Instances: 1025, Wait: time.Second + 1, View: -1, Body: 1<<20 + 1, LogRate: -1}
	_, err := h.Load(t.Context(), c)
	problems, _ := errors.AsType[Problems](err)
	if len(problems) != 11 {
		t.Errorf("%d problems: %v", len(problems), err)
	}
	for _, key := range []string{"memory", "fuel", "init_fuel", "depth", "instances", "wait", "view", "body", "log_rate", "kv", "tick"} {
		if err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%v\nlacks %s", err, key)
		}
	}
}

// The guests that are good load, and answer.
func TestGuestsThatAreGood(t *testing.T) {
	t.Parallel()
	h, e := house(t)
	for name, want := range map[string][]uint16{
		"abstain": nil, "buffer-grows": nil, "core2": {1}, "count": {0}, "deep": nil, "deep-wide": nil, "host-1000": nil,
		"memory-all": nil, "memory-max": {0}, "metrics": nil, "names": {0, 2}, "overdrawn": nil, "slow": nil, "table-grows": {0},
	} {
		a, end := loaded(t, h, router(t, "good/"+name))
		a.SetTable(tableOf(2, 7))
		v := request("/")
		v.Generation = 2
		list, _, failure := a.Route(v, nil, everything{}, nil)
		if failure != nil || !slices.Equal(list, want) {
			t.Errorf("%s: %v, %v, want %v", name, list, failure, want)
		}
		end()
	}
	nothingOpen(t, h, e)
}

// Where a step fails, its kind of fault is in the message.
func TestStepsNameTheirFault(t *testing.T) {
	h, e := house(t)
	for _, g := range guests(t, "init/") {
		kind, said, _ := strings.Cut(g.want[1], ":")
		if g.module == "init/elem-outside" || g.module == "init/data-outside" {
			continue // engines tell these in words of their own, or not at all
		}
		_, err := h.Load(t.Context(), g.config)
		if kind == "refused" {
			kind = map[string]string{"init/buffer-refused": "refuses", "init/cluster-refused": "must be 0", "init/enable-refused": "must be 0"}[g.module]
		}
		if err == nil || !strings.Contains(err.Error(), kind) || strings.Contains(err.Error(), "\n  ") {
			t.Errorf("%s: %v, want %s", g.module, err, g.want[1])
		}
		for _, w := range words(said) {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v lacks %q", g.module, err, w)
			}
		}
	}
	nothingOpen(t, h, e)
}

// The same module is compiled once for all who have it, at the same time as well, and
// freed when nobody has it any more.
func TestModulesAreShared(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	h, e := house(t)
	var plugins [8]*Plugin
	var all sync.WaitGroup
	for n := range plugins {
		all.Go(func() {
			c := router(t, "good/abstain")
			c.Name = string(rune('a' + n))
			c.Limits.Fuel = int64(1000 + n) // which is no matter of the code
			p, err := h.Load(context.Background(), c)
			if err != nil {
				t.Error(err)
			}
			plugins[n] = p
		})
	}
	all.Wait()
	if t.Failed() {
		return
	}
	other := router(t, "good/abstain")
	other.Limits.Memory = 4 << 20 // which is
	o := load(t, h, other)
	if got := e.Compiled.Load(); got != 2 {
		t.Errorf("compiled %d times, want twice", got)
	}
	o.Close()
	for n, p := range plugins {
		if e.Modules.Load() != 1 {
			t.Errorf("%d modules are open before %d is closed", e.Modules.Load(), n)
		}
		p.Close()
		p.Close()
	}
	nothingOpen(t, h, e)
	load(t, h, other).Close()
	if got := e.Compiled.Load(); got != 3 {
		t.Errorf("compiled %d times, want once more", got)
	}
}

// Who no longer wants to load does not compile.
func TestLoadLooksAtItsContext(t *testing.T) {
	h, e := house(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Load(ctx, router(t, "good/abstain")); !errors.Is(err, context.Canceled) || e.Compiled.Load() != 0 {
		t.Errorf("%v, compiled %d times", err, e.Compiled.Load())
	}
}

// A memory that the system does not give is an error of loading, and nothing stays.
func TestInstancesThatCannotBeMade(t *testing.T) {
	h, e := house(t)
	e.Broken.Store(true)
	if _, err := h.Load(t.Context(), router(t, "good/abstain")); err == nil || !strings.Contains(err.Error(), "instantiate") {
		t.Errorf("%v", err)
	}
	nothingOpen(t, h, e)
}

// The self-test is one call of each export of the kind, with flag 256 and what was
// granted of a request that nobody made.
func TestViewOfTheSelfTest(t *testing.T) {
	n, _ := ParseNeeds(Router, []string{"host", "path", "origins", "query", "header:x"})
	v := n.testView(5)
	b := make([]byte, 65536)
	size, err := v.Put(b)
	if err != nil {
		t.Fatal(err)
	}
	got, err := abi.DecodeView(b[:size])
	if err != nil || got.Flags != abi.FlagSelfTest || got.RequestID != 0 || got.Now != 5 || string(got.Host) != "selftest.invalid" ||
		string(got.Path) != "/" || got.MethodText != nil || got.Client != nil || got.Query != nil || len(got.Headers) != 0 || got.Granted != n.Granted ||
		!slices.Equal(got.Origins, testOrigins) {
		t.Errorf("%+v, %v", got, err)
	}
	h, _ := house(t)
	a, end := loaded(t, h, router(t, "good/count")) // it counts its calls: the self-test had another instance
	if list := route(t, a, "/"); len(list) != 1 {
		t.Errorf("%v, want the first call", list)
	}
	end()
}

// What is not granted is not shown, and a router lists origins whether it is shown
// them or not.
func TestOriginsNeedNotBeShown(t *testing.T) {
	h, _ := house(t)
	c := router(t, "call/moody")
	c.Needs = []string{"path"}
	a, end := loaded(t, h, c)
	defer end()
	v := request("/1")
	v.Origins = nil
	list, listed, failure := a.Route(v, nil, everything{}, nil)
	if failure != nil || !listed || !slices.Equal(list, []uint16{1}) {
		t.Errorf("%v, %v, %v", list, listed, failure)
	}
	if list, listed, _ := a.Route(v, nil, nothing{}, nil); !listed || len(list) != 0 || a.plugin.counters.Unlisted[notInGroup].Load() != 1 {
		t.Errorf("%v, %v: an origin that is not permitted", list, listed)
	}
}

// nothing is a group that has no origins.
type nothing struct{}

func (nothing) Permits(uint16) bool { return false }

// The properties of the exchange are there while the call runs, and not after it.
func TestPropertiesReachTheGuest(t *testing.T) {
	h, _ := house(t)
	a, end := loaded(t, h, router(t, "good/abstain"))
	defer end()
	held := hold(t, a)
	seen := false
	held.functions[callRoute] = peek(func() { _, code := held.env.property("rule"); seen = code == 0 })
	held.leave()
	if _, _, failure := a.Route(request("/"), exchange{"rule": "first"}, everything{}, nil); failure != nil || !seen || held.env.of != nil {
		t.Errorf("%v, seen %v, kept %v", failure, seen, held.env.of)
	}
}

// peek is a function of a guest that looks at the host.
type peek func()

func (p peek) Call(uint64) (uint64, error) { p(); return 0, nil }

// A whole body is shown, or the call is not made.
func TestBodiesThatAreCut(t *testing.T) {
	h, _ := house(t)
	for _, tt := range []struct {
		needs string
		flags uint16
		want  NotCalled
	}{
		{"body", 0, ""}, {"body", abi.FlagBody | abi.FlagWhole, ""}, {"body", abi.FlagBody, BodyTooLarge},
		{"body-prefix", abi.FlagBody, ""}, {"path", abi.FlagBody, ""},
	} {
		c := router(t, "good/buffer-grows")
		c.Needs = []string{tt.needs}
		a, end := loaded(t, h, c)
		v := request("/")
		v.Flags = tt.flags
		_, _, failure := a.Route(v, nil, everything{}, nil)
		got := NotCalled("")
		if failure != nil {
			got = failure.NotCalled
		}
		if got != tt.want {
			t.Errorf("%s, flags %d: %v, want %q", tt.needs, tt.flags, failure, tt.want)
		}
		end()
	}
}

// What needs may say, and what it then shows.
func TestNeeds(t *testing.T) {
	n, unknown := ParseNeeds(Router, []string{"headers", "header:Authorization", "cookie:Sid", "body-prefix", "header:", "wings", "cookie"})
	if !slices.Equal(unknown, []string{"header:", "wings", "cookie"}) {
		t.Errorf("unknown: %v", unknown)
	}
	for name, want := range map[string]bool{"x-user": true, "authorization": true, "cookie": false, "set-cookie": false, "proxy-authorization": false} {
		if n.ShowsField([]byte(strings.ToUpper(name))) != want {
			t.Errorf("%s is shown: %v", name, !want)
		}
	}
	if n.Granted != NeedHeaders|NeedHeader|NeedCookie|NeedBody || n.WholeBody || !slices.Equal(n.Cookies, []string{"Sid"}) {
		t.Errorf("%+v", n)
	}
	all, _ := ParseNeeds(Router, []string{"method", "scheme", "host", "path", "query", "target", "client", "session", "site", "header:a", "cookie:a", "body", "origins", "headers"})
	if all.Granted != 1<<14-1 || !all.WholeBody {
		t.Errorf("%+v", all)
	}
}

// The result of a filter is a copy: the guest cannot change what was checked.
func TestOperationsAreCopied(t *testing.T) {
	h, _ := goHouse(t)
	c := Config{Name: "p", Kind: Filter, OnError: "skip", Wasm: goGuest(t, "")}
	a, end := loaded(t, h, c)
	defer end()
	ops, keep, failure := a.Filter(request("/a"), nil, abi.Where{Call: abi.OnRequest}, nil, nil)
	if failure != nil || len(ops) != 1 {
		t.Fatal(ops, failure)
	}
	held := hold(t, a)
	clear(held.buffer())
	held.leave()
	if string(ops[0].Value) != "/a seen" || !bytes.Contains(keep, []byte("/a seen")) {
		t.Errorf("%q", ops[0].Value)
	}
	again, keep, _ := a.Filter(request("/bb"), nil, abi.Where{Call: abi.OnRequest}, ops, keep)
	if len(again) != 2 || string(again[0].Value) != "/a seen" || string(again[1].Value) != "/bb seen" || len(keep) == 0 {
		t.Errorf("%v", again)
	}
}
