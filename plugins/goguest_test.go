package plugins

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"weirkeep/abi"
)

// built are the guests that were built, by their tags.
var built struct {
	mu  sync.Mutex
	all map[string][]byte
}

// goGuest builds the guest of testdata/goguest, with build tags.
func goGuest(t testing.TB, tags string) []byte {
	t.Helper()
	built.mu.Lock()
	defer built.mu.Unlock()
	if built.all == nil {
		built.all = make(map[string][]byte)
	}
	if built.all[tags] == nil {
		built.all[tags] = buildGoGuest(t, tags)
	}
	return built.all[tags]
}

func buildGoGuest(t testing.TB, tags string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "guest.wasm")
	build := exec.Command("go", "build", "-trimpath", "-buildmode=c-shared", "-tags", tags, "-o", out, ".")
	build.Dir = "testdata/goguest"
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	wasm, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}

// A guest written in Go, of all kinds: one module, compiled once for those whose limits
// are the same.
func TestGoGuest(t *testing.T) {
	wasm := goGuest(t, "")
	h, e := goHouse(t)
	var ends []func()
	as := func(kind Kind, onError string) *Attachment {
		a, end := loaded(t, h, Config{Name: string(kind), Kind: kind, Wasm: wasm, OnError: onError})
		ends = append(ends, end)
		return a
	}
	r, m, c, f := as(Router, ""), as(Matcher, "no-match"), as(Collector, ""), as(Filter, "skip")
	if info := r.plugin.Info(); !info.GoGuest || info.MeteredBytes <= info.Bytes || !slices.Contains(info.Exports, routeExport) {
		t.Errorf("%+v", info)
	}
	if got := e.Compiled.Load(); got != 1 {
		t.Errorf("compiled %d times, want once", got)
	}
	if list := route(t, r, "/"); !slices.Equal(list, []uint16{0, 1, 2}) {
		t.Errorf("route: %v", list)
	}
	for path, want := range map[string]Answered{"/match": Match, "/other": NoMatch} {
		if got, failure := m.Match(request(path), nil, "rule"); got != want || failure != nil {
			t.Errorf("match %s: %v, %v", path, got, failure)
		}
	}
	for want := 1; want <= 3; want++ {
		if got, known, failure := c.Collect(&abi.CollectorView{Name: "server1"}); got != want || !known || failure != nil {
			t.Errorf("collect: %d, %v, %v, want %d", got, known, failure, want)
		}
	}
	ops, _, failure := f.Filter(request("/a"), nil, abi.Where{Call: abi.OnRequest}, nil, nil)
	if failure != nil || len(ops) != 1 || string(ops[0].Value) != "/a seen" {
		t.Errorf("filter: %v, %v", ops, failure)
	}
	ops, _, failure = f.Filter(request("/a"), nil, abi.Where{Call: abi.OnResponse, Status: 200}, nil, nil)
	if failure != nil || len(ops) != 1 || ops[0].Code != abi.OpTag {
		t.Errorf("filter: %v, %v", ops, failure)
	}
	_, _, failure = r.Route(request("/panic"), nil, everything{}, nil)
	if kindOf(failure) != TrapFault || !strings.Contains(failure.Fault.Stderr, "panic: no such shop") || failure.Fault.Stack == "" || failure.Fault.RequestID != 7 {
		t.Errorf("%+v, want a trap with panic, stack and request", failure.Fault)
	}
	for _, end := range ends {
		end()
	}
	settled(t, func() bool { return e.Instances.Load() == 0 && e.Modules.Load() == 0 })
	nothingOpen(t, h, e)
}

// 10,000 calls that leave 10 KiB of garbage each, with the collector of garbage off:
// instances are retired in time, memory stays flat, nothing faults.
func TestGoGuestLivesOnGarbage(t *testing.T) {
	h, e := goHouse(t)
	a, end := loaded(t, h, Config{Name: "p", Kind: Router, Wasm: goGuest(t, ""), Limits: Limits{Instances: 1}})
	most := int64(0)
	for range 10_000 {
		route(t, a, "/waste")
		settled(t, func() bool { // a caller that is faster than the making of instances would use the old one up
			a.pool.mu.Lock()
			defer a.pool.mu.Unlock()
			return !a.pool.retiring
		})
		most = max(most, a.Standing().Memory)
	}
	if retired := a.plugin.counters.Retired.Load(); retired < 1 || retired > 5 {
		t.Errorf("%d retired, want one in about 4,400 calls", retired)
	}
	if most > 56<<20 || len(a.plugin.Faults()) > 0 {
		t.Errorf("%d MiB of memory, %d faults", most>>20, len(a.plugin.Faults()))
	}
	end()
	settled(t, func() bool { return e.Instances.Load() == 0 && e.Modules.Load() == 0 })
	nothingOpen(t, h, e)
}

// origin answers http calls of guests by their URL.
type origin struct {
	mu     sync.Mutex
	called []string
	most   int
	ended  int // calls whose context was over before they were answered
}

func (o *origin) fetch(r *Request, most int) (func(context.Context) Answer, abi.Code) {
	o.mu.Lock()
	o.called, o.most = append(o.called, r.Method+" "+r.URL), most
	o.mu.Unlock()
	if strings.HasSuffix(r.URL, "/full") {
		return nil, abi.Busy
	}
	return func(ctx context.Context) Answer { return o.answer(ctx, r) }, 0
}

func (o *origin) answer(ctx context.Context, r *Request) Answer {
	switch {
	case strings.HasSuffix(r.URL, "/slow"):
		<-ctx.Done()
		o.mu.Lock()
		o.ended++
		o.mu.Unlock()
		return Answer{Code: abi.Timeout}
	case strings.HasSuffix(r.URL, "/gone"):
		return Answer{Code: abi.Busy}
	case strings.HasSuffix(r.URL, "/large"):
		long := strings.Repeat("v", 30_000)
		fields := []abi.Field{{Name: []byte("A"), Value: []byte(long)}, {Name: []byte("B"), Value: []byte(long)}}
		return Answer{Status: 200, Headers: fields, Body: make([]byte, 200_000), Whole: true}
	}
	return Answer{Status: 204, Headers: []abi.Field{{Name: []byte("A"), Value: []byte("b")}}, Whole: true}
}

// A guest calls out in gw_tick: with a token for each call, to what it was granted,
// four at a time; the answers come in calls of their own.
func TestHTTPCalls(t *testing.T) {
	wasm := goGuest(t, "calls")
	h, e := goHouse(t)
	grants := []string{"http://a.example", "cluster:shop"}
	shared := load(t, h, Config{Name: "shared", Kind: Router, Wasm: wasm, KV: 1, HTTP: grants}) // that it is compiled once
	for n, tt := range []struct {
		name string
		urls string
		want map[string]string
	}{
		{"an answer", "http://a.example/ok", map[string]string{"http://a.example/ok": "1", "answer 1": "0 204 1 0 4"}},
		{"granted and not", "http://a.example:80/ http://a.example:81/ https://a.example/ http://b.example/ http://x@a.example/ ftp://a.example/ cluster://shop/x cluster://other/x a", map[string]string{
			"http://a.example:80/": "1", "http://a.example:81/": "-5", "https://a.example/": "-5", "http://b.example/": "-5",
			"http://x@a.example/": "-5", "ftp://a.example/": "-5", "cluster://shop/x": "2", "cluster://other/x": "-5", "a": "-5",
		}},
		{"four at a time", "http://a.example/1/slow http://a.example/2/slow http://a.example/3/slow http://a.example/4/slow http://a.example/5", map[string]string{
			"http://a.example/4/slow": "4", "http://a.example/5": "-8", "answer 1": "-10 0 0 0 0", "answer 4": "-10 0 0 0 0", "answer 5": "",
		}},
		{"no slot is free", "cluster://shop/1/full cluster://shop/2/full cluster://shop/3/full cluster://shop/4/full cluster://shop/5/ok", map[string]string{
			"cluster://shop/1/full": "-8", "cluster://shop/4/full": "-8", "cluster://shop/5/ok": "1", "answer 1": "0 204 1 0 4",
		}},
		{"unreachable", "http://a.example/gone", map[string]string{"answer 1": "-11 0 0 0 0"}},
		{"fields are left out, the body is cut", "http://a.example/large", map[string]string{"answer 1": "0 200 1 19095 10"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := load(t, h, Config{Name: fmt.Sprint("p", n), Kind: Router, Wasm: wasm, KV: 1 << 20, Tick: time.Minute, HTTP: grants, Params: []byte(`"` + tt.urls + `"`)})
				o := new(origin)
				a := at(t, p, o.fetch)
				time.Sleep(time.Minute + 2*time.Second)
				for key, want := range tt.want {
					if got, _, _ := p.store.kv.get(key, time.Now()); string(got) != want {
						t.Errorf("%s: %q, want %q", key, got, want)
					}
				}
				if a.calling.Load() != 0 || o.most != 48<<10 {
					t.Errorf("%d calls are open, at most %d bytes are wanted", a.calling.Load(), o.most)
				}
				a.Close()
				p.Close()
			})
		})
	}
	shared.Close()
	nothingOpen(t, h, e)
}

// Answers that come after their instance has gone are nobody's, and calls that are
// open end with it.
func TestLateAnswersAreForgotten(t *testing.T) {
	h, e := goHouse(t)
	wasm := goGuest(t, "calls")
	synctest.Test(t, func(t *testing.T) {
		p := load(t, h, Config{Name: "p", Kind: Router, Wasm: wasm, KV: 1 << 20, Tick: time.Minute, HTTP: []string{"http://a.example"}, Params: []byte(`"http://a.example/slow"`)})
		o := new(origin)
		a := at(t, p, o.fetch)
		time.Sleep(time.Minute + 10*time.Millisecond)
		begun := time.Now()
		a.Close()
		synctest.Wait()
		if _, _, found := p.store.kv.get("answer 1", time.Now()); found || o.ended != 1 || time.Since(begun) != 0 || a.calling.Load() != 0 {
			t.Errorf("answered %v, %d ended, %d open", found, o.ended, a.calling.Load())
		}
		p.Close()
	})
	nothingOpen(t, h, e)
}

// A collector's calls are answered on its one instance, as the answers come.
func TestCollectorsCallOut(t *testing.T) {
	h, e := goHouse(t)
	wasm := goGuest(t, "calls")
	synctest.Test(t, func(t *testing.T) {
		p := load(t, h, Config{Name: "p", Kind: Collector, Wasm: wasm, KV: 1 << 20, Tick: time.Minute, HTTP: []string{"http://a.example"}, Params: []byte(`"http://a.example/ok"`)})
		o := new(origin)
		a := at(t, p, o.fetch)
		time.Sleep(3*time.Minute + time.Second)
		if v, _, _ := p.store.kv.get("answer 3", time.Now()); string(v) != "0 204 1 0 4" || e.Instances.Load() != 1 {
			t.Errorf("answer %q, %d instances", v, e.Instances.Load())
		}
		a.Close()
		p.Close()
	})
	nothingOpen(t, h, e)
}
