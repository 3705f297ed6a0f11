package session

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"

	"weirkeep/gateway/wire"
)

// browser is what a browser sends with a session in its last cookie.
func browser() []wire.Field {
	return fields("Host: shop.example", "User-Agent: x", "Accept: */*", "Accept-Language: en",
		"Cookie: _ga=GA1.2.1234567890.1700000000; consent=yes; theme=dark; cart=3; SID=0123456789ABCDEF0123456789ABCDEF")
}

func TestFindAllocsNothing(t *testing.T) {
	cookies, target := browser(), parsed(t, "/shop/cart;v=1;sid=abc?x=1&sid=abc")
	checkAllocs(t, "Find in a cookie", 0, func() { both.Find(cookies, target.Path, target.Query) })
	checkAllocs(t, "Find in the path", 0, func() { both.Find(nil, target.Path, target.Query) })
	checkAllocs(t, "Find in the query", 0, func() { both.Find(nil, nil, target.Query) })
}

func TestLearnAllocsNothing(t *testing.T) {
	cookie := fields("Set-Cookie: SID=abc; Path=/; Max-Age=60; HttpOnly")
	location := fields("Location: http://shop.example/cart;sid=abc?x=1")
	checkAllocs(t, "Learn from Set-Cookie", 0, func() { both.Learn(cookie) })
	checkAllocs(t, "Learn from Location", 0, func() { both.Learn(location) })
}

// Every link has a parameter that is not canonical, so that each one is rewritten.
func TestLinksAllocsNothing(t *testing.T) {
	page, l := []byte(page(100, ";v=%c3%a9")), new(Links)
	feed := func() {
		l.Reset(both)
		l.Feed(page)
	}
	checkAllocs(t, "Links", 0, feed) // the first of its runs does not count, and makes the buffer
	if string(l.ID()) != "a~b" {
		t.Errorf("the page's id is %q", l.ID())
	}
}

// page is a page with links that have parameters, and a last one that has the id.
func page(links int, parameters string) string {
	return "<!doctype html><html><head><title>Shop</title><script>if (a < b) go('x')</script></head><body>" +
		strings.Repeat(fmt.Sprintf("<p class=\"item wide\">Some text of a page, more of it than there are links.</p>\n"+
			"<a class='link' href=\"/shop/item%s?page=1&amp;x=2\">An item</a>\n", parameters), links) +
		`<a href="/shop/caf%c3%a9;sid=a%7eb">Cart</a></body></html>`
}

func TestBoundAllocsNothing(t *testing.T) {
	table, id := New(Options{}), []byte("abc")
	table.Bind(id, "web1", noon)
	checkAllocs(t, "Bound", 0, func() { table.Bound(id, noon) })
	checkAllocs(t, "Peek", 0, func() { table.Peek(id, noon) })
	checkAllocs(t, "Bound of an unknown id", 0, func() { table.Bound(id[:2], noon) })
	checkAllocs(t, "Bind of a bound id", 0, func() { table.Bind(id, "web1", noon) })
}

// Budget: a session costs its id and its entry.
func TestBindAllocsTwice(t *testing.T) {
	table := New(Options{Entries: 100})
	ids := make([][]byte, 1000)
	for i := range ids {
		ids[i] = fmt.Append(nil, "session-", i)
		table.Bind(ids[i], "web1", noon)
	}
	i := 0
	checkAllocs(t, "Bind in a full table", 2, func() {
		table.Bind(ids[i%len(ids)], "web1", noon)
		i++
	})
}

func checkAllocs(t *testing.T, what string, budget float64, f func()) {
	t.Helper()
	if n := testing.AllocsPerRun(500, f); n > budget {
		t.Errorf("%s allocates %v times, want %v", what, n, budget)
	}
}

// BenchmarkFind has a budget of 150 ns/op and 0 allocs/op for the last of five
// cookies; 50 ns for a URL without the parameter.
func BenchmarkFind(b *testing.B) {
	cookies, target := browser(), parsed(b, "/shop/items/list?page=2&order=price")
	for _, bb := range []struct {
		name   string
		fields []wire.Field
	}{{"cookie", cookies}, {"nothing", cookies[:4]}} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				both.Find(bb.fields, target.Path, target.Query)
			}
		})
	}
}

// BenchmarkLearn has a budget of 100 ns/op and 0 allocs/op.
func BenchmarkLearn(b *testing.B) {
	answer := fields("Content-Type: text/html", "Set-Cookie: SID=0123456789ABCDEF0123456789ABCDEF; Path=/; HttpOnly", "Cache-Control: no-store")
	b.ReportAllocs()
	for b.Loop() {
		both.Learn(answer)
	}
}

// BenchmarkLinks has a budget of 4 ns per byte (250 MB/s) and 0 allocs/op, for a
// page that is a third links and has no id before its end.
func BenchmarkLinks(b *testing.B) {
	page, l := []byte(page(380, "")), new(Links)
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		l.Reset(both)
		l.Feed(page)
	}
}

// sessions fills a table of the default size and returns its ids.
func sessions(table *Table) [][]byte {
	ids := make([][]byte, defaultEntries)
	for i := range ids {
		ids[i] = fmt.Appendf(nil, "%032X", uint32(i)*2654435761)
		table.Bind(ids[i], "web1", noon)
	}
	return ids
}

// BenchmarkBound has a budget of 100 ns/op and 0 allocs/op for a thousand busy
// sessions among 100,000; 800 ns if all are, most of them out of the processor's
// cache.
func BenchmarkBound(b *testing.B) {
	table := New(Options{})
	ids := sessions(table)
	for _, busy := range []int{1000, defaultEntries} {
		b.Run(fmt.Sprint(busy, "-sessions"), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				table.Bound(ids[i%busy], noon)
			}
		})
	}
}

// BenchmarkBoundParallel has a budget of 150 ns/op per core.
func BenchmarkBoundParallel(b *testing.B) {
	table := New(Options{})
	ids := sessions(table)[:1000]
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			table.Bound(ids[i%len(ids)], noon)
		}
	})
}

// BenchmarkBind has a budget of 2.5 µs/op and 2 allocs/op for a new session in a
// full table, which has to find the one that goes.
func BenchmarkBind(b *testing.B) {
	table, id := New(Options{}), make([]byte, 32)
	sessions(table)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		binary.BigEndian.PutUint64(id, uint64(i))
		table.Bind(id, "web1", noon.Add(time.Duration(i)))
	}
}

// BenchmarkHandOver has a budget of 250 ms for 100,000 sessions: out of a table,
// through a stream, and into another.
func BenchmarkHandOver(b *testing.B) {
	table := New(Options{})
	sessions(table)
	for b.Loop() {
		var stream bytes.Buffer
		if left, err := WriteBindings(&stream, []Bindings{{"s", table.Entries(noon)}}); left != 0 || err != nil {
			b.Fatal(left, err)
		}
		all, err := ReadBindings(&stream)
		if err != nil {
			b.Fatal(err)
		}
		next := New(Options{})
		next.Restore(all[0].Entries, noon)
		if next.Len() != defaultEntries {
			b.Fatalf("%d are bound", next.Len())
		}
	}
}
