package gateway

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"weirkeep/gateway/esi"
)

// pageMill assembles pages of http://a.example, whose fragments come from origins a, b and c: of the page's own
// site, of another one, and of a provider. The test winds the clock.
type pageMill struct {
	a, b, c *home
	g       *Gateway
	addr    string
	text    string
	clock   atomic.Int64 // seconds
	options esi.Options
}

func newPageMill(t testing.TB, more string) *pageMill {
	hs := newHomes(t, "a", "b", "c")
	p := &pageMill{a: hs[0], b: hs[1], c: hs[2], options: esi.Default()}
	for _, h := range hs {
		h.script = func(head string) (string, string) { return "", h.name + ":" + requestTarget(head) }
	}
	p.text = plainListener + fmt.Sprintf(`
node: { name: edge }
clusters:
  a: { origins: [{ address: %q }] }
  b: { origins: [{ address: %q }] }
  c: { origins: [{ address: %q }] }
sites:
  a: { hosts: [a.example] }
  b: { hosts: [b.example, "*.many.example"] }
  c: { kind: esi-provider, hosts: [c.example] }
mappings: [{ site: a, cluster: a }, { site: b, prefix: /, cluster: b }, { site: c, prefix: /only, cluster: c }]
cache: { enabled: true }
esi: { unmapped_providers: deny%s }
`, p.a.addr, p.b.addr, p.c.addr, more)
	began := time.Now()
	o := hs.options()
	o.Now = func() time.Time { return began.Add(time.Duration(p.clock.Load()) * time.Second) }
	p.addr, p.g = start(t, p.text, o)
	return p
}

// site is a site of the current configuration.
func (p *pageMill) site(name string) *site {
	s := p.g.current.Load()
	for i := range s.sites {
		if s.sites[i].name == name {
			return &s.sites[i]
		}
	}
	panic("no site " + name)
}

// assembled is what came of a page.
type outcome struct {
	text      string
	report    esi.Report
	err       error
	fragments []fragment
}

// cache is how its fragments were come by.
func (o *outcome) cache() string {
	var all []string
	for _, f := range o.fragments {
		all = append(all, f.cache)
	}
	return strings.Join(all, " ")
}

// bufferSink is a sink that keeps the page, and says that its client is there.
type bufferSink struct {
	bytes.Buffer
	slow func()
}

func (s *bufferSink) Write(p []byte) error {
	if s.slow != nil {
		s.slow()
	}
	s.Buffer.Write(p)
	return nil
}
func (*bufferSink) Flush() error { return nil }
func (*bufferSink) Gone() bool   { return false }

// page is the exchange of a request for a page, decided.
func (p *pageMill) page(t testing.TB, fields ...string) *Exchange {
	t.Helper()
	now := time.Now()
	x := p.g.newClientless(now, p.g.now(now))
	x.snap = p.g.acquire()
	x.reset()
	head := "GET /page HTTP/1.1\r\nHost: a.example\r\n" + strings.Join(append(fields, "\r\n"), "\r\n")
	if len(fields) == 0 {
		head = "GET /page HTTP/1.1\r\nHost: a.example\r\n\r\n"
	}
	if !x.readHead([]byte(head)) {
		t.Fatalf("%q is no head", head)
	}
	if reason := checkSized(p.g, x, len(head)); reason != Served {
		t.Fatalf("%q is refused: %v", head, reason)
	}
	if reason := p.g.decide(x); reason != Served {
		t.Fatalf("%q is decided: %v", head, reason)
	}
	return x
}

// assemble assembles a page of the template for a request with the fields.
func (p *pageMill) assemble(t testing.TB, template string, fields ...string) outcome {
	t.Helper()
	return p.assembleFor(t, t.Context(), &bufferSink{}, template, fields...)
}

func (p *pageMill) assembleFor(t testing.TB, ctx context.Context, sink *bufferSink, template string, fields ...string) (o outcome) {
	t.Helper()
	x := p.page(t, fields...)
	defer x.release()
	program, _, err := esi.Parse([]byte(template), esi.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	parts := p.g.fragmentsOf(x)
	o.report, o.err = esi.Assemble(ctx, &esi.Page{
		Template: program, URL: esi.URL{Secure: x.Secure, Authority: "a.example", Target: "/page"},
		Client: &esi.Client{Host: x.Authority.Raw, Fields: x.Head.Fields}, Options: &p.options,
	}, parts, sink)
	parts.end()
	o.text, o.fragments = sink.String(), slices.Clone(x.assembled.fragments)
	return o
}

func include(src string, more ...string) string {
	return `<esi:include src="` + src + `" ` + strings.Join(more, " ") + `/>`
}

// wantPage complains of a page that is another one.
func wantPage(t *testing.T, what string, got outcome, want string) {
	t.Helper()
	if got.err != nil || got.text != want {
		t.Errorf("%s: %q, %v; want %q", what, got.text, got.err, want)
	}
}

// TestFragmentsComeFromSites: from the page's own, another one, and a provider.
func TestFragmentsComeFromSites(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, "")
	got := p.assemble(t, "<"+include("/x?q")+"|"+include("http://b.example/y")+"|"+include("http://c.example/only/z")+"|"+include("//one.many.example/")+">")
	wantPage(t, "a page of four sites", got, "<a:/x?q|b:/y|c:/only/z|b:/>")
	if n := len(got.fragments); n != 4 || got.report.Fetches != 4 {
		t.Fatalf("%d fragments, %d fetches; want 4", n, got.report.Fetches)
	}
	if f := got.fragments[1]; f.url.String() != "http://b.example/y" || f.depth != 1 || f.status != 200 || f.failure != esi.None || f.cache != "miss" {
		t.Errorf("the second is told as %+v", f)
	}
}

// TestStatusesOfFragments: what makes a fragment, and what is never inserted (I1, R5).
func TestStatusesOfFragments(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, "")
	for _, tt := range []struct {
		status  string
		failure esi.Failure
		want    string
	}{
		{"200 OK", esi.None, "<body>"},
		{"203 Changed", esi.None, "<body>"},
		{"204 Empty", esi.None, "<>"},
		{"206 Part", esi.BadAnswer, ""},
		{"301 Moved", esi.BadAnswer, ""},
		{"404 Missing", esi.ClientStatus, ""},
		{"500 Broken", esi.ServerStatus, ""},
		{"503 Busy", esi.ServerStatus, ""},
	} {
		for _, stored := range []string{"", stored60} {
			p.a.status = func() string { return tt.status }
			p.a.script = func(string) (string, string) {
				if strings.HasPrefix(tt.status, "204") {
					return stored, ""
				}
				return stored, "body"
			}
			for range 2 {
				got := p.assemble(t, "<"+include("/"+tt.status[:3]+fmt.Sprint(len(stored)), `onerror="continue"`)+">")
				want := tt.want
				if want == "" {
					want = "<>"
				}
				wantPage(t, tt.status, got, want)
				if f := got.fragments[0]; fmt.Sprint(f.status) != tt.status[:3] || (tt.failure != esi.None) != (got.report.Failures[tt.failure] == 1) {
					t.Errorf("%s: told as %+v, %v", tt.status, f, got.report.Failures)
				}
			}
		}
	}
}

// TestUnreachableFragments: why there is none is the failure that the markup can catch.
func TestUnreachableFragments(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, "")
	p.b.kill()
	got := p.assemble(t, include("http://b.example/", `onerror="continue"`))
	if got.report.Failures[esi.Unreachable] != 1 || got.fragments[0].failure != esi.Unreachable {
		t.Errorf("%v, %+v", got.report.Failures, got.fragments)
	}
	p.options.FragmentTimeout = 300 * time.Millisecond
	got = p.assemble(t, include("/hold", `onerror="continue"`))
	if got.report.Failures[esi.TimedOut] != 1 {
		t.Errorf("%v", got.report.Failures)
	}
	untilIdle(t, p.g)
}

// TestFragmentsAndSlots: what is not stored is read ahead of the page, so that a page of many fragments
// cannot wait for itself.
func TestFragmentsAndSlots(t *testing.T) {
	t.Parallel()
	for _, queue := range []bool{true, false} {
		p := newPageMill(t, "")
		limit := "origins: [{ capacity: 1, address: \"" + p.a.addr
		size := "queue: { size: 100 }, "
		if !queue {
			size = "queue: { size: 0 }, "
		}
		apply(t, p.g, strings.Replace(p.text, "origins: [{ address: \""+p.a.addr, size+limit, 1))
		body := strings.Repeat("0123456789abcdef", 200<<10/16)
		p.a.script = func(string) (string, string) { return "", body }
		template := ""
		for i := range 8 {
			template += include(fmt.Sprint("/", i), `onerror="continue"`)
		}
		got := p.assembleFor(t, t.Context(), &bufferSink{slow: func() { time.Sleep(time.Millisecond) }}, template)
		failed := got.report.Failures[esi.Busy]
		if got.err != nil || len(got.text) != (8-failed)*len(body) || queue && failed > 0 || failed == 8 {
			t.Errorf("queue %v: %d bytes, %d failed, %v", queue, len(got.text), failed, got.err)
		}
	}
}

// TestPagesThatAreGivenUp: nothing of their fragments goes on that is for nobody else.
func TestPagesThatAreGivenUp(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, "")
	p.a.script = func(string) (string, string) { return "", "x" }
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan outcome)
	go func() {
		done <- p.assembleFor(t, ctx, &bufferSink{}, include("/hold?1")+include("/hold?2")+include("/3"))
	}()
	until(t, "the origin is asked", func() bool { return p.a.held.Load() == 2 })
	stop()
	if got := <-done; !errors.Is(got.err, context.Canceled) {
		t.Errorf("the page ended with %v", got.err)
	}
	untilIdle(t, p.g)
	if n := p.g.current.Load().users.Load(); n != 1 {
		t.Errorf("%d hold the configuration, want 1: it is current", n)
	}
	if n := p.g.fetching.Load(); n != 0 {
		t.Errorf("%d fragments are under way", n)
	}
}

// TestPagesKeepTheirConfiguration: also if another one becomes current (35).
func TestPagesKeepTheirConfiguration(t *testing.T) {
	t.Parallel()
	p := newPageMill(t, "")
	p.a.script = func(head string) (string, string) {
		if requestTarget(head) == "/first" {
			apply(t, p.g, strings.Replace(p.text, "b.example", "d.example", 1))
			return "", "1"
		}
		return "", "2"
	}
	p.options.Concurrent = 1
	before := p.g.current.Load()
	got := p.assemble(t, include("/first")+include("/second")+include("http://b.example/x"))
	wantPage(t, "a page over a reload", got, "12b:/x")
	until(t, "the old one is let go", func() bool { return before.users.Load() == 0 })
	if got := p.assemble(t, include("http://b.example/x")); got.err == nil {
		t.Error("the next page goes by the old configuration")
	}
}

// TestTemplatesInPages: a fragment is one if its origin says so or the include does; else it is data (Z1).
func TestTemplatesInPages(t *testing.T) {
	t.Parallel()
	const says = "Surrogate-Control: content=\"ESI/1.0\", max-age=60\r\n"
	for _, tt := range []struct{ name, fields, attributes, want string }{
		{"data", stored60, "", `[<esi:include src="/inner"/>]`},
		{"the origin says so", says, "", "[a:/inner]"},
		{"the include says so", stored60, `dca="esi"`, "[a:/inner]"},
		{"the include forbids it", says, `dca="none"`, `[<esi:include src="/inner"/>]`},
		{"it needs something else, too", "Surrogate-Control: content=\"ESI/1.0 X/1.0\", max-age=60\r\n", "", `[<esi:include src="/inner"/>]`},
		{"not stored", "Surrogate-Control: content=\"ESI/1.0\", no-store\r\n", "", "[a:/inner]"},
	} {
		p := newPageMill(t, "")
		p.a.script = func(head string) (string, string) {
			if requestTarget(head) == "/outer" {
				return tt.fields, `[<esi:include src="/inner"/>]`
			}
			return stored60, "a:" + requestTarget(head)
		}
		wantPage(t, tt.name, p.assemble(t, include("/outer", tt.attributes)), tt.want)
		got := p.assemble(t, include("/outer", tt.attributes))
		wantPage(t, tt.name+", again", got, tt.want)
		if stored := tt.name != "not stored"; stored && got.report.Fetches != 0 {
			t.Errorf("%s: %d fetches of what is stored", tt.name, got.report.Fetches)
		}
	}
}

// TestEveryReasonIsAFailure of an include, that no client is told of.
func TestEveryReasonIsAFailure(t *testing.T) {
	for r := range reasons {
		if got := failureByReason[r]; (got == esi.None) != (r == Served) {
			t.Errorf("%v is the failure %v", r, got)
		}
	}
}
