package gateway

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// TestSlicesThatAreNeeded are fetched, each once, and no others: the first range tells how
// long all of it is.
func TestSlicesThatAreNeeded(t *testing.T) {
	t.Parallel()
	f := newFilm(t, "")
	for _, tt := range []struct {
		name, asks string
		from, to   int64
		asked      []string
	}{
		{"cold", "Range: bytes=5000-5999", 5000, 6000, append(f.slicesOf(1, 2), "bytes=5000-5999")},
		{"the same", "Range: bytes=5000-5999", 5000, 6000, nil},
		{"of the same slice", "Range: bytes=4096-8191", 4096, 8192, nil},
		{"over three", "Range: bytes=4000-9000", 4000, 9001, append(f.slicesOf(0, 1), f.slicesOf(2, 3)...)},
		{"the last bytes", "Range: bytes=-50", f.size - 50, f.size, f.slicesOf(10, 11)},
		{"to the end", "Range: bytes=36800-", 36800, f.size, f.slicesOf(8, 10)},
		{"past the end", "Range: bytes=40960-99999999", 40960, f.size, nil},
		{"all", "Accept: */*", 0, f.size, f.slicesOf(3, 8)},
		{"all again", "Accept: */*", 0, f.size, nil},
		{"all as a range", "Range: bytes=0-", 0, f.size, nil},
	} {
		got := f.get(t, "/film", tt.asks)
		got.wantsOf(t, tt.name, 1, f.size, tt.from, tt.to)
		f.wantsAsked(t, tt.name, tt.asked...)
		if got.Header.Get("Content-Type") != "video/mp4" || got.Header.Get("ETag") != `"v1"` {
			t.Errorf("%s: %v", tt.name, got.Header)
		}
	}
}

// TestSlicesOfAWhole: who asks for all of it gets it as it comes, slice by slice, and nobody
// the whole that told of its length.
func TestSlicesOfAWhole(t *testing.T) {
	t.Parallel()
	f := newFilm(t, "")
	f.get(t, "/film").wantsOf(t, "cold", 1, f.size, 0, f.size)
	f.wantsAsked(t, "cold", append(f.slicesOf(0, 11), "GET")...)
	got := f.get(t, "/film", "Range: bytes=100-199")
	got.wantsOf(t, "a range", 1, f.size, 100, 200)
	if status := got.Header.Get("Cache-Status"); !strings.HasPrefix(status, "edge; hit") {
		t.Error(status)
	}
	f.wantsAsked(t, "a range")
}

// TestSlicesAndConditions: what a client asks for is judged by the head of the whole, without
// a slice where none is sent.
func TestSlicesAndConditions(t *testing.T) {
	t.Parallel()
	f := newFilm(t, "")
	f.get(t, "/film", "Range: bytes=0-0")
	f.takeAsked()
	for _, tt := range []struct {
		method string
		lines  []string
		status int
		where  string
		length int64
		asked  []string
	}{
		{"HEAD", nil, 200, "", f.size, nil},
		{"HEAD", []string{"Range: bytes=0-9"}, 200, "", f.size, nil},
		{"GET", []string{`If-None-Match: "v1"`}, 304, "", 0, nil},
		{"GET", []string{`If-None-Match: W/"v1"`, "Range: bytes=0-9"}, 304, "", 0, nil},
		{"GET", []string{`If-None-Match: "v0"`, "Range: bytes=0-9"}, 206, "bytes 0-9/41060", 10, nil},
		{"GET", []string{`If-Range: "v1"`, "Range: bytes=0-9"}, 206, "bytes 0-9/41060", 10, nil},
		{"GET", []string{`If-Range: "v0"`, "Range: bytes=0-9"}, 200, "", f.size, f.slicesOf(1, 11)},
		{"GET", []string{"Range: bytes=41060-"}, 416, "bytes */41060", 0, nil},
		{"GET", []string{"Range: bytes=-0"}, 416, "bytes */41060", 0, nil},
		{"GET", []string{"Range: lines=1-2"}, 200, "", f.size, nil},
		{"GET", []string{"Cache-Control: only-if-cached", "Range: bytes=8000-9000"}, 206, "bytes 8000-9000/41060", 1001, nil},
	} {
		got := f.ask(t, tt.method, "/film", tt.lines...)
		if got.StatusCode != tt.status || got.Header.Get("Content-Range") != tt.where || max(got.ContentLength, 0) != tt.length || got.cut {
			t.Errorf("%s %q: %d %q, %d bytes", tt.method, tt.lines, got.StatusCode, got.Header.Get("Content-Range"), got.ContentLength)
		}
		f.wantsAsked(t, fmt.Sprint(tt.method, tt.lines), tt.asked...)
	}
	if got := f.get(t, "/other", "Cache-Control: only-if-cached"); got.StatusCode != 504 {
		t.Errorf("what is not stored: %d", got.StatusCode)
	}
}

// TestOnlyIfCachedAsksForNoSlice, not even for one of a whole that is known.
func TestOnlyIfCachedAsksForNoSlice(t *testing.T) {
	t.Parallel()
	f := newFilm(t, "")
	f.get(t, "/film", "Range: bytes=0-0")
	f.takeAsked()
	if got := f.get(t, "/film", "Cache-Control: only-if-cached", "Range: bytes=5000-5001"); got.StatusCode != 504 {
		t.Errorf("status %d", got.StatusCode)
	}
	f.wantsAsked(t, "only if cached")
}

// TestSeveralRangesOfSlices are put together like those of any stored answer. Of what is not
// known they pass as they come.
func TestSeveralRangesOfSlices(t *testing.T) {
	t.Parallel()
	f := newFilm(t, "")
	const ranges = "Range: bytes=4090-4100,-10"
	if got := f.get(t, "/film", ranges); got.StatusCode != 206 || !bytes.Contains(got.body, filmed(1, f.size)[4090:4101]) {
		t.Errorf("cold: %d", got.StatusCode)
	}
	f.wantsAsked(t, "cold", "bytes=4090-4100,-10")
	f.get(t, "/film", "Range: bytes=0-0")
	f.takeAsked()
	got := f.get(t, "/film", ranges)
	all := filmed(1, f.size)
	for _, part := range [][]byte{all[4090:4101], all[f.size-10:], []byte("bytes 4090-4100/41060"), []byte("bytes 41050-41059/41060")} {
		if !bytes.Contains(got.body, part) {
			t.Errorf("no %q in %q", part, got.body)
		}
	}
	if got.StatusCode != 206 || got.ContentLength != int64(len(got.body)) || strings.Count(string(got.body), "Content-Range") != 2 {
		t.Errorf("%d, %d bytes: %q", got.StatusCode, got.ContentLength, got.body)
	}
	f.wantsAsked(t, "warm", f.sliceRange(1), f.sliceRange(10))
}

// TestWhatIsNotSliced goes the ordinary way: passed as it comes, or stored as one.
func TestWhatIsNotSliced(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(f *film)
	}{
		{"short", func(f *film) { f.size = filmSlice }},
		{"a weak tag", func(f *film) { f.tag = `W/"v%d"` }},
		{"no validator", func(f *film) { f.tag = "" }},
		{"private", func(f *film) { f.fields = []string{"Cache-Control", "private"} }},
		{"every client its own", func(f *film) { f.fields = []string{"Cache-Control", "max-age=60", "Vary", "*"} }},
	} {
		f := newFilm(t, "")
		tt.change(f)
		f.get(t, "/film", "Range: bytes=16-31").wantsOf(t, tt.name, 1, f.size, 16, 32)
		f.wantsAsked(t, tt.name, "bytes=16-31")
		f.get(t, "/film").wantsOf(t, tt.name, 1, f.size, 0, f.size)
		for _, asked := range f.takeAsked() {
			if strings.HasPrefix(asked, "bytes=0-") {
				t.Errorf("%s: asked for %s", tt.name, asked)
			}
		}
	}
}

// TestOriginsWithoutSlices: what is no slice is none, however it looks: the client gets what it
// asked for, and for a while nobody asks for slices again.
func TestOriginsWithoutSlices(t *testing.T) {
	t.Parallel()
	answer := func(status int, where string, body []byte) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if r.Header.Get("Range") != "bytes=4096-8191" { // of which clients never ask
				return false
			}
			if where != "" {
				w.Header().Set("Content-Range", where)
			}
			w.Header().Set("Content-Length", fmt.Sprint(len(body)))
			w.WriteHeader(status)
			w.Write(body)
			return true
		}
	}
	all := filmed(1, 41060)
	for _, tt := range []struct {
		name    string
		answers func(http.ResponseWriter, *http.Request) bool
	}{
		{"the whole", answer(200, "", all)},
		{"another slice", answer(206, "bytes 0-4095/41060", all[:4096])},
		{"a longer one", answer(206, "bytes 4096-8192/41060", all[4096:8193])},
		{"a shorter one", answer(206, "bytes 4096-8190/41060", all[4096:8191])},
		{"less than it says", answer(206, "bytes 4096-8191/41060", all[4096:8000])},
		{"no word of where", answer(206, "", all[4096:8192])},
		{"of nobody knows how much", answer(206, "bytes 4096-8191/*", all[4096:8192])},
		{"no such range", answer(416, "bytes */41060", nil)},
		{"another length each time", answer(206, "bytes 4096-8191/41061", all[4096:8192])},
	} {
		f := newFilm(t, "")
		f.answers = tt.answers
		f.get(t, "/film", "Range: bytes=5000-5009").wantsOf(t, tt.name, 1, f.size, 5000, 5010)
		f.takeAsked()
		f.get(t, "/film", "Range: bytes=5000-5009").wantsOf(t, tt.name+", again", 1, f.size, 5000, 5010)
		f.wantsAsked(t, tt.name+", again", "bytes=5000-5009")
		f.get(t, "/film").wantsOf(t, tt.name+", all", 1, f.size, 0, f.size)
		f.wantsAsked(t, tt.name+", all", "GET")
	}
}

// TestSliceThatEndsEarly and does not say so in its head: the answer breaks off, before a byte
// of anything else.
func TestSliceThatEndsEarly(t *testing.T) {
	t.Parallel()
	f := newFilm(t, "")
	f.answers = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Range") != f.sliceRange(1) {
			return false
		}
		w.Header().Set("Content-Range", "bytes 4096-8191/41060")
		w.WriteHeader(206)
		w.Write(filmed(1, f.size)[4096:8000]) // chunked
		return true
	}
	f.get(t, "/film", "Range: bytes=5000-5009").wantsOf(t, "what came of it", 1, f.size, 5000, 5010)
	if got := f.get(t, "/film"); !got.cut || !bytes.Equal(got.body, filmed(1, f.size)[:8000]) {
		t.Errorf("all: cut %v, %d bytes", got.cut, len(got.body))
	}
}

// TestAnotherVersionBeforeTheFirstByte: the answer is one of the new version.
func TestAnotherVersionBeforeTheFirstByte(t *testing.T) {
	t.Parallel()
	f := newFilm(t, "")
	f.get(t, "/film", "Range: bytes=0-99")
	f.set(func() { f.version, f.size = 2, 9*filmSlice })
	f.takeAsked()
	f.get(t, "/film", "Range: bytes=8000-8999").wantsOf(t, "a slice of the new version", 2, f.size, 8000, 9000)
	f.wantsAsked(t, "the new version", f.sliceRange(1), "bytes=8000-8999", f.sliceRange(1), f.sliceRange(2))
	f.get(t, "/film", "Range: bytes=0-99").wantsOf(t, "what there was of the old one", 2, f.size, 0, 100)
	f.get(t, "/film").wantsOf(t, "all", 2, f.size, 0, f.size)
}

// TestAnotherVersionInTheMiddle: the answer breaks off behind bytes of the old one, and the
// next is of the new.
func TestAnotherVersionInTheMiddle(t *testing.T) {
	t.Parallel()
	f := newFilm(t, "")
	f.get(t, "/film", "Range: bytes=0-8191")
	f.set(func() { f.version = 2 })
	got := f.get(t, "/film")
	if !got.cut || got.StatusCode != 200 || !bytes.Equal(got.body, filmed(1, f.size)[:8192]) {
		t.Errorf("status %d, cut %v, %d bytes", got.StatusCode, got.cut, len(got.body))
	}
	f.get(t, "/film", "Range: bytes=9000-9999").wantsOf(t, "the next", 2, f.size, 9000, 10000)
	f.get(t, "/film").wantsOf(t, "all", 2, f.size, 0, f.size)
}

// TestSliceThatIsNoMore breaks off one answer, and no further one: whoever comes next does not
// begin with what is still stored of the old version.
func TestSliceThatIsNoMore(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		version int
		answers func(w http.ResponseWriter, r *http.Request) bool
	}{
		{"another version", 2, nil},
		{"no ranges any more", 1, func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Length", "41060")
			w.Write(filmed(1, 41060))
			return true
		}},
	} {
		f := newFilm(t, "")
		f.get(t, "/film", "Range: bytes=0-8191").wantsOf(t, tt.name+", before", 1, f.size, 0, 8192)
		f.set(func() { f.version, f.answers = tt.version, tt.answers })
		if got := f.get(t, "/film"); !got.cut || !bytes.Equal(got.body, filmed(1, f.size)[:8192]) {
			t.Errorf("%s: cut %v, %d bytes", tt.name, got.cut, len(got.body))
		}
		f.get(t, "/film").wantsOf(t, tt.name+", afterwards", tt.version, f.size, 0, f.size)
	}
}

// TestSlicesOfWhatWasPrivate: that an answer could not be stored says nothing of slices, and
// the next may be.
func TestSlicesOfWhatWasPrivate(t *testing.T) {
	t.Parallel()
	f := newFilm(t, "")
	f.set(func() { f.fields = []string{"Cache-Control", "private"} })
	f.get(t, "/film").wantsOf(t, "private", 1, f.size, 0, f.size)
	f.set(func() { f.fields = []string{"Cache-Control", "max-age=60"} })
	f.get(t, "/film", "Range: bytes=5000-5009").wantsOf(t, "for all", 1, f.size, 5000, 5010)
	f.takeAsked()
	f.get(t, "/film", "Range: bytes=5000-5009").wantsOf(t, "stored", 1, f.size, 5000, 5010)
	f.wantsAsked(t, "stored")
}

// TestRulesAreAskedAboutTheWhole: that a slice comes as a 206 is between us and the origin.
func TestRulesAreAskedAboutTheWhole(t *testing.T) {
	t.Parallel()
	f := newFilm(t, ", rules: [{ name: ok, when: 'status == 200', ttl: 60s }]")
	f.set(func() { f.fields = []string{"Cache-Control", "no-store"} })
	f.get(t, "/film").wantsOf(t, "the first", 1, f.size, 0, f.size)
	f.takeAsked()
	f.get(t, "/film").wantsOf(t, "the second", 1, f.size, 0, f.size)
	f.wantsAsked(t, "the second")
}

// TestVersionsThatAlternate, as of two origins that differ, are never mixed: the answer is
// passed on as it comes.
func TestVersionsThatAlternate(t *testing.T) {
	t.Parallel()
	f := newFilm(t, "")
	f.answers = func(http.ResponseWriter, *http.Request) bool {
		f.set(func() { f.version++ })
		return false
	}
	for range 5 {
		got := f.get(t, "/film", "Range: bytes=5008-9007")
		var version int
		fmt.Sscanf(string(got.body), "%d:", &version)
		got.wantsOf(t, "a range", version, f.size, 5008, 9008)
	}
}

// TestSliceThatBreaksOff is asked for once more, and read on.
func TestSliceThatBreaksOff(t *testing.T) {
	t.Parallel()
	f := newFilm(t, "")
	broken := 0
	f.answers = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Range") != f.sliceRange(2) || broken == 1 {
			return false
		}
		broken++
		breakOff(w, "HTTP/1.1 206 Partial Content\r\nETag: \"v1\"\r\nCache-Control: max-age=60\r\nContent-Range: bytes 8192-12287/41060\r\nContent-Length: 4096\r\n\r\n"+
			string(filmed(1, f.size)[8192:10000]))
		return true
	}
	f.get(t, "/film").wantsOf(t, "all", 1, f.size, 0, f.size)
	if broken != 1 {
		t.Error("nothing broke off")
	}
}

// TestOriginGoesInTheMiddle: what was begun breaks off, what has no byte yet is refused, and
// what is stored is served.
func TestOriginGoesInTheMiddle(t *testing.T) {
	t.Parallel()
	f := newFilm(t, "")
	f.get(t, "/film", "Range: bytes=0-8191")
	f.server.CloseClientConnections()
	f.server.Close()
	if got := f.get(t, "/film"); !got.cut || !bytes.Equal(got.body, filmed(1, f.size)[:8192]) {
		t.Errorf("all: cut %v, %d bytes", got.cut, len(got.body))
	}
	if got := f.get(t, "/film", "Range: bytes=9000-9999"); got.StatusCode < 500 {
		t.Errorf("what is not stored: %d", got.StatusCode)
	}
	f.get(t, "/film", "Range: bytes=4000-4999").wantsOf(t, "what is stored", 1, f.size, 4000, 5000)
	f.at(100)
	f.get(t, "/film", "Range: bytes=4000-4999").wantsOf(t, "what is stale", 1, f.size, 4000, 5000)
}

// TestErrorInPlaceOfASlice is the client's to see, and takes nothing away.
func TestErrorInPlaceOfASlice(t *testing.T) {
	t.Parallel()
	f := newFilm(t, "")
	f.get(t, "/film", "Range: bytes=0-99")
	f.answers = func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("Cache-Control", "no-store")
		http.Error(w, "overloaded", 503)
		return true
	}
	if got := f.get(t, "/film", "Range: bytes=9000-9999"); got.StatusCode != 503 {
		t.Errorf("status %d", got.StatusCode)
	}
	f.get(t, "/film", "Range: bytes=0-99").wantsOf(t, "what is stored", 1, f.size, 0, 100)
	f.set(func() { f.answers = nil })
	f.takeAsked()
	f.get(t, "/film", "Range: bytes=9000-9999").wantsOf(t, "afterwards", 1, f.size, 9000, 10000)
	f.wantsAsked(t, "afterwards", f.slicesOf(2, 3)...)
}

// TestSlicesOutliveTheirWhole: what has expired is validated by one question, whose 304
// holds for all slices.
func TestSlicesOutliveTheirWhole(t *testing.T) {
	t.Parallel()
	f := newFilm(t, "")
	f.get(t, "/film")
	f.takeAsked()
	f.at(100)
	f.get(t, "/film").wantsOf(t, "all", 1, f.size, 0, f.size)
	f.wantsAsked(t, "a 304", "GET")
	f.at(200)
	f.set(func() { f.version = 2 })
	f.get(t, "/film").wantsOf(t, "the new version", 2, f.size, 0, f.size)
	f.wantsAsked(t, "a 200", append(f.slicesOf(0, 11), "GET")...)
}

// TestManyAskForSlices: whatever they ask for, at once, each slice is fetched once.
func TestManyAskForSlices(t *testing.T) {
	t.Parallel()
	f := newFilm(t, "")
	var all sync.WaitGroup
	for i := range int64(40) {
		from := i * 997
		all.Go(func() {
			f.get(t, "/film", fmt.Sprintf("Range: bytes=%d-%d", from, from+1999)).wantsOf(t, "a range", 1, f.size, from, min(from+2000, f.size))
		})
	}
	all.Wait()
	seen := map[string]int{}
	for _, asked := range f.takeAsked() {
		seen[asked]++
	}
	for n := range int64(10) {
		if times := seen[f.sliceRange(n)]; times != 1 {
			t.Errorf("slice %d was fetched %d times", n, times)
		}
		delete(seen, f.sliceRange(n))
	}
	if len(seen) == 0 {
		t.Error("nobody asked how long all of it is")
	}
}

// TestPurgeTakesSlices, all of them, by the URL and by the tags of the whole, and by what a condition
// says of the whole. A whole with its slices is one object, as in lists, also in a preview.
func TestPurgeTakesSlices(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		match, where string
		count        int
	}{
		{"http://shop.example/film", "", 1}, {"tag:films", "", 2}, {"path:/film", "", 1},
		{"path:/film", "status == 200", 1}, {"tag:films", "status == 200 and path == \"/film\"", 1},
	} {
		match, sel := tt.match+" "+tt.where, StoredSelection{Match: tt.match, Where: tt.where}
		f := newFilm(t, "")
		f.fields = append(f.fields, "Surrogate-Key", "films")
		f.get(t, "/film")
		f.get(t, "/film2", "Range: bytes=0-0")
		none, err := f.g.PurgeStored(StoredPurge{StoredSelection: StoredSelection{Match: tt.match, Where: "status == 206"}})
		if err != nil || none.Count != 0 {
			t.Errorf("%s, by what slices say: %d, %v", match, none.Count, err)
		}
		for _, dry := range []bool{true, false} {
			done, err := f.g.PurgeStored(StoredPurge{StoredSelection: sel, DryRun: dry})
			if err != nil || done.Count != tt.count || len(done.Largest) != tt.count || done.Largest[0].Target != "/film" || done.Bytes < 11*filmSlice {
				t.Errorf("%s: %+v, %v", match, done, err)
			}
		}
		f.takeAsked()
		f.get(t, "/film").wantsOf(t, match, 1, f.size, 0, f.size)
		f.wantsAsked(t, match, append(f.slicesOf(0, 11), "GET")...)
	}
}

// TestUnsafeMethodTakesSlices like any other stored answer.
func TestUnsafeMethodTakesSlices(t *testing.T) {
	t.Parallel()
	f := newFilm(t, "")
	f.get(t, "/film")
	f.ask(t, "DELETE", "/film")
	if n := f.g.cache.Stats().Objects; n != 0 {
		t.Errorf("%d answers are left", n)
	}
}
