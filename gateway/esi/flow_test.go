package esi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// assembly of a template within a bubble: what was written, when, and the error.
func flow(t *testing.T, template string, s *shelf, o Options, out *paper) (took time.Duration, err error) {
	t.Helper()
	p, _ := parse(t, template)
	begun := time.Now()
	_, err = Assemble(t.Context(), &Page{Template: p, URL: pageURL, Client: visitor(), Options: &o}, s, out)
	if s.open != 0 || s.running != 0 {
		t.Errorf("%d bodies are open and %d fetches run", s.open, s.running)
	}
	return time.Since(begun), err
}

// D1: what is sure to be needed is fetched at once, whatever stands between.
func TestFetchesRunAtOnce(t *testing.T) {
	slow := map[string]string{}
	for _, u := range []string{"/a", "/b", "/c", "/d", "/x", "/y"} {
		slow[u] = "slow 200 " + u[1:]
	}
	slow["/t"] = `slow esi <esi:include src="/x"/><esi:include src="/y"/>`
	for _, tt := range []struct {
		name, template string
		seconds        int
		page           string
	}{
		{"includes", `<esi:include src="/a"/><esi:include src="/b"/><esi:include src="/c"/>`, 1, "abc"},
		{"in a branch that is taken", `<esi:include src="/a"/><esi:choose><esi:when test="1"><esi:include src="/b"/></esi:when></esi:choose>`, 1, "ab"},
		{"in an attempt", `<esi:include src="/a"/><esi:try><esi:attempt><esi:include src="/b"/></esi:attempt></esi:try><esi:include src="/c"/>`, 1, "abc"},
		{"in a fragment, behind a slow one", `<esi:include src="/a"/><esi:include src="/t"/><esi:include src="/b"/>`, 2, "axyb"},
		{"alt, behind a slow one", `<esi:include src="/a"/><esi:include src="/e" alt="/b"/>`, 1, "ab"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				out := &paper{t: t}
				slow["/e"] = "500 x"
				took, err := flow(t, tt.template, &shelf{fragments: slow}, Default(), out)
				if err != nil || out.text.String() != tt.page || took != time.Duration(tt.seconds)*time.Second {
					t.Errorf("%q after %v: %v; want %q after %d s", out.text.String(), took, err, tt.page, tt.seconds)
				}
			})
		})
	}
}

// So many fetches run at once, and one more if the page waits for it.
func TestFetchesAreBounded(t *testing.T) {
	var template strings.Builder
	slow := map[string]string{}
	for i := range 20 {
		u := fmt.Sprintf("/%d", i)
		slow[u] = "slow 200 x"
		template.WriteString(`<esi:include src="` + u + `"/>`)
	}
	synctest.Test(t, func(t *testing.T) {
		o := Default()
		o.Concurrent = 3
		s := &shelf{fragments: slow}
		out := &paper{t: t}
		took, err := flow(t, template.String(), s, o, out)
		if err != nil || out.text.String() != strings.Repeat("x", 20) || s.most > 4 || took != 7*time.Second {
			t.Errorf("%q after %v, at most %d at once: %v", out.text.String(), took, s.most, err)
		}
	})
}

// What the page waits for is fetched though all places are taken by what comes later.
func TestWhatIsNextIsNotHeldUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := Default()
		o.Concurrent = 1
		o.FragmentTimeout, o.Timeout = 100*time.Second, 100*time.Second
		s := &shelf{fragments: map[string]string{"/e": "ready 500 x", "/t": `ready esi <esi:try><esi:attempt><esi:include src="/e"/></esi:attempt><esi:except><esi:include src="/b"/></esi:except></esi:try>`, "/a": "slow 200 a", "/b": "slow 200 b"}}
		out := &paper{t: t}
		took, err := flow(t, `<esi:include src="/t"/><esi:include src="/a"/>`, s, o, out)
		if err != nil || out.text.String() != "ba" || took != time.Second {
			t.Errorf("%q after %v: %v", out.text.String(), took, err)
		}
	})
}

// D2: what is ready is sent before each wait, and not flushed without one.
func TestWhatIsReadyIsSentBeforeAWait(t *testing.T) {
	for _, tt := range []struct {
		name, template, marked string
		with                   func(o *Options)
	}{
		{name: "a wait", template: `0<esi:include src="/a"/>1<esi:include src="/k"/>2`, marked: "0|a1k2"},
		{name: "two waits", template: `0<esi:include src="/a"/>1<esi:include src="/t"/>2`, marked: "0|a1|b2"},
		{name: "no wait", template: `0<esi:include src="/k"/>1`, marked: "0k1"},
		{name: "nothing to flush", template: `<esi:include src="/a"/>1`, marked: "a1"},
		{name: "a long fragment", template: `0<esi:include src="/k"/><esi:include src="/l"/>1`, marked: "0k|" + long[:6] + "|" + long[6:12] + "|" + long[12:18] + "|" + long[18:24] + "|" + long[24:30] + "|" + long[30:] + "|1", with: holding(5)},
		{name: "an attempt", template: `0<esi:try><esi:attempt>1<esi:include src="/a"/></esi:attempt></esi:try>2`, marked: "0|1a2"},
		{name: "hold", template: `0<esi:include src="/a"/>1`, marked: "0a1", with: first(Held)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := Default()
				if tt.with != nil {
					tt.with(&o)
				}
				s := &shelf{pieces: 6, fragments: map[string]string{"/a": "slow 200 a", "/k": "ready 200 k", "/l": "200 " + long, "/t": `slow esi <esi:include src="/b"/>`, "/b": "slow 200 b"}}
				out := &paper{t: t}
				if _, err := flow(t, tt.template, s, o, out); err != nil || out.marked.String() != tt.marked {
					t.Errorf("written was %q, want %q: %v", out.marked.String(), tt.marked, err)
				}
			})
		})
	}
}

// Time-outs are failures like others. That of the page ends all waits, and alt has no time.
func TestTimeouts(t *testing.T) {
	never := map[string]string{"/a": "never", "/b": "never", "/slow": "slow 200 s"}
	for _, tt := range []struct {
		name, template, page string
		took                 time.Duration
	}{
		{"a fragment", `0<esi:include src="/a" onerror="continue"/>1`, "01", 5 * time.Second},
		{"an alternative", `0<esi:include src="/a" alt="/slow"/>1`, "0s1", 6 * time.Second},
		{"the page", `0<esi:include src="/a" alt="/b" onerror="continue"/><esi:include src="/a" alt="/b" onerror="continue"/>1`, "01", 8 * time.Second},
		{"its own", `0<esi:include src="/a" maxwait="200" onerror="continue"/>1`, "01", 200 * time.Millisecond},
		{"its own, longer", `0<esi:include src="/a" timeout="7" onerror="continue"/>1`, "01", 7 * time.Second},
		{"its own, longer than the page", `0<esi:include src="/a" timeout="70" onerror="continue"/>1`, "01", 8 * time.Second},
		{"except", `<esi:try><esi:attempt><esi:include src="/a"/></esi:attempt><esi:except type="networktimeout">t</esi:except></esi:try>`, "t", 5 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := Default()
				o.Timeout = 8 * time.Second
				out := &paper{t: t}
				took, err := flow(t, tt.template, &shelf{fragments: never}, o, out)
				if err != nil || out.text.String() != tt.page || took != tt.took {
					t.Errorf("%q after %v: %v; want %q after %v", out.text.String(), took, err, tt.page, tt.took)
				}
			})
		})
	}
}

// D7, 13-31: whatever ends a page, its fetches end with it, and nothing stays behind: a bubble
// in which a goroutine is left fails.
func TestNothingIsLeftBehind(t *testing.T) {
	fragments := map[string]string{"/a": "never", "/e": "slow 500 x", "/l": "200 " + long, "/panic": "slow panic"}
	const others = `<esi:include src="/l"/><esi:include src="/a"/>`
	for _, tt := range []struct {
		name, template string
		out            paper
		cancel         time.Duration
		want           error
		took           time.Duration
	}{
		{name: "the client is gone", template: `0<esi:include src="/a"/>` + others, out: paper{gone: after(250 * time.Millisecond)}, want: ErrGone, took: 300 * time.Millisecond},
		{name: "the context is done", template: `0<esi:include src="/a"/>` + others, cancel: 2 * time.Second, want: context.Canceled, took: 2 * time.Second},
		{name: "the context is done, and failures would be made good", template: `0<esi:include src="/a" onerror="continue"/>` + others, cancel: 2 * time.Second, want: context.Canceled, took: 2 * time.Second},
		{name: "the sink fails", template: `0` + others, out: paper{err: errSink}, want: errSink},
		{name: "the page fails", template: `0<esi:include src="/e"/>` + others, want: &Error{}, took: time.Second},
		{name: "a panic", template: `0<esi:include src="/panic"/>` + others, want: errPanic, took: time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tt.out.t = t
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tt.cancel > 0 {
					time.AfterFunc(tt.cancel, cancel)
				}
				p, _ := parse(t, tt.template)
				o := Default()
				o.Hold = 5
				s := &shelf{fragments: fragments, pieces: 6}
				begun := time.Now()
				err := orPanic(func() error {
					_, err := Assemble(ctx, &Page{Template: p, URL: pageURL, Client: visitor(), Options: &o}, s, &tt.out)
					return err
				})
				_, failed := errors.AsType[*Error](err)
				if _, want := tt.want.(*Error); !errors.Is(err, tt.want) && !(want && failed) {
					t.Errorf("Assemble() = %v, want %v", err, tt.want)
				}
				if took := time.Since(begun); took != tt.took {
					t.Errorf("it took %v, want %v", took, tt.took)
				}
				if s.open != 0 || s.running != 0 {
					t.Errorf("%d bodies are open and %d fetches run", s.open, s.running)
				}
			})
		})
	}
}

var errPanic = errors.New("panic")

// orPanic is the error of f, or errPanic.
func orPanic(f func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = errPanic
		}
	}()
	return f()
}

func after(d time.Duration) func() bool {
	var begun time.Time
	return func() bool {
		if begun.IsZero() {
			begun = time.Now().Add(-lookEvery)
		}
		return time.Since(begun) >= d
	}
}

// 13-23: two includes of the page itself in every fragment end within the budget.
func TestExponentialIncludesEnd(t *testing.T) {
	o := Default()
	o.Depth, o.OnError = maxDepth, Empty
	p, _ := parse(t, `<esi:include src="/1"/><esi:include src="/2"/>`)
	out := &paper{t: t}
	report, err := Assemble(t.Context(), &Page{Template: p, URL: pageURL, Client: visitor(), Options: &o}, doubling{p: new(int)}, out)
	if err != nil || report.Includes != o.Includes || report.Failures[TooMany] == 0 {
		t.Errorf("the report is %+v: %v", report, err)
	}
}

// doubling makes every fragment a template with two includes that nobody has asked for yet.
type doubling struct{ p *int }

func (d doubling) Ready(*Include) (Fragment, bool) {
	*d.p++
	p, _, err := Parse(fmt.Appendf(nil, `<esi:include src="/%d/a"/><esi:include src="/%d/b"/>`, *d.p, *d.p), Limits{})
	return Fragment{Status: 200, Program: p}, err == nil
}

func (d doubling) Fetch(context.Context, *Include) Fragment { panic("all are ready") }

// What a fetcher is told of an include.
func TestWhatFetchersAreTold(t *testing.T) {
	var got []Include
	p, _ := parse(t, `<esi:include src="/a" ttl="2m" max-age="5+6" maxwait="70" dca="esi" no-store="on" redirect="yes" cache-tag="x, y"/><esi:include src="https://web.example/b" ttl="90"/>`+
		`<esi:include src="http://web.example:80/c" max-age="300"/><esi:include src="/d" timeout="99999999999999999999"/><esi:include src="/e" timeout="9999999999999" dca="none"/>`)
	o := Default()
	_, err := Assemble(t.Context(), &Page{Template: p, URL: pageURL, Client: visitor(), Options: &o}, asked{&got}, &paper{t: t})
	if err != nil || len(got) != 5 {
		t.Fatalf("%d fragments were asked for: %v", len(got), err)
	}
	a := *got[0].Attributes
	if !slices.Equal(a.Tags, []string{"x", "y"}) {
		t.Errorf("the tags are %q", a.Tags)
	}
	a.Tags = nil
	for i, want := range []string{
		"{TTL:5s Stale:6s HasTTL:true Longer:true NoStore:true Timeout:70ms Template:true Plain:false Redirect:true Tags:[]} own true depth 1",
		"{TTL:1m30s Stale:0s HasTTL:true Longer:false NoStore:false Timeout:0s Template:false Plain:false Redirect:false Tags:[]} own false depth 1",
		"{TTL:5m0s Stale:0s HasTTL:true Longer:true NoStore:false Timeout:0s Template:false Plain:false Redirect:false Tags:[]} own true depth 1",
		"{TTL:0s Stale:0s HasTTL:false Longer:false NoStore:false Timeout:0s Template:false Plain:false Redirect:false Tags:[]} own true depth 1",
		"{TTL:0s Stale:0s HasTTL:false Longer:false NoStore:false Timeout:2562047h47m16s Template:false Plain:true Redirect:false Tags:[]} own true depth 1",
	} {
		if i > 0 {
			a = *got[i].Attributes
		}
		if text := fmt.Sprintf("%+v own %v depth %d", a, got[i].Own, got[i].Depth); text != want {
			t.Errorf("include %d is\n%s, want\n%s", i, text, want)
		}
	}
}

// asked notes what is asked for.
type asked struct{ all *[]Include }

func (a asked) Ready(i *Include) (Fragment, bool) {
	*a.all = append(*a.all, *i)
	return Fragment{Status: 200}, true
}

func (a asked) Fetch(context.Context, *Include) Fragment { panic("all are ready") }

// failing is a sink that fails at one of its calls.
type failing struct{ left int }

func (f *failing) Write([]byte) error { return f.Flush() }
func (f *failing) Gone() bool         { return false }
func (f *failing) Flush() error {
	if f.left--; f.left < 0 {
		return errSink
	}
	return nil
}

var errSink = errors.New("sink")

// Whenever the sink fails, the page ends with its error, and nothing is left behind.
func TestSinksMayFailAnywhere(t *testing.T) {
	for _, tt := range runs {
		synctest.Test(t, func(t *testing.T) {
			o := Default()
			if tt.with != nil {
				tt.with(&o)
			}
			p, _ := parse(t, tt.template)
			for left := 0; ; left++ {
				s, out := &shelf{fragments: tt.fragments, pieces: 20}, &failing{left}
				_, err := Assemble(t.Context(), &Page{Template: p, URL: pageURL, Client: visitor(), Options: &o}, s, out)
				if s.open != 0 || s.running != 0 {
					t.Errorf("%s: after %d calls, %d bodies are open and %d fetches run", tt.id, left, s.open, s.running)
				}
				if out.left >= 0 {
					break // it was called so often
				}
				if err != errSink {
					t.Errorf("%s: after %d calls, the error is %v", tt.id, left, err)
				}
			}
		})
	}
}

// V5: one program is run for many requests at a time, and each has its own values.
func TestHammerOneProgram(t *testing.T) {
	p, _ := parse(t, `<esi:vars>$(HTTP_COOKIE{n}) $(QUERY_STRING{n})</esi:vars><esi:choose><esi:when test="$(HTTP_COOKIE{n}) matches '[02468]$'"><esi:include src="/even?$(HTTP_COOKIE{n})"/></esi:when>`+
		`<esi:otherwise><esi:try><esi:attempt><esi:include src="/odd"/></esi:attempt><esi:except>odd</esi:except></esi:try></esi:otherwise></esi:choose><esi:include src="/t"/>`)
	s := &shelf{fragments: map[string]string{"/odd": "500 x", "/t": "esi <esi:vars>$(HTTP_COOKIE{n})</esi:vars>"}}
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 50 {
				n := g*50 + i
				out, o := &paper{t: t}, Default()
				c := visitor(fmt.Sprintf("Cookie: n=%d", n))
				c.Query = fmt.Appendf(nil, "n=%%3%d", n%10)
				if _, err := Assemble(t.Context(), &Page{Template: p, URL: pageURL, Client: c, Options: &o}, s, out); err != nil {
					t.Error(err)
				}
				want := fmt.Sprintf("%d %dodd%d", n, n%10, n)
				if n%2 == 0 {
					want = fmt.Sprintf("%d %d[/even?%d]%d", n, n%10, n, n)
				}
				if got := out.text.String(); got != want {
					t.Errorf("the page is %q, want %q", got, want)
				}
			}
		})
	}
	all.Wait()
}
