package promises

import (
	"encoding/base64"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Whatever stands in a .wasm file, it is refused or it runs, as each kind: every module
// of the project, and what becomes of one when bytes are lost, changed, doubled or
// mixed up.
func TestGuestFilesNeverCrash(t *testing.T) {
	t.Parallel()
	files := allModules(t)
	eachEngine(t, func(t *testing.T, engine string) {
		s := newStage(t, engine, 1)
		s.c.t = t
		r := rand.New(rand.NewPCG(1, 51))
		ran, refused := 0, 0
		count := func(taken bool) {
			if taken {
				ran++
			} else {
				refused++
			}
		}
		for i, wasm := range files {
			for _, kind := range kinds {
				count(s.swallow(t, kind, wasm))
			}
			for n := range either(1, 40) {
				count(s.swallow(t, kinds[(i+n)%len(kinds)], mutated(r, wasm, files[r.IntN(len(files))])))
			}
		}
		s.c.mustReload(s.without())
		s.c.expectOnlyAttached(1)
		s.measure()
		t.Logf("%s: %d modules: %d ran, %d were refused", engine, ran+refused, ran, refused)
		if ran < len(files)/4 || refused < len(files)/4 {
			t.Errorf("%d ran, %d were refused: want some of both", ran, refused)
		}
		s.end(t)
	})
}

var (
	kinds     = []string{"router", "filter", "matcher", "collector"}
	anyStatus = regexp.MustCompile(`^[2345]\d\d( |$)`) // guests may answer what they like
)

// allModules are the project's modules but for the largest.
func allModules(t *testing.T) (all [][]byte) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".wasm") {
			all = append(all, read(t, path))
		}
		return err
	})
	if err != nil || len(all) < 200 {
		t.Fatalf("%d modules, %v", len(all), err)
	}
	return all
}

// mutated is a module to which something has happened; other is where bytes may come
// from.
func mutated(r *rand.Rand, wasm, other []byte) []byte {
	wasm = slices.Clone(wasm)
	if len(wasm) < 9 {
		return append(wasm, other...)
	}
	at := 8 + r.IntN(len(wasm)-8)
	switch r.IntN(5) {
	case 0: // cut off
		return wasm[:at]
	case 1: // bits
		wasm[at] ^= 1 << r.IntN(8)
	case 2: // bytes
		for range 1 + r.IntN(8) {
			wasm[8+r.IntN(len(wasm)-8)] = byte(r.Uint32())
		}
	case 3: // doubled
		return slices.Insert(wasm, at, wasm[at:min(len(wasm), at+1+r.IntN(40))]...)
	case 4: // lost, and another one's in its place
		from := r.IntN(len(other) + 1)
		return append(wasm[:at], other[from:]...)
	}
	return wasm
}

// swallow gives the gateway a module, and asks for something if it takes it.
func (s *stage) swallow(t *testing.T, kind string, wasm []byte) (taken bool) {
	t.Helper()
	file := filepath.Join(s.dir, "guest.wasm")
	write(t, file, wasm)
	defer func() {
		if t.Failed() && len(wasm) < 20*kib {
			t.Fatalf("as a %s: %s", kind, base64.StdEncoding.EncodeToString(wasm))
		}
	}()
	_, said := s.c.reload(s.with(misdeed{as: kind}, file))
	if said != "applied" {
		if !strings.HasPrefix(said, "refused: ") {
			t.Errorf("a module is neither taken nor refused: %q", said)
		}
		return false
	}
	for _, who := range pair {
		k := &asker{addr: s.c.addr, host: s.name(who) + ".example", got: make(map[string]int)}
		k.once("/")
		k.hangUp()
		if got := k.text(); !anyStatus.MatchString(got) {
			t.Errorf("%s got %q", who, got)
		}
	}
	return true
}
