package plugins

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"log/slog"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"weirkeep/abi"
	"weirkeep/plugins/engine"
)

// guestEnv is what host functions know in a call of a plugin of a kind.
func guestEnv(kind Kind) *env {
	p := &Plugin{house: NewHouse(nil), config: Config{Name: "p", Kind: kind, KV: 1 << 20}, limits: Limits{}.orDefaults(false), store: new(store)}
	p.counters = new(Counters)
	p.store.kv.setSize(1 << 20)
	e := &env{plugin: p, place: Place{Cluster: "main/shop"}}
	e.begin(serving, false, 1_700_000_000_000_000_000)
	return e
}

// does calls a host function, and returns its result.
func does(f hostFunction, e *env, mem []byte, args ...uint64) int64 {
	stack := append(append([]uint64(nil), args...), 0)
	f(e, mem, stack)
	return int64(int32(uint32(stack[0])))
}

const (
	minusOne = 1<<64 - 1
	beyond   = 1 << 20 // an address outside memory
)

// An address or length outside memory is -4, whatever half of the slot says so.
func TestHostFunctionsStayInMemory(t *testing.T) {
	mem := make([]byte, 4096)
	copy(mem, "key")
	for _, tt := range []struct {
		name string
		f    hostFunction
		args []uint64
	}{
		{"get_property name", hostProperty, []uint64{beyond, 3, 0, 8}},
		{"get_property buffer", hostProperty, []uint64{0, 3, 4090, 8}},
		{"random", hostRandom, []uint64{4000, 97}},
		{"random, too much", hostRandom, []uint64{0, 4097}},
		{"metric_define", hostMetric, []uint64{1, 4095, 2}},
		{"kv_get key", hostGet, []uint64{beyond, 3, 0, 8, 0}},
		{"kv_get buffer", hostGet, []uint64{0, 3, 4095, 2, 0}},
		{"kv_get version", hostGet, []uint64{0, 3, 0, 8, 4089}},
		{"kv_set key", hostSet, []uint64{math.MaxUint32, 3, 0, 8, 0, 0}},
		{"kv_set value", hostSet, []uint64{0, 3, 4000, math.MaxUint32, 0, 0}},
		{"kv_set empty key", hostSet, []uint64{0, 0, 0, 8, 0, 0}},
		{"kv_set long key", hostSet, []uint64{0, 257, 0, 8, 0, 0}},
		{"kv_set negative ttl", hostSet, []uint64{0, 3, 0, 8, minusOne, 0}},
		{"kv_set version -2", hostSet, []uint64{0, 3, 0, 8, 0, minusOne - 1}},
		{"kv_delete", hostDelete, []uint64{beyond, 3}},
		{"http_call", hostHTTP, []uint64{beyond, 3, 1000}},
		{"a sum that leaves 32 bits", hostDelete, []uint64{1<<32 - 1, 1<<32 - 1}},
	} {
		if got := does(tt.f, guestEnv(Router), mem, tt.args...); got != int64(abi.BadArgument) {
			t.Errorf("%s: %d, want -4", tt.name, got)
		}
	}
}

// A call makes 1,000 host calls, 10,000 with the fuel of a step; work on many bytes
// counts as more of them.
func TestHostCallsAreLimited(t *testing.T) {
	mem := make([]byte, 1<<20)
	calls := func(e *env, f func()) (n int) {
		defer func() {
			if err, ok := recover().(error); !ok || !errors.Is(err, engine.OutOfCalls) {
				t.Errorf("it ended with %v", err)
			}
		}()
		for ; n < 20_000; n++ {
			e.charge(1)
			f()
		}
		return n
	}
	e := guestEnv(Router)
	binary.LittleEndian.PutUint32(mem[8:], 0)
	binary.LittleEndian.PutUint32(mem[12:], 1<<20)
	for _, tt := range []struct {
		name  string
		ample bool
		f     func()
		want  int
	}{
		{"a call", false, func() {}, 1000},
		{"a step", true, func() {}, 10_000},
		{"a mebibyte of random_get", false, func() { does(wasiRandom, e, mem, 0, 1<<20) }, 1000 / 17},
		{"a mebibyte of fd_write", false, func() { does(wasiWrite, e, mem, 1, 8, 1, 0) }, 1000 / 17},
		{"20,000 subscriptions", false, func() { does(wasiPoll, e, mem, 0, 0, 20_000, 0) }, 1000 / 15},
	} {
		e.begin(serving, tt.ample, 1)
		if got := calls(e, tt.f); got < tt.want-1 || got > tt.want {
			t.Errorf("%s: %d times, want %d", tt.name, got, tt.want)
		}
		binary.LittleEndian.PutUint32(mem[8:], 0)
		binary.LittleEndian.PutUint32(mem[12:], 1<<20)
	}
}

// goldenStream begins the stream of request 0x0123456789abcdef and rule automated.
const goldenStream = "6a66a52bc6a4a34b160aac4ba95f47f0"

// The random stream of a matcher is that of request and rule, from its begin in each
// call; its clock is the view's; other kinds get what is real.
func TestMatchersAreDeterministic(t *testing.T) {
	e, mem := guestEnv(Matcher), make([]byte, 64)
	for range 2 {
		e.random = abi.NewRandom(abi.MatcherSeed(0x0123456789abcdef, "automated"))
		does(hostRandom, e, mem, 0, 5)
		does(wasiRandom, e, mem, 5, 11)
		if got := hex.EncodeToString(mem[:16]); got != goldenStream {
			t.Errorf("stream %s, want %s", got, goldenStream)
		}
	}
	stack := []uint64{0}
	hostNow(e, nil, stack)
	does(wasiClock, e, mem, 0, 0, 32)
	if got := binary.LittleEndian.Uint64(mem[32:]); stack[0] != 1_700_000_000_000_000_000 || got != stack[0] {
		t.Errorf("now is %d and %d, want the view's", stack[0], got)
	}
	does(wasiClock, e, mem, 1, 0, 32)
	first := binary.LittleEndian.Uint64(mem[32:])
	if does(wasiClock, e, mem, 1, 0, 40); binary.LittleEndian.Uint64(mem[40:]) < first {
		t.Error("monotonic time went back")
	}
	e.begin(making, true, 0)
	if hostNow(e, nil, stack); stack[0] < 1_700_000_000_000_000_000+1 {
		t.Errorf("now is %d while it is made, want the real one", stack[0])
	}
	other := guestEnv(Router)
	does(hostRandom, other, mem, 0, 16)
	if hex.EncodeToString(mem[:16]) == goldenStream {
		t.Error("a router gets a matcher's stream")
	}
	if hostNow(other, nil, stack); time.Since(time.Unix(0, int64(stack[0]))) > time.Minute {
		t.Errorf("a router's now is %d", stack[0])
	}
}

// What get_property answers depends on what is granted, and on what there is.
func TestProperties(t *testing.T) {
	for _, tt := range []struct {
		name  string
		needs uint32
		want  string // or the code
	}{
		{"node.name", 0, "n1"},
		{"node.zone", 0, "-3"}, // not configured
		{"plugin.name", 0, "p"},
		{"attachment.cluster", 0, "-5"},
		{"attachment.cluster", NeedSite, "main/shop"},
		{"request.id", 0, "0000000000000007"},
		{"tls.sni", 0, "-3"},
		{"client.port", 0, "-5"},
		{"client.port", NeedClient, "50123"},
		{"session.primary", NeedClient, "-5"},
		{"session.primary", NeedSession, "-3"},
		{"node", 0, "-3"},
		{strings.Repeat("x", 4000), 0, "-3"},
	} {
		e, mem := guestEnv(Router), make([]byte, 8192)
		e.plugin.config.Node.Name = "n1"
		e.plugin.needs.Granted = tt.needs
		e.of = exchange{"request.id": "0000000000000007", "client.port": "50123"}
		copy(mem, tt.name)
		n := does(hostProperty, e, mem, 0, uint64(len(tt.name)), 4096, 4096)
		got := "-" + string(rune('0'-n))
		if n > 0 {
			got = string(mem[4096 : 4096+n])
		}
		if got != tt.want {
			t.Errorf("%.20s with %d: %s, want %s", tt.name, tt.needs, got, tt.want)
		}
	}
	e, mem := guestEnv(Router), make([]byte, 64)
	copy(mem, "plugin.name")
	if n := does(hostProperty, e, mem, 0, 11, 32, 0); n != 1 || mem[32] != 0 {
		t.Errorf("%d, %q, want the length and nothing written", n, mem[32])
	}
}

// exchange answers properties.
type exchange map[string]string

func (x exchange) Property(name string) (string, bool) {
	v, ok := x[name]
	return v, ok
}

// Metrics have a kind, a name and a bound on their number; what they say outlives
// configurations.
func TestGuestMetrics(t *testing.T) {
	e, mem := guestEnv(Router), make([]byte, 256)
	define := func(kind uint64, name string) int64 {
		copy(mem, name)
		return does(hostMetric, e, mem, kind, 0, uint64(len(name)))
	}
	for _, tt := range []struct {
		kind uint64
		name string
		want int64
	}{
		{1, "calls", 0}, {2, "size", 1}, {1, "calls", 0}, {2, "calls", -4}, {3, "x", -4}, {1, "", -4},
		{1, "Calls", -4}, {1, "1x", -4}, {1, "a-b", -4}, {1, strings.Repeat("a", 49), -4}, {1, strings.Repeat("a", 48), 2},
	} {
		if got := define(tt.kind, tt.name); got != tt.want {
			t.Errorf("metric_define(%d, %q) = %d, want %d", tt.kind, tt.name, got, tt.want)
		}
	}
	for _, tt := range []struct {
		what string
		f    hostFunction
		args []uint64
		want int64
	}{
		{"add 3", hostCount, []uint64{0, 3}, 0},
		{"add 0", hostCount, []uint64{0, 0}, 0},
		{"add -1", hostCount, []uint64{0, minusOne}, -4},
		{"add to a gauge", hostCount, []uint64{1, 1}, -4},
		{"add to none", hostCount, []uint64{9, 1}, -4},
		{"set 2.5", hostGauge, []uint64{1, math.Float64bits(2.5)}, 0},
		{"set NaN", hostGauge, []uint64{1, math.Float64bits(math.NaN())}, -4},
		{"set infinity", hostGauge, []uint64{1, math.Float64bits(math.Inf(1))}, -4},
		{"set a counter", hostGauge, []uint64{0, 0}, -4},
		{"set -1st", hostGauge, []uint64{minusOne, 0}, -4},
	} {
		if got := does(tt.f, e, mem, tt.args...); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.what, got, tt.want)
		}
	}
	all := e.plugin.GuestMetrics()
	if len(all) != 3 || all[0].Name != "calls" || all[0].Value() != 3 || all[1].Value() != 2.5 {
		t.Errorf("%d metrics: %v, %v", len(all), all[0].Value(), all[1].Value())
	}
	for n := range 40 {
		if got, want := define(1, "m"+string(rune('a'+n/26))+string(rune('a'+n%26))), int64(n+3); n < 29 && got != want || n >= 29 && got != -6 {
			t.Errorf("metric %d has the id %d", n+3, got)
		}
	}
}

// Lines are cut, escaped, and so many a second; the rest is counted.
func TestLogLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, mem := guestEnv(Router), bytes.Repeat([]byte("x"), 4096)
		log := new(lines)
		e.plugin.house.log = slog.New(log)
		copy(mem, "two\nlines\x1b[31m \xff é")
		does(hostLog, e, mem, 3, 0, 19)
		does(hostLog, e, mem, 1, 1000, 3000)
		does(hostLog, e, mem, 5, 0, 3)         // no level
		does(hostLog, e, mem, 1, 0, beyond)    // outside
		does(hostLog, e, mem, 1, 0, 1<<32-1)   // outside
		does(hostLog, e, mem, 4, 1<<32-1, 100) // outside
		want := "WARN two\\nlines\\x1b[31m \\xff é\nDEBUG " + strings.Repeat("x", 1024)
		if got := log.text(); got != want {
			t.Errorf("lines:\n%.200s\nwant:\n%.200s", got, want)
		}
		for range 300 {
			does(hostLog, e, mem, 2, 1000, 1)
		}
		if got, dropped := strings.Count(log.text(), "\n")+1, e.plugin.counters.LogDropped.Load(); got != 100 || dropped != 202 {
			t.Errorf("%d lines, %d dropped, want 100 and 202", got, dropped)
		}
		time.Sleep(time.Second)
		does(hostLog, e, mem, 2, 1000, 1)
		if got := strings.Count(log.text(), "\n") + 1; got != 101 {
			t.Errorf("%d lines a second later, want 101", got)
		}
		e.begin(trying, false, 1)
		if does(hostLog, e, mem, 2, 1000, 1); strings.Count(log.text(), "\n")+1 != 101 {
			t.Error("the self-test logs")
		}
	})
}

// In the self-test nothing of what outlives it is there.
func TestSelfTestHasNoEffects(t *testing.T) {
	e, mem := guestEnv(Router), make([]byte, 64)
	copy(mem, "calls")
	does(hostMetric, e, mem, 1, 0, 5)
	e.begin(trying, false, 1)
	for name, got := range map[string]int64{
		"metric_define": does(hostMetric, e, mem, 1, 0, 5),
		"counter_add":   does(hostCount, e, mem, 0, 1),
		"gauge_set":     does(hostGauge, e, mem, 0, 1),
		"kv_get":        does(hostGet, e, mem, 0, 5, 0, 0, 0),
		"kv_set":        does(hostSet, e, mem, 0, 5, 0, 0, 0, 0),
		"kv_delete":     does(hostDelete, e, mem, 0, 5),
		"http_call":     does(hostHTTP, e, mem, 0, 5, 1000),
	} {
		if got != int64(abi.Busy) {
			t.Errorf("%s: %d, want -8", name, got)
		}
	}
}
