package gateway

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestDiskIsListed: what is on the disk alone is listed, shown, counted and explained like what is
// in memory, and a purge says that it was there.
func TestDiskIsListed(t *testing.T) {
	s := newShop(t, diskOf(filepath.Join(t.TempDir(), "cache")))
	s.answer = func(head string) (string, string) {
		return "Cache-Control: max-age=60\r\nSurrogate-Key: news\r\nX-Of: " + targetOfHead(head) + "\r\n", strings.Repeat("x", 1000)
	}
	for _, target := range []string{"/a", "/b", "/c"} {
		s.ask(t, target)
	}
	s.restart(t)
	s.ask(t, "/b")
	list, err := s.g.ListStored(StoredSelection{All: true}, "hits", 2)
	if got := placesOf(list.Objects); err != nil || got != "/b both, /a disk" || list.Matched != 3 || list.OnDisk != 2 || list.Bytes < 3000 || list.Incomplete != "" {
		t.Errorf("%s of %+v, %v", got, list, err)
	}
	list, err = s.g.ListStored(StoredSelection{Where: "size == 1000 and age < 60", Match: "tag:news"}, "age", 9)
	if got := placesOf(list.Objects); err != nil || got != "/a disk, /c disk" {
		t.Errorf("%s, %v", got, err)
	}
	whole, err := s.g.Stored("http://shop.example/a")
	if got := placesOf(whole); err != nil || got != "/a disk" || len(whole[0].Fields) == 0 || whole[0].Length != 1000 || whole[0].State != "fresh" {
		t.Errorf("%+v, %v", whole, err)
	}
	e, err := s.g.Explain(Question{Raw: []byte("GET /a HTTP/1.1\r\nHost: shop.example\r\n\r\n")})
	if err != nil || e.Cache.Does != "fresh" || placesOf(e.Cache.Stored) != "/a disk" {
		t.Errorf("%+v, %v", e.Cache, err)
	}
	stats, err := s.g.StoredStats()
	if err != nil || stats.Objects != 1 || stats.Disk == nil || stats.Disk.Objects != 3 || stats.Disk.Hits != 1 || stats.Disk.Limit != 16<<20 || stats.Disk.Bytes < 3000 {
		t.Errorf("%+v, %v", stats.Disk, err)
	}
	done, err := s.g.PurgeStored(StoredPurge{StoredSelection: StoredSelection{Match: "path:/a path:/c"}})
	if err != nil || done.Count != 2 || done.OnDisk != 2 || done.Bytes != 2000 || len(done.Largest) != 0 {
		t.Errorf("%+v, %v", done, err)
	}
	if _, err := s.g.Stored("http://shop.example/a"); err == nil {
		t.Error("it is there after a purge")
	}
}

// placesOf says of objects where they are.
func placesOf(all []StoredObject) string {
	var texts []string
	for _, o := range all {
		texts = append(texts, fmt.Sprint(o.Target, " ", o.Place))
	}
	return strings.Join(texts, ", ")
}
