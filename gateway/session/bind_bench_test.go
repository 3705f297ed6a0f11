package session

import (
	"fmt"
	"strings"
	"testing"
)

func TestPartsAllocsNothing(t *testing.T) {
	id := []byte(id52 + "!-1104478448%211625602300!1173283914012")
	for _, as := range []ExtractOptions{{}, asPlain, asWebLogic, at53, {Offset: 53, Length: 11}} {
		d := reading(t, as)
		checkAllocs(t, fmt.Sprintf("Parts, %+v", as), 0, func() { d.Parts(id) })
	}
}

func TestCookieAllocsNothing(t *testing.T) {
	c, buffer := newCookie(t, cookieOptions()), make([]byte, 0, 256)
	genuine, forged := fields("Cookie: a=b; gw="+oldA), fields("Cookie: gw="+strings.Repeat("A", 22)+"; gw="+strings.Repeat("A", 8000))
	checkAllocs(t, "Find", 0, func() { c.Find(genuine) })
	checkAllocs(t, "Find of a forged one", 0, func() { c.Find(forged) })
	checkAllocs(t, "Outdated", 0, func() { c.Outdated(genuine) })
	checkAllocs(t, "AppendSet", 0, func() { c.AppendSet(buffer, "home/shop/a", true) })
}

// BenchmarkParts has a budget of 100 ns/op and 0 allocs/op.
func BenchmarkParts(b *testing.B) {
	id := []byte(id52 + "!-1104478448!1625602300!1173283914012")
	for _, bb := range []struct {
		name string
		as   ExtractOptions
	}{{"weblogic", asWebLogic}, {"place", at53}} {
		d := reading(b, bb.as)
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				d.Parts(id)
			}
		})
	}
}

// BenchmarkCookieFind has a budget of 100 ns/op and 0 allocs/op for a cookie
// behind another one, whether it is genuine or not, with two keys and 1000
// origins; 200 ns for one that fills a head, which takes as long to pass over.
func BenchmarkCookieFind(b *testing.B) {
	o := cookieOptions()
	for i := range 1000 {
		o.Origins = append(o.Origins, fmt.Sprint("home/shop/", i))
	}
	c := newCookie(b, o)
	for _, bb := range []struct{ name, value string }{
		{"genuine", oldB}, {"forged", strings.Repeat("A", 22)}, {"long", strings.Repeat("A", 8000)},
	} {
		request := fields("Host: shop.example", "Cookie: JSESSIONID=x; gw="+bb.value)
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.Find(request)
			}
		})
	}
}

// BenchmarkNewCookie has a budget of 10 ms for two keys and 1000 origins: it is
// done for each configuration that is applied.
func BenchmarkNewCookie(b *testing.B) {
	o := cookieOptions()
	for i := range 998 {
		o.Origins = append(o.Origins, fmt.Sprint("home/shop/", i))
	}
	for b.Loop() {
		newCookie(b, o)
	}
}
