package plugins

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"weirkeep/abi"
)

// someGuests are modules of testplugins, small ones.
func someGuests(t testing.TB, folders ...string) (all [][]byte) {
	t.Helper()
	for _, folder := range folders {
		pattern := folder + "/*.wasm"
		files, err := filepath.Glob("../testplugins/" + pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, f := range files {
			wasm, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if len(wasm) < 8<<10 {
				all = append(all, wasm)
			}
		}
	}
	return all
}

// survives loads whatever it is given as a router, and calls it: it is refused with
// problems, or it answers or faults in a known way; then nothing of it is left.
func survives(t testing.TB, h *House, e *tally, wasm []byte) (isGuest bool) {
	t.Helper()
	// little fuel: what is new is in the first instructions
	c := Config{Name: "p", Kind: Router, Wasm: wasm, KV: 1 << 10, Limits: Limits{Fuel: 50_000, InitFuel: 50_000, Memory: 16 << 20}}
	p, err := h.Load(t.Context(), c)
	if err != nil {
		if problems, ok := errors.AsType[Problems](err); !ok || len(problems) == 0 || err.Error() == "" {
			t.Errorf("%v, want problems", err)
		}
		nothingOpen(t, h, e)
		return false
	}
	a, err := p.Attach(AttachOptions{Place: Place{Cluster: "main/shop"}, Table: threeServers})
	if err == nil {
		for _, path := range []string{"/", "/foo"} {
			list, _, failure := a.Route(request(path), nil, everything{}, nil)
			if f := kindOf(failure); f == HostError {
				t.Errorf("%v\n%s", failure, failure.Fault.Stack)
			}
			for _, at := range list {
				if at > 2 {
					t.Errorf("position %d of 3", at)
				}
			}
		}
		a.Close()
	}
	p.Close()
	settled(t, func() bool { return e.Instances.Load() == 0 && e.Modules.Load() == 0 })
	nothingOpen(t, h, e)
	return true
}

// A folder of files that are nearly guests does the gateway no harm: modules with
// bytes changed, cut, put in, and pieces of other modules.
func TestFolderOfArbitraryModules(t *testing.T) {
	h, e := house(t)
	seeds := someGuests(t, "good", "evil/load", "evil/init")
	guests := someGuests(t, "good", "evil/call")
	r := rand.New(rand.NewPCG(1, 2))
	good := 0
	for range 3000 {
		from := seeds
		if r.IntN(2) == 0 {
			from = guests
		}
		wasm := mutate(r, bytes.Clone(from[r.IntN(len(from))]), seeds)
		if r.IntN(3) == 0 {
			wasm = mutate(r, wasm, seeds)
		}
		if survives(t, h, e, wasm) {
			good++
		}
		if t.Failed() {
			t.Fatalf("%x", wasm)
		}
	}
	if good < 40 {
		t.Errorf("%d of 3000 are guests: too few to see what they do", good)
	}
}

func mutate(r *rand.Rand, wasm []byte, others [][]byte) []byte {
	if len(wasm) < 10 {
		return append(wasm, byte(r.Uint32()))
	}
	at := 8 + r.IntN(len(wasm)-8)
	switch r.IntN(6) {
	case 0:
		wasm[at] ^= 1 << r.IntN(8)
	case 1:
		wasm[at] = byte(r.Uint32())
	case 2:
		wasm[at]++
	case 3:
		return wasm[:at]
	case 4:
		return append(wasm[:at:at], append([]byte{byte(r.Uint32())}, wasm[at:]...)...)
	case 5:
		if other := others[r.IntN(len(others))]; len(other) > 8 {
			return append(wasm[:at:at], other[8+r.IntN(len(other)-8):]...)
		}
	}
	return wasm
}

// FuzzLoad: any file is refused with problems, or is a guest whose calls end in an
// answer or a fault of its own, and of which nothing stays.
func FuzzLoad(f *testing.F) {
	for _, wasm := range someGuests(f, "good", "evil/load", "evil/init", "evil/call") {
		f.Add(wasm)
	}
	h, e := house(f)
	f.Fuzz(func(t *testing.T, wasm []byte) { survives(t, h, e, wasm) })
}

// FuzzHTTPCall: whatever a guest hands to http_call is refused, or is a request to
// what was granted.
func FuzzHTTPCall(f *testing.F) {
	f.Add(abi.AppendOps(nil, []abi.Op{{Code: abi.OpURL, Value: []byte("http://a.example/x")}, {Code: abi.OpMethod, Value: []byte("PUT")}}))
	f.Add(abi.AppendOps(nil, []abi.Op{{Code: abi.OpURL, Value: []byte("http://a.example:80@b.example/")}}))
	f.Add(abi.AppendOps(nil, []abi.Op{{Code: abi.OpURL, Value: []byte("HTTP://A.example:080/")}}))
	p := guestEnv(Router).plugin
	p.config.HTTP = []string{"http://a.example"}
	f.Fuzz(func(t *testing.T, blob []byte) {
		c := &caller{a: &Attachment{plugin: p}}
		ops, err := abi.ReadOps(blob, int32(len(blob)), nil)
		if err != nil || abi.CheckOps(ops, abi.Where{Call: abi.HTTPCall, MaxBody: 100}) != nil {
			return
		}
		if r := requestOf(ops); c.granted(r.URL) && !isA(r.URL) {
			t.Errorf("granted: %q", r.URL)
		}
	})
}

// isA reports whether a URL is one of http://a.example, its port said or not.
func isA(url string) bool {
	lower := string(bytes.ToLower([]byte(url)))
	for _, begin := range []string{"http://a.example", "http://a.example:80", "http://a.example:"} {
		if rest, ok := bytes.CutPrefix([]byte(lower), []byte(begin)); ok && (len(rest) == 0 || bytes.IndexByte([]byte("/?#"), rest[0]) >= 0) {
			return true
		}
	}
	return false
}
