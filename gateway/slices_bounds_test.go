package gateway

import (
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
)

// TestSlicesInLittleMemory: however few slices have room, every answer is whole.
func TestSlicesInLittleMemory(t *testing.T) {
	t.Parallel()
	f := newFilm(t, ", memory: 1MiB")
	f.size = 3 << 19
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() { f.get(t, "/film").wantsOf(t, "all", 1, f.size, 0, f.size) })
	}
	all.Wait()
	if st := f.g.cache.Stats(); st.Bytes > 1<<20 || st.Evictions == 0 {
		t.Errorf("%+v", st)
	}
}

// TestSlicesThatFindNoRoom are for those who have asked.
func TestSlicesThatFindNoRoom(t *testing.T) {
	t.Parallel()
	f := newFilm(t, "")
	f.get(t, "/film", "Range: bytes=0-0")
	f.set(func() { f.fields = []string{"Cache-Control", "no-store"} })
	for range 2 {
		f.takeAsked()
		f.get(t, "/film", "Range: bytes=5000-9999").wantsOf(t, "a range", 1, f.size, 5000, 10000)
		f.wantsAsked(t, "a range", f.slicesOf(1, 3)...)
	}
}

// TestClientThatIsSlow or goes takes no more slices than it reads, but for the next one.
func TestClientThatIsSlow(t *testing.T) {
	t.Parallel()
	f := newFilm(t, "")
	f.size = 64 << 20
	c, err := net.Dial("tcp", f.addr)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(c, "GET /film HTTP/1.1\r\nHost: shop.example\r\n\r\n")
	if _, err := io.ReadFull(c, make([]byte, 10000)); err != nil {
		t.Fatal(err)
	}
	c.Close()
	until(t, "nothing is fetched any more", func() bool {
		busy, err := f.g.StoredStats()
		return err == nil && busy.Fetches == 0 && busy.Filling == 0
	})
	if n := len(f.takeAsked()); n > 8000 {
		t.Errorf("%d of 16384 slices were fetched", n)
	}
}

// TestSlicesAreSwitchedOff, and then everything goes as it came.
func TestSlicesAreSwitchedOff(t *testing.T) {
	t.Parallel()
	f := newFilm(t, "")
	apply(t, f.g, strings.Replace(f.text, "slice: 4KiB", "slice: 0", 1))
	f.get(t, "/film", "Range: bytes=5000-5999").wantsOf(t, "a range", 1, f.size, 5000, 6000)
	f.wantsAsked(t, "a range", "bytes=5000-5999")
	f.get(t, "/all").wantsOf(t, "all", 1, f.size, 0, f.size)
	f.wantsAsked(t, "all", "GET")
}

// TestNothingIsSlicedWhereFiltersStore: a filter of stage store sees the whole.
func TestNothingIsSlicedWhereFiltersStore(t *testing.T) {
	t.Parallel()
	f := newFilm(t, "")
	f.text += fmt.Sprintf(`
plugins: { edit: { kind: filter, module: %q, needs: [headers], limits: { instances: 16, wait: 1s } } }
sites: { w: { hosts: ["**"], filters: [{ plugin: edit, on_error: skip, stage: store }] } }
mappings: [{ site: w, cluster: a }]
`, guestFile(parrot))
	apply(t, f.g, f.text)
	f.get(t, "/film", "Range: bytes=5000-5999").wantsOf(t, "a range", 1, f.size, 5000, 6000)
	f.get(t, "/film").wantsOf(t, "all", 1, f.size, 0, f.size)
	f.wantsAsked(t, "all that was asked for", "bytes=5000-5999", "GET")
}

// TestSlicesAndFiltersOfAnswers: what is sent of slices passes the filters that are called at
// delivery, and the site's edits.
func TestSlicesAndFiltersOfAnswers(t *testing.T) {
	t.Parallel()
	f := newFilm(t, "")
	f.text += `
sites: { w: { hosts: ["**"], headers: { response: { set: { X-Edited: "yes" } } } } }
mappings: [{ site: w, cluster: a }]
`
	apply(t, f.g, f.text)
	for range 2 {
		got := f.get(t, "/film", "Range: bytes=5000-9999")
		got.wantsOf(t, "a range", 1, f.size, 5000, 10000)
		all := f.get(t, "/film")
		all.wantsOf(t, "all", 1, f.size, 0, f.size)
		if got.Header.Get("X-Edited") != "yes" || all.Header.Get("X-Edited") != "yes" {
			t.Errorf("%v %v", got.Header, all.Header)
		}
	}
	if got := f.get(t, "/film", "Range: bytes=0-9,20-29"); got.StatusCode != 206 || got.ContentLength != int64(len(got.body)) || got.Header.Get("X-Edited") != "yes" {
		t.Errorf("several ranges: %d, %d of %d bytes", got.StatusCode, len(got.body), got.ContentLength)
	}
}
