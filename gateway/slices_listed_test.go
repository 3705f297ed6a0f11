package gateway

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
)

// listed is what is listed, one line an answer.
func (f *film) listed(t *testing.T, q StoredSelection, order string) (lines []string) {
	t.Helper()
	list, err := f.g.ListStored(q, order, 100)
	if err != nil {
		t.Fatal(err)
	}
	if list.Matched != len(list.Objects) {
		t.Errorf("%d are said to match, %d are listed", list.Matched, len(list.Objects))
	}
	for _, o := range list.Objects {
		lines = append(lines, strings.TrimSpace(o.Target+" "+o.Slices+o.Part))
	}
	return lines
}

// TestSlicesAreListedWithTheirWhole: for people a sliced answer is one, as large as all that
// is in memory of it, and what a condition is of the whole it is of the slices.
func TestSlicesAreListedWithTheirWhole(t *testing.T) {
	t.Parallel()
	f := newFilm(t, "")
	f.get(t, "/film", "Range: bytes=0-9999")
	f.get(t, "/film2")
	f.set(func() { f.size = 4000 })
	f.get(t, "/short")
	for _, tt := range []struct {
		match, where, order, want string
	}{
		{"", "", "size", "/film2 11 of 11 slices of 4KiB, /film 3 of 11 slices of 4KiB, /short"},
		{"path:/film", "", "hits", "/film 3 of 11 slices of 4KiB"},
		{"path:/film", "status == 200", "age", "/film 3 of 11 slices of 4KiB"},
		{"path:/film", "status == 206", "age", ""},
	} {
		got := strings.Join(f.listed(t, StoredSelection{Match: tt.match, Where: tt.where, All: tt.match == ""}, tt.order), ", ")
		if got != tt.want {
			t.Errorf("%s %s by %s:\n%s\nwant\n%s", tt.match, tt.where, tt.order, got, tt.want)
		}
	}
	all, err := f.g.Stored("http://shop.example/film")
	if err != nil || len(all) != 1 || all[0].Length != 41060 || all[0].Bytes < 3*filmSlice || all[0].State != "fresh" || strings.Contains(all[0].Parts, "slice") {
		t.Errorf("%v: %+v", err, all)
	}
}

// TestSlicesAreNotPopular: who finds an answer has found one, however many slices it is sent in.
func TestSlicesAreNotPopular(t *testing.T) {
	t.Parallel()
	f := newFilm(t, "")
	for range 3 {
		f.get(t, "/film")
	}
	all, err := f.g.PopularPaths("stored", 9)
	if err != nil || len(all) != 1 || all[0].Path != "/film" || all[0].Stored != 2 {
		t.Errorf("%v: %+v, want /film, found twice", err, all)
	}
}

// TestSlicesAreExplained like what is stored in one piece.
func TestSlicesAreExplained(t *testing.T) {
	t.Parallel()
	f := newFilm(t, "")
	f.get(t, "/film", "Range: bytes=0-9999")
	told, err := f.g.Explain(Question{Raw: []byte("GET /film HTTP/1.1\r\nHost: shop.example\r\n\r\n")})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(told.Cache)
	if err != nil || told.Cache == nil || told.Cache.Does != "fresh" || len(told.Cache.Stored) != 1 || !strings.Contains(told.Cache.Why, "slices") {
		t.Errorf("%v: %s", err, text)
	}
}

// TestWarmingWhatIsSliced fetches its head.
func TestWarmingWhatIsSliced(t *testing.T) {
	t.Parallel()
	f := newFilm(t, "")
	for _, done := range []string{"fetched", "fresh"} {
		all, err := f.g.WarmStored(context.Background(), []string{"http://shop.example/film"}, nil)
		if err != nil || len(all) != 1 || all[0].Done != done || all[0].Length != f.size || !strings.Contains(all[0].Why, "slices") {
			t.Errorf("%v %+v", err, all)
		}
	}
	f.wantsAsked(t, "warming", "GET")
}
