package gateway

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"weirkeep/gateway/esi"
)

// inGzip and inZstd are a text in a content coding.
func inGzip(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

func inZstd(text string) string {
	w, _ := zstd.NewWriter(nil)
	defer w.Close()
	return string(w.EncodeAll([]byte(text), nil))
}

// TestCodedFragments are taken out of their coding, stored or not; what is not in the coding that it says
// is no fragment (D4, 30).
func TestCodedFragments(t *testing.T) {
	t.Parallel()
	const text = "a fragment, a fragment, a fragment"
	for _, tt := range []struct {
		name, coding, body, want string
	}{
		{"gzip", "gzip", inGzip(text), text},
		{"an alias", "X-GZIP", inGzip(text), text},
		{"zstd", "zstd", inZstd(text), text},
		{"identity", "identity", text, text},
		{"empty", "gzip", inGzip(""), ""},
		{"two members", "gzip", inGzip("one, ") + inGzip("two"), "one, two"},
		{"corrupt", "gzip", inGzip(text)[:25] + "????????", "failed"},
		{"cut", "gzip", inGzip(text)[:25], "failed"},
		{"no gzip at all", "gzip", text, "failed"},
		{"no zstd at all", "zstd", text, "failed"},
		{"unknown", "compress", text, "failed"},
		{"several", "gzip, zstd", inGzip(text), "failed"},
	} {
		for _, says := range []string{stored60, ""} {
			p := newPageMill(t, "")
			p.a.script = func(string) (string, string) { return says + "Content-Encoding: " + tt.coding + "\r\n", tt.body }
			for n := range 2 {
				got := p.assemble(t, `<esi:try><esi:attempt>`+include("/x")+`</esi:attempt><esi:except type="incorrectesifragment">failed</esi:except></esi:try>`)
				wantPage(t, fmt.Sprintf("%s, stored %v, time %d", tt.name, says != "", n+1), got, tt.want)
				if n == 1 && says != "" && tt.want != "failed" && got.report.Fetches != 0 {
					t.Errorf("%s: what was decoded is not kept", tt.name)
				}
			}
		}
	}
}

// TestCodedTemplates are read out of their coding.
func TestCodedTemplates(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, "")
	p.a.script = func(head string) (string, string) {
		if requestTarget(head) == "/outer" {
			return "Content-Encoding: gzip\r\nSurrogate-Control: content=\"ESI/1.0\", max-age=60\r\nContent-Type: text/html\r\n", inGzip(`[<esi:include src="/inner"/>]`)
		}
		return stored60, "inner"
	}
	for n := range 2 {
		wantPage(t, fmt.Sprint("time ", n+1), p.assemble(t, include("/outer")), "[inner]")
	}
}

// TestLongFragmentsStream: what is longer than pages hold back goes on as it comes, of any length that is allowed.
func TestLongFragmentsStream(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, "")
	body := strings.Repeat("0123456789abcdef", 1<<20/16)
	for _, says := range []string{"", stored60} {
		p.a.script = func(string) (string, string) { return says, body }
		for range 2 {
			got := p.assemble(t, "<"+include("/x")+">")
			if got.err != nil || got.text != "<"+body+">" {
				t.Errorf("stored %v: %d bytes, %v; want %d", says != "", len(got.text), got.err, len(body)+2)
			}
		}
	}
	p.a.script = func(string) (string, string) { return "", body + body + "x" }
	if got := p.assemble(t, include("/longer", `onerror="continue"`)); !errors.Is(got.err, esi.ErrCut) {
		t.Errorf("one that is too long: %d bytes, %v", len(got.text), got.err)
	}
	untilIdle(t, p.g)
}

// TestFragmentsThatBreakOff are none, as long as nothing of them is sent (25).
func TestFragmentsThatBreakOff(t *testing.T) {
	t.Parallel()
	o := rawOrigin(t, func(c net.Conn) {
		var head [4096]byte
		c.Read(head[:])
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort")
	})
	p := newPageMill(t, "")
	apply(t, p.g, strings.Replace(p.text, p.a.addr, o.Addr().String(), 1))
	got := p.assemble(t, "before "+include("/x", `onerror="continue"`)+" after")
	wantPage(t, "with a cure", got, "before  after")
	if got.report.Failures[esi.BadBody] != 1 {
		t.Errorf("%v", got.report.Failures)
	}
	untilIdle(t, p.g)
}

// TestClientsOfLongFragments: who has gone is found out though the fragment is silent, by the page's goroutine.
func TestClientsOfLongFragments(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	defer close(over)
	o := rawOrigin(t, func(c net.Conn) {
		var head [4096]byte
		c.Read(head[:])
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"+strings.Repeat("x", 100<<10))
		<-over
	})
	p := newPageMill(t, "")
	apply(t, p.g, strings.Replace(p.text, p.a.addr, o.Addr().String(), 1))
	x := p.page(t)
	defer x.release()
	client := &fragmentClient{}
	ctx, leave := context.WithCancel(t.Context())
	x.Client, client.ctx = client, ctx
	parts := p.g.fragmentsOf(x)
	program, _, _ := esi.Parse([]byte(include("/x")), esi.Limits{})
	sink := &bufferSink{}
	sink.slow = leave // with the first bytes
	_, err := esi.Assemble(context.Background(), &esi.Page{
		Template: program, URL: esi.URL{Authority: "a.example", Target: "/page"}, Client: &esi.Client{}, Options: &p.options,
	}, parts, sink)
	parts.end()
	if !errors.Is(err, esi.ErrCut) || sink.Len() < 64<<10 {
		t.Errorf("%d bytes, %v; want what came, and that it broke off", sink.Len(), err)
	}
}

// TestFragmentsHaveABound over all pages (Z5).
func TestFragmentsHaveABound(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, "")
	p.g.fetching.Store(mostFetches)
	got := p.assemble(t, include("/x", `onerror="continue"`))
	if got.report.Failures[esi.Busy] != 1 || p.a.heads.Load() != 0 {
		t.Errorf("%v, %d requests; want that it is busy, and none", got.report.Failures, p.a.heads.Load())
	}
	if n := p.g.fetching.Add(-mostFetches); n != 0 {
		t.Errorf("%d are still under way", n)
	}
	wantPage(t, "afterwards", p.assemble(t, include("/x")), "a:/x")
}

// TestPagesLeaveFetchesToOthers: whose time is over does not wait for the sake of others, and they do not fail.
func TestPagesLeaveFetchesToOthers(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, "")
	p.a.script = func(string) (string, string) { return stored60, "x" }
	ctx, stop := context.WithCancel(t.Context())
	first, second := make(chan outcome), make(chan outcome)
	go func() { first <- p.assembleFor(t, ctx, &bufferSink{}, include("/hold")) }()
	until(t, "the origin is asked", func() bool { return p.a.held.Load() == 1 })
	go func() { second <- p.assemble(t, include("/hold")) }()
	until(t, "another page waits", func() bool { return p.g.fetching.Load() == 2 })
	stop()
	select {
	case got := <-first:
		if !errors.Is(got.err, context.Canceled) {
			t.Errorf("the first ended with %v", got.err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the first page waits for the sake of the second")
	}
	close(p.a.letGo)
	wantPage(t, "the second", <-second, "x")
}

// TestFaultsOfOurOwn in a fetch end the page, and leave nothing behind.
func TestFaultsOfOurOwn(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, "")
	p.site("a").cache.metrics = nil
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the fault is not passed on")
			}
		}()
		p.assemble(t, include("/x"))
	}()
	untilIdle(t, p.g)
	if n := p.g.fetching.Load(); n != 0 {
		t.Errorf("%d fragments are under way", n)
	}
}
