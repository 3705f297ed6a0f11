package esi

import (
	"bytes"
	"context"
	"strings"
	"syscall"
	"testing"
	"time"
)

// document is a page of so many bytes of ordinary HTML.
func ordinary(size int) string {
	const row = `<tr class="item"><td><a href="/products/1234567?ref=list">A product with a name</a></td><td>12.50</td></tr>` + "\n"
	const prose = "Prose has longer runs without a tag, as the articles of a newspaper do, and is most of what there is to read on them.\n"
	return strings.Repeat(row+prose+prose, size/len(row+prose+prose)+1)[:size]
}

// parseTemplates are templates by what is most in them.
func parseTemplates() map[string]string {
	text := ordinary(256 << 10)
	return map[string]string{
		"html":      text,
		"includes":  strings.Repeat(text[:2000]+`<esi:include src="/k?c=$(QUERY_STRING{c})" onerror="continue"/>`, 100),
		"vars":      "<esi:vars>" + text + "</esi:vars>",
		"unwrapped": "<!--esi " + text + "-->",
		"remove":    "<esi:remove>" + text + "</esi:remove>",
		"comment":   "<!-- " + text + " -->",
	}
}

// BenchmarkParse has a budget of 500 MB/s of CPU time where most is text, and 200 MB/s for
// an include every 2 KB. As machines and their load differ, passes is the time in passes of
// bytes.IndexByte and a copy over the same bytes, of the same run.
func BenchmarkParse(b *testing.B) {
	for name, template := range parseTemplates() {
		b.Run(name, func(b *testing.B) {
			in := []byte(template)
			b.SetBytes(int64(len(in)))
			began := cpuTime(b)
			for b.Loop() {
				parsePieces(b, in)
			}
			spent := float64(cpuTime(b)-began) / float64(b.N)
			b.ReportMetric(float64(len(in))*1e3/spent, "cpu-MB/s")
			b.ReportMetric(spent/float64(onePass(b, in)), "passes")
		})
	}
}

// parsePieces parses a template in pieces as they come from a socket.
func parsePieces(b *testing.B, in []byte) {
	p := Parser{Length: int64(len(in))}
	for rest := in; len(rest) > 0; {
		n := min(len(rest), 16<<10)
		if _, err := p.Write(rest[:n]); err != nil {
			b.Fatal(err)
		}
		rest = rest[n:]
	}
	p.Close()
}

// onePass is the time that it takes to look at each byte for one that is not there, and to
// copy them to new memory.
func onePass(b *testing.B, in []byte) time.Duration {
	const runs = 200
	began := cpuTime(b)
	for range runs {
		if bytes.IndexByte(in, 0) >= 0 || len(bytes.Clone(in)) != len(in) {
			b.Fatal("it is there")
		}
	}
	return (cpuTime(b) - began) / runs
}

// cpuTime is what this process has used.
func cpuTime(t testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
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
