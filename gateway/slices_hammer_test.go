package gateway

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestHammerSlices: many clients ask for random ranges while versions change, purges and
// invalidations come, slices break off and the origin fails, in memory and on a disk that have
// no room for all. No answer has a byte of another version than its tag says, or of another
// place; each is whole, or breaks off visibly.
func TestHammerSlices(t *testing.T) {
	t.Parallel()
	for _, more := range []string{", memory: 1MiB", ", stale: { while_revalidate: 1h }" + diskOf(filepath.Join(t.TempDir(), "cache"))} {
		f := newFilm(t, more)
		f.size = 400 << 10
		f.answers = unsteady()
		h := &sliceHammer{t: t, film: f, over: make(chan struct{})}
		var clients, all sync.WaitGroup
		for seed := range uint64(6) {
			clients.Go(func() { h.client(rand.New(rand.NewPCG(seed, 8))) })
		}
		all.Go(h.disturb)
		clients.Wait()
		close(h.over)
		all.Wait()
		if h.whole.Load() == 0 {
			t.Error("no answer was whole")
		}
		f.set(func() { f.answers = nil })
		f.at(1 << 20)
		f.get(t, "/film").wantsOf(t, "afterwards", f.version, f.size, 0, f.size)
		t.Logf("%d answers were whole, %d broke off, %d were errors, the origin was asked %d times", h.whole.Load(), h.cut.Load(), h.failed.Load(), len(f.takeAsked()))
	}
}

// unsteady is an origin that now and then breaks off, fails, or ignores ranges.
func unsteady() func(http.ResponseWriter, *http.Request) bool {
	var n atomic.Int64
	return func(w http.ResponseWriter, r *http.Request) bool {
		switch n.Add(1) % 301 {
		case 7:
			panic(http.ErrAbortHandler)
		case 31:
			w.Header().Set("Cache-Control", "no-store")
			http.Error(w, "overloaded", 503)
			return true
		case 61:
			r.Header.Del("Range")
		}
		return false
	}
}

type sliceHammer struct {
	t    *testing.T
	film *film
	over chan struct{} // closed when all clients have had enough

	whole, cut, failed atomic.Int64
}

// client asks for ranges, one after the other.
func (h *sliceHammer) client(random *rand.Rand) {
	for range 40 {
		from := random.Int64N(h.film.size)
		to := min(from+1+random.Int64N(64<<10), h.film.size)
		lines := []string{fmt.Sprintf("Range: bytes=%d-%d", from, to-1)}
		if random.IntN(8) == 0 {
			from, to, lines = 0, h.film.size, nil
		}
		h.judge(h.film.get(h.t, "/film", lines...), from, to)
	}
}

// judge compares an answer with the version that its tag says.
func (h *sliceHammer) judge(got reply, from, to int64) {
	if got.StatusCode >= 500 {
		h.failed.Add(1)
		return
	}
	if got.StatusCode == 200 {
		from, to = 0, h.film.size
	}
	var version int
	if _, err := fmt.Sscanf(got.Header.Get("ETag"), `"v%d"`, &version); err != nil {
		h.t.Errorf("status %d, tag %s: %v", got.StatusCode, got.Header.Get("ETag"), err)
		return
	}
	want := filmed(version, h.film.size)[from:to]
	switch {
	case !got.cut && !bytes.Equal(got.body, want):
		h.t.Errorf("bytes %d to %d of version %d: %d other bytes", from, to, version, len(got.body))
	case got.cut && !bytes.HasPrefix(want, got.body):
		h.t.Errorf("bytes %d to %d of version %d: %d other bytes, and it broke off", from, to, version, len(got.body))
	case got.cut:
		h.cut.Add(1)
	default:
		h.whole.Add(1)
	}
}

// disturb changes what the origin has, and takes away what is stored.
func (h *sliceHammer) disturb() {
	for n := 0; ; n++ {
		select {
		case <-h.over:
			return
		case <-time.After(time.Duration(5+n%7*10) * time.Millisecond):
		}
		switch n % 4 {
		case 0:
			h.film.set(func() { h.film.version++ })
		case 1:
			_, err := h.film.g.PurgeStored(StoredPurge{StoredSelection: StoredSelection{Match: "path:/film"}, Soft: n%8 == 1})
			if err != nil {
				h.t.Error(err)
			}
		case 2:
			h.film.at(int64(n) * 20)
		case 3:
			h.film.ask(h.t, "POST", "/film", "Content-Length: 0")
		}
	}
}

// TestSlicesOnADisk are ordinary answers there: they come back after a restart, each by
// itself, and with their whole.
func TestSlicesOnADisk(t *testing.T) {
	t.Parallel()
	f := newFilm(t, diskOf(filepath.Join(t.TempDir(), "cache")))
	f.get(t, "/film")
	f.written(t)
	f.restart(t)
	f.takeAsked()
	if got := strings.Join(f.listed(t, StoredSelection{All: true}, "size"), ", "); got != "/film 0 of 11 slices of 4KiB" {
		t.Errorf("listed is %s", got)
	}
	f.get(t, "/film", "Range: bytes=5000-14999").wantsOf(t, "a range", 1, f.size, 5000, 15000)
	f.get(t, "/film").wantsOf(t, "all", 1, f.size, 0, f.size)
	f.wantsAsked(t, "after a restart")
	f.written(t)
	f.restart(t)
	f.at(100)
	f.get(t, "/film").wantsOf(t, "what has expired", 1, f.size, 0, f.size)
	f.wantsAsked(t, "what has expired", "GET")
	f.ask(t, "DELETE", "/film")
	f.restart(t)
	f.takeAsked()
	f.get(t, "/film", "Range: bytes=0-0")
	f.wantsAsked(t, "after it was deleted", "bytes=0-0", f.sliceRange(0))
}

// TestSlicesOfVariants do not mix, though origins give both the same tag.
func TestSlicesOfVariants(t *testing.T) {
	t.Parallel()
	f := newFilm(t, "")
	f.fields = append(f.fields, "Vary", "X-Lang")
	f.answers = func(w http.ResponseWriter, r *http.Request) bool {
		version := 5
		if r.Header.Get("X-Lang") == "de" {
			version = 6
		}
		http.ServeContent(w, r, "", time.Time{}, filmBytes(version, 41060))
		return true
	}
	for range 2 {
		for lang, version := range map[string]int{"en": 5, "de": 6} {
			f.get(t, "/film", "X-Lang: "+lang).wantsOf(t, lang, version, f.size, 0, f.size)
			f.get(t, "/film", "X-Lang: "+lang, "Range: bytes=5008-9007").wantsOf(t, lang, version, f.size, 5008, 9008)
		}
	}
	f.takeAsked()
	f.get(t, "/film", "X-Lang: en").wantsOf(t, "en", 5, f.size, 0, f.size)
	f.wantsAsked(t, "en")
}

// TestSlicesAndAuthorization: who has credentials gets what is for all, and nobody what was
// sent to one alone.
func TestSlicesAndAuthorization(t *testing.T) {
	t.Parallel()
	f := newFilm(t, "")
	f.get(t, "/film", "Authorization: Basic eA==").wantsOf(t, "one's own", 1, f.size, 0, f.size)
	f.wantsAsked(t, "one's own", "GET")
	f.get(t, "/film")
	f.takeAsked()
	f.get(t, "/film", "Authorization: Basic eA==").wantsOf(t, "one's own again", 1, f.size, 0, f.size)
	f.wantsAsked(t, "one's own again", "GET")
	f.set(func() { f.fields = []string{"Cache-Control", "public, max-age=60"} })
	f.get(t, "/public", "Authorization: Basic eA==").wantsOf(t, "for all", 1, f.size, 0, f.size)
	f.takeAsked()
	f.get(t, "/public", "Authorization: Basic eQ==").wantsOf(t, "for all again", 1, f.size, 0, f.size)
	f.wantsAsked(t, "for all again")
}

// TestSlicesOfATime: a Last-Modified that is old enough names a version, and one that is not
// names none.
func TestSlicesOfATime(t *testing.T) {
	t.Parallel()
	for age, sliced := range map[time.Duration]bool{2 * time.Minute: true, 10 * time.Second: false} {
		f := newFilm(t, "")
		f.tag = ""
		modified := time.Now().Add(-age)
		f.answers = func(w http.ResponseWriter, r *http.Request) bool {
			http.ServeContent(w, r, "", modified, filmBytes(1, 41060))
			return true
		}
		f.get(t, "/film", "Range: bytes=5000-5009").wantsOf(t, age.String(), 1, f.size, 5000, 5010)
		if asked := strings.Join(f.takeAsked(), " "); strings.Contains(asked, f.sliceRange(1)) != sliced {
			t.Errorf("modified %v ago: asked for %s", age, asked)
		}
	}
}
