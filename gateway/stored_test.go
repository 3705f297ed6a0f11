package gateway

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// newStocked is a shop with a few answers in the cache. Paths say which: /img/… are
// images that are tagged as such, /news/… are tagged "news" and vary by language.
func newStocked(t *testing.T) *shop {
	s := newShopOf(t, "", Options{})
	s.answer = func(head string) (string, string) {
		switch target := targetOfHead(head); {
		case strings.HasPrefix(target, "/img/"):
			return "Cache-Control: max-age=600\r\nContent-Type: image/png\r\nSurrogate-Key: pictures all\r\n", strings.Repeat("i", 10_000)
		case strings.HasPrefix(target, "/news/"):
			return "Cache-Control: max-age=60\r\nContent-Type: text/html\r\nCache-Tag: news,all\r\nVary: Accept-Language\r\nETag: \"n1\"\r\n", "news"
		case strings.HasPrefix(target, "/private"):
			return "Cache-Control: private\r\n", "yours"
		}
		return "Cache-Control: max-age=60\r\n", "page"
	}
	for _, ask := range []string{"/img/a.png", "/img/b/c.png?w=2", "/img/b/c.png?w=1", "/news/1", "/news/1|Accept-Language: de", "/%7Euser", "/img/a.png", "/img/a.png"} {
		target, field, _ := strings.Cut(ask, "|")
		send(t, s.addr, "GET "+target+" HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n"+cmp.Or(field, "X: y")+"\r\n\r\n")
	}
	until(t, "all is stored", func() bool {
		st, err := s.g.StoredStats()
		return err == nil && st.Objects == 6 && st.Filling == 0
	})
	return s
}

// targetOfHead is the target of a request's head.
func targetOfHead(head string) string { return strings.Fields(head)[1] }

func targetsOf(all []StoredObject) (list []string) {
	for _, o := range all {
		list = append(list, o.Target)
	}
	return list
}

func TestListStored(t *testing.T) {
	t.Parallel()
	s := newStocked(t)
	s.clock.Store(100)
	for _, tt := range []struct {
		match, where, order string
		limit, matched      int
		want                string
	}{
		{"", "", "hits", 1, 6, "[/img/a.png]"},
		{"", "", "size", 2, 6, "[/img/b/c.png?w=1 /img/b/c.png?w=2]"},
		{"tag:news", "", "", 9, 2, "[/news/1 /news/1]"},
		{"tag:pictures tag:news path:/news/*", "", "", 9, 2, "[/news/1 /news/1]"},
		{"path:/img/*", "", "", 9, 1, "[/img/a.png]"},
		{"path:/img/**", "", "", 9, 3, "[/img/a.png /img/b/c.png?w=1 /img/b/c.png?w=2]"},
		{"path:/img/**?w=1", "", "", 9, 1, "[/img/b/c.png?w=1]"},
		{"http://shop.example/img/a.png", "", "", 9, 1, "[/img/a.png]"},
		{"https://shop.example:444/%7euser#x", "", "", 9, 1, "[/~user]"},
		{"path:/%7Euser", "", "", 9, 1, "[/~user]"},
		{"site:default", "content_type startsWith \"image/\" and hits == 0", "", 9, 2, "[/img/b/c.png?w=1 /img/b/c.png?w=2]"},
		{"", "ttl < 0 and age > 60", "", 9, 3, "[/news/1 /news/1 /~user]"},
		{"", `"pictures" in tags and query("w") == "2" and size > 10000`, "", 9, 1, "[/img/b/c.png?w=2]"},
		{"", `response_header("ETag") == "\"n1\""`, "", 0, 2, "[]"},
		{"site:other", "", "", 9, 0, "[]"},
	} {
		list, err := s.g.ListStored(StoredSelection{tt.match, tt.where, true}, tt.order, tt.limit)
		if got := fmt.Sprint(targetsOf(list.Objects)); err != nil || got != tt.want || list.Matched != tt.matched || (list.Bytes > 0) != (tt.matched > 0) {
			t.Errorf("%s where %s by %s: %d of %s, %v; want %d of %s", tt.match, tt.where, tt.order, list.Matched, got, err, tt.matched, tt.want)
		}
	}
}

// What is wrong with a selection is said, with what to write instead.
func TestSelectionsThatAreNone(t *testing.T) {
	t.Parallel()
	s := newStocked(t)
	for _, tt := range []struct{ match, where, want string }{
		{"", "", "write --all if you mean that"},
		{"stie:a", "", `did you mean "site:a"?`},
		{"/img", "", `a path is written "path:/img"`},
		{"ftp://a/b", "", "write a full URL, like https://shop.example/a"},
		{"http://shop.example/../a", "", "such a request is refused (bad_target)"},
		{"tag:a", "ages > 3", `column 1: unknown name "ages": did you mean "age"`},
		{"tag:a", `header("X") == ""`, "only the URL is known"},
		{"tag:a", "age", "the condition is an int"},
	} {
		_, err := s.g.PurgeStored(StoredPurge{StoredSelection: StoredSelection{tt.match, tt.where, false}})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q where %q: %v, want %s", tt.match, tt.where, err, tt.want)
		}
	}
	if st, _ := s.g.StoredStats(); st.Objects != 6 {
		t.Errorf("%d objects are left", st.Objects)
	}
}

func TestPurgeStored(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name         string
		purge        StoredPurge
		count, left  int
		status, hint string // of /news/1 afterwards, in Cache-Status
	}{
		{"preview", StoredPurge{StoredSelection{"tag:all", "", false}, false, true}, 5, 6, "hit", ""},
		{"hard", StoredPurge{StoredSelection{"tag:all", "", false}, false, false}, 5, 1, "fwd=uri-miss", ""},
		{"soft", StoredPurge{StoredSelection{"tag:news", "", false}, true, false}, 2, 6, "fwd=stale", ""},
		{"where", StoredPurge{StoredSelection{"", `status == 200 and content_type == "text/html"`, true}, false, false}, 2, 4, "fwd=uri-miss", ""},
		{"nothing of a tag", StoredPurge{StoredSelection{"site:default tag:New", "", false}, false, false}, 0, 6, "hit", "6 are stored there: weirkeep cache ls lists them. A site's aliases"},
		{"nothing of a site", StoredPurge{StoredSelection{"site:shop", "", false}, false, false}, 0, 6, "hit", `no site "shop" has a cache; there is default`},
		{"nothing by where", StoredPurge{StoredSelection{"path:/**", "status == 404", false}, false, false}, 0, 6, "hit", "without --where too"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newStocked(t)
			done, err := s.g.PurgeStored(tt.purge)
			if err != nil || done.Count != tt.count || len(done.Largest) != tt.count || (done.Bytes > 0) != (tt.count > 0) {
				t.Fatalf("%+v, %v", done, err)
			}
			took := int64(0) // what has gone took something, too
			for _, o := range done.Largest {
				took += o.Bytes
			}
			if took != done.Bytes {
				t.Errorf("%d bytes, those that are listed have %d", done.Bytes, took)
			}
			if !strings.Contains(done.Hint, tt.hint) || (done.Hint == "") != (tt.hint == "") {
				t.Errorf("hint %q, want %q", done.Hint, tt.hint)
			}
			if st, _ := s.g.StoredStats(); st.Objects != tt.left {
				t.Errorf("%d are left, want %d", st.Objects, tt.left)
			}
			if got := send(t, s.addr, "GET /news/1 HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n"); !strings.Contains(got, "edge; "+tt.status) {
				t.Errorf("%s, want %s", got, tt.status)
			}
			if m := &s.g.Metrics().Store; !tt.purge.DryRun && m.Removed.Load()+m.Expired.Load() != uint64(tt.count) {
				t.Errorf("counted %d and %d", m.Removed.Load(), m.Expired.Load())
			}
		})
	}
}

// Everything and a part of it are two selections: who writes both is asked which.
func TestPurgeOfAllAndOfAPart(t *testing.T) {
	t.Parallel()
	s := newStocked(t)
	for _, match := range []string{"site:default", "tag:news path:/**", "http://shop.example/news/1"} {
		for _, dry := range []bool{false, true} {
			_, err := s.g.PurgeStored(StoredPurge{StoredSelection{match, "", true}, false, dry})
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("all, and %q", match)) || !strings.Contains(err.Error(), "write the words alone") {
				t.Errorf("%s: %v", match, err)
			}
		}
	}
	if st, _ := s.g.StoredStats(); st.Objects != 6 {
		t.Errorf("%d objects are left", st.Objects)
	}
	if list, err := s.g.ListStored(StoredSelection{"tag:news", "", true}, "", 10); err != nil || list.Matched != 2 {
		t.Errorf("a list of a part: %+v, %v", list, err)
	}
}

// Of a URL all is shown that is stored, whatever it was chosen by, and no other.
func TestStoredOfURL(t *testing.T) {
	t.Parallel()
	s := newStocked(t)
	s.clock.Store(15)
	all, err := s.g.Stored("http://alias.example/news/1")
	if err != nil || len(all) != 2 {
		t.Fatalf("%+v, %v", all, err)
	}
	for _, o := range all {
		if o.Site != "default" || o.State != "fresh" || o.Age != 15 || o.TTL != 45 || o.Status != 200 || o.Length != 4 || o.ETag != `"n1"` || len(o.Fields) == 0 {
			t.Errorf("%+v", o)
		}
	}
	if vary := all[0].Vary + all[1].Vary; !strings.Contains(vary, "accept-language: de") {
		t.Errorf("it varies by %q", vary)
	}
	if _, err := s.g.Stored("http://a/img/b/c.png"); !errors.Is(err, ErrNotStored) {
		t.Errorf("without its query: %v", err)
	}
}

func TestStoredStats(t *testing.T) {
	t.Parallel()
	st, err := newStocked(t).g.StoredStats()
	if err != nil || st.Objects != 6 || st.Limit != 256<<20 || len(st.Sites) != 1 {
		t.Fatalf("%+v, %v", st, err)
	}
	if one := st.Sites[0]; one.Objects != 6 || one.Bytes == 0 || one.Outcomes["hit"] != 2 || one.Outcomes["miss"] != 6 || one.Ratio != 0.25 || one.Stored != 6 {
		t.Errorf("%+v", one)
	}
}

// Without a cache there is nothing to operate, and that is said.
func TestNoCacheToOperate(t *testing.T) {
	t.Parallel()
	_, g := start(t, plainListener+"clusters: { a: { origins: [{ address: \"127.0.0.1:1\" }] } }\n", Options{})
	_, list := g.ListStored(StoredSelection{All: true}, "", 1)
	_, get := g.Stored("http://a/b")
	_, purge := g.PurgeStored(StoredPurge{StoredSelection: StoredSelection{All: true}})
	_, stats := g.StoredStats()
	_, warm := g.WarmStored(t.Context(), []string{"http://a/b"}, nil)
	for _, err := range []error{list, get, purge, stats, warm} {
		if !errors.Is(err, ErrNoCache) {
			t.Errorf("%v", err)
		}
	}
}

// What is warmed is there for clients; what cannot be stored is named with the reason.
func TestWarm(t *testing.T) {
	t.Parallel()
	s := newStocked(t)
	for _, tt := range []struct{ url, field, want string }{
		{"http://shop.example/img/new.png", "", "fetched 200 10000 600 "},
		{"http://shop.example/img/a.png", "", "fresh 200 10000 600 "},
		{"http://shop.example/news/1", "Accept-Language: fr", "fetched 200 4 60 "},
		{"http://shop.example/private", "", "failed 0 0 0 answered 200, and not stored: the answer says private"},
		{"http://shop.example/private", "Authorization: Basic x", "failed 0 0 0 answered 200, and not stored: the answer says private"},
		{"/img/a.png", "", "failed 0 0 0 write a full URL, like https://shop.example/a"},
		{"http://shop.example/a", "nonsense", `failed 0 0 0 "nonsense" is no header field: write 'Name: value'`},
		{"http://shop.example/%zz", "", "failed 0 0 0 such a request is refused (bad_target)"},
	} {
		var fields []string
		if tt.field != "" {
			fields = []string{tt.field}
		}
		all, err := s.g.WarmStored(t.Context(), []string{tt.url}, fields)
		if err != nil || len(all) != 1 || all[0].URL != tt.url {
			t.Fatalf("%+v, %v", all, err)
		}
		w := all[0]
		if got := fmt.Sprintf("%s %d %d %d %s", w.Done, w.Status, w.Length, w.TTL, w.Why); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s is %s, want %s", tt.url, got, tt.want)
		}
	}
	s.home.down.Store(true)
	if got := send(t, s.addr, "GET /img/new.png HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n"); !strings.Contains(got, "edge; hit") {
		t.Error(got)
	}
	if n := s.g.refreshes.Load(); n != 0 {
		t.Errorf("%d refreshes are under way", n)
	}
}

// Many are fetched at once, each ends, and the snapshot is given back.
func TestWarmMany(t *testing.T) {
	t.Parallel()
	s := newStocked(t)
	var urls []string
	for i := range 100 {
		urls = append(urls, fmt.Sprintf("http://shop.example/page/%d", i))
	}
	all, err := s.g.WarmStored(t.Context(), urls, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range all {
		if w.URL != urls[i] || w.Done != "fetched" {
			t.Errorf("%+v", w)
		}
	}
	until(t, "nobody holds the snapshot", func() bool { return s.g.current.Load().users.Load() == 1 })
	if list, _ := s.g.ListStored(StoredSelection{Match: "path:/page/*"}, "", 0); list.Matched != 100 {
		t.Errorf("%d are stored", list.Matched)
	}
}
