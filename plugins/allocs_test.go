//go:build !race

package plugins

import (
	"testing"

	"weirkeep/abi"
)

// Budget: a call that a guest answers costs no allocation on the host, whatever the
// kind. See the benchmarks for time.
func TestCallsAllocs(t *testing.T) {
	h, _ := house(t)
	of := exchange{}
	for _, tt := range []struct {
		name   string
		config Config
		call   func(a *Attachment) func()
	}{
		{"Route", router(t, "call/moody"), func(a *Attachment) func() {
			v, list := request("/1"), make([]uint16, 0, 16)
			return func() { list, _, _ = a.Route(v, of, everything{}, list[:0]) }
		}},
		{"Route by names", router(t, "good/names"), func(a *Attachment) func() {
			v, list := request("/1"), make([]uint16, 0, 16)
			return func() { list, _, _ = a.Route(v, of, everything{}, list[:0]) }
		}},
		{"Match", Config{Name: "p", Kind: Matcher, OnError: "match", Wasm: guestOf(t, "good/count")}, func(a *Attachment) func() {
			v := request("/1")
			return func() { _, _ = a.Match(v, of, "rule") }
		}},
		{"Collect", Config{Name: "p", Kind: Collector, Wasm: guestOf(t, "good/count")}, func(a *Attachment) func() {
			v := &abi.CollectorView{Name: "server1", Address: "http://10.0.0.1:80"}
			return func() { _, _, _ = a.Collect(v) }
		}},
		{"Filter", Config{Name: "p", Kind: Filter, OnError: "skip", Wasm: goGuest(t, "")}, func(a *Attachment) func() {
			v, ops, keep := request("/a"), make([]abi.Op, 0, 16), make([]byte, 0, 1024)
			return func() {
				ops, keep, _ = a.Filter(v, of, abi.Where{Call: abi.OnResponse, Status: 200}, ops[:0], keep[:0])
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, end := loaded(t, h, tt.config)
			defer end()
			call := tt.call(a)
			call()
			if n := testing.AllocsPerRun(1000, call); n != 0 {
				t.Errorf("%s allocates %v times, want 0", tt.name, n)
			}
			if len(a.plugin.Faults()) > 0 {
				t.Error(a.plugin.Faults()[0].Error())
			}
		})
	}
}
