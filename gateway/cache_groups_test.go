package gateway

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/cache/store"
)

// groupSites are two sites: one of whose hosts share what is stored, and one whose hosts do
// not.
const groupSites = `
sites: { shop: { hosts: [shop.example, www.shop.example] }, blog: { hosts: ["*.blog.example"] } }
mappings: [{ site: shop, cluster: a }, { site: blog, cluster: a }]
`

// TestGroupsAreInvalidated (RFC 9875): an answer to an unsafe method that is no error takes
// away what is in the groups that it names, at its own origin, wherever that is kept.
func TestGroupsAreInvalidated(t *testing.T) {
	for _, tt := range []struct {
		name, ask, status, names string
		gone                     string
	}{
		{"a group", "POST shop.example", "200 OK", `"cart"`, "/a /ab"},
		{"another", "PUT shop.example", "204 No Content", `"list"`, "/b /ab"},
		{"several", "DELETE shop.example", "303 See Other", `"none", "list";x, "cart"`, "/a /b /ab"},
		{"by an alias", "POST www.shop.example", "200 OK", `"cart"`, "/a /ab"},
		{"by case", "POST shop.example", "200 OK", `"Cart"`, ""},
		{"by a tag's name", "POST shop.example", "200 OK", `"tagged"`, ""},
		{"an error", "POST shop.example", "409 Conflict", `"cart"`, ""},
		{"a safe method", "OPTIONS shop.example", "200 OK", `"cart"`, ""},
		{"no list of strings", "POST shop.example", "200 OK", `cart`, ""},
		{"another site", "POST one.blog.example", "200 OK", `"cart"`, "one"},
		{"another host of a site that tells them apart", "POST two.blog.example", "200 OK", `"cart"`, "two"},
	} {
		for _, onDisk := range []bool{false, true} {
			t.Run(fmt.Sprint(tt.name, ", on the disk: ", onDisk), func(t *testing.T) {
				s := newGroups(t)
				if onDisk {
					s.restart(t)
				}
				method, host, _ := strings.Cut(tt.ask, " ")
				s.home.status = func() string { return tt.status }
				s.answer = func(string) (string, string) { return "Cache-Group-Invalidation: " + tt.names + "\r\n", "" }
				send(t, s.addr, method+" /do HTTP/1.1\r\nHost: "+host+"\r\nConnection: close\r\n\r\n")
				if got := s.gone(t); got != tt.gone {
					t.Errorf("gone: %s, want %s", got, tt.gone)
				}
				s.restart(t)
				if got := s.gone(t); got != tt.gone {
					t.Errorf("gone after a restart: %s, want %s", got, tt.gone)
				}
			})
		}
	}
}

// groupStock is what newGroups stores: who asks for what, and the groups that it is in. What
// begins with https is asked for so.
var groupStock = []struct{ name, url, groups string }{
	{"/a", "http://shop.example/a", `"cart", "own"`},
	{"/b", "http://shop.example/b", `"list"`},
	{"/ab", "http://shop.example/ab", `"list", "cart"`},
	{"/c", "http://shop.example/c", `"tagged2"`},
	{"tls", "https://shop.example/a", `"cart"`},
	{"one", "http://one.blog.example/a", `"cart"`},
	{"two", "http://two.blog.example/a", `"cart"`},
}

// newGroups is a shop with answers in groups, on its disk too.
func newGroups(t *testing.T) *shop {
	s := newShop(t, diskOf(filepath.Join(t.TempDir(), "cache")))
	s.text += groupSites
	apply(t, s.g, s.text)
	for _, row := range groupStock {
		s.answer = func(string) (string, string) {
			return "Cache-Control: max-age=600\r\nSurrogate-Key: tagged\r\nCache-Groups: " + row.groups + "\r\n", row.name
		}
		if rest, secure := strings.CutPrefix(row.url, "https://shop.example"); secure {
			s.storeSecure(t, rest)
			continue
		}
		s.visitURL(t, row.url)
	}
	s.written(t)
	return s
}

// storeSecure stores a copy of what was asked for by http as if it was by https.
func (s *shop) storeSecure(t *testing.T, target string) {
	t.Helper()
	var r cache.Request
	r.Read([]byte("GET"), nil)
	k := store.Key{Site: "shop", Target: []byte(target)}
	all, _ := store.ParseSelector("site:shop path:"+target, false, nil)
	for _, e := range s.g.cache.List(all, store.ByHits, 1) {
		k.Variant, k.Parts = e.Key().Variant, e.Key().Parts
		k.Secure = true
		fill := s.g.cache.Alone(&k).Store(e.Stored(), e.Head())
		fill.Write(e.Body().Whole())
		fill.Done()
		return
	}
	t.Fatal("nothing is stored of " + target)
}

// visitURL asks for a URL.
func (s *shop) visitURL(t *testing.T, url string) string {
	t.Helper()
	host, path, _ := strings.Cut(strings.TrimPrefix(url, "http://"), "/")
	return send(t, s.addr, "GET /"+path+" HTTP/1.1\r\nHost: "+host+"\r\nConnection: close\r\n\r\n")
}

// gone are the names of what was stored and is not any more.
func (s *shop) gone(t *testing.T) string {
	t.Helper()
	list, err := s.g.ListStored(StoredSelection{All: true}, "age", 100)
	if err != nil {
		t.Fatal(err)
	}
	there := make(map[string]bool)
	for _, o := range list.Objects {
		host, _, _ := strings.Cut(strings.TrimPrefix(o.Parts, "host "), ":")
		there[o.Scheme+"://"+map[bool]string{true: "shop.example", false: host}[o.Parts == ""]+o.Target] = true
	}
	var gone []string
	for _, row := range groupStock {
		if !there[row.url] {
			gone = append(gone, row.name)
		}
	}
	return strings.Join(gone, " ")
}

// TestGroupsAreSelected: operators see groups, and can purge by them; tags of the same name
// are something else.
func TestGroupsAreSelected(t *testing.T) {
	s := newGroups(t)
	for match, want := range map[string]int{"group:cart": 5, "group:cart group:list": 6, "group:list tag:tagged": 2, "tag:cart": 0, "group:tagged": 0, "site:blog group:cart": 2, "http://shop.example/b http://one.blog.example/a": 3, "http://shop.example/b http://one.blog.example/b": 1} {
		if list, err := s.g.ListStored(StoredSelection{Match: match}, "", 9); err != nil || list.Matched != want {
			t.Errorf("%s: %d, %v, want %d", match, list.Matched, err, want)
		}
	}
	all, err := s.g.Stored("http://shop.example/a")
	if err != nil || len(all) != 2 || fmt.Sprint(all[0].Groups, all[0].Tags) != "[cart own] [tagged]" {
		t.Errorf("%+v, %v", all, err)
	}
	if list, err := s.g.ListStored(StoredSelection{Match: "path:/a", Where: `tags == ["tagged"]`}, "", 9); err != nil || list.Matched != 4 {
		t.Errorf("%d of what has one tag, %v", list.Matched, err)
	}
}

// TestGroupsBeatWhatIsFetched (M6): what was asked for before a group was invalidated, and is in
// it, goes to its client and is not stored.
func TestGroupsBeatWhatIsFetched(t *testing.T) {
	s := newShop(t, "")
	s.answer = func(head string) (string, string) {
		if strings.HasPrefix(head, "POST ") {
			return "Cache-Group-Invalidation: \"cart\"\r\n", ""
		}
		return "Cache-Control: max-age=60\r\nCache-Groups: \"cart\"\r\n", "page"
	}
	got := make(chan string)
	go func() { got <- s.ask(t, "/hold") }()
	until(t, "it is fetched", func() bool { return s.home.held.Load() == 1 })
	send(t, s.addr, "POST /do HTTP/1.1\r\nHost: shop.example\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
	s.home.letGo <- struct{}{}
	if first := <-got; !strings.HasSuffix(first, "page") {
		t.Error(first)
	}
	if list, err := s.g.ListStored(StoredSelection{All: true}, "", 9); err != nil || list.Matched != 0 {
		t.Errorf("%+v is stored, %v", list.Objects, err)
	}
}
