package plugins

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weirkeep/abi"
)

// Versions decide who may write; each write gets the next one.
func TestVersions(t *testing.T) {
	var s kv
	s.setSize(1 << 20)
	now := time.Unix(1000, 0)
	for _, tt := range []struct {
		do      string
		key     string
		version int64
		want    abi.Code
		is      uint64 // the version after it
	}{
		{"set", "a", 0, 0, 1},
		{"set", "a", 0, 0, 2},
		{"set", "a", -1, abi.Conflict, 2},
		{"set", "b", -1, 0, 3},
		{"set", "a", 1, abi.Conflict, 2},
		{"set", "a", 2, 0, 4},
		{"set", "c", 5, abi.Conflict, 0},
		{"delete", "a", 0, 0, 0},
		{"set", "a", 4, abi.Conflict, 0},
		{"set", "a", -1, 0, 5},
	} {
		got := abi.Code(0)
		if tt.do == "delete" {
			s.delete(tt.key, now)
		} else {
			got = s.set(tt.key, []byte("x"), 0, tt.version, now)
		}
		if _, is, _ := s.get(tt.key, now); got != tt.want || is != tt.is {
			t.Errorf("%s %s, version %d: %d, now %d; want %d, %d", tt.do, tt.key, tt.version, got, is, tt.want, tt.is)
		}
	}
}

// A value is there until its time is over, to the instant.
func TestValuesEnd(t *testing.T) {
	var s kv
	s.setSize(1 << 20)
	now := time.Unix(1000, 0)
	s.set("short", nil, time.Second, 0, now)
	s.set("long", nil, 0, 0, now)
	for _, tt := range []struct {
		key   string
		after time.Duration
		want  bool
	}{{"short", time.Second - 1, true}, {"short", time.Second, false}, {"long", 1000 * time.Hour, true}} {
		if _, _, got := s.get(tt.key, now.Add(tt.after)); got != tt.want {
			t.Errorf("%s after %v: %v, want %v", tt.key, tt.after, got, tt.want)
		}
	}
	if s.delete("short", now.Add(time.Second)) {
		t.Error("what is over was deleted")
	}
	s.set("short", nil, time.Second, 0, now)
	if got := s.set("short", nil, 0, -1, now.Add(time.Second)); got != 0 {
		t.Errorf("what is over is in the way: %d", got)
	}
}

// What is stored never has more bytes than granted, nothing is evicted but what is
// over, and the count is right whatever is done.
func TestStoreModel(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		const size = 600
		var s kv
		s.setSize(size)
		now := time.Unix(1000, 0)
		type entry struct {
			size int
			ends time.Time
		}
		model := make(map[string]entry)
		key := rapid.SampledFrom([]string{"a", "bb", "ccc", "dddd", "eeeee"})
		live := func(k string) bool {
			e, ok := model[k]
			return ok && (e.ends.IsZero() || now.Before(e.ends))
		}
		r.Repeat(map[string]func(*rapid.T){
			"set": func(r *rapid.T) {
				k, n, ttl := key.Draw(r, "key"), rapid.IntRange(0, 300).Draw(r, "size"), rapid.IntRange(0, 3).Draw(r, "ttl")
				used := len(k) + n + entryCost
				for other, e := range model {
					if other != k && live(other) {
						used += len(other) + e.size + entryCost
					}
				}
				want := abi.Code(0)
				if used > size {
					want = abi.Limit
				}
				if got := s.set(k, make([]byte, n), time.Duration(ttl)*time.Second, 0, now); got != want {
					r.Fatalf("set of %d bytes beside %d: %d, want %d", n, used, got, want)
				}
				if want == 0 {
					e := entry{size: n}
					if ttl > 0 {
						e.ends = now.Add(time.Duration(ttl) * time.Second)
					}
					model[k] = e
				}
			},
			"delete": func(r *rapid.T) {
				k := key.Draw(r, "key")
				if got := s.delete(k, now); got != live(k) {
					r.Fatalf("delete %s: %v", k, got)
				}
				delete(model, k)
			},
			"later": func(*rapid.T) { now = now.Add(time.Second) },
			"": func(r *rapid.T) {
				used := int64(0)
				for _, e := range s.entries {
					used += e.cost()
				}
				if used != s.used || used > size {
					r.Fatalf("%d bytes are counted, there are %d", s.used, used)
				}
				for k := range model {
					if v, _, found := s.get(k, now); found != live(k) || found && len(v) != model[k].size {
						r.Fatalf("%s is there: %v", k, found)
					}
				}
			},
		})
	})
}

// The store belongs to the plugin's name: it survives a reload, and a load that fails
// leaves its size. When nobody has the name any more it is forgotten.
func TestStoreSurvivesReload(t *testing.T) {
	h, e := house(t)
	c := router(t, "good/abstain")
	c.KV = 1000
	old := load(t, h, c)
	old.store.kv.set("a", []byte("x"), 0, 0, time.Now())
	c.KV = 2000
	next := load(t, h, c)
	old.Close()
	if _, _, found := next.store.kv.get("a", time.Now()); !found || next.store.kv.size != 2000 {
		t.Errorf("found %v, size %d", found, next.store.kv.size)
	}
	bad := c
	bad.Wasm, bad.KV = guestOf(t, "init/selftest-trap"), 1
	if _, err := h.Load(t.Context(), bad); err == nil || next.store.kv.size != 2000 {
		t.Errorf("%v, size %d", err, next.store.kv.size)
	}
	next.Close()
	c.Name = "other"
	other := load(t, h, c)
	if _, _, found := other.store.kv.get("a", time.Now()); found {
		t.Error("another plugin has the value")
	}
	other.Close()
	nothingOpen(t, h, e)
}

// The calls of guests: lengths, versions written where they were wanted, grants.
func TestStoreCalls(t *testing.T) {
	e, mem := guestEnv(Router), make([]byte, 1<<17)
	copy(mem, "key")
	copy(mem[16:], "value")
	for _, tt := range []struct {
		what string
		f    hostFunction
		args []uint64
		want int64
	}{
		{"none there", hostGet, []uint64{0, 3, 64, 32, 0}, -3},
		{"set", hostSet, []uint64{0, 3, 16, 5, 0, 0}, 0},
		{"get the length", hostGet, []uint64{0, 3, 0, 0, 0}, 5},
		{"get into too little", hostGet, []uint64{0, 3, 64, 4, 0}, 5},
		{"get", hostGet, []uint64{0, 3, 64, 5, 128}, 5},
		{"set if absent", hostSet, []uint64{0, 3, 16, 5, 0, minusOne}, -9},
		{"set the version", hostSet, []uint64{0, 3, 16, 5, 0, 1}, 0},
		{"set the same again", hostSet, []uint64{0, 3, 16, 5, 0, 1}, -9},
		{"set the largest", hostSet, []uint64{0, 3, 0, 65536, 0, 0}, 0},
		{"set more", hostSet, []uint64{0, 3, 0, 65537, 0, 0}, -4},
		{"a ttl that never ends", hostSet, []uint64{0, 3, 16, 5, 1<<63 - 1, 0}, 0},
		{"and is there", hostGet, []uint64{0, 3, 0, 0, 0}, 5},
		{"delete", hostDelete, []uint64{0, 3}, 0},
		{"delete again", hostDelete, []uint64{0, 3}, -3},
	} {
		clear(mem[64:80])
		if got := does(tt.f, e, mem, tt.args...); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.what, got, tt.want)
		}
		if got := strings.TrimRight(string(mem[64:80]), "\x00"); got != map[bool]string{true: "value"}[tt.what == "get"] {
			t.Errorf("%s wrote %q", tt.what, got)
		}
	}
	if got := binary.LittleEndian.Uint64(mem[128:]); got != 1 {
		t.Errorf("version %d, want 1", got)
	}
	e.plugin.config.KV = 0
	if got := does(hostGet, e, mem, 0, 3, 0, 0, 0); got != -5 {
		t.Errorf("without a grant: %d, want -5", got)
	}
}

func TestHammerStore(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	var s kv
	s.setSize(10_000)
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			now := time.Unix(1000, 0)
			for n := range 3000 {
				key := fmt.Sprint((n + g) % 40)
				s.set(key, []byte(key), time.Duration(n%5)*time.Millisecond, 0, now)
				if v, _, found := s.get(key, now); found && string(v) != key {
					t.Errorf("%s has the value %q", key, v)
				}
				s.delete(fmt.Sprint(n%7), now)
				now = now.Add(time.Millisecond)
			}
		})
	}
	all.Wait()
}
