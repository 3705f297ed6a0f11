package esi

import (
	"context"
	"strings"
	"testing"
)

// document is a page of so many bytes of ordinary HTML.
func ordinary(size int) string {
	const row = `<tr class="item"><td><a href="/products/1234567?ref=list">A product with a name</a></td><td>12.50</td></tr>` + "\n"
	const prose = "Prose has longer runs without a tag, as the articles of a newspaper do, and is most of what there is to read on them.\n"
	return strings.Repeat(row+prose+prose, size/len(row+prose+prose)+1)[:size]
}

// BenchmarkParse has a budget of 500 MB/s where most is text, comments and scripts among it.
func BenchmarkParse(b *testing.B) {
	text := ordinary(256 << 10)
	for name, template := range map[string]string{
		"html":      text,
		"includes":  strings.Repeat(text[:2000]+`<esi:include src="/k?c=$(QUERY_STRING{c})" onerror="continue"/>`, 100),
		"vars":      "<esi:vars>" + text + "</esi:vars>",
		"unwrapped": "<!--esi " + text + "-->",
		"remove":    "<esi:remove>" + text + "</esi:remove>",
		"comment":   "<!-- " + text + " -->",
	} {
		b.Run(name, func(b *testing.B) {
			in := []byte(template)
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				p := Parser{Length: int64(len(in))}
				for rest := in; len(rest) > 0; { // as they come from a socket
					n := min(len(rest), 16<<10)
					if _, err := p.Write(rest[:n]); err != nil {
						b.Fatal(err)
					}
					rest = rest[n:]
				}
				p.Close()
			}
		})
	}
}

// threeFragments is a page like most: text and three fragments in memory.
func threeFragments(t testing.TB) (*Page, Fetcher) {
	p, _ := parse(t, strings.Repeat(ordinary(5000)+`<esi:include src="/k"/>`+ordinary(100)+`<esi:include src="/l"/><esi:include src="/m"/>`, 1)+ordinary(5000))
	o := Default()
	return &Page{Template: p, URL: pageURL, Client: visitor(), Options: &o}, inMemory{}
}

type inMemory struct{}

var memory = []byte(ordinary(1000))

func (inMemory) Ready(*Include) (Fragment, bool)          { return Fragment{Status: 200, Whole: memory}, true }
func (inMemory) Fetch(context.Context, *Include) Fragment { panic("all are ready") }

type nowhere struct{ n int }

func (n *nowhere) Write(p []byte) error { n.n += len(p); return nil }
func (n *nowhere) Flush() error         { return nil }
func (n *nowhere) Gone() bool           { return false }

// BenchmarkAssemble has a budget of 3 µs for a page with three fragments in memory.
func BenchmarkAssemble(b *testing.B) {
	page, f := threeFragments(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Assemble(context.Background(), page, f, &nowhere{}); err != nil {
			b.Fatal(err)
		}
	}
}

// Budget: for each include its URL, its place and its fetch; for the page its document and
// their lists. Nothing is allocated for text.
func TestAssembleAllocs(t *testing.T) {
	page, f := threeFragments(t)
	out := &nowhere{}
	n := testing.AllocsPerRun(100, func() {
		if _, err := Assemble(context.Background(), page, f, out); err != nil {
			t.Error(err)
		}
	})
	if n > 18 {
		t.Errorf("a page with three fragments allocates %v times, want 18 at most", n)
	}
}
