package store

import (
	"bytes"
	"fmt"
	"testing"
	"time"
)

// filled is a cache with some answers of two sites.
func filled(t testing.TB) *Cache {
	c := newCache(16<<20, 1<<20)
	for _, a := range []struct {
		site, target, tier string
		secure             bool
		tags               []string
		size               int
	}{
		{"shop", "/", "", false, nil, 10},
		{"shop", "/a", "", false, []string{"news", "a"}, 300},
		{"shop", "/a", "", true, []string{"news"}, 200},
		{"shop", "/a?page=2", "", false, []string{"news"}, 100},
		{"shop", "/img/a.png", "gold", false, []string{"image"}, 50000},
		{"shop", "/img/a.png", "iron", false, []string{"image"}, 40000},
		{"shop", "/img/s/b.png", "", false, []string{"image"}, 30000},
		{"blog", "/a", "", false, []string{"news"}, 20},
	} {
		s := answer(-1)
		if a.tier != "" {
			s = varied(with("tier", a.tier), "tier")
		}
		s.Tags = a.tags
		put(t, c, &Key{Site: a.site, Secure: a.secure, Target: []byte(a.target)}, s, bytes.Repeat([]byte{'x'}, a.size))
	}
	return c
}

func TestPurge(t *testing.T) {
	for _, tt := range []struct {
		sel     string
		want    int
		largest string
	}{
		{"", 8, "/img/a.png"},
		{"site:shop", 7, "/img/a.png"},
		{"site:shop site:blog", 8, "/img/a.png"},
		{"site:nobody", 0, ""},
		{"tag:news", 4, "/a"},
		{"tag:news tag:a", 4, "/a"},
		{"tag:news site:blog", 1, "/a"},
		{"tag:image tag:news", 7, "/img/a.png"},
		{"tag:image path:/img/*", 2, "/img/a.png"},
		{"path:/a", 4, "/a"},
		{"path:/a?*", 1, "/a?page=2"},
		{"path:/img/**", 3, "/img/a.png"},
		{"path:/img/s/* path:/", 2, "/img/s/b.png"},
		{"https://shop.example/a", 3, "/a"},
		{"https://shop.example/a?page=2", 1, "/a?page=2"},
	} {
		t.Run(tt.sel, func(t *testing.T) {
			c := filled(t)
			sel, err := ParseSelector(tt.sel, true, resolver)
			if err != nil {
				t.Fatal(err)
			}
			listed := c.List(sel, BySize, 100)
			for _, step := range []struct {
				name    string
				how     How
				preview bool
				left    int // answers after it
			}{
				{"preview", Hard, true, 8},
				{"soft", Soft, false, 8},
				{"soft again", Soft, false, 8},
				{"hard", Hard, false, 8 - tt.want},
			} {
				r := c.Purge(sel, step.how, step.preview)
				expectReport(t, step.name, r, tt.want, tt.largest)
				for i := range r.Items {
					if r.Items[i].Key() != listed[i].Key() {
						t.Errorf("%s: item %d is not the one of the list", step.name, i)
					}
				}
				if n := c.Stats().Objects; n != step.left {
					t.Errorf("%s leaves %d, want %d", step.name, n, step.left)
				}
				if n := stale(c); step.how == Soft && n != tt.want {
					t.Errorf("%s: %d are stale, want %d", step.name, n, tt.want)
				}
			}
			balanced(t, c)
		})
	}
}

func expectReport(t *testing.T, name string, r Report, count int, largest string) {
	t.Helper()
	got, bytes := "", int64(0)
	if len(r.Items) > 0 {
		got = string(r.Items[0].Key().Target)
	}
	if r.Count != count || len(r.Items) != count || got != largest {
		t.Errorf("%s: %d with %d items, the largest %q, want %d, %q", name, r.Count, len(r.Items), got, count, largest)
	}
	for _, e := range r.Items {
		bytes += e.Took
	}
	if bytes != r.Bytes {
		t.Errorf("%s: %d bytes, its items have %d", name, r.Bytes, bytes)
	}
}

// stale is how many answers were marked as stale.
func stale(c *Cache) (n int) {
	for _, e := range c.List(&Selector{}, ByAge, 1000) {
		if e.Stored().Fresh.Expired {
			n++
		}
	}
	return n
}

func TestPurgeWhere(t *testing.T) {
	c := filled(t)
	sel := &Selector{Where: func(e *Entry) bool { return e.Stored().Length > 100 }}
	if r := c.Purge(sel, Hard, false); r.Count != 5 {
		t.Errorf("%d longer than 100 bytes, want 5", r.Count)
	}
}

// An unsafe method makes all of its target go, and nothing else.
func TestInvalidateTarget(t *testing.T) {
	c := newCache(1<<20, 1<<20)
	for _, k := range []Key{
		{Site: "shop", Target: []byte("/a")},
		{Site: "shop", Target: []byte("/a"), Variant: "v"},
		{Site: "shop", Target: []byte("/a"), Variant: "v", Parts: []byte("p")},
		{Site: "shop", Target: []byte("/a"), Secure: true},
		{Site: "shop", Target: []byte("/b")},
		{Site: "blog", Target: []byte("/a")},
	} {
		for _, tier := range []string{"gold", "iron"} {
			put(t, c, &k, varied(with("tier", tier), "tier"), nil)
		}
	}
	for _, want := range []int{6, 0} {
		if n := c.InvalidateTarget("shop", false, []byte("/a")); n != want {
			t.Errorf("%d went, want %d", n, want)
		}
	}
	if n := c.Stats().Objects; n != 6 {
		t.Errorf("%d are left, want 6", n)
	}
}

func TestList(t *testing.T) {
	c := newCache(1<<20, 1<<20)
	for i := range 5 {
		s := answer(-1)
		s.Fresh.Received = epoch.Add(-time.Minute * [...]time.Duration{1, 4, 2, 5, 3}[i])
		put(t, c, key(fmt.Sprint("/", i)), s, make([]byte, [...]int{10, 50, 30, 50, 20}[i]))
		for range [...]int{3, 0, 7, 1, 3}[i] {
			find(c, key(fmt.Sprint("/", i)), plain)
		}
	}
	for _, tt := range []struct {
		by    Order
		limit int
		want  string
	}{
		{ByHits, 9, "/2 /0 /4 /3 /1 "},
		{ByHits, 2, "/2 /0 "},
		{BySize, 9, "/1 /3 /2 /4 /0 "},
		{ByAge, 9, "/3 /1 /4 /2 /0 "},
		{ByAge, 0, ""},
		{ByAge, -1, ""},
	} {
		got := ""
		for _, e := range c.List(&Selector{}, tt.by, tt.limit) {
			got += string(e.Key().Target) + " "
		}
		if got != tt.want {
			t.Errorf("order %d, limit %d: %s, want %s", tt.by, tt.limit, got, tt.want)
		}
	}
}
